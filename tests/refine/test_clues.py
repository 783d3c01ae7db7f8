"""Clues in other words: what may pass, and what may not."""

from __future__ import annotations

from typing import Any

import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.refine.clues import Puzzle, check_clue, check_composed, taken_apart
from dagster_defs.steps.refine.compose import worded
from dagster_defs.steps.solve.questions import Question

DINAR = "It borders a country that pays in the Libyan dinar"
TIRANA = "It borders a country that has Tirana as its capital"
YEAR = "It was founded in 1995"
TASK = "What were its total exports as of 2024, in percent of its total imports?"
HIDDEN = ("Greece", "Hellas", "Albania", "propane", "it")


def question(text: str, tolerance: float = 0.02) -> Question:
    """A question of which only the text and the unit are asked."""
    empty: dict[str, Any] = dict.fromkeys(Question.__dataclass_fields__)
    return Question(**{**empty, "question_id": "q", "question": text, "gold_unit": "percent", "tolerance": tolerance})


def puzzle(*groups: list[str]) -> Puzzle:
    """A question with these clues."""
    said = ". Of the second: ".join("; ".join(clue[0].lower() + clue[1:] for clue in group) for group in groups)
    return taken_apart(question(f"Find the country of which all of this is true: {said}. {TASK}"), groups, HIDDEN)


def reasons(clue: str, rewrite: str) -> set[str]:
    return {str(finding.reason) for finding in check_clue(clue, rewrite, HIDDEN)}


@pytest.mark.parametrize(
    "rewrite",
    [
        DINAR,
        "It borders a country which pays in the Libyan dinar",
        "It is bordered by a country that pays in the Libyan dinar",
        "There is a bordering country in which it pays in the Libyan dinar",
    ],
)
def test_the_same_in_other_words_passes(rewrite: str) -> None:
    assert check_clue(DINAR, rewrite, HIDDEN) == []


@pytest.mark.parametrize(
    ("clue", "rewrite", "reason"),
    [
        (DINAR, "It pays in the Libyan dinar and borders a country", "flattened"),
        (DINAR, "It borders a country and pays in the Libyan dinar", "flattened"),
        (DINAR, "It borders a country, and it pays in the Libyan dinar", "flattened"),
        (DINAR, "The Libyan dinar is what it pays in, and it borders a country that has it", "flattened"),
        (DINAR, "It borders a country that pays in the Tunisian dinar", "name"),
        (DINAR, "It borders Greece, a country that pays in the Libyan dinar", "name"),
        (DINAR, "It borders a country that does not pay in the Libyan dinar", "polarity"),
        (DINAR, "It borders a rich country that pays in the Libyan dinar", "added"),
        (DINAR, "It borders a country that pays", "scope"),
        (DINAR, "It borders a country that pays in the Libyan dinar, as propane does", "answer"),
        (DINAR, "It borders a country\nthat pays in the Libyan dinar", "layout"),
        (YEAR, "It was founded in 1996", "number"),
        (YEAR, "It was founded", "number"),
    ],
)
def test_what_says_something_else_is_refused(clue: str, rewrite: str, reason: str) -> None:
    assert reason in reasons(clue, rewrite)


def test_a_question_is_taken_apart_into_beginning_clues_and_task() -> None:
    found = puzzle([DINAR, YEAR])
    assert (found.beginning, found.task) == ("Find the country of which all of this is true:", TASK)
    assert found.clues == (DINAR, YEAR)
    assert found.unit == "percent"
    assert "it" not in found.hidden
    assert taken_apart(question(found.text, tolerance=0), [[DINAR, YEAR]], HIDDEN).unit is None


def test_a_clue_to_both_things_is_found_twice() -> None:
    found = puzzle([DINAR, YEAR], [DINAR, TIRANA])
    assert found.task == TASK
    assert check_composed(found, found.groups, found.text.replace("Find the", "There is a")) == []


def test_a_question_without_its_clue_is_named() -> None:
    with pytest.raises(RunError, match=r"q does not hold its clue 'It was founded in 1995'"):
        taken_apart(question(f"{DINAR}. {TASK}"), [[DINAR, YEAR]], HIDDEN)


def test_clues_that_do_not_say_the_same_fall_back_one_by_one() -> None:
    found = puzzle([DINAR, YEAR])
    flat = "It pays in the Libyan dinar and borders a country"
    sound = "1995 was when it was founded"
    assert worded(found, {"facts": [flat, f"{sound}."]}) == ((DINAR, sound),)
    for said in (None, {"facts": []}, {"facts": [DINAR]}):
        assert worded(found, said) == found.groups


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace("Libyan dinar", "dinar of Libya"), "clue"),
        (lambda text: text.replace("; it was founded in 1995", ""), "clue"),
        (lambda text: text.replace("in percent", "as a share"), "unit"),
        (lambda text: text.replace(TASK, f"{TASK} Is it Greece?"), "name"),
        (lambda text: text.replace(TASK, f"{TASK} Or what were they?"), "form"),
        (lambda text: f"{TASK} {text.replace(' ' + TASK, '')}", "form"),
        (lambda text: text.replace("2024", "2023"), "date"),
        (lambda text: text.replace("exports", "imports"), "scope"),
        (lambda text: text, "unchanged"),
    ],
)
def test_a_composed_text_that_is_not_whole_is_refused(change: Any, reason: str) -> None:
    found = puzzle([DINAR, YEAR])
    assert reason in {str(one.reason) for one in check_composed(found, found.groups, change(found.text))}


def test_clues_may_be_given_in_another_order_and_the_task_put_otherwise() -> None:
    found = puzzle([DINAR, YEAR])
    text = f"Identify a country. {YEAR}, and {DINAR[0].lower()}{DINAR[1:]}. As of 2024, what were its total exports in"
    assert check_composed(found, found.groups, f"{text} percent of its total imports?") == []


def test_clues_of_two_things_may_not_be_mixed() -> None:
    found = puzzle([DINAR, YEAR], [TIRANA])
    mixed = f"Find the country of which all of this is true: {DINAR}. Of the second: {TIRANA}; {YEAR}. {TASK}"
    swapped = f"Find the country of which all of this is true: {TIRANA}. Of the second: {DINAR}; {YEAR}. {TASK}"
    for text in (mixed, swapped):
        assert "clue" in {str(one.reason) for one in check_composed(found, found.groups, text)}
