"""Lands a Wikidata JSON dump as Parquet: the rows the SPARQL route would land, row group by row group.

    python -m ingest.wikidata.land_dump latest-all.json.gz --as-of 2026-11-30 --properties P31 P1082 --classes Q6256

A dump makes one file each of entities, instances and statements, complete or absent, then the snapshot rows that
declare them. Memory does not grow with the dump.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest import landing
from ingest.errors import IngestError
from ingest.wikidata.dump import DumpError, OnError, read_entities, subclasses
from ingest.wikidata.entity_json import EntityDecoder
from ingest.wikidata.entity_rows import Report, RowBuffer
from ingest.wikidata.land import SOURCE, live_snapshot

DATASETS: Final = ("entities", "instances", "statements")
TOPIC: Final = "dump"
ROWS_PER_GROUP: Final = 32_768
# Columns where nearly every cell is another: a dictionary would be built in vain.
_DISTINCT: Final = frozenset(
    {"statement_id", "entity_id", "label", "amount_text", "value_text", "latitude", "longitude"}
)
_EDGE: Final = 1 << 20


@dataclass(frozen=True)
class DumpLanding:
    """What landing a dump came to. ``report`` is None where the same dump had been landed before."""

    files: Mapping[str, Path]
    rows: Mapping[str, int]
    report: Report | None


def land_dump(
    path: Path,
    zone: landing.Landing,
    snapshot: landing.Snapshot,
    *,
    language: str = "en",
    properties: Collection[str] | None = None,
    classes: Collection[str] | Mapping[str, Collection[str]] | None = None,
    on_error: OnError = "raise",
) -> DumpLanding:
    """Land a dump (see ``dump`` for the formats) under a snapshot; a dump landed before is not landed again.

    Args:
        path: the dump.
        zone: where to land.
        snapshot: the snapshot the rows belong to; its date is the dump's.
        language: of labels, descriptions, aliases and the Wikipedia title.
        properties: land statements of these properties alone; None lands all.
        classes: land statements of members of these classes alone (P31, then P279 at any depth). The subclasses are
            read off the dump in a pass of its own unless given as class -> subclasses. Every item lands its entity row,
            since the labels of values are needed.
        on_error: "skip" counts damaged lines and lands the rest; "raise" lands nothing of a damaged dump.

    Raises:
        DumpError: the dump cannot be read or is damaged.
        LandingError: another run is landing, the disk is full, the folder read-only.
    """
    request = _request(path, language, properties, classes)
    files = {name: zone.path(name, snapshot.snapshot_id, f"dump-{request}") for name in DATASETS}
    marker = zone.path("snapshots", snapshot.snapshot_id, f"dump-{request}")
    with zone.lock():
        if marker.exists() and all(file.exists() for file in files.values()):
            return DumpLanding(files, {name: pq.read_metadata(file).num_rows for name, file in files.items()}, None)
        members = classes if classes is None or isinstance(classes, Mapping) else subclasses(path, classes, on_error)
        constants = _constants(request, snapshot)
        report = Report()
        decoder = EntityDecoder(language, None if properties is None else {*properties, "P31"})
        buffer = RowBuffer(report, properties, members)
        with ExitStack() as stack:
            outputs = {name: stack.enter_context(_output(name, file)) for name, file in files.items()}
            for entity in read_entities(path, decoder, report, on_error):
                buffer.add(entity)
                if buffer.rows >= ROWS_PER_GROUP:
                    _flush(buffer, constants, outputs)
            _flush(buffer, constants, outputs)
        zone.write("snapshots", snapshot.snapshot_id, f"dump-{request}", _declaration(path, snapshot, outputs))
        return DumpLanding(files, {name: output.rows for name, output in outputs.items()}, report)


def _constants(request: str, snapshot: landing.Snapshot) -> dict[str, Any]:
    """The columns that are the same in every row of one landing."""
    snapshot_id = snapshot.snapshot_id
    return {"source": SOURCE, "request_hash": request, "fetched_at": landing.utc_now(), "snapshot_id": snapshot_id}


class _Output:
    """One Parquet file that is being written, with the hash of its content so far."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._digest = hashlib.sha256()
        self.rows = 0

    def write(self, table: pa.Table) -> None:
        """Append a row group."""
        self._writer.write_table(table)
        self._digest.update(landing.content_hash(table).encode())
        self.rows += table.num_rows

    def content_hash(self) -> str:
        """SHA-256 over the content hashes of the row groups, in order."""
        return self._digest.hexdigest()


