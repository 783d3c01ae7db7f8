"""What the files of the bundled sample state: for the tests, which know some of the values by heart."""

from __future__ import annotations

import functools
import lzma
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph as ox

from ingest.ids import is_wikidata_id, property_iri, to_id, to_iri

FACTS = Path(__file__).resolve().parents[2] / "ingest" / "sample" / "facts"
WIKIBASE = "http://wikiba.se/ontology#"
PROP = "http://www.wikidata.org/prop/"


@dataclass(frozen=True)
class Statement:
    """A statement: an entity id, number or text as `value`; `unit` is a Q-id; `kind` tells the three odd ones apart."""

    value: str
    unit: str | None
    rank: str
    qualifiers: frozenset[str]
    lower: str | None = None
    upper: str | None = None


@functools.cache
def graph(dataset: str) -> ox.Store:
    """The triples of one file of the sample."""
    store = ox.Store()
    store.bulk_load(input=lzma.decompress((FACTS / f"{dataset}.ttl.xz").read_bytes()), format=ox.RdfFormat.TURTLE)
    return store


def values(dataset: str, subject: str, prop: str) -> list[str]:
    """The values of a property, as ids, numbers or text, sorted."""
    return sorted(statement.value for statement in statements(dataset, subject, prop))


def statements(dataset: str, subject: str, prop: str) -> list[Statement]:
    """All statements of an entity about a property, novalue as the value 'novalue'."""
    store = graph(dataset)
    nodes = store.quads_for_pattern(ox.NamedNode(to_iri(subject)), ox.NamedNode(predicate("p", prop)), None)
    return [_statement(store, quad.object, prop) for quad in nodes]


def predicate(role: str, prop: str) -> str:
    """The IRI of a property as p, ps or psv: Wikidata's, or its source's own."""
    folders = {"p": "", "ps": "statement/", "psv": "statement/value/"}
    return f"{PROP}{folders[role]}{prop}" if is_wikidata_id(prop) else property_iri(role, prop)


def addresses(dataset: str, subject: str, prop: str) -> set[str]:
    """The addresses (P854) that the references of an entity's statements give."""
    store = graph(dataset)
    found = set()
    for quad in store.quads_for_pattern(ox.NamedNode(to_iri(subject)), ox.NamedNode(predicate("p", prop)), None):
        for given in store.quads_for_pattern(
            quad.object, ox.NamedNode("http://www.w3.org/ns/prov#wasDerivedFrom"), None
        ):
            urls = store.quads_for_pattern(given.object, ox.NamedNode(f"{PROP}reference/P854"), None)
            found.update(url.object.value for url in urls)
    return found


def _statement(store: ox.Store, node: ox.NamedNode, prop: str) -> Statement:
    said = {quad.predicate.value: quad.object for quad in store.quads_for_pattern(node, None, None)}
    simple = said.get(predicate("ps", prop))
    full = said.get(predicate("psv", prop))
    parts = {quad.predicate.value: quad.object for quad in store.quads_for_pattern(full, None, None)} if full else {}
    unit = parts.get(f"{WIKIBASE}quantityUnit")
    amount = parts.get(f"{WIKIBASE}quantityAmount")
    lower, upper = parts.get(f"{WIKIBASE}quantityLowerBound"), parts.get(f"{WIKIBASE}quantityUpperBound")
    return Statement(
        _text(amount or simple) if simple is not None else "novalue",
        to_id(unit.value) if unit is not None and unit.value != to_iri("Q199") else None,
        said[f"{WIKIBASE}rank"].value.removeprefix(WIKIBASE),
        frozenset(name.rpartition("/")[2] for name in said if name.startswith(f"{PROP}qualifier/P")),
        _text(lower) if lower is not None else None,
        _text(upper) if upper is not None else None,
    )


def _text(term: ox.NamedNode | ox.Literal) -> str:
    if isinstance(term, ox.NamedNode):
        return to_id(term.value) or term.value
    return term.value.removeprefix("+")


def names(dataset: str, prop: str = "http://www.w3.org/2000/01/rdf-schema#label") -> dict[str, list[str]]:
    """Entity id -> its English labels (or other texts of a property)."""
    found: dict[str, list[str]] = {}
    for quad in graph(dataset).quads_for_pattern(None, ox.NamedNode(prop), None):
        entity = to_id(quad.subject.value)
        if entity is not None and quad.object.language == "en":
            found.setdefault(entity, []).append(quad.object.value)
    return found


def by_label(dataset: str, label: str) -> list[str]:
    """Ids of the entities with this English label."""
    return sorted(entity for entity, labels in names(dataset).items() if label in labels)


def members(dataset: str, class_id: str) -> set[str]:
    """Ids of the instances of a class."""
    quads = graph(dataset).quads_for_pattern(None, ox.NamedNode(f"{PROP}direct/P31"), ox.NamedNode(to_iri(class_id)))
    return {entity for quad in quads if (entity := to_id(quad.subject.value)) is not None}
