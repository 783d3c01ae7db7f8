"""Wikidata's entities and its search, as far as articles need them; pure functions from bytes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import msgspec

from ingest.http.body import BodyError, decode
from ingest.wikipedia.api import Fault, in_order, is_set, refuse

SITE: Final = "enwiki"


class Entity(msgspec.Struct, frozen=True):
    """An entity under the id that was asked for.

    entity_id: its own id after redirects, None where there is none. title: of its article, None where it has none.
    n_statements: of every rank.
    """

    asked: str
    entity_id: str | None
    title: str | None
    n_statements: int


class _Sitelink(msgspec.Struct):
    title: str


class _Entity(msgspec.Struct):
    id: str = ""
    missing: Any = None
    # PHP writes an empty map as a list.
    sitelinks: dict[str, _Sitelink] | list[Any] = {}
    claims: dict[str, list[msgspec.Raw]] | list[Any] = {}


class _Entities(msgspec.Struct):
    entities: dict[str, _Entity] | None = None
    error: Fault | None = None


class _Match(msgspec.Struct):
    text: str = ""


class _Found(msgspec.Struct):
    id: str
    label: str = ""
    aliases: list[str] = []
    match: _Match | None = None


class _Search(msgspec.Struct):
    search: list[_Found] | None = None
    further: int | None = msgspec.field(default=None, name="search-continue")
    error: Fault | None = None


def parse_entities(body: bytes, asked: Collection[str]) -> list[Entity]:
    """The entities that were ``asked`` for by id, in that order, with their titles in English Wikipedia.

    Raises:
        BodyError: an error of the API (those that pass are tried again), or an answer that lacks one.
    """
    found = decode(body, _Entities)
    return [_entity(*one) for one in in_order(found.entities, found.error, asked)]


def _entity(asked: str, found: _Entity) -> Entity:
    if is_set(found.missing):
        return Entity(asked, None, None, 0)
    links = found.sitelinks if isinstance(found.sitelinks, dict) else {}
    claims = found.claims.values() if isinstance(found.claims, dict) else ()
    title = links[SITE].title if SITE in links else None
    return Entity(asked, found.id or asked, title, sum(len(statements) for statements in claims))


def parse_search(body: bytes, name: str) -> tuple[set[str], int | None]:
    """(ids of the entities that are called exactly ``name``, where the search goes on; None for nowhere).

    A label or an alias counts; case and runs of spaces make no difference.

    Raises:
        BodyError: an error of the API (those that pass are tried again), or no search result.
    """
    found = decode(body, _Search)
    refuse(found.error)
    if found.search is None:
        raise BodyError("the answer was JSON, but no search result", again=False)
    wanted = _plain(name)
    exact = set()
    for one in found.search:
        names = [one.label, *one.aliases, one.match.text if one.match is not None else ""]
        if wanted in map(_plain, names):
            exact.add(one.id)
    return exact, found.further


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
