"""What the whole suite shares: copies of the project to run from outside, and one demo build."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from filelock import FileLock
from hypothesis import settings

PROJECT = Path(__file__).resolve().parent.parent
# What a checkout holds and a run needs.
PARTS = ("dagster_defs", "expectations", "ingest", "macros", "models", "seeds", "dbt_project.yml", "profiles.yml")
RUN_SECONDS = 600

# How long an example takes says how busy the machine is.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take minutes come first, so that no worker is left with one at the end.

    Of these the ones that need no demo build come before the others, which would wait for it together.
    """
    slow = {item.path for item in items if any(item.iter_markers("e2e")) or any(item.iter_markers("local_model"))}
    demo = {item.path for item in items if "demo" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: (item.path not in slow, item.path in demo))


@dataclass(frozen=True)
class Outcome:
    """How a run started from a terminal ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Checkout:
    """A copy of the project in a folder of its own, run as a user would run it."""

    root: Path

    @property
    def data(self) -> Path:
        """Its data folder."""
        return self.root / "data"

    @property
    def published(self) -> Path:
        """Its published database."""
        return self.data / "assay.duckdb"

    def run(self, command: str, **environment: str) -> Outcome:
        """`python -m dagster_defs.run <command>` in the copy, of one or more words.

        ``environment`` is added to this process's own.
        """
        done = subprocess.run(
            [sys.executable, "-m", "dagster_defs.run", *command.split()],
            cwd=self.root,
            env={**environment_of_a_user(), **environment},
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """What a query finds in the published database, by column."""
        with duckdb.connect(str(self.published), read_only=True) as connection:
            return rows_of(connection, query)


def rows_of(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """What a query finds, by column."""
    found = connection.execute(query)
    names = [column[0] for column in found.description or []]
    return [dict(zip(names, values, strict=True)) for values in found.fetchall()]


def environment_of_a_user() -> dict[str, str]:
    """This process's environment without what would make a run in a copy another one."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "DAGSTER_", "DBT_"))}


def copy_project(root: Path) -> Checkout:
    """The project's parts in ``root``, which must not exist yet."""
    root.mkdir(parents=True)
    for part in PARTS:
        source = PROJECT / part
        if source.is_dir():
            shutil.copytree(source, root / part, ignore=shutil.ignore_patterns("__pycache__", "build", ".*"))
        else:
            shutil.copy2(source, root / part)
    return Checkout(root)


def keep_topics(checkout: Checkout, *topics: str) -> None:
    """Leave only ``topics`` in a copy of the project, so that a run of it is short."""
    for file in (checkout.root / "models/topics").glob("*.*"):
        if file.suffix in (".sql", ".yml") and file.stem not in topics:
            file.unlink()
    settings = checkout.root / "dbt_project.yml"
    listed = re.sub(
        r"^  topics:.*\n(    - .*\n)*", f"  topics: [{', '.join(topics)}]\n", settings.read_text(), flags=re.M
    )
    settings.write_text(listed)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A fresh copy of the project with nothing built."""
    return copy_project(tmp_path / "assay")


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Outcome]:
    """The one demo build of the test session, shared by parallel workers: the copy it ran in, and what it printed.

    Read it, never write to it.
    """
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    root = shared / "demo"
    with FileLock(shared / "demo.lock", timeout=RUN_SECONDS):
        if not root.exists():
            outcome = copy_project(root).run("demo")
            (root / "out.txt").write_text(outcome.out)
            (root / "err.txt").write_text(outcome.err)
            (root / "code.txt").write_text(str(outcome.code))
    code = int((root / "code.txt").read_text())
    outcome = Outcome(code, (root / "out.txt").read_text(), (root / "err.txt").read_text())
    assert code == 0, outcome.err
    return Checkout(root), outcome


@pytest.fixture(scope="session")
def published(demo: tuple[Checkout, Outcome]) -> Path:
    """The database that the demo build published. Open it read-only."""
    return demo[0].published
