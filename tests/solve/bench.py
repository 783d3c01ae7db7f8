"""A model that a loopback server plays, with a journal and a landing zone of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from pydantic import SecretStr

from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.client import Patience
from dagster_defs.llm.models import ModelSpec, Registry
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.execute import Report, execute
from dagster_defs.steps.solve.plan import Run, pinned
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.llm.conftest import KEY, spec_of
from tests.llm.server import Server
from tests.solve.tongue import kind_of

ALL = QuestionSet(split="all")
# The settings of which everything that is asked is known from the start.
PLANNED = tuple(setting for setting in Setting if setting is not Setting.AGENT)


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


PATIENCE = Patience(attempts=2, attempt_s=5.0, deadline_s=10.0, backoff_s=0.01, backoff_cap_s=0.02)
Rows = list[dict[str, Any]]


@dataclass
class Bench:
    """Runs a model that a server plays, with a journal and a landing zone of its own."""

    database: Path
    folder: Path
    server: Server
    lines: list[str] = field(default_factory=list)

    def run(self, setting: Setting = Setting.CLOSED_BOOK, questions: QuestionSet = ALL, **more: Any) -> Run:
        """A run of the model that the server plays."""
        return run_of(model(self.server.url), setting, questions, **more)

    def caller(self, caps: Caps | None = None) -> Caller:
        """One that asks the server, as the model under test and as the judge."""
        models = {"m": model(self.server.url), "j": model(self.server.url, name="j", model_id="judge")}
        keys = {"TEST_KEY": SecretStr(KEY)}
        return Caller(
            Registry(models, {}), self.folder / "journal.sqlite", keys, caps, patience=PATIENCE, log=self.lines.append
        )

    def execute(self, run: Run, caps: Caps | None = None) -> Report:
        """One execution."""
        with self.caller(caps) as caller:
            judge = caller.registry.model("j")
            return execute(run, self.database, self.landing, caller, judge, FakeEmbedder(), self.lines.append)

    @property
    def landing(self) -> Path:
        """Where rows land."""
        return self.folder / "landing"

    def id_of(self, run: Run) -> str:
        """What an execution calls a run, which hangs on the data of its questions."""
        with Warehouse(self.database) as warehouse:
            return pinned(run, warehouse).run_id

    def landed(self, dataset: str, run: Run) -> Rows:
        """The landed rows of a run."""
        found: Rows = pq.read_table(self.landing / dataset / f"{self.id_of(run)}.parquet").to_pylist()
        return found

    def judged(self) -> int:
        """How many requests asked the judge."""
        return sum(kind_of(request) == "judge" for request in self.server.chats)


def model(url: str = "http://127.0.0.1:9/v1", **more: Any) -> ModelSpec:
    """A model with room for every prompt of the small world."""
    return replace(spec_of(url), **{"context_tokens": 16000, "max_output_tokens": 2000, **more})


def run_of(spec: ModelSpec, setting: Setting = Setting.CLOSED_BOOK, questions: QuestionSet = ALL, **more: Any) -> Run:
    """A run of one sample over the whole world."""
    return Run(spec, setting, questions, **{"samples": 1, "answer_tokens": 200, "table_tokens": 1000, **more})
