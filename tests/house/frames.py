"""Frames on which every claim of every gate holds: small, regular, and easy to spoil in one way."""

from __future__ import annotations

import pandas as pd

from expectations.questions import TYPES


def facts() -> dict[str, pd.DataFrame]:
    """1,000 statements on 200 entities: 400 entities as values, 400 quantities, 180 dates, 20 coordinates."""
    kinds = ["entity"] * 400 + ["quantity"] * 400 + ["time"] * 180 + ["coordinate"] * 20
    statements = pd.DataFrame({"property_id": ["P1"] * 400 + ["P2"] * 400 + ["P3"] * 200, "value_kind": kinds})
    statements["rank"] = "normal"
    statements["reference_count"] = 1
    placed = statements["value_kind"] == "coordinate"
    statements["latitude"] = pd.Series(45.0, statements.index).where(placed)
    statements["longitude"] = pd.Series(170.0, statements.index).where(placed)
    choices = pd.DataFrame({"property_id": statements["property_id"], "is_chosen": True, "reason": "chosen"})
    choices.loc[:99, ["is_chosen", "reason"]] = [False, "superseded"]
    entities = pd.DataFrame({"entity_id": [f"e{i}" for i in range(200)], "label": [f"Entity {i}" for i in range(200)]})
    return {"statements": statements, "choices": choices, "entities": entities}


def topics() -> dict[str, pd.DataFrame]:
    """Two topics of 40 entities, each with an area, a year and a kind."""
    rows = [
        {
            "topic": topic,
            "entity_id": f"{topic}{i}",
            "label": f"{topic} {i}",
            "attribute": attribute,
            "kind": "category" if attribute == "kind" else "number",
            "value_num": None if attribute == "kind" else float(i + 1) + (1900 if attribute == "built_year" else 0),
            "value_text": "abc"[i % 3] if attribute == "kind" else None,
            "unit": {"area_km2": "square kilometres", "built_year": "year"}.get(attribute),
        }
        for topic in ("lakes", "dams")
        for i in range(40)
        for attribute in ("area_km2", "built_year", "kind")
    ]
    catalog = pd.DataFrame(
        {
            "topic": topic,
            "attribute": attribute,
            "kind": kind,
            "unit": unit,
            "coverage": 1.0,
            "distinct_values": distinct,
        }
        for topic in ("lakes", "dams")
        for attribute, kind, unit, distinct in (
            ("area_km2", "number", "square kilometres", 40),
            ("built_year", "number", "year", 40),
            ("kind", "category", None, 3),
        )
    )
    return {"catalog": catalog, "values": pd.DataFrame(rows)}


def questions() -> dict[str, pd.DataFrame]:
    """100 questions of each type over four topics, in three wordings, half of them answered yes.

    One of another family is among them, longer than the suite would let one of its own be.
    """
    asked = pd.DataFrame(
        {
            "family": "multi_entity",
            "type": kind,
            "topic": f"topic{i % 4}",
            "template_id": kind,
            "wording_id": f"{kind}/{i % 3}",
            "question": f"Is number {i} of the type {kind} a question?",
            "density": ("low", "medium", "high")[i % 3],
            "entity_count": (5, 50, 500)[i % 3],
            "gold_kind": "boolean",
            "gold_answer": ("yes", "no")[i % 2],
            "split": "test" if i % 4 == 0 else "train",
        }
        for kind in TYPES
        for i in range(100)
    )
    other = asked.iloc[[0]].assign(family="deep_research", type="quantitative_modelling", question="Find it. " * 99)
    rejected = pd.DataFrame({"family": "multi_entity", "type": list(TYPES) * 50, "reason": ["tie", "duplicate"] * 200})
    return {"questions": pd.concat([asked, other], ignore_index=True), "rejections": rejected}
