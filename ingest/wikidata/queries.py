"""SPARQL synthesised from a topic's data need. The text lives in ``queries/*.rq``; only parameters are made here.

A parameter never enters as free text: entity ids become IRIs through :mod:`ingest.ids`, property ids are checked,
numbers are written from :class:`decimal.Decimal`, strings are quoted. Standard SPARQL 1.1 only, so that the query
service, any mirror and the embedded store answer alike.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from importlib.resources import files
from string import Template
from typing import Final, Generic, NamedTuple

from ingest.errors import BindingError
from ingest.ids import BadEntityIdError, is_property_id, is_wikidata_id, property_iri, to_iri
from ingest.topics import StatementFilter, TopicSource
from ingest.wikidata import results
from ingest.wikidata.results import RowT

INSTANCE_OF: Final = "P31"
FALLBACK_LANGUAGE: Final = "mul"
# How a thing may belong to a class: as an instance of it, as a kind of it, or either.
PATHS: Final[Mapping[str, str]] = {
    "instance": "wdt:P31/wdt:P279*",
    "subclass": "wdt:P279*",
    "either": "wdt:P31?/wdt:P279*",
}

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]+)*|mul")
_IRI: Final = re.compile(r"[^\x00-\x20<>\"{}|^`\\]+")
_COMMENT_LINE: Final = re.compile(r"^[ \t]*#.*\n?", re.MULTILINE)
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


@dataclass(frozen=True)
class Query(Generic[RowT]):
    """A SELECT query: ``name`` says in errors what was asked, ``text`` is the SPARQL, ``row`` what a row holds."""

    name: str
    text: str
    row: type[RowT]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.name} ({self.digest[:12]})"


class StatementQueries(NamedTuple):
    """What gives the statements of a batch of entities; apart, so that nothing multiplies. What their value nodes and
    references hold is asked for with :func:`nodes` and :func:`references`."""

    statements: Query[results.Stated]
    qualifiers: Query[results.Qualified]


class NameQueries(NamedTuple):
    """What together names a batch of entities."""

    names: Query[results.Named]
    articles: Query[results.Article]
    merged: Query[results.Redirected]


class Chain(NamedTuple):
    """A clue of two links, each as 'forward P17 mountains', to ``end_id``; is_of_another: of another than the end."""

    first: str
    second: str
    end_id: str
    is_of_another: bool


class Year(NamedTuple):
    """A clue that gives the year of a date."""

    property_id: str
    year: int


def members(
    class_id: str,
    filters: Sequence[StatementFilter],
    *,
    after: str,
    limit: int,
    present: Sequence[str] = (),
    least_sitelinks: int = 0,
    excluded: Sequence[str] = (),
) -> Query[results.Member]:
    """One page of the members of a class (P31/P279*), ordered by IRI, all greater than ``after``.

    Beside ``filters``, a member must have the properties ``present``, pages in ``least_sitelinks`` wikis, and a P31
    that is none of ``excluded``.
    """
    wanted = [*filters, *(StatementFilter(property=_property(one), present=True) for one in present)]
    given = {
        "class": _iri(class_id),
        "filters": _conditions(wanted, least_sitelinks, excluded, ""),
        "after": _string(after),
        "limit": str(int(limit)),
    }
    return Query(f"members of {class_id}", _text("prefixes") + _fill("members", given), results.Member)


def statements(subjects: Sequence[str], properties: Iterable[str]) -> StatementQueries:
    """The queries for the full statements of ``subjects`` for ``properties``."""
    given = {
        "subjects": _values(subjects),
        "claims": ", ".join(_claim(one) for one in sorted(set(properties), key=_number)),
    }
    return StatementQueries(
        _query("statements", subjects, given, results.Stated),
        _query("qualifiers", subjects, given, results.Qualified),
    )


def nodes(iris: Sequence[str]) -> Query[results.NodePart]:
    """The parts of value nodes, which hold quantities and times."""
    return _query("nodes", iris, {"nodes": _iris(iris)}, results.NodePart)


def references(iris: Sequence[str]) -> Query[results.Referred]:
    """The addresses that references give."""
    return _query("references", iris, {"references": _iris(iris)}, results.Referred)


def names(entities: Sequence[str], language: str) -> NameQueries:
    """The queries that name ``entities``; labels in ``language`` and in Wikidata's language-independent ``mul``.

    Raises ValueError where ``language`` is no language code.
    """
    if not _LANGUAGE.fullmatch(language):
        raise ValueError(f"{language!r} is no language code such as en or pt-br.")
    given = {
        "entities": _values(entities),
        "languages": f"{_string(language)}, {_string(FALLBACK_LANGUAGE)}",
        "wikipedia": f"<https://{language}.wikipedia.org/>",
    }
    return NameQueries(
        _query("names", entities, given, results.Named),
        _query("articles", entities, given, results.Article),
        _query("merged", entities, given, results.Redirected),
    )


def of_classes(entities: Sequence[str], classes: Sequence[str], path: str) -> Query[results.Member]:
    """Which of ``entities`` lead by a path of :data:`PATHS` to one of ``classes``. Raises KeyError for another path."""
    given = {"entities": _values(entities), "path": PATHS[path], "classes": ", ".join(map(_iri, classes))}
    return _query("of_classes", entities, given, results.Member)


def targets(entities: Sequence[str]) -> Query[results.Redirected]:
    """What ``entities`` were merged into, where they are old ids."""
    return _query("targets", entities, {"entities": _values(entities)}, results.Redirected)


def identifiers(entities: Sequence[str], property_id: str) -> Query[results.Identified]:
    """The values that ``entities`` have of one identifier property."""
    given = {"what": "entity", "given": _values(entities), "property": _property(property_id)}
    return _query("identified", entities, given, results.Identified)


def identified(values: Sequence[str], property_id: str) -> Query[results.Identified]:
    """The entities that have one of ``values`` of an identifier property."""
    given = {"what": "identifier", "given": " ".join(map(_string, values)), "property": _property(property_id)}
    return _query("identified", values, given, results.Identified)


def about(pages: Sequence[str]) -> Query[results.Identified]:
    """What wiki pages, given by their IRIs, are about."""
    return _query("about", pages, {"pages": _iris(pages)}, results.Identified)


def satisfying(
    topic: TopicSource, clues: Sequence[Chain | Year], topics: Mapping[str, TopicSource]
) -> Query[results.Counted]:
    """How many members of ``topic`` all of ``clues`` are true of. ``topics``: those that links name, by name.

    Raises KeyError for a link of a topic that is not there, BindingError for a link that is none.
    """
    patterns = []
    for number, clue in enumerate(clues, 1):
        given = {"number": str(number)}
        if isinstance(clue, Year):
            year = {"property": _direct(clue.property_id), "year": str(int(clue.year))}
            patterns.append(_fill("clue_year", {**given, **year}))
            continue
        between, end = f"?between{number}", _iri(clue.end_id)
        first = _link(clue.first, "?entity", between, topics, f"{number}1")
        second = _link(clue.second, between, end, topics, f"{number}2")
        patterns.append(_fill("clue_chain", {**given, "first": first, "second": second}))
        if clue.is_of_another:
            patterns.append(f"FILTER(?entity != {end})")
    given = {"members": _members_of(topic, "0"), "clues": "\n  ".join(patterns)}
    return Query(f"clues to one of {topic.name}", _text("prefixes") + _fill("clue_count", given), results.Counted)


def _link(link: str, here: str, there: str, topics: Mapping[str, TopicSource], number: str) -> str:
    """One link as patterns: 'forward P17 mountains' goes from a mountain ``here`` by P17, 'reverse ...' to one."""
    direction, property_id, *topic = link.split(" ")
    if direction not in ("forward", "reverse") or len(topic) > 1:
        raise BindingError(f"{link!r} is no link such as 'forward P17 mountains'.")
    subject, value = (here, there) if direction == "forward" else (there, here)
    patterns = [f"{subject} {_direct(property_id)} {value} ."]
    if topic and subject != "?entity":
        # What is patterned on ?entity holds of any other variable.
        patterns.append(_members_of(topics[topic[0]], number).replace("?entity", subject))
    return "\n  ".join(patterns)


def _members_of(topic: TopicSource, number: str) -> str:
    """What makes ?entity a member of a topic; ``number`` keeps its variables apart."""
    filters = _conditions(topic.filters, topic.least_sitelinks, topic.excluded_classes, f"{number}x")
    given = {"classes": _values(topic.classes), "filters": filters, "number": number}
    return _fill("clue_member", given).rstrip()


def _conditions(filters: Sequence[StatementFilter], least_sitelinks: int, excluded: Sequence[str], prefix: str) -> str:
    """What must hold of ?entity beside its class; ``prefix`` keeps the variables apart from those of another topic."""
    patterns = [_filter(one, f"{prefix}{number}") for number, one in enumerate(filters, 0 if prefix else 1)]
    if least_sitelinks > 0:
        patterns.append(_fill("filter_sitelinks", {"least": str(int(least_sitelinks)), "number": prefix}))
    if excluded:
        patterns.append(_fill("filter_excluded", {"classes": _values(excluded), "number": prefix}))
    return "\n  ".join(patterns)


def _direct(property_id: str) -> str:
    """What leads from an entity straight to its best values."""
    known = _property(property_id)
    return f"wdt:{known}" if is_wikidata_id(known) else f"<{property_iri('wdt', known)}>"


def _filter(one: StatementFilter, number: str) -> str:
    """One filter's patterns; ``number`` keeps its variables apart from those of other filters."""
    given = {"property": _property(one.property), "number": number}
    if one.values:
        return _fill("filter_value", {**given, "values": _values(one.values)})
    if one.absent or (one.present and one.unit is None):
        return _fill("filter_absent" if one.absent else "filter_present", given)
    conditions = [f"?unit{number} = {_iri(one.unit)}"] if one.unit else []
    conditions += [f"?amount{number} >= {_decimal(one.min)}"] if one.min is not None else []
    conditions += [f"?amount{number} <= {_decimal(one.max)}"] if one.max is not None else []
    return _fill("filter_amount", {**given, "condition": " && ".join(conditions)})


