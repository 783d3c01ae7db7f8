"""The landing zone of rechecks: ``data/landing/recheck/changes/<recheck_id>.parquet``, each file whole or absent.

A recheck that found nothing has a file without rows; so has ``_schema``, which lets a warehouse be built before any.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.landing import atomic_file

DATASET: Final = "changes"
_TIME: Final = pa.timestamp("us")
SCHEMA: Final = pa.schema(
    [
        *((name, pa.string()) for name in ("recheck_id", "question_id", "status", "entity_id", "entity", "attribute")),
        *((name, pa.string()) for name in ("old_value", "new_value", "old_answer", "new_answer")),
        ("relative_change", pa.float64()),
        ("is_answer_changed", pa.bool_()),
        ("is_beyond_tolerance", pa.bool_()),
        ("old_as_of", _TIME),
        ("new_as_of", _TIME),
        ("error", pa.string()),
        ("endpoint", pa.string()),
        ("checked_at", _TIME),
    ]
)
_SCHEMA_FILE: Final = "_schema"


def prepare(folder: Path) -> None:
    """Give the dataset below ``folder`` (``data/landing/recheck``) its file without rows, where it lacks it."""
    path = _path(folder, _SCHEMA_FILE)
    if not path.exists() or not pq.read_schema(path).equals(SCHEMA):
        # Not schema.empty_table(), which imports pandas: a second of every start.
        _write(path, pa.Table.from_batches([], schema=SCHEMA))


def land(folder: Path, recheck_id: str, rows: Iterable[msgspec.Struct]) -> Path:
    """Write the rows of one recheck, structs with the fields of ``SCHEMA``; returns the file. Raises LandingError."""
    path = _path(folder, recheck_id)
    _write(path, pa.Table.from_pylist([msgspec.structs.asdict(row) for row in rows], schema=SCHEMA))
    return path


def _path(folder: Path, name: str) -> Path:
    return folder / DATASET / f"{name}.parquet"


def _write(path: Path, table: pa.Table) -> None:
    with atomic_file(path) as handle:
        pq.write_table(table, handle, compression="zstd")
