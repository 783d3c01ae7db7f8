"""What is read of an answer: whatever a model writes, triples of texts and one outcome come of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.structured import clean, parse, schema_of
from dagster_defs.steps.elicit.answers import (
    OUTCOMES,
    Predicates,
    Triples,
    combined,
    read_predicates,
    read_triples,
    text_of,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
WRITTEN = st.lists(st.fixed_dictionaries({"subject": SCALARS, "predicate": SCALARS, "object": SCALARS}), max_size=5)


def reply_of(text: str, form: type[Triples | Predicates] = Triples, *, cut: bool = False) -> Reply:
    """As the client makes it of a text."""
    found = parse(text, schema_of(form))
    outcome = Outcome.CUT if cut else Outcome.ANSWERED if found.error is None else Outcome.UNPARSED
    return Reply("k", outcome, text, found.value, "stop", found.error, truncated=found.truncated)


def cell(value: Any) -> str:
    """A value as text, with the sign for what no database can hold."""
    return text_of(clean(value) if isinstance(value, str) else value)


@given(WRITTEN)
@example([{"subject": None, "predicate": False, "object": "\x00"}])
def test_every_triple_is_landed_or_counted(written: list[dict[str, Any]]) -> None:
    read = read_triples(reply_of(json.dumps({"triples": written})), "Title")
    assert len(read.triples) + read.unreadable == len(written)
    assert read.outcome == ("answered" if read.triples else "unparsed" if written else "empty")
    for triple in read.triples:
        assert all(part == part.strip() and part for part in triple[1:3])
    kept = [one for one in written if cell(one["predicate"]) and cell(one["object"])]
    assert [triple.object for triple in read.triples] == [cell(one["object"]) for one in kept]


@given(WRITTEN, st.integers(0, 300))
def test_cut_answer_keeps_a_beginning_of_what_the_whole_one_has(written: list[dict[str, Any]], length: int) -> None:
    text = json.dumps({"triples": written})
    whole = read_triples(reply_of(text), "Title").triples
    read = read_triples(reply_of(text[:length], cut=True), "Title")
    assert read.triples == whole[: len(read.triples)]
    assert read.outcome in ("answered", "cut", "empty")
    assert (read.outcome == "answered") == bool(read.triples)
    if length < len(text):
        assert read.outcome != "empty" or not written


@given(st.text(), st.sampled_from(list(Outcome)), st.booleans())
def test_no_text_raises_and_each_has_one_outcome(text: str, outcome: Outcome, truncated: bool) -> None:
    parsed = parse(text, schema_of(Triples)).value
    read = read_triples(Reply("k", outcome, text, parsed, truncated=truncated), "Title")
    found = combined([read], [])
    assert found.outcome in OUTCOMES
    assert (found.outcome == "answered") == bool(found.triples)


@given(st.lists(SCALARS, max_size=6))
def test_predicates_are_said_once_on_one_line(written: list[Any]) -> None:
    read = read_predicates(reply_of(json.dumps({"predicates": written}), Predicates))
    assert len({text.casefold() for text in read.predicates}) == len(read.predicates)
    assert all(text and len(text.splitlines()) == 1 for text in read.predicates)
    assert {text.casefold() for text in read.predicates} == {
        " ".join(clean(text_of(one)).split()).casefold() for one in written
    } - {""}


def test_first_way_to_write_a_predicate_is_kept_in_its_place() -> None:
    read = read_predicates(reply_of('{"predicates": ["Mouth", "length", "MOUTH", "source"]}', Predicates))
    assert read.predicates == ("Mouth", "length", "source")


@pytest.mark.parametrize(
    ("value", "text"),
    [(1889, "1889"), (1.5, "1.5"), (-0.5, "-0.5"), (True, "true"), (False, "false"), (None, ""), (" a b\n", "a b")],
)
def test_numbers_and_truth_values_become_texts(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_subject_that_is_missing_is_the_title() -> None:
    read = read_triples(reply_of('{"triples": [{"subject": null, "predicate": "a", "object": 0}]}'), "Mekong")
    assert read.triples == (("Mekong", "a", "0", "k"),)
