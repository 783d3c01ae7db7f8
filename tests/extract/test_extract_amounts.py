"""Quantities: digits, scale words and units as texts write them, against Wikidata's form and against pint."""

from __future__ import annotations

from decimal import Decimal

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.extract.amounts import Amount, amounts, in_digits, power_of, read_amount
from dagster_defs.steps.extract.normalise import Attribute, Known, Normal, Stated, normalise
from dagster_defs.steps.extract.units import ListedUnits
from dagster_defs.steps.matching.texts import plain

KM2, METRE, DOLLAR, KELVIN, DENSITY, PERCENT = "Q712226", "Q11573", "Q4917", "Q11579", "Q844211", "Q11229"
# How far "1.4 billion" and "1.2 billion" may be off.
PEOPLE, REVENUE = ("1350000000", "1450000000"), ("1150000000", "1250000000")


def quantity(value: str, unit: str | None, sentence: str, known: Known, like: str | None = None) -> Normal:
    """What a number of a property comes to that is mostly given in the unit ``like``."""
    attribute = Attribute("a", "a", "number", None, False, "P1", "quantity", like)
    return normalise(Stated(value, unit, None, sentence), attribute, known)


@pytest.mark.parametrize(
    ("value", "unit", "sentence", "like", "amount", "bounds", "unit_id"),
    [
        ("31,153", "km²", "It covers 31,153 km² of land.", KM2, "31153", None, KM2),
        ("31,153 km²", None, "It covers 31,153 km² (12,028 sq mi).", KM2, "31153", None, KM2),
        # The sentence gives the unit that the answer leaves out.
        ("31,153", None, "It covers 31,153 km² (12,028 sq mi).", KM2, "31153", None, KM2),
        ("12,028", "sq mi", "It covers 31,153 km² (12,028 sq mi).", KM2, "12028", None, "Q232291"),
        ("31153", "km2", "area_km2: 31153", KM2, "31153", None, KM2),
        ("1.4 billion", None, "Some 1.4 billion people live there.", None, "1400000000", PEOPLE, None),
        ("1.4", "billion people", "Some 1.4 billion people.", None, "1400000000", PEOPLE, None),
        ("1.4 billion", "billion people", "Some 1.4 billion people.", None, "1400000000", PEOPLE, None),
        # Written out by the answer, it is as coarse as the sentence has it.
        ("1,400,000,000", None, "Some 1.4 billion people.", None, "1400000000", PEOPLE, None),
        ("1.45678 million", None, "Here live 1.45678 million.", None, "1456780", ("1456775", "1456785"), None),
        ("1.2345 thousand", None, "It has 1.2345 thousand seats.", None, "1234.5", None, None),
        ("two million", None, "Two million people live there.", None, "2000000", ("1500000", "2500000"), None),
        ("twenty-one", "moons", "It has twenty-one moons.", None, "21", None, None),
        ("21", "moons", "It has twenty-one moons.", None, "21", None, None),
        ("about 300", "people", "About 300 people live there.", None, "300", None, None),
        ("$1.2 billion", None, "Revenue was US$1.2 billion.", DOLLAR, "1200000000", REVENUE, DOLLAR),
        ("1.2 billion", "US dollars", "Revenue was $1.2 billion.", DOLLAR, "1200000000", REVENUE, DOLLAR),
        ("$1.2bn", None, "Revenue was $1.2bn.", DOLLAR, "1200000000", REVENUE, DOLLAR),
        ("−38.83", "°C", "It melts at −38.83 °C.", KELVIN, "-38.83", None, "Q25267"),
        ("-40 °F", None, "It froze at minus 40 °F.", KELVIN, "-40", None, "Q42289"),
        ("12.50", "g/cm³", "Its density is 12.50 g/cm³.", DENSITY, "12.50", None, "Q13147228"),
        ("12.5 ± 0.3", "m", "It is 12.5 ± 0.3 m tall.", METRE, "12.5", ("12.2", "12.8"), METRE),
        ("12½", "m", "It is 12½ m tall.", METRE, "12.5", None, METRE),
        ("1.5 × 10⁹", "km", "It is 1.5 × 10⁹ km away.", METRE, "1500000000", ("1450000000", "1550000000"), "Q828224"),
        ("6,650 km (4,130 mi)", None, "It is 6,650 km (4,130 mi) long.", METRE, "6650", None, "Q828224"),
        ("6,650", "kilometres", "It is 6,650 km or 4,130 miles long.", METRE, "6650", None, "Q828224"),
        ("80", "per cent", "80% of adults read.", PERCENT, "80", None, PERCENT),
        ("12,34,567", None, "It has 12,34,567 voters.", None, "1234567", None, None),
        ("8 848", "m", "It is 8 848 m high.", METRE, "8848", None, METRE),
        ("0", None, "It has 0 moons.", None, "0", None, None),
    ],
)  # fmt: skip
def test_a_quantity_is_kept_as_it_is_stated(
    value: str,
    unit: str | None,
    sentence: str,
    like: str | None,
    amount: str,
    bounds: tuple[str, str] | None,
    unit_id: str | None,
    known: Known,
) -> None:
    found = quantity(value, unit, sentence, known, like)
    assert (found.outcome, found.value_kind) == ("kept", "quantity")
    assert found.amount_text == amount
    assert (found.lower_text, found.upper_text) == (bounds or (None, None))
    assert found.unit_id == unit_id


