"""Made-up questions and runs: several samples, runs with gaps, answers of every outcome, and what must not count."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

NOW, BEFORE = "snapshot-2", "snapshot-1"
TYPES = {
    "intercomparison": "comparison",
    "superlative": "comparison",
    "aggregation": "statistics",
    "distribution_compliance": "statistics",
    "correlation_analysis": "statistics",
    "variance_analysis": "statistics",
    "descriptive_relationship": "relationship",
    "hypothetical_scenarios": "relationship",
}
DOMAINS = ("geophysical", "biochemistry", "financial", "history", "security")
STATISTICAL = ("distribution_compliance", "correlation_analysis", "variance_analysis")


@dataclass(frozen=True)
class Kind:
    """What a run is like: how often it is right, how many samples, and the share of answers of each poor outcome."""

    model: str
    setting: str
    right: float
    samples: int = 3
    first: int | None = None
    outcomes: Mapping[str, float] = field(default_factory=dict)
    cut_contexts: float = 0.0
    tables: int = 0
    snapshot_id: str = NOW
    family: str = "multi_entity"
    priced: bool = True

    @property
    def run_id(self) -> str:
        """Its name."""
        return f"{self.model}--{self.setting}"


POOR = {"unparsed": 0.05, "refused": 0.04, "cut": 0.03, "failed": 0.08}
KINDS = (
    Kind("strong", "closed_book", 0.75, outcomes=POOR, tables=60),
    Kind("strong", "rag", 0.8, outcomes=POOR, cut_contexts=0.3, tables=60),
    Kind("weak", "closed_book", 0.35, outcomes=POOR, priced=False),
    Kind("weak", "rag", 0.4, first=80, cut_contexts=0.5),
    Kind("single", "oracle", 0.9, samples=1, outcomes={"failed": 0.1}, tables=20),
    Kind("even", "closed_book", 0.6, samples=2),
    Kind("silent", "rag", 0.0, outcomes={"failed": 1.0}),
    Kind("strong", "oracle", 0.85, snapshot_id=BEFORE),
    Kind("weak", "oracle", 0.75, snapshot_id=BEFORE),
    Kind("deep", "agent", 0.6, samples=3, family="deep_research", outcomes=POOR),
    Kind("shallow", "agent", 0.3, samples=2, family="deep_research"),
    Kind("shallow", "closed_book", 0.25, first=30, family="deep_research", outcomes={"refused": 0.1}),
    # so many questions that 2 to the power of the discordant ones is more than a double holds
    Kind("vast", "rag", 0.5, samples=1, family="vast"),
    Kind("vaster", "rag", 0.54, samples=1, family="vast"),
)
# Answers like those of strong--closed_book, to the letter.
TWIN = "twin--closed_book"


@lru_cache
def questions() -> pd.DataFrame:
    """150 accepted questions of one family over 7 topics, 72 of another, and 2,400 of a third."""
    dice = np.random.default_rng(5)
    rows = []
    for number in range(2622):
        family = "multi_entity" if number < 150 else "vast" if 162 <= number < 2562 else "deep_research"
        kind = list(TYPES)[number % 8] if number < 150 else "chain"
        topic = f"topic{dice.integers(7)}" if number < 150 else family
        consulted = int(dice.choice([4, 40, 400]))
        rows.append(
            {
                "question_id": f"q{number:04}",
                "family": family,
                "category": TYPES.get(kind, "science"),
                "type": kind,
                "topic": topic,
                "density": {4: "low", 40: "medium", 400: "high"}[consulted],
                "entity_count": consulted,
                "hops": int(dice.integers(1, 3)),
                "split": "test" if topic in ("topic0", "topic3") else "train",
                "snapshot_id": NOW,
                "question": text_of(number),
                **(hidden(number) if family == "deep_research" else {}),
            }
        )
    return pd.DataFrame(rows)


@lru_cache
def distinctiveness() -> pd.DataFrame:
    """A set of questions by both measures and two seeds, and another one whose file was measured twice."""
    kinds = [("self_bleu", "none", 0.4), ("dissimilarity", "bge", 0.7)]
    rows = [
        (name, *kind, seed, day) for name in ("ours", "theirs") for kind in kinds for seed in (0, 1) for day in (1, 2)
    ]
    return pd.DataFrame(
        {
            "distinct_id": f"{name}--{measure}--{seed}--{day}", "number": 1, "set_name": name, "is_own": name == "ours",
            "content_hash": "0", "n_available": 500, "measure": measure, "embedder": embedder, "of_filter": False,
            "seed": seed, "n": 198, "value": value + day / 100, "measured_at": dt.datetime(2026, 11, day),
        }
        for name, measure, embedder, value, seed, day in rows
        if name == "theirs" or day == 1
    )  # fmt: skip


def hidden(number: int) -> dict[str, Any]:
    """What a deep-research question has beside the others: one or two entities, up to three properties of each."""
    entities, properties = 1 + (number % 7 == 0), 1 + number % 3
    return {
        "category": DOMAINS[number % 5],
        "type": ("quantitative_modelling", "temporal_reasoning")[number % 2],
        "template_id": f"template{number % 6}",
        "attributes": [f"deep_research.property{place}" for place in range(properties)],
        "gold_value": 1000.0 + number,
        "tolerance": 0.02,
        "n_entities": entities,
        "n_properties": properties,
        "cci": float(entities + properties),
    }


@lru_cache
def research() -> pd.DataFrame:
    """What the questions of deep research hide."""
    rows = questions()[questions()["family"] == "deep_research"]
    named = [[f"{row.question_id}/{place}" for place in range(int(row.n_entities))] for row in rows.itertuples()]
    return rows.assign(domain=rows["category"], entity_ids=named)


@lru_cache
def attributes() -> pd.DataFrame:
    """The value of each property of each hidden entity: 1111, 1112 and so on, which are not 1234 in any unit."""
    asked = [
        (row.question_id, entity, name.split("."))
        for row in research().itertuples()
        for entity in row.entity_ids
        for name in row.attributes
    ]
    return pd.DataFrame(
        [
            {"topic": topic, "entity_id": entity, "attribute": attribute, "value_num": 1111.0 + place}
            for place, (_, entity, (topic, attribute)) in enumerate(asked)
        ]
    )


def text_of(number: int) -> str:
    """What a question asks."""
    return f"How many things are there of kind {number}?"


def refined(
    number: int, refine_id: str, refiner: str, day: int, status: str = "accepted", **more: Any
) -> dict[str, Any]:
    """A landed row of a refinement. day: of November 2026."""
    refused, readable = status == "refused", status != "unscored"
    return {
        "refine_id": refine_id,
        "question_id": f"q{number:04}",
        "refiner": refiner,
        "judge": "jury",
        "original": text_of(number),
        "rewrite": f"{refiner.title()} asks: how many things are of kind {number}?" if readable else None,
        "status": status,
        "reason": "number" if refused else None,
        "detail": "number: 7 is lost" if refused else None,
        "judge_same": True if status == "accepted" else None,
        "is_unclear": number % 3 == 0 if readable else None,
        "unclear_reason": "two readings" if readable and number % 3 == 0 else None,
        "is_irrelevant": False if readable else None,
        "is_loaded": False if readable else None,
        "is_biased": False if readable else None,
        "refine_outcome": "answered" if readable else "cut",
        "cost_usd": 0.001,
        "refined_at": dt.datetime(2026, 11, day, tzinfo=dt.UTC),
    } | more


@lru_cache
def refinements() -> pd.DataFrame:
    """Rewrites of 700 questions by one refiner; of 30 by another, twice; and what must not count."""
    statuses = ("accepted", "accepted", "refused", "accepted", "unscored", "refused")
    rows = [refined(200 + n, "scribe--1", "scribe", 10, statuses[n % 6]) for n in range(700)]
    rows += [refined(n, "pen--1", "pen", 11, rewrite=f"Old words for kind {n}?") for n in range(30)]
    rows += [refined(n, "pen--2", "pen", 12, "refused" if n == 3 else "accepted") for n in range(30)]
    meaning = {"reason": "meaning", "judge_same": False, "judge_difference": "it is narrower"}
    rows += [
        refined(0, "scribe--2", "scribe", 13),
        refined(40, "scribe--2", "scribe", 13, original="How many kinds were there once?"),
        refined(41, "scribe--2", "scribe", 13, "refused", **meaning),
        # the text of another question, which was minted later
        refined(42, "scribe--2", "scribe", 13, rewrite=text_of(43)),
        refined(9999, "scribe--2", "scribe", 13),
    ]
    return pd.DataFrame(rows)


@lru_cache
def landed() -> dict[str, pd.DataFrame]:
    """What was landed of every run of `KINDS`, of the twin, and of a run that was never closed."""
    parts: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("runs", "answers", "verdicts", "tables", "tuples", "steps")
    }
    for number, kind in enumerate(KINDS):
        _run(kind, np.random.default_rng(100 + number), parts)
    frames = {name: pd.DataFrame(rows) for name, rows in parts.items()}
    for name, frame in frames.items():
        twin = frame[frame["run_id"] == "strong--closed_book"].assign(run_id=TWIN)
        unclosed = frame[frame["run_id"] == "strong--rag"].assign(run_id="unclosed--rag")
        more = [twin.assign(model="twin")] if name == "runs" else [twin, unclosed]
        frames[name] = pd.concat([frame, *more], ignore_index=True)
    return frames


def _run(kind: Kind, dice: np.random.Generator, parts: dict[str, list[dict[str, Any]]]) -> None:
    asked = questions()[questions()["family"] == kind.family][: kind.first]
    parts["runs"].append(
        {
            "run_id": kind.run_id,
            "model": kind.model,
            "model_id": kind.model,
            "setting": kind.setting,
            "family": kind.family,
            "question_set": '{"family": "' + kind.family + '"}',
            "n_questions": len(asked) + 1,
            "samples": kind.samples,
            "temperature": 0.7,
            "snapshot_id": kind.snapshot_id,
            "prompt_sha": "0",
            "started_at": dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC),
        }
    )
    for number, question in enumerate(asked.to_dict("records")):
        _answers(kind, question, dice, parts)
        if number < kind.tables:
            _tables(kind, question, dice, parts)
    # a question that was accepted once, and whose answers count no more
    _answers(kind, questions().iloc[0].to_dict() | {"question_id": "withdrawn"}, dice, parts)


def _answers(
    kind: Kind, question: Mapping[str, Any], dice: np.random.Generator, parts: dict[str, list[dict[str, Any]]]
) -> None:
    # questions differ in how hard they are, so that samples of one go together
    easier = 0.15 * (3 - question["cci"]) if kind.family == "deep_research" else 0.0
    right = float(np.clip(dice.normal(kind.right + easier, 0.25), 0, 1)) if kind.right else 0.0
    truncated = bool(dice.random() < kind.cut_contexts)
    needed = int(question["entity_count"])
    hides = kind.family == "deep_research"
    held = None if kind.setting in ("closed_book", "agent") else needed // 2 if truncated else needed
    for sample in range(kind.samples):
        outcome = _outcome(kind, dice)
        key = {"run_id": kind.run_id, "question_id": question["question_id"], "sample": sample}
        spent = {"prompt_tokens": 100, "completion_tokens": 7, "cost_usd": 0.25 if kind.priced else None}
        context = {"entities_needed": needed, "entities_in_context": held, "truncated": truncated}
        said = {"parsed": '{"answer": 1}', "outcome": outcome, "latency_s": 0.5, "request_hash": "0"}
        parts["answers"].append(key | spent | context | said)
        # an answer that came may still be unscored, where the judge's verdict could not be read
        unreadable = outcome == "answered" and kind.model == "weak" and dice.random() < 0.03
        scored = outcome != "failed" and not unreadable
        can_be_right = scored and outcome == "answered"
        statistical = question["type"] in STATISTICAL
        parts["verdicts"].append(
            key
            | {
                "correct": bool(can_be_right and dice.random() < right),
                "scored": scored,
                "scorer": "judge" if unreadable else "method" if statistical else "exact",
                "yes_no_correct": bool(can_be_right and dice.random() < 0.6) if statistical else None,
                "chance": 0.05 if statistical else 0.5 if question["type"] == "intercomparison" else None,
                "detail": _detail(question, outcome, dice) if hides else None,
                "entity_correct": bool(can_be_right and dice.random() < 0.7) if scored and hides else None,
            }
        )
        if kind.setting == "agent":
            parts["steps"] += _steps(key | spent, outcome, int(dice.integers(0, 4)), bool(dice.random() < 0.5))


def _detail(question: Mapping[str, Any], outcome: str, dice: np.random.Generator) -> str:
    """What the scorer says that it read: a number near the gold answer, far off, or in thousands; or none."""
    off = dice.choice([0.8, 1.3, 4.0, 0.001, np.nan])
    if outcome != "answered":
        return outcome
    return "no number" if np.isnan(off) else f"read {off * question['gold_value']:.15g}"


def _steps(key: Mapping[str, Any], outcome: str, before: int, computes: bool) -> list[dict[str, Any]]:
    """So many steps, one that computes with the right values if it should, and the one that ended it."""
    searched = {"thought": "Look.", "tool": "search", "arguments": '{"query": "lake"}', "observation": "A lake."}
    steps = [key | searched | {"kind": "ran"} for _ in range(before)]
    if computes:
        values = attributes()[attributes()["entity_id"].str.startswith(f"{key['question_id']}/")]["value_num"]
        steps.append(
            key | searched | {"kind": "ran", "tool": "python", "arguments": json.dumps({"code": f"sum({[*values]})"})}
        )
    last = {"answered": "answer", "unparsed": "unreadable", "failed": "silent"}.get(outcome, "failed")
    steps.append(key | {"kind": last, "tool": "answer", "thought": "", "observation": ""})
    return [step | {"number": place, "latency_s": 0.5, "request_hash": "0"} for place, step in enumerate(steps, 1)]


def _outcome(kind: Kind, dice: np.random.Generator) -> str:
    shares = [*kind.outcomes.values()]
    return str(dice.choice([*kind.outcomes, "answered"], p=[*shares, 1 - sum(shares)]))


def _tables(
    kind: Kind, question: Mapping[str, Any], dice: np.random.Generator, parts: dict[str, list[dict[str, Any]]]
) -> None:
    gold = int(question["entity_count"])
    for sample in range(kind.samples):
        outcome = _outcome(kind, dice)
        given = int(dice.integers(0, min(gold, 12) + 4)) if outcome in ("answered", "cut") else 0
        matched = [bool(hit) for hit in dice.random(given) < 0.6]
        matched = [hit and sum(matched[:place]) < gold for place, hit in enumerate(matched)]
        key = {"run_id": kind.run_id, "question_id": question["question_id"], "sample": sample}
        counts = {"n_gold": gold, "n_predicted": given, "n_matched": sum(matched)}
        spent = {"prompt_tokens": 50, "completion_tokens": 20, "cost_usd": 0.5, "request_hash": "0"}
        parts["tables"].append(key | spent | counts | {"outcome": outcome, "truncated": outcome == "cut"})
        parts["tuples"] += [
            key | {"ordinal": place, "entity": "e", "attribute": "a", "value": str(place), "matched": hit}
            for place, hit in enumerate(matched)
        ]
