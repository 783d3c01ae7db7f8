"""Lands the articles of a topic's entities: pages, their sections and the fields of their infoboxes.

Fifty pages are one file of each dataset. The file of pages is written last and says that its batch is complete, so that
a run that was killed goes on with the batch it was in; a topic's row in ``snapshots`` says that all batches are there.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.asked import batches
from ingest.land_rows import Log, day_snapshot
from ingest.landing import Landing, Snapshot, request_hash, stored_hash, utc_now
from ingest.rows import Row, schema_of, table_of
from ingest.wikipedia.client import WikipediaClient
from ingest.wikipedia.infobox import parse_infoboxes
from ingest.wikipedia.pages import WIKI, Article
from ingest.wikipedia.sections import split

SOURCE: Final = "wikipedia"
# What is landed from the same answers changes with this number.
_VERSION: Final = "3"
_PAGES_AT_ONCE: Final = 50
_SCHEMA_FILE: Final = "_schema"


class PageRow(Row, frozen=True):
    """An entity and what came of asking for its article.

    outcome: found, missing, invalid, disambiguation, another (the article is about another item) or untitled.
    views: of the last full calendar year, None where they were not asked for.
    """

    topic: str
    entity_id: str
    asked_title: str | None
    title: str | None
    outcome: str
    page_id: int | None
    revision_id: int | None
    revision_timestamp: str | None
    item_id: str | None
    n_characters: int
    views: int | None


class SectionRow(Row, frozen=True):
    """A section of an entity's article; see :class:`ingest.wikipedia.sections.Section`."""

    topic: str
    entity_id: str
    ordinal: int
    level: int
    heading: str | None
    text: str


class InfoboxFieldRow(Row, frozen=True):
    """A field of an infobox; see :class:`ingest.wikipedia.infobox.InfoboxField`."""

    topic: str
    entity_id: str
    position: int
    template: str
    field: str
    value_wikitext: str
    value_plain: str | None
    links: tuple[str, ...]


# The pages last: their file completes a batch.
_DATASETS: Final[dict[str, type[Row]]] = {
    "sections": SectionRow,
    "infobox_fields": InfoboxFieldRow,
    "pages": PageRow,
}
SCHEMAS: Final = {name: schema_of(row) for name, row in _DATASETS.items()}


@dataclass
class PagesReport:
    """What one topic came to: outcome -> entities; batches that were landed before."""

    topic: str
    outcomes: Counter[str] = field(default_factory=Counter)
    kept: int = 0

    def sentence(self) -> str:
        """The report for a terminal."""
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(self.outcomes.items())) or "none"
        return f"{self.topic}: {sum(self.outcomes.values()):,} entities asked for ({told})."


def prepare(landing_dir: Path) -> None:
    """Give each dataset a file without rows, where it is lacking, for a warehouse without any landing."""
    landing = _landing(landing_dir)
    for dataset, schema in {**SCHEMAS, "snapshots": landing.schemas["snapshots"]}.items():
        path = landing.path(dataset, _SCHEMA_FILE, _SCHEMA_FILE)
        if not path.exists() or not pq.read_schema(path).equals(schema):
            landing.write(dataset, _SCHEMA_FILE, _SCHEMA_FILE, pa.Table.from_batches([], schema=schema))


def land_pages(
    topic: str,
    entities: Sequence[tuple[str, str | None]],
    client: WikipediaClient,
    landing_dir: Path,
    day: datetime.date,
    *,
    views: bool = False,
    log: Log = lambda message: None,
) -> PagesReport:
    """Land the articles of (Q-id, title or None); a batch of pages is held at a time.

    Args:
        topic: their topic.
        entities: each once.
        client: asks Wikipedia; its cache keeps the answers of a batch that was cut short.
        landing_dir: the landing zone, ``data/landing``.
        day: today, which names the snapshot; what was landed on it is not asked for again.
        views: whether to ask for the views of the year before, a request a page.
        log: told about progress.

    Raises:
        ServiceError, LandingError: one sentence. Batches that are complete stay.
    """
    run = _Run(topic, client, _landing(landing_dir), day_snapshot(SOURCE, day), day.year - 1 if views else None)
    report = PagesReport(topic)
    names: list[str] = []
    digest = hashlib.sha256()
    with run.landing.lock():
        for number, batch in enumerate(batches(entities, _PAGES_AT_ONCE)):
            name = run.name(batch)
            pages = run.landing.read("pages", run.snapshot.snapshot_id, name)
            if pages is None:
                pages = run.land(name, batch)
            else:
                report.kept += 1
            names.append(name)
            digest.update(stored_hash(pages).encode())
            report.outcomes.update(pages.column("outcome").to_pylist())
            log(f"{topic}: {min((number + 1) * _PAGES_AT_ONCE, len(entities)):,} of {len(entities):,} pages landed")
        run.complete(names, len(entities), digest.hexdigest())
    return report


