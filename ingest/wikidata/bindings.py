"""Answers to the queries of :mod:`ingest.wikidata.queries`, turned into landing rows.

Both ways of asking SPARQL come through here; single values are normalised by :mod:`ingest.wikidata.values`, which
entity JSON uses as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

from ingest import ids
from ingest.errors import BindingError
from ingest.wikidata import values
from ingest.wikidata.results import Article, Member, Named, NodePart, Qualified, Redirected, Referred, Stated, Term

_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_NUMBERS: Final = frozenset(_XSD + name for name in ("decimal", "integer", "double", "float", "int", "long"))
_DATE_TIME: Final = _XSD + "dateTime"
_WKT: Final = "http://www.opengis.net/ont/geosparql#wktLiteral"
_MATH: Final = "http://www.w3.org/1998/Math/MathML"
_POINT: Final = re.compile(r"(?:<[^>]*>\s*)?POINT\s*\(\s*(\S+)\s+(\S+)\s*\)", re.IGNORECASE)

_PROP: Final = "http://www.wikidata.org/prop/"
_QUALIFIER_NODE: Final = _PROP + "qualifier/value/"
_QUALIFIER: Final = _PROP + "qualifier/"
_NOVALUE: Final = _PROP + "novalue/"
_GENID: Final = "/.well-known/genid/"
_ONTOLOGY: Final = "http://wikiba.se/ontology#"
_RANKS: Final = {
    f"{_ONTOLOGY}PreferredRank": "preferred",
    f"{_ONTOLOGY}NormalRank": "normal",
    f"{_ONTOLOGY}DeprecatedRank": "deprecated",
}
_LABEL: Final = "http://www.w3.org/2000/01/rdf-schema#label"
_ALIAS: Final = "http://www.w3.org/2004/02/skos/core#altLabel"
_SAME_AS: Final = "http://www.w3.org/2002/07/owl#sameAs"
_DESCRIPTION: Final = "http://schema.org/description"
_SITELINKS: Final = f"{_ONTOLOGY}sitelinks"


class Value(NamedTuple):
    """The value columns of a statement; ``value_kind`` as landed, coordinates in degrees."""

    value_kind: str
    value_entity: str | None = None
    amount_text: str | None = None
    lower_text: str | None = None
    upper_text: str | None = None
    unit_id: str | None = None
    value_time: str | None = None
    time_precision: int | None = None
    calendar: str | None = None
    value_text: str | None = None
    value_lang: str | None = None
    latitude: float | None = None
    longitude: float | None = None


_NO_VALUE: Final = Value("novalue")
_SOME_VALUE: Final = Value("somevalue")

# The order of cells in the rows made here; what is the same for a whole request is added when they are landed.
STATEMENT_COLUMNS: Final = (
    *("statement_id", "subject_id", "property_id", *Value._fields),
    *("rank", "qualifiers", "reference_count", "source", "source_url"),
)
ENTITY_COLUMNS: Final = (
    *("entity_id", "label", "label_lang", "description", "aliases", "wikipedia_title", "sitelinks", "redirect_to"),
    *("source", "source_url"),
)
Cells = tuple[Any, ...]


def statement_rows(
    statements: Iterable[Stated],
    qualifiers: Iterable[Qualified],
    parts: Mapping[str, Value],
    urls: Mapping[str, str],
) -> tuple[list[Cells], list[str]]:
    """The rows of one batch from the answers to its queries.

    Args:
        statements, qualifiers: the answers.
        parts: value node IRI -> what it holds.
        urls: reference IRI -> the address it gives.

    Returns:
        (rows with STATEMENT_COLUMNS, in order of subject, property and statement id; ids of statements that have
        neither value nor "no value", as a query service has for a moment while it updates an entity: not landed).
    """
    stated, no_values = _qualifier_texts(qualifiers, parts)
    origins = _Origins(urls)
    rows: list[Cells] = []
    incomplete: list[str] = []
    for iri, entry in _by_statement(statements).items():
        row: Stated = entry[0]
        prop = ids.claimed_property(row.claim.value)
        own = stated.get(iri)
        no_value = no_values.get(iri)
        if row.value is not None:
            node = parts.get(row.node.value) if row.node is not None else None
            value = node if node is not None else _value(row.value)
        elif no_value is not None and prop in no_value:
            value = _NO_VALUE
            no_value = [one for one in no_value if one != prop]
        else:
            incomplete.append(ids.statement_id(iri))
            continue
        for one in no_value or ():
            own = own if own is not None else {}
            own.setdefault(one, []).append(values.NOVALUE)
        subject = _entity_id(row.subject.value)
        origin = origins.of(entry[1:], row.subject.value)
        qualifier_text = values.qualifiers_text(own) if own else None
        rows.append((ids.statement_id(iri), subject, prop, *value, _rank(row.rank.value), qualifier_text, *origin))
    rows.sort(key=itemgetter(1, 2, 0))
    return rows, sorted(incomplete)


def entity_rows(
    asked: Sequence[str],
    names: Iterable[Named],
    articles: Iterable[Article],
    merged: Iterable[Redirected],
    language: str,
    sources: Mapping[str, str],
) -> list[Cells]:
    """The rows (ENTITY_COLUMNS) of a batch of entities, in order of id: one for each id in ``asked``, and one for
    each id that was merged into one of them.

    Args:
        asked: entity ids.
        names, articles, merged: answers to the queries about them.
        language: the label language; the language-independent label (``mul``) stands in where it has none.
        sources: entity id -> name of its source, where that is not Wikidata.
    """
    found: dict[str, dict[str, Any]] = {entity: {"aliases": set(), "labels": {}, "titles": []} for entity in asked}
    for name in names:
        entry = found.get(_entity_id(name.entity.value))
        if entry is not None:
            _add_name(entry, name.what.value, name.value, language)
    for article in articles:
        entry = found.get(_entity_id(article.entity.value))
        if entry is not None:
            entry["titles"].append(article.title.value)
    for old, new in redirect_targets(merged).items():
        found.setdefault(old, {"redirect": new})
    return [_entity_row(entity, entry, language, sources) for entity, entry in sorted(found.items())]


def redirect_targets(rows: Iterable[Redirected]) -> dict[str, str]:
    """Old id -> the id it was merged into."""
    return {_entity_id(row.old.value): _entity_id(row.new.value) for row in rows}


def member_ids(rows: Iterable[Member]) -> list[str]:
    """The ids of members; IRIs that name no entity (a statement, a web page) are left out."""
    found = (ids.to_id(row.entity.value) for row in rows if row.entity.type == "uri")
    return [one for one in found if one is not None]


def columns(rows: Sequence[Cells], names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """The rows by column: name -> cells."""
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())


class _Origins:
    """What statements say of where they are from; many share a reference, so each set of them is worked out once."""

    def __init__(self, urls: Mapping[str, str]) -> None:
        self._urls = urls
        self._known: dict[tuple[str, ...], tuple[int, str, str | None]] = {}

    def of(self, references: Sequence[str], subject: str) -> tuple[int, str, str]:
        """(number of references, source, source_url) of a statement; the subject's own page where none is given."""
        key = tuple(references)
        known = self._known.get(key)
        if known is None:
            distinct = set(key)
            named = (one[len(ids.SOURCE_IRI) :] for one in distinct if one.startswith(ids.SOURCE_IRI))
            given = {one: self._urls[one] for one in distinct if one in self._urls}
            # A page about this one fact says more than the front page of its source.
            pages = [url for one, url in given.items() if not one.startswith(ids.SOURCE_IRI)]
            url = min(pages or given.values(), default=None)
            # Wikidata's own references are hashes, and name no source.
            known = self._known[key] = (len(distinct), min(named, default="wikidata"), url)
        count, source, url = known
        return count, source, url or subject


