"""Isotopes from mendeleev (MIT): those found in nature, and the radioactive ones that outlive a day.

Half-lives come in the unit that suits the isotope, hours, days or years; a stable isotope has none, which
is said as 'no value'. Isotopes belong to their element by P279, as Wikidata says that carbon-13 is a kind of carbon.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ingest.sample.build.amounts import bounds, plain, scaled
from ingest.sample.build.mendeleev_db import SOURCE, Row, element_id, elements, rows
from ingest.sample.build.model import NOVALUE, Fact, Item, Quantity, Ref, Time, Value

ISOTOPE_CLASS = "Q25276"
DALTON, PERCENT = "Q483261", "Q11229"
HOUR, DAY, YEAR = "Q25235", "Q573", "Q577"
# mendeleev's unit -> (unit, factor to it, days in mendeleev's unit)
DAYS_IN = {HOUR: 1 / 24, DAY: 1.0, YEAR: 365.25}
# mendeleev's unit -> (unit, factor to it)
HALF_LIFE_UNITS = {
    "hour": (HOUR, "1"),
    "day": (DAY, "1"),
    "year": (YEAR, "1"),
    "kyear": (YEAR, "1e3"),
    "Myear": (YEAR, "1e6"),
    "Gyear": (YEAR, "1e9"),
    "Tyear": (YEAR, "1e12"),
    "Pyear": (YEAR, "1e15"),
    "Eyear": (YEAR, "1e18"),
    "Zyear": (YEAR, "1e21"),
    "Yyear": (YEAR, "1e24"),
}
DECAY_MODES = {
    "A": ("alpha", "alpha decay"),
    "B-": ("beta-minus", "beta minus decay"),
    "B+": ("beta-plus", "beta plus decay or electron capture"),
    "EC": ("electron-capture", "electron capture"),
    "SF": ("spontaneous-fission", "spontaneous fission"),
    "2B-": ("double-beta-minus", "double beta minus decay"),
    "2B+": ("double-beta-plus", "double beta plus decay"),
}


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the isotopes and their decay modes; elements are referred to by their ids."""
    element_of = {row["atomic_number"]: row for row in elements()}
    items = [Item(_mode_id(code), DECAY_MODES[code][1], source=SOURCE) for code in DECAY_MODES]
    facts: list[Fact] = []
    for row in chosen():
        element = element_of[row["atomic_number"]]
        items.append(_item(row, element))
        facts.extend(_facts(row, element))
    return items, facts


def chosen() -> list[Row]:
    """mendeleev's isotopes with a natural abundance or a half-life of a day or more, by atomic and mass number.

    Tantalum-180 is left out: what is found in nature is its isomer, whose numbers differ from the ground state's.
    """
    query = "select * from isotopes order by atomic_number, mass_number"
    known = [row for row in rows(query) if (row["atomic_number"], row["mass_number"]) != (73, 180)]
    return [row for row in known if row["abundance"] or (half_life_in_days(row) or 0) >= 1]


def half_life_in_days(row: Row) -> float | None:
    """Half-life in days, None where it is unknown, infinite or shorter than hours."""
    if row["half_life"] is None or row["half_life_unit"] not in HALF_LIFE_UNITS:
        return None
    unit, factor = HALF_LIFE_UNITS[row["half_life_unit"]]
    return float(row["half_life"]) * float(factor) * DAYS_IN[unit]


def isotope_id(row: Row, element: Row) -> str:
    """The id of an isotope: symbol and mass number, such as mendeleev:Fe-56."""
    return f"{element_id(element['symbol'])}-{row['mass_number']}"


def _item(row: Row, element: Row) -> Item:
    aliases = (
        f"{element['symbol']}-{row['mass_number']}",
        *_OTHER_NAMES.get((row["atomic_number"], row["mass_number"]), ()),
    )
    label = f"{element['name'].lower()}-{row['mass_number']}"
    return Item(isotope_id(row, element), label, aliases=aliases, classes=(ISOTOPE_CLASS,), source=SOURCE)


_OTHER_NAMES = {(1, 1): ("protium",), (1, 2): ("deuterium",), (1, 3): ("tritium",)}


def _facts(row: Row, element: Row) -> Iterator[Fact]:
    subject = isotope_id(row, element)

    def fact(prop: str, value: Value, **more: Any) -> Fact:
        return Fact(subject, prop, value, source=SOURCE, **more)

    yield fact("P279", Ref(element_id(element["symbol"])))
    yield fact("P1086", Quantity(str(row["atomic_number"])))
    yield fact("P1148", Quantity(str(row["mass_number"] - row["atomic_number"])))
    mass = plain(row["mass"], 14)
    yield fact("P2067", Quantity(mass, DALTON, *bounds(mass, row["mass_uncertainty"])))
    if row["abundance"]:
        share = plain(row["abundance"])
        yield fact("P2374", Quantity(share, PERCENT, *bounds(share, row["abundance_uncertainty"])))
    if row["spin"]:
        yield fact("P1122", Quantity(plain(float(Fraction(row["spin"])))))
    if row["parity"] in ("+", "-"):
        yield fact("P1123", Quantity("1" if row["parity"] == "+" else "-1"))
    if row["g_factor"]:
        yield fact("P1097", Quantity(plain(row["g_factor"], 7)))
    if row["discovery_year"]:
        yield fact("P575", Time(str(row["discovery_year"])))
    yield from (fact("P2114", value) for value in _half_life(row))
    yield from (fact("P817", Ref(_mode_id(mode))) for mode in _observed_modes(row["id"]))


def _half_life(row: Row) -> Iterator[Value]:
    if not row["is_radioactive"]:
        yield NOVALUE
    elif row["half_life"] is not None and row["half_life_unit"] in HALF_LIFE_UNITS:
        unit, factor = HALF_LIFE_UNITS[row["half_life_unit"]]
        amount = scaled(row["half_life"], factor, 15)
        error = row["half_life_uncertainty"]
        half = float(scaled(error, factor, 15)) if error and error < row["half_life"] else None
        yield Quantity(amount, unit, *bounds(amount, half))


def _observed_modes(isotope: int) -> list[str]:
    """Decay modes that were seen, with a share or as the only one; allowed but unseen ones are left out."""
    return [
        row["mode"]
        for row in rows("select * from isotopedecaymodes order by id")
        if row["isotope_id"] == isotope
        and row["mode"] in DECAY_MODES
        and not row["is_allowed_not_observed"]
        and row["relation"] in ("=", "~", ">")
        and row["intensity"]
    ]


def _mode_id(code: str) -> str:
    return f"mendeleev:decay-mode/{DECAY_MODES[code][0]}"
