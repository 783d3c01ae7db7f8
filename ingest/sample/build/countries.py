"""Countries and territories: what they measure, who lives there, what they are linked to, and since when they exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.sample.build import factbook
from ingest.sample.build.country_figures import BEYOND_BELIEF, figures, is_landlocked
from ingest.sample.build.country_links import links, shared_items
from ingest.sample.build.country_list import PARTLY_RECOGNISED, Country, countries
from ingest.sample.build.rdf import Fact, Item, Rank, Ref, Time, Value, redirect

COUNTRY, SOVEREIGN_STATE, DEPENDENT_TERRITORY, PARTLY_RECOGNISED_STATE = "Q6256", "Q3624078", "Q161243", "Q15634554"
LANDLOCKED_COUNTRY = "Q123480"
ENGLAND, SCOTLAND, UNITED_KINGDOM, EUROPE = "Q21", "Q22", "Q145", "Q46"
# Wikidata merged the first into the second; read off a reply of its API.
MERGED_KARLSRUHE, KARLSRUHE = "Q32063953", "Q1040"
# The Factbook dates the rule of a house (Monaco) or the start of a republic in an older state (Hungary).
NO_SINGLE_BEGINNING = {"HU", "MC"}
# Its first date is that of a new constitution, which nobody would call the beginning: no date of theirs is preferred.
OLDER_THAN_SAID = {"IR", "JP"}
CIRCA, TRADITIONAL = "typed:circumstance/circa", "typed:circumstance/traditional"


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the countries and of all that they point to."""
    items = {item.id: item for item in _reasons()}
    facts: list[Fact] = []
    for country in countries():
        items[country.id] = _item(country)
        found_items, found_facts = links(country)
        items.update({item.id: item for item in found_items})
        facts += found_facts + figures(country) + list(_beginnings(country))
    items.update({item.id: item for item in shared_items()})
    items[KARLSRUHE] = Item(KARLSRUHE, "Karlsruhe", description="city in Germany", source="wikidata")
    facts += [redirect(MERGED_KARLSRUHE, KARLSRUHE, "wikidata"), Fact(KARLSRUHE, "P17", Ref("Q183"), source="wikidata")]
    for part, name in ((ENGLAND, "England"), (SCOTLAND, "Scotland")):
        items[part] = Item(part, name, source="country_coder")
        facts.append(Fact(part, "P17", Ref(UNITED_KINGDOM), source="country_coder"))
        facts.append(Fact(part, "P30", Ref(EUROPE), source="country_coder"))
    return list(items.values()), facts


def _reasons() -> list[Item]:
    return [
        Item(BEYOND_BELIEF, "figure that other sources contradict"),
        Item(CIRCA, "circa"),
        Item(TRADITIONAL, "traditional date"),
    ]


def _item(country: Country) -> Item:
    if country.is_country:
        classes = [COUNTRY, SOVEREIGN_STATE]
        if is_landlocked(country):
            classes.append(LANDLOCKED_COUNTRY)
    else:
        classes = [PARTLY_RECOGNISED_STATE if country.iso in PARTLY_RECOGNISED else DEPENDENT_TERRITORY]
    row = country.natural_earth
    long_form = factbook.text(country.profile, "Government", "Country name", "conventional long form")
    aliases = {row.get("NAME_EN"), row.get("NAME_LONG"), row.get("FORMAL_EN"), row.get("ABBREV"), country.iso}
    aliases.update({country.geonames["name"], country.geonames["iso3"], long_form})
    kept = sorted(alias for alias in aliases if alias and alias not in ("none", country.name))
    names = {lang: row[f"NAME_{lang.upper()}"] for lang in ("de", "es", "fr") if row.get(f"NAME_{lang.upper()}")}
    return Item(
        country.id,
        country.name,
        aliases=tuple(kept),
        classes=tuple(classes),
        other_labels=names,
        source="natural_earth",
    )


def _beginnings(country: Country) -> Iterator[Fact]:
    """Independence or foundation; of several dates the one that the Factbook puts first is preferred."""
    found = factbook.text(country.profile, "Government", "Independence")
    if not found or not country.is_country or country.iso in NO_SINGLE_BEGINNING:
        return
    main, _, history = found.partition("notable earlier date")
    first, _, later = main.strip("; ").partition("); ")
    date = factbook.iso_date(first)
    recognised = factbook.iso_date(later) if "declared" in first and "recognized" in later else None
    if date is None or (later and recognised is None) or "; " in first:
        return
    earlier = list(_earlier_dates(history))
    rank: Rank = "preferred" if (earlier or recognised) and country.iso not in OLDER_THAN_SAID else "normal"
    traditional = (("P1480", Ref(TRADITIONAL)),) if "traditional" in main else ()
    yield _beginning(country, *date, rank, traditional)
    if recognised is not None:
        yield _beginning(country, *recognised)
    for iso, precision, circumstance in earlier:
        yield _beginning(country, iso, precision, "normal", (("P1480", Ref(circumstance)),))


def _beginning(
    country: Country, iso: str, precision: int, rank: Rank = "normal", qualifiers: tuple[tuple[str, Value], ...] = ()
) -> Fact:
    is_julian = iso.startswith("-") or int(iso[:4]) < 1583
    value = Time(iso, precision, "julian" if is_julian else "gregorian")
    return Fact(country.id, "P571", value, rank=rank, qualifiers=qualifiers, source=factbook.SOURCE)


def _earlier_dates(found: str) -> Iterator[tuple[str, int, str]]:
    """The BCE dates among the 'notable earlier dates': (date, precision, circumstance)."""
    for part in re.split(r"[;:] |\), ", found):
        if " B.C." in part.partition("(")[0]:
            circa = part.strip().startswith("ca. ")
            date = factbook.iso_date(part.strip().removeprefix("ca. "))
            if date is not None:
                # A day so long ago is legend; the year is all that is kept of it.
                yield (date[0] if date[1] == 9 else date[0][:5]), 9, CIRCA if circa else TRADITIONAL
