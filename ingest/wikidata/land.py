"""Lands topics from a SPARQL endpoint: who is a member, what is stated of them, and what all of it is called.

Per topic, in this order: members of its classes; their statements; statements of the entities reached by hops; the
classes (P31) of every other entity mentioned; names of all of them. Each request group is one Parquet file, so a run
that was stopped goes on where it stopped. The manifest (``snapshots``) is written last, when every topic is complete.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from ingest import ids
from ingest.asked import batches
from ingest.landing import SCHEMAS, Landing, Snapshot, request_hash, stored_hash, utc_now
from ingest.side_by_side import side_by_side
from ingest.topics import TopicSource
from ingest.wikidata import bindings, queries
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.members import first_queries, members_of_class
from ingest.wikidata.sample import sample_snapshot

__all__ = ["LandingReport", "Snapshot", "land", "live_snapshot", "sample_snapshot"]

SOURCE: Final = "wikidata"
DATASETS: Final = ("instances", "statements", "entities")
# Part of every request hash: raise it when the same answer would be landed differently.
MAPPING_VERSION: Final = "1"

_MENTIONED: Final = re.compile(r'"kind":"entity","value":"([^"]+)"')
_UNIT: Final = re.compile(r'"unit":"([^"]+)"')

Log = Callable[[str], None]


@dataclass
class LandingReport:
    """What one run landed. ``rows``: topic -> dataset -> rows in the snapshot (landed now or before)."""

    snapshot_id: str
    rows: dict[str, dict[str, int]] = field(default_factory=dict)
    files_landed: int = 0
    files_skipped: int = 0
    files_pruned: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def add(self, lander: _TopicLander) -> None:
        """Count what one topic landed."""
        self.rows[lander.topic.name] = lander.rows
        self.files_landed += lander.files_landed
        self.files_skipped += lander.files_skipped
        self.files_pruned += lander.files_pruned
        self.notes += lander.notes

    def total(self, dataset: str) -> int:
        """Rows of a dataset over all topics; an entity that two topics mention counts twice."""
        return sum(by_dataset.get(dataset, 0) for by_dataset in self.rows.values())

    def summary(self) -> str:
        """The report in one line."""
        told = ", ".join(f"{self.total(dataset)} {dataset}" for dataset in DATASETS)
        return (
            f"Snapshot {self.snapshot_id}: {told} of {len(self.rows)} topics; {self.files_landed} files landed, "
            f"{self.files_skipped} already there, in {self.seconds:.1f} s."
        )


def live_snapshot(date: datetime.date) -> Snapshot:
    """The snapshot of a live endpoint on one day; a run of the same day goes on with it."""
    return Snapshot(f"wikidata-{date.isoformat()}", date)


def land(
    topics: Sequence[TopicSource],
    endpoint: Endpoint,
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    log: Log = lambda message: None,
    language: str = "en",
    batch_size: int = 500,
    page_size: int = 5000,
) -> LandingReport:
    """Land everything that ``topics`` ask for, as far as ``snapshot`` does not have it yet.

    Args:
        topics: data needs, see :func:`ingest.topics.load_topic_sources`.
        endpoint: who answers.
        landing_dir: the landing zone, ``data/landing``.
        snapshot: where the rows belong.
        log: told about progress, one sentence at a time.
        language: of labels, aliases, descriptions and Wikipedia titles.
        batch_size: entities a query asks about.
        page_size: members a query lists.

    Raises:
        IngestError: one sentence. What was landed before stays, complete, and the next run goes on from there.
    """
    started = time.monotonic()
    landing = Landing(landing_dir, SOURCE)
    report = LandingReport(snapshot.snapshot_id)
    landers = [_TopicLander(topic, endpoint, landing, snapshot, language, batch_size, page_size) for topic in topics]
    with landing.lock():
        for lander in side_by_side(landers, _TopicLander.run, endpoint.parallel):
            counted = ", ".join(f"{count} {dataset}" for dataset, count in lander.rows.items())
            log(f"Landed {lander.topic.name}: {counted}.")
        for lander in landers:
            lander.finish()
            report.add(lander)
    report.seconds = time.monotonic() - started
    for note in report.notes:
        log(note)
    log(report.summary())
    return report


class _TopicLander:
    """Lands one topic; every file it needs is read back if it is there and requested if not.

    Topics share nothing but the endpoint, so several can be landed at a time.
    """

    def __init__(
        self,
        topic: TopicSource,
        endpoint: Endpoint,
        landing: Landing,
        snapshot: Snapshot,
        language: str,
        batch_size: int,
        page_size: int,
    ) -> None:
        self.topic = topic
        self.endpoint = endpoint
        self.landing = landing
        self.snapshot = snapshot
        self.language = language
        self.batch_size = batch_size
        self.page_size = page_size
        self.files: dict[str, dict[str, str]] = {dataset: {} for dataset in DATASETS}
        self.rows = dict.fromkeys(DATASETS, 0)
        self.files_landed = self.files_skipped = self.files_pruned = 0
        self.notes: list[str] = []
        self.sources: dict[str, str] = {}
        self.nodes: dict[str, bindings.Value] = {}
        self.urls: dict[str, str] = {}

    def run(self) -> None:
        """Land members, statements and names."""
        members = self._members()
        if not members:
            classes = ", ".join(self.topic.classes)
            self.notes.append(
                f"Topic {self.topic.name} has no members: {self.endpoint.name} knows no instance of {classes}."
            )
        own = set(self.topic.own_properties)
        members_known = frozenset(members)
        known = set(members)
        mentioned: set[str] = set(self.topic.classes)
        hop_targets: dict[str, set[str]] = {}
        for table in self._statements(members, self.topic.own_properties):
            mentioned |= _mentioned(table)
            self._add_hop_targets(table, hop_targets)
        for properties, entities in _by_properties(self._through_redirects(hop_targets)):
            fresh = [entity for entity in entities if not (entity in members_known and properties <= own)]
            known.update(fresh)
            for table in self._statements(fresh, sorted(properties)):
                mentioned |= _mentioned(table)
        mentioned |= known
        # Classes and redirect targets mention further entities; what these are called is enough.
        others = sorted(mentioned - known)
        for table in self._statements(others, [queries.INSTANCE_OF]):
            mentioned |= _mentioned(table)
        targets = self._entities(sorted(mentioned)) - mentioned
        self._entities(sorted(targets))

    def finish(self) -> None:
        """Remove files of requests that the topic no longer makes, then write its rows of the manifest."""
        topic, snapshot = self.topic.name, self.snapshot
        for dataset in DATASETS:
            stale = self.landing.prune(dataset, snapshot.snapshot_id, topic, self.files[dataset])
            self.files_pruned += len(stale)
        hashes = {dataset: _combined(self.files[dataset]) for dataset in DATASETS}
        name = f"{topic}-{request_hash([self.endpoint.name, *hashes.values()])}"
        if self.landing.read("snapshots", snapshot.snapshot_id, name) is None:
            rows = [
                {
                    "snapshot_id": snapshot.snapshot_id,
                    "as_of": snapshot.as_of,
                    "endpoint": self.endpoint.name,
                    "dataset": dataset,
                    "topic": topic,
                    "files": len(self.files[dataset]),
                    "row_count": self.rows[dataset],
                    "content_hash": hashes[dataset],
                    "landed_at": utc_now(),
                }
                for dataset in DATASETS
            ]
            table = pa.Table.from_pylist(rows, SCHEMAS["snapshots"])
            self.landing.write("snapshots", snapshot.snapshot_id, name, table)
        self.landing.prune("snapshots", snapshot.snapshot_id, topic, [name])

    def _members(self) -> list[str]:
        """Ids of the topic's members, sorted."""
        first_pages = first_queries(self.topic, self.page_size)

        def fetch() -> Mapping[str, Sequence[Any]]:
            pairs = [
                (entity, class_id)
                for class_id in self.topic.classes
                for entity in members_of_class(self.topic, class_id, self.endpoint, self.page_size)
            ]
            rows = [(entity, class_id, _source_of(entity), ids.to_iri(entity)) for entity, class_id in sorted(pairs)]
            return bindings.columns(rows, ("entity_id", "class_id", "source", "source_url"))

        table = self._landed("instances", first_pages, fetch)
        return sorted(set(table.column("entity_id").to_pylist()))

    def _statements(self, entities: Sequence[str], properties: Iterable[str]) -> Iterator[pa.Table]:
        """Land the statements of ``entities`` batch by batch; yields the landed tables."""
        wanted = list(properties)
        for batch in batches(entities, self.batch_size):
            asked = queries.statements(batch, wanted)
            table = self._landed("statements", asked, partial(self._fetch_statements, asked))
            self._remember_sources(table)
            yield table

    def _fetch_statements(self, asked: queries.StatementQueries) -> Mapping[str, Sequence[Any]]:
        statements, qualifiers = self.endpoint.select(asked.statements), self.endpoint.select(asked.qualifiers)
        for batch in batches(sorted(bindings.node_iris(statements, qualifiers) - self.nodes.keys()), self.batch_size):
            self.nodes.update(bindings.node_values(self.endpoint.select(queries.nodes(batch))))
        for batch in batches(sorted(bindings.reference_iris(statements) - self.urls.keys()), self.batch_size):
            self.urls.update(bindings.reference_urls(self.endpoint.select(queries.references(batch))))
        rows, incomplete = bindings.statement_rows(statements, qualifiers, self.nodes, self.urls)
        if incomplete:
            self.notes.append(
                f"{len(incomplete)} statements without a value were not landed, such as {incomplete[0]}; run again on "
                f"another day, since {self.endpoint.name} seems to be updating them."
            )
        return bindings.columns(rows, bindings.STATEMENT_COLUMNS)

    def _entities(self, entities: Sequence[str]) -> set[str]:
        """Land the names of ``entities``; returns the ids that redirects among them lead to."""
        targets: set[str] = set()
        for batch in batches(entities, self.batch_size):
            asked = queries.names(batch, self.language)
            table = self._landed("entities", asked, partial(self._fetch_names, batch, asked))
            targets.update(_distinct(table, "redirect_to"))
        return targets

    def _fetch_names(self, batch: Sequence[str], asked: queries.NameQueries) -> Mapping[str, Sequence[Any]]:
        names, articles = self.endpoint.select(asked.names), self.endpoint.select(asked.articles)
        merged = self.endpoint.select(asked.merged)
        sources = {entity: self.sources.get(entity) or _source_of(entity) for entity in batch}
        rows = bindings.entity_rows(batch, names, articles, merged, self.language, sources)
        return bindings.columns(rows, bindings.ENTITY_COLUMNS)

    def _landed(
        self, dataset: str, asked: Iterable[queries.Query[Any]], fetch: Callable[[], Mapping[str, Sequence[Any]]]
    ) -> pa.Table:
        """The landed table that answers the queries; requested, and landed, if it is not there yet."""
        digest = request_hash([MAPPING_VERSION, *(query.text for query in asked)])
        name = f"{self.topic.name}-{digest}"
        table = self.landing.read(dataset, self.snapshot.snapshot_id, name)
        if table is None:
            fetched_at = utc_now()
            table = _table(dataset, fetch(), digest, fetched_at, self.snapshot.snapshot_id)
            self.landing.write(dataset, self.snapshot.snapshot_id, name, table)
            self.files_landed += 1
        elif name not in self.files[dataset]:
            self.files_skipped += 1
        if name not in self.files[dataset]:
            self.files[dataset][name] = stored_hash(table)
            self.rows[dataset] += table.num_rows
        return table

    def _add_hop_targets(self, table: pa.Table, targets: dict[str, set[str]]) -> None:
        if not self.topic.hops:
            return
        for prop, wanted in self.topic.hops.items():
            reached = table.filter(pc.equal(table.column("property_id"), prop))
            for entity in _distinct(reached, "value_entity"):
                targets.setdefault(entity, set()).update(wanted)

    def _through_redirects(self, targets: dict[str, set[str]]) -> dict[str, set[str]]:
        """Hop targets, and what they were merged into: an old id has no statements any more."""
        for batch in batches(sorted(targets), self.batch_size):
            for old, new in bindings.redirect_targets(self.endpoint.select(queries.targets(batch))).items():
                targets.setdefault(new, set()).update(targets[old])
        return targets

    def _remember_sources(self, table: pa.Table) -> None:
        """An entity comes from where its class (P31) comes from."""
        stated = table.filter(pc.equal(table.column("property_id"), queries.INSTANCE_OF))
        subjects, sources = stated.column("subject_id").to_pylist(), stated.column("source").to_pylist()
        for subject, source in zip(subjects, sources, strict=True):
            self.sources[subject] = min(source, self.sources.get(subject, source))


