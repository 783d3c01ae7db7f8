"""Units: every listed one by each of its names, checked against pint, and compounds without rows of their own."""

from __future__ import annotations

from decimal import Decimal

import pint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.steps.matching.texts import plain
from dagster_defs.steps.matching.units import PURE, Measure, Units, convert

PINT_NAMES = {
    "1": "dimensionless", "electronvolt": "electron_volt", "nautical mile": "nautical_mile", "light-year": "light_year",
    "astronomical unit": "astronomical_unit", "Julian year": "year", "kilowatt hour": "kilowatt_hour",
    "terawatt hour": "terawatt_hour", "short ton": "short_ton", "long ton": "long_ton", "tonne": "metric_ton",
    "megatonne": "megametric_ton", "kilotonne": "kilometric_ton", "square kilometre": "kilometer**2",
    "square metre": "meter**2", "square mile": "mile**2", "square foot": "foot**2", "square centimetre": "cm**2",
    "cubic metre": "meter**3", "cubic centimetre": "cm**3", "cubic foot": "foot**3", "cubic kilometre": "km**3",
    "kilogram per cubic metre": "kg/m**3", "gram per litre": "g/L", "gram per cubic centimetre": "g/cm**3",
    "milligram per litre": "mg/L", "joule per mole": "J/mol", "kilojoule per mole": "kJ/mol", "are": "are",
    "joule per mole kelvin": "J/mol/K", "kilogram per mole": "kg/mol", "gram per mole": "g/mol",
    "standard atmosphere": "standard_atmosphere", "per mille": "permille", "milligram per kilogram": "mg/kg",
    "joule per kilogram kelvin": "J/kg/K", "metre per second": "m/s", "kilometre per hour": "km/h",
    "mile per hour": "mile/hour", "kilometre per second": "km/s", "degree Celsius": "degC", "degree Fahrenheit": "degF",
    "watt per metre kelvin": "W/m/K", "cubic metre per second": "m**3/s", "cubic foot per second": "foot**3/s",
    "milliarcsecond per year": "milliarcsecond/year", "elementary charge": "elementary_charge",
}  # fmt: skip


UNIT_PIECES = ["km", "/", "per", "(", ")", "^2", "1,000", "people", "square", "and", "of", "m", "s", "%", "$", "-1"]


@pytest.fixture(scope="module")
def registry() -> pint.UnitRegistry[float]:
    return pint.UnitRegistry(cache_folder=None)


def test_every_listed_unit_converts_as_pint_says(
    units: Units, unit_rows: list[dict[str, str]], registry: pint.UnitRegistry[float]
) -> None:
    labels = {row["unit_id"]: row["label"] for row in unit_rows}
    compared = 0
    for row in unit_rows:
        # pint has no currencies, and its decade is a ratio of frequencies.
        if row["dimension"].startswith("currency") or row["label"] == "decade":
            continue
        base = labels[row["base_unit"]]
        ours, theirs = (units.parse(name) if name != "1" else PURE for name in (row["label"], base))
        assert ours is not None, row["label"]
        assert theirs is not None, base
        source, target = (
            registry.Unit(PINT_NAMES.get(name, name.replace("metre", "meter"))) for name in (row["label"], base)
        )
        expected = registry.Quantity(12.5, source).to(target).magnitude
        assert float(convert(Decimal("12.5"), ours, theirs) or 0) == pytest.approx(expected, rel=1e-5), row["label"]
        compared += 1
    assert compared > 90


def test_every_listed_unit_is_known_by_each_of_its_names(units: Units, unit_rows: list[dict[str, str]]) -> None:
    for row in unit_rows:
        like = units.parse(row["label"])
        for name in {row["label"], row["label_plural"], row["symbol"]} - {"", "1"}:
            assert units.parse(plain(name), like) == like, name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("km²", "square kilometers"),
        ("km^2", "sq. km"),
        ("sqkm", "square kilometres"),
        ("kilometres squared", "km2"),
        ("g cm⁻³", "grams per cubic centimetre"),
        ("kg·m⁻³", "kg/m³"),
        ("W/(m·K)", "watts per metre and kelvin"),
        ("W/m/K", "watts per meter kelvin"),
        ("J kg⁻¹ K⁻¹", "joules per kilogram and kelvin"),
        ("m s^-1", "metres per second"),
        ("MeV/c²", "megaelectronvolts"),
        ("mas/yr", "milliarcseconds per year"),
        ("%", "per cent"),
        ("percentage points", "percent of gross domestic product"),
        ("US$", "U.S. dollars"),
        ("light years", "ly"),
        ("ton", "metric tons"),
        ("u", "daltons"),
        ("KM", "kilometres"),
        ("° C", "degrees Celsius"),
        ("billions of US dollars", "billion USD"),
        ("kilowatt-hours", "kWh"),
        ("µg", "micrograms"),
    ],
)
def test_one_unit_has_many_names(units: Units, one: str, other: str) -> None:
    assert units.parse(plain(one)) == units.parse(plain(other))


@pytest.mark.parametrize(
    "text", ["in Taurus", "are in Africa", "a year ago", "", "gold medals", "(km)", "x", "Mw", "at once"]
)
def test_words_are_no_units(units: Units, text: str) -> None:
    assert units.parse(text) is None


def test_prose_after_a_unit_is_left_alone(units: Units) -> None:
    assert units.parse("km in total, 5 of them") == units.parse("kilometres")
    assert units.parse("people per square mile in Asia") == units.parse("people per square mile")
    assert units.find("total kilometres of coastline") == units.parse("kilometres")


def test_a_rate_per_people_is_a_share(units: Units) -> None:
    rate = units.asked("births per 1,000 people")
    assert convert(Decimal("1.23"), units.asked("percent"), rate) == Decimal("12.3")
    assert units.asked("athletes") == Measure((), Decimal(1), counted=True)


def test_units_of_different_things_do_not_convert(units: Units) -> None:
    assert convert(Decimal(1), units.asked("kilometres"), units.asked("square kilometres")) is None
    assert convert(Decimal(1), units.asked("euros"), units.asked("US dollars")) is None


@settings(max_examples=100, deadline=None)
@given(st.data(), st.decimals(min_value="-1e6", max_value="1e6", places=4))
def test_there_and_back_is_where_one_was(
    units: Units, unit_rows: list[dict[str, str]], data: st.DataObject, value: Decimal
) -> None:
    row = data.draw(st.sampled_from([row for row in unit_rows if row["unit_id"] != "Q199"]))
    others = [other for other in unit_rows if other["dimension"] == row["dimension"] and other["unit_id"] != "Q199"]
    one, other = units.asked(row["label"]), units.asked(data.draw(st.sampled_from(others))["label"])
    there = convert(value, one, other)
    assert there is not None
    assert float(convert(there, other, one) or 0) == pytest.approx(float(value), rel=1e-9, abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(st.sampled_from(UNIT_PIECES)).map(" ".join),
    )
)
def test_no_text_breaks_it(units: Units, text: str) -> None:
    measure = units.parse(plain(text))
    assert measure is None or measure.factor.is_finite()


def test_an_empty_table_knows_no_units_but_shares() -> None:
    assert Units([]).parse("km") is None
    assert Units([]).parse("fraction") == PURE
