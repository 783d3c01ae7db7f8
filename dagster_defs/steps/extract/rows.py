"""The landing zone of extraction: ``data/landing/extractions/<dataset>/<extraction_id>+<block>.parquet``.

The file of ``extracted_pages`` closes a block: land it last, since what belongs to one that isn't there isn't there for
dbt either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from dagster_defs.steps.landing_zone import Zone

_TEXT: Final = pa.string()
_TIME: Final = pa.timestamp("us", tz="UTC")


def _texts(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, _TEXT) for name in names]


def _numbers(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, pa.int64()) for name in names]


# Dataset -> columns and types, as dbt's staging reads them. Times are UTC.
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    # One row per value that the extractor gave for an attribute of an entity; what is said twice is one row. ordinal:
    # its place among the entity's, from 0. outcome: kept, or why it can be no statement. stated_*: as the extractor
    # gave it. heading: of its passage, NULL for the lead. value_kind to point_in_time: as Wikidata's statements are
    # landed, NULL unless kept.
    "extractions": pa.schema(
        [
            *_texts("extraction_id", "topic", "entity_id", "attribute", "property_id"),
            *_numbers("ordinal"),
            *_texts("outcome", "stated_value", "stated_unit", "stated_when", "sentence", "heading"),
            *_texts("value_kind", "value_entity", "amount_text", "lower_text", "upper_text", "unit_id", "value_time"),
            *_numbers("time_precision"),
            *_texts("calendar", "value_text", "value_lang", "point_in_time"),
            *_texts("request_hash", "extractor", "source_url"),
            *_numbers("revision_id"),
            *_texts("page_snapshot_id"),
            ("extracted_at", _TIME),
        ]
    ),
    # One row per article that was to be read. outcome: read, unread (a passage could not be read) or failed (a call
    # failed; it is asked again). n_values: rows of extractions. n_repeated: values that were said again.
    "extracted_pages": pa.schema(
        [
            *_texts("extraction_id", "topic", "entity_id", "title", "source_url"),
            *_numbers("revision_id"),
            *_texts("page_snapshot_id", "outcome", "error", "extractor"),
            *_numbers("n_characters", "n_passages", "n_unread", "n_values", "n_kept", "n_ungrounded", "n_repeated"),
            *_numbers("prompt_tokens", "completion_tokens"),
            ("cost_usd", pa.float64()),
            ("extracted_at", _TIME),
        ]
    ),
}
IDS: Final[Mapping[str, str]] = {"extractions": "extraction_id", "extracted_pages": "extraction_id"}
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "extractions": ("entity_id", "ordinal"),
    "extracted_pages": ("entity_id",),
}
ZONE: Final = Zone(SCHEMAS, IDS, _KEYS)
prepare, land_rows = ZONE.prepare, ZONE.land
