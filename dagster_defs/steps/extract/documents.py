"""Landed articles as documents to read: the infobox first, then the lead and the sections under their headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from dagster_defs.steps.chunks import Document
from dagster_defs.steps.extract.plan import Page
from dagster_defs.steps.passages import BYTES_PER_TOKEN
from dagster_defs.steps.published import reading

INFOBOX: Final = "Infobox"
_SECTIONS: Final = """
    select entity_id, level, heading, {what}
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


def documents_of(database: Path, pages: Sequence[Page], sections: int) -> list[Document]:
    """The article of each page, in their order; ``sections`` as in Reading. Raises RunError for an unreadable file."""
    ids = [one.entity_id for one in pages]
    with reading(database, "articles") as connection:
        texts = connection.execute(_SECTIONS.format(what="text"), [ids]).fetchall()
        fields = connection.execute(_FIELDS, [ids]).fetchall()
    found: dict[str, list[Section]] = {one: [] for one in ids}
    boxes: dict[str, list[tuple[str, str]]] = {one: [] for one in ids}
    for entity_id, level, heading, text in texts:
        found[entity_id].append((level, heading, text))
    for entity_id, field, value in fields:
        boxes[entity_id].append((field, value))
    return [as_document(one.title, boxes[one.entity_id], first(found[one.entity_id], sections)) for one in pages]


def passages_of(database: Path, pages: Sequence[Page], sections: int, size: int) -> int:
    """About how many passages of at most ``size`` tokens the articles have."""
    ids = [one.entity_id for one in pages]
    with reading(database, "articles") as connection:
        texts = connection.execute(_SECTIONS.format(what="repeat(' ', strlen(text))"), [ids]).fetchall()
        fields = connection.execute(_FIELDS, [ids]).fetchall()
    found: dict[str, list[Section]] = {one: [] for one in ids}
    for entity_id, level, heading, text in texts:
        found[entity_id].append((level, heading, text))
    lengths = [len(text) for parts in found.values() for _, _, text in first(parts, sections)]
    boxes: dict[str, int] = {}
    for entity_id, field, value in fields:
        boxes[entity_id] = boxes.get(entity_id, 0) + len(f"{field}: {value}\n".encode())
    # No passage goes over the end of a section.
    room = size * BYTES_PER_TOKEN
    return sum(-(-length // room) for length in [*lengths, *boxes.values()])


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


def as_document(title: str, fields: Iterable[tuple[str, str]], sections: Iterable[Section]) -> Document:
    """An article in Markdown under its title; no line but a heading becomes one."""
    name = _line(title)
    box = [_escaped(f"{_line(field)}: {'; '.join(_lines(value))}") for field, value in fields if _lines(value)]
    lines = [f"# {name}", *([f"## {INFOBOX}", *box, f"# {name}"] if box else [])]
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
