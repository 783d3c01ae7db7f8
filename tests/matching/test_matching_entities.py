"""Whether an answer names what its question hides: one entity or two, in any form and order, and nothing beside."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.matching import Hidden, names_hidden

PERU = Hidden("Peru", ("Republic of Peru", "PE"))
MARANON = Hidden("Marañón")
TRINIDAD = Hidden("Trinidad and Tobago", ("TT",))
OTHERS = ("Peru", "Bolivia", "Niger", "Nigeria", "Trinidad and Tobago", "Guinea", "Equatorial Guinea")


@pytest.mark.parametrize(
    "given_name", ["Peru", "peru.", "The Republic of Peru", "It is Peru.", "**Peru**", ["Peru"], "PE", "Perú"]
)
def test_a_name_an_alias_or_a_sentence_that_settles_on_it_is_right(given_name: Any) -> None:
    assert names_hidden(given_name, [PERU], OTHERS)


@pytest.mark.parametrize(
    "given_name",
    ["Bolivia", "Peru or Bolivia", "Bolivia, not Peru", "", " ", None, 7, [], ["Peru", "Bolivia"], ["Peru", 1], {}],
)  # fmt: skip
def test_anything_else_is_not(given_name: Any) -> None:
    assert not names_hidden(given_name, [PERU], OTHERS)


def test_a_name_that_holds_another_ones_is_not_the_other() -> None:
    assert names_hidden("Equatorial Guinea", [Hidden("Equatorial Guinea")], OTHERS)
    assert not names_hidden("Equatorial Guinea", [Hidden("Guinea")], OTHERS)
    assert not names_hidden("Nigeria", [Hidden("Niger")], OTHERS)


@pytest.mark.parametrize(
    "given_names",
    [
        ["Peru", "Marañón"], ["Maranon", "peru"], "Peru and Marañón", "Marañón; Peru", "Peru, Marañón",
        "Peru & Marañón", "Peru\nMarañón", "Peru/Marañón", "Republic of Peru, and Marañón",
    ],
)  # fmt: skip
def test_two_are_named_in_any_order_and_form(given_names: Any) -> None:
    assert names_hidden(given_names, [PERU, MARANON], OTHERS)


@pytest.mark.parametrize(
    "given_names",
    ["Peru", ["Peru"], ["Peru", "Peru"], "Peru and Peru", ["Peru", "Bolivia"], ["Peru", "Marañón", "Bolivia"]],
)
def test_one_of_two_is_not_both(given_names: Any) -> None:
    assert not names_hidden(given_names, [PERU, MARANON], OTHERS)


def test_a_name_may_hold_what_stands_between_names() -> None:
    assert names_hidden("Trinidad and Tobago and Peru", [PERU, TRINIDAD], OTHERS)
    assert names_hidden("Trinidad and Tobago", [TRINIDAD], OTHERS)
    assert not names_hidden("Trinidad and Tobago", [PERU, TRINIDAD], OTHERS)


def test_without_anything_hidden_there_is_nothing_to_name() -> None:
    with pytest.raises(ValueError, match="hides no entity"):
        names_hidden("Peru", [], OTHERS)


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=40),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(st.text(max_size=5), held, max_size=2),
    max_leaves=5,
)


@given(_ANYTHING)
def test_no_answer_raises(anything: Any) -> None:
    assert names_hidden(anything, [PERU, MARANON], OTHERS) in (True, False)
