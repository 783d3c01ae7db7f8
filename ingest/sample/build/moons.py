"""Moons of the Solar System that have names people know: parent body, discovery, size and orbit."""

from __future__ import annotations

from typing import Final

from ingest.sample.build.model import Fact, Item, Quantity
from ingest.sample.build.typed_table import Names, date_value, read_table, typed_id

MOON: Final = "Q2537"
# column -> property and unit
AMOUNTS: Final = {
    "radius_km": ("P2120", "Q828224"),
    "semi_major_axis_km": ("P2233", "Q828224"),
    "orbital_period_days": ("P2146", "Q573"),
}
BODIES: Final = {
    "Earth": "terrestrial planet",
    "Mars": "terrestrial planet",
    "Jupiter": "gas giant",
    "Saturn": "gas giant",
    "Uranus": "ice giant",
    "Neptune": "ice giant",
    "Pluto": "dwarf planet",
}


def build() -> tuple[list[Item], list[Fact]]:
    """The moons of typed/moons.csv and the bodies they orbit. Raises KeyError for a body that is not among these."""
    names = Names()
    names.add(Item(MOON, "natural satellite"))
    for kind in sorted(set(BODIES.values())):
        names.typed("class", kind)
    for body, kind in BODIES.items():
        names.add(Item(typed_id("body", body), body, classes=(typed_id("class", kind),)))
    facts: list[Fact] = []
    for row in read_table("moons"):
        moon = names.add(Item(typed_id("moon", row["moon"]), row["moon"], classes=(MOON,))).id
        facts.append(Fact(moon, "P397", names.add(_body(row["body"]))))
        if row["discovered"]:
            facts.append(Fact(moon, "P575", date_value(row["discovered"])))
        if row["discoverer"]:
            facts.append(Fact(moon, "P61", names.typed("discoverer", row["discoverer"])))
        for column, (prop, unit) in AMOUNTS.items():
            if row[column]:
                facts.append(Fact(moon, prop, Quantity(row[column], unit)))
    return names.items(), facts


def _body(name: str) -> Item:
    return Item(typed_id("body", name), name, classes=(typed_id("class", BODIES[name]),))
