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


def documents() -> dict[str, pd.DataFrame]:
    """40 articles of two topics with two sections, a field and a quotation each."""
    ids = [f"Q{i}" for i in range(1, 41)]
    topics = ["lakes"] * 20 + ["dams"] * 20
    pages = pd.DataFrame({"entity_id": ids, "topic": topics, "asked_title": ids, "outcome": "found"})
    pages[["n_characters", "views"]] = [1000, 5]
    sections = pd.DataFrame({"entity_id": sorted(ids * 2), "ordinal": [0, 1] * 40, "level": [1, 2] * 40})
    sections[["n_characters", "has_wikitext"]] = [490, False]
    fields = pd.DataFrame({"entity_id": ids, "is_plain": True})
    quotes = pd.DataFrame({"entity_id": ids, "is_in_article": True})
    return {"pages": pages, "sections": sections, "fields": fields, "quotes": quotes}


def extractions() -> dict[str, pd.DataFrame]:
    """40 articles of two topics read for three values each, of which one is a fill; 60 values are recorded besides."""
    ids = [f"Q{i}" for i in range(1, 41)]
    topics = ["lakes"] * 20 + ["dams"] * 20
    readings = pd.DataFrame({"topic": topics, "extractor": "m", "entity_id": ids, "outcome": "read"})
    readings[["n_values", "n_kept"]] = [4, 3]
    values = pd.DataFrame({"topic": sorted(topics * 3), "entity_id": sorted(ids * 3), "outcome": "kept"})
    values["value_kind"] = "quantity"
    values["statement_id"] = [f"wikipedia:{i}" for i in range(120)]
    fills = pd.DataFrame({"statement_id": values["statement_id"][::3], "entity_id": values["entity_id"][::3]})
    fills[["property_id", "sentence", "source_url", "agreement"]] = ["P1", "It is so.", "https://wiki.test", 0.95]
    recorded = pd.DataFrame({"statement_id": [f"Q{i}" for i in range(60)], "property_id": "P1", "is_chosen": True})
    read = values[["statement_id"]].assign(property_id="P1", is_chosen=[i % 3 == 0 for i in range(120)])
    return {
        "readings": readings,
        "values": values,
        "fills": fills.reset_index(drop=True),
        "choices": pd.concat([recorded, read], ignore_index=True),
    }
