"""What is read of the landed articles, and how much that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dagster_defs.steps.articles import as_document, first, parts_of
from dagster_defs.steps.chunks import Document
from dagster_defs.steps.extract.plan import Page
from dagster_defs.steps.passages import BYTES_PER_TOKEN
from dagster_defs.steps.published import reading


def documents_of(database: Path, pages: Sequence[Page], sections: int) -> list[Document]:
    """The article of each page, in their order; ``sections`` as in Reading. Raises RunError for an unreadable file."""
    with reading(database, "articles") as connection:
        found = parts_of(connection, [one.entity_id for one in pages])
    return [
        as_document(one.title, found[one.entity_id].fields, first(found[one.entity_id].sections, sections))
        for one in pages
    ]


def passages_of(database: Path, pages: Sequence[Page], sections: int, size: int) -> int:
    """About how many passages of at most ``size`` tokens the articles have."""
    with reading(database, "articles") as connection:
        found = parts_of(connection, [one.entity_id for one in pages], "repeat(' ', strlen(text))")
    lengths = [len(text) for parts in found.values() for _, _, text in first(parts.sections, sections)]
    boxes = [sum(len(f"{name}: {value}\n".encode()) for name, value in parts.fields) for parts in found.values()]
    # No passage goes over the end of a section.
    room = size * BYTES_PER_TOKEN
    return sum(-(-length // room) for length in [*lengths, *boxes])