@pytest.mark.parametrize(
    ("value", "unit", "sentence", "like", "outcome"),
    [
        ("300", "people", "More than 300 people live there.", None, "inexact"),
        ("over 300", "people", "It has over 300 people.", None, "inexact"),
        ("300+", None, "It has 300+ islands.", None, "inexact"),
        ("300", None, "It has 300 or more islands.", None, "inexact"),
        ("100–200", None, "It has 100–200 people.", None, "inexact"),
        ("100", None, "It has 100–200 people.", None, "inexact"),
        ("200", None, "It has 100 to 200 people.", None, "inexact"),
        ("between 5 and 6", "m", "It is between 5 and 6 m long.", METRE, "inexact"),
        ("5", "m", "It is between 5 and 6 m long.", METRE, "inexact"),
        ("nearly five", None, "It has nearly five moons.", None, "inexact"),
        ("five", None, "It has more than five moons.", None, "inexact"),
        ("300", None, "It is 300 high.", METRE, "no_unit"),
        ("7", "furlongs", "It is 7 furlongs long.", METRE, "unknown_unit"),
        ("7", "frobs", "It is 7 frobs long.", METRE, "unknown_unit"),
        ("7", "kg", "It weighs 7 kg.", METRE, "wrong_dimension"),
        ("€5", None, "It cost €5.", DOLLAR, "wrong_dimension"),
        ("7", "km", "It lies 7 km away.", None, "wrong_dimension"),
        ("7", None, "It lies 7 km away.", None, "wrong_dimension"),
        ("12,028", "km²", "It covers 31,153 km² (12,028 sq mi).", KM2, "ungrounded"),
        ("1.4", None, "Some 1.4 billion people.", None, "ungrounded"),
        ("1,000,000", None, "Some 1.4 million people.", None, "ungrounded"),
        ("38.83", "°C", "It melts at −38.83 °C.", KELVIN, "ungrounded"),
        ("153", "km²", "It covers 31,153 km².", KM2, "ungrounded"),
        ("31,154", "km²", "It covers 31,153 km².", KM2, "ungrounded"),
        ("300", "km", "It covers 300 km².", METRE, "ungrounded"),
        ("5 ft 11 in", None, "He is 5 ft 11 in tall.", METRE, "unparsable"),
        ("12 of 54", None, "It won 12 of 54 games.", None, "unparsable"),
        ("2 and a half million", None, "It has 2 and a half million people.", None, "unparsable"),
        ("the 1990s", None, "It grew in the 1990s.", None, "unparsable"),
        ("1,2,3", None, "Its numbers are 1,2,3 here.", None, "unparsable"),
        ("many", None, "It has many islands.", None, "unparsable"),
        ("none", None, "It has none of them.", None, "unparsable"),
        ("many", None, "It has few islands.", None, "ungrounded"),
        ("2020-01-01", None, "Since 2020-01-01 it is open.", None, "unparsable"),
    ],
)
def test_what_is_no_quantity_says_why(
    value: str, unit: str | None, sentence: str, like: str | None, outcome: str, known: Known
) -> None:
    found = quantity(value, unit, sentence, known, like)
    assert found == Normal(outcome)


def test_digits_in_names_dates_and_units_are_no_amounts() -> None:
    text = "On 2020-01-02 at 12:30 bromine-82 made 5 g/cm^3 per 1,000 people in the 1990s, 3rd of 1/2, No. 8, m^2."
    assert [one.value for one in amounts(text)] == [Decimal(5)]


@given(
    st.integers(-(10**20), 10**20), st.sampled_from(["{:,}", "{}", "{:_}"]), st.sampled_from([" ", "\u00a0", "\u202f"])
)
def test_an_integer_is_read_as_it_was_grouped(number: int, form: str, blank: str) -> None:
    text = form.format(number).replace("_", blank).replace("-", "−")
    read = read_amount(text)
    assert isinstance(read, Amount)
    assert read.texts == (str(number), None, None)


@given(st.decimals(-(10**9), 10**9, allow_nan=False, places=4))
def test_what_was_read_reads_the_same_again(number: Decimal) -> None:
    first = read_amount(f"{number:,f}")
    assert isinstance(first, Amount)
    assert Decimal(first.texts[0]) == number
    again = read_amount(first.texts[0])
    assert isinstance(again, Amount)
    assert again.texts == first.texts
    assert in_digits(number) == first.texts[0]


