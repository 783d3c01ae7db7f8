"""Chemical compounds of which at least six constants have been measured."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from ingest.sample.build.amounts import bounds, plain, scaled
from ingest.sample.build.chemicals_data import (
    NOT_COUNTED,
    SOURCE,
    TABLES,
    Substance,
    measured,
    second_opinions,
    substances,
)
from ingest.sample.build.mendeleev_db import element_id, elements
from ingest.sample.build.rdf import Fact, Item, Quantity, Rank, Ref, Text, Value

CHEMICAL_COMPOUND, HYDROCARBON = "Q11173", "Q43648"
DALTON, KELVIN, FAHRENHEIT, KG_PER_M3, PASCAL = "Q483261", "Q11579", "Q42289", "Q844211", "Q44395"
J_PER_MOL, J_PER_MOL_K, DEBYE, PERCENT = "Q13035094", "Q20966455", "Q40603", "Q11229"
GAS, CRITICAL_POINT = "Q11432", "typed:state/critical-point"
MIN_MEASURED = 6
AGREEMENT_K = 6.0
ROOM_TEMPERATURE_K = 298.15
# The identifier table's own name is that of a solution, a brand or a polymer.
NAMES = {
    "110-18-9": "tetramethylethylenediamine",
    "117-81-7": "bis(2-ethylhexyl) phthalate",
    "7803-51-2": "phosphine",
    "1344-28-1": "aluminum oxide",
    "7647-01-0": "hydrogen chloride",
    "7664-39-3": "hydrogen fluoride",
    "10034-85-2": "hydrogen iodide",
    "10035-10-6": "hydrogen bromide",
    "74-90-8": "hydrogen cyanide",
    "7783-06-4": "hydrogen sulfide",
    "124-38-9": "carbon dioxide",
    "50-00-0": "formaldehyde",
    "7722-84-1": "hydrogen peroxide",
    "56-23-5": "carbon tetrachloride",
}
_ATOM = re.compile(r"([A-Z][a-z]?)(\d*)")
_GOOD_NAME = re.compile(r"[a-z0-9][a-z0-9 ,'()α-ω-]{2,39}|[a-z ]+ \([A-Z][A-Za-z0-9]+\)")

# property of Wikidata, key of TABLES, unit, factor, the values that can be true
CONSTANTS: tuple[tuple[str, str, str | None, int, float, float], ...] = (
    ("P2066", "fusion", J_PER_MOL, 1, 100, 2e5),
    ("P2201", "dipole_moment", DEBYE, 1, -1, 15),
    ("P2128", "flash_point", KELVIN, 1, 100, 700),
    ("P2199", "autoignition", KELVIN, 1, 300, 1200),
    ("P2202", "lower_flammable_limit", PERCENT, 100, 0.1, 50),
    ("P2203", "upper_flammable_limit", PERCENT, 100, 1, 100),
)


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the compounds; elements are referred to by their ids."""
    items = [Item(CRITICAL_POINT, "critical point"), Item(HYDROCARBON, "hydrocarbon")]
    facts: list[Fact] = []
    for substance in chosen():
        items.append(_item(substance))
        facts += [
            *_composition(substance),
            *_phase_changes(substance),
            *_constants(substance),
            *_under_conditions(substance),
        ]
    return items, facts


def chosen() -> list[Substance]:
    """Compounds with a readable name of their own and enough measured constants, by PubChem number."""
    wanted = [
        substance
        for substance in substances()
        if _is_compound(substance) and _measured_count(substance) >= MIN_MEASURED
    ]
    times = Counter(_name(substance) for substance in wanted)
    return [
        substance for substance in wanted if times[_name(substance)] == 1 and _GOOD_NAME.fullmatch(_name(substance))
    ]


def _measured_count(substance: Substance) -> int:
    return sum(substance.cas in measured(prop) for prop in TABLES if prop not in NOT_COUNTED)


def _is_compound(substance: Substance) -> bool:
    """Two elements or more; no isotopic labels, no hydrates or mixtures (salts are one substance in several parts)."""
    labelled = re.search(r"\[\d+[A-Z]", substance.smiles) or "deuter" in substance.name
    parts = substance.smiles.split(".")
    mixture = len(parts) > 1 and any("+" not in part and "-" not in part for part in parts)
    if labelled or mixture or not re.fullmatch(r"[A-Za-z0-9]+", substance.formula):
        return False  # an ion's formula has a charge in it
    return len(composition(substance.formula)) > 1


