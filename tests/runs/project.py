"""The dbt rooms of runs and scores in a folder of their own, over landed rows and questions of the test's."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from dbt.cli.main import dbtRunner, dbtRunnerResult

from dagster_defs.steps.review import rows as review_rows
from dagster_defs.steps.run_rows import SCHEMAS, id_column, land_rows, prepare

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("staging/llm", "staging/review", "runs", "review", "scores")
_MACROS = ("engine", "multi_entity", "review", "scores", "tests")
_QUIET = ("--quiet", "--no-use-colors", "--log-level-file", "none", "--no-print")
# The columns of questions that scores are sliced by, and the text; the others are NULL here.
_ASKED = (
    "question_id",
    "family",
    "category",
    "type",
    "topic",
    "density",
    "entity_count",
    "hops",
    "split",
    "snapshot_id",
    "question",
)
Rows = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class RunsProject:
    """A project folder with its data folder inside."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> RunsProject:
        """Copy the rooms and macros to `folder`; `questions` is a model that reads questions.parquet there."""
        for room in ROOMS:
            shutil.copytree(ROOT / "models" / room, folder / "models" / room)
        for macros in _MACROS:
            shutil.copytree(ROOT / "macros" / macros, folder / "macros" / macros)
        for macro in ("generate_schema_name", "guards/check_landing"):
            shutil.copy(ROOT / f"macros/{macro}.sql", folder / "macros")
        shutil.copy(ROOT / "profiles.yml", folder)
        settings = (ROOT / "dbt_project.yml").read_text()
        # one of the guards at the start looks at topics, of which there are none here
        (folder / "dbt_project.yml").write_text(re.sub(r"  - .*check_topics.*\n", "", settings))
        (folder / "models/deep_research").mkdir()
        (folder / "models/deep_research/research_minted.sql").write_text(_minted_model())
        (folder / "models/questions").mkdir()
        (folder / "models/questions/questions.sql").write_text(_questions_model(folder / "questions.parquet"))
        (folder / "data/build").mkdir(parents=True)
        return cls(folder)

    def prepare(self) -> None:
        """Give the landing zone its files without rows."""
        prepare(self.folder / "data/landing/llm")
        review_rows.prepare(self.folder / "data/landing/review")

    def ask(self, questions: pd.DataFrame) -> None:
        """Make these the accepted questions."""
        questions.to_parquet(self.folder / "questions.parquet")

    def land(self, rows: Rows) -> None:
        """Land each dataset's rows, a file a run or refinement; the columns a frame lacks are NULL."""
        for dataset, frame in rows.items():
            schema = SCHEMAS[dataset]
            for run_id, part in frame.groupby(id_column(dataset)):
                whole = part.reindex(columns=schema.names).astype(object)
                records = whole.where(whole.notna(), None).to_dict("records")
                table = pa.Table.from_pylist(records, schema=schema)
                land_rows(self.folder / "data/landing/llm", dataset, str(run_id), table)

    def build(self, *more: str) -> None:
        """Build every model and run every data test. Raises AssertionError naming those that failed."""
        done = self._build(*more)
        assert done.result is not None, done.exception
        failed = {r.node.name: r.message for r in done.result.results if r.status not in ("success", "pass")}
        assert not failed, failed

    def complaint(self) -> str:
        """What dbt says when it can't start to build; '' when it can."""
        return str(self._build().exception or "")

    def check_units(self) -> dict[str, str]:
        """What became of each unit test; the models that they read have to be built."""
        done = self._invoke("test", "--select", "test_type:unit")
        assert done.result is not None, done.exception
        return {r.node.name: str(r.status) for r in done.result.results if r.node.resource_type == "unit_test"}

    def _build(self, *more: str) -> dbtRunnerResult:
        return self._invoke("build", "--exclude", "resource_type:unit_test", *more)

    def _invoke(self, *words: str) -> dbtRunnerResult:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(os.environ, "ASSAY_DATA_DIR", str(self.folder / "data"))
            where = ("--project-dir", str(self.folder), "--profiles-dir", str(self.folder))
            return dbtRunner().invoke([*_QUIET, *words, *where])

    def table(self, name: str) -> pd.DataFrame:
        """All rows of a built table, in the order of its first columns."""
        # not read-only: dbt may still hold the database open in this process
        connection = duckdb.connect(str(self.folder / "data/build/assay.duckdb"))
        try:
            return connection.execute(f"from {name} order by all").df()
        finally:
            connection.close()


def _minted_model() -> str:
    """The deep-research questions; what is known of them beside their ids and domains is NULL here."""
    known = {"question_id": "question_id", "domain": "category"}
    (model,) = yaml.safe_load((ROOT / "models/deep_research/research_minted.yml").read_text())["models"]
    columns = ",\n    ".join(
        f"cast({known.get(c['name'], 'null')} as {c['data_type']}) as {c['name']}" for c in model["columns"]
    )
    return f"select\n    {columns}\nfrom {{{{ ref('questions') }}}}\nwhere family = 'deep_research'\n"


def _questions_model(path: Path) -> str:
    (model,) = yaml.safe_load((ROOT / "models/questions/questions.yml").read_text())["models"]
    columns = ",\n    ".join(
        f"cast({c['name'] if c['name'] in _ASKED else 'null'} as {c['data_type']}) as {c['name']}"
        for c in model["columns"]
    )
    return f"select\n    {columns}\nfrom read_parquet('{path}')\n"
