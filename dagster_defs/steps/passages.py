"""Texts that a model reads passage by passage: in halves where one answer cannot hold it, unread ones once more."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dagster_defs.llm.budget import Estimate, estimated_tokens
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.asking import Spent, readable
from dagster_defs.steps.chunks import Chunk, Document, chunks

# A piece of fewer tokens is not halved any more, and a text that could not be read is asked for so often in all.
SMALLEST_TOKENS: Final = 64
TRIES: Final = 2
# Bytes of a passage's token, as passages are cut and counted.
BYTES_PER_TOKEN: Final = 3
# The first try is the model's likeliest answer; what could not be read is tried again a little off it.
_RETRY_TEMPERATURE: Final = 0.5
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
class TextRead(Spent):
    """What asking about one text came to.

    passages: as they stand, heading first. answers: what each piece of it was answered, in the text's order, the
    readable ones. unread: numbers of passages of which a piece could not be read. error: of a call that failed.
    """

    passages: list[str] = field(default_factory=list)
    answers: list[tuple[Piece, Reply]] = field(default_factory=list)
    unread: set[int] = field(default_factory=set)
    error: str | None = None

    @property
    def n_unread(self) -> int:
        """Passages that could not be read in whole."""
        return len(self.unread)


def read_passages(
    documents: Sequence[Document | None], size: int, ask: Callable[[Piece], Call], caller: Caller, label: str
) -> list[TextRead]:
    """What a model answers to the passages of each of ``documents``, in their order; None is a text without any.

    size: the longest passage, in estimated tokens. ask: the call that reads a piece. An answer that was cut off is
    asked for in halves of its piece, down to a smallest; one that can't be read is tried once more. Raises what
    ``caller.ask_all`` raises; what was answered until then is in the journal.
    """
    found = [TextRead() for _ in documents]
    pending: list[Piece] = []
    for number, document in enumerate(documents):
        for chunk in cut(document, size) if document is not None else ():
            pending.append(Piece(number, chunk.ordinal, chunk.heading, chunk.text))
            found[number].passages.append(chunk.shown)
    while pending:
        further: list[Piece] = []
        replies = caller.ask_all([ask(piece) for piece in pending], label=label)
        for piece, reply in zip(pending, replies, strict=True):
            own = found[piece.text]
            own.count(reply)
            if readable(reply):
                own.answers.append((piece, reply))
            elif again := _again(piece, reply):
                further += again
            else:
                own.unread.add(piece.passage)
                if reply.outcome is Outcome.FAILED:
                    own.error = reply.error or "the call failed"
        pending = further
    for own in found:
        own.answers.sort(key=lambda one: (one[0].passage, one[0].path))
    return found


def cut(document: Document, size: int) -> list[Chunk]:
    """The passages of a text, at most ``size`` estimated tokens each, a single word left whole."""
    try:
        return chunks(document, size, estimated_tokens)
    except ValueError:
        # Headings that leave no room stand among the lines; the title, cut, stands over all of them.
        plainer = Document(document.title[: size // 2], re.sub(r"(?m)^#", " #", document.text))
        return chunks(plainer, size, estimated_tokens)


def sampling(spec: ModelSpec, sample: int) -> dict[str, Any]:
    """Temperature and seed of a try, from 0, where the model's own parameters leave them open."""
    wanted: dict[str, Any] = {"temperature": 0.0 if sample == 0 else _RETRY_TEMPERATURE, "seed": sample}
    return {name: value for name, value in wanted.items() if name not in (spec.parameters or {})}


def times(one: Estimate, calls: int) -> Estimate:
    """What so many calls take that are each like the ``one`` estimated, none of them in the journal."""
    return replace(
        one,
        calls=calls,
        cached=0,
        prompt_tokens=one.prompt_tokens * calls,
        completion_tokens=one.completion_tokens * calls,
        dollars=None if one.dollars is None else one.dollars * calls,
        dollars_at_most=None if one.dollars_at_most is None else one.dollars_at_most * calls,
    )


def plain(text: str) -> str:
    """A text as sentences are compared: runs of spaces as one, quotes of every kind as the plain ones."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTES).split())


def _again(piece: Piece, reply: Reply) -> list[Piece]:
    """What to ask in place of a piece whose answer could not be read."""
    if reply.outcome is Outcome.CUT or reply.truncated:
        return piece.halves()
    if reply.outcome is Outcome.UNPARSED and piece.sample + 1 < TRIES:
        return [replace(piece, sample=piece.sample + 1)]
    return []


def _middle(parts: Sequence[str]) -> int:
    """Before which of the parts to cut, so that both sides are about as long."""
    total, so_far = sum(map(len, parts)), 0
    for number, part in enumerate(parts[:-1], 1):
        so_far += len(part)
        if 2 * so_far >= total:
            return number
    return len(parts) - 1
