"""A copy of the dbt project in a folder of its own, with topics of the test's choosing, run in process."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg

from dagster_defs.steps.extract import rows as extract_rows
from ingest.domains import kept
from ingest.wikipedia import land as articles

ROOT = Path(__file__).resolve().parents[2]
# The rooms below the questions; the questions' own models have tests of their own.
_ROOMS = (
    "staging/domains", "staging/extractions", "staging/wikidata", "staging/wikipedia", "documents", "extractions",
    "facts", "catalog", "provenance",
)  # fmt: skip
_SEEDS = ("units", "properties", "vocabulary")
# Several runs in one process would otherwise fight over one engine's threads and log files.
_QUIET = ["--quiet", "--no-use-colors", "--log-level-file", "none", "--no-print"]


@dataclass(frozen=True)
class Outcome:
    """What a dbt command came to."""

    success: bool
    messages: str
    result: Any


@dataclass(frozen=True)
class Project:
    """A project folder and its data folder."""

    folder: Path
    data_dir: Path

    @classmethod
    def create(
        cls, folder: Path, topics: Mapping[str, tuple[str, str]], registered: list[str] | None = None
    ) -> Project:
        """Copies the project to `folder`. `topics`: name -> (SQL, yml); all are registered unless `registered` says."""
        for name in ("macros", *(f"models/{room}" for room in _ROOMS)):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("multi_entity"))
        (folder / "seeds").mkdir()
        for seed in _SEEDS:
            for suffix in ("csv", "yml"):
                shutil.copy(ROOT / f"seeds/{seed}.{suffix}", folder / "seeds")
        shutil.copy(ROOT / "profiles.yml", folder)
        names = list(topics) if registered is None else registered
        settings = (ROOT / "dbt_project.yml").read_text()
        settings = re.sub(
            r"^  topics:.*\n(    - .*\n)*", f"  topics: [{', '.join(names)}]\n", settings, flags=re.MULTILINE
        )
        (folder / "dbt_project.yml").write_text(settings)
        for name, (sql, yml) in topics.items():
            (folder / "models/topics").mkdir(exist_ok=True)
            (folder / f"models/topics/{name}.sql").write_text(sql)
            (folder / f"models/topics/{name}.yml").write_text(yml)
        (folder / "data/build").mkdir(parents=True)
        kept.prepare(folder / "data/landing")
        articles.prepare(folder / "data/landing")
        extract_rows.prepare(folder / "data/landing/extractions")
        return cls(folder, folder / "data")

    def dbt(self, *command: str) -> Outcome:
        """Runs one dbt command; `messages` holds every error it reported."""
        errors: list[str] = []

        def listen(event: EventMsg) -> None:
            if event.info.level == "error":
                errors.append(event.info.msg)

        with _data_dir(self.data_dir):
            where = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder)]
            done = dbtRunner(callbacks=[listen]).invoke([*_QUIET, *command, *where])
        return Outcome(done.success, "\n".join(errors), done.result)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of a query on the built database; not read-only, since dbt may still hold it open in this process."""
        connection = duckdb.connect(str(self.data_dir / "build/assay.duckdb"))
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()


@contextlib.contextmanager
def _data_dir(path: Path) -> Iterator[None]:
    before = os.environ.get("ASSAY_DATA_DIR")
    os.environ["ASSAY_DATA_DIR"] = str(path)
    try:
        yield
    finally:
        if before is None:
            del os.environ["ASSAY_DATA_DIR"]
        else:
            os.environ["ASSAY_DATA_DIR"] = before
