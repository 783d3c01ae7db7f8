"""Every claim of every gate holds on good frames and fails on frames that break it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType

import pandas as pd
import pytest

from expectations import documents, extractions, facts, questions, topics
from expectations.gate import Verdict
from tests.house import frames

Frames = dict[str, pd.DataFrame]
Spoiler = Callable[[Frames], object]
GOOD: Mapping[str, tuple[ModuleType, Callable[[], Frames]]] = {
    "facts": (facts, frames.facts),
    "documents": (documents, frames.documents),
    "extractions": (extractions, frames.extractions),
    "topics": (topics, frames.topics),
    "questions": (questions, frames.questions),
}


def put(frame: str, rows: slice, **values: object) -> Spoiler:
    """A spoiler that overwrites columns of the first rows of a frame."""

    def spoil(good: Frames) -> None:
        for column, value in values.items():
            good[frame].loc[rows, column] = value

    return spoil


def where(frame: str, column: str, value: object, **values: object) -> Spoiler:
    """A spoiler that overwrites columns of the rows in which a column has a value."""

    def spoil(good: Frames) -> None:
        for name, new in values.items():
            good[frame].loc[good[frame][column] == value, name] = new

    return spoil


def only(frame: str, rows: int) -> Spoiler:
    """A spoiler that keeps the first rows of a frame."""
    return lambda good: good.update({frame: good[frame].head(rows)})


def same_text(good: Frames) -> None:
    good["questions"].loc[:1, "question"] = "Is this question asked twice?"


def longest_name(good: Frames) -> None:
    good["questions"].loc[0, "question"] = "Is it so? " * 50


def crowd(good: Frames) -> None:
    kept = good["questions"]["type"] == "superlative"
    extra = [good["questions"][kept].assign(question=lambda q, n=n: q["question"] + f" {n}") for n in range(6)]
    good["questions"] = pd.concat([good["questions"], *extra], ignore_index=True)


def one_wording(good: Frames) -> None:
    rare = (good["questions"]["type"] == "superlative") & (good["questions"]["wording_id"] == "superlative/0")
    good["questions"].loc[rare[rare].index[5:], "wording_id"] = "superlative/1"


# Room -> part of a claim's text, and what breaks it.
BROKEN: Mapping[str, list[tuple[str, Spoiler]]] = {
    "facts": [
        ("at least 60 % of all statements", put("choices", slice(0, 599), is_chosen=False, reason="superseded")),
        ("a unit nobody listed", put("choices", slice(0, 19), is_chosen=False, reason="unknown_unit")),
        ("cannot be read", put("choices", slice(0, 9), is_chosen=False, reason="unparsable_date")),
        ("5 % of statements are deprecated", put("statements", slice(0, 99), rank="deprecated")),
        ("an unknown value", put("statements", slice(0, 49), value_kind="somevalue")),
        ("where they come from", put("statements", slice(0, 599), reference_count=0)),
        ("have a label", put("entities", slice(0, 19), label=None)),
        ("point to another entity", where("statements", "value_kind", "entity", value_kind="text")),
        ("are quantities", where("statements", "value_kind", "quantity", value_kind="text")),
        ("are dates", where("statements", "value_kind", "time", value_kind="text")),
        ("every rank", put("statements", slice(0, 0), rank="best")),
        ("every latitude", put("statements", slice(999, 999), latitude=91.0)),
        ("every longitude", put("statements", slice(999, 999), longitude=181.0)),
        ("no property of 50", where("choices", "property_id", "P3", is_chosen=False, reason="empty_value")),
        ("published last", only("entities", 100)),
    ],
    "documents": [
        ("every page has an outcome", put("pages", slice(0, 0), outcome="lost")),
        ("fewer than 0 characters", put("pages", slice(0, 0), n_characters=-1)),
        ("less than 0 times", put("pages", slice(0, 0), views=-1)),
        ("lead to an article", put("pages", slice(0, 4), outcome="another")),
        ("begins with one lead", put("sections", slice(0, 0), ordinal=2)),
        ("70 % of the text", put("sections", slice(0, 3), n_characters=100)),
        ("more than its text", put("sections", slice(0, 0), n_characters=2000)),
        ("every heading is of level", put("sections", slice(0, 0), level=7)),
        ("free of wikitext", put("sections", slice(0, 0), has_wikitext=True)),
        ("fields are understood", put("fields", slice(0, 20), is_plain=False)),
        ("has its sentence in the article", put("quotes", slice(0, 0), is_in_article=False)),
        ("published last is gone", put("pages", slice(0, 8), outcome="untitled", asked_title=None)),
    ],
    "extractions": [
        ("every reading has an outcome", put("readings", slice(0, 0), outcome="skimmed")),
        ("more values than were read", put("readings", slice(0, 0), n_kept=5)),
        ("at most a tenth failed", put("readings", slice(0, 2), outcome="failed")),
        ("what came of it", put("values", slice(0, 0), outcome="lost")),
        ("is an entity, a quantity", put("values", slice(0, 0), value_kind="somevalue")),
        ("is a statement", put("values", slice(0, 0), statement_id=None)),
        ("every fill has its sentence", put("fills", slice(0, 0), sentence=None)),
        ("every fill has its address", put("fills", slice(0, 0), source_url=None)),
        ("the word of a reader", put("fills", slice(0, 0), agreement=0.4)),
        ("at most half are fills", put("choices", slice(0, 29), is_chosen=False)),
        ("published last is gone", put("values", slice(0, 24), outcome="ungrounded")),
    ],
    "topics": [
        ("at least 1 %", put("catalog", slice(0, 0), coverage=0.0)),
        ("two different values", put("catalog", slice(0, 0), distinct_values=1)),
        ("over 98 %", where("values", "attribute", "kind", value_text="a")),
        ("at least 5 entities", only("values", 123)),
        ("half of a topic's attributes", put("catalog", slice(0, 1), coverage=0.2)),
        ("share their label", put("values", slice(0, 59), label="the same")),
        ("is negative", put("values", slice(0, 0), value_num=-1.0)),
        ("no year lies after", put("values", slice(1, 1), value_num=20240.0)),
        ("a hundred million times", put("values", slice(0, 0), value_num=1e12)),
        ("published last", only("values", 180)),
    ],
    "questions": [
        (
            "at least 20 questions",
            lambda good: good.update({"questions": good["questions"][90:].reset_index(drop=True)}),
        ),
        ("over 40 %", crowd),
        ("answered yes", where("questions", "type", "superlative", gold_answer="yes")),
        ("at most 10 entities", where("questions", "density", "low", density="medium")),
        ("11 to 100", where("questions", "density", "medium", density="low")),
        ("over 100 entities", where("questions", "density", "high", density="low")),
        ("on average", where("questions", "entity_count", 500, entity_count=5)),
        ("candidates are rejected", only("rejections", 0)),
        ("test split", where("questions", "split", "test", split="train")),
        ("no topic makes up", put("questions", slice(0, 450), topic="topic0")),
        ("every wording", one_wording),
        ("read the same", same_text),
        ("characters long", longest_name),
        ("has an answer", put("questions", slice(0, 0), gold_answer=None)),
        ("known reasons", put("rejections", slice(0, 0), reason="dull")),
        ("published last", where("questions", "type", "superlative", type="aggregation")),
    ],
}
CASES = [(room, claim, spoil) for room, cases in BROKEN.items() for claim, spoil in cases]


@lru_cache
def good_verdict(room: str) -> Verdict:
    """The gate's verdict on the room's good frames, the first time they are seen."""
    suite, make = GOOD[room]
    verdict = suite.check(make(), None)
    assert isinstance(verdict, Verdict)
    return verdict


def judged(room: str, spoil: Spoiler | None = None) -> Verdict:
    """The gate's verdict on the room's good frames, spoiled or not, after the good ones were published."""
    suite, make = GOOD[room]
    given = make()
    if spoil:
        spoil(given)
    verdict = suite.check(given, good_verdict(room).volumes)
    assert isinstance(verdict, Verdict)
    return verdict


@pytest.mark.parametrize("room", GOOD)
def test_good_frames_pass(room: str) -> None:
    verdict = judged(room)
    assert verdict.passed, verdict.failures


@pytest.mark.parametrize(("room", "claim", "spoil"), CASES, ids=[f"{room}: {claim}" for room, claim, _ in CASES])
def test_claim_fails_on_frames_that_break_it(room: str, claim: str, spoil: Spoiler) -> None:
    failed = [outcome.claim for outcome in judged(room, spoil).failures]
    assert any(claim in text for text in failed), failed


@pytest.mark.parametrize("room", GOOD)
def test_no_claim_is_left_unbroken(room: str) -> None:
    claims = [outcome.claim for outcome in judged(room).outcomes]
    assert len(claims) == len(BROKEN[room])
    assert all(sum(part in claim for part, _ in BROKEN[room]) >= 1 for claim in claims)


@pytest.mark.parametrize("room", ["documents", "extractions"])
def test_a_gate_of_articles_passes_where_none_are_landed(room: str) -> None:
    suite, make = GOOD[room]
    assert suite.check({name: frame.head(0) for name, frame in make().items()}, None).passed


def test_what_articles_say_is_no_fault_of_what_is_recorded() -> None:
    good = frames.facts()
    read = good["choices"].assign(is_chosen=False, reason="behind_record")
    good["choices"] = pd.concat([good["choices"], read, read], ignore_index=True)
    assert facts.check(good, None).passed


def test_first_run_has_nothing_to_compare_with() -> None:
    assert facts.check(frames.facts(), None).passed


def test_failure_names_the_rows_it_is_about() -> None:
    verdict = judged("topics", put("catalog", slice(0, 0), coverage=0.0))
    assert "lakes.area_km2" in verdict.failures[0].observed
