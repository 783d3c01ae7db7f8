"""Items and facts written as Wikidata's RDF: full statements, in Turtle, packed with xz, the same bytes each time.

The vocabulary is that of Wikidata's dumps (https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format), so a
query for its query service runs on these files too. One liberty: statement and value nodes have speaking names instead
of random ones and hashes, which keeps the bytes stable and the files a third of the size.
"""

from __future__ import annotations

import hashlib
import lzma
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ingest.ids import SOURCE_IRI, is_wikidata_id, property_iri, to_iri
from ingest.sample.build.literals import PREFIXES, Terms, quote, text_literal
from ingest.sample.build.model import (
    DAY,
    MONTH,
    NOVALUE,
    SOMEVALUE,
    YEAR,
    Coordinate,
    Fact,
    Item,
    NoValue,
    Quantity,
    Rank,
    Ref,
    SomeValue,
    Text,
    Time,
    Value,
)
from ingest.sample.build.sources import SOURCES

__all__ = [
    "DAY",
    "MONTH",
    "NOVALUE",
    "SOMEVALUE",
    "YEAR",
    "Coordinate",
    "Fact",
    "Item",
    "NoValue",
    "Quantity",
    "Rank",
    "Ref",
    "SomeValue",
    "Text",
    "Time",
    "Value",
    "redirect",
    "to_turtle",
    "write",
]

INSTANCE_OF: Final = "P31"
SAME_AS: Final = "owl:sameAs"
_RANKS: Final = {"preferred": "PreferredRank", "normal": "NormalRank", "deprecated": "DeprecatedRank"}
# As small as the extreme preset makes it, in a third of the time: the text repeats itself in long stretches.
_XZ_FILTERS: Final = [{"id": lzma.FILTER_LZMA2, "preset": 6, "pb": 0, "lc": 4, "nice_len": 273, "depth": 60}]


def redirect(old_id: str, new_id: str, source: str) -> Fact:
    """A merged entity: its old id says owl:sameAs the new one, and nothing else."""
    return Fact(old_id, SAME_AS, Ref(new_id), source=source)


def write(path: Path, items: Iterable[Item], facts: Iterable[Fact]) -> None:
    """Writes one sample file (UTF-8 Turtle in xz), through a temporary file beside it.

    Raises ValueError as `to_turtle` does, OSError when the folder cannot be written.
    """
    data = lzma.compress(to_turtle(items, facts).encode("utf-8"), format=lzma.FORMAT_XZ, filters=_XZ_FILTERS)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(path)


def to_turtle(items: Iterable[Item], facts: Iterable[Fact]) -> str:
    """The Turtle of items and facts; equal input gives equal text, and duplicates of a whole item or fact fall away.

    Raises ValueError for two different items of one id, an unknown source, or an id that no IRI can be made of.
    """
    items = list(items)
    writer = _Writer(_named_once(items))
    for item in items:
        for class_id in item.classes:
            writer.add(Fact(item.id, INSTANCE_OF, Ref(class_id), source=item.source))
    for fact in facts:
        writer.add(fact)
    return writer.text()


def _named_once(items: list[Item]) -> dict[str, Item]:
    named: dict[str, Item] = {}
    for item in items:
        if named.setdefault(item.id, item) != item:
            raise ValueError(
                f"Two different items have the id {item.id}: {named[item.id]} and {item}; keep one of them."
            )
    return named


