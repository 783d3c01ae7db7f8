"""The small world's database, a server that knows its gold, and callers that ask this server."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.plan import Run
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.llm.conftest import spec_of
from tests.llm.server import Server
from tests.solve import world

ALL = QuestionSet(split="all")


class FakeEmbedder:
    """Vectors of length 1 from the words alone: texts that share words are near each other."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text."""
        self.texts.extend(texts)
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                row[hashlib.sha256(word.encode()).digest()[0] % 64] += 1
            row[0] += 1e-3
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, published. Read it, never write to it."""
    return world.write(tmp_path_factory.mktemp("world") / "assay.duckdb")


@pytest.fixture
def warehouse(database: Path) -> Iterator[Warehouse]:
    """The small world, open."""
    with Warehouse(database) as opened:
        yield opened


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers every question with its digest until a test gives it a tongue."""
    with Server() as serving:
        yield serving


def model(url: str = "http://127.0.0.1:9/v1", **more: Any) -> ModelSpec:
    """A model with room for every prompt of the small world."""
    return replace(spec_of(url), **{"context_tokens": 16000, "max_output_tokens": 2000, **more})


def run_of(spec: ModelSpec, setting: Setting = Setting.CLOSED_BOOK, questions: QuestionSet = ALL, **more: Any) -> Run:
    """A run of one sample over the whole world."""
    return Run(spec, setting, questions, **{"samples": 1, "answer_tokens": 200, "table_tokens": 1000, **more})
