"""The landing zone of proposals: ``data/landing/proposals/<dataset>/<proposal_id>.parquet``.

The file of ``proposals`` closes a proposal: land it last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_defs.steps.landing_zone import Zone

_TEXT: Final = pa.string()
_COUNTS: Final = (("n_results", pa.int64()), ("n_checked", pa.int64()), ("n_valid", pa.int64()))
_PRECISION: Final = (("precision", pa.float64()), ("precision_low", pa.float64()), ("precision_high", pa.float64()))


def _texts(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, _TEXT) for name in names]


# Dataset -> columns and types, as dbt's staging reads them. Times are UTC; causes, classes, tried and declaration are
# JSON.
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    # One row per concept, endpoint and day that it was proposed on. outcome: accepted or refused. n_expected: questions
    # that are estimated.
    "proposals": pa.schema(
        [
            *_texts("proposal_id", "concept", "topic", "field", "model", "endpoint", "outcome", "reason"),
            ("n_iterations", pa.int64()),
            *_COUNTS,
            *_PRECISION,
            ("threshold", pa.float64()),
            ("n_expected", pa.int64()),
            *_texts("declaration", "prompt_sha"),
            ("prompt_tokens", pa.int64()),
            ("completion_tokens", pa.int64()),
            ("cost_usd", pa.float64()),
            ("proposed_at", pa.timestamp("us", tz="UTC")),
        ]
    ),
    # One row per candidate for a name of a proposal. role: what is sought; place: in the search's order, from 0. why:
    # what rules it out. chosen_by: rule, model, or fallback (the model's answer was none of those listed).
    "proposed_candidates": pa.schema(
        [
            *_texts("proposal_id"),
            ("attempt", pa.int64()),
            *_texts("role", "surface"),
            ("place", pa.int64()),
            *_texts("entity_id", "label", "description", "matched", "matched_by", "datatype"),
            ("classes", pa.list_(_TEXT)),
            ("sitelinks", pa.int64()),
            ("is_possible", pa.bool_()),
            *_texts("why"),
            ("is_chosen", pa.bool_()),
            *_texts("chosen_by"),
        ]
    ),
    # One row per executed and decided query of a proposal.
    "proposed_iterations": pa.schema(
        [
            *_texts("proposal_id"),
            ("iteration", pa.int64()),
            ("attempt", pa.int64()),
            *_texts("query"),
            *_COUNTS,
            *_PRECISION,
            *_texts("causes", "classes", "decision", "adjustment", "tried"),
        ]
    ),
    # One row per attribute of the last query of a proposal.
    "proposed_attributes": pa.schema(
        [
            *_texts("proposal_id", "attribute"),
            ("position", pa.int64()),
            *_texts("path", "label", "kind", "unit"),
            ("is_required", pa.bool_()),
            ("n_checked", pa.int64()),
            ("n_known", pa.int64()),
            ("n_values", pa.int64()),
            ("coverage", pa.float64()),
        ]
    ),
}
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "proposals": ("proposal_id",),
    "proposed_candidates": ("attempt", "role", "surface", "entity_id"),
    "proposed_iterations": ("iteration",),
    "proposed_attributes": ("attribute",),
}
ZONE: Final = Zone(SCHEMAS, dict.fromkeys(SCHEMAS, "proposal_id"), _KEYS)
prepare = ZONE.prepare


def land(folder: Path, proposal_id: str, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Land the rows of one proposal by dataset, the row that closes it last; in place of those landed before.

    Raises RunError where a row is of another proposal, LandingError where a file can't be written.
    """
    for dataset in ("proposed_candidates", "proposed_iterations", "proposed_attributes", "proposals"):
        listed = [{"proposal_id": proposal_id, **row} for row in rows[dataset]]
        ZONE.land(folder, dataset, proposal_id, pa.Table.from_pylist(listed, SCHEMAS[dataset]))