def composition(formula: str) -> dict[str, int]:
    """Symbol -> number of atoms of a Hill formula such as 'C2H6O'; raises ValueError for anything else in it."""
    if "".join(match.group() for match in _ATOM.finditer(formula)) != formula:
        raise ValueError(f"Formula {formula!r} is no plain list of elements and numbers.")
    return {symbol: int(count or 1) for symbol, count in _ATOM.findall(formula)}


def _name(substance: Substance) -> str:
    """The common name in lower case (but for a formula in it), an inverted 'octane, 2,7-dimethyl-' put right."""
    name = NAMES.get(substance.cas, substance.name)
    inverted = re.fullmatch(r"([a-z]+), (\S+)-", name)
    if inverted:
        return inverted[2] + inverted[1]
    words, bracket, formula = name.partition(" (")
    is_abbreviation = re.search(r"[A-Z]{2}|[A-Z]\b", words)
    return name if is_abbreviation else words.lower() + bracket + formula


def _item(substance: Substance) -> Item:
    """The item; PubChem's synonyms in plain words become aliases, at most three."""
    name = _name(substance)
    synonyms = (substance.iupac_name, substance.name, *substance.synonyms)
    # A letter before a digit, or no letters at all, is a registry code.
    wanted = [
        text
        for text in synonyms
        if re.fullmatch(r"[a-z0-9,' -]{3,40}", text) and not re.search(r"[a-z]\d|^[\d -]+$", text)
    ]
    aliases = [text for text in dict.fromkeys(wanted) if text != name][:3]
    classes = [CHEMICAL_COMPOUND]
    if set(composition(substance.formula)) == {"C", "H"}:
        classes.append(HYDROCARBON)
    return Item(f"pubchem:{substance.cid}", name, aliases=tuple(aliases), classes=tuple(classes), source=SOURCE)


def _fact(
    substance: Substance, prop: str, value: Value, rank: Rank = "normal", qualifiers: tuple[tuple[str, Value], ...] = ()
) -> Fact:
    return Fact(f"pubchem:{substance.cid}", prop, value, rank, qualifiers, SOURCE)


@functools.cache
def _weights() -> dict[str, Decimal]:
    return {row["symbol"]: Decimal(plain(row["atomic_weight"])) for row in elements()}


def _composition(substance: Substance) -> Iterator[Fact]:
    """Formula, numbers and mass; the mass is added up from mendeleev's atomic weights."""
    yield _fact(substance, "P231", Text(substance.cas))
    yield _fact(substance, "P662", Text(substance.cid))
    yield _fact(substance, "P274", Text(substance.formula))
    atoms = composition(substance.formula)
    total = sum((_weights()[symbol] * count for symbol, count in atoms.items()), Decimal(0))
    yield Fact(f"pubchem:{substance.cid}", "P2067", Quantity(plain(total, 7), DALTON), source="mendeleev")
    for symbol, count in sorted(atoms.items()):
        yield _fact(substance, "P527", Ref(element_id(symbol)), qualifiers=(("P1114", Quantity(str(count))),))


def _phase_changes(substance: Substance) -> Iterator[Fact]:
    for prop, key, column in (("P2101", "melting_point", "Tm"), ("P2102", "boiling_point", "Tb")):
        value = measured(key).get(substance.cas)
        if value is not None:
            yield from _temperature(
                substance, prop, value, *second_opinions().get(substance.cas, {}).get(column, (None, None))
            )


def _temperature(
    substance: Substance, prop: str, value: str, webbook: float | None, wikidata: float | None
) -> Iterator[Fact]:
    """A melting or boiling point, held against two other collections.

    What both of them contradict is left out. Wikidata's own value, often in degrees Fahrenheit, stands beside it: the
    table's is preferred where the two agree, and neither is where they don't.
    """
    kelvin = float(value)
    others = [other for other in (webbook, wikidata) if other is not None]
    agreeing = [other for other in others if abs(other - kelvin) <= AGREEMENT_K]
    if (len(others) == 2 and not agreeing) or not _is_plausible(substance, prop, kelvin):
        return
    fahrenheit = _whole_fahrenheit(wikidata)
    rank: Rank = "preferred" if fahrenheit is not None and agreeing else "normal"
    yield _fact(substance, prop, Quantity(plain(value, 8), KELVIN), rank)
    if fahrenheit is not None:
        yield Fact(f"pubchem:{substance.cid}", prop, Quantity(fahrenheit, FAHRENHEIT), source="wikidata")
    elif wikidata is not None and not agreeing:
        yield Fact(f"pubchem:{substance.cid}", prop, Quantity(plain(wikidata, 7), KELVIN), source="wikidata")


