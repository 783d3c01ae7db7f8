"""Who discovered the elements, when and where; mendeleev's spellings and slips are put right from typed tables."""

from __future__ import annotations

from ingest.sample.build.mendeleev_db import SOURCE, Row, element_id, elements, slug, typed_rows
from ingest.sample.build.rdf import SOMEVALUE, Fact, Item, Ref, Time

HUMAN, ORGANISATION = "Q5", "Q43229"
PLACES = {
    "Austria": "Q40",
    "Denmark": "Q35",
    "England": "Q21",
    "Finland": "Q33",
    "France": "Q142",
    "Germany": "Q183",
    "Great Britain": "Q145",
    "Italy": "Q38",
    "Japan": "Q17",
    "Romania": "Q218",
    "Russia": "Q159",
    "Scotland": "Q22",
    "Spain": "Q29",
    "Sweden": "Q34",
    "Switzerland": "Q39",
    "United States": "Q30",
}
ORGANISATIONS = {
    "GSI Helmholtz Centre for Heavy Ion Research",
    "Joint Institute for Nuclear Research",
    "Oak Ridge National Laboratory",
    "RIKEN",
}
SUPERSEDED = "typed:reason/superseded-by-other-sources"


def build() -> tuple[list[Item], list[Fact]]:
    """The discoverers with their names, and P61, P575 and P189 of every element that has them."""
    discoverers = {row["symbol"]: row["discoverers"].split(";") for row in typed_rows("element_discoverers.csv")}
    corrections = {(row["symbol"], row["about"]): row["value"] for row in typed_rows("element_corrections.csv")}
    items = [Item(SUPERSEDED, "date that other sources contradict", source="typed")]
    for name in sorted({name for names in discoverers.values() for name in names}):
        is_organisation = name in ORGANISATIONS
        items.append(Item(_who(name), name, classes=(ORGANISATION if is_organisation else HUMAN,), source=SOURCE))
    facts: list[Fact] = []
    for row in elements():
        if row["discovery_year"] is None:
            facts += _known_to_the_ancients(row)
            continue
        subject = element_id(row["symbol"])
        facts += [Fact(subject, "P61", Ref(_who(name)), source=SOURCE) for name in discoverers.get(row["symbol"], [])]
        facts += _year(row, corrections) + _place(row, corrections)
    return items, facts


def _who(name: str) -> str:
    return f"mendeleev:discoverer/{slug(name)}"


def _known_to_the_ancients(row: Row) -> list[Fact]:
    """Somebody found gold at some time: the values exist and are unknown."""
    if not row["discoverers"].startswith("Known to the ancients"):
        raise ValueError(f"mendeleev gives {row['name']} no discovery year and does not say why.")
    return [Fact(element_id(row["symbol"]), prop, SOMEVALUE, source=SOURCE) for prop in ("P61", "P575")]


def _year(row: Row, corrections: dict[tuple[str, str], str]) -> list[Fact]:
    subject, stated = element_id(row["symbol"]), Time(f"{row['discovery_year']:04d}")
    if (row["symbol"], "year") not in corrections:
        return [Fact(subject, "P575", stated, source=SOURCE)]
    reason = (("P2241", Ref(SUPERSEDED)),)
    facts = [Fact(subject, "P575", stated, rank="deprecated", qualifiers=reason, source=SOURCE)]
    if corrections[row["symbol"], "year"]:
        facts.append(Fact(subject, "P575", Time(corrections[row["symbol"], "year"]), source="typed"))
    return facts


def _place(row: Row, corrections: dict[tuple[str, str], str]) -> list[Fact]:
    key = (row["symbol"], "location")
    text = corrections[key] if key in corrections else str(row["discovery_location"])
    source = "typed" if key in corrections else SOURCE
    return [
        Fact(element_id(row["symbol"]), "P189", Ref(PLACES[name]), source=source) for name in text.split("/") if name
    ]