def _query(template: str, about: Sequence[str], given: dict[str, str], row: type[RowT]) -> Query[RowT]:
    return Query(f"{template} of {_about(about)}", _text("prefixes") + _fill(template, given), row)


def _fill(template: str, given: dict[str, str]) -> str:
    return Template(_text(template)).substitute(given)


@cache
def _text(name: str) -> str:
    """The text of one .rq file without its comments, which would only make requests longer."""
    text = files("ingest.wikidata").joinpath("queries", f"{name}.rq").read_text(encoding="utf-8")
    return _COMMENT_LINE.sub("", text)


def _about(asked: Sequence[str]) -> str:
    return asked[0] if len(asked) == 1 else f"{asked[0]} and {len(asked) - 1} more"


def _values(entities: Sequence[str]) -> str:
    return " ".join(_iri(one) for one in entities)


def _iri(entity_id: str) -> str:
    iri = to_iri(entity_id)
    return f"wd:{entity_id}" if ":" not in entity_id else f"<{iri}>"


def _iris(iris: Sequence[str]) -> str:
    """IRIs that an endpoint gave, for a VALUES block."""
    for iri in iris:
        if not _IRI.fullmatch(iri):
            raise BindingError(f"The endpoint answered with {iri!r} in place of an IRI; use one that mirrors Wikidata.")
    return " ".join(f"<{iri}>" for iri in iris)


def _property(property_id: str) -> str:
    if not is_property_id(property_id):
        raise BadEntityIdError(f"{property_id!r} is no property id such as P31.")
    return property_id


def _claim(property_id: str) -> str:
    """What leads from an entity to its statements about a property."""
    known = _property(property_id)
    return f"p:{known}" if is_wikidata_id(known) else f"<{property_iri('p', known)}>"


def _number(property_id: str) -> tuple[int, str]:
    return len(property_id), property_id


def _decimal(number: Decimal) -> str:
    return f"{number:f}"


def _string(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
