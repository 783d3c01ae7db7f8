"""Wars, battles and sieges: when, in which country of today, between which main powers, in which war, and who won."""

from __future__ import annotations

from typing import Final

from ingest.sample.build.model import Calendar, Fact, Item, Ref
from ingest.sample.build.typed_table import Names, cells, country_id, date_value, read_table, typed_id

KINDS: Final = {"battle": "Q178561", "naval battle": "Q1261499", "siege": "Q188055", "war": "Q198"}
TABLES: Final = ("conflicts_to_1500", "conflicts_1500_to_1815", "conflicts_from_1815")
# Wikidata gives a year before the Gregorian reform in the Julian calendar.
GREGORIAN_REFORM: Final = 1582


def build() -> tuple[list[Item], list[Fact]]:
    """Every conflict of typed/conflicts_*.csv; the war of a battle is the entity of its own row where it has one."""
    names = Names()
    for kind, class_id in KINDS.items():
        names.add(Item(class_id, kind))
    rows = [row for table in TABLES for row in read_table(table)]
    for row in rows:
        names.add(Item(_conflict_id(row["conflict"]), row["conflict"], classes=(KINDS[row["kind"]],)))
    own = {row["conflict"] for row in rows}
    for row in rows:
        if row["war"] and row["war"] not in own:
            names.add(Item(_conflict_id(row["war"]), row["war"]))
    facts = [fact for row in rows for fact in _conflict(row, names)]
    return names.items(), [*facts, Fact(KINDS["naval battle"], "P279", Ref(KINDS["battle"]))]


def _conflict_id(name: str) -> str:
    return typed_id("conflict", name)


def _conflict(row: dict[str, str], names: Names) -> list[Fact]:
    conflict = _conflict_id(row["conflict"])
    facts = [
        Fact(conflict, "P580", date_value(row["start"], _calendar(row, "start"))),
        Fact(conflict, "P582", date_value(row["end"], _calendar(row, "end"))),
    ]
    facts += [Fact(conflict, "P17", Ref(country_id(code))) for code in cells(row["countries"])]
    if row["war"]:
        facts.append(Fact(conflict, "P361", Ref(_conflict_id(row["war"]))))
    sides = {side: [names.typed("polity", name) for name in cells(row[f"side_{side}"])] for side in ("a", "b")}
    facts += [Fact(conflict, "P710", polity) for side in sides.values() for polity in side]
    return facts + [Fact(conflict, "P1346", polity) for polity in sides.get(row["victor"], [])]


def _calendar(row: dict[str, str], column: str) -> Calendar:
    year = int(row[column][: 5 if row[column].startswith("-") else 4])
    if row["calendar"] == "julian" or (not row["calendar"] and year <= GREGORIAN_REFORM):
        return "julian"
    return "gregorian"
