"""Values out of articles, by the extractor: passage by passage, each with the sentence that bears it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Reply
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.articles import heading_of
from dagster_defs.steps.chunks import Document
from dagster_defs.steps.extract.normalise import KEPT, UNGROUNDED, UNKNOWN_ATTRIBUTE, Known, Normal, Stated, settle
from dagster_defs.steps.extract.plan import Page, Reading, Topic, extract_call
from dagster_defs.steps.matching.texts import fold
from dagster_defs.steps.passages import Piece, TextRead, read_passages

Row = dict[str, Any]


@dataclass
class PageRead(TextRead):
    """What was read of one article.

    values: columns of the extractions from attribute to request_hash, in the article's order. n_repeated: values that
    were said again.
    """

    values: list[Row] = field(default_factory=list)
    n_repeated: int = 0

    def count_of(self, outcome: str) -> int:
        """How many values have this outcome."""
        return sum(one["outcome"] == outcome for one in self.values)

    @property
    def n_kept(self) -> int:
        """Values that can be statements."""
        return self.count_of(KEPT)

    @property
    def n_ungrounded(self) -> int:
        """Values that nothing in the article bears out."""
        return self.count_of(UNGROUNDED)


def extract(
    topic: Topic,
    pages: Sequence[Page],
    documents: Sequence[Document],
    spec: ModelSpec,
    caller: Caller,
    wanted: Reading,
    known: Known,
    label: str,
) -> list[PageRead]:
    """What the extractor reads in the article of each of ``pages``, in order; raises what ``read_passages`` raises."""

    def ask(piece: Piece) -> Call:
        return extract_call(spec, topic, pages[piece.text].label, piece.shown, piece.sample)

    read = read_passages(documents, wanted.passage_tokens, ask, caller, label)
    found = [PageRead(**vars(one)) for one in read]
    for own, document in zip(found, documents, strict=True):
        _collect(own, topic, document.title, known)
    return found


def _collect(own: PageRead, topic: Topic, title: str, known: Known) -> None:
    """Put an article's values together, each once."""
    attributes = {one.name: one for one in topic.attributes}
    places: dict[tuple[Any, ...], int] = {}
    for piece, reply in own.answers:
        for said in _values(reply):
            attribute = attributes.get(said["attribute"])
            stated = Stated(said["value"], said["unit"], said["when"], said["sentence"])
            settled = Normal(UNKNOWN_ATTRIBUTE)
            if attribute is not None:
                settled = settle(stated, attribute, piece.heading, piece.body, known)
            row = {
                "attribute": said["attribute"],
                "property_id": attribute.property_id if attribute is not None else None,
                "stated_value": said["value"].strip(),
                "stated_unit": said["unit"],
                "stated_when": said["when"],
                "sentence": " ".join(said["sentence"].split()),
                "heading": heading_of(title, piece.heading),
                **asdict(settled),
                "request_hash": reply.key,
            }
            key = _key(row, settled)
            held = places.get(key)
            if held is None:
                places[key] = len(own.values)
                own.values.append(row)
                continue
            own.n_repeated += 1
            # Of a value that is said twice the saying that dates it tells more.
            if own.values[held]["point_in_time"] is None and row["point_in_time"] is not None:
                own.values[held] = row


def _key(row: Row, settled: Normal) -> tuple[Any, ...]:
    """What is said again where it is the same."""
    if settled.outcome == KEPT:
        return row["attribute"], *settled.identity
    return row["attribute"], settled.outcome, fold(row["stated_value"]), fold(row["stated_unit"] or "")


def _values(reply: Reply) -> Iterator[dict[str, Any]]:
    yield from reply.parsed["values"]
