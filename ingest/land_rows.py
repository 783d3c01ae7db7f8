"""Lands the answers of a web service, request by request: complete or absent, and each once.

A request's rows may belong to several datasets, a file in each. The main one is written last, so a request counts as
landed when that file is there; what a killed run left in the others is removed by the next. The manifest
(``snapshots``) follows when the run ends well.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow as pa

from ingest.errors import NotFoundError
from ingest.landing import SCHEMAS, Landing, Snapshot, request_hash, utc_now
from ingest.rows import Row, schema_of, table_of

Log = Callable[[str], None]
MANIFEST: Final = "snapshots"


@dataclass(frozen=True)
class Part:
    """Rows of one dataset; ``urls`` is what answers for each: the request, or one that asks for its entity alone."""

    rows: Sequence[Row]
    urls: str | Sequence[str]

    def addresses(self) -> Sequence[str]:
        """The URL of each row."""
        return [self.urls] * len(self.rows) if isinstance(self.urls, str) else self.urls


_NOTHING: Final = Part((), "")


@dataclass(frozen=True)
class Harvest:
    """What one request brought, by dataset; ``fetched_at`` is UTC."""

    parts: Mapping[str, Part]
    fetched_at: datetime.datetime


@dataclass
class LandingReport:
    """What one run landed. ``rows``: dataset -> rows in its snapshot, landed now or before."""

    snapshot_id: str
    rows: dict[str, int] = field(default_factory=dict)
    files_landed: int = 0
    files_skipped: int = 0
    unknown: list[str] = field(default_factory=list)

    def summary(self) -> str:
        """The report in one line."""
        told = ", ".join(f"{count} {dataset}" for dataset, count in self.rows.items())
        missing = f" Not known to the source: {', '.join(self.unknown)}." if self.unknown else ""
        return (
            f"Snapshot {self.snapshot_id}: {told}; {self.files_landed} files landed, "
            f"{self.files_skipped} already there.{missing}"
        )


def day_snapshot(source: str, date: datetime.date) -> Snapshot:
    """The snapshot of a service on one day; a run of the same day goes on with it."""
    return Snapshot(f"{source}-{date.isoformat()}", date)


class RowLander:
    """Lands a source's requests into one snapshot; use :meth:`run`.

    Args:
        landing_dir: the landing zone, ``data/landing``.
        source: name of the source, which is also its folder.
        endpoint: what the manifest calls the service.
        datasets: dataset -> its rows' struct.
        snapshot: where the rows belong.
        parts_of: dataset -> the main dataset that its files go with.
        version: raise it when the same answer would be landed differently.
        log: told what was landed, one sentence at a time.
    """

    def __init__(
        self,
        landing_dir: Path,
        source: str,
        endpoint: str,
        datasets: Mapping[str, type[Row]],
        snapshot: Snapshot,
        *,
        parts_of: Mapping[str, str] | None = None,
        version: str = "1",
        log: Log = lambda message: None,
    ) -> None:
        schemas = {name: schema_of(row) for name, row in datasets.items()}
        self._landing = Landing(landing_dir, source, schemas)
        self._schemas = schemas
        self._endpoint = endpoint
        self._snapshot = snapshot
        self._parts_of = dict(parts_of or {})
        self._version = version
        self._log = log
        self.report = LandingReport(snapshot.snapshot_id)

    @contextlib.contextmanager
    def run(self) -> Iterator[RowLander]:
        """Keeps other runs out; writes the manifest when the block ends well.

        Raises:
            IngestError: one sentence. What was landed before stays, complete, and the next run goes on from there.
        """
        with self._landing.lock():
            for part, main in self._parts_of.items():
                self._landing.keep_only(part, self._snapshot.snapshot_id, main)
            yield self
            self._finish()
        self._log(self.report.summary())

    def held(self, dataset: str, *columns: str) -> set[object]:
        """The values of a column, or of several as tuples, in the files that the snapshot has. Raises LandingError."""
        found = self._landing.values(dataset, self._snapshot.snapshot_id, columns)
        return {values[0] for values in found} if len(columns) == 1 else set(found)

    def land(
        self,
        group: str,
        url: str,
        datasets: Sequence[str],
        fetch: Callable[[], Harvest],
        *,
        unknown: str,
        choice: str | None = None,
    ) -> None:
        """Land what ``fetch`` brings for the request ``url``, unless it is there.

        Args:
            group: what the files' names begin with.
            url: the request, without secrets; part of the files' names.
            datasets: those that the request fills, the main one last; a file is written for each, be it empty.
            fetch: asks the service. NotFoundError lands files without rows, so that it is not asked again today.
            unknown: what the report calls the thing asked for where the service does not know it.
            choice: what of the answer is landed, where there is a choice; the group's file of another one is replaced.
        """
        digest = request_hash([self._version, url, *([] if choice is None else [choice])])
        name, snapshot_id = f"{group}-{digest}", self._snapshot.snapshot_id
        if self._landing.path(datasets[-1], snapshot_id, name).exists():
            self.report.files_skipped += len(datasets)
            return
        try:
            harvest = fetch()
        except NotFoundError:
            harvest = Harvest({}, utc_now())
            self.report.unknown.append(unknown)
        origin = {
            "source": self._landing.source,
            "request_hash": digest,
            "fetched_at": harvest.fetched_at,
            "snapshot_id": snapshot_id,
        }
        # All tables are made before the first is written: rows that do not fit land nothing.
        tables = [
            table_of(part.rows, self._schemas[dataset], origin, part.addresses())
            for dataset, part in ((one, harvest.parts.get(one, _NOTHING)) for one in datasets)
        ]
        for dataset, table in zip(datasets, tables, strict=True):
            self._landing.write(dataset, snapshot_id, name, table)
            self.report.files_landed += 1
            if choice is not None:
                self._landing.prune(dataset, snapshot_id, group, [name])

    def land_each(
        self,
        identifiers: Iterable[str],
        url: Callable[[str], str],
        datasets: Sequence[str],
        fetch: Callable[[str], Harvest],
    ) -> LandingReport:
        """A whole run, one entity a request: :meth:`land` for each of ``identifiers``, which names group and files.

        Raises:
            IngestError: one sentence. Entities landed before stay, and the next run goes on from there.
        """
        with self.run():
            for one in identifiers:
                self.land(one, url(one), datasets, partial(fetch, one), unknown=one)
        return self.report

    def _finish(self) -> None:
        """Write the manifest anew from what the snapshot holds, and remove the one before."""
        rows = [row for dataset in self._schemas if (row := self._described(dataset))["files"]]
        hashes = [f"{row['dataset']} {row['content_hash']}" for row in rows]
        name = f"{self._landing.source}-{request_hash([self._endpoint, *hashes])}"
        snapshot_id = self._snapshot.snapshot_id
        if rows and self._landing.read(MANIFEST, snapshot_id, name) is None:
            self._landing.write(MANIFEST, snapshot_id, name, pa.Table.from_pylist(rows, SCHEMAS[MANIFEST]))
        self._landing.prune(MANIFEST, snapshot_id, self._landing.source, [name])

    def _described(self, dataset: str) -> dict[str, object]:
        """The manifest's row of a dataset."""
        held = self._landing.held(dataset, self._snapshot.snapshot_id)
        self.report.rows[dataset] = held.rows
        return {
            "snapshot_id": self._snapshot.snapshot_id,
            "as_of": self._snapshot.as_of,
            "endpoint": self._endpoint,
            "dataset": dataset,
            "topic": None,
            "files": held.files,
            "row_count": held.rows,
            "content_hash": held.content_hash,
            "landed_at": utc_now(),
        }
