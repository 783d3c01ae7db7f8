"""Hadrons (mesons and baryons) from the Particle Data Group's tables as packed in scikit-hep's particle (BSD-3-Clause).

Antiparticles are left out, since they repeat the numbers of their particles, and so are entries that the group calls
unsure. Masses are given in daltons and widths in electronvolts, units that Wikidata has; the source states both in
MeV.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from particle import Particle
from particle.particle.enums import Parity, Status

from ingest.sample.build.amounts import plain, scaled
from ingest.sample.build.model import Fact, Item, Quantity, Ref, Value

SOURCE = "particle"
HADRON_CLASS = "Q101667"
MESON, BARYON = "pdg:kind/meson", "pdg:kind/baryon"
DALTON, ELECTRONVOLT, ELEMENTARY_CHARGE = "Q483261", "Q83327", "Q2101"
FIRST_NUCLEUS = 1_000_000_000  # proton and neutron are listed a second time as nuclei
NAMES = {"n": "neutron", "p": "proton"}
MEV_PER_DALTON = Decimal("931.49410372")  # CODATA 2022
QUARKS = {
    "d": (1, "down quark"),
    "u": (2, "up quark"),
    "s": (3, "strange quark"),
    "c": (4, "charm quark"),
    "b": (5, "bottom quark"),
}


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the hadrons, the two kinds and the five quarks they are made of."""
    items = [Item(f"pdg:{number}", name, source=SOURCE) for number, name in QUARKS.values()]
    items += [Item(MESON, "meson", source=SOURCE), Item(BARYON, "baryon", source=SOURCE)]
    facts: list[Fact] = []
    for particle in chosen():
        label = NAMES.get(particle.name, particle.name)
        items.append(Item(f"pdg:{int(particle.pdgid)}", label, classes=(HADRON_CLASS,), source=SOURCE))
        facts.extend(_facts(particle))
    return items, facts


def chosen() -> list[Particle]:
    """Mesons and baryons (no antiparticles) that are established and have a mass, by their PDG number."""
    found = [
        particle
        for particle in Particle.all()
        if 0 < int(particle.pdgid) < FIRST_NUCLEUS
        and (particle.pdgid.is_meson or particle.pdgid.is_baryon)
        and particle.mass
        and particle.status in (Status.Common, Status.Rare)
    ]
    return sorted(found, key=lambda particle: int(particle.pdgid))


def _facts(particle: Particle) -> Iterator[Fact]:
    def fact(prop: str, value: Value, **more: Any) -> Fact:
        return Fact(f"pdg:{int(particle.pdgid)}", prop, value, source=SOURCE, **more)

    yield fact("P279", Ref(MESON if particle.pdgid.is_meson else BARYON))
    yield fact("P2067", _in_daltons(particle))
    if particle.width:
        yield fact("P2223", _in_electronvolts(particle))
    if particle.charge is not None:
        yield fact("P2200", Quantity(plain(float(particle.charge)), ELEMENTARY_CHARGE))
    if particle.J is not None:
        yield fact("P1122", Quantity(plain(float(particle.J))))
    if particle.I is not None:
        yield fact("P1126", Quantity(plain(float(particle.I))))
    if particle.P in (Parity.p, Parity.m):
        yield fact("P1123", Quantity(str(int(particle.P))))
    yield from (fact("P527", Ref(f"pdg:{number}")) for number in _quark_content(particle))


def _quark_content(particle: Particle) -> list[int]:
    """PDG numbers of the distinct flavours, none where the make-up is open; a capital letter is an antiquark."""
    letters = particle.quarks.replace("sqrt", "").replace("x", "").replace("y", "").lower()
    if "non-qq" in letters or "maybe" in letters or "?" in letters:
        return []
    return sorted({QUARKS[letter][0] for letter in letters if letter in QUARKS})


def _in_daltons(particle: Particle) -> Quantity:
    """The mass, converted with three digits more than the source has: converting back gives its number again."""
    mass = Decimal(str(particle.mass))
    digits = len(mass.as_tuple().digits) + 3

    def convert(amount: Decimal) -> str:
        return plain(amount / MEV_PER_DALTON, digits)

    if particle.mass_lower is None or particle.mass_upper is None:
        return Quantity(convert(mass), DALTON)
    low, high = mass - Decimal(str(particle.mass_lower)), mass + Decimal(str(particle.mass_upper))
    return Quantity(convert(mass), DALTON, convert(low), convert(high))


def _in_electronvolts(particle: Particle) -> Quantity:
    width = Decimal(str(particle.width))
    amount = scaled(str(width), "1e6", 15)
    if not particle.width_lower or not particle.width_upper:
        return Quantity(amount, ELECTRONVOLT)
    low, high = width - Decimal(str(particle.width_lower)), width + Decimal(str(particle.width_upper))
    return Quantity(amount, ELECTRONVOLT, scaled(str(max(low, Decimal(0))), "1e6", 15), scaled(str(high), "1e6", 15))
