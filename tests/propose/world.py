"""Concepts over the bundled sample, dirt that is thrown among its lakes, and a wiki that knows its names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dagster_defs.steps.propose.check import Rules
from dagster_defs.steps.propose.measure import Bar, Probe
from dagster_defs.steps.propose.units import Units
from ingest.concepts.declaration import Declaration, read_concept
from ingest.wikidata.constraints import Constraints
from ingest.wikidata.endpoint import Endpoint
from tests.wiki import Wiki, WikiEntity

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "seeds/units.csv"
LAKE, MOON, HUMAN, STATE, TURING_AWARD = "Q23397", "Q2537", "Q5", "Q35657", "Q185667"
LOST = "typed:class/lost-lake"
PREFIXES = """
@prefix p: <http://www.wikidata.org/prop/> . @prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> . @prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix wd: <http://www.wikidata.org/entity/> .
@prefix v: <http://www.wikidata.org/value/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def concept(**given: Any) -> Declaration:
    """A declared concept; what is not given is that of the lakes."""
    return read_concept({**LAKES, **given}, "tests")


AREA = {
    "name": "area_km2", "path": "P2046", "label": "area", "kind": "number", "unit": "Q712226",
    "unit_name": "square kilometres", "phrase": "surface area", "adjective": "large", "additive": True,
}  # fmt: skip
LAKES: dict[str, Any] = {
    "field": "geography",
    "concept": "great lakes",
    "topic": "great_lakes",
    "singular": "great lake",
    "plural": "great lakes",
    "description": "Lakes and lagoons of the World Factbook.",
    "classes": {LAKE: "lake"},
    "required": ["area_km2"],
    "attributes": [
        AREA,
        {
            "name": "countries", "path": "P205", "label": "basin country", "kind": "categories", "phrase": "country",
            "phrase_plural": "countries", "scope": "in {value}", "member": "lie at least partly in {value}",
        },
        {
            "name": "water", "path": "P1552", "label": "has characteristic", "kind": "category",
            "phrase": "kind of water", "phrase_plural": "kinds of water", "scope": "of {value}",
            "member": "hold {value}",
        },
        {
            "name": "continents", "path": "P205/P30", "label": "basin country / continent", "kind": "categories",
            "phrase": "continent", "scope": "in {value}", "member": "lie at least partly in {value}",
        },
    ],
}  # fmt: skip
MOONS = {
    "concept": "known moons",
    "topic": "known_moons",
    "singular": "known moon",
    "plural": "known moons",
    "description": "Natural satellites of the Solar System.",
    "classes": {MOON: "natural satellite"},
    "required": ["radius_km"],
    "attributes": [
        {
            "name": "radius_km", "path": "P2120", "label": "radius", "kind": "number", "unit": "Q828224",
            "unit_name": "kilometres", "phrase": "mean radius", "adjective": "large",
        },
        {"name": "discovery_year", "path": "P575", "label": "time of discovery or invention", "kind": "year",
         "phrase": "year of discovery"},
        {"name": "parent", "path": "P397", "label": "parent astronomical body", "kind": "category",
         "phrase": "parent body", "scope": "orbiting {value}", "member": "orbit {value}"},
    ],
}  # fmt: skip
LAUREATES = {
    "concept": "Turing Award laureates",
    "topic": "turing_winners",
    "singular": "Turing Award winner",
    "plural": "Turing Award winners",
    "description": "People who have received the Turing Award.",
    "classes": {HUMAN: "human"},
    "filters": [{"property": "P166", "values": [TURING_AWARD]}],
    "labels": {TURING_AWARD: "Turing Award"},
    "required": ["birth_year"],
    "attributes": [
        {"name": "birth_year", "path": "P569", "label": "date of birth", "kind": "year", "phrase": "year of birth"},
        {"name": "born_on", "path": "P569", "label": "date of birth", "kind": "date", "phrase": "date of birth"},
        {"name": "birth_country", "path": "P19", "label": "place of birth", "kind": "category",
         "phrase": "country of birth", "scope": "born in {value}", "member": "were born in {value}"},
    ],
}  # fmt: skip
STATES = {
    "concept": "states of the Union",
    "topic": "union_states",
    "singular": "state of the Union",
    "plural": "states of the Union",
    "description": "States of the United States.",
    "classes": {STATE: "U.S. state"},
    "required": ["area_km2", "admission_year"],
    "attributes": [
        {**AREA, "phrase": "total area"},
        {"name": "admission_year", "path": "P571", "label": "inception", "kind": "year",
         "phrase": "year of admission to the Union"},
        {"name": "region", "path": "P361", "label": "part of", "kind": "category", "phrase": "census region",
         "scope": "in the {value}", "member": "are in the {value}"},
    ],
}  # fmt: skip


