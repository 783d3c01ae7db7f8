"""Triples out of texts, by the extractor: piece by piece, and a piece that is too long for one answer in halves."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.asking import Spent, readable
from dagster_defs.steps.chunks import Chunk, Document, chunks
from dagster_defs.steps.reference.plan import Corpus, extract_call
from dagster_defs.steps.reference.texts import Text

# A piece of fewer tokens is not halved any more, and a text that could not be read is asked for so often in all.
SMALLEST_TOKENS: Final = 64
TRIES: Final = 2
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_QUOTES: Final = str.maketrans(dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"'))


@dataclass(frozen=True)
class Piece:
    """What one call reads.

    text: the number of its text. passage: its number among the text's. path: which half of which half of it this is.
    sample: number of the try, from 0.
    """

    text: int
    passage: int
    heading: str
    body: str
    path: tuple[int, ...] = ()
    sample: int = 0

    @property
    def shown(self) -> str:
        """The piece under its heading."""
        return f"{self.heading}\n{self.body}"

    def halves(self) -> list[Piece]:
        """Both halves, cut at the end of a line, of a sentence or of a word; none where it is too small for that."""
        if estimated_tokens(self.body) <= SMALLEST_TOKENS:
            return []
        for parts, glue in (
            (self.body.split("\n"), "\n"),
            (_SENTENCE_END.split(self.body), " "),
            (self.body.split(), " "),
        ):
            if len(parts) > 1:
                cut = _middle(parts)
                bodies = (glue.join(parts[:cut]), glue.join(parts[cut:]))
                return [replace(self, body=body, path=(*self.path, n), sample=0) for n, body in enumerate(bodies)]
        return []


@dataclass
class Extracted(Spent):
    """What was read of one text.

    passages: as they stand, heading first. triples: subject, predicate, object, sentence (None where it may not be
    kept) and request_hash, in the text's order, each once. n_unread: passages of which a piece could not be read.
    n_dropped: triples whose sentence is not in their piece, or that lack a part. n_repeated: said twice. error: of a
    call that failed.
    """

    passages: list[str] = field(default_factory=list)
    triples: list[dict[str, Any]] = field(default_factory=list)
    unread: set[int] = field(default_factory=set)
    n_dropped: int = 0
    n_repeated: int = 0
    error: str | None = None

    @property
    def n_unread(self) -> int:
        """Passages that could not be read in whole."""
        return len(self.unread)


def cut(document: Document, size: int) -> list[Chunk]:
    """The passages of a text, at most ``size`` estimated tokens each, a single word left whole."""
    try:
        return chunks(document, size, estimated_tokens)
    except ValueError:
        # Headings that leave no room stand among the lines; the title, cut, stands over all of them.
        plainer = Document(document.title[: size // 2], re.sub(r"(?m)^#", " #", document.text))
        return chunks(plainer, size, estimated_tokens)


def extract(texts: Sequence[Text], spec: ModelSpec, caller: Caller, wanted: Corpus, label: str) -> list[Extracted]:
    """What the extractor reads in each of ``texts``, in their order.

    An answer that was cut off is asked for in halves of its piece, down to a smallest; one that can't be read is tried
    once more. Raises what ``caller.ask_all`` raises; what was answered until then is in the journal.
    """
    found = [Extracted() for _ in texts]
    pending: list[Piece] = []
    for number, text in enumerate(texts):
        for chunk in cut(text.document, wanted.passage_tokens) if text.document is not None else ():
            pending.append(Piece(number, chunk.ordinal, chunk.heading, chunk.text))
            found[number].passages.append(chunk.shown)
    read: dict[int, list[tuple[Piece, Reply]]] = defaultdict(list)
    while pending:
        calls = [
            extract_call(
                spec, texts[one.text].entity.title, one.shown, quoted=texts[one.text].quoted, sample=one.sample
            )
            for one in pending
        ]
        further: list[Piece] = []
        for piece, reply in zip(pending, caller.ask_all(calls, label=label), strict=True):
            own = found[piece.text]
            own.count(reply)
            if readable(reply):
                read[piece.text].append((piece, reply))
            elif again := _again(piece, reply):
                further += again
            else:
                own.unread.add(piece.passage)
                if reply.outcome is Outcome.FAILED:
                    own.error = reply.error or "the call failed"
        pending = further
    for number, answers in read.items():
        _collect(found[number], sorted(answers, key=lambda one: (one[0].passage, one[0].path)), texts[number].quoted)
    return found


def _again(piece: Piece, reply: Reply) -> list[Piece]:
    """What to ask in place of a piece whose answer could not be read."""
    if reply.outcome is Outcome.CUT or reply.truncated:
        return piece.halves()
    if reply.outcome is Outcome.UNPARSED and piece.sample + 1 < TRIES:
        return [replace(piece, sample=piece.sample + 1)]
    return []


def _collect(own: Extracted, answers: Sequence[tuple[Piece, Reply]], quoted: bool) -> None:
    """Put a text's triples together, without those that nothing in it bears out."""
    seen: set[tuple[str, ...]] = set()
    for piece, reply in answers:
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


def plain(text: str) -> str:
    """A text as sentences are compared: runs of spaces as one, quotes of every kind as the plain ones."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTES).split())


def _middle(parts: Sequence[str]) -> int:
    """Before which of the parts to cut, so that both sides are about as long."""
    total, so_far = sum(map(len, parts)), 0
    for number, part in enumerate(parts[:-1], 1):
        so_far += len(part)
        if 2 * so_far >= total:
            return number
    return len(parts) - 1
