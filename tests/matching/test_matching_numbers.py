"""A number is read from however it is written, or not at all where the writing leaves it open."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dagster_defs.steps.matching.numbers import (
    NumberGold,
    Unclear,
    decimal_of,
    match_number,
    numbers_match,
    read_number,
    to_decimal,
)
from dagster_defs.steps.matching.units import Units

quickly = settings(max_examples=150, deadline=None)

READ = [
    # (answer, unit field, unit asked for, number in that unit)
    ("1.4 billion", None, "people", "1400000000"),
    ("1.4 billion people", None, "people", "1400000000"),
    ("1,400,000,000", None, "people", "1400000000"),
    ("1.4bn", None, "people", "1400000000"),
    ("5m", None, "people", "5000000"),
    ("14 lakh", None, "people", "1400000"),
    ("3 hundred thousand", None, "people", "300000"),
    (1.4, "billion people", "people", "1400000000"),
    ("1.4 billion", "billion people", "people", "1400000000"),
    ("$29.00", None, "US dollars", "29"),
    ("$1.4bn", None, "US dollars", "1400000000"),
    ("US$ 5 million", None, "US dollars", "5000000"),
    ("USD 1.4 billion", None, "US dollars", "1400000000"),
    ("-$5", None, "US dollars", "-5"),
    ("1.4 billion U.S. dollars", None, "US dollars", "1400000000"),
    (29, "current US$", "US dollars", "29"),
    ("29 %", None, "fraction", "0.29"),
    ("29 %", None, "percent", "29"),
    ("29 per cent", None, "fraction", "0.29"),
    ("twenty-nine percent", None, "fraction", "0.29"),
    (29, "percent", "fraction", "0.29"),
    (0.29, None, "fraction", "0.29"),
    (0.29, "fraction", "percent", "29"),
    ("29", None, "percent of gross domestic product", "29"),
    ("12/54", None, "fraction", "0.222222222222222"),
    ("12 out of 54", None, "fraction", "0.222222222222222"),
    ("1 in 21", None, "fraction", "0.0476190476190476"),
    ("two thirds", None, "fraction", "0.666666666666667"),
    ("a half", None, "fraction", "0.5"),
    ("½", None, "fraction", "0.5"),
    ("3½", None, "years", "3.5"),
    ("0.2222 ≈ 22.2 %", None, "fraction", "0.2222"),
    ("minus 38.8", None, "degrees", "-38.8"),
    ("−38.8", None, "degrees", "-38.8"),
    ("The value is -38.8.", None, "degrees", "-38.8"),
    ("- 38.8", None, "degrees", "-38.8"),
    ("12.3° S", None, "degrees", "-12.3"),
    ("1.2e-3", None, "fraction", "0.0012"),
    ("1.2E+9", None, "people", "1200000000"),
    ("1.2 × 10^9", None, "people", "1200000000"),
    ("1.2×10⁻³", None, "fraction", "0.0012"),
    ("1.2*10**9", None, "people", "1200000000"),
    ("$1.2 \\times 10^{9}$", None, "people", "1200000000"),
    ("10⁶ km²", None, "square kilometres", "1000000"),
    ("\\boxed{12}", None, None, "12"),
    ("**12**", None, None, "12"),
    ("about 12 km", None, "kilometres", "12"),
    ("12 km in total", None, "kilometres", "12"),
    ("approximately 69 years old", None, "years", "69"),
    ("828 months", None, "years", "69"),
    ("5 miles", None, "kilometres", "8.04672"),
    ("1,234 km (767 mi)", None, "kilometres", "1234"),
    ("3.5 million sq km", None, "square kilometres", "3500000"),
    ("247 acres", None, "hectares", "99.95735363328"),
    ("26.85 °C", None, "kelvins", "300"),
    ("300 K", None, "kelvins", "300"),
    ("0.9383 GeV/c²", None, "megaelectronvolts", "938.3"),
    ("25 people/km2", None, "people per square kilometre", "25"),
    ("25 inhabitants per square kilometre", None, "people per square kilometre", "25"),
    ("12.3 per 1,000 people", None, "births per 1,000 people", "12.3"),
    ("12.3", None, "births per 1,000 people", "12.3"),
    ("46 gold", None, "gold medals", "46"),
    ("twelve", None, None, "12"),
    ("Only one country.", None, None, "1"),
    ("one hundred and twenty-three thousand", None, "people", "123000"),
    ("none", None, None, "0"),
    ("16 in Taurus", None, None, "16"),
    ("12 are in Africa", None, None, "12"),
    ("12 of the 54 countries", None, None, "12"),
    ("12 (as of 2023)", None, None, "12"),
    ("12 (2023 estimate)", None, None, "12"),
    ("12 ± 1", None, "years", "12"),
    ("bromine-82 has 12", None, None, "12"),
    ("There are 54 countries in all. Answer: 12", None, None, "12"),
    ("The answer is 12.", None, None, "12"),
    (12.0, None, None, "12"),
    (" 12.0 ", None, None, "12"),
    ("44 BC", None, None, "-44"),
    ("c. 44 BCE", None, "year", "-44"),
    ("79 AD", None, "year", "79"),
    ("1\u202f234\u202f567", None, None, "1234567"),
    ("1 234 567 km²", None, "square kilometres", "1234567"),
    ("1'234'567", None, None, "1234567"),
    ("29,5", None, "metres", "29.5"),
    ("1.234.567,89", None, "metres", "1234567.89"),
    ("12,34,567", None, None, "1234567"),
    ("0,123", None, "metres", "0.123"),
    ("1,234", None, None, "1234"),
    ("1.234", None, None, "1.234"),
]


@pytest.mark.parametrize(("answer", "field", "asked", "number"), READ)
def test_a_number_is_read(answer: object, field: str | None, asked: str | None, number: str, units: Units) -> None:
    assert read_number(answer, field, units=units, gold_unit=asked) == Decimal(number)


@pytest.mark.parametrize(
    ("answer", "field", "asked"),
    [
        ("10-12", None, None),
        ("10–12 km", None, "kilometres"),
        ("between 10 and 12", None, None),
        ("10 or 12", None, None),
        ("10, 12", None, None),
        ("12 (twelve point five is 12.5)", None, None),
        ("12 km (9 mi)", None, "kilometres"),
        ("1.4 billion to 1.5 billion", None, "people"),
        ("two or three", None, None),
        ("1990s", None, "year"),
        ("the 20th century", None, None),
        ("2020-01-05", None, None),
        ("12:30", None, None),
        ("1.2.3", None, None),
        ("1,2,3", None, None),
        ("not 12", None, None),
        ("more than 12", None, None),
        ("at least 12", None, None),
        ("12+", None, None),
        (">12", None, None),
        ("6 %", None, None),
        ("6 kilometres", None, None),
        ("5 kg", None, "kilometres"),
        ("€5", None, "US dollars"),
        (5, "cubits", "kilometres"),
        ("no one knows", None, None),
        ("unknown", None, None),
        ("", None, None),
        (None, None, None),
        (True, None, None),
        ([12], None, None),
        (float("nan"), None, None),
        (float("inf"), None, None),
        ("1e999999", None, None),
        ("9" * 500, None, None),
        ("1/0", None, "fraction"),
    ],
)
def test_an_answer_that_leaves_the_number_open_gives_none(
    answer: object, field: str | None, asked: str | None, units: Units
) -> None:
    with pytest.raises(Unclear):
        read_number(answer, field, units=units, gold_unit=asked)


def test_a_span_of_temperature_has_no_zero_point(units: Units) -> None:
    assert read_number("5 °C", units=units, gold_unit="kelvins", difference=True) == 5
    assert read_number("9 °F", units=units, gold_unit="kelvins", difference=True) == pytest.approx(Decimal(5))
    assert read_number("5 °C", units=units, gold_unit="kelvins") == Decimal("278.15")


def test_a_bound_counts_as_the_number_only_within_a_tolerance(units: Units) -> None:
    gold = NumberGold(Decimal(1_412_000_000), "people", Decimal("0.01"))
    assert match_number("over 1.4 billion", None, gold, units)[0]
    assert not match_number("over 12", None, NumberGold(Decimal(12)), units)[0]


def test_dollars_are_those_that_are_asked_for(units: Units) -> None:
    assert read_number("$5", units=units, gold_unit="Canadian dollars") == 5
    assert read_number("5 pounds", units=units, gold_unit="pounds sterling") == 5
    assert read_number("5 pounds", units=units, gold_unit="kilograms") == Decimal("2.26796185")


@pytest.mark.parametrize(
    ("value", "gold", "tolerance", "matches"),
    [
        ("101", "100", "0.01", True),
        ("101.0000001", "100", "0.01", False),
        ("99", "100", "0.01", True),
        ("-99", "-100", "0.01", True),
        ("99", "-100", "0.01", False),
        ("0.3", "0.3", "0", True),
        ("0.30000000000000004", "0.3", "0", False),
        ("12.0", "12", "0", True),
        ("0", "0", "0.01", True),
        ("0.0001", "0", "0.01", False),
    ],
)
def test_tolerance_is_relative_to_the_gold(value: str, gold: str, tolerance: str, matches: bool) -> None:
    assert numbers_match(Decimal(value), Decimal(gold), Decimal(tolerance)) is matches


def grouped(digits: str, mark: str) -> str:
    """Digits in groups of three from the right."""
    head = len(digits) % 3 or 3
    return mark.join([digits[:head], *(digits[i : i + 3] for i in range(head, len(digits), 3))])


integers = st.integers(min_value=0, max_value=10**15)


@quickly
@given(integers, st.sampled_from([",", "\u202f", "\u00a0", "\u2009", " ", "'"]), st.booleans())
def test_grouping_says_nothing_about_the_number(units: Units, number: int, mark: str, negative: bool) -> None:
    text = ("−" if negative else "") + grouped(str(number), mark)
    assert read_number(text, units=units) == (-number if negative else number)


@quickly
@given(integers, st.integers(min_value=0, max_value=99), st.sampled_from([",", "."]))
def test_both_conventions_of_decimals_are_read(units: Units, number: int, cents: int, mark: str) -> None:
    other = "." if mark == "," else ","
    expected = Decimal(number) + Decimal(cents) / 100
    assert read_number(f"{grouped(str(number), other)}{mark}{cents:02d}", units=units) == expected
    assert read_number(f"{number}{mark}{cents:02d}", units=units) == expected


@quickly
@given(
    st.decimals(min_value="-999", max_value="999", places=3),
    st.integers(min_value=-12, max_value=15),
    st.sampled_from(
        ["{m}e{p}", "{m}E{p:+d}", "{m} × 10^{p}", "{m}x10^{{{p}}}", "{m} · 10^({p})", "about {m} × 10**{p}"]
    ),
)
def test_powers_of_ten_are_read(units: Units, mantissa: Decimal, power: int, form: str) -> None:
    assert read_number(form.format(m=mantissa, p=power), units=units) == mantissa.scaleb(power)


@quickly
@given(
    st.decimals(min_value="0.001", max_value="999", places=3),
    st.sampled_from([("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12), ("bn", 9), ("M", 6)]),
    st.sampled_from(["{n} {w}", "{n}{w}", "{n} {w} people", "roughly {n} {w}.", "**{n} {w}**", "Answer: {n} {w}"]),
)
def test_scale_words_multiply(units: Units, number: Decimal, scale: tuple[str, int], form: str) -> None:
    word, power = scale
    assert read_number(form.format(n=number, w=word), units=units, gold_unit="people") == number.scaleb(power)


@quickly
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_a_float_is_the_decimal_it_is_written_as(units: Units, number: float) -> None:
    assert read_number(number, units=units) == Decimal(repr(number)) == to_decimal(number)
    assert float(read_number(repr(number), units=units)) == number


SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    """A number below a million in words."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{SMALL[number % 10]}" if number % 10 else "")
    large, word = (100, "hundred") if number < 1000 else (1000, "thousand")
    rest = f" and {spelled(number % large)}" if number % large else ""
    return f"{spelled(number // large)} {word}{rest}"


