"""Rows that steps land for dbt: ``<folder>/<dataset>/<name>.parquet``, each file whole or absent.

A dataset's folder also has ``_schema.parquet``, without rows, so that a warehouse can be built before anything landed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dagster_defs.errors import RunError
from ingest.landing import atomic_file

_SCHEMA_FILE: Final = "_schema"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}")


@dataclass(frozen=True)
class Zone:
    """The datasets that are landed in one folder.

    schemas: dataset -> columns and types, as dbt's staging reads them. ids: dataset -> the column that holds what a
    file is called by, the same in each of its rows; what is too big for one file is in several, called ``<id>+<part>``.
    keys: dataset -> the columns that tell a file's rows apart. A dataset that is in neither may hold anything.
    """

    schemas: Mapping[str, pa.Schema]
    ids: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def land(self, folder: Path, dataset: str, name: str, table: pa.Table) -> Path:
        """Write the rows called ``name`` below ``folder``, in place of those landed before; returns the file.

        ``table`` has the dataset's columns in any order.

        Raises:
            RunError: the rows are not such rows, or ``name`` can't name a file.
            LandingError: the file can't be written; what was landed before is still there.
        """
        if not _NAME.fullmatch(name):
            raise RunError(f"Cannot land a run called {name!r}: use letters, digits and the characters . _ + - only.")
        rows = self._typed(dataset, name, table)
        self._check_rows(dataset, name, rows)
        return _write(folder, dataset, name, rows)

    def prepare(self, folder: Path) -> None:
        """Give every dataset below ``folder`` its file without rows; one that is there and fits is left as it is."""
        for dataset, schema in self.schemas.items():
            path = _path(folder, dataset, _SCHEMA_FILE)
            if not path.exists() or not pq.read_schema(path).equals(schema):
                # Not schema.empty_table(), which imports pandas: a second of every start.
                _write(folder, dataset, _SCHEMA_FILE, pa.Table.from_batches([], schema=schema))

    def landed(self, folder: Path, dataset: str, name: str) -> list[dict[str, Any]]:
        """The rows of one file, none where there is no such file. Raises RunError where it can't be read."""
        path = _path(folder, dataset, name)
        if not path.exists():
            return []
        try:
            rows: list[dict[str, Any]] = pq.read_table(path, schema=self.schemas[dataset]).to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise RunError(
                f"{path} cannot be read ({str(error).splitlines()[0]}): remove it, or restore it."
            ) from error
        return rows

    @staticmethod
    def names(folder: Path, dataset: str) -> list[str]:
        """The names of a dataset's files, sorted."""
        found = (path.stem for path in (folder / dataset).glob("*.parquet") if not path.name.startswith("."))
        return sorted(name for name in found if name != _SCHEMA_FILE)

    def _typed(self, dataset: str, name: str, table: pa.Table) -> pa.Table:
        schema = self.schemas[dataset]
        differing = sorted(set(table.column_names) ^ set(schema.names))
        if differing:
            raise RunError(f"Cannot land {dataset} of {name}: missing or unknown columns {', '.join(differing)}.")
        try:
            return table.select(schema.names).cast(schema)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise RunError(f"Cannot land {dataset} of {name}: {str(error).splitlines()[0]}.") from error

    def _check_rows(self, dataset: str, name: str, rows: pa.Table) -> None:
        keys = self.keys.get(dataset, ())
        column = self.ids.get(dataset)
        if column and rows.num_rows and pc.unique(rows[column]).to_pylist() not in ([name], [name.rpartition("+")[0]]):
            raise RunError(f"Cannot land {dataset} of {name}: some rows are of another run.")
        if any(rows[key].null_count for key in keys):
            raise RunError(f"Cannot land {dataset} of {name}: a row has no {' or no '.join(keys)}.")
        if keys and rows.group_by(list(keys)).aggregate([]).num_rows < rows.num_rows:
            raise RunError(f"Cannot land {dataset} of {name}: two rows have the same {' and '.join(keys)}.")


def _path(folder: Path, dataset: str, name: str) -> Path:
    return folder / dataset / f"{name}.parquet"


def _write(folder: Path, dataset: str, name: str, rows: pa.Table) -> Path:
    path = _path(folder, dataset, name)
    with atomic_file(path) as handle:
        pq.write_table(rows, handle, compression="zstd")
    return path
