"""Every published question by the snapshot that it is from: ``data/landing/history/questions/<snapshot_id>.parquet``.

A snapshot's file is written when its questions are published, and no other snapshot's publication touches it: answers
to them can be scored, and compared with those of another day, for ever.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.steps.landing_zone import Zone

QUESTIONS: Final = "questions"
# What stands between a snapshot and the variant of it that questions are from.
VARIANT_MARK: Final = "+"
# As questions.question_history has them, without what it says of the others.
_SCHEMA: Final = pa.schema(
    [
        ("snapshot_id", pa.string()),
        ("as_of", pa.date32()),
        *((name, pa.string()) for name in ("question_id", "family", "category", "type", "topic", "template_id")),
        ("question", pa.string()),
        ("attributes", pa.list_(pa.string())),
        ("operation", pa.string()),
        ("hops", pa.int32()),
        ("entity_count", pa.int32()),
        ("density", pa.string()),
        ("split", pa.string()),
        ("gold_kind", pa.string()),
        ("gold_value", pa.float64()),
        ("gold_answer", pa.string()),
        ("gold_unit", pa.string()),
        ("tolerance", pa.float64()),
        ("n_entities", pa.int32()),
        ("n_properties", pa.int32()),
        ("cci", pa.float64()),
    ]
)
ZONE: Final = Zone({QUESTIONS: _SCHEMA}, {QUESTIONS: "snapshot_id"}, {QUESTIONS: ("question_id",)})
prepare = ZONE.prepare


def base_of(snapshot_id: str) -> str:
    """The snapshot whose facts a variant is made from; itself where it is no variant."""
    return snapshot_id.partition(VARIANT_MARK)[0]


def variant_of(snapshot_id: str) -> str:
    """The variant that a snapshot's questions are of, such as 'fresh-1'; empty where they are of none."""
    return snapshot_id.partition(VARIANT_MARK)[2]


def keep(database: Path, landing: Path) -> tuple[str, int]:
    """Land the questions of a published ``database`` below ``landing``; returns their snapshot and their number.

    What is there already is not written again.

    Raises RunError where the database has none, LandingError where the file can't be written.
    """
    names = ", ".join(_SCHEMA.names)
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            rows = connection.sql(
                f"select {names} from questions.question_history where is_current order by question_id"
            ).to_arrow_table()
    except duckdb.Error as error:
        raise RunError(f"{database} cannot be read: {str(error).splitlines()[0]}") from error
    if not rows.num_rows:
        raise RunError(f"{database} has no question to keep: see questions.rejections.")
    snapshot_id = str(rows["snapshot_id"][0].as_py())
    rows = rows.select(_SCHEMA.names).cast(_SCHEMA)
    if ZONE.landed(landing, QUESTIONS, snapshot_id) != rows.to_pylist():
        ZONE.land(landing, QUESTIONS, snapshot_id, rows)
    return snapshot_id, rows.num_rows