@quickly
@given(st.integers(min_value=0, max_value=999_999))
def test_words_are_read(units: Units, number: int) -> None:
    assert read_number(f"There are {spelled(number)} in all.", units=units) == number


@quickly
@given(
    st.integers(min_value=0, max_value=10**6),
    st.integers(min_value=0, max_value=10**6),
    st.sampled_from(["-", " to ", " or "]),
)
def test_two_different_numbers_are_no_answer(units: Units, one: int, other: int, between: str) -> None:
    assume(one != other)
    with pytest.raises(Unclear):
        read_number(f"{one}{between}{other}", units=units)


@quickly
@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value="-1e9", max_value="1e9"),
    st.sampled_from(["0", "0.01"]),
)
def test_matching_is_reflexive(units: Units, number: Decimal, tolerance: str) -> None:
    assert match_number(f"{number:f}", None, NumberGold(number, "kilometres", Decimal(tolerance)), units)[0]


@quickly
@given(st.decimals(places=4, min_value=1, max_value="1e9"), st.decimals(places=4, min_value="0.0101", max_value=5))
def test_a_number_outside_the_tolerance_is_wrong(units: Units, gold: Decimal, off: Decimal) -> None:
    asked = NumberGold(gold, "kilometres", Decimal("0.01"))
    assert not match_number(f"{gold * (1 + off):f} km", None, asked, units)[0]


