"""Airports with an IATA code, from airportsdata (MIT): international ones, those of large cities, extremes.

Elevations stay in feet, as aviation publishes them, while mountains come in metres: one property, two units. An
elevation of exactly 0 is left out, since the source writes 0 also where it does not know.
"""

from __future__ import annotations

import collections
import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import airportsdata

from ingest.sample.build import cities
from ingest.sample.build.model import Coordinate, Fact, Item, Quantity, Ref
from ingest.sample.build.places import country_ids, distance_km, time_zone_item, us_state_items

SOURCE = "airportsdata"
AIRPORT_CLASS = "Q1248784"
FOOT = "Q3710"
MAX_DISTANCE_KM = 60.0
# Above the one and below the other every airport is taken, so that the highest and lowest of all are among them.
HIGH_FEET, LOW_FEET = 8_000, 0
# Bases, and names with a remark in brackets ("under construction").
NOT_WANTED = re.compile(
    r"\b(AFB|Air Base|Air Force|Airbase|Army|Naval|Military|RAF|Heliport|Seaplane)\b|[(]", re.IGNORECASE
)
# A letter with a code point above U+024F is not Latin; such a name would not be an English label.
NOT_LATIN = re.compile("[\u0370-\uffff]")


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the airports, their time zones and US states; cities are referred to by their GeoNames ids."""
    items: dict[str, Item] = {}
    facts: list[Fact] = []
    for row in chosen():
        item = Item(
            f"icao:{row['icao']}", _label(row["name"]), aliases=(row["iata"],), classes=(AIRPORT_CLASS,), source=SOURCE
        )
        items[item.id] = item
        zone = time_zone_item(row["tz"])
        items[zone.id] = zone
        facts.extend(_facts(item.id, row))
    items.update({state.id: state for state in us_state_items().values()})
    return list(items.values()), facts


@functools.cache
def chosen() -> list[dict[str, Any]]:
    """The airportsdata rows that become airports, by ICAO code."""
    every: list[dict[str, Any]] = [dict(row) for row in airportsdata.load("IATA").values()]
    rows = [row for row in every if _is_named_well(row)]
    names = collections.Counter(_label(row["name"]) for row in rows)
    return sorted((row for row in rows if names[_label(row["name"])] == 1), key=lambda row: row["icao"])


def _is_named_well(row: dict[str, Any]) -> bool:
    name = row["name"]
    if (
        not row["icao"].isalnum()
        or "Airport" not in name
        or NOT_WANTED.search(name)
        or NOT_LATIN.search(name)
        or row["country"] not in country_ids()
    ):
        return False
    is_extreme = row["elevation"] >= HIGH_FEET or row["elevation"] < LOW_FEET
    return bool(row["tz"]) and ("International" in name or is_extreme or served_city(row) is not None)


def _label(name: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\s*/\s*", "/", name)).strip()


def _facts(subject: str, row: dict[str, Any]) -> Iterator[Fact]:
    def fact(prop: str, value: Any) -> Fact:
        return Fact(subject, prop, value, source=SOURCE)

    yield fact("P17", Ref(country_ids()[row["country"]]))
    yield fact("P421", Ref(time_zone_item(row["tz"]).id))
    yield fact("P625", Coordinate(row["lat"], row["lon"]))
    if row["elevation"]:
        yield fact("P2044", Quantity(f"{row['elevation']:.10g}", FOOT))
    city = served_city(row)
    if city is not None:
        yield fact("P931", Ref(city))
    state = _states_by_name().get(row["subd"]) if row["country"] == "US" else None
    if state:
        yield fact("P131", Ref(state))


def served_city(row: dict[str, Any]) -> str | None:
    """Id of the sample's city that the airport names as its own and that lies within 60 km, if there is one."""
    for city in _cities_by_name().get((row["country"], fold(row["city"])), ()):
        if distance_km((row["lat"], row["lon"]), (city["latitude"], city["longitude"])) <= MAX_DISTANCE_KM:
            return f"geonames:{city['geonameid']}"
    return None


def fold(name: str) -> str:
    """A name without accents, case and punctuation, for comparing spellings."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", " ", plain.lower()).strip().removesuffix(" city")


@functools.cache
def _cities_by_name() -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for city in cities.chosen():
        for name in {fold(city["name"])} | {fold(alias) for alias in city["alternatenames"]}:
            found[city["countrycode"], name].append(city)
    return found


@functools.cache
def _states_by_name() -> dict[str, str]:
    return {str(state.label): state.id for state in us_state_items().values()}
