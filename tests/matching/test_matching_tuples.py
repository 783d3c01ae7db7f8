"""EA-F1 over exact tuples: what is the same tuple, what is another, and what the score makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from dagster_defs.steps.matching import Attribute, Fact, Units, score_tuples
from dagster_defs.steps.matching.tuples import canonical_value

quickly = settings(max_examples=100, deadline=None)
LISTED = (
    Attribute("length_km", "length", "kilometres", "number"),
    Attribute("population", "population", "people", "number"),
    Attribute("held_year", "year", "year", "number"),
    Attribute("women_percent", "share of women", "percent", "number"),
    Attribute("is_member", "membership of the OECD", None, "boolean"),
    Attribute("born_on", "date of birth", None, "date"),
    Attribute("continent", "continent", None, "category"),
)
GOLD = (
    Fact("Peru", "population", "34352719"),
    Fact("Peru", "continent", "South America"),
    Fact("Côte d'Ivoire", "population", "28873034"),
    Fact("Côte d'Ivoire", "is_member", "false"),
)
ALIASES = {"Peru": ["PE", "Republic of Peru"], "Côte d'Ivoire": ["Ivory Coast", "CI"]}


@pytest.mark.parametrize(
    ("name", "stored", "written"),
    [
        ("length_km", "6575.0", "6,575 km"),
        ("length_km", "8.04672", "5 miles"),
        ("length_km", "6575", "6575.000"),
        ("population", "34352719", "34.3527 million"),
        ("population", "34352719", "34,352,719 people"),
        ("population", "1.4e9", "1400000000"),
        ("held_year", "1896", "1896"),
        ("held_year", "-44", "44 BC"),
        ("women_percent", "47.6", "47.6 %"),
        ("women_percent", "47.6", "47.60"),
        ("length_km", "-0.0", "0"),
        ("is_member", "true", "Yes"),
        ("is_member", "false", "No"),
        ("is_member", "true", "True"),
        ("born_on", "1815-12-10", "10 December 1815"),
        ("born_on", "1815-12-10", "December 10, 1815"),
        ("born_on", "1815-12-10", "Dec. 10th, 1815"),
        ("continent", "South America", "south america"),
        ("continent", "The Americas", "Americas"),
    ],
)
def test_one_value_is_written_in_many_ways(units: Units, name: str, stored: str, written: str) -> None:
    attribute = next(attribute for attribute in LISTED if attribute.name == name)
    assert canonical_value(written, attribute, units) == canonical_value(stored, attribute, units)


@pytest.mark.parametrize(
    ("name", "stored", "written"),
    [
        ("length_km", "6575", "6574"),
        ("length_km", "6575", "6575 m"),
        ("length_km", "6575", "6575 or 6576"),
        ("population", "34352719", "34.3 million"),
        ("held_year", "44", "44 BC"),
        ("women_percent", "47.6", "0.476"),
        ("is_member", "true", "No"),
        ("is_member", "true", "unknown"),
        ("born_on", "1815-12-10", "1815-10-12"),
        ("born_on", "1815-12-10", "1815"),
        ("continent", "South America", "North America"),
        ("continent", "South America", ""),
    ],
)
def test_another_value_stays_another(units: Units, name: str, stored: str, written: str) -> None:
    attribute = next(attribute for attribute in LISTED if attribute.name == name)
    assert canonical_value(written, attribute, units) != canonical_value(stored, attribute, units)


def test_numbers_are_compared_to_six_digits(units: Units) -> None:
    length = LISTED[0]
    assert canonical_value("1234567", length, units) == canonical_value("1234572.5", length, units) == "1234570"
    assert canonical_value("1234567", length, units) != canonical_value("1234580", length, units)


def test_a_working_table_is_scored(units: Units) -> None:
    predicted = [
        Fact("Republic of Peru", "population", "34,352,719"),
        Fact("Ivory Coast", "Population", "28.873034 million"),
        Fact("Peru", "population", "34352719"),
        Fact("Peru", "continent", "Africa"),
        Fact("Ivory Coast", "membership of the OECD", "no"),
        Fact("Chad", "continent", "Africa"),
    ]
    score = score_tuples(predicted, GOLD, attributes=LISTED, units=units, aliases=ALIASES)
    assert score.matched == (True, True, False, False, True, False)
    assert (score.n_gold, score.n_predicted, score.n_matched) == (4, 5, 3)
    assert (score.precision, score.recall) == (3 / 5, 3 / 4)
    assert score.f1 == pytest.approx(2 * 0.6 * 0.75 / (0.6 + 0.75))


def test_an_alias_of_two_entities_names_neither(units: Units) -> None:
    gold = [Fact("Republic of the Congo", "continent", "Africa"), Fact("DR Congo", "continent", "Africa")]
    aliases = {"Republic of the Congo": ["Congo"], "DR Congo": ["Congo", "DRC"]}
    score = score_tuples(
        [Fact("Congo", "continent", "Africa"), Fact("DRC", "continent", "Africa")],
        gold, attributes=LISTED, units=units, aliases=aliases,
    )  # fmt: skip
    assert score.matched == (False, True)


def test_a_label_goes_before_another_s_alias(units: Units) -> None:
    gold = [Fact("Uruguay", "length_km", "1"), Fact("Uruguay River", "length_km", "2")]
    aliases = {"Uruguay River": ["Uruguay"]}
    predicted = [Fact("uruguay", "length", "1"), Fact("uruguay river", "length", "2")]
    assert score_tuples(predicted, gold, attributes=LISTED, units=units, aliases=aliases).f1 == 1


def test_labels_that_differ_by_an_accent_are_two_entities(units: Units) -> None:
    gold = [Fact("San Jose", "population", "1"), Fact("San José", "population", "2")]
    assert score_tuples(gold, gold, attributes=LISTED, units=units).n_gold == 2
    swapped = [Fact("San José", "population", "1"), Fact("San Jose", "population", "2")]
    assert score_tuples(swapped, gold, attributes=LISTED, units=units).n_matched == 0


@pytest.mark.parametrize(("predicted", "gold"), [((), GOLD), (GOLD, ()), ((), ())])
def test_nothing_against_something_scores_nothing(
    predicted: tuple[Fact, ...], gold: tuple[Fact, ...], units: Units
) -> None:
    score = score_tuples(predicted, gold, attributes=LISTED, units=units)
    assert (score.n_matched, score.precision, score.recall, score.f1) == (0, 0, 0, 0)
    assert (score.n_gold, score.n_predicted, len(score.matched)) == (len(gold), len(predicted), len(predicted))


facts = st.builds(
    Fact,
    st.sampled_from(["Peru", "Chad", "Oman", "Mali"]),
    st.sampled_from([attribute.name for attribute in LISTED if attribute.kind in ("number", "category")]),
    st.integers(1, 4).map(str),
)


@quickly
@given(st.lists(facts, min_size=1, max_size=20), st.lists(facts, min_size=1, max_size=20))
def test_the_score_is_scikit_learn_s(units: Units, predicted: list[Fact], gold: list[Fact]) -> None:
    score = score_tuples(predicted, gold, attributes=LISTED, units=units)
    universe = sorted({*predicted, *gold}, key=str)
    expected = precision_recall_fscore_support(
        [fact in gold for fact in universe], [fact in predicted for fact in universe], average="binary", zero_division=0
    )
    assert (score.precision, score.recall, score.f1) == pytest.approx(expected[:3])
    assert score.n_matched == sum(score.matched) == len({*predicted} & {*gold})


@quickly
@given(st.lists(facts, min_size=1, max_size=20), st.lists(facts, min_size=1, max_size=20))
def test_the_score_is_symmetric_and_perfect_for_itself(units: Units, one: list[Fact], other: list[Fact]) -> None:
    there = score_tuples(one, other, attributes=LISTED, units=units)
    back = score_tuples(other, one, attributes=LISTED, units=units)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)
    assert score_tuples(one * 2, one, attributes=LISTED, units=units).f1 == 1


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.builds(
            Fact,
            st.text(max_size=12),
            st.text(max_size=12) | st.sampled_from(["length", "born_on"]),
            st.text(max_size=12),
        ),
        max_size=4,
    )
)
def test_no_text_breaks_it(units: Units, rows: list[Fact]) -> None:
    score = score_tuples(rows, GOLD, attributes=LISTED, units=units, aliases=ALIASES)
    assert 0 <= score.f1 <= 1
    assert score_tuples(rows, rows, attributes=LISTED, units=units).f1 == (1 if rows else 0)
