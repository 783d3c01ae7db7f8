"""The landing zone of elicitation: ``data/landing/elicitation/<dataset>/<id>.parquet``.

The file of ``experiments`` closes an elicitation and that of ``evaluations`` a judgement: land them last, since what
belongs to one that isn't there isn't there for dbt either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from dagster_defs.steps.landing_zone import Zone

_TEXT: Final = pa.string()
_TIME: Final = pa.timestamp("us", tz="UTC")
_SPENT: Final = (("prompt_tokens", pa.int64()), ("completion_tokens", pa.int64()), ("cost_usd", pa.float64()))


def _texts(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, _TEXT) for name in names]


# Dataset -> columns and types, as dbt's staging reads them. Times are UTC; `parameters`, `request_hashes` and
# `passages` are JSON.
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    # One row per experiment. origin: model, or import for triples that were read from a file. entities_sha: digest of
    # ids and titles that were asked about.
    "experiments": pa.schema(
        [
            *_texts("experiment_id", "model", "base_model", "model_id", "setting", "prompt", "set_name"),
            *_texts("reasoning_effort", "origin", "parameters", "entities_sha", "prompt_sha", "snapshot_id"),
            ("scale", pa.float64()),
            ("n_entities", pa.int64()),
            ("seed", pa.int64()),
            ("started_at", _TIME),
        ]
    ),
    # One row per experiment and entity. outcome: answered, empty, unparsed, refused, cut or failed. truncated: only the
    # complete elements of an answer that was cut off were kept. expected: triples asked for, where a number was told.
    "elicitations": pa.schema(
        [
            *_texts("experiment_id", "entity_id", "title", "outcome", "answer_text", "finish_reason", "error"),
            ("truncated", pa.bool_()),
            ("expected", pa.int64()),
            ("n_triples", pa.int64()),
            ("n_calls", pa.int64()),
            *_SPENT,
            ("latency_s", pa.float64()),
            ("request_hashes", _TEXT),
        ]
    ),
    # One row per elicited triple, as the model wrote it. ordinal: its place in the entity's answer, from 0.
    "triples": pa.schema(
        [
            *_texts("experiment_id", "entity_id"),
            ("ordinal", pa.int64()),
            *_texts("subject", "predicate", "object", "request_hash"),
        ]
    ),
    # One row per entity and source that was read. outcome: read, missing, disambiguation, short or failed. n_unread:
    # passages that no triples could be extracted from. Of a source whose text may not be kept no passage is landed.
    "references": pa.schema(
        [
            *_texts("reference_id", "entity_id", "source", "source_url", "title", "outcome", "error", "extractor"),
            *((name, pa.int64()) for name in ("n_characters", "n_passages", "n_triples", "n_unread")),
            *_SPENT,
            ("retrieved_at", _TIME),
        ]
    ),
    # One row per passage of a text; ordinal: its place among the entity's passages from this source, from 0.
    "passages": pa.schema(
        [*_texts("reference_id", "entity_id", "source", "source_url"), ("ordinal", pa.int64()), *_texts("text")]
    ),
    # One row per triple that was extracted from a passage; sentence: where it says so, NULL where it may not be kept.
    "reference_triples": pa.schema(
        [
            *_texts("reference_id", "entity_id"),
            ("ordinal", pa.int64()),
            *_texts("subject", "predicate", "object", "source", "source_url", "sentence", "request_hash"),
        ]
    ),
    # One row per entity of a set that was drawn live, or of a user's list. views: page views of the last whole year.
    "candidates": pa.schema(
        [
            *_texts("list_id", "set_name"),
            ("ordinal", pa.int64()),
            *_texts("title", "entity_id", "domain"),
            *((name, pa.int64()) for name in ("n_characters", "n_statements", "views")),
            ("is_disambiguation", pa.bool_()),
            ("drawn_at", _TIME),
        ]
    ),
    # One row per made-up name that was searched for; n_found: entities that the search gives under exactly this name.
    "searched_names": pa.schema(
        [*_texts("search_id", "name"), ("n_found", pa.int64()), ("endpoint", _TEXT), ("searched_at", _TIME)]
    ),
    # One row per evaluation of an experiment by a judge.
    "evaluations": pa.schema(
        [
            *_texts("evaluation_id", "experiment_id", "judge", "judge_id", "embedder", "prompt_sha", "reference_sha"),
            *((name, pa.int64()) for name in ("sample_size", "seed", "n_passages")),
            ("threshold", pa.float64()),
            ("evaluated_at", _TIME),
        ]
    ),
    # One row per sampled triple. direction: precision (an elicited triple) or recall (a reference triple). verdict:
    # entailment, contradiction, neutral or error. method: exact, embedding or judge. matched_id: the triple on the
    # other side that decided it, where one did. passages: ids and texts that the judge saw.
    "verdicts": pa.schema(
        [
            *_texts("evaluation_id", "experiment_id", "direction", "triple_id", "entity_id", "verdict", "method"),
            *_texts("matched_id", "passages", "error", "request_hash"),
            *_SPENT,
        ]
    ),
    # One row per judge and example of seeds/judge_examples.csv. judge_id: digest of model, parameters and prompt.
    "judge_answers": pa.schema(
        [*_texts("judge_id", "judge", "example_id", "verdict", "error", "request_hash"), ("judged_at", _TIME)]
    ),
}
IDS: Final[Mapping[str, str]] = {
    "experiments": "experiment_id",
    "elicitations": "experiment_id",
    "triples": "experiment_id",
    "references": "reference_id",
    "passages": "reference_id",
    "reference_triples": "reference_id",
    "candidates": "list_id",
    "searched_names": "search_id",
    "evaluations": "evaluation_id",
    "verdicts": "evaluation_id",
    "judge_answers": "judge_id",
}
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "experiments": ("experiment_id",),
    "elicitations": ("entity_id",),
    "triples": ("entity_id", "ordinal"),
    "references": ("entity_id", "source", "source_url"),
    "passages": ("entity_id", "source", "ordinal"),
    "reference_triples": ("entity_id", "source", "ordinal"),
    "candidates": ("set_name", "ordinal"),
    "searched_names": ("name",),
    "evaluations": ("evaluation_id",),
    "verdicts": ("direction", "triple_id"),
    "judge_answers": ("example_id",),
}
ZONE: Final = Zone(SCHEMAS, IDS, _KEYS)
prepare, land_rows = ZONE.prepare, ZONE.land
