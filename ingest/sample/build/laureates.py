"""Laureates of the Nobel Prizes in Chemistry and Physics and of the Turing Award: one statement an award.

They stand in one file because some persons won two of these awards, and an entity's statements belong together.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from ingest.sample.build.model import Fact, Item, Quantity, Ref, Time
from ingest.sample.build.typed_table import Names, cells, country_id, date_or_none, read_table, typed_id

HUMAN: Final = "Q5"
GENDERS: Final = {"m": ("Q6581097", "male"), "f": ("Q6581072", "female")}

# table -> the award's Wikidata id and its name
AWARDS: Final = {
    "chemistry_laureates": ("Q44585", "Nobel Prize in Chemistry"),
    "physics_laureates": ("Q38104", "Nobel Prize in Physics"),
    "turing_laureates": ("Q185667", "Turing Award"),
}


def build() -> tuple[list[Item], list[Fact]]:
    """Every laureate of typed/*_laureates.csv; a second award is a second statement about the same person."""
    names = Names()
    for award_id, award in (*AWARDS.values(), *GENDERS.values()):
        names.add(Item(award_id, award))
    won: dict[str, list[str]] = {}
    for table in AWARDS:
        for row in read_table(table):
            won.setdefault(row["laureate"], []).append(table)
    for laureate, tables in won.items():
        names.add(_person(laureate, tables))
    facts = [fact for table in AWARDS for row in read_table(table) for fact in _laureate(row, table, names)]
    return names.items(), facts


def _person(laureate: str, tables: list[str]) -> Item:
    awards = dict.fromkeys(AWARDS[table][1] for table in tables)
    description = "laureate of the " + " and the ".join(awards)
    return Item(typed_id("person", laureate), laureate, description=description, classes=(HUMAN,))


def _laureate(row: dict[str, str], table: str, names: Names) -> list[Fact]:
    person = typed_id("person", row["laureate"])
    facts = [_award(person, row, table), *_life(person, row, names)]
    facts.append(Fact(person, "P101", names.typed("field", row["field"]), qualifiers=(("P585", _year(row)),)))
    for prop, values in (
        ("P937", [Ref(country_id(code)) for code in cells(row["work_country"])]),
        ("P1416", [names.typed("institution", institution) for institution in cells(row["institutions"])]),
    ):
        facts += [Fact(person, prop, value, qualifiers=(("P585", _year(row)),)) for value in values]
    return facts


def _year(row: dict[str, str]) -> Time:
    return Time(row["year"])


def _award(person: str, row: dict[str, str], table: str) -> Fact:
    share = Fraction(row["share"])
    # Wikidata holds decimals only: a third is written to six digits.
    proportion = f"{float(share):.6f}".rstrip("0").rstrip(".")
    qualifiers = (("P585", _year(row)), ("P1107", Quantity(proportion)))
    return Fact(person, "P166", Ref(AWARDS[table][0]), qualifiers=qualifiers)


def _life(person: str, row: dict[str, str], names: Names) -> list[Fact]:
    """What does not hang on the award; empty in the row of a second award."""
    facts = []
    for prop, column in (("P569", "born"), ("P570", "died")):
        time = date_or_none(row[column])
        if time is not None:
            facts.append(Fact(person, prop, time))
    if row["gender"]:
        facts.append(Fact(person, "P21", Ref(GENDERS[row["gender"]][0])))
    if row["birth_country"]:
        facts.append(Fact(person, "P19", Ref(country_id(row["birth_country"]))))
    return facts
