"""Landed articles of Wikipedia as documents: the infobox first, then the lead and the sections under their headings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

from dagster_defs.steps.chunks import Document

INFOBOX: Final = "Infobox"
_SECTIONS: Final = """
    select entity_id, level, heading, {text}
    from documents.sections
    where list_contains(?, entity_id)
    order by entity_id, ordinal
"""
_FIELDS: Final = """
    select entity_id, field, value_plain
    from documents.infobox_fields
    where list_contains(?, entity_id) and value_plain is not null
    order by entity_id, position
"""
# level and heading (None for the lead) of a section, and its text.
Section = tuple[int, str | None, str]


@dataclass
class Parts:
    """What an article consists of. fields: names and plain values of its infoboxes."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)


def parts_of(
    connection: duckdb.DuckDBPyConnection, entity_ids: Sequence[str], text: str = "text"
) -> Mapping[str, Parts]:
    """The article of each entity, empty where it has none. text: what is read of a section, in SQL."""
    found = {one: Parts() for one in entity_ids}
    for entity_id, *section in connection.execute(_SECTIONS.format(text=text), [list(entity_ids)]).fetchall():
        found[entity_id].sections.append((section[0], section[1], section[2]))
    for entity_id, name, value in connection.execute(_FIELDS, [list(entity_ids)]).fetchall():
        found[entity_id].fields.append((name, value))
    return found


def has_articles(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the database has tables of articles; those that were published before articles were landed have none."""
    known = "select 1 from information_schema.tables where (table_schema, table_name) = ('documents', 'pages')"
    return bool(connection.execute(known).fetchall())


def first(sections: Sequence[Section], n: int) -> list[Section]:
    """The lead and the first ``n`` sections of the highest level with all below them; all where ``n`` is 0."""
    top = min((level for level, heading, _ in sections if heading is not None), default=0)
    kept: list[Section] = []
    begun = 0
    for level, heading, text in sections:
        begun += heading is not None and level == top
        if n and begun > n:
            break
        kept.append((level, heading, text))
    return kept


def as_document(title: str, fields: Iterable[tuple[str, str]], sections: Iterable[Section], note: str = "") -> Document:
    """An article in Markdown under its title; no line but a heading becomes one. note: what stands before the lead."""
    name = _line(title)
    box = [_escaped(f"{_line(field)}: {'; '.join(_lines(value))}") for field, value in fields if _lines(value)]
    lines = [f"# {name}", *([f"## {INFOBOX}", *box, f"# {name}"] if box else []), *([_escaped(note)] if note else [])]
    for level, heading, text in sections:
        if heading is not None:
            lines.append(f"{'#' * max(level, 2)} {_line(heading)}")
        lines += [_escaped(line) for line in text.splitlines()]
    return Document(name, "\n".join(lines))


def heading_of(title: str, heading: str) -> str | None:
    """The section that a passage of the article ``title`` stands in, None for the lead."""
    if title.startswith(heading):
        return None
    return heading.removeprefix(f"{title} > ")


def _line(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _escaped(line: str) -> str:
    return f" {line}" if line.startswith("#") else line
