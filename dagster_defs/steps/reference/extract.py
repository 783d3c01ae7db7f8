"""Triples out of texts, by the extractor, passage by passage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Reply
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.passages import Piece, TextRead, plain, read_passages
from dagster_defs.steps.reference.plan import Corpus, extract_call
from dagster_defs.steps.reference.texts import Text


@dataclass
class Extracted(TextRead):
    """What was read of one text.

    triples: subject, predicate, object, sentence (None where it may not be kept) and request_hash, in the text's
    order, each once. n_dropped: triples whose sentence is not in their piece, or that lack a part. n_repeated: said
    twice.
    """

    triples: list[dict[str, Any]] = field(default_factory=list)
    n_dropped: int = 0
    n_repeated: int = 0


def extract(texts: Sequence[Text], spec: ModelSpec, caller: Caller, wanted: Corpus, label: str) -> list[Extracted]:
    """What the extractor reads in each of ``texts``, in their order; raises what ``read_passages`` raises."""

    def ask(piece: Piece) -> Call:
        text = texts[piece.text]
        return extract_call(spec, text.entity.title, piece.shown, quoted=text.quoted, sample=piece.sample)

    read = read_passages([text.document for text in texts], wanted.passage_tokens, ask, caller, label)
    found = [Extracted(**vars(one)) for one in read]
    for own, text in zip(found, texts, strict=True):
        _collect(own, text.quoted)
    return found


def _collect(own: Extracted, quoted: bool) -> None:
    """Put a text's triples together, without those that nothing in it bears out."""
    seen: set[tuple[str, ...]] = set()
    for piece, reply in own.answers:
        inside = plain(piece.shown)
        for triple in _triples(reply):
            key = tuple(plain(triple[name]).casefold() for name in ("subject", "predicate", "object"))
            sentence = plain(triple["sentence"]) if quoted else ""
            if not all(key) or (quoted and (not sentence or sentence not in inside)):
                own.n_dropped += 1
            elif key in seen:
                own.n_repeated += 1
            else:
                seen.add(key)
                kept = {name: triple[name].strip() for name in ("subject", "predicate", "object")}
                said = " ".join(triple["sentence"].split()) if quoted else None
                own.triples.append({**kept, "sentence": said, "request_hash": reply.key})


def _triples(reply: Reply) -> Iterator[dict[str, str]]:
    yield from reply.parsed["triples"]
