"""The landing zone: Parquet files that are complete or absent, each landed once.

A file is written beside its final name, flushed to disk and renamed, so that a killed run leaves nothing that a
reader could take for data. ``data/landing/<source>/<dataset>/<snapshot_id>/<name>.parquet`` is its place; its name
ends in the hash of the request it answers, and a request that has its file is not made again.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import LandingError

# Columns that every landed row ends in; ``fetched_at`` is UTC.
ORIGIN: Final = (
    ("source", pa.string()),
    ("source_url", pa.string()),
    ("request_hash", pa.string()),
    ("fetched_at", pa.timestamp("us")),
    ("snapshot_id", pa.string()),
)

# Datasets of the landing schema: column -> type. ``fetched_at`` and ``landed_at`` are UTC.
SCHEMAS: Final[Mapping[str, pa.Schema]] = {
    "entities": pa.schema(
        [
            ("entity_id", pa.string()),
            ("label", pa.string()),
            ("label_lang", pa.string()),
            ("description", pa.string()),
            ("aliases", pa.list_(pa.string())),
            ("wikipedia_title", pa.string()),
            ("sitelinks", pa.int32()),
            ("redirect_to", pa.string()),
            *ORIGIN,
        ]
    ),
    "instances": pa.schema([("entity_id", pa.string()), ("class_id", pa.string()), *ORIGIN]),
    "statements": pa.schema(
        [
            ("statement_id", pa.string()),
            ("subject_id", pa.string()),
            ("property_id", pa.string()),
            ("value_kind", pa.string()),
            ("value_entity", pa.string()),
            ("amount_text", pa.string()),
            ("lower_text", pa.string()),
            ("upper_text", pa.string()),
            ("unit_id", pa.string()),
            ("value_time", pa.string()),
            ("time_precision", pa.int32()),
            ("calendar", pa.string()),
            ("value_text", pa.string()),
            ("value_lang", pa.string()),
            ("latitude", pa.float64()),
            ("longitude", pa.float64()),
            ("rank", pa.string()),
            ("qualifiers", pa.string()),
            ("reference_count", pa.int32()),
            *ORIGIN,
        ]
    ),
    "snapshots": pa.schema(
        [
            ("snapshot_id", pa.string()),
            ("as_of", pa.date32()),
            ("endpoint", pa.string()),
            ("dataset", pa.string()),
            ("topic", pa.string()),
            ("files", pa.int32()),
            ("row_count", pa.int64()),
            ("content_hash", pa.string()),
            ("landed_at", pa.timestamp("us")),
        ]
    ),
}

_TEMPORARY: Final = ".tmp"
_CONTENT_HASH: Final = b"content_hash"
_WHEN: Final = frozenset({"fetched_at", "landed_at"})


@dataclass(frozen=True)
class Snapshot:
    """One state of a source: ``snapshot_id`` names its folders, ``as_of`` is the date its facts hold for."""

    snapshot_id: str
    as_of: datetime.date


@dataclass(frozen=True)
class Held:
    """Files and rows of a dataset in one snapshot; ``content_hash`` is that of all files together."""

    files: int
    rows: int
    content_hash: str


def utc_now() -> datetime.datetime:
    """Now in UTC, without time zone: what ``fetched_at`` and ``landed_at`` hold."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def request_hash(parts: Iterable[str]) -> str:
    """32 hexadecimal digits that identify a request by the texts it is made of."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def content_hash(table: pa.Table) -> str:
    """SHA-256 (hex) of a table's rows in their order, leaving out the columns that say when they were fetched."""
    kept = table.select([name for name in table.column_names if name not in _WHEN])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, kept.schema.remove_metadata()) as stream:
        stream.write_table(kept.replace_schema_metadata(None).combine_chunks())
    return hashlib.sha256(sink.getvalue()).hexdigest()


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file open for writing that takes its final name only when the block ends well; folders are made as needed.

    Raises:
        LandingError: disk full, read-only folder and the like, as one sentence. Nothing is left behind.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as handle:
                yield handle
                handle.flush()
                os.fsync(handle.fileno())
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise LandingError(_sentence(error, path)) from error


