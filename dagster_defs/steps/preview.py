"""Row counts and small Markdown previews of tables, for people who look at an asset's page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROWS = 5
COLUMNS = 8
CELL = 60


def table_previews(database: Path, tables: Iterable[str]) -> dict[str, tuple[int, str]]:
    """For each of ``tables`` ('schema.name') its row count and its first rows as a Markdown table.

    Opens ``database`` read-only and closes it again.
    """
    import duckdb

    with duckdb.connect(str(database), read_only=True) as connection:
        return {table: _preview(connection, table) for table in tables}


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table of at most `COLUMNS` columns; long cells are cut to `CELL` characters."""
    shown = list(columns[:COLUMNS])
    lines = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)]
    lines += ["| " + " | ".join(_cell(value) for value in row[:COLUMNS]) + " |" for row in rows]
    return "\n".join(lines)


def _preview(connection: DuckDBPyConnection, table: str) -> tuple[int, str]:
    count = connection.execute(f"select count(*) from {table}").fetchall()[0][0]
    cursor = connection.execute(f"select * from {table} limit {ROWS}")
    columns = [column[0] for column in cursor.description or []]
    return count, markdown_table(columns, cursor.fetchall())


def _cell(value: Any) -> str:
    text = "" if value is None else " ".join(str(value).split()).replace("|", "\\|")
    return text if len(text) <= CELL else text[: CELL - 1] + "…"
