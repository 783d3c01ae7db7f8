"""Mountains: elevation and prominence (in feet where the surveys are), range, countries, first ascent, coordinates."""

from __future__ import annotations

from typing import Final

from ingest.sample.build.country_links import CONTINENTS
from ingest.sample.build.model import NOVALUE, Coordinate, Fact, Item, Quantity, Rank, Ref, Value
from ingest.sample.build.typed_table import (
    NONE,
    Names,
    cells,
    country_id,
    date_or_none,
    date_value,
    read_table,
    typed_id,
)

MOUNTAIN: Final = "Q8502"
VOLCANO: Final = "Q8072"
UNITS: Final = {"m": "Q11573", "ft": "Q3710"}
RANKS: Final[dict[str, Rank]] = {"preferred": "preferred", "normal": "normal", "deprecated": "deprecated"}
FIRST_ASCENT: Final = "first ascent"
CONTINENT_IDS: Final = {name: key for key, name in CONTINENTS.values()}


def build() -> tuple[list[Item], list[Fact]]:
    """About 190 mountains from typed/mountains.csv; several heights of one mountain from typed/mountain_heights.csv.

    Raises ValueError where the preferred height in the second table is not the one in the first.
    """
    names = Names()
    names.add(Item(MOUNTAIN, "mountain"))
    names.add(Item(VOLCANO, "volcano"))
    heights: dict[str, list[dict[str, str]]] = {}
    for row in read_table("mountain_heights"):
        heights.setdefault(row["mountain"], []).append(row)
    facts: list[Fact] = []
    for row in read_table("mountains"):
        classes = (MOUNTAIN, VOLCANO) if row["volcano"] == "yes" else (MOUNTAIN,)
        mountain = names.add(Item(typed_id("mountain", row["mountain"]), row["mountain"], classes=classes)).id
        facts += _size(mountain, row, heights.get(row["mountain"], []))
        facts += _place(mountain, row, names)
        facts += _ascent(mountain, row, names)
    return names.items(), facts


def _size(mountain: str, row: dict[str, str], heights: list[dict[str, str]]) -> list[Fact]:
    unit = UNITS[row["unit"]]
    facts = [Fact(mountain, "P2044", Quantity(row["elevation"], unit))] if not heights else []
    if heights:
        preferred = [(one["elevation"], one["unit"]) for one in heights if one["rank"] == "preferred"]
        if preferred != [(row["elevation"], row["unit"])]:
            raise ValueError(
                f"{row['mountain']}: mountain_heights.csv prefers {preferred}, mountains.csv says {row['elevation']}."
            )
    for one in heights:
        dated: tuple[tuple[str, Value], ...] = (("P585", date_value(one["year"])),) if one["year"] else ()
        quantity = Quantity(one["elevation"], UNITS[one["unit"]])
        facts.append(Fact(mountain, "P2044", quantity, rank=RANKS[one["rank"]], qualifiers=dated))
    if row["prominence"]:
        facts.append(Fact(mountain, "P2660", Quantity(row["prominence"], unit)))
    return facts


def _place(mountain: str, row: dict[str, str], names: Names) -> list[Fact]:
    facts = [Fact(mountain, "P625", Coordinate(float(row["lat"]), float(row["lon"])))]
    if row["countries"] == NONE:
        facts.append(Fact(mountain, "P17", NOVALUE))
    else:
        facts += [Fact(mountain, "P17", Ref(country_id(code))) for code in cells(row["countries"])]
    if row["range"]:
        facts.append(Fact(mountain, "P4552", names.typed("range", row["range"])))
    if row["continent"]:
        facts.append(Fact(mountain, "P30", Ref(CONTINENT_IDS[row["continent"]])))
    return facts


def _ascent(mountain: str, row: dict[str, str], names: Names) -> list[Fact]:
    """A mountain nobody has climbed has a first ascent at no time, which is not the same as one we know nothing of."""
    time = date_or_none(row["first_ascent"])
    if time is None:
        return []
    return [Fact(mountain, "P793", names.typed("event", FIRST_ASCENT), qualifiers=(("P585", time),))]
