"""The dbt room of elicitation in a folder of its own, over landed rows and facts of the test's."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from dagster_defs.steps.elicitation_rows import SCHEMAS, ZONE, land_rows, prepare
from tests.runs.project import ROOT, RunsProject, _columns

ROOMS = ("staging/elicitation", "elicitation")
_MACROS = ("engine", "elicitation", "facts", "review", "scores", "tests")
_SEEDS = ("judge_examples", "topic_domains", "vocabulary", "units")
# Models of other rooms that the room reads.
BELOW = (
    "facts/entities", "facts/statements", "facts/best_values", "catalog/entity_attributes", "catalog/topic_meta",
)  # fmt: skip
_ARROW: Mapping[str, pa.DataType] = {
    "varchar": pa.string(),
    "json": pa.string(),
    "varchar[]": pa.list_(pa.string()),
    "integer": pa.int64(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us"),
    "date": pa.date32(),
}
Rows = Sequence[Mapping[str, Any]]


class ElicitationProject(RunsProject):
    """A project folder with its data folder inside."""

    @classmethod
    def create(cls, folder: Path) -> ElicitationProject:
        """Copy the room, its macros and seeds to `folder`; each model of `BELOW` reads a file of its name there."""
        for room in ROOMS:
            shutil.copytree(ROOT / "models" / room, folder / "models" / room)
        for macros in _MACROS:
            shutil.copytree(ROOT / "macros" / macros, folder / "macros" / macros)
        shutil.copy(ROOT / "macros/generate_schema_name.sql", folder / "macros")
        (folder / "seeds").mkdir()
        for seed in _SEEDS:
            for ending in ("csv", "yml"):
                shutil.copy(ROOT / f"seeds/{seed}.{ending}", folder / "seeds")
        shutil.copy(ROOT / "profiles.yml", folder)
        settings = (ROOT / "dbt_project.yml").read_text()
        # the guards at the start look at rooms that are not here
        settings = re.sub(r"on-run-start:\n(  - .*\n)+", "", settings)
        settings = re.sub(r"bootstrap_replicates: \d+", "bootstrap_replicates: 200", settings)
        (folder / "dbt_project.yml").write_text(settings)
        for below in BELOW:
            kinds = _columns(ROOT / f"models/{below}.yml")
            path = folder / f"models/{below}.sql"
            path.parent.mkdir(parents=True, exist_ok=True)
            listed = ",\n    ".join(f"cast({name} as {kind}) as {name}" for name, kind in kinds.items())
            path.write_text(f"select\n    {listed}\nfrom read_parquet('{folder / path.stem}.parquet')\n")
        (folder / "data/build").mkdir(parents=True)
        return cls(folder)

    @property
    def landing(self) -> Path:
        """Where rows of elicitation land."""
        return self.folder / "data/landing/elicitation"

    @property
    def database(self) -> Path:
        """What is built."""
        return self.folder / "data/build/assay.duckdb"

    def prepare(self) -> None:
        """Give the landing zone its files without rows."""
        prepare(self.landing)

    def know(self, **rows: Rows) -> None:
        """Make these the rows of the models of `BELOW`, by the model's name; what a row lacks is NULL."""
        for below in BELOW:
            name = below.rpartition("/")[2]
            kinds = _columns(ROOT / f"models/{below}.yml")
            schema = pa.schema([(column, _ARROW[kind]) for column, kind in kinds.items()])
            pq.write_table(_table(rows.get(name, ()), schema), self.folder / f"{name}.parquet")

    def land_each(self, **rows: Rows) -> None:
        """Land rows by dataset, a file for each of its ids; what a row lacks is NULL."""
        for dataset, listed in rows.items():
            column = ZONE.ids[dataset]
            for name in sorted({row[column] for row in listed}):
                part = [row for row in listed if row[column] == name]
                land_rows(self.landing, dataset, name, _table(part, SCHEMAS[dataset]))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query of the built database gives."""
        # not read-only: dbt may still hold the database open in this process
        connection = duckdb.connect(str(self.database))
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


def _table(rows: Rows, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)
