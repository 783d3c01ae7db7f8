"""A question taken apart: names, numbers, dates and the form of what it asks."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagster_defs.steps.refine.words import Text, stem

# A busy machine is no fault of the check.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at the 5% level", {("%", "5"): 1}),
        ("rose by 30 percent", {("%", "30"): 1}),
        ("exceed 170,000 people or 170000 people", {("plain", "170000"): 2}),
        ("1.4 billion of 2.50", {("plain", "1400000000"): 1, ("plain", "2.5"): 1}),
        ("in the 19th century up to 2025", {("place", "19"): 1, ("plain", "2025"): 1}),
        ("below −38.8 degrees, from 3-4", {("plain", "-38.8"): 1, ("plain", "3"): 1, ("plain", "4"): 1}),
        ("no digits", {}),
    ],
)
def test_numbers_are_read_by_kind_and_value(text: str, found: dict[tuple[str, str], int]) -> None:
    assert Text(text).numbers == {(kind, Decimal(value)): count for (kind, value), count in found.items()}


@UNHURRIED
@given(st.integers(0, 10**12), st.sampled_from(["", "%", " people", ".", "?", ", then"]))
def test_separators_of_thousands_are_no_other_number(number: int, after: str) -> None:
    assert Text(f"by {number:,}{after}").numbers == Text(f"by {number}{after}").numbers


def test_names_are_what_capitals_say_but_not_a_first_word() -> None:
    text = Text("Would the US population of St. John's exceed Mount Everest's height? Or EPlus in 1994?")
    assert set(text.names) == {"US", "St", "John", "Mount", "Everest", "EPlus"}
    assert "Mount Everest" in text.name_runs
    assert Text("the 1994 Winter Olympics and 10 Turing Award winners").name_runs == (
        "1994 Winter Olympics",
        "Turing Award",
    )


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("exceed that of Peru (values as of 30 November 2026)?", ("30 November 2026",)),
        ("larger as of 2026, Peru or Chad?", ("2026",)),
        ("as of today", ()),
    ],
)
def test_days_of_values_are_found(text: str, days: tuple[str, ...]) -> None:
    assert Text(text).dates == days


@pytest.mark.parametrize(
    ("text", "yes_no"),
    [
        ("At the 5% level, is the mass normally distributed?", True),
        ("Suppose that it rose by 10%: would it be more?", True),
        ("If it rose, would it exceed that?", True),
        ("Do A and B share a border?", True),
        ("Which of the two is larger?", False),
        ("By how much does the largest exceed the smallest?", False),
        ("Among rivers, what is the number of those that are long?", False),
        ("When lakes are ordered by depth, what is the median?", False),
    ],
)
def test_form_says_whether_yes_or_no_answers(text: str, yes_no: bool) -> None:
    assert Text(text).asks_yes_no is yes_no


@pytest.mark.parametrize(
    "forms",
    [
        ("country", "countries", "country's"),
        ("border", "borders", "bordering", "bordered"),
        ("average", "averages", "averaged", "averaging"),
        ("box", "boxes"),
        ("class", "classes"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(("one", "other"), [("north", "south"), ("born", "border"), ("number", "numb"), ("us", "use")])
def test_other_words_have_other_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@UNHURRIED
@given(st.text())
def test_any_text_can_be_taken_apart(text: str) -> None:
    found = Text(text)
    assert len(found.tokens) == len(found.lower) == len(found.stems)
    assert found.numbers.total() >= 0
    assert found.asks_yes_no in (True, False)
    assert isinstance(found.name_runs, tuple)