def _landing(landing_dir: Path) -> Landing:
    return Landing(landing_dir, SOURCE, SCHEMAS)


@dataclass
class _Run:
    topic: str
    client: WikipediaClient
    landing: Landing
    snapshot: Snapshot
    year: int | None

    def name(self, batch: Sequence[tuple[str, str | None]]) -> str:
        """The name of a batch's files, which ends in the hash of what is asked."""
        asked = (part for entity, title in batch for part in (entity, title or ""))
        return f"{self.topic}-{request_hash((_VERSION, str(self.year), self.topic, *asked))}"

    def land(self, name: str, batch: Sequence[tuple[str, str | None]]) -> pa.Table:
        """Ask for a batch and land it; returns its pages."""
        rows: dict[str, list[Row]] = {dataset: [] for dataset in _DATASETS}
        urls: dict[str, list[str]] = {dataset: [] for dataset in _DATASETS}
        articles = self.client.articles((title for _, title in batch if title), wikitext=True)
        for entity, title in batch:
            article = next(articles) if title else None
            for dataset, row in self._rows(entity, title, article):
                rows[dataset].append(row)
                urls[dataset].append(article.url if article else WIKI)
        origin: dict[str, Any] = {
            "source": SOURCE,
            "request_hash": name.rsplit("-", 1)[1],
            "fetched_at": utc_now(),
            "snapshot_id": self.snapshot.snapshot_id,
        }
        for dataset in _DATASETS:
            table = table_of(rows[dataset], SCHEMAS[dataset], origin, urls[dataset])
            self.landing.write(dataset, self.snapshot.snapshot_id, name, table)
        return table

    def _rows(self, entity: str, title: str | None, article: Article | None) -> Iterator[tuple[str, Row]]:
        if article is None:
            nothing = (None, None, "untitled", None, None, None, None, 0, None)
            yield "pages", PageRow(self.topic, entity, *nothing)
            return
        outcome: str = article.outcome
        if outcome == "found" and article.item_id != entity:
            outcome = "another"
        found = outcome == "found"
        yield (
            "pages",
            PageRow(
                self.topic, entity, title, article.title, outcome, article.page_id, article.revision_id,
                article.revision_timestamp, article.item_id, article.characters if found else 0,
                self.client.views(article.title, self.year) if found and self.year else None,
            ),
        )  # fmt: skip
        if not found:
            return
        for part in split(article.text):
            yield "sections", SectionRow(self.topic, entity, part.ordinal, part.level, part.heading, part.text)
        for one in parse_infoboxes(article.wikitext):
            told = (one.position, one.template, one.field, one.wikitext, one.plain, one.links)
            yield "infobox_fields", InfoboxFieldRow(self.topic, entity, *told)

    def complete(self, names: Sequence[str], rows: int, content: str) -> None:
        """Say that a topic is landed whole, and remove batches that are no longer part of it."""
        snapshot_id = self.snapshot.snapshot_id
        row = {
            "snapshot_id": snapshot_id,
            "as_of": self.snapshot.as_of,
            "endpoint": WIKI,
            "dataset": "pages",
            "topic": self.topic,
            "files": len(names),
            "row_count": rows,
            "content_hash": content,
            "landed_at": utc_now(),
        }
        for dataset in reversed(_DATASETS):
            self.landing.prune(dataset, snapshot_id, self.topic, names)
        table = pa.Table.from_pylist([row], schema=self.landing.schemas["snapshots"])
        self.landing.write("snapshots", snapshot_id, self.topic, table)
