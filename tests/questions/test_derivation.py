"""The second route to an answer: from evidence tuples and the declared operation alone."""

from __future__ import annotations

import json
import math
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dagster_defs.steps.derivation import Claim, Tuple, Underivable, canonical, derive

AREAS = [("q1", "Peru", "area", "3.5"), ("q2", "Chad", "area", "2.25"), ("q3", "Oman", "area", "10")]
CONTINENTS = [
    ("q1", "Peru", "continent", "America"),
    ("q2", "Chad", "continent", "Africa"),
    ("q3", "Mali", "continent", "Africa"),
    ("q4", "Oman", "continent", "Asia"),
]
LANGUAGES = [
    ("q1", "Belgium", "language", "Dutch"),
    ("q1", "Belgium", "language", "French"),
    ("q2", "France", "language", "French"),
]
DATES = [("q1", "Ada", "born_on", "1815-12-10"), ("q2", "Alan", "born_on", "1912-06-23")]

Rows = list[tuple[str, str, str, str]]

quickly = settings(max_examples=40, deadline=None)


def claimed(operation: str, slots: dict[str, Any], rows: Rows, method: str | None = None, *columns: str) -> object:
    numbers = frozenset({"area", "height", "x", "y"})
    return derive(Claim(operation, slots, method, columns, numbers), [Tuple(*row) for row in rows])


@pytest.mark.parametrize(
    ("operation", "slots", "rows", "answer"),
    [
        ("max", {}, AREAS, "Oman"),
        ("min", {}, AREAS, "Chad"),
        ("max", {"attribute": "born_on"}, DATES, "Alan"),
        ("min", {"attribute": "born_on"}, DATES, "Ada"),
        ("max", {"names": ["Peru", "Chad"]}, AREAS[:2], "Peru"),
        ("mean", {}, AREAS, 5.25),
        ("median", {}, AREAS, 3.5),
        ("median", {}, AREAS[:2], 2.875),
        ("sum", {}, AREAS, 15.75),
        ("range", {}, AREAS, 7.75),
        ("count", {"attribute": "continent", "value": "Africa"}, CONTINENTS, 2),
        ("count", {"attribute": "continent", "value": "Europe"}, CONTINENTS, 0),
        ("share", {"attribute": "continent", "value": "Africa"}, CONTINENTS, 0.5),
        ("share", {"attribute": "language", "value": "French"}, LANGUAGES, 1.0),
        ("share", {"attribute": "language", "value": "Dutch"}, LANGUAGES, 0.5),
        ("most_members", {"attribute": "continent"}, CONTINENTS, "Africa"),
        ("most_members", {"attribute": "continent", "names": ["Africa", "Asia"]}, CONTINENTS, "Africa"),
        ("fewest_members", {"attribute": "continent", "names": ["Africa", "Asia"]}, CONTINENTS, "Asia"),
        ("fewest_members", {"attribute": "continent", "names": ["Africa", "Europe"]}, CONTINENTS, "Europe"),
        ("fewest_members", {"attribute": "language"}, LANGUAGES, "Dutch"),
        ("distinct", {"attribute": "continent"}, CONTINENTS, 3),
        ("distinct", {"attribute": "language"}, LANGUAGES, 2),
        ("distribution", {"attribute": "continent"}, CONTINENTS, {"Africa": 2, "America": 1, "Asia": 1}),
        ("distribution", {"attribute": "language"}, LANGUAGES, {"Dutch": 1, "French": 2}),
        ("shared_value", {"attribute": "language"}, LANGUAGES, True),
        ("shared_value", {"attribute": "continent"}, CONTINENTS[:2], False),
        ("would_exceed", {"entity_id": "q2", "other_id": "q1", "change": {"percent": 60}}, AREAS[:2], True),
        ("would_exceed", {"entity_id": "q1", "other_id": "q2", "change": {"percent": -40.0}}, AREAS[:2], False),
        ("would_exceed", {"entity_id": "q2", "other_id": "q1", "change": {"add": 1.25}}, AREAS[:2], False),
        ("would_exceed", {"entity_id": "q2", "other_id": "q1", "change": {"add": 1.5}}, AREAS[:2], True),
        ("would_exceed", {"entity_id": "q3", "threshold": 12, "change": {"add": 2}}, AREAS, False),
        ("would_exceed", {"entity_id": "q3", "threshold": 12, "change": {"add": 2.5}}, AREAS, True),
        (
            "would_overtake",
            {"attribute": "continent", "value": "Asia", "other_value": "Africa", "change": {"add": 1}},
            CONTINENTS,
            False,
        ),
        (
            "would_overtake",
            {"attribute": "continent", "value": "Asia", "other_value": "Africa", "change": {"add": 2}},
            CONTINENTS,
            True,
        ),
        (
            "would_overtake",
            {"attribute": "continent", "value": "Asia", "threshold": 5, "change": {"add": 4}},
            CONTINENTS,
            False,
        ),
        (
            "would_overtake",
            {"attribute": "continent", "value": "Asia", "threshold": 5, "change": {"add": 5}},
            CONTINENTS,
            True,
        ),
    ],
)
def test_each_operation_gives_its_answer(operation: str, slots: dict[str, Any], rows: Rows, answer: object) -> None:
    found = claimed(operation, {"attribute": "area", **slots}, rows)
    assert found == answer
    assert isinstance(found, bool) == isinstance(answer, bool)