pieces = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.integers(min_value=0, max_value=10**6).map(str),
        st.sampled_from(
            ["^", "10^", "e9", "/", "per ", "million", " km", "%", "-", "(", ")", "of", "$", ",", ".", "\\", "½", "⁹"]
        ),
    ),
    max_size=12,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(pieces, st.one_of(st.none(), pieces), st.sampled_from([None, "fraction", "kilometres", "US dollars", "people"]))
def test_no_text_breaks_it(units: Units, text: str, field: str | None, asked: str | None) -> None:
    gold = NumberGold(Decimal(1), asked, Decimal("0.01"))
    correct, detail = match_number(text, field, gold, units)
    assert correct in (True, False)
    assert detail


@quickly
@given(st.from_regex(r"[0-9]{1,4}(?:[.,' ][0-9]{1,4}){0,4}", fullmatch=True))
def test_a_run_of_digits_keeps_its_digits(run: str) -> None:
    value = decimal_of(run)
    if value is not None:
        digits = "".join(character for character in run if character.isdecimal())
        assert f"{value:f}".replace(".", "").lstrip("0") == digits.lstrip("0")


def test_a_hostile_answer_is_read_in_time(units: Units) -> None:
    # Quadratic patterns would take minutes on these; the texts are cut, so that all of them end.
    for piece in ("1,", "1 ", "(", "answer is ", "one ", "-", "12 of 54 ", "$1", "^", "*", "per "):
        with pytest.raises(Unclear):
            read_number(piece * 50_000 + "x 1 and 2", units=units, gold_unit="kilometres")
