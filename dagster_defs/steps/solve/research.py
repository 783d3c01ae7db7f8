"""What stands beside a question that hides its entity: the evidence with the name, or the nearest of all documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagster_defs.llm.prompts import fence
from dagster_defs.steps.chunks import Document, chunks
from dagster_defs.steps.solve.documents import shown
from dagster_defs.steps.solve.questions import Question, Warehouse
from dagster_defs.steps.solve.sheets import Sheet, sheets

if TYPE_CHECKING:
    from dagster_defs.llm.embedding import Embedder

Count = Callable[[str], int]
_HEAD = "entity | attribute | value | unit | source"


def evidence_lines(question: Question, warehouse: Warehouse) -> tuple[str, list[tuple[str, str]]]:
    """(head, (entity_id, line) of each consulted value): what is hidden stands there by its name."""
    attributes = {attribute.name: attribute for attribute in warehouse.attributes(question.topic)}
    sources = warehouse.sources(question)
    lines = []
    for entity_id, fact in warehouse.consulted(question):
        unit = attributes[fact.attribute].unit if fact.attribute in attributes else None
        source = sources.get((entity_id, fact.attribute), "")
        cells = (fact.entity, fact.attribute, shown(fact, attributes), unit or "", source)
        lines.append((entity_id, " | ".join(cells).rstrip(" |")))
    return _HEAD, lines


class Shelf:
    """Pieces of all documents that there are, by nearness to a question; what it hides is not looked at."""

    def __init__(self, warehouse: Warehouse, snapshot_id: str, size: int, count: Count, embedder: Embedder) -> None:
        self._embedder = embedder
        self._count = count
        self._pieces: list[tuple[Sheet, str]] = [
            (sheet, text) for sheet in sheets(warehouse, snapshot_id) for text in _pieces(sheet.document, size, count)
        ]
        self._costs = [count(f"Document 1000:\n{fence(text)}\n\n") for _, text in self._pieces]
        self._vectors: npt.NDArray[np.float32] | None = None

    def nearest(self, text: str, room: int) -> list[tuple[Sheet, str]]:
        """The pieces nearest to ``text``, each with its sheet, the nearest first, as many as fit ``room`` tokens."""
        if self._vectors is None:
            self._vectors = self._embedder.embed([piece for _, piece in self._pieces])
        nearness = self._vectors @ self._embedder.embed([text])[0]
        chosen, spent = [], 0
        for place in np.argsort(-nearness, kind="stable"):
            spent += self._costs[place]
            if spent > room:
                break
            chosen.append(self._pieces[place])
        return chosen


def _pieces(document: Document, size: int, count: Count) -> list[str]:
    """A document that fits as a whole, since its parts say little apart; else its pieces."""
    if count(document.text) <= size:
        return [document.text]
    return [piece.shown for piece in chunks(document, size, count)]


def held(question: Question, chosen: Sequence[tuple[Sheet, str]]) -> int:
    """How many of the entities that ``question`` hides the chosen pieces are about."""
    return len({sheet.entity_id for sheet, _ in chosen} & set(question.hidden))