@dataclass
class Dirt:
    """Turtle of items of a test's making, as Wikidata writes them."""

    lines: list[str] = field(default_factory=lambda: [PREFIXES])
    _count: int = 0

    def item(self, name: str, label: str | None, *classes: str) -> str:
        """An item of the test's own source; returns how Turtle names it."""
        subject = named(f"typed:{name}")
        self.lines.append(f'{subject} rdfs:label "{label}"@en .' if label else f"{subject} a wikibase:Item .")
        for one in classes:
            self.state(subject, "P31", named(one))
        return subject

    def state(self, subject: str, prop: str, value: str, *, node: str = "", more: str = "") -> None:
        """A statement of normal rank. node: what a value node holds; more: of its qualifiers."""
        self._count += 1
        statement, quoted = f"wds:dirt-{self._count}", f"v:dirt{self._count}"
        self.lines.append(f"{subject} wdt:{prop} {value} ; p:{prop} {statement} .")
        link = f"; psv:{prop} {quoted} " if node else ""
        rank = "a wikibase:BestRank ; wikibase:rank wikibase:NormalRank"
        self.lines.append(f"{statement} {rank} ; ps:{prop} {value} {link}{more} .")
        if node:
            self.lines.append(f"{quoted} {node} .")

    def amount(self, subject: str, prop: str, number: float, unit: str) -> None:
        """A quantity."""
        value = f'"{number}"^^xsd:decimal'
        self.state(subject, prop, value, node=f"wikibase:quantityAmount {value} ; wikibase:quantityUnit wd:{unit}")

    def time(self, subject: str, prop: str, day: str) -> None:
        """A day."""
        value = f'"{day}T00:00:00Z"^^xsd:dateTime'
        rest = "wikibase:timePrecision 11 ; wikibase:timeCalendarModel wd:Q1985727"
        self.state(subject, prop, value, node=f"wikibase:timeValue {value} ; {rest}")

    def text(self) -> bytes:
        """The whole document."""
        return "\n".join(self.lines).encode()


def named(entity: str) -> str:
    """An entity's id as Turtle writes it."""
    return f"wd:{entity}" if entity.startswith("Q") else f"<urn:assay:{entity}>"


def dirty_lakes() -> bytes:
    """Lakes that a query had better leave out: lost ones without a name, pages of Wikimedia's, areas in kilograms."""
    dirt = Dirt()
    lost = dirt.item("class/lost-lake", "lost lake")
    dirt.state(lost, "P279", f"wd:{LAKE}")
    for number in range(8):
        item = dirt.item(f"lost{number}", None, LOST)
        dirt.amount(item, "P2046", 100 + number, "Q712226")
    for number in range(5):
        page = dirt.item(f"page{number}", f"Blue Lake ({number})", LAKE, "Q4167410")
        dirt.amount(page, "P2046", 200 + number, "Q712226")
    for number in range(4):
        heavy = dirt.item(f"heavy{number}", f"Heavy Lake {number}", LAKE)
        dirt.amount(heavy, "P2046", 300 + number, "Q11570")
    return dirt.text()


def probe(endpoint: Endpoint, constraints: Mapping[str, Constraints] | None = None, **bar: Any) -> Probe:
    """What asks an endpoint, with the seeds' units."""
    rules = Rules(Units(UNITS).dimensions, constraints or {}, today="2026-12-01")
    return Probe(endpoint, rules, Bar(**bar), page_size=50, batch_size=100)