def _source_of(entity: str) -> str:
    """Where an entity comes from by its id alone."""
    return SOURCE if ids.is_wikidata_id(entity) else entity.partition(":")[0]


def _by_properties(targets: Mapping[str, set[str]]) -> list[tuple[frozenset[str], list[str]]]:
    """Hop targets grouped by the properties asked of them (P31 always), both sorted."""
    groups: dict[frozenset[str], list[str]] = {}
    for entity, properties in sorted(targets.items()):
        groups.setdefault(frozenset({*properties, queries.INSTANCE_OF}), []).append(entity)
    return sorted(groups.items(), key=lambda group: sorted(group[0]))


def _mentioned(table: pa.Table) -> set[str]:
    """Ids of all entities that statements point to: values, units, and values and units of qualifiers."""
    found = _distinct(table, "value_entity") | _distinct(table, "unit_id")
    for text in _distinct(table, "qualifiers"):
        found.update(_MENTIONED.findall(text))
        found.update(_UNIT.findall(text))
    return found


def _distinct(table: pa.Table, column: str) -> set[str]:
    """The distinct values of a column, NULL left out."""
    return set(pc.unique(table.column(column).drop_null()).to_pylist())


def _table(
    dataset: str, cells: Mapping[str, Sequence[Any]], digest: str, fetched_at: datetime.datetime, snapshot_id: str
) -> pa.Table:
    """Columns and what is the same for a whole request, as a table in the dataset's schema."""
    count = len(next(iter(cells.values())))
    constants = {"request_hash": digest, "fetched_at": fetched_at, "snapshot_id": snapshot_id}
    arrays = []
    for column in SCHEMAS[dataset]:
        if column.name in constants:
            arrays.append(pa.repeat(pa.scalar(constants[column.name], type=column.type), count))
        else:
            arrays.append(pa.array(cells[column.name], type=column.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMAS[dataset])


def _combined(hashes: Mapping[str, str]) -> str:
    """One content hash for several files, whatever order they were landed in."""
    return hashlib.sha256("".join(hashes[name] for name in sorted(hashes)).encode()).hexdigest()
