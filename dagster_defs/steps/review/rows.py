"""The landing zone of reviews: ``data/landing/review/<dataset>/<name>.parquet``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_defs.steps.landing_zone import Zone

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
_ZONE: Final = Zone(SCHEMAS)
prepare, landed, names = _ZONE.prepare, _ZONE.landed, _ZONE.names


def land(folder: Path, dataset: str, name: str, rows: Iterable[Row]) -> Path:
    """Write ``rows`` as one file, in place of what it held; what a row lacks is NULL. Returns the file.

    Raises LandingError when it can't be written; the old file then stays.
    """
    return _ZONE.land(folder, dataset, name, pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMAS[dataset]))
