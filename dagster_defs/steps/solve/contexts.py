"""What a model gets to read beside the question, fitted into its context."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from dagster_defs.llm.embedding import Embedder
from dagster_defs.llm.prompts import fence
from dagster_defs.steps.chunks import Chunk, Document, chunks
from dagster_defs.steps.solve.documents import fact_sheet, shown
from dagster_defs.steps.solve.questions import Question, Warehouse
from dagster_defs.steps.solve.research import Shelf, evidence_lines, held

CHUNK_TOKENS = 1024
CHUNKS_PER_DOCUMENT = 5
Count = Callable[[str], int]


class Setting(StrEnum):
    """How a model is asked.

    closed_book: the question alone. rag: pieces of documents. oracle: the evidence itself. agent: with tools to search,
    read and compute, step by step.
    """

    CLOSED_BOOK = "closed_book"
    RAG = "rag"
    ORACLE = "oracle"
    AGENT = "agent"


# The settings in which documents are read.
READING = (Setting.RAG, Setting.AGENT)


@dataclass(frozen=True)
class Context:
    """Documents as text. entities: how many of the consulted entities they speak of, None where there are none.

    truncated: something that belongs in did not fit.
    """

    documents: tuple[str, ...] = ()
    entities: int | None = None
    truncated: bool = False


class Contexts:
    """Makes the contexts of one setting; an agent has none, since it looks for itself.

    embedder: needed for rag alone. count: tokens of a text, as the model's context is counted; estimated upward.
    """

    def __init__(self, warehouse: Warehouse, setting: Setting, count: Count, embedder: Embedder | None = None) -> None:
        if setting is Setting.RAG and embedder is None:
            raise ValueError("the setting rag needs an embedder")
        self._warehouse = warehouse
        self._setting = setting
        self._count = count
        self._embedder = embedder
        self._by_topic: dict[str, dict[str, Document]] = {}
        self._shelf: Shelf | None = None

    def of(self, question: Question, room: int) -> Context:
        """What stands beside ``question`` in at most ``room`` tokens."""
        if self._setting in (Setting.CLOSED_BOOK, Setting.AGENT):
            return Context()
        if self._setting is Setting.ORACLE:
            return self._oracle(question, room)
        return self._from_all(question, room) if question.hidden else self._rag(question, room)

    def _oracle(self, question: Question, room: int) -> Context:
        """The evidence as a table, row after row in the order of entities; what does not fit is cut."""
        head, evidence = self._evidence(question)
        lines, spent = [head], self._count(head)
        kept: list[str] = []
        for entity_id, line in evidence:
            spent += self._count(line) + 1
            if spent > room:
                break
            lines.append(line)
            kept.append(entity_id)
        documents = ("\n".join(lines),) if kept else ()
        return Context(documents, len(set(kept)), len(kept) < len(evidence))

    def _evidence(self, question: Question) -> tuple[str, list[tuple[str, str]]]:
        """(head, (entity_id, line) of each consulted value)."""
        if question.hidden:
            return evidence_lines(question, self._warehouse)
        attributes = {attribute.name: attribute for attribute in self._warehouse.attributes(question.topic)}
        lines = [
            (entity_id, f"{fact.entity} | {fact.attribute} | {shown(fact, attributes)}")
            for entity_id, fact in self._warehouse.consulted(question)
        ]
        return "entity | attribute | value", lines

    def _from_all(self, question: Question, room: int) -> Context:
        """The nearest pieces of all documents, since nothing says which of them the question is about."""
        if self._shelf is None:
            assert self._embedder is not None
            self._shelf = Shelf(self._warehouse, question.snapshot_id, CHUNK_TOKENS, self._count, self._embedder)
        chosen = self._shelf.nearest(question.question, room)
        entities = held(question, chosen)
        return Context(tuple(text for _, text in chosen), entities, entities < len(question.hidden))

    def _rag(self, question: Question, room: int) -> Context:
        """Of each consulted entity's document the pieces nearest to the question; nearest documents first until full.

        Documents come in that order, a document's pieces in the order of the document.
        """
        entities = sorted({entity_id for entity_id, _ in self._warehouse.consulted(question)})
        documents_of = self._documents(question)
        pieces = [
            (entity, piece) for entity in entities for piece in chunks(documents_of[entity], CHUNK_TOKENS, self._count)
        ]
        nearness = self._nearness(question.question, [piece for _, piece in pieces])
        by_document: dict[str, list[tuple[float, Chunk]]] = defaultdict(list)
        for near, (entity, piece) in zip(nearness, pieces, strict=True):
            by_document[entity].append((near, piece))
        best = {
            entity: sorted(found, key=lambda item: (-item[0], item[1].ordinal))[:CHUNKS_PER_DOCUMENT]
            for entity, found in by_document.items()
        }
        documents, spent, truncated = [], 0, False
        for entity in sorted(best, key=lambda entity: (-best[entity][0][0], entity)):
            text = "\n\n".join(piece.shown for _, piece in sorted(best[entity], key=lambda item: item[1].ordinal))
            cost = self._count(f"Document 1000:\n{fence(text)}\n\n")
            if spent + cost > room:
                truncated = True
                continue
            documents.append(text)
            spent += cost
        return Context(tuple(documents), len(documents), truncated)

    def _nearness(self, question: str, pieces: Sequence[Chunk]) -> list[float]:
        """Cosine similarity of each piece to the question."""
        if not pieces:
            return []
        assert self._embedder is not None
        vectors = self._embedder.embed([question, *(piece.shown for piece in pieces)])
        return [float(near) for near in vectors[1:] @ vectors[0]]

    def _documents(self, question: Question) -> dict[str, Document]:
        """The article of each of a topic's entities, or its sheet where it has none, by entity_id."""
        topic = question.topic
        if topic not in self._by_topic:
            attributes = {attribute.name: attribute for attribute in self._warehouse.attributes(topic)}
            as_of = self._warehouse.as_of(question.snapshot_id).isoformat()
            known = self._warehouse.facts(topic)
            articles = self._warehouse.articles.of(list(known))
            self._by_topic[topic] = {
                entity: articles[entity].document
                if entity in articles
                else fact_sheet(facts[0].entity, facts, attributes, topic, as_of)
                for entity, facts in known.items()
            }
        return self._by_topic[topic]


def room_for(context_tokens: int, answer_tokens: int, prompt_tokens: int, margin: float = 0.05) -> int:
    """Tokens left for documents: the context less the answer's reserve, the prompt and a margin for the estimate.

    prompt_tokens: of the prompt with one empty document.
    """
    return max(0, int((context_tokens - answer_tokens - prompt_tokens) * (1 - margin)))


__all__ = ["CHUNKS_PER_DOCUMENT", "CHUNK_TOKENS", "Context", "Contexts", "Setting", "room_for"]
