"""The gate after facts: no value is used that no article states, or that nobody vouches for."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import LEAST, Claim, Frames, Verdict, judge

ROOM = "extractions"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "readings": ("documents.extracted_pages", ("topic", "extractor", "entity_id", "outcome", "n_values", "n_kept")),
    "values": ("documents.extractions", ("topic", "entity_id", "outcome", "value_kind", "statement_id")),
    "fills": ("facts.fills", ("statement_id", "entity_id", "property_id", "sentence", "source_url", "agreement")),
    "choices": ("facts.value_choices", ("statement_id", "property_id", "is_chosen")),
}
# A share is judged where there are so many.
ENOUGH = 20


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge what was read in articles. ``frames`` are those of `TABLES`; ``published`` the values published last."""
    kept = frames["values"][frames["values"]["outcome"] == "kept"]
    volumes = {"values": len(kept)}
    derived = {
        "readings": frames["readings"].assign(over=lambda r: r["n_kept"] - r["n_values"]),
        "readers": _readers(frames["readings"]),
        "values": frames["values"],
        "kept": kept,
        "fills": frames["fills"],
        "properties": _properties(frames["fills"], frames["choices"]),
        "volume": pd.DataFrame([{"lost": (published or {}).get("values", 0) * LEAST - len(kept)}]),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _readers(readings: pd.DataFrame) -> pd.DataFrame:
    """One row per topic and extractor that read some articles or more: its `name` and the share that `failed`."""
    names = readings["topic"] + " by " + readings["extractor"]
    named = readings.assign(name=names, failed=readings["outcome"] == "failed")
    grouped = named.groupby("name")["failed"].agg(["size", "mean"])
    enough = grouped[grouped["size"] >= ENOUGH].reset_index()
    return enough.rename(columns={"mean": "failed"})[["name", "failed"]].astype({"failed": float})


def _properties(fills: pd.DataFrame, choices: pd.DataFrame) -> pd.DataFrame:
    """One row per property with fills and some values or more: its `name` and the share of them that are `filled`."""
    chosen = choices[choices["is_chosen"].astype(bool) & choices["property_id"].isin(fills["property_id"])]
    grouped = chosen.assign(filled=chosen["statement_id"].isin(fills["statement_id"])).groupby("property_id")["filled"]
    sizes = grouped.agg(["size", "mean"])
    enough = sizes[sizes["size"] >= ENOUGH].reset_index()
    return enough.rename(columns={"property_id": "name", "mean": "filled"})[["name", "filled"]].astype(
        {"filled": float}
    )


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(
        frame: str, text: str, column: str, least: float | None, most: float | None, mostly: float = 1
    ) -> Claim:
        bounds = gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most, mostly=mostly)
        return Claim(frame, text, bounds)

    def among(frame: str, text: str, column: str, values: list[object]) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeInSet(column=column, value_set=values))

    def filled(frame: str, text: str, column: str) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToNotBeNull(column=column))

    outcomes = ["kept", "ungrounded", "inexact", "unparsable", "no_unit", "unknown_unit", "wrong_dimension"]
    outcomes += ["unknown_name", "ambiguous_name", "unknown_attribute"]
    kinds = ["entity", "quantity", "time", "text"]
    least = "no fill is the word of a reader that agrees with fewer than half of the records"
    return [
        among("readings", "every reading has an outcome that is known", "outcome", ["read", "unread", "failed"]),
        between("readings", "no article gave more values than were read in it", "over", None, 0),
        between("readers", "of 20 articles or more at most a tenth failed", "failed", 0, 0.1),
        among("values", "of every value it is known what came of it", "outcome", [*outcomes]),
        among("kept", "every value that is kept is an entity, a quantity, a time or a text", "value_kind", [*kinds]),
        filled("kept", "every value that is kept is a statement", "statement_id"),
        filled("fills", "every fill has its sentence", "sentence"),
        filled("fills", "every fill has its address", "source_url"),
        between("fills", least, "agreement", 0.5, 1),
        between("properties", "of 20 values or more of a property at most half are fills", "filled", 0, 0.5),
        between("volume", "no more than a fifth of the values that were published last is gone", "lost", None, 0),
    ]
