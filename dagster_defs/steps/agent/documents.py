"""The documents an agent can search and read."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

# A passage is what is ranked, and what a search shows the beginning of.
PASSAGE = 1000
_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Document:
    """A landed document. url: where it is from, empty where that is nowhere."""

    document_id: str
    title: str
    url: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A document that was found, and the passage of it that fits best."""

    document: Document
    passage: str


class Index:
    """Documents, found by words (BM25 over their passages, bm25s), by id and by address.

    Raises ValueError where an id stands for two documents.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_id: dict[str, Document] = {}
        self._by_url: dict[str, Document] = {}
        self._by_title: dict[tuple[str, ...], list[Document]] = defaultdict(list)
        self._passages: list[tuple[Document, str]] = []
        for document in documents:
            if document.document_id in self._by_id:
                raise ValueError(f"'{document.document_id}' stands for two documents")
            self._by_id[document.document_id] = document
            if document.url:
                self._by_url.setdefault(_address(document.url), document)
            self._by_title[tuple(_words(document.title))].append(document)
            self._passages += [(document, passage) for passage in windows(document.text, PASSAGE)]
        self._ranking = _Ranking([f"{document.title}\n{passage}" for document, passage in self._passages])

    def __len__(self) -> int:
        return len(self._by_id)

    def search(self, query: str, n: int) -> list[Hit]:
        """At most ``n`` documents that share a word with ``query``, the best first; of equals the first given.

        Best is what is called exactly so: many others may speak of it more often.
        """
        words = tuple(_words(query))
        named = self._by_title.get(words, ()) if words else ()
        hits = {one.document_id: Hit(one, one.text[:PASSAGE]) for one in named[:n]}
        if len(hits) == n:
            return list(hits.values())
        for place in self._ranking.order(query):
            document, passage = self._passages[place]
            if document.document_id not in hits:
                hits[document.document_id] = Hit(document, passage)
                if len(hits) == n:
                    break
        return list(hits.values())

    def find(self, name: str) -> Document | None:
        """The document with this id, or at this address."""
        return self._by_id.get(name.strip()) or self._by_url.get(_address(name))


class _Ranking:
    """BM25 (Robertson's, k1 1.5, b 0.75) over texts."""

    def __init__(self, texts: list[str]) -> None:
        import bm25s

        words = [_words(text) for text in texts]
        self._ranked = bm25s.BM25() if any(words) else None
        if self._ranked is not None:
            self._ranked.index(words, show_progress=False)

    def order(self, query: str) -> list[int]:
        """Places of the texts that share a word with ``query``, the best first."""
        words = _words(query)
        if self._ranked is None or not words:
            return []
        known = self._ranked.get_tokens_ids(words)
        if not known:
            return []
        scores = self._ranked.get_scores_from_ids(known)
        best = np.argsort(-scores, kind="stable")
        return [int(place) for place in best if scores[place] > 0]


def windows(text: str, size: int) -> list[str]:
    """``text`` in pieces of at most ``size`` letters, cut at the end of a line, sentence or word where one is near."""
    pieces, start = [], 0
    while start < len(text):
        end = start + size
        if end < len(text):
            cuts = (text.rfind(mark, start + size // 2, end) + len(mark) for mark in ("\n", ". ", " "))
            end = next((cut for cut in cuts if cut > start + size // 2), end)
        if piece := text[start:end].strip():
            pieces.append(piece)
        start = end
    return pieces


def one_line(text: str, most: int) -> str:
    """The beginning of ``text`` in one line."""
    flat = _SPACE.sub(" ", text).strip()
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _words(text: str) -> list[str]:
    """Words in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter)))


def _address(url: str) -> str:
    """An address without what does not change the page."""
    return re.sub(r"^https?://(www\.)?", "", url.strip().split("#")[0]).rstrip("/")
