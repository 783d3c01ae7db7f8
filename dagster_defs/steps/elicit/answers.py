"""What a model's answer holds: the forms that are asked for, and triples read from them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from dagster_defs.llm.calls import Outcome, Reply

ANSWERED, EMPTY, UNPARSED, REFUSED, CUT, FAILED = OUTCOMES = (
    "answered", "empty", "unparsed", "refused", "cut", "failed",
)  # fmt: skip
# What an entity comes to where no triple of it was read: the first of these that any of its calls came to.
_WORST: Final = (UNPARSED, REFUSED, CUT, EMPTY)
# Models write numbers and yes or no as such, whatever they are asked for; null is read so that the others aren't lost.
Scalar = str | bool | float | None


class Written(BaseModel):
    """A triple as a model writes it."""

    subject: Scalar
    predicate: Scalar
    object: Scalar


class Triples(BaseModel):
    """What is known of an entity."""

    triples: list[Written]


class Predicates(BaseModel):
    """What could be said of an entity."""

    predicates: list[Scalar]


class Triple(NamedTuple):
    """A triple of texts, with the key of the call that gave it."""

    subject: str
    predicate: str
    object: str
    request_hash: str


@dataclass(frozen=True)
class Read:
    """What one reply held.

    outcome: one of OUTCOMES. triples: those with a predicate and an object; of predicates none. unreadable: elements
    that lack one of them. truncated: only the complete elements of an answer that was cut off are here.
    """

    outcome: str
    triples: tuple[Triple, ...] = ()
    predicates: tuple[str, ...] = ()
    unreadable: int = 0
    truncated: bool = False
    error: str | None = None


@dataclass(frozen=True)
class Elicited:
    """What came of one entity: all its replies, and what they come to together.

    Triples are there where the outcome is answered, and nowhere else.
    """

    outcome: str
    triples: tuple[Triple, ...] = ()
    truncated: bool = False
    error: str | None = None
    replies: tuple[Reply, ...] = field(default=(), repr=False)


def read_triples(reply: Reply, title: str) -> Read:
    """The triples of a reply about the entity of that ``title``, which stands in where a subject is empty."""
    items = _items(reply, "triples")
    written = [tuple(text_of(item[part]) for part in ("subject", "predicate", "object")) for item in items]
    triples = tuple(Triple(given[0] or title, given[1], given[2], reply.key) for given in written if all(given[1:]))
    outcome = _outcome(reply, len(items), len(triples))
    kept = triples if outcome == ANSWERED else ()
    return Read(outcome, kept, (), len(items) - len(triples), reply.truncated, reply.error)


def read_predicates(reply: Reply) -> Read:
    """The predicates of a reply, each once (whatever its case) and on one line."""
    items = _items(reply, "predicates")
    found: dict[str, str] = {}
    for text in (" ".join(text_of(item).split()) for item in items):
        if text:
            found.setdefault(text.casefold(), text)
    predicates = tuple(found.values())
    outcome = _outcome(reply, len(items), len(predicates))
    return Read(outcome, (), predicates if outcome == ANSWERED else (), 0, reply.truncated, reply.error)


def text_of(value: Any) -> str:
    """A JSON string, number or truth value as text, without space around it; null is an empty text."""
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value)


def combined(reads: Sequence[Read], replies: Iterable[Reply], notes: Sequence[str] = ()) -> Elicited:
    """One outcome for an entity, from what each of its calls held.

    It failed where any call did, since asking again would give more; else it is answered where any gave triples, and
    what others came to instead is told in the error; else it is what the worst of them came to. notes: said besides.
    """
    triples = tuple(triple for read in reads for triple in read.triples)
    outcomes = Counter(read.outcome for read in reads)
    said = list(notes)
    if FAILED in outcomes:
        outcome, triples = FAILED, ()
    elif triples:
        outcome = ANSWERED
        said += [f"{outcomes[one]} of {len(reads)} calls came to {one}" for one in _WORST[:-1] if one in outcomes]
    else:
        outcome = next((one for one in _WORST if one in outcomes), EMPTY)
    said += [read.error for read in reads if read.error]
    lost, kept = sum(read.unreadable for read in reads), sum(len(read.triples) for read in reads)
    if lost:
        said.append(f"{lost} of {lost + kept} triples lack a predicate or an object")
    truncated = outcome == ANSWERED and any(read.truncated or read.outcome == CUT for read in reads)
    return Elicited(outcome, triples, truncated, "; ".join(dict.fromkeys(said)) or None, tuple(replies))


def _items(reply: Reply, name: str) -> list[Any]:
    """The elements of the list that a reply holds under ``name``, none where it holds none that may be used."""
    if reply.outcome not in (Outcome.ANSWERED, Outcome.CUT) or not isinstance(reply.parsed, dict):
        return []
    items: list[Any] = reply.parsed[name]
    return items


def _outcome(reply: Reply, given: int, kept: int) -> str:
    """What a reply comes to that gave so many elements, of which so many can be used."""
    if kept:
        return ANSWERED
    if reply.outcome is Outcome.CUT and (given or reply.truncated or reply.parsed is None):
        return CUT
    if reply.outcome in (Outcome.ANSWERED, Outcome.CUT):
        return UNPARSED if given else EMPTY
    return str(reply.outcome)