def _is_plausible(substance: Substance, prop: str, kelvin: float) -> bool:
    """Whether melting and boiling point stand in a ratio that substances have, between a quarter and one."""
    melting, boiling = (measured(key).get(substance.cas) for key in ("melting_point", "boiling_point"))
    if prop != "P2101" or melting is None or boiling is None:
        return True
    return 0.25 <= kelvin / float(boiling) <= 1.0


def _whole_fahrenheit(kelvin: float | None) -> str | None:
    """The degrees Fahrenheit that a temperature was written in, where only they come out whole."""
    if kelvin is None:
        return None
    celsius = kelvin - 273.15
    fahrenheit = celsius * 9 / 5 + 32
    is_whole = abs(fahrenheit - round(fahrenheit)) < 0.002 and abs(celsius - round(celsius)) > 0.02
    return str(round(fahrenheit)) if is_whole else None


def _constants(substance: Substance) -> Iterator[Fact]:
    for prop, key, unit, factor, low, high in CONSTANTS:
        value = measured(key).get(substance.cas)
        if value is not None:
            amount = scaled(float(value), factor, 8)
            if low <= float(amount) <= high and not (key == "flash_point" and _boils_below(substance, float(value))):
                yield _fact(substance, prop, Quantity(amount, unit))
    boiling = measured("boiling_point").get(substance.cas)
    melting = measured("melting_point").get(substance.cas)
    density = measured("density").get(substance.cas)
    # The density of a gas would be that of its liquid at a temperature the table doesn't give.
    if density is not None and float(boiling or melting or 0) > ROOM_TEMPERATURE_K:
        yield _fact(substance, "P2054", Quantity(plain(float(density), 6), KG_PER_M3))


def _boils_below(substance: Substance, kelvin: float) -> bool:
    """A flash point above the boiling point is that of a solution."""
    boiling = measured("boiling_point").get(substance.cas)
    return boiling is not None and float(boiling) <= kelvin


def _under_conditions(substance: Substance) -> Iterator[Fact]:
    """Constants that need a condition said: critical point, temperature, phase."""
    cas = substance.cas
    critical: tuple[tuple[str, Value], ...] = (("P1013", Ref(CRITICAL_POINT)),)
    temperature = float(measured("critical_temperature").get(cas, 0))
    if temperature > float(measured("boiling_point").get(cas, 4)):
        yield _fact(
            substance, "P2076", Quantity(plain(measured("critical_temperature")[cas]), KELVIN), qualifiers=critical
        )
    if cas in measured("critical_pressure"):
        yield _fact(
            substance,
            "P2077",
            Quantity(plain(float(measured("critical_pressure")[cas]), 8), PASCAL),
            qualifiers=critical,
        )
    boiling = measured("vaporisation").get(cas)
    at_298 = measured("vaporisation_298").get(cas)
    if boiling is not None:
        yield _fact(substance, "P2116", Quantity(plain(boiling), J_PER_MOL), rank="preferred" if at_298 else "normal")
        if at_298 is not None:
            at: tuple[tuple[str, Value], ...] = (("P2076", Quantity("298.15", KELVIN)),)
            yield _fact(substance, "P2116", Quantity(plain(at_298), J_PER_MOL), qualifiers=at)
    index_at = measured("refractive_index_at").get(cas)
    if index_at is not None and float(index_at) in (293.15, 298.15):
        at = (("P2076", Quantity(plain(index_at), KELVIN)),)
        yield _fact(substance, "P1109", Quantity(plain(measured("refractive_index")[cas])), qualifiers=at)
    gas: tuple[tuple[str, Value], ...] = (("P515", Ref(GAS)),)
    if cas in measured("formation"):
        amount = plain(measured("formation")[cas])
        uncertainty = float(measured("formation_uncertainty").get(cas, 0))
        yield _fact(substance, "P3078", Quantity(amount, J_PER_MOL, *bounds(amount, uncertainty)), qualifiers=gas)
    if cas in measured("entropy"):
        yield _fact(substance, "P3071", Quantity(plain(measured("entropy")[cas]), J_PER_MOL_K), qualifiers=gas)