def test_only_the_tuples_of_the_attribute_count() -> None:
    assert claimed("max", {"attribute": "area"}, [*CONTINENTS, *AREAS]) == "Oman"


@pytest.mark.parametrize(
    ("operation", "slots", "rows"),
    [
        ("max", {"attribute": "area"}, [*AREAS, ("q4", "Mali", "area", "10.0")]),
        ("min", {"attribute": "area"}, [*AREAS, ("q4", "Mali", "area", "2.25")]),
        ("most_members", {"attribute": "continent", "names": ["Asia", "America"]}, CONTINENTS),
        ("fewest_members", {"attribute": "continent"}, CONTINENTS),
        ("shared_value", {"attribute": "language"}, LANGUAGES[:2]),
        ("shared_value", {"attribute": "continent"}, CONTINENTS),
        ("max", {"attribute": "height"}, AREAS),
        ("mode", {"attribute": "area"}, AREAS),
    ],
)
def test_what_the_evidence_leaves_open_is_underivable(operation: str, slots: dict[str, Any], rows: Rows) -> None:
    with pytest.raises(Underivable):
        claimed(operation, slots, rows)


def test_an_unknown_test_is_underivable() -> None:
    with pytest.raises(Underivable, match="shapiro"):
        claimed("test", {}, AREAS, "shapiro", "area")


numbers = st.lists(
    st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=3, max_size=20, unique=True
)
groups = st.lists(st.sampled_from("abc"), min_size=3, max_size=20)


@pytest.mark.parametrize("operation", ["max", "min", "mean", "median", "sum", "range"])
@quickly
@given(values=numbers, random=st.randoms(use_true_random=False))
def test_the_order_of_numbers_does_not_matter(operation: str, values: list[float], random: Any) -> None:
    rows = [(f"q{i}", f"e{i}", "x", repr(value)) for i, value in enumerate(values)]
    mixed = random.sample(rows, len(rows))
    first, second = (claimed(operation, {"attribute": "x"}, some) for some in (rows, mixed))
    if isinstance(first, float):
        assert math.isclose(first, float(str(second)), rel_tol=1e-12, abs_tol=1e-8)
    else:
        assert first == second


@pytest.mark.parametrize("operation", ["count", "share", "distinct", "distribution", "most_members", "fewest_members"])
@quickly
@given(values=groups, random=st.randoms(use_true_random=False))
def test_the_order_of_categories_does_not_matter(operation: str, values: list[str], random: Any) -> None:
    rows = [(f"q{i}", f"e{i}", "x", value) for i, value in enumerate(values)]
    mixed = random.sample(rows, len(rows))
    answers = []
    for some in (rows, mixed):
        try:
            answers.append(claimed(operation, {"attribute": "x", "value": "a"}, some))
        except Underivable as error:
            answers.append(str(error))
    assert answers[0] == answers[1]


SKEWED = [1.0] * 15 + [2.0] * 10 + [3.0] * 5 + [40.0, 60.0, 90.0]
EVEN = [float(i % 11) for i in range(33)]
LESS_SKEWED = [0, *[1] * 6, *[2] * 5, *[3] * 4, 4, 7, 8, 10]
MORE_SKEWED = [0, *[1] * 5, *[2] * 5, 4, 5, 7, 8, 10, 11, 12, 15, 30]
WIDE, NARROW = [0.0, 10.0, 2.0, 9.0] * 5, [4.0, 5.0, 4.5, 5.25] * 5


def columns_of(**columns: list[Any]) -> Rows:
    return [(f"q{i}", f"e{i}", name, str(v)) for name, values in columns.items() for i, v in enumerate(values)]