def _by_statement(rows: Iterable[Stated]) -> dict[str, list[Any]]:
    """Statement IRI -> its first row, followed by the IRIs of its references."""
    grouped: dict[str, list[Any]] = {}
    for row in rows:
        iri = row.statement.value
        entry = grouped.get(iri)
        if entry is None:
            entry = grouped[iri] = [row]
        if row.reference is not None:
            entry.append(row.reference.value)
    return grouped


def reference_urls(rows: Iterable[Referred]) -> dict[str, str]:
    """Reference IRI -> the first (as text) of the addresses that it gives."""
    urls: dict[str, str] = {}
    for row in rows:
        reference, url = row.reference.value, row.url.value
        urls[reference] = min(url, urls.get(reference, url))
    return urls


def node_iris(statements: Iterable[Stated], qualifiers: Iterable[Qualified]) -> set[str]:
    """The value nodes that statements and qualifiers point to."""
    found = {row.node.value for row in statements if row.node is not None and row.node.type == "uri"}
    found.update(row.value.value for row in qualifiers if row.key.value.startswith(_QUALIFIER_NODE))
    return found


def reference_iris(statements: Iterable[Stated]) -> set[str]:
    """The references that statements point to."""
    return {row.reference.value for row in statements if row.reference is not None and row.reference.type == "uri"}


