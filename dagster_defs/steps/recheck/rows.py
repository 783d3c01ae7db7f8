"""The landing zone of rechecks: ``data/landing/recheck/<dataset>/<recheck_id>.parquet``.

A recheck that found nothing has a file without rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import pyarrow as pa

from dagster_defs.steps.landing_zone import Zone

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
_ZONE: Final = Zone(SCHEMAS, dict.fromkeys(SCHEMAS, "recheck_id"))
prepare = _ZONE.prepare


def land(folder: Path, dataset: str, recheck_id: str, rows: Iterable[msgspec.Struct]) -> Path:
    """Write the rows of one recheck, structs with the fields of the dataset's schema; returns the file.

    Raises LandingError, and RunError where a row is of another recheck.
    """
    table = pa.Table.from_pylist([msgspec.structs.asdict(row) for row in rows], schema=SCHEMAS[dataset])
    return _ZONE.land(folder, dataset, recheck_id, table)