class Landing:
    """The landing folder of one source; use it inside :meth:`lock` so that one run writes at a time.

    Args:
        root: the landing zone, ``data/landing``.
        source: name of the source, e.g. ``wikidata``.
        schemas: datasets of the source, where it brings its own (see :mod:`ingest.rows`), beside ``SCHEMAS``.
    """

    def __init__(self, root: Path, source: str, schemas: Mapping[str, pa.Schema] | None = None) -> None:
        self.root = root
        self.source = source
        self.schemas = {**SCHEMAS, **(schemas or {})}

    def folder(self, dataset: str, snapshot_id: str) -> Path:
        """Where the files of a dataset's snapshot lie; not created."""
        return self.root / self.source / dataset / snapshot_id

    def path(self, dataset: str, snapshot_id: str, name: str) -> Path:
        """The file ``name`` (without ending) of a dataset's snapshot."""
        return self.folder(dataset, snapshot_id) / f"{name}.parquet"

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other runs out of this source's folder, and removes what killed runs left half written.

        Raises:
            LandingError: another run is landing, or the folder cannot be written.
        """
        home = self.root / self.source
        try:
            home.mkdir(parents=True, exist_ok=True)
            handle = (home / ".lock").open("ab")
        except OSError as error:
            raise LandingError(_sentence(error, home)) from error
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise LandingError(f"Another run is landing into {home}; wait for its end, then run again.") from error
            self._sweep(home)
            yield

    def write(self, dataset: str, snapshot_id: str, name: str, table: pa.Table) -> Path:
        """Land a table (in the dataset's schema) as one file, with the hash of its content in the file's metadata."""
        path = self.path(dataset, snapshot_id, name)
        table = table.cast(self.schemas[dataset])
        marked = table.replace_schema_metadata({_CONTENT_HASH: content_hash(table).encode()})
        with atomic_file(path) as handle:
            pq.write_table(marked, handle, compression="zstd")
        return path

    def read(self, dataset: str, snapshot_id: str, name: str) -> pa.Table | None:
        """A landed table, or None where it has not been landed. The content hash stands in its schema's metadata.

        Raises:
            LandingError: the file is there but cannot be read.
        """
        path = self.path(dataset, snapshot_id, name)
        if not path.exists():
            return None
        try:
            return pq.ParquetFile(path).read()
        except (OSError, pa.ArrowException) as error:
            raise LandingError(_unreadable(error, path)) from error

    def held(self, dataset: str, snapshot_id: str) -> Held:
        """What a dataset's snapshot holds, told by its files' metadata alone.

        Raises:
            LandingError: a file cannot be read.
        """
        digest, files, rows = hashlib.sha256(), 0, 0
        for path in sorted(self.folder(dataset, snapshot_id).glob("*.parquet")):
            try:
                with pq.ParquetFile(path) as file:
                    said = (file.schema_arrow.metadata or {}).get(_CONTENT_HASH, b"")
                    rows += file.metadata.num_rows
            except (OSError, pa.ArrowException) as error:
                raise LandingError(_unreadable(error, path)) from error
            digest.update(f"{path.stem} ".encode() + said + b"\n")
            files += 1
        return Held(files, rows, digest.hexdigest())

    def values(self, dataset: str, snapshot_id: str, columns: Sequence[str]) -> set[tuple[object, ...]]:
        """The distinct values of some columns, together, in all files of a dataset's snapshot.

        Raises:
            LandingError: a file cannot be read.
        """
        found: set[tuple[object, ...]] = set()
        for path in sorted(self.folder(dataset, snapshot_id).glob("*.parquet")):
            try:
                table = pq.ParquetFile(path).read(columns=list(columns))
            except (OSError, pa.ArrowException) as error:
                raise LandingError(_unreadable(error, path)) from error
            found.update(zip(*(table.column(name).to_pylist() for name in columns), strict=True))
        return found

    def keep_only(self, dataset: str, snapshot_id: str, main: str) -> None:
        """Remove files of a dataset that have no namesake in ``main``, which is written after it."""
        for path in sorted(self.folder(dataset, snapshot_id).glob("*.parquet")):
            if not self.path(main, snapshot_id, path.stem).exists():
                _remove(path)

    def prune(self, dataset: str, snapshot_id: str, prefix: str, keep: Iterable[str]) -> list[Path]:
        """Remove files ``<prefix>-*`` that answer requests no longer made, such as those of a changed topic."""
        kept = {f"{name}.parquet" for name in keep}
        stale = [
            path
            for path in sorted(self.folder(dataset, snapshot_id).glob(f"{prefix}-*.parquet"))
            if path.name not in kept and path.name.rsplit("-", 1)[0] == prefix
        ]
        for path in stale:
            _remove(path)
        return stale

    @staticmethod
    def _sweep(home: Path) -> None:
        for leftover in home.glob(f"*/*/.*{_TEMPORARY}"):
            with contextlib.suppress(OSError):
                leftover.unlink()


def stored_hash(table: pa.Table) -> str:
    """The content hash of a table that :meth:`Landing.read` gave; computed where the file does not say it."""
    said = (table.schema.metadata or {}).get(_CONTENT_HASH)
    return said.decode() if said else content_hash(table)


def flush(path: Path) -> None:
    """Put a file or folder on the disk before anything relies on it. Raises OSError where that fails."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself survive a power cut; file systems that cannot do that for folders are left alone."""
    with contextlib.suppress(OSError):
        flush(folder)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise LandingError(_sentence(error, path)) from error


def _unreadable(error: Exception, path: Path) -> str:
    return f"The landed file {path} cannot be read ({error}); delete it and run again."


def _sentence(error: OSError, path: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{path} could not be written because the disk is full; free some space and run again."
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{path} could not be written because its folder is read-only; make it writable or use another one."
    return f"{path} could not be written ({error.strerror or error}); mend that and run again."
