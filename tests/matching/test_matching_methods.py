"""Columns are a set of attributes, and a test is known by the names people use for it."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.steps.matching.methods import Attribute, Methods, chance_level, column_of, match_columns

LISTED = (
    Attribute("length_km", "length", "kilometres", "number"),
    Attribute("continent", "continent"),
    Attribute("birth_year", "year of birth", "year", "number"),
    Attribute("award_year", "award year", "year", "number"),
    Attribute("work_countries", "country of work"),
    Attribute("work_country", "country of work"),
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("length_km", "length_km"),
        ("Length KM", "length_km"),
        ("rivers.length_km", "length_km"),
        ("`length_km`", "length_km"),
        ("length", "length_km"),
        ("the length", "length_km"),
        ("Length (km)", "length_km"),
        ("Year of Birth", "birth_year"),
        ("birth year", "birth_year"),
        ("work_country", "work_country"),
        ("country of work", None),
        ("width", None),
        ("", None),
        ("length_km, continent", None),
    ],
)
def test_a_column_is_known_by_name_or_phrase(text: str, name: str | None) -> None:
    assert column_of(text, LISTED) == name


@pytest.mark.parametrize(
    "answer",
    [
        ["length_km", "continent"], ["continent", "length"], "length_km, continent", "continent and length_km",
        "length_km vs. continent", "['length_km', 'continent']", ["length_km", "continent", "continent"],
    ],
)  # fmt: skip
def test_columns_are_a_set(answer: object) -> None:
    assert match_columns(answer, ["length_km", "continent"], LISTED)


@pytest.mark.parametrize(
    "answer",
    [
        ["length_km"],
        ["length_km", "continent", "birth_year"],
        ["length_km", "award_year"],
        [],
        "",
        None,
        3,
        ["length_km", 3, ""],
    ],
)
def test_other_columns_are_wrong(answer: object) -> None:
    assert not match_columns(answer, ["length_km", "continent"], LISTED)


@given(st.permutations([attribute.name for attribute in LISTED]), st.integers(1, 6))
def test_order_never_matters(names: list[str], size: int) -> None:
    chosen = names[:size]
    assert match_columns(chosen, sorted(chosen), LISTED)
    assert match_columns(sorted(chosen), chosen, LISTED)


@pytest.fixture(scope="module")
def methods(method_rows: list[tuple[str, str]]) -> Methods:
    return Methods(method_rows)


def test_every_accepted_name_is_accepted_and_for_its_tests_alone(
    methods: Methods, method_rows: list[tuple[str, str]]
) -> None:
    for test, name in method_rows:
        assert methods.match(name, test), name
        assert methods.of(name) == {other for other, same in method_rows if same == name}, name


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("Pearson", "pearsonr"),
        ("Pearson's correlation coefficient (r)", "pearsonr"),
        ("scipy.stats.pearsonr", "pearsonr"),
        ("Pearson correlation test", "pearsonr"),
        ("Spearman's rank correlation coefficient", "spearmanr"),
        ("Spearman's ρ", "spearmanr"),
        ("Kendall’s tau", "spearmanr"),
        ("Shapiro–Wilk", "jarque_bera"),
        ("Shapiro-Wilk test for normality", "jarque_bera"),
        ("Jarque–Bera normality test", "jarque_bera"),
        ("Anderson-Darling goodness-of-fit test", "jarque_bera"),
        ("Levene's test for equality of variances", "levene"),
        ("Levene’s test (median-centred: Brown-Forsythe test)", "levene"),
        ("F-test of equality of variances", "levene"),
        ("χ² goodness-of-fit test", "chisquare"),
        ("Chi-squared test for uniformity", "chisquare"),
        ("Pearson's chi-squared goodness of fit test", "chisquare"),
        ("chi-square test", "chisquare"),
        ("chi-square test", "chi2_contingency"),
        ("Chi2 test of independence", "chi2_contingency"),
        ("Chi-square independence test", "chi2_contingency"),
        ("Pearson's χ² test of association", "chi2_contingency"),
        ("one-way ANOVA", "f_oneway"),
        ("One-way ANOVA F-test", "f_oneway"),
        ("ANOVA (analysis of variance)", "f_oneway"),
        ("Kruskal–Wallis", "f_oneway"),
    ],
)
def test_people_s_names_are_understood(methods: Methods, text: str, test: str) -> None:
    assert methods.match(text, test)


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("Spearman rank correlation", "pearsonr"),
        ("Pearson or Spearman", "pearsonr"),
        ("Pearson's chi-squared test", "pearsonr"),
        ("ANOVA", "levene"),
        ("Levene's test or ANOVA", "levene"),
        ("chi-square test of independence", "chisquare"),
        ("chi-square goodness of fit", "chi2_contingency"),
        ("Shapiro-Wilk test for uniformity", "jarque_bera"),
        ("t-test", "f_oneway"),
        ("correlation", "pearsonr"),
        ("test", "levene"),
        ("", "levene"),
        ("a multilevel model after Levene's test", "levene"),
    ],
)
def test_another_test_is_wrong(methods: Methods, text: str, test: str) -> None:
    assert not methods.match(text, test)


@pytest.mark.parametrize("answer", [None, 3, ["levene"], {"method": "levene"}])
def test_a_method_is_text(methods: Methods, answer: object) -> None:
    assert not methods.match(answer, "levene")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_no_text_breaks_it(methods: Methods, text: str) -> None:
    assert methods.of(text) <= methods.tests
    assert column_of(text, LISTED) in {None, *(attribute.name for attribute in LISTED)}
    assert match_columns(text, ["continent"], LISTED) in (True, False)


@pytest.mark.parametrize(("columns", "attributes", "tests"), [(1, 4, 7), (2, 6, 7), (2, 2, 1), (3, 5, 3)])
def test_chance_is_the_share_of_right_guesses(columns: int, attributes: int, tests: int) -> None:
    gold = (frozenset(range(columns)), 0)
    guesses = [
        (frozenset(chosen), test)
        for chosen in itertools.permutations(range(attributes), columns)
        for test in range(tests)
    ]
    assert chance_level(columns, attributes, tests) == pytest.approx(guesses.count(gold) / len(guesses))
    assert math.isclose(chance_level(columns, attributes, tests) * math.comb(attributes, columns) * tests, 1)


@pytest.mark.parametrize(("columns", "attributes", "tests"), [(0, 4, 7), (3, 2, 7), (1, 4, 0)])
def test_an_impossible_guess_has_no_chance_level(columns: int, attributes: int, tests: int) -> None:
    with pytest.raises(ValueError, match="no guess"):
        chance_level(columns, attributes, tests)