def node_values(rows: Iterable[NodePart]) -> dict[str, Value]:
    """Value node IRI -> the quantity or time it holds."""
    parts: dict[str, dict[str, str]] = {}
    for row in rows:
        iri = row.node.value
        part = parts.get(iri)
        if part is None:
            part = parts[iri] = {}
        part[row.part.value[len(_ONTOLOGY) :]] = row.value.value
    return {iri: value for iri, part in parts.items() if (value := _node_value(part)) is not None}


def _node_value(part: Mapping[str, str]) -> Value | None:
    amount = part.get("quantityAmount")
    if amount is not None:
        lower, upper = part.get("quantityLowerBound"), part.get("quantityUpperBound")
        lower = None if lower is None else values.plain_amount(lower)
        upper = None if upper is None else values.plain_amount(upper)
        unit = values.unit_id(part.get("quantityUnit", "1"))
        return Value("quantity", None, values.plain_amount(amount), lower, upper, unit)
    if "timeValue" in part and part.get("timePrecision", "").isdecimal():
        raw = part["timeValue"]
        calendar = values.calendar_of(part.get("timeCalendarModel", ""))
        time, precision = values.time_from_rdf(raw, int(part["timePrecision"]), calendar)
        text = raw if time is None else None
        return Value("time", value_time=time, time_precision=precision, calendar=calendar, value_text=text)
    return None


def _value(term: Term) -> Value:
    """The value that a statement or qualifier points to, as far as it is known without a value node."""
    if term.type == "uri":
        iri = term.value
        entity = ids.to_id(iri)
        if entity is not None:
            return Value("entity", entity)
        return _SOME_VALUE if _GENID in iri else Value("text", value_text=values.text_from_iri(iri))
    if term.type == "bnode":
        return _SOME_VALUE
    datatype = term.datatype
    if datatype is None:
        return Value("text", value_text=term.value, value_lang=term.lang)
    if datatype in _NUMBERS:
        return Value("quantity", amount_text=values.plain_amount(term.value))
    if datatype == _WKT:
        return _coordinate(term.value)
    if datatype == _DATE_TIME:
        # Without its node a time has no precision, and may be any day of its year: it keeps its text alone.
        return Value("time", value_text=term.value)
    return Value("text", value_text=values.text_from_math(term.value) if datatype == _MATH else term.value)


def _coordinate(text: str) -> Value:
    """A WKT point, longitude first; what is no point with two numbers stays text."""
    match = _POINT.fullmatch(text.strip())
    try:
        if match is not None:
            return Value("coordinate", latitude=float(match.group(2)), longitude=float(match.group(1)))
    except ValueError:
        pass
    return Value("text", value_text=text)


