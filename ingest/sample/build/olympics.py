"""Summer and Winter Olympic Games: where and when, how many took part, and who led the medal table.

Counts are those of the International Olympic Committee. The Games of 1916, 1940 and 1944 were not held and are left
out. A gold count that was changed later (after a disqualification) is left out too; the order of the nations stands.
"""

from __future__ import annotations

from typing import Final

from ingest.sample.build.geonames_cities import city_item
from ingest.sample.build.model import Fact, Item, Quantity, Ref, Value
from ingest.sample.build.typed_table import Names, country_id, date_value, read_table, typed_id

SUMMER_GAMES: Final = "Q159821"
WINTER_GAMES: Final = "Q82414"

# What a Games has parts of, by the column that counts it: Wikidata's "has part(s) of the class" with a quantity.
PARTS: Final = {
    "nations": "Olympic delegation",
    "events": "Olympic event",
    "sports": "Olympic sport",
    "women": "female Olympic competitor",
    "men": "male Olympic competitor",
}
PLACES: Final = ("first", "second", "third")


def build() -> tuple[list[Item], list[Fact]]:
    """30 summer and 24 winter editions, from typed/summer_olympics.csv and typed/winter_olympics.csv."""
    names = Names()
    names.add(Item(SUMMER_GAMES, "Summer Olympic Games"))
    names.add(Item(WINTER_GAMES, "Winter Olympic Games"))
    facts: list[Fact] = []
    for table, class_id in (("summer_olympics", SUMMER_GAMES), ("winter_olympics", WINTER_GAMES)):
        for row in read_table(table):
            facts += _games(row, class_id, names)
    return names.items(), facts


def _games(row: dict[str, str], class_id: str, names: Names) -> list[Fact]:
    games = names.add(Item(typed_id("games", row["games"]), row["games"], classes=(class_id,))).id
    country = country_id(row["country"])
    city = names.add(city_item(row["city"], row["country"]))
    facts = [
        Fact(games, "P17", Ref(country)),
        Fact(games, "P276", city),
        Fact(games, "P580", date_value(row["start"])),
        Fact(games, "P582", date_value(row["end"])),
        Fact(games, "P1132", Quantity(row["athletes"])),
    ]
    for column, part in PARTS.items():
        if row[column]:
            facts.append(_part(games, names.typed("class", part), row[column]))
    return facts + [_medals(games, row, place, names) for place in PLACES if row[place]]


def _part(games: str, part: Ref, amount: str) -> Fact:
    return Fact(games, "P2670", part, qualifiers=(("P1114", Quantity(amount)),))


def _medals(games: str, row: dict[str, str], place: str, names: Names) -> Fact:
    """The nation in this place of the medal table; the leader's statement is the preferred one."""
    ranking = PLACES.index(place) + 1
    qualifiers: list[tuple[str, Value]] = [("P1352", Quantity(str(ranking)))]
    if row[f"{place}_golds"]:
        qualifiers.append(("P1355", Quantity(row[f"{place}_golds"])))
    nation = names.place("delegation", row[place])
    return Fact(games, "P1346", nation, rank="preferred" if ranking == 1 else "normal", qualifiers=tuple(qualifiers))
