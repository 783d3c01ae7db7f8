"""Decoded entities as landing rows, kept by column and handed over as Arrow tables.

Statements are buffered apart by value kind, each kind with the few columns it fills; the columns it leaves empty are
made as blocks of NULLs at the end. That, and leaving constants and prefixes to Arrow, is most of the reader's speed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from ingest.wikidata import values
from ingest.wikidata.entity_json import DataValue, Entity, Reference, ReferenceSnaks, Snak, Statement, Value

ENTITY_IRI: Final = "http://www.wikidata.org/entity/"

# Data types as of 2026; one that is not listed is landed by the type of its value and counted in the report.
KNOWN_DATATYPES: Final = frozenset(
    {
        "commonsMedia", "entity-schema", "external-id", "geo-shape", "globe-coordinate", "math", "monolingualtext",
        "musical-notation", "quantity", "string", "tabular-data", "time", "url", "wikibase-form", "wikibase-item",
        "wikibase-lexeme", "wikibase-property", "wikibase-sense",
    }
)  # fmt: skip

_STATEMENT_HEAD: Final = (
    "statement_id", "subject_id", "property_id", "rank", "qualifiers", "reference_count", "source_url",
)  # fmt: skip
_KIND_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "entity": ("value_entity",),
    "quantity": ("amount_text", "lower_text", "upper_text", "unit_id"),
    "time": ("value_time", "time_precision", "calendar", "value_text"),
    "text": ("value_text", "value_lang"),
    "coordinate": ("latitude", "longitude"),
    "somevalue": (),
    "novalue": (),
}
_ENTITY_COLUMNS: Final = (
    "entity_id", "label", "label_lang", "description", "aliases", "wikipedia_title", "sitelinks", "redirect_to",
)  # fmt: skip
_TYPE_OF_PREFIX: Final[Mapping[str, str]] = {"Q": "item", "P": "property", "L": "lexeme", "M": "mediainfo"}


@dataclass
class Report:
    """What was read and what was not landed, by reason. Nothing is left out without a count here."""

    entities: int = 0
    statements: int = 0
    missing: int = 0
    redirects: int = 0
    bad_lines: int = 0
    cut_short: str | None = None
    label_only: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    unknown_datatypes: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    unreadable_times: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """The report as sentences, without those whose count is 0."""
        told = [f"Landed: {self.entities} entities, {self.statements} statements."]
        for count, text in (
            (self.redirects, "Redirects landed"),
            (self.missing, "Entities reported missing by the source"),
            (self.bad_lines, "Damaged lines left out"),
        ):
            told += [f"{text}: {count}."] if count else []
        for counter, text in (
            (self.label_only, "Entities landed with their label alone, being of type"),
            (self.skipped, "Entities not landed, being of type"),
            (self.unknown_datatypes, "Values landed by their form, being of the unknown data type"),
            (self.unreadable, "Values not landed, being unreadable: property"),
            (self.unreadable_times, "Times landed as text, naming no date: property"),
        ):
            told += [f"{text} {name}: {count}." for name, count in sorted(counter.items())]
        return told + ([self.cut_short] if self.cut_short else [])


class _Unreadable(Exception):
    """A value lacks what its type promises; the message says what."""


class RowBuffer:
    """Collects landing rows entity by entity.

    Args:
        report: where everything that is not landed is counted.
        properties: property ids whose statements are landed; None lands all.
        classes: class asked for -> the classes that count as it (itself and its subclasses). Members alone land
            statements, every item lands its entity row, since values need labels. None lands everything, and then
            ``instances`` holds the classes an item states itself.
    """

    def __init__(
        self,
        report: Report,
        properties: Collection[str] | None = None,
        classes: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.report = report
        self.rows = 0
        self._properties = None if properties is None else frozenset(properties)
        self._asked = None if classes is None else _by_member(classes)
        self._datatypes: dict[str, str | None] = {}
        # Cells of row after row in one flat list: a list of row tuples would be walked again and again by the
        # garbage collector, which cost a quarter of the time.
        self._entities: list[Any] = []
        self._instances: list[Any] = []
        self._statements: dict[str, list[Any]] = {kind: [] for kind in _KIND_COLUMNS}

    def add(self, entity: Entity) -> None:
        """Buffer the rows of one entity, or count why it has none."""
        report = self.report
        if entity.is_missing:
            report.missing += 1
            return
        if entity.redirect is not None:
            report.redirects += 1
            redirect = entity.redirect
            self.rows += 1
            self._entities += (redirect.from_id, None, None, None, (), None, None, redirect.to_id)
            if entity.type is None:
                return
        entity_id = entity.id or ""
        kind = entity.type or _TYPE_OF_PREFIX.get(entity_id[:1], "unknown")
        if kind not in ("item", "property") or not entity_id:
            report.skipped[kind] += 1
            return
        report.entities += 1
        self.rows += 1
        self._entities += (
            entity_id, entity.label, entity.label_lang, entity.description, entity.aliases,
            entity.wikipedia_title, entity.sitelinks, None,
        )  # fmt: skip
        if kind == "property":
            report.label_only[kind] += 1
            return
        for prop, why in entity.problems:
            report.unreadable[f"{prop}, {why}"] += 1
        if self._add_instances(entity_id, entity.claims.get("P31", ())):
            for prop, statements in entity.claims.items():
                if self._properties is None or prop in self._properties:
                    self._add_statements(entity_id, prop, statements)

    def _add_instances(self, entity_id: str, statements: Sequence[Statement]) -> bool:
        """Buffer the classes the entity belongs to; True where its statements are wanted."""
        stated = set(best_entities(statements))
        found = stated if self._asked is None else {asked for name in stated for asked in self._asked.get(name, ())}
        for name in sorted(found):
            self._instances += (entity_id, name)
        return self._asked is None or bool(found)

    def _add_statements(self, subject: str, prop: str, statements: Sequence[Statement]) -> None:
        self._check_datatype(prop, statements)
        buffers = self._statements
        for number, statement in enumerate(statements, 1):
            snak = statement.mainsnak
            kind: str = snak.snaktype
            cells: tuple[Any, ...] = ()
            if kind == "value":
                try:
                    kind, cells = _cells(snak.datavalue)
                except _Unreadable as error:
                    self.report.unreadable[f"{prop}, {error}"] += 1
                    continue
                if kind == "time" and cells[0] is None:
                    self.report.unreadable_times[prop] += 1
            qualifiers, references = statement.qualifiers, statement.references
            buffer = buffers[kind]
            buffer += (
                statement.id or f"{subject}-{prop}-{number}",
                subject,
                prop,
                statement.rank,
                self._qualifiers(qualifiers) if qualifiers else None,
                len(references) if references else 0,
                _source_url(references) if references else None,
            )
            buffer += cells
            self.rows += 1

    def _check_datatype(self, prop: str, statements: Sequence[Statement]) -> None:
        """Count values whose data type is not known; a property has one data type for ever."""
        if prop not in self._datatypes:
            datatype = statements[0].mainsnak.datatype if statements else None
            self._datatypes[prop] = None if datatype in KNOWN_DATATYPES else datatype
        unknown = self._datatypes[prop]
        if unknown is not None:
            self.report.unknown_datatypes[unknown] += len(statements)

    def _qualifiers(self, qualifiers: Mapping[str, Sequence[Snak]] | Sequence[Any]) -> str | None:
        """The qualifiers of one statement as landed; values that cannot be read are counted and left out."""
        if not isinstance(qualifiers, dict):
            return None
        try:
            texts = {prop: [_qualifier(snak) for snak in snaks] for prop, snaks in qualifiers.items()}
        except _Unreadable:
            texts = self._readable_qualifiers(qualifiers)
        return values.qualifiers_text(texts)

    def _readable_qualifiers(self, qualifiers: Mapping[str, Sequence[Snak]]) -> dict[str, list[str]]:
        """The values that can be read; the others are counted."""
        texts: dict[str, list[str]] = {}
        for prop, snaks in qualifiers.items():
            for snak in snaks:
                try:
                    texts.setdefault(prop, []).append(_qualifier(snak))
                except _Unreadable as error:
                    self.report.unreadable[f"{prop} as qualifier, {error}"] += 1
        return {prop: found for prop, found in texts.items() if found}

    def take(self, constants: Mapping[str, Any], schemas: Mapping[str, pa.Schema]) -> dict[str, pa.Table]:
        """The buffered rows as tables ``entities``, ``instances`` and ``statements``; empties the buffer.

        ``constants`` gives the columns that are the same in every row (source, request_hash, fetched_at,
        snapshot_id); ``schemas`` the columns and types of each table.
        """
        parts = {
            "entities": [_columns(_ENTITY_COLUMNS, self._entities)],
            "instances": [_columns(("entity_id", "class_id"), self._instances)],
            "statements": [
                _columns((*_STATEMENT_HEAD, *_KIND_COLUMNS[kind]), rows) | {"value_kind": kind}
                for kind, rows in self._statements.items()
                if rows
            ],
        }
        self.report.statements += sum(len(block["subject_id"]) for block in parts["statements"])
        self.rows = 0
        self._entities, self._instances = [], []
        self._statements = {kind: [] for kind in _KIND_COLUMNS}
        tables = {name: [_table(block, constants, schemas[name]) for block in blocks] for name, blocks in parts.items()}
        return {
            name: pa.concat_tables(found) if found else schemas[name].empty_table() for name, found in tables.items()
        }


def best_entities(statements: Sequence[Statement]) -> list[str]:
    """The entities a property points to, as ``wdt:`` has them: best rank only, deprecated never."""
    ranks = {statement.rank for statement in statements}
    best = "preferred" if "preferred" in ranks else "normal"
    found = []
    for statement in statements:
        datavalue = statement.mainsnak.datavalue
        if statement.rank == best and datavalue is not None and isinstance(datavalue.value, Value):
            target = datavalue.value.entity_id()
            found += [target] if target else []
    return found


def _by_member(classes: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """class -> the classes asked for that it counts as."""
    asked_by: dict[str, list[str]] = {}
    for asked, members in classes.items():
        for member in members:
            asked_by.setdefault(member, []).append(asked)
    return asked_by


def _cells(datavalue: DataValue | None) -> tuple[str, tuple[Any, ...]]:
    """(value kind, the kind's own columns) of a value. Raises _Unreadable."""
    if datavalue is None:
        raise _Unreadable("a value is announced but not given")
    value = datavalue.value
    kind = datavalue.type
    if isinstance(value, Value):
        if kind == "wikibase-entityid":
            entity_id = value.id or value.entity_id()
            if entity_id is not None:
                return "entity", (entity_id,)
        elif kind == "time":
            return "time", _time(value)
        elif kind == "quantity":
            return "quantity", _quantity(value)
        elif kind == "monolingualtext":
            if value.text is not None:
                return "text", (value.text, value.language)
        elif kind != "globecoordinate":
            raise _Unreadable(f"value of unknown type {kind or 'none'}")
        elif value.latitude is not None and value.longitude is not None:
            return "coordinate", (value.latitude, value.longitude)
        raise _Unreadable(f"value of type {kind} lacks its parts")
    if kind == "string" and isinstance(value, str):
        return "text", (value, None)
    raise _Unreadable(f"value of unknown type {kind or 'none'}")


def _time(value: Value) -> tuple[str | None, int, str | None, str | None]:
    """(value_time, time_precision, calendar, value_text); the text only where it names no date."""
    if value.time is None or not isinstance(value.precision, int):
        raise _Unreadable("value of type time lacks its parts")
    return _time_cells(value.time, value.precision, value.calendarmodel)


# Dates and entities come again and again, above all in qualifiers, so what was made of the last ones is kept.
@lru_cache(maxsize=16384)
def _time_cells(text: str, precision: int, model: str) -> tuple[str | None, int, str | None, str | None]:
    calendar = values.calendar_of(model)
    time, kept = values.time_from_json(text, precision, calendar)
    return time, kept, calendar, text if time is None else None


@lru_cache(maxsize=16384)
def _time_text(text: str, precision: int, model: str) -> str:
    return values.time_value(*_time_cells(text, precision, model))


@lru_cache(maxsize=16384)
def _entity_text(entity_id: str) -> str:
    return values.entity_value(entity_id)


def _quantity(value: Value) -> tuple[str, str | None, str | None, str | None]:
    """(amount_text, lower_text, upper_text, unit_id)."""
    if value.amount is None:
        raise _Unreadable("value of type quantity lacks its parts")
    lower, upper = value.lowerBound, value.upperBound
    return (
        values.plain_amount(value.amount),
        None if lower is None else values.plain_amount(lower),
        None if upper is None else values.plain_amount(upper),
        values.unit_id(value.unit),
    )


def _qualifier(snak: Snak) -> str:
    """One qualifier value as JSON text. Raises _Unreadable."""
    if snak.snaktype != "value":
        return values.SOMEVALUE if snak.snaktype == "somevalue" else values.NOVALUE
    datavalue = snak.datavalue
    value = None if datavalue is None else datavalue.value
    if isinstance(value, Value) and value.time is not None and isinstance(value.precision, int):
        return _time_text(value.time, value.precision, value.calendarmodel)
    kind, cells = _cells(datavalue)
    if kind == "entity":
        return _entity_text(cells[0])
    if kind == "quantity":
        return values.quantity_value(cells[0], cells[3])
    return values.text_value(*cells) if kind == "text" else values.coordinate_value(*cells)


def _source_url(references: Sequence[Reference]) -> str | None:
    """The smallest of the references' URLs, so that their order does not matter; None without any."""
    found: str | None = None
    for reference in references:
        if isinstance(reference.snaks, ReferenceSnaks) and reference.snaks.P854:
            for snak in reference.snaks.P854:
                url = snak.datavalue.value if snak.datavalue is not None else None
                if isinstance(url, str) and (found is None or url < found):
                    found = url
    return found


def _columns(names: Sequence[str], cells: list[Any]) -> dict[str, Any]:
    """The columns of a flat list of cells, row after row."""
    return {name: cells[number :: len(names)] for number, name in enumerate(names)}


def _table(columns: Mapping[str, Any], constants: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """One block of rows in the landing schema: given columns, constants, and NULL for what is left."""
    subject = "subject_id" if "subject_id" in columns else "entity_id"
    rows = len(columns[subject])
    arrays: dict[str, Any] = {}
    for column in schema:
        cells = columns.get(column.name, constants.get(column.name))
        if isinstance(cells, list):
            arrays[column.name] = pa.array(cells, type=column.type)
        elif cells is None:
            arrays[column.name] = pa.nulls(rows, type=column.type)
        else:
            arrays[column.name] = pa.repeat(pa.scalar(cells, type=column.type), rows)
    page = pc.binary_join_element_wise(ENTITY_IRI, arrays[subject], "")
    arrays["source_url"] = pc.coalesce(arrays["source_url"], page)
    if "statement_id" in arrays:
        # RDF names the statement Q42-F078... where JSON has Q42$F078...; the landed id is RDF's.
        arrays["statement_id"] = pc.replace_substring(arrays["statement_id"], "$", "-", max_replacements=1)
    return pa.Table.from_arrays([arrays[column.name] for column in schema], schema=schema)