def _qualifier_texts(
    rows: Iterable[Qualified], parts: Mapping[str, Value]
) -> tuple[dict[str, dict[str, list[str]]], dict[str, list[str]]]:
    """(statement IRI -> property -> its values as JSON texts, statement IRI -> properties stated to have no value)."""
    simple: list[Qualified] = []
    stated: dict[str, dict[str, list[str]]] = {}
    no_values: dict[str, list[str]] = {}
    with_nodes: set[tuple[str, str]] = set()
    for row in rows:
        key = row.key.value
        if key.startswith(_QUALIFIER_NODE):
            node = parts.get(row.value.value)
            if node is not None:
                prop = key[len(_QUALIFIER_NODE) :]
                with_nodes.add((row.statement.value, prop))
                stated.setdefault(row.statement.value, {}).setdefault(prop, []).append(_qualifier_text(node))
        elif key.startswith(_QUALIFIER):
            simple.append(row)
        elif row.value.value.startswith(_NOVALUE):
            no_values.setdefault(row.statement.value, []).append(row.value.value[len(_NOVALUE) :])
    for row in simple:
        prop = row.key.value[len(_QUALIFIER) :]
        # A quantity or time stands there twice, in brief and as a node; the node has all of it.
        if row.value.type != "literal" or (row.statement.value, prop) not in with_nodes:
            text = _qualifier_text(_value(row.value))
            stated.setdefault(row.statement.value, {}).setdefault(prop, []).append(text)
    return stated, no_values


def _qualifier_text(value: Value) -> str:
    if value.value_kind == "entity":
        return values.entity_value(value.value_entity or "")
    if value.value_kind == "quantity":
        return values.quantity_value(value.amount_text or "", value.unit_id)
    if value.value_kind == "time":
        return values.time_value(value.value_time, value.time_precision or 0, value.calendar, value.value_text)
    if value.value_kind == "coordinate":
        return values.coordinate_value(value.latitude or 0.0, value.longitude or 0.0)
    if value.value_kind == "somevalue":
        return values.SOMEVALUE
    return values.text_value(value.value_text or "", value.value_lang)


def _rank(iri: str) -> str:
    try:
        return _RANKS[iri]
    except KeyError:
        raise BindingError(
            f"A statement has the rank {iri}, unknown to Wikidata; use an endpoint that mirrors it."
        ) from None


def _entity_id(iri: str) -> str:
    entity = ids.to_id(iri)
    if entity is None:
        raise BindingError(f"The endpoint answered with <{iri}>, which is no entity; add its prefix to ingest/ids.py.")
    return entity


def _add_name(entry: dict[str, Any], what: str, term: Term, language: str) -> None:
    if what == _LABEL:
        entry["labels"][term.lang] = min(term.value, entry["labels"].get(term.lang, term.value))
    elif what == _SITELINKS:
        entry["sitelinks"] = int(term.value)
    elif what == _SAME_AS:
        entry["redirect"] = _entity_id(term.value)
    elif term.lang == language and what == _ALIAS:
        entry["aliases"].add(term.value)
    elif term.lang == language and what == _DESCRIPTION:
        entry["description"] = term.value


def _entity_row(entity: str, entry: Mapping[str, Any], language: str, sources: Mapping[str, str]) -> Cells:
    origin = (sources.get(entity, "wikidata"), ids.to_iri(entity))
    if "redirect" in entry:
        return (entity, None, None, None, [], None, None, entry["redirect"], *origin)
    labels = entry["labels"]
    lang = next((one for one in (language, "mul") if one in labels), None)
    label = labels[lang] if lang is not None else None
    title = min(entry["titles"], default=None)
    aliases = sorted(entry["aliases"])
    return (entity, label, lang, entry.get("description"), aliases, title, entry.get("sitelinks"), None, *origin)