@given(st.integers(1, 9999), st.integers(0, 3), st.sampled_from([("thousand", 3), ("million", 6), ("billion", 9)]))
def test_bounds_of_a_scaled_amount_are_half_its_last_digit(digits: int, places: int, scale: tuple[str, int]) -> None:
    word, power = scale
    number = Decimal(digits).scaleb(-places)
    read = read_amount(f"{number:f} {word}")
    assert isinstance(read, Amount)
    amount, lower, upper = read.texts
    assert Decimal(amount) == number * 10**power
    half = Decimal(5).scaleb(power - places - 1)
    if power == places:
        assert (lower, upper) == (None, None), "half a unit is what the digits themselves say"
    else:
        assert (Decimal(lower or 0), Decimal(upper or 0)) == (number * 10**power - half, number * 10**power + half)


@given(st.text(max_size=120), st.text(max_size=20))
def test_no_value_breaks_the_reading(value: str, unit: str) -> None:
    read = read_amount(value)
    assert isinstance(read, Amount) or read in ("inexact", "unparsable")
    power, rest = power_of(unit)
    assert power >= 0
    assert len(rest) <= len(unit)


@pytest.mark.parametrize(
    "value",
    ["ca" * 4000 + "!5", "est EST " * 900 + "!5", "7" * 8000, "1 million " * 800, "- " * 4000 + "5", "5-" * 4000],
)
def test_a_value_made_to_take_long_is_read_at_once(value: str) -> None:
    assert read_amount(value) in ("inexact", "unparsable")


# Words that texts use for units, as pint calls them, which was written by others from other sources.
WRITTEN = {
    "km": "km", "kilometers": "km", "km2": "km**2", "km²": "km**2", "square kilometers": "km**2", "sq mi": "mile**2",
    "square miles": "mile**2", "hectares": "hectare", "ha": "hectare", "ft": "foot", "feet": "foot", "inches": "inch",
    "nautical miles": "nautical_mile", "light years": "light_year", "AU": "astronomical_unit", "lbs": "pound",
    "kg": "kg", "tonnes": "metric_ton", "Da": "dalton", "m/s": "m/s", "km/h": "km/h", "mph": "mile/hour",
    "m³/s": "m**3/s", "cubic metres per second": "m**3/s", "cu ft/s": "foot**3/s", "kPa": "kPa", "atm": "atm",
    "MW": "MW", "gigawatts": "GW", "kWh": "kWh", "kJ/mol": "kJ/mol", "kilojoules per mole": "kJ/mol",
    "g/cm³": "g/cm**3", "g cm⁻³": "g/cm**3", "kg/m3": "kg/m**3", "eV": "electron_volt", "days": "day", "hours": "hour",
    "mg/kg": "mg/kg", "W/(m·K)": "W/m/K", "J/(mol K)": "J/mol/K", "megapascals": "MPa", "millimeters": "mm",
}  # fmt: skip


@pytest.fixture(scope="module")
def registry() -> pint.UnitRegistry[float]:
    return pint.UnitRegistry(cache_folder=None)


@pytest.mark.parametrize("words", sorted(WRITTEN))
def test_units_in_words_are_the_listed_ones_that_pint_takes_them_for(
    words: str, units: ListedUnits, unit_rows: list[dict[str, str]], registry: pint.UnitRegistry[float]
) -> None:
    found = units.named(words, None)
    assert found is not None
    rows = {row["unit_id"]: row for row in unit_rows}
    base = rows[rows[found]["base_unit"]]["label"].replace("metre", "meter")
    if rows[found]["dimension"] == "ratio":
        base = "dimensionless"
    base = {"joule per mole kelvin": "J/mol/K", "watt per meter kelvin": "W/m/K"}.get(base, base)
    expected = registry.Quantity(1.0, registry.Unit(WRITTEN[words])).to(registry.Unit(base)).magnitude
    assert float(rows[found]["factor"]) == pytest.approx(expected, rel=1e-6)
    assert units.begins(plain(f" {words}"), found) == found


def test_every_listed_unit_is_found_by_its_names(units: ListedUnits, unit_rows: list[dict[str, str]]) -> None:
    for row in unit_rows:
        for name in {row["label"], row["label_plural"], row["symbol"]} - {"", "1"}:
            assert units.named(name, row["unit_id"]) == row["unit_id"], name


def test_what_is_called_alike_is_the_usual_unit(units: ListedUnits) -> None:
    assert units.named("$", "Q259502") == "Q259502"
    assert units.named("$", DOLLAR) == DOLLAR
    assert units.named("years", "Q577") == "Q577"
    assert units.named("people", None) is None
    assert units.begins(" in 1990", METRE) is None
    assert units.begins(" in", METRE) == "Q218593"
    assert units.is_same("Q834105", DENSITY)
    assert not units.is_same("Q13147228", DENSITY)