def stock(wiki: Wiki) -> None:
    """What the wiki's search knows: the classes of the sample that the concepts are of, and what comes near them."""
    wiki.entities |= {
        LAKE: WikiEntity(label="lake", description="large body of relatively still water", sitelinks=200),
        "Q4022": WikiEntity(label="river", description="natural flowing watercourse", sitelinks=210),
        "Q287076": WikiEntity(label="Lake", description="Wikimedia page", classes=("Q4167410",), sitelinks=300),
        MOON: WikiEntity(label="natural satellite", aliases=("moon",), description="body of a planet", sitelinks=150),
        "Q405": WikiEntity(label="Moon", description="Earth's only natural satellite", sitelinks=250),
        HUMAN: WikiEntity(label="human", aliases=("person",), description="common name of Homo sapiens", sitelinks=250),
        TURING_AWARD: WikiEntity(label="Turing Award", description="computer science award", sitelinks=80),
        STATE: WikiEntity(label="U.S. state", aliases=("state",), description="constituent state", sitelinks=90),
        "Q6256": WikiEntity(label="country", aliases=("state",), description="territorial body", sitelinks=190),
        "P2046": _property("area", "quantity", "size", *allowed_units("Q712226", "Q232291", "Q35852")),
        "P2053": _property("watershed area", "quantity", "size"),
        "P2120": _property("radius", "quantity", "", *types("Q21503250", MOON, "Q634")),
        "P205": _property("basin country", "wikibase-item"),
        "P1552": _property("has characteristic", "wikibase-item", "water"),
        "P30": _property("continent", "wikibase-item"),
        "P397": _property("parent astronomical body", "wikibase-item", "parent body"),
        "P575": _property("time of discovery or invention", "time", "discovery date"),
        "P166": _property("award received", "wikibase-item"),
        "P569": _property("date of birth", "time", "birth date", *types("Q21503250", HUMAN)),
        "P19": _property("place of birth", "wikibase-item"),
        "P571": _property("inception", "time"),
        "P361": _property("part of", "wikibase-item"),
    }  # fmt: skip


def _property(label: str, datatype: str, alias: str = "", *constraints: dict[str, Any]) -> WikiEntity:
    return WikiEntity(
        label=label, aliases=(alias,) if alias else (), datatype=datatype, constraints=constraints, description=label
    )


def snak(entity: str | None) -> dict[str, Any]:
    """A snak as entity JSON has it: an item, or "no value"."""
    if entity is None:
        return {"snaktype": "novalue"}
    return {"snaktype": "value", "datavalue": {"type": "wikibase-entityid", "value": {"id": entity}}}


def types(kind: str, *classes: str, relation: str = "Q21503252") -> list[dict[str, Any]]:
    """A type constraint."""
    qualifiers = {"P2308": [snak(one) for one in classes], "P2309": [snak(relation)]}
    return [{"rank": "normal", "mainsnak": snak(kind), "qualifiers": qualifiers}]


def allowed_units(*units: str | None) -> list[dict[str, Any]]:
    """An allowed-units constraint."""
    return [{"rank": "normal", "mainsnak": snak("Q21514353"), "qualifiers": {"P2305": [snak(one) for one in units]}}]


def filter_of(name: str, *values: str, least: float | None = None, most: float | None = None) -> dict[str, Any]:
    """A filter as the proposer answers it."""
    return {"property": name, "values": list(values), "least": least, "most": most}


def attribute_of(name: str, prop: str, kind: str, **more: Any) -> dict[str, Any]:
    """An attribute as the proposer answers it."""
    empty = dict.fromkeys(("then", "unit", "adjective", "scope", "member"))
    phrase = name.replace("_", " ")
    return {"name": name, "property": prop, "kind": kind, "phrase": phrase, **empty, "is_required": False, **more}


def proposal_of(class_name: str, attributes: Sequence[dict[str, Any]], *filters: dict[str, Any], **more: Any) -> str:
    """A proposal as the proposer writes it."""
    answer = {
        "class_name": class_name, "singular": class_name, "plural": f"{class_name}s",
        "description": f"Every {class_name}.", "is_current": False,
        "filters": list(filters), "attributes": list(attributes), **more,
    }  # fmt: skip
    return json.dumps(answer)


def area_of(**more: Any) -> dict[str, Any]:
    """The attribute that lakes are proposed with."""
    return attribute_of("area_km2", "area", "number", unit="square kilometres", adjective="large", **more)
