"""The gate after facts: no topic is built from statements that lost their values, units or ranks on the way."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge, volume_claim, volume_frame

ROOM = "facts"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "statements": (
        "facts.statements",
        ("property_id", "value_kind", "rank", "latitude", "longitude", "reference_count"),
    ),
    "choices": ("facts.value_choices", ("property_id", "is_chosen", "reason")),
    "entities": ("facts.entities", ("entity_id", "label")),
}
# What was read in articles and is not used: that says nothing of what is recorded.
READ = ("behind_record", "not_trusted")
# Reasons that mean the source's value could not be used, as against another value having been better.
UNUSABLE = ("unknown_unit", "wrong_dimension", "unparsable_number", "unparsable_date", "empty_value")


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the facts. ``frames`` are those of `TABLES`; ``published`` the volumes of the last published snapshot."""
    frames = {**frames, "choices": frames["choices"][~frames["choices"]["reason"].isin(READ)]}
    volumes = {"statements": len(frames["statements"]), "entities": len(frames["entities"])}
    volumes["chosen values"] = int(frames["choices"]["is_chosen"].sum())
    derived = {
        "statements": frames["statements"],
        "shares": _shares(frames),
        "properties": _by_property(frames["choices"]),
        "volume": volume_frame(volumes, published),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _shares(frames: Frames) -> pd.DataFrame:
    """One row: the share of statements (or entities) that each column names."""
    statements, choices, entities = frames["statements"], frames["choices"], frames["entities"]
    reasons = choices["reason"].value_counts(normalize=True)
    kinds = statements["value_kind"].value_counts(normalize=True)
    shares = {
        "chosen": choices["is_chosen"].mean(),
        "unknown_unit": reasons.get("unknown_unit", 0.0) + reasons.get("wrong_dimension", 0.0),
        "unparsable": reasons.get("unparsable_number", 0.0) + reasons.get("unparsable_date", 0.0),
        "deprecated": (statements["rank"] == "deprecated").mean(),
        "without_value": kinds.get("somevalue", 0.0) + kinds.get("novalue", 0.0),
        "referenced": (statements["reference_count"] > 0).mean(),
        "labelled": entities["label"].notna().mean(),
        "entity": kinds.get("entity", 0.0),
        "quantity": kinds.get("quantity", 0.0),
        "time": kinds.get("time", 0.0),
    }
    return pd.DataFrame([shares])


def _by_property(choices: pd.DataFrame) -> pd.DataFrame:
    """One row per property of 50 statements or more: its `name` and the share of them that is `unusable`."""
    unusable = choices.assign(unusable=choices["reason"].isin(UNUSABLE))
    grouped = unusable.groupby("property_id")["unusable"].agg(["size", "mean"]).reset_index()
    large = grouped[grouped["size"] >= 50].rename(columns={"property_id": "name", "mean": "unusable"})
    return large[["name", "unusable"]]


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def share(column: str, text: str, least: float, most: float) -> Claim:
        return Claim("shares", text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    ranks = gxe.ExpectColumnValuesToBeInSet(column="rank", value_set=["preferred", "normal", "deprecated"])
    return [
        share("chosen", "at least 60 % of all statements give the value that is used", 0.6, 1),
        share("unknown_unit", "at most 1 % of statements have a unit nobody listed", 0, 0.01),
        share("unparsable", "at most 0.5 % of statements have a number or date that cannot be read", 0, 0.005),
        share("deprecated", "at most 5 % of statements are deprecated", 0, 0.05),
        share("without_value", "at most 3 % of statements state an unknown value, or that there is none", 0, 0.03),
        share("referenced", "at least half of the statements name where they come from", 0.5, 1),
        share("labelled", "at least 95 % of entities have a label", 0.95, 1),
        share("entity", "between 10 and 90 % of statements point to another entity", 0.1, 0.9),
        share("quantity", "between 5 and 80 % of statements are quantities", 0.05, 0.8),
        share("time", "between 0.1 and 50 % of statements are dates", 0.001, 0.5),
        Claim("statements", "every rank is preferred, normal or deprecated", ranks),
        Claim(
            "statements",
            "every latitude lies between -90 and 90 degrees",
            gxe.ExpectColumnValuesToBeBetween(column="latitude", min_value=-90, max_value=90),
        ),
        Claim(
            "statements",
            "every longitude lies between -180 and 180 degrees",
            gxe.ExpectColumnValuesToBeBetween(column="longitude", min_value=-180, max_value=180),
        ),
        Claim(
            "properties",
            "no property of 50 statements or more loses over 20 % of them to unusable units, numbers or dates",
            gxe.ExpectColumnValuesToBeBetween(column="unusable", max_value=0.2),
        ),
        volume_claim(),
    ]
