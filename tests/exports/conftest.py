"""One small database, exports of it, and the environment of the harnesses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dagster_defs.steps.exports import export
from dagster_defs.steps.solve.questions import QuestionSet
from tests.exports import world

# Made by `make test` from requirements/harness.txt.
HARNESS = Path(os.environ.get("HARNESS_PYTHON") or world.ROOT / ".venv/harness/bin/python")


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The made-up database. Read it, never write to it."""
    return world.write(tmp_path_factory.mktemp("published") / "assay.duckdb")


@pytest.fixture(scope="session")
def exported(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of all its questions. Read it, never write to it."""
    return export(database, tmp_path_factory.mktemp("exports"), "everything", QuestionSet(split="all")).folder


@pytest.fixture(scope="session")
def harness() -> Path:
    """The Python that has datasets, lm-evaluation-harness and inspect_ai."""
    if not HARNESS.exists():
        pytest.fail(f"There is no {HARNESS}: `make test` installs the harnesses there, or set HARNESS_PYTHON.")
    return HARNESS
