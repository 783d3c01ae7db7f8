"""Candidates for a surface form: what Wikidata's search gives, and what its entities are. Pure functions from bytes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from ingest.http.body import BodyError, decode
from ingest.wikidata.constraints import CONSTRAINT, NONE, Constraints, read_constraints
from ingest.wikipedia.api import Fault, in_order, is_set, refuse

_INSTANCE_OF = "P31"


class Hit(msgspec.Struct, frozen=True):
    """An entity that the search gives. matched: the label or alias that fits the search; by: which of the two."""

    entity_id: str
    label: str
    description: str
    matched: str
    by: str


class Candidate(msgspec.Struct, frozen=True):
    """What is known of a candidate. classes: its P31, best rank first. datatype: of a property, else None."""

    entity_id: str
    label: str
    description: str
    classes: tuple[str, ...]
    sitelinks: int
    datatype: str | None = None
    constraints: Constraints = NONE


class _Match(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Text(msgspec.Struct):
    value: str = ""


class _Display(msgspec.Struct):
    label: _Text | None = None
    description: _Text | None = None


class _Found(msgspec.Struct):
    id: str
    label: str = ""
    description: str = ""
    aliases: list[str] = []
    match: _Match | None = None
    display: _Display | None = None


class _Search(msgspec.Struct):
    search: list[_Found] | None = None
    error: Fault | None = None


class _Entity(msgspec.Struct):
    id: str = ""
    datatype: str | None = None
    missing: Any = None
    # PHP writes an empty map as a list.
    labels: dict[str, _Text] | list[Any] = {}
    descriptions: dict[str, _Text] | list[Any] = {}
    sitelinks: dict[str, msgspec.Raw] | list[Any] = {}
    claims: dict[str, msgspec.Raw] | list[Any] = {}


class _Entities(msgspec.Struct):
    entities: dict[str, _Entity] | None = None
    error: Fault | None = None


def parse_hits(body: bytes) -> list[Hit]:
    """What a search for a surface form gives, in the service's order.

    Raises:
        BodyError: an error of the API (those that pass are tried again), or no search result.
    """
    found = decode(body, _Search)
    refuse(found.error)
    if found.search is None:
        raise BodyError("the answer was JSON, but no search result", again=False)
    return [_hit(one) for one in found.search]


def _hit(found: _Found) -> Hit:
    shown, match = found.display or _Display(), found.match or _Match()
    label = found.label or (shown.label.value if shown.label else "")
    description = found.description or (shown.description.value if shown.description else "")
    matched = match.text or next(iter(found.aliases), label)
    return Hit(found.id, label, description, matched, match.type or "label")


def parse_candidates(body: bytes, asked: Collection[str], language: str) -> list[Candidate]:
    """What the entities ``asked`` for are, in that order; those that there are not are left out.

    Raises:
        BodyError: an error of the API (those that pass are tried again), or an answer that lacks one.
    """
    found = decode(body, _Entities)
    told = in_order(found.entities, found.error, asked)
    return [_candidate(one, entity, language) for one, entity in told if not is_set(entity.missing)]


def _candidate(asked: str, found: _Entity, language: str) -> Candidate:
    claims = found.claims if isinstance(found.claims, dict) else {}
    return Candidate(
        entity_id=found.id or asked,
        label=_text(found.labels, language),
        description=_text(found.descriptions, language),
        classes=_entities_of(_decoded(claims.get(_INSTANCE_OF))),
        sitelinks=len(found.sitelinks),
        datatype=found.datatype,
        constraints=read_constraints(_decoded(claims.get(CONSTRAINT))),
    )


def _text(texts: dict[str, _Text] | list[Any], language: str) -> str:
    """The text in a language, else in Wikidata's language-independent one."""
    known = texts if isinstance(texts, dict) else {}
    return next((known[one].value for one in (language, "mul") if one in known), "")


def _decoded(raw: msgspec.Raw | None) -> list[dict[str, Any]]:
    if raw is None:
        return []
    try:
        statements = msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        raise BodyError(f"the answer held a damaged claim ({error})", again=True) from error
    return [one for one in statements if isinstance(one, dict)] if isinstance(statements, list) else []


def _entities_of(statements: list[dict[str, Any]]) -> tuple[str, ...]:
    """The ids that standing statements give, preferred ones first, each once."""
    standing = [one for one in statements if one.get("rank") != "deprecated"]
    ordered = sorted(standing, key=lambda one: one.get("rank") != "preferred")
    values = [((one.get("mainsnak") or {}).get("datavalue") or {}).get("value") for one in ordered]
    ids = [one["id"] for one in values if isinstance(one, dict) and isinstance(one.get("id"), str)]
    return tuple(dict.fromkeys(ids))
