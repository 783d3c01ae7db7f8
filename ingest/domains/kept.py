"""What services said last of each subject: ``data/landing/domains/statements/<source>.parquet``, whole or absent.

A run replaces the statements of the subjects it asked about and keeps the others. ``_schema``, without rows, lets a
warehouse be built before any service was asked. ``data/landing/domains/members.parquet`` holds who was asked about,
under which identifier, so that it can be asked again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.domains.statements import Stated, Statement
from ingest.errors import LandingError
from ingest.landing import atomic_file
from ingest.rows import schema_of

SCHEMA: Final = schema_of(Statement)
_SCHEMA_FILE: Final = "_schema"
_MEMBER: Final = ("service", "identifier", "entity_id")


def folder(landing_dir: Path) -> Path:
    """Where the statements lie below the landing zone."""
    return landing_dir / "domains" / "statements"


def prepare(landing_dir: Path) -> None:
    """Give the statements their file without rows, where it is lacking."""
    path = _path(landing_dir, _SCHEMA_FILE)
    if not path.exists() or not pq.read_schema(path).equals(SCHEMA):
        # Not schema.empty_table(), which imports pandas: a second of every start.
        _write(path, pa.Table.from_batches([], schema=SCHEMA))


def keep(landing_dir: Path, stated: Stated) -> int:
    """Land statements in place of what was stated before of what was asked about; returns their number.

    Raises LandingError where a file cannot be read or written; the old one then stays.
    """
    path = _path(landing_dir, stated.source)
    before = read(path).to_pylist() if path.exists() else []
    rows = [row for row in before if row["subject_id"] not in stated.about] + stated.rows
    rows.sort(key=lambda row: (row["subject_id"], row["property_id"], row["statement_id"]))
    _write(path, pa.Table.from_pylist(rows, schema=SCHEMA))
    return len(stated.rows)


def keep_members(landing_dir: Path, members: Iterable[tuple[str, str, str]]) -> None:
    """Add (service, identifier, entity) to those asked about. Raises LandingError."""
    rows = sorted({*members_of(landing_dir), *members})
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    table = pa.Table.from_arrays([pa.array(column, pa.string()) for column in columns], names=list(_MEMBER))
    _write(_members(landing_dir), table)


def members_of(landing_dir: Path) -> list[tuple[str, str, str]]:
    """(service, identifier, entity) of all that was ever asked about, sorted. Raises LandingError."""
    path = _members(landing_dir)
    if not path.exists():
        return []
    return [(row["service"], row["identifier"], row["entity_id"]) for row in read(path).to_pylist()]


def read(path: Path) -> pa.Table:
    """A landed file. Raises LandingError where it cannot be read."""
    try:
        return pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise LandingError(f"The landed file {path} cannot be read ({error}); delete it and run again.") from error


def _members(landing_dir: Path) -> Path:
    return landing_dir / "domains" / "members.parquet"


def _path(landing_dir: Path, name: str) -> Path:
    return folder(landing_dir) / f"{name}.parquet"


def _write(path: Path, table: pa.Table) -> None:
    with atomic_file(path) as handle:
        pq.write_table(table, handle, compression="zstd")
