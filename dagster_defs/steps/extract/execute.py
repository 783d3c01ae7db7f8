"""A topic's landed articles read for its attributes, block by block, to landed rows."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_defs.llm.budget import Estimate
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import ModelSpec, Role
from dagster_defs.steps.chunks import Document
from dagster_defs.steps.extract.documents import documents_of, passages_of
from dagster_defs.steps.extract.extract import PageRead, extract
from dagster_defs.steps.extract.normalise import KEPT
from dagster_defs.steps.extract.plan import Page, Reading, Topic, choose, extract_call, extraction_id, known
from dagster_defs.steps.extract.rows import SCHEMAS, ZONE, land_rows
from dagster_defs.steps.passages import BYTES_PER_TOKEN, times
from ingest.asked import batches

# Entities that are read and landed together: what a broken run loses, and what is in memory at once.
BLOCK: Final = 50
READ, UNREAD, FAILED = "read", "unread", "failed"
# Of an extraction's files the pages close a block.
_DATASETS: Final = ("extractions", "extracted_pages")
Row = dict[str, Any]


@dataclass
class Report:
    """What reading came to.

    ids: of the extractions, one a topic. pages: articles by outcome, of which ``held`` had landed before. values: by
    outcome. repeated: said again. unread: passages that could not be read. Money is of this run alone.
    """

    ids: list[str] = field(default_factory=list)
    held: int = 0
    pages: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    passages: int = 0
    unread: int = 0
    repeated: int = 0
    dollars: float = 0.0
    cached: int = 0

    def take(self, rows: dict[str, list[Row]]) -> None:
        """Count landed rows."""
        self.values.update(row["outcome"] for row in rows["extractions"])
        for row in rows["extracted_pages"]:
            self.pages[row["outcome"]] += 1
            self.passages += row["n_passages"]
            self.unread += row["n_unread"]
            self.repeated += row["n_repeated"]

    def spend(self, read: Sequence[PageRead]) -> None:
        """Count what reading took."""
        self.dollars += sum(one.cost_usd or 0.0 for one in read)
        self.cached += sum(one.cached for one in read)

    def sentences(self) -> list[str]:
        """The report in lines that a person reads."""
        told = ", ".join(f"{n} {outcome}" for outcome, n in sorted(self.pages.items()))
        lost = ", ".join(
            f"{n} {outcome.replace('_', ' ')}" for outcome, n in sorted(self.values.items()) if outcome != KEPT
        )
        return [
            f"{', '.join(self.ids)}: {self.pages.total()} articles ({self.held} landed before): {told}.",
            f"{self.values[KEPT]} values kept of {self.values.total()} in {self.passages} passages, of which"
            f" {self.unread} could not be read; {self.repeated} were said again. Not kept: {lost or 'none'}.",
        ]


def estimate(wanted: Reading, database: Path, caller: Caller) -> str:
    """What reading would take, in one sentence; nothing is asked. Raises RunError where there is nothing to read."""
    return _estimate(wanted, choose(database, wanted), database, caller)


def execute(
    wanted: Reading,
    database: Path,
    landing: Path,
    caller: Caller,
    log: Callable[[str], None] = lambda line: None,
) -> Report:
    """Read the landed articles of each topic, and land a file of each dataset for 50 entities.

    A block that has landed is not read again, except for the articles of which a call failed. Raises RunError where
    there is nothing to read, a call can't be sent or a cap is reached; blocks that were landed until then stay, and
    what was answered is in the journal.
    """
    topics, spec = choose(database, wanted), caller.registry.role(Role.EXTRACTOR)
    log(_estimate(wanted, topics, database, caller))
    told, report = known(database, topics), Report()
    for topic in topics:
        name = extraction_id(topic, wanted, spec)
        report.ids.append(name)
        for number, block in enumerate(batches(topic.pages, BLOCK)):
            part = f"{name}+{number:05d}"
            held, todo = _held(landing, part, block)
            report.held += len(block) - len(todo)
            if todo:
                documents = documents_of(database, todo, wanted.sections)
                read = extract(topic, todo, documents, spec, caller, wanted, told, part)
                for dataset, rows in _rows(name, topic, spec, todo, documents, read).items():
                    held[dataset] += rows
                for dataset in _DATASETS:
                    land_rows(landing, dataset, part, pa.Table.from_pylist(held[dataset], SCHEMAS[dataset]))
                report.spend(read)
                log(f"{name}: {number * BLOCK + len(block)} of {len(topic.pages)} articles.")
            report.take(held)
    return report


def _estimate(wanted: Reading, topics: Sequence[Topic], database: Path, caller: Caller) -> str:
    spec = caller.registry.role(Role.EXTRACTOR)
    text = "x" * (wanted.passage_tokens * BYTES_PER_TOKEN)
    whole: Estimate | None = None
    for topic in topics:
        calls = passages_of(database, topic.pages, wanted.sections, wanted.passage_tokens)
        one = times(caller.estimate([extract_call(spec, topic, "entity", text)]), calls)
        whole = one if whole is None else _sum(whole, one)
    assert whole is not None
    articles = sum(len(topic.pages) for topic in topics)
    return f"{articles} articles of {len(topics)} topics to read, about {whole.taking()}, less what landed before."


def _sum(one: Estimate, other: Estimate) -> Estimate:
    """What both take; no dollars where one has none."""

    def both(first: float | None, second: float | None) -> float | None:
        return None if first is None or second is None else first + second

    return replace(
        one,
        calls=one.calls + other.calls,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        dollars=both(one.dollars, other.dollars),
        dollars_at_most=both(one.dollars_at_most, other.dollars_at_most),
    )


def _held(landing: Path, part: str, block: Sequence[Page]) -> tuple[dict[str, list[Row]], list[Page]]:
    """(rows of a block that stay, by dataset; articles that are still to be read)."""
    pages = ZONE.landed(landing, "extracted_pages", part)
    whole = {row["entity_id"] for row in pages if row["outcome"] != FAILED}
    todo = [one for one in block if one.entity_id not in whole]
    # Rows of a block that no pages close are those of a run that broke off.
    held: dict[str, list[Row]] = {dataset: [] for dataset in _DATASETS}
    for dataset in _DATASETS if whole else ():
        held[dataset] = [row for row in ZONE.landed(landing, dataset, part) if row["entity_id"] in whole]
    return held, todo


def _rows(
    name: str,
    topic: Topic,
    spec: ModelSpec,
    pages: Sequence[Page],
    documents: Sequence[Document],
    read: Iterable[PageRead],
) -> dict[str, list[Row]]:
    """The rows of one block by dataset."""
    rows: dict[str, list[Row]] = {dataset: [] for dataset in _DATASETS}
    now = datetime.datetime.now(datetime.UTC)
    for page, document, found in zip(pages, documents, read, strict=True):
        shared = {
            "extraction_id": name,
            "topic": topic.name,
            "entity_id": page.entity_id,
            "extractor": spec.name,
            "source_url": page.url,
            "revision_id": page.revision_id,
            "page_snapshot_id": page.snapshot_id,
            "extracted_at": now,
        }
        rows["extractions"] += [{**shared, "ordinal": place, **value} for place, value in enumerate(found.values)]
        rows["extracted_pages"].append(
            {
                **shared,
                "title": page.title,
                "outcome": FAILED if found.error is not None else UNREAD if found.unread else READ,
                "error": found.error,
                "n_characters": len(document.text),
                "n_passages": len(found.passages),
                "n_unread": found.n_unread,
                "n_values": len(found.values),
                "n_kept": found.n_kept,
                "n_ungrounded": found.n_ungrounded,
                "n_repeated": found.n_repeated,
                "prompt_tokens": found.prompt_tokens,
                "completion_tokens": found.completion_tokens,
                "cost_usd": found.cost_usd,
            }
        )
    return rows
