"""Who belongs to a domain's topic, and under which identifier the domain's services know whom.

Members are found by class and filters, or looked up from a list by an identifier that an item states. Nothing is ever
searched for by its name: a title of Wikipedia counts as the address of its page, which is about one item.
"""

from __future__ import annotations

import hashlib
import urllib.parse
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ingest import ids
from ingest.asked import batches
from ingest.domains.topics import ENWIKI, LISTED, TICKER, DomainTopic
from ingest.wikidata import queries
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.members import list_members
from ingest.wikidata.results import Identified

_ENWIKI_PAGE: Final = "https://en.wikipedia.org/wiki/"
# Characters of a title that MediaWiki leaves as they are in an address.
_UNESCAPED: Final = ";@$!*(),/:~"
# A protein has a structure for each experiment: the first stands for it. Elsewhere two identifiers are two things.
_SEVERAL: Final = frozenset({"rcsb"})

Ciks = Callable[[], Mapping[str, str]]


@dataclass(frozen=True)
class Member:
    """An entity of a topic; ``identifiers``: service -> what it is called there."""

    entity_id: str
    identifiers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Discovery:
    """Members of a topic, by id; ``missing``: entries of its list without exactly one item; ``unjoined``: members that
    a service cannot be asked about, as <entity> (<service>)."""

    topic: DomainTopic
    members: tuple[Member, ...]
    missing: tuple[str, ...] = ()
    unjoined: tuple[str, ...] = ()


def discover(
    topic: DomainTopic,
    endpoint: Endpoint,
    *,
    most: int = 0,
    ciks: Ciks = dict,
    batch_size: int = 500,
    page_size: int = 5000,
) -> Discovery:
    """The members of a topic with their identifiers.

    Args:
        topic: a row of the seed.
        endpoint: who answers.
        most: keep so many members, drawn by a hash of their ids; 0 keeps all.
        ciks: gives ticker -> CIK (ten digits), and is asked where the topic lists tickers.
        batch_size, page_size: how much one query asks and lists.

    Raises:
        IngestError: one sentence.
    """
    missing: list[str] = []
    if topic.classes:
        found = _by_class(topic, endpoint, page_size)
    else:
        found, missing = _by_list(topic, endpoint, ciks, batch_size)
    drawn = sorted(found, key=lambda one: hashlib.sha256(one.encode()).digest())
    kept = sorted(drawn[:most] if most else drawn)
    identifiers: dict[str, dict[str, str]] = {entity: {} for entity in kept}
    unjoined: list[str] = []
    for join in topic.joins:
        if join.property in (LISTED, _listing(topic)):
            known = found
        else:
            known = _identifiers(endpoint, kept, join.property, batch_size, several=join.service in _SEVERAL)
        for entity in kept:
            if known.get(entity):
                identifiers[entity][join.service] = known[entity]
            else:
                unjoined.append(f"{entity} ({join.service})")
    members = tuple(Member(entity, identifiers[entity]) for entity in kept)
    return Discovery(topic, members, tuple(missing), tuple(unjoined))


def _by_class(topic: DomainTopic, endpoint: Endpoint, page_size: int) -> dict[str, str]:
    """Ids of the members of the topic's classes; none of them comes with an identifier."""
    return {
        entity: ""
        for class_id in topic.classes
        for entity in list_members(
            endpoint,
            topic.filters,
            class_id,
            page_size,
            present=topic.present,
            least_sitelinks=topic.least_sitelinks,
        )
    }


def _by_list(topic: DomainTopic, endpoint: Endpoint, ciks: Ciks, batch_size: int) -> tuple[dict[str, str], list[str]]:
    """Item -> the identifier that the list gives for it, and the entries that lead to no item or to several."""
    asked: dict[str, str] = {}
    missing: list[str] = []
    known = ciks() if topic.listed_by == TICKER else {}
    for one in topic.entities:
        name = known.get(one.name, "") if topic.listed_by == TICKER else one.name
        if name:
            asked[_page(name) if topic.listed_by == ENWIKI else name] = one.name
        else:
            missing.append(one.name)
    given = {one.name: one.identifier for one in topic.entities}
    entities: dict[str, set[str]] = defaultdict(set)
    for batch in batches(sorted(asked), batch_size):
        for row in endpoint.select(_lookup(topic, batch)):
            entities[row.identifier.value].update(_entity_ids([row]))
    found: dict[str, str] = {}
    for identifier, name in asked.items():
        match sorted(entities.get(identifier, ())):
            case [entity]:
                found[entity] = given[name] or identifier
            case _:
                missing.append(name)
    return found, missing


def _lookup(topic: DomainTopic, names: Sequence[str]) -> queries.Query[Identified]:
    """The query from the entries of a list to items."""
    if topic.listed_by == ENWIKI:
        return queries.about(names)
    return queries.identified(names, _listing(topic) or "")


def _listing(topic: DomainTopic) -> str | None:
    """The property whose values the topic's list holds, once tickers are CIKs; None for a class, or for pages."""
    if topic.listed_by == TICKER:
        return next(one.property for one in topic.joins if one.service == "edgar")
    return None if topic.listed_by == ENWIKI else topic.listed_by


def _identifiers(
    endpoint: Endpoint, entities: Sequence[str], property_id: str, batch_size: int, *, several: bool
) -> dict[str, str]:
    """Entity -> its one identifier, or the first of ``several``."""
    found: dict[str, set[str]] = defaultdict(set)
    for batch in batches(entities, batch_size):
        for row in endpoint.select(queries.identifiers(batch, property_id)):
            for entity in _entity_ids([row]):
                found[entity].add(row.identifier.value)
    return {entity: min(values) for entity, values in found.items() if several or len(values) == 1}


def _entity_ids(rows: Iterable[Identified]) -> list[str]:
    return [entity for row in rows if (entity := ids.to_id(row.entity.value)) is not None]


def _page(title: str) -> str:
    """The address of a page of the English Wikipedia, as Wikidata's RDF writes it."""
    return _ENWIKI_PAGE + urllib.parse.quote(title, safe=_UNESCAPED)
