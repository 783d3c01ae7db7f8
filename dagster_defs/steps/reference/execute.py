"""One reference corpus from an entity set to landed rows, block by block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import ModelSpec, Role
from dagster_defs.steps.elicitation_rows import SCHEMAS, ZONE, land_rows
from dagster_defs.steps.passages import BYTES_PER_TOKEN, times
from dagster_defs.steps.reference.extract import Extracted, extract
from dagster_defs.steps.reference.plan import WIKIPEDIA, Corpus, Entity, choose, extract_call, reference_id
from dagster_defs.steps.reference.texts import FAILED, Articles, Searches, Text, articles_of
from ingest.asked import batches
from ingest.web.provider import SearchProvider

# Entities that are read and landed together: what a broken run loses, and what is in memory at once.
BLOCK: Final = 50
# Where an article's length is not known, and of the snippets of one web result.
_USUAL_CHARACTERS: Final = 10_000
_SNIPPET_CHARACTERS: Final = 700
# Of a set's files the references close a block.
_DATASETS: Final = ("passages", "reference_triples", "references")
Row = dict[str, Any]


@dataclass
class Report:
    """What a corpus came to.

    outcomes: texts by (source, outcome), of which ``held`` had landed before. dropped: triples whose sentence is not in
    their text. repeated: said twice. unread: passages that could not be read. Money and drops are of this run alone.
    """

    reference_id: str
    entities: int = 0
    held: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    passages: int = 0
    triples: int = 0
    unread: int = 0
    dropped: int = 0
    repeated: int = 0
    dollars: float = 0.0
    cached: int = 0

    def take(self, rows: Iterable[Row]) -> None:
        """Count landed rows of references."""
        for row in rows:
            self.outcomes[row["source"], row["outcome"]] += 1
            self.passages += row["n_passages"]
            self.triples += row["n_triples"]
            self.unread += row["n_unread"]

    def spend(self, extracted: Sequence[Extracted]) -> None:
        """Count what reading took and left out."""
        self.dropped += sum(one.n_dropped for one in extracted)
        self.repeated += sum(one.n_repeated for one in extracted)
        self.dollars += sum(one.cost_usd or 0.0 for one in extracted)
        self.cached += sum(one.cached for one in extracted)

    def sentences(self) -> list[str]:
        """The report in lines that a person reads."""
        sources = sorted({source for source, _ in self.outcomes})
        told = "; ".join(
            f"{source}: "
            + ", ".join(f"{n} {what}" for (one, what), n in sorted(self.outcomes.items()) if one == source)
            for source in sources
        )
        return [
            f"{self.entities} entities ({self.held} landed before): {told or 'nothing to read'}.",
            f"{self.triples} reference triples of {self.passages} passages, of which {self.unread} could not be read;"
            f" {self.dropped} triples were dropped, as no sentence of the text bears them out, and {self.repeated} were"
            " said twice.",
        ]


def estimate(wanted: Corpus, database: Path, caller: Caller, pages: Articles | None, web: SearchProvider | None) -> str:
    """What a corpus would take at most, in one sentence; nothing is asked. Raises RunError without such a set."""
    entities, spec = choose(database, wanted), caller.registry.role(Role.EXTRACTOR)
    room = wanted.passage_tokens * BYTES_PER_TOKEN
    articles = 0
    if pages is not None:
        articles = sum(math.ceil((one.n_characters or _USUAL_CHARACTERS) / room) for one in entities)
    results = len(entities) * wanted.web_results if web is not None else 0
    found = results * math.ceil(_SNIPPET_CHARACTERS / room)
    one = caller.estimate([extract_call(spec, "entity", "x" * room, quoted=True)])
    whole = times(one, articles + found)
    asked = (
        f"{len(entities) if pages is not None else 0} articles and {len(entities) if web is not None else 0} searches"
    )
    return f"{wanted.set_name}: {asked} to fetch, then about {whole.taking()}, less what landed before."


def execute(
    wanted: Corpus,
    database: Path,
    landing: Path,
    caller: Caller,
    pages: Articles | None,
    web: SearchProvider | None,
    log: Callable[[str], None] = lambda line: None,
) -> Report:
    """Fetch, cut and read the texts about a set's entities, and land a file of each dataset for 50 entities.

    A block that has landed is neither fetched nor asked again, except for what failed in it. Raises RunError where the
    set can't be read, a call can't be sent or a cap is reached, and ServiceError where a service is down; blocks that
    were landed until then stay, and what was answered is in the journal.
    """
    if pages is None and web is None:
        raise RunError("A reference corpus needs a source: go live for articles, or give a search provider a key.")
    entities, spec = choose(database, wanted), caller.registry.role(Role.EXTRACTOR)
    sources = [*([WIKIPEDIA] if pages is not None else []), *([web.name] if web is not None else [])]
    name = reference_id(wanted, entities, sources, spec)
    report = Report(name, len(entities))
    log(estimate(wanted, database, caller, pages, web))
    searches = Searches(web, wanted) if web is not None else None
    for number, block in enumerate(batches(entities, BLOCK)):
        part = f"{name}+{number:05d}"
        held, todo = _held(landing, part, block)
        report.held += len(block) - len(todo)
        if todo:
            texts = articles_of(todo, pages, wanted) if pages is not None else []
            texts += [text for one in todo for text in searches.of(one)] if searches is not None else []
            extracted = extract(texts, spec, caller, wanted, part)
            for dataset, rows in _rows(name, spec, texts, extracted).items():
                held[dataset] += rows
            for dataset in _DATASETS:
                land_rows(landing, dataset, part, pa.Table.from_pylist(held[dataset], SCHEMAS[dataset]))
            report.spend(extracted)
            log(f"{name}: {number * BLOCK + len(block)} of {len(entities)} entities.")
        report.take(held["references"])
    return report


def _held(landing: Path, part: str, block: Sequence[Entity]) -> tuple[dict[str, list[Row]], list[Entity]]:
    """(rows of a block that stay, by dataset; entities that are still to be read)."""
    references = ZONE.landed(landing, "references", part)
    failed = {row["entity_id"] for row in references if row["outcome"] == FAILED}
    whole = {row["entity_id"] for row in references} - failed
    todo = [one for one in block if one.entity_id not in whole]
    # Rows of a block that no references close are those of a run that broke off.
    held: dict[str, list[Row]] = {dataset: [] for dataset in _DATASETS}
    if whole:
        held = {
            dataset: [row for row in ZONE.landed(landing, dataset, part) if row["entity_id"] in whole]
            for dataset in _DATASETS
        }
    return held, todo


def _rows(name: str, spec: ModelSpec, texts: Sequence[Text], extracted: Sequence[Extracted]) -> dict[str, list[Row]]:
    """The rows of one block by dataset."""
    rows: dict[str, list[Row]] = {dataset: [] for dataset in _DATASETS}
    places: Counter[tuple[str, str, str]] = Counter()

    def place(dataset: str, text: Text) -> Row:
        key = (dataset, text.entity.entity_id, text.source)
        places[key] += 1
        return {
            "reference_id": name,
            "entity_id": text.entity.entity_id,
            "source": text.source,
            "source_url": text.url,
            "ordinal": places[key] - 1,
        }

    for text, found in zip(texts, extracted, strict=True):
        if text.quoted:
            rows["passages"] += [{**place("passages", text), "text": passage} for passage in found.passages]
        rows["reference_triples"] += [{**place("reference_triples", text), **triple} for triple in found.triples]
        rows["references"].append(
            {
                "reference_id": name,
                "entity_id": text.entity.entity_id,
                "source": text.source,
                "source_url": text.url,
                "title": text.title,
                "outcome": FAILED if found.error is not None else text.outcome,
                "error": found.error or text.error,
                "extractor": spec.name,
                "n_characters": text.n_characters,
                "n_passages": len(found.passages),
                "n_triples": len(found.triples),
                "n_unread": found.n_unread,
                "prompt_tokens": found.prompt_tokens,
                "completion_tokens": found.completion_tokens,
                "cost_usd": found.cost_usd,
                "retrieved_at": text.retrieved_at,
            }
        )
    return rows
