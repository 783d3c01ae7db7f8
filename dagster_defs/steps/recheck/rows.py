"""The landing zone of rechecks: ``data/landing/recheck/<dataset>/<recheck_id>.parquet``, each file whole or absent.

A recheck that found nothing has a file without rows; so has ``_schema``, which lets a warehouse be built before any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.landing import atomic_file

CHANGES: Final = "changes"
MATCHES: Final = "matches"
_TIME: Final = pa.timestamp("us")
_CHANGES: Final = pa.schema(
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
_MATCHES: Final = pa.schema(
    [
        ("recheck_id", pa.string()),
        ("question_id", pa.string()),
        ("n_match", pa.int64()),
        *((name, pa.string()) for name in ("reason", "clues_md5", "endpoint")),
        ("checked_at", _TIME),
    ]
)
SCHEMAS: Final[Mapping[str, pa.Schema]] = {CHANGES: _CHANGES, MATCHES: _MATCHES}
_SCHEMA_FILE: Final = "_schema"


def prepare(folder: Path) -> None:
    """Give each dataset below ``folder`` (``data/landing/recheck``) its file without rows, where it lacks it."""
    for dataset, schema in SCHEMAS.items():
        path = _path(folder, dataset, _SCHEMA_FILE)
        if not path.exists() or not pq.read_schema(path).equals(schema):
            # Not schema.empty_table(), which imports pandas: a second of every start.
            _write(path, pa.Table.from_batches([], schema=schema))


def land(folder: Path, dataset: str, recheck_id: str, rows: Iterable[msgspec.Struct]) -> Path:
    """Write the rows of one recheck, structs with the fields of the dataset's schema; returns the file.

    Raises LandingError.
    """
    path = _path(folder, dataset, recheck_id)
    _write(path, pa.Table.from_pylist([msgspec.structs.asdict(row) for row in rows], schema=SCHEMAS[dataset]))
    return path


def _path(folder: Path, dataset: str, name: str) -> Path:
    return folder / dataset / f"{name}.parquet"


def _write(path: Path, table: pa.Table) -> None:
    with atomic_file(path) as handle:
        pq.write_table(table, handle, compression="zstd")
