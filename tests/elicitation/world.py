"""Facts and triples of a small world, counted by hand."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

NOW = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
Row = dict[str, Any]

COUNTRIES = {"C1": "Peru", "C2": "Ghana", "C3": "Japan", "C4": "Fiji"}
CITIES = {"L1": "Lima", "L2": "Accra", "L3": "Tokyo", "L4": "Suva"}
CAPITALS = {"C1": "L1", "C2": "L2", "C3": "L3", "C4": "L4"}
AREAS = {"C1": "1285216", "C2": "238533", "C3": "377973.89", "C4": "18274"}


def facts() -> dict[str, list[Row]]:
    """Rows by model: four countries with a capital, an area and ten more statements that nothing is made of."""
    entities = [
        {"entity_id": one, "label": label, "aliases": [], "classes": [], "source": "s", "snapshot_id": "now"}
        for one, label in {**COUNTRIES, **CITIES}.items()
    ]
    best = [_entity(country, "P36", city) for country, city in CAPITALS.items()]
    best += [_quantity(country, "P2046", amount) for country, amount in AREAS.items()]
    # of a property that has no name
    more = [_entity(country, f"P99{n}", "L1") for country in COUNTRIES for n in range(10, 20)]
    attributes = [{"topic": "countries", "entity_id": one, "label": label} for one, label in COUNTRIES.items()]
    return {
        "entities": entities,
        "statements": best + more,
        "best_values": best,
        "entity_attributes": attributes,
        "topic_meta": [{"topic": "countries", "singular": "country", "plural": "countries"}],
    }


def _entity(subject: str, property_id: str, value: str) -> Row:
    return {
        "statement_id": f"{subject}-{property_id}",
        "subject_id": subject,
        "property_id": property_id,
        "value_kind": "entity",
        "value_entity": value,
        "source_url": "https://example.org/facts",
    }


def _quantity(subject: str, property_id: str, amount: str) -> Row:
    return {
        "statement_id": f"{subject}-{property_id}",
        "subject_id": subject,
        "property_id": property_id,
        "value_kind": "quantity",
        "value_num": float(amount),
        "amount_text": f"+{amount}",
        "unit_id": "Q712226",
        "value_canonical": float(amount),
        "source_url": "https://example.org/facts",
    }


def experiment(experiment_id: str, model: str, **more: Any) -> Row:
    """A landed experiment."""
    given = {
        "model_id": model, "setting": "random", "prompt": "direct", "set_name": "random", "origin": "model",
        "parameters": "{}", "entities_sha": "e", "prompt_sha": "p", "n_entities": 4, "seed": 42, "started_at": NOW,
    }  # fmt: skip
    return {"experiment_id": experiment_id, "model": model, **given, **more}


def elicitation(experiment_id: str, entity_id: str, n_triples: int, outcome: str = "answered", **more: Any) -> Row:
    """A landed elicitation."""
    return {
        "experiment_id": experiment_id, "entity_id": entity_id, "title": COUNTRIES.get(entity_id, entity_id),
        "outcome": outcome, "truncated": False, "n_triples": n_triples, "n_calls": 1, "request_hashes": "[]", **more,
    }  # fmt: skip


def triples(experiment_id: str, told: Mapping[str, Iterable[tuple[str, str]]]) -> dict[str, list[Row]]:
    """Landed triples and elicitations: predicate and object by entity."""
    rows = [
        {
            "experiment_id": experiment_id,
            "entity_id": entity_id,
            "ordinal": place,
            "subject": COUNTRIES.get(entity_id, entity_id),
            "predicate": predicate,
            "object": object_,
        }
        for entity_id, listed in told.items()
        for place, (predicate, object_) in enumerate(listed)
    ]
    asked = []
    for entity_id, listed in told.items():
        count = len(list(listed))
        asked.append(elicitation(experiment_id, entity_id, count, "answered" if count else "empty"))
    return {"triples": rows, "elicitations": asked}


def evaluation(evaluation_id: str, experiment_id: str, **more: Any) -> Row:
    """A landed evaluation."""
    given = {
        "judge": "judge", "judge_id": "j", "embedder": "minilm", "prompt_sha": "p", "reference_sha": "r",
        "sample_size": 500, "seed": 42, "n_passages": 10, "threshold": 0.99, "evaluated_at": NOW,
    }  # fmt: skip
    return {"evaluation_id": evaluation_id, "experiment_id": experiment_id, **given, **more}


def verdict(
    evaluation_id: str, experiment_id: str, direction: str, triple_id: str, entity_id: str, said: str, method: str
) -> Row:
    """A landed verdict."""
    return {
        "evaluation_id": evaluation_id, "experiment_id": experiment_id, "direction": direction,
        "triple_id": triple_id, "entity_id": entity_id, "verdict": said, "method": method, "passages": "[]",
    }  # fmt: skip