@contextmanager
def _output(dataset: str, path: Path) -> Iterator[_Output]:
    schema = landing.SCHEMAS[dataset]
    repeated = [name for name in schema.names if name not in _DISTINCT]
    with (
        landing.atomic_file(path) as handle,
        pq.ParquetWriter(handle, schema, compression="zstd", use_dictionary=repeated) as writer,
    ):
        yield _Output(writer)


def _flush(buffer: RowBuffer, constants: Mapping[str, Any], outputs: Mapping[str, _Output]) -> None:
    for name, table in buffer.take(constants, landing.SCHEMAS).items():
        if table.num_rows:
            outputs[name].write(table)


def _declaration(path: Path, snapshot: landing.Snapshot, outputs: Mapping[str, _Output]) -> pa.Table:
    """The snapshot rows: one a dataset, with the dump's name in place of an endpoint."""
    rows = [
        {
            "snapshot_id": snapshot.snapshot_id,
            "as_of": snapshot.as_of,
            "endpoint": path.name,
            "dataset": name,
            "topic": TOPIC,
            "files": 1,
            "row_count": output.rows,
            "content_hash": output.content_hash(),
            "landed_at": landing.utc_now(),
        }
        for name, output in outputs.items()
    ]
    return pa.Table.from_pylist(rows, schema=landing.SCHEMAS["snapshots"])


def _request(
    path: Path,
    language: str,
    properties: Collection[str] | None,
    classes: Collection[str] | Mapping[str, Collection[str]] | None,
) -> str:
    """The hash that names this landing: the dump (by name, size and both ends) and what is taken from it."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_EDGE)
            file.seek(max(size - _EDGE, 0))
            edges = hashlib.sha256(head + file.read()).hexdigest()
    except OSError as error:
        reason = error.strerror or str(error)
        raise DumpError(f"The dump {path} cannot be opened: {reason}; check the path and its permissions.") from error
    wanted = "all" if properties is None else sorted(properties)
    if isinstance(classes, Mapping):
        asked: Any = {name: sorted(members) for name, members in classes.items()}
    else:
        asked = "all" if classes is None else sorted(classes)
    taken = json.dumps([language, wanted, asked], sort_keys=True)
    return landing.request_hash(["dump", path.name, str(size), edges, taken])


def main(arguments: list[str] | None = None) -> int:
    """Land a dump, and say what was landed and what was not. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m ingest.wikidata.land_dump", description="Land a Wikidata JSON dump."
    )
    parser.add_argument("dump", type=Path, help=".json, .json.gz or .json.bz2")
    parser.add_argument("--as-of", type=datetime.date.fromisoformat, required=True, help="the dump's date, YYYY-MM-DD")
    parser.add_argument("--landing", type=Path, default=Path("data/landing"), help="the landing zone")
    parser.add_argument("--language", default="en", help="of labels, descriptions, aliases and Wikipedia titles")
    parser.add_argument("--properties", nargs="+", metavar="P", help="land statements of these alone")
    parser.add_argument("--classes", nargs="+", metavar="Q", help="land statements of members of these alone")
    parser.add_argument("--skip-damaged", action="store_true", help="leave damaged lines out, counted")
    given = parser.parse_args(arguments)
    try:
        landed = land_dump(
            given.dump,
            landing.Landing(given.landing, SOURCE),
            live_snapshot(given.as_of),
            language=given.language,
            properties=given.properties,
            classes=given.classes,
            on_error="skip" if given.skip_damaged else "raise",
        )
    except IngestError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(landed.report.lines()) if landed.report else f"{given.dump} is landed already; nothing was done.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
