"""The dbt rooms of runs and scores in a folder of their own, over landed rows and questions of the test's."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from dbt.cli.main import dbtRunner, dbtRunnerResult

from dagster_defs.steps.recheck import rows as recheck_rows
from dagster_defs.steps.review import rows as review_rows
from dagster_defs.steps.run_rows import SCHEMAS, id_column, land_rows, prepare

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("staging/llm", "staging/review", "staging/recheck", "runs", "review", "scores")
_MACROS = ("engine", "multi_entity", "review", "scores", "tests")
_QUIET = ("--quiet", "--no-use-colors", "--log-level-file", "none", "--no-print")
# The columns of questions that scores are sliced by, and the text.
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
    "template_id",
    "attributes",
    "gold_answer",
    "gold_value",
    "tolerance",
    "n_entities",
    "n_properties",
    "cci",
)
# Models of other rooms that these rooms read, and the columns that the tests' worlds give; the others are NULL here.
_BELOW = {
    "questions/questions": _ASKED,
    "deep_research/research_minted": ("question_id", "domain", "entity_ids", "n_entities", "n_properties", "cci"),
    "catalog/entity_attributes": ("topic", "entity_id", "attribute", "value_num"),
    "questions/traces": ("question_id", "clues"),
    "history/question_history": (*_ASKED, "is_current"),
}
# Types of the ymls as those of Parquet.
_ARROW: Mapping[str, pa.DataType] = {
    "varchar": pa.string(),
    "json": pa.string(),
    "varchar[]": pa.list_(pa.string()),
    "integer": pa.int32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
}
Rows = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class RunsProject:
    """A project folder with its data folder inside."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> RunsProject:
        """Copy the rooms and macros to `folder`; each model of `_BELOW` reads a file of its name there."""
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
        for below, given in _BELOW.items():
            model = folder / f"models/{below}.sql"
            model.parent.mkdir(exist_ok=True)
            model.write_text(_model(ROOT / f"models/{below}.yml", given, folder / f"{model.stem}.parquet"))
        (folder / "data/build").mkdir(parents=True)
        return cls(folder)

    def prepare(self) -> None:
        """Give the landing zone its files without rows."""
        prepare(self.folder / "data/landing/llm")
        review_rows.prepare(self.folder / "data/landing/review")
        recheck_rows.prepare(self.folder / "data/landing/recheck")

    def ask(
        self,
        questions: pd.DataFrame,
        research: pd.DataFrame | None = None,
        attributes: pd.DataFrame | None = None,
        earlier: pd.DataFrame | None = None,
    ) -> None:
        """Make these the accepted questions, what those of deep research hide, entities' values, and earlier ones."""
        if research is None and "family" in questions:
            research = questions[questions["family"] == "deep_research"].rename(columns={"category": "domain"})
        history = pd.concat([questions.assign(is_current=True), *([] if earlier is None else [earlier])])
        for below, frame in zip(_BELOW, (questions, research, attributes, None, history), strict=True):
            path = self.folder / f"{below.rpartition('/')[2]}.parquet"
            pq.write_table(_typed(ROOT / f"models/{below}.yml", _BELOW[below], frame), path)

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


def _columns(yml: Path) -> Mapping[str, str]:
    """The columns that a model's yml declares, each with its type."""
    (model,) = yaml.safe_load(yml.read_text())["models"]
    return {column["name"]: column["data_type"] for column in model["columns"]}


def _typed(yml: Path, given: Sequence[str], frame: pd.DataFrame | None) -> pa.Table:
    """A frame's `given` columns in the types that the yml declares; what it lacks is NULL, and no frame is no row."""
    kinds = _columns(yml)
    schema = pa.schema([(name, _ARROW[kinds[name]]) for name in given])
    if frame is None:
        return schema.empty_table()
    whole = frame.reindex(columns=list(given)).astype(object)
    return pa.Table.from_pylist(whole.where(whole.notna(), None).to_dict("records"), schema=schema)


def _model(yml: Path, given: Sequence[str], path: Path) -> str:
    columns = ",\n    ".join(
        f"cast({name if name in given else 'null'} as {kind}) as {name}" for name, kind in _columns(yml).items()
    )
    return f"select\n    {columns}\nfrom read_parquet('{path}')\n"
