"""The landing zone of what models said: ``data/landing/llm/<dataset>/<run_id>.parquet``.

The file of ``runs`` closes a run: land it last, since a run without it isn't there for dbt. ``refinements``,
``diversity`` and ``distinctiveness`` are no part of a run: their files are called by ids of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from dagster_defs.steps.landing_zone import Zone

_KEY: Final = (("run_id", pa.string()), ("question_id", pa.string()), ("sample", pa.int64()))
_SPENT: Final = (("prompt_tokens", pa.int64()), ("completion_tokens", pa.int64()), ("cost_usd", pa.float64()))

# Faults that a refiner may see in a question; each has a column that says whether, and one that says which.
FLAGS: Final = ("unclear", "irrelevant", "loaded", "biased")

# Dataset -> columns and types, as dbt's staging reads them. `started_at`, `refined_at`, `selected_at` and `measured_at`
# are UTC; `question_set`, `parsed` and `arguments` are JSON.
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "runs": pa.schema(
        [
            ("run_id", pa.string()),
            ("model", pa.string()),
            ("base_model", pa.string()),
            ("model_id", pa.string()),
            ("setting", pa.string()),
            ("family", pa.string()),
            ("split", pa.string()),
            ("question_set", pa.string()),
            ("n_questions", pa.int64()),
            ("samples", pa.int64()),
            ("temperature", pa.float64()),
            ("seed", pa.int64()),
            ("snapshot_id", pa.string()),
            ("prompt_sha", pa.string()),
            ("started_at", pa.timestamp("us", tz="UTC")),
            ("documents", pa.string()),
        ]
    ),
    "answers": pa.schema(
        [
            *_KEY,
            ("answer_text", pa.string()),
            ("parsed", pa.string()),
            ("outcome", pa.string()),
            ("finish_reason", pa.string()),
            ("error", pa.string()),
            ("entities_needed", pa.int64()),
            ("entities_in_context", pa.int64()),
            ("truncated", pa.bool_()),
            *_SPENT,
            ("latency_s", pa.float64()),
            ("request_hash", pa.string()),
        ]
    ),
    "tables": pa.schema(
        [
            *_KEY,
            ("outcome", pa.string()),
            ("truncated", pa.bool_()),
            ("n_gold", pa.int64()),
            ("n_predicted", pa.int64()),
            ("n_matched", pa.int64()),
            *_SPENT,
            ("request_hash", pa.string()),
        ]
    ),
    "tuples": pa.schema(
        [
            *_KEY,
            ("ordinal", pa.int64()),
            ("entity", pa.string()),
            ("attribute", pa.string()),
            ("value", pa.string()),
            ("matched", pa.bool_()),
        ]
    ),
    "verdicts": pa.schema(
        [
            *_KEY,
            ("correct", pa.bool_()),
            ("scored", pa.bool_()),
            ("scorer", pa.string()),
            ("yes_no_correct", pa.bool_()),
            ("chance", pa.float64()),
            ("detail", pa.string()),
            ("entity_correct", pa.bool_()),
        ]
    ),
    "steps": pa.schema(
        [
            *_KEY,
            ("number", pa.int64()),
            ("kind", pa.string()),
            ("thought", pa.string()),
            ("tool", pa.string()),
            ("arguments", pa.string()),
            ("observation", pa.string()),
            *_SPENT,
            ("latency_s", pa.float64()),
            ("request_hash", pa.string()),
        ]
    ),
    "refinements": pa.schema(
        [
            *((name, pa.string()) for name in ("refine_id", "question_id", "refiner", "judge", "original", "rewrite")),
            *((name, pa.string()) for name in ("status", "reason", "detail")),
            ("judge_same", pa.bool_()),
            ("judge_difference", pa.string()),
            *(column for flag in FLAGS for column in ((f"is_{flag}", pa.bool_()), (f"{flag}_reason", pa.string()))),
            ("refine_outcome", pa.string()),
            ("confirm_outcome", pa.string()),
            *_SPENT,
            *((name, pa.string()) for name in ("refine_hash", "confirm_hash", "prompt_sha")),
            ("refined_at", pa.timestamp("us", tz="UTC")),
        ]
    ),
    "diversity": pa.schema(
        [
            *((name, pa.string()) for name in ("selection_id", "comparison", "question_id")),
            ("is_diverse", pa.bool_()),
            ("removed_for", pa.string()),
            ("n_near", pa.int64()),
            ("threshold", pa.float64()),
            *((name, pa.string()) for name in ("embedder", "texts_sha")),
            ("selected_at", pa.timestamp("us", tz="UTC")),
        ]
    ),
    "distinctiveness": pa.schema(
        [
            ("distinct_id", pa.string()),
            ("number", pa.int64()),
            ("set_name", pa.string()),
            ("content_hash", pa.string()),
            ("is_own", pa.bool_()),
            ("n_available", pa.int64()),
            ("measure", pa.string()),
            ("embedder", pa.string()),
            ("of_filter", pa.bool_()),
            ("seed", pa.int64()),
            ("n", pa.int64()),
            ("value", pa.float64()),
            ("measured_at", pa.timestamp("us", tz="UTC")),
        ]
    ),
}
# What a run lands; the others are landed by a step of their own, each under an id of its own.
OF_A_RUN: Final = ("runs", "answers", "tables", "tuples", "verdicts", "steps")
# What a run's rows are told apart by.
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "runs": ("run_id",),
    "answers": ("question_id", "sample"),
    "tables": ("question_id", "sample"),
    "tuples": ("question_id", "sample", "ordinal"),
    "verdicts": ("question_id", "sample"),
    "steps": ("question_id", "sample", "number"),
    "refinements": ("question_id",),
    "diversity": ("comparison", "question_id"),
    "distinctiveness": ("number",),
}
# What a file is called by that no run landed.
_IDS: Final[Mapping[str, str]] = {
    "refinements": "refine_id",
    "diversity": "selection_id",
    "distinctiveness": "distinct_id",
}


def id_column(dataset: str) -> str:
    """The column that holds what a file of the dataset is called by."""
    return _IDS.get(dataset, "run_id")


ZONE: Final = Zone(SCHEMAS, {dataset: id_column(dataset) for dataset in SCHEMAS}, _KEYS)
prepare, land_rows = ZONE.prepare, ZONE.land
