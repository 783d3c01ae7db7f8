"""The landing zone of reviews: ``data/landing/review/<dataset>/<name>.parquet``, each file whole or absent.

A dataset's folder also has ``_schema.parquet``, without rows, so that a warehouse can be built before any review.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from dagster_defs.errors import RunError
from ingest.landing import atomic_file

Row = Mapping[str, Any]

# Dataset -> columns and types, as dbt's staging reads them. Times are UTC. `shown` is JSON: what the reviewer saw.
# `run_id` and `sample` are NULL on a sheet of questions; so are, of labels, the fields of the other kind of sheet.
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "sheets": pa.schema(
        [
            *((name, pa.string()) for name in ("sheet_id", "kind", "item", "question_id", "run_id")),
            ("sample", pa.int64()),
            *((name, pa.string()) for name in ("family", "category", "type", "topic", "question", "gold_answer")),
            *((name, pa.string()) for name in ("shown", "snapshot_id")),
            ("written_at", pa.timestamp("us", tz="UTC")),
        ]
    ),
    "labels": pa.schema(
        [
            *((name, pa.string()) for name in ("sheet_id", "annotator", "item")),
            *((name, pa.string()) for name in ("entity", "clarity", "gold", "error_category", "verdict", "note")),
            ("imported_at", pa.timestamp("us", tz="UTC")),
        ]
    ),
}
_SCHEMA_FILE: Final = "_schema"


def prepare(folder: Path) -> None:
    """Give every dataset below ``folder`` (``data/landing/review``) its file without rows, where it lacks it."""
    for dataset, schema in SCHEMAS.items():
        path = _path(folder, dataset, _SCHEMA_FILE)
        if not path.exists() or not pq.read_schema(path).equals(schema):
            # Not schema.empty_table(), which imports pandas: a second of every start.
            _write(path, pa.Table.from_batches([], schema=schema))


def land(folder: Path, dataset: str, name: str, rows: Iterable[Row]) -> Path:
    """Write ``rows`` as one file, in place of what it held; what a row lacks is NULL. Returns the file.

    Raises LandingError when it can't be written; the old file then stays.
    """
    path = _path(folder, dataset, name)
    _write(path, pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMAS[dataset]))
    return path


def landed(folder: Path, dataset: str, name: str) -> list[dict[str, Any]]:
    """The rows of one file, none where there is no such file. Raises RunError where it can't be read."""
    path = _path(folder, dataset, name)
    if not path.exists():
        return []
    try:
        rows: list[dict[str, Any]] = pq.read_table(path, schema=SCHEMAS[dataset]).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise RunError(f"{path} cannot be read ({str(error).splitlines()[0]}): remove it, or restore it.") from error
    return rows


def names(folder: Path, dataset: str) -> list[str]:
    """The names of a dataset's files, sorted."""
    found = (path.stem for path in (folder / dataset).glob("*.parquet") if not path.name.startswith("."))
    return sorted(name for name in found if name != _SCHEMA_FILE)


def _path(folder: Path, dataset: str, name: str) -> Path:
    return folder / dataset / f"{name}.parquet"


def _write(path: Path, table: pa.Table) -> None:
    with atomic_file(path) as handle:
        pq.write_table(table, handle, compression="zstd")
