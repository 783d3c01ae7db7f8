"""Lists and distributions, in the forms in which models write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.steps.matching.sets import distribution_of, json_in, list_of, match_distribution, match_list
from dagster_defs.steps.matching.texts import fold
from dagster_defs.steps.matching.units import Units

quickly = settings(max_examples=120, deadline=None)
GOLD = {"Europe": 28, "North America": 80}
names = st.text(alphabet="abcdefghijklmnop ", min_size=3, max_size=10).map(str.strip).filter(lambda name: len(name) > 2)
counts = st.dictionaries(names.filter(lambda n: "and" not in n), st.integers(1, 10**6), min_size=2, max_size=6)


@pytest.mark.parametrize(
    "answer",
    [
        GOLD,
        {"north america": 80.0, "EUROPE": "28"},
        {"distribution": GOLD},
        [["Europe", 28], ["North America", 80]],
        [{"continent": "Europe", "count": 28}, {"continent": "North America", "count": 80}],
        {**GOLD, "Asia": 0},
        '{"Europe": 28, "North America": 80}',
        'The distribution is {"Europe": 28, "North America": 80}.',
        "Europe: 28, North America: 80",
        "Europe: 28; North America: 80.",
        "Europe: 28 and North America: 80",
        "Europe = 28, North America = 80",
        "Europe (28), North America (80)",
        "Europe: 28\nNorth America: 80",
        "Here it is:\n- Europe: 28\n- North America: 80 companies",
        "1. Europe - 28\n2. North America - 80",
        "| Continent | Count |\n|---|---|\n| Europe | 28 |\n| North America | 80 |",
        "**Europe**: 28\n**North America**: 80",
    ],
)
def test_a_distribution_is_read(answer: object, units: Units) -> None:
    assert match_distribution(answer, GOLD, units)


@pytest.mark.parametrize(
    "answer",
    [
        {"Europe": 28, "North America": 81},
        {"Europe": 28},
        {**GOLD, "Asia": 1},
        {"Europe": 80, "North America": 28},
        {"Europe": 28, "europe": 29, "North America": 80},
        {"Europe": "28 or 29", "North America": 80},
        {"Europe": "26%", "North America": 80},
        {"Europe": None, "North America": 80},
        {"Europe": [28], "North America": 80},
        [["Europe", 28, 1], ["North America", 80]],
        "Europe: 28",
        "Europe: 28, North America: 80, Asia: 3",
        "Europe and North America",
        "",
        [],
        {},
        None,
        28,
        "{",
    ],
)
def test_another_distribution_is_wrong(answer: object, units: Units) -> None:
    assert not match_distribution(answer, GOLD, units)


@quickly
@given(counts, st.sampled_from(["json", "object", "lines", "line", "pairs"]))
def test_a_distribution_matches_itself_in_every_form(units: Units, gold: dict[str, int], form: str) -> None:
    answer: object = {
        "json": json.dumps(gold),
        "object": {name.upper(): float(count) for name, count in gold.items()},
        "lines": "\n".join(f"- {name}: {count:,}" for name, count in gold.items()),
        "line": ", ".join(f"{name}: {count}" for name, count in gold.items()),
        "pairs": list(gold.items()),
    }[form]
    assert match_distribution(answer, gold, units) or len({fold(name) for name in gold}) < len(gold)


@quickly
@given(counts, st.data())
def test_one_count_off_is_wrong(units: Units, gold: dict[str, int], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(gold)))
    assert not match_distribution({**gold, name: gold[name] + 1}, gold, units)
    assert not match_distribution({key: count for key, count in gold.items() if key != name}, gold, units)


def test_categories_that_fold_into_one_are_told_apart_as_they_stand(units: Units) -> None:
    gold = {"San Jose": 1, "San José": 2}
    assert match_distribution(gold, gold, units)
    assert not match_distribution({"San Jose": 2, "San José": 1}, gold, units)


@pytest.mark.parametrize(
    "answer",
    [
        ["Chad", "Peru"], ["peru", "CHAD", "Chad"], '["Chad", "Peru"]', "Chad, Peru", "Chad and Peru", "Peru; Chad",
        "- Chad\n- Peru", "1. Peru\n2. Chad", "The answer is Chad and Peru.",
    ],
)  # fmt: skip
def test_a_list_is_a_set(answer: object) -> None:
    assert match_list(answer, ["Peru", "Chad"])


@pytest.mark.parametrize(
    "answer", [["Chad"], ["Chad", "Peru", "Oman"], "Chad", "", [], None, 3, {"Chad": 1}, ["Chad", None]]
)
def test_another_list_is_wrong(answer: object) -> None:
    assert not match_list(answer, ["Peru", "Chad"])


def test_numbers_in_lists_are_written_as_gold_is() -> None:
    assert match_list([12.0, 3], ["12", "3"])
    assert not match_list([12.5, 3], ["12", "3"])


@quickly
@given(st.lists(names, min_size=1, max_size=6), st.randoms())
def test_a_list_matches_itself_in_any_order(gold: list[str], random: object) -> None:
    assert match_list(sorted(gold, reverse=True) + gold[:1], gold)
    assert not match_list([*gold, "something else altogether"], gold)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(json_values)
def test_no_value_breaks_it(units: Units, answer: object) -> None:
    assert match_distribution(answer, GOLD, units) in (True, False)
    assert match_list(answer, ["Peru"]) in (True, False)
    assert distribution_of(str(answer), units) is None or isinstance(answer, str | list | dict)
    assert list_of(str(answer)) is not None


def test_json_in_prose_is_found() -> None:
    assert json_in('It is {"a": 1}, I think.') == {"a": 1}
    assert json_in("[1, 2]") == [1, 2]
    assert json_in("{no} [json]") is None
    assert json_in("[" * 100_000 + "]" * 100_000) is None
