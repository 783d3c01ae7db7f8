"""The unit seed against pint, which was written by others from other sources."""

from __future__ import annotations

import csv

import pint
import pytest

from tests.dbt.project import ROOT

# pint reads most of our names as they are ("kilogram per cubic metre"); these it calls something else.
_PINT = {
    "acre": "international_acre",
    "astronomical unit": "astronomical_unit",
    "decade": "ten_years",
    "degree Celsius": "degC",
    "degree Fahrenheit": "degF",
    "electronvolt": "electron_volt",
    "elementary charge": "elementary_charge",
    "joule per kilogram kelvin": "joule / (kilogram * kelvin)",
    "joule per mole kelvin": "joule / (mole * kelvin)",
    "Julian year": "julian_year",
    "kilotonne": "kilometric_ton",
    "light-year": "light_year",
    "long ton": "long_ton",
    "megatonne": "megametric_ton",
    "nautical mile": "nautical_mile",
    "per mille": "permille",
    "short ton": "short_ton",
    "standard atmosphere": "standard_atmosphere",
    "watt per metre kelvin": "watt / (metre * kelvin)",
}


def units() -> list[dict[str, str]]:
    with (ROOT / "seeds/units.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def conversions() -> list[tuple[dict[str, str], dict[str, str]]]:
    """Each unit with its dimension's base unit; a pure number and the currencies convert into nothing."""
    by_id = {unit["unit_id"]: unit for unit in units()}
    physical = [u for u in by_id.values() if not u["dimension"].startswith("currency") and u["unit_id"] != "Q199"]
    return [(unit, by_id[unit["base_unit"]]) for unit in physical]


@pytest.fixture(scope="module")
def registry() -> pint.UnitRegistry:
    registry = pint.UnitRegistry()
    registry.define("international_acre = 43560 * foot ** 2")  # pint's acre is the US survey acre
    registry.define("ten_years = 10 * year")  # pint's decade is a factor of ten
    return registry


def pint_name(unit: dict[str, str]) -> str:
    return "dimensionless" if unit["unit_id"] == "Q199" else _PINT.get(unit["label"], unit["label"])


@pytest.mark.parametrize(("unit", "base"), conversions(), ids=lambda unit: unit["label"])
@pytest.mark.parametrize("amount", [0.0, 1.0, 37.5])
def test_a_conversion_agrees_with_pint(
    registry: pint.UnitRegistry, unit: dict[str, str], base: dict[str, str], amount: float
) -> None:
    expected = registry.Quantity(amount, pint_name(unit)).to(pint_name(base)).magnitude
    ours = amount * float(unit["factor"]) + float(unit["addend"])
    assert ours == pytest.approx(expected, rel=1e-9, abs=1e-12 * float(unit["factor"]))


def test_a_base_unit_is_its_own_base() -> None:
    for unit in units():
        if unit["unit_id"] == unit["base_unit"]:
            assert (float(unit["factor"]), float(unit["addend"])) == (1.0, 0.0), unit
    bases = {unit["dimension"]: unit["base_unit"] for unit in units()}
    assert all(unit["base_unit"] == bases[unit["dimension"]] for unit in units())


def test_every_currency_is_a_dimension_of_its_own() -> None:
    currencies = [unit for unit in units() if unit["dimension"].startswith("currency")]
    assert len({unit["dimension"] for unit in currencies}) == len(currencies)
    assert all(unit["dimension"] == f"currency_{unit['symbol'].lower()}" for unit in currencies)


def test_every_unit_and_property_says_what_it_was_checked_against() -> None:
    with (ROOT / "seeds/vocabulary.csv").open(newline="") as file:
        known = {(row["kind"], row["id"]): row["label"] for row in csv.DictReader(file)}
    with (ROOT / "seeds/properties.csv").open(newline="") as file:
        properties = list(csv.DictReader(file))
    assert {("unit", unit["unit_id"]) for unit in units()} <= set(known)
    assert {("property", row["property_id"]) for row in properties} <= set(known)
