"""What the scores have to be, computed a second time with pandas and numpy from the landed rows."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from tests.runs import world

Floats = npt.NDArray[np.float64]
KEY = ["run_id", "question_id", "sample"]
SLICE = ["run_id", "slice_kind", "slice"]
REPLICATES = 1000


@lru_cache
def graded() -> pd.DataFrame:
    """One row per answer to an accepted question and slice: SLICE, the question, topic, n_right (NULL unscored)."""
    landed = world.landed()
    closed = landed["answers"]["run_id"].isin(landed["runs"]["run_id"])
    rows = landed["answers"][closed].merge(landed["verdicts"], on=KEY).merge(world.questions(), on="question_id")
    rows["right"] = rows["correct"].astype(float).where(rows["scored"])
    rows["entity"] = rows["entity_correct"].astype(float).where(rows["scored"])
    rows["both"] = rows["right"] * rows["entity"]
    rows["chance"] = rows["chance"].astype(float).fillna(0.0)
    parts = [_slice(rows, "overall", "all")]
    parts += [_slice(rows, kind, rows[kind]) for kind in ("family", "category", "type", "density", "topic", "split")]
    parts.append(_slice(rows, "hops", rows["hops"].map({1: "one-hop", 2: "multi-hop"})))
    parts.append(_slice(rows, "truncation", rows["truncated"].map({True: "truncated", False: "untruncated"})))
    deep = rows.dropna(subset="cci")
    parts += [_slice(deep, kind, deep[kind].astype(int).astype(str)) for kind in ("n_entities", "n_properties", "cci")]
    parts.append(_slice(deep, "domain_in_cci", deep["category"] + ", " + deep["cci"].astype(int).astype(str)))
    asked = rows[rows["type"].isin(world.STATISTICAL)].assign(chance=0.5)
    asked["right"] = asked["yes_no_correct"].astype(float).where(asked["scored"])
    asked = asked.assign(entity=np.nan, both=np.nan)
    parts += [_slice(asked, "yes_no", "all"), _slice(asked, "yes_no", asked["type"])]
    return pd.concat(parts, ignore_index=True)


def _slice(rows: pd.DataFrame, kind: str, value: Any) -> pd.DataFrame:
    columns = [
        "run_id",
        "question_id",
        "outcome",
        "right",
        "chance",
        "slice_kind",
        "slice",
        "in_topic",
        "entity",
        "both",
        "cci",
    ]
    return rows.assign(slice_kind=kind, slice=value, in_topic=rows["topic"])[columns]


@lru_cache
def by_question() -> pd.DataFrame:
    """One row per question and slice: the mean over its scored samples, and over those that were answered."""
    rows = graded().assign(answered=lambda r: r["right"].where(r["outcome"] == "answered"))
    grouped = rows.groupby([*SLICE, "question_id", "in_topic"])
    return grouped.agg(
        n=("right", "size"), n_scored=("right", "count"), n_right=("right", "sum"), right=("right", "mean"),
        answered=("answered", "mean"), chance=("chance", "mean"), entity=("entity", "mean"), both=("both", "mean"),
        cci=("cci", "first"),
    ).reset_index()  # fmt: skip


@lru_cache
def draws(size: int) -> npt.NDArray[np.int64]:
    """For each replicate the places (from 0) that are drawn of a list: md5 of 'replicate/draw', its first 52 bits."""
    return np.floor(_uniform()[:, :size] * size).astype(np.int64)


@lru_cache
def _uniform() -> Floats:
    def bits(replicate: int, draw: int) -> int:
        return int(hashlib.md5(f"{replicate}/{draw}".encode()).hexdigest()[:13], 16)

    return np.array([[bits(r, d) for d in range(150)] for r in range(REPLICATES)]) / 2**52


def question_interval(values: Floats) -> tuple[float, float]:
    """Ends of the percentile bootstrap of a mean, over the draws that the scores define; Wilson's without variation."""
    means = np.sort(values)[draws(len(values))].mean(axis=1)
    if values.max() == 0 or values.min() == 1:
        low, high = proportion_confint(int(values.sum()), len(values), method="wilson")
        return max(float(low), 0.0), min(float(high), 1.0)
    return float(np.percentile(means, 2.5)), float(np.percentile(means, 97.5))


def topic_interval(values: pd.Series[float], topics: pd.Series[str]) -> tuple[float, float]:
    """The same with whole topics drawn; NaN for a single topic."""
    per = values.groupby(topics).agg(["sum", "size"]).sort_index()
    if len(per) < 2:
        return np.nan, np.nan
    places = draws(len(per))
    means = per["sum"].to_numpy()[places].sum(axis=1) / per["size"].to_numpy()[places].sum(axis=1)
    return float(np.percentile(means, 2.5)), float(np.percentile(means, 97.5))


def majority() -> pd.DataFrame:
    """Question by run: whether over half of the scored samples are right, NULL for none scored."""
    whole = by_question()[lambda q: q["slice_kind"] == "overall"].dropna(subset="right")
    return whole.assign(won=whole["right"] > 0.5).pivot(index="question_id", columns="run_id", values="won")