class _Writer:
    """Collects triples by subject; statement nodes follow the entity that they speak of."""

    def __init__(self, items: dict[str, Item]) -> None:
        self._items = items
        self._facts: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
        self._redirects: dict[str, str] = {}
        self._terms = Terms()
        self._sources: set[str] = set()
        self._urls: set[str] = set()
        self._statement_names: dict[str, str] = {}

    def add(self, fact: Fact) -> None:
        if fact.source not in SOURCES:
            raise ValueError(
                f"Fact {fact} names the source {fact.source!r}, which sources.py does not list; add it there."
            )
        if fact.property == SAME_AS:
            assert isinstance(fact.value, Ref)
            self._redirects[fact.subject] = fact.value.id
            return
        same = self._facts[fact.subject][fact.property]
        if fact not in same:
            same.append(fact)

    def text(self) -> str:
        blocks = [self._entity(entity) for entity in sorted({*self._items, *self._facts}, key=_id_order)]
        blocks += [f"{self._iri(old)} owl:sameAs {self._iri(new)} .\n" for old, new in sorted(self._redirects.items())]
        head = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in PREFIXES.items())
        return "\n".join([head, *blocks, *self._terms.value_nodes(), *self._reference_nodes()])

    def _iri(self, entity_id: str) -> str:
        return f"wd:{entity_id}" if is_wikidata_id(entity_id) else f"<{to_iri(entity_id)}>"

    def _entity(self, entity: str) -> str:
        lines = ["a wikibase:Item"]
        item = self._items.get(entity)
        if item is not None:
            lines += _names(item)
        statements: list[str] = []
        for prop, facts in sorted(self._facts.get(entity, {}).items(), key=lambda pair: _id_order(pair[0])):
            best = "preferred" if any(fact.rank == "preferred" for fact in facts) else "normal"
            for number, fact in enumerate(facts, start=1):
                node = f"wds:{self._statement_name(entity)}-{prop.replace(':', '-')}-{number}"
                is_best = fact.rank == best
                lines.append(f"{_predicate('p', prop)} {node}")
                if is_best:
                    lines += self._truthy(node, fact)
                statements.append(self._statement(node, fact, is_best))
        sitelink = _sitelink(item, self._iri(entity)) if item is not None and item.wikipedia else ""
        head = f"{self._iri(entity)} " + " ;\n  ".join(lines)
        return f"{head} .\n{''.join(statements)}{sitelink}"

    def _statement_name(self, entity: str) -> str:
        """The entity's part of its statements' names; two ids may not come out the same."""
        name = re.sub(r"[^A-Za-z0-9]+", "-", entity)
        if self._statement_names.setdefault(name, entity) != entity:
            raise ValueError(
                f"Entities {entity} and {self._statement_names[name]} would share statement names; rename one."
            )
        return name

    def _truthy(self, node: str, fact: Fact) -> list[str]:
        if isinstance(fact.value, NoValue):
            return [f"a {_predicate('wdno', fact.property)}"]
        return [f"{_predicate('wdt', fact.property)} {self._simple(node, fact.value)}"]

    def _statement(self, node: str, fact: Fact, is_best: bool) -> str:
        lines = ["a wikibase:Statement" + (" , wikibase:BestRank" if is_best else "")]
        lines.append(f"wikibase:rank wikibase:{_RANKS[fact.rank]}")
        lines += self._value_lines(node, fact.property, fact.value, "ps", "psv")
        for number, (prop, value) in enumerate(fact.qualifiers, start=1):
            lines += self._value_lines(f"{node}-q{number}", prop, value, "pq", "pqv")
        references = [f"<{SOURCE_IRI}{fact.source}>"]
        self._sources.add(fact.source)
        if fact.url is not None:
            references.append(_url_node(fact.url))
            self._urls.add(fact.url)
        lines.append(f"prov:wasDerivedFrom {' , '.join(references)}")
        return f"{node} {' ; '.join(lines)} .\n"

    def _value_lines(self, node: str, prop: str, value: Value, simple: str, full: str) -> list[str]:
        if isinstance(value, NoValue):
            return [f"a {_predicate('wdno', prop)}"]
        lines = [f"{_predicate(simple, prop)} {self._simple(node, value)}"]
        value_node = self._terms.value_node(value)
        if value_node is not None:
            lines.append(f"{_predicate(full, prop)} {value_node}")
        return lines

    def _simple(self, node: str, value: Value) -> str:
        if isinstance(value, Ref):
            return self._iri(value.id)
        if isinstance(value, SomeValue):
            return f"genid:{node.removeprefix('wds:')}"
        return self._terms.literal(value)

    def _reference_nodes(self) -> list[str]:
        nodes = [
            f"<{SOURCE_IRI}{name}> a wikibase:Reference ; pr:P854 <{SOURCES[name].url}> .\n"
            for name in sorted(self._sources)
        ]
        return nodes + [f"{_url_node(url)} a wikibase:Reference ; pr:P854 <{url}> .\n" for url in sorted(self._urls)]


def _predicate(role: str, prop: str) -> str:
    """A property in one of its roles. Raises ValueError where a source's own property would have a role that the
    queries do not ask for: a qualifier, or the statement that there is no value."""
    if is_wikidata_id(prop):
        return f"{role}:{prop}"
    if role not in ("p", "ps", "psv", "wdt"):
        raise ValueError(f"{prop} can be neither a qualifier nor have 'no value'; use a property of Wikidata for that.")
    return f"<{property_iri(role, prop)}>"


def _url_node(url: str) -> str:
    return f"wdref:{hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()}"


def _names(item: Item) -> list[str]:
    lines = []
    if item.label is not None:
        lines.append(f"rdfs:label {text_literal(item.label, item.lang)}")
    lines += [
        f"rdfs:label {text_literal(text, lang)}"
        for lang, text in sorted(item.other_labels.items())
        if lang != item.lang
    ]
    if item.description is not None:
        lines.append(f"schema:description {text_literal(item.description, 'en')}")
    lines += [f"skos:altLabel {text_literal(alias, 'en')}" for alias in sorted(set(item.aliases) - {item.label})]
    if item.sitelinks is not None:
        lines.append(f"wikibase:sitelinks {item.sitelinks}")
    return lines


def _sitelink(item: Item, subject: str) -> str:
    assert item.wikipedia is not None
    page = "https://en.wikipedia.org/wiki/" + quote(item.wikipedia.replace(" ", "_"))
    return (
        f"<{page}> a schema:Article ; schema:about {subject} ; schema:isPartOf <https://en.wikipedia.org/> ; "
        f"schema:name {text_literal(item.wikipedia, 'en')} .\n"
    )


def _id_order(entity_id: str) -> tuple[str, int, str]:
    """Wikidata ids by number, all others by spelling."""
    if is_wikidata_id(entity_id) and entity_id[1:].isdigit():
        return entity_id[0], int(entity_id[1:]), ""
    return entity_id, 0, entity_id