@pytest.mark.parametrize(
    ("method", "columns", "answer"),
    [
        ("jarque_bera", {"x": SKEWED}, False),
        ("jarque_bera", {"x": EVEN}, True),
        ("chisquare", {"g": ["a"] * 12 + ["b"] * 11}, True),
        ("chisquare", {"g": ["a"] * 22 + ["b"] * 5}, False),
        ("pearsonr", {"x": SKEWED, "y": [2 * v + i % 3 for i, v in enumerate(SKEWED)]}, True),
        ("pearsonr", {"x": list(range(33)), "y": EVEN}, False),
        ("spearmanr", {"x": list(range(33)), "y": [v**3 for v in range(33)]}, True),
        ("spearmanr", {"x": list(range(33)), "y": EVEN}, False),
        ("levene", {"x": WIDE + NARROW, "g": ["a"] * 20 + ["b"] * 20}, True),
        ("levene", {"x": WIDE + [v + 100 for v in WIDE], "g": ["a"] * 20 + ["b"] * 20}, False),
        ("levene", {"x": WIDE, "y": NARROW}, True),
        # around their means these would differ significantly
        ("levene", {"x": LESS_SKEWED, "y": MORE_SKEWED}, False),
        ("f_oneway", {"x": [0, 10] * 10 + [100, 110] * 10, "g": ["a"] * 20 + ["b"] * 20}, True),
        ("f_oneway", {"x": [0, 10] * 20, "g": (["a", "a", "b", "b"] * 10)}, False),
        ("chi2_contingency", {"g": ["a", "b"] * 20, "h": ["c", "d"] * 20}, True),
        # with a correction for continuity this would not be significant
        (
            "chi2_contingency",
            {"g": ["a"] * 20 + ["b"] * 20, "h": ["c"] * 3 + ["d"] * 17 + ["c"] * 9 + ["d"] * 11},
            True,
        ),
        ("chi2_contingency", {"g": ["a", "b"] * 20, "h": ["c", "c", "d", "d"] * 10}, False),
    ],
)
def test_each_test_says_yes_as_the_contract_has_it(method: str, columns: dict[str, list[Any]], answer: bool) -> None:
    rows = columns_of(**columns)
    assert claimed("test", {}, rows, method, *columns) is answer
    assert claimed("test", {}, rows[::-1], method, *columns) is answer


def test_an_entity_without_one_of_the_values_takes_no_part() -> None:
    x, y = list(range(30)), [(7 * i) % 30 for i in range(30)]
    rows = columns_of(x=x, y=y)
    lone = [(f"z{i}", f"z{i}", "x", str(10**6)) for i in range(20)]
    assert claimed("test", {}, [*rows, *lone], "pearsonr", "x", "y") is bool(stats.pearsonr(x, y).pvalue < 0.05)


def decimal_text(value: float) -> str:
    """The contract's text of a number, by decimal arithmetic: 6 significant digits, plain under 1e15."""
    exact = Decimal(value)
    if not exact:
        return "0"
    if abs(value) >= 1e15:
        digits, exponent = f"{exact:.5e}".split("e")
        return f"{digits.rstrip('0').rstrip('.')}e+{int(exponent):02d}"
    last = exact.adjusted() - 5
    rounded = exact.quantize(Decimal(1).scaleb(last), rounding=ROUND_HALF_EVEN)
    text = f"{rounded:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@quickly
@given(st.floats(-1e25, 1e25).filter(lambda x: abs(x) > 1e-20 or x == 0))
def test_a_canonical_number_has_six_digits(value: float) -> None:
    assert canonical(value, tolerance=0.01) == decimal_text(value)


@quickly
@given(st.integers(-(10**15), 10**15))
def test_an_exact_number_has_every_digit(value: int) -> None:
    assert canonical(value, tolerance=0) == str(value)
    assert canonical(float(value), tolerance=0) == str(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567.0, "1234570"), (999999.5, "1000000"), (0.1 + 0.2, "0.3"), (-0.0, "0"), (1e15, "1e+15"),
        (123456e9, "123456000000000"),
        (1e-7, "0.0000001"), (2.5, "2.5"), (100.0, "100"), (-1.5e-5, "-0.000015"), (1.5e20, "1.5e+20"),
    ],
)  # fmt: skip
def test_a_canonical_number_is_written_as_people_do(value: float, text: str) -> None:
    assert canonical(value, tolerance=0.01) == text == decimal_text(value)


def test_other_answers_are_canonical() -> None:
    assert canonical(True, tolerance=0) == "yes"
    assert canonical(False, tolerance=0) == "no"
    assert canonical("Côte d’Ivoire", tolerance=0) == "Côte d’Ivoire"
    text = canonical({"b": 1, "a": 2, "é": 3}, tolerance=0)
    assert text == '{"a": 2, "b": 1, "é": 3}'
    assert list(json.loads(text)) == ["a", "b", "é"]
