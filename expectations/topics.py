"""The gate after topics: no question is minted over attributes that are empty, out of range, or suddenly thin."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge, volume_claim, volume_frame

ROOM = "topics"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "catalog": ("topics.catalog", ("topic", "attribute", "kind", "unit", "coverage", "distinct_values")),
    "values": (
        "topics.entity_attributes",
        ("topic", "entity_id", "label", "attribute", "kind", "value_num", "value_text", "unit"),
    ),
}
# Units of things that cannot be less than nothing. Heights, temperatures and profits can.
NEVER_NEGATIVE = ("square kilometres", "people", "kilometres", "kilograms", "grams per cubic centimetre")
LATEST_YEAR = 2100


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the topics. ``frames`` are those of `TABLES`; ``published`` the entities of each topic published last."""
    values = frames["values"]
    sizes = values.groupby("topic")["entity_id"].nunique()
    volumes = {str(topic): int(size) for topic, size in sizes.items()}
    derived = {
        "attributes": _attributes(frames),
        "numbers": _numbers(values),
        "topics": _topics(frames, sizes),
        "volume": volume_frame(volumes, published),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _attributes(frames: Frames) -> pd.DataFrame:
    """One row per attribute: its `name`, `coverage`, and the `share_of_commonest` value among its entities' values.

    The latter is NULL for kinds whose values need not differ much (text, date) and for fewer than 20 values.
    """
    catalog = frames["catalog"].assign(name=lambda c: c["topic"] + "." + c["attribute"])
    values = frames["values"]
    text = values["value_text"].fillna(values["value_num"].astype("string"))
    asked = values[["topic", "attribute"]].assign(text=text)[values["kind"].isin(["number", "category", "boolean"])]
    counts = asked.groupby(["topic", "attribute", "text"]).size().rename("n").reset_index()
    per = counts.groupby(["topic", "attribute"])["n"].agg(["max", "sum"]).reset_index()
    per = per[per["sum"] >= 20].assign(share_of_commonest=lambda p: p["max"] / p["sum"])
    merged = catalog.merge(per, how="left", on=["topic", "attribute"])
    return merged[["name", "kind", "coverage", "distinct_values", "share_of_commonest"]]


def _numbers(values: pd.DataFrame) -> pd.DataFrame:
    """One row per numeric attribute: its `name`, `least` and `most` value, NULL where its unit sets no bound.

    `latest_year` is filled for years alone; `excess` is the greatest value in medians, a sign of mixed units.
    """
    numbers = values[values["kind"] == "number"]
    grouped = numbers.groupby(["topic", "attribute", "unit"], dropna=False)["value_num"].agg(["min", "max", "median"])
    frame = grouped.reset_index().assign(name=lambda n: n["topic"] + "." + n["attribute"])
    bounded = frame["unit"].isin(NEVER_NEGATIVE)
    return pd.DataFrame(
        {
            "name": frame["name"],
            "least": frame["min"].where(bounded),
            "latest_year": frame["max"].where(frame["unit"] == "year"),
            "excess": (frame["max"] / frame["median"]).where(bounded & (frame["median"] > 0)),
        }
    )


def _topics(frames: Frames, sizes: pd.Series[int]) -> pd.DataFrame:
    """One row per topic: its `name`, number of `entities`, `ambiguous` share of labels, and median `coverage`."""
    labels = frames["values"][["topic", "entity_id", "label"]].drop_duplicates()
    shared = labels.duplicated(["topic", "label"], keep=False).groupby(labels["topic"]).mean()
    coverage = frames["catalog"].groupby("topic")["coverage"].median()
    frame = pd.DataFrame({"entities": sizes, "ambiguous": shared, "coverage": coverage}).fillna(0.0)
    return frame.reset_index(names="name")


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    return [
        between(
            "attributes", "coverage", "every attribute has a value for at least 1 % of its topic's entities", 0.01, 1
        ),
        between("attributes", "distinct_values", "every attribute has at least two different values", 2, None),
        between(
            "attributes", "share_of_commonest", "no attribute has one value for over 98 % of its entities", None, 0.98
        ),
        between("topics", "entities", "every topic has at least 5 entities", 5, None),
        between("topics", "coverage", "half of a topic's attributes cover at least 30 % of its entities", 0.3, 1),
        between("topics", "ambiguous", "at most 30 % of a topic's entities share their label with another", None, 0.3),
        between("numbers", "least", "no area, length, mass, density or headcount is negative", 0, None),
        between("numbers", "latest_year", f"no year lies after {LATEST_YEAR}", None, LATEST_YEAR),
        between("numbers", "excess", "none of these is over a hundred million times its attribute's median", None, 1e8),
        volume_claim(),
    ]
