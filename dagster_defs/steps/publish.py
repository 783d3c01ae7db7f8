"""Publishing: a verified, compact copy of the build database takes the published file's place in one step."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from dagster_defs.errors import RunError, engine_sentence
from ingest.landing import flush


@dataclass(frozen=True)
class Published:
    """What was published: the file, its size in bytes, and the rows of each table ('schema.name')."""

    path: Path
    size: int
    rows: dict[str, int]


def publish(build: Path, published: Path, tables: Collection[str], memory_limit: str = "1500MB") -> Published:
    """Copy ``tables`` ('schema.name') of ``build`` to ``published``, which changes in one atomic step or not at all.

    Comments and constraints come along; whoever has the old file open keeps reading the old file.
    Raises RunError when a table is missing, the disk is full or read-only, the copy does not stand alone,
    or another program has unsaved changes in the published file.
    """
    _refuse_unsaved_changes(published)
    for leftover in published.parent.glob(f".{published.name}.*.tmp*"):
        leftover.unlink()
    copy = published.with_name(f".{published.name}.{os.getpid()}.tmp")
    with _plainly(published), _removed_afterwards(copy):
        _copy(build, copy, tables, memory_limit)
        rows = verify(copy, tables)
        flush(copy)
        _refuse_unsaved_changes(published)
        copy.replace(published)
        flush(published.parent)
    return Published(published, published.stat().st_size, rows)


def verify(database: Path, tables: Collection[str]) -> dict[str, int]:
    """The row count of each of ``tables``, after proving that ``database`` stands alone.

    It must open read-only, hold exactly these tables, and none of its views may read anything outside it.
    Raises RunError otherwise.
    """
    config: dict[str, str | bool | int | float | list[str]] = {"enable_external_access": False}
    with duckdb.connect(str(database), read_only=True, config=config) as connection:
        found = {
            name
            for (name,) in connection.execute("select schema_name || '.' || table_name from duckdb_tables()").fetchall()
        }
        if found != set(tables):
            odd = ", ".join(sorted(found ^ set(tables)))
            raise RunError(f"Nothing was published: the copy of the build database and the project differ in {odd}.")
        views = "select schema_name || '.' || view_name from duckdb_views() where not internal"
        for (view,) in connection.execute(views).fetchall():
            try:
                connection.execute(f"select 1 from {view} limit 1").fetchall()
            except duckdb.Error as error:
                raise RunError(
                    f"Nothing was published: the view {view} reads something outside the file; make its model a table."
                ) from error
        return {table: connection.execute(f"select count(*) from {table}").fetchall()[0][0] for table in sorted(tables)}


def _copy(build: Path, copy: Path, tables: Collection[str], memory_limit: str) -> None:
    """Write ``copy`` with the structure, comments and rows of ``tables``; nothing else, so the file is compact."""
    if not build.exists():
        raise RunError(f"Nothing was published: {build} does not exist; run `make build` first.")
    with duckdb.connect(config={"memory_limit": memory_limit.replace(" ", "")}) as connection:
        connection.execute(f"attach '{_quoted(build)}' as built (read_only)")
        connection.execute(f"attach '{_quoted(copy)}' as copied")
        connection.execute("copy from database built to copied (schema)")
        listed = "select schema_name || '.' || table_name from duckdb_tables() where database_name = 'copied'"
        present = {name for (name,) in connection.execute(listed).fetchall()}
        missing = sorted(set(tables) - present)
        if missing:
            raise RunError(
                f"Nothing was published: {build} lacks {', '.join(missing)}; run `make build` for all rooms."
            )
        for table in sorted(present - set(tables)):
            connection.execute(f"drop table copied.{table}")
        for schema in sorted({name.split(".")[0] for name in present} - {name.split(".")[0] for name in tables}):
            connection.execute(f"drop schema copied.{schema}")
        # In one transaction: rows go to the file at once, not to its log first.
        connection.execute("begin")
        for table in sorted(tables):
            connection.execute(f"insert into copied.{table} from built.{table}")
        connection.execute("commit")
        connection.execute("checkpoint copied")


def _refuse_unsaved_changes(published: Path) -> None:
    """A write-ahead log beside the file belongs to the old file; beside the new one it would make it unreadable."""
    if published.with_name(published.name + ".wal").exists():
        raise RunError(
            f"Nothing was published: another program has unsaved changes in {published} ({published.name}.wal):"
            " close it there (or open the file once and close it), then run again."
        )


@contextmanager
def _plainly(published: Path) -> Iterator[None]:
    """Turn the engine's and the system's complaints into one sentence that says nothing was published."""
    try:
        yield
    except duckdb.Error as error:
        said = engine_sentence(str(error)) or str(error).strip().splitlines()[0]
        raise RunError(f"{published} stays as it was. {said}") from error


@contextmanager
def _removed_afterwards(copy: Path) -> Iterator[None]:
    """Leave no half-written copy behind."""
    try:
        yield
    finally:
        for path in (copy, copy.with_name(copy.name + ".wal")):
            path.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
