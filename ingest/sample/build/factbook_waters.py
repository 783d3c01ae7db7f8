"""Reads the 'Major rivers' and 'Major lakes' lists of the World Factbook, country by country and for the world."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.sample.build import country_list, factbook
from ingest.sample.build.places import country_ids, country_ids_by_name

WORLD = "XX"
# Names as the Factbook writes them -> ISO 3166-1 code, where Natural Earth spells them otherwise.
OTHER_NAMES = {
    "Burma": "MM",
    "China": "CN",
    "Congo, Democratic Republic of the": "CD",
    "Congo, Republic of the": "CG",
    "Cote d'Ivoire": "CI",
    "Czechia": "CZ",
    "Democratic Republic of Congo": "CD",
    "Democratic Republic of the Congo": "CD",
    "DRC": "CD",
    "Gambia, The": "GM",
    "Netherlands": "NL",
    "Republic of Congo": "CG",
    "Serbia": "RS",
    "Tanzania": "TZ",
    "The Gambia": "GM",
    "Turkey": "TR",
    "Turkey (Turkiye)": "TR",
    "Türkiye": "TR",
    "US": "US",
    "United States": "US",
    "Vietnam": "VN",
    "West Bank": "PS",
}


@dataclass(frozen=True)
class Entry:
    """One river or lake in one list: its names there, its countries (Wikidata ids), its figure as text or None."""

    name: str
    other_name: str | None
    countries: tuple[str, ...]
    figure: str | None
    is_salt: bool
    page: str
    is_world: bool


def rivers() -> Iterator[Entry]:
    """Every entry of every list of rivers; the figure is the length in km."""
    for page, country, geography in _pages():
        text = geography.get("Major rivers (by length in km)", {}).get("text", "")
        yield from _entries(text, "km", page, country, is_salt=False)


def lakes() -> Iterator[Entry]:
    """Every entry of every list of lakes; the figure is the area in km2, None for ranges and for one country's part."""
    for page, country, geography in _pages():
        lists = geography.get("Major lakes (area sq km)", {})
        for kind, value in lists.items():
            text = value if isinstance(value, str) else value.get("text", "")
            yield from _entries(text, "sq km", page, country, is_salt=kind.startswith("salt"))


def watersheds() -> Iterator[tuple[str, str, str]]:
    """(river, ocean or 'endorheic', area in km2) of every watershed that a country's page lists by its river's name."""
    for _, _, geography in _pages():
        for kind, value in geography.get("Major watersheds (area sq km)", {}).items():
            if "drainage" not in kind or not isinstance(value, dict):
                continue
            text = re.sub(r"<em>.*?</em>|\*", "", html.unescape(value["text"]))
            for name, area in re.findall(r"([^,;()]+?)\s*\((\d[\d,]+) sq km", re.sub(r"<[^>]+>", "", text)):
                yield name.strip(), kind.removesuffix(" drainage"), area.replace(",", "")


@functools.cache
def _pages() -> tuple[tuple[str, str | None, dict[str, Any]], ...]:
    """(page code, the country's Wikidata id or None for the world, geography) of every page, by code."""
    countries = {country.geonames["fips"]: country.id for country in country_list.countries()}
    found = []
    for code, profile in sorted(factbook.profiles().items()):
        if code == WORLD or code in countries:
            found.append((code, countries.get(code), profile.get("Geography", {})))
    return tuple(found)


def _entries(text: str, unit: str, page: str, country: str | None, is_salt: bool) -> Iterator[Entry]:
    plain = re.sub(r"<[^>]+>", " | ", html.unescape(text)).replace("–", "-")
    plain = re.sub(r"\s+", " ", plain).replace("[s/m]", "").replace("[s]", "").replace("[m]", "")
    if page == WORLD:
        plain = plain.partition(":")[2].removeprefix(" |")
    plain = re.split(r"\|? ?note", plain)[0]
    for part in plain.replace("|", " ").split(";"):
        found = re.match(
            rf"(?P<head>.+?)\s*-?\s*(?P<figure>\d[\d,]*(?:-\d[\d,]*)?)(?: {unit})?(?P<tail>.*)$", part.strip(" )")
        )
        if found is None:
            continue
        head, tail = found["head"].strip(), found["tail"]
        name, other_name = _names(head)
        is_part = "*" in name or "-" in found["figure"] or "seasonal" in tail
        yield Entry(
            name.replace("*", ""),
            other_name,
            _countries(head + " " + tail, country),
            None if is_part else found["figure"].replace(",", ""),
            is_salt,
            page,
            page == WORLD,
        )


def _names(head: str) -> tuple[str, str | None]:
    """'Lancang Jiang (Mekong) river source (shared ...' -> ('Mekong', 'Lancang Jiang')."""
    bare = re.split(r"\s*\((?:[a-z ]*shared|mouth shared|endorheic|ephemeral|[A-Z][\w ,]+\)$)", head)[0]
    bare = re.sub(r"\s+river(?: (?:source|mouth|source and mouth))?\s*$", "", bare.strip())
    found = re.fullmatch(r"(.+?) \(([^)]+)\)", bare)
    if found:
        return re.sub(r" river$", "", found[2]).strip(), found[1].strip()
    return bare.strip(), None


def _countries(text: str, page_country: str | None) -> tuple[str, ...]:
    """The page's own country with those that 'shared with' lists; on the world's page those in brackets."""
    listed = re.search(r"shared with ([^)]*)" if page_country else r"\(([^)]*)\)", text)
    names = re.split(r",| and ", listed[1]) if listed else []
    found = {_country_id(name.strip()) for name in names} | {page_country}
    return tuple(sorted(code for code in found if code))


def _country_id(name: str) -> str | None:
    if name in OTHER_NAMES:
        return country_ids().get(OTHER_NAMES[name])
    return country_ids_by_name().get(name)
