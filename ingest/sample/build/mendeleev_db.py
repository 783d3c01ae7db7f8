"""Reads the database inside the mendeleev package; its own ORM would take seconds to import."""

from __future__ import annotations

import csv
import functools
import re
import sqlite3
import unicodedata
from pathlib import Path
from typing import Any

from ingest.sample.build.packages import package_file

Row = dict[str, Any]
SOURCE = "mendeleev"
TYPED = Path(__file__).parent / "typed"


@functools.cache
def rows(query: str) -> tuple[Row, ...]:
    """All rows of a query over mendeleev's elements.db, as dicts."""
    path = package_file("mendeleev", "elements.db")
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        return tuple(dict(row) for row in connection.execute(query))
    finally:
        connection.close()


def elements() -> tuple[Row, ...]:
    """The 118 elements by atomic number."""
    return rows("select * from elements order by atomic_number")


def element_id(symbol: str) -> str:
    """The id of an element entity: mendeleev has no addresses of its own, so its symbols make the ids."""
    return f"mendeleev:{symbol}"


def symbols() -> dict[int, str]:
    """Atomic number -> symbol."""
    return {row["atomic_number"]: row["symbol"] for row in elements()}


def slug(name: str) -> str:
    """A name as the last part of an id: ASCII letters, digits and hyphens."""
    ascii_name = unicodedata.normalize("NFKD", name.replace("ø", "o").replace("Ø", "O").replace("ł", "l"))
    plain_name = ascii_name.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain_name).strip("-")


def typed_rows(name: str) -> list[dict[str, str]]:
    """A table of typed/*.csv."""
    with (TYPED / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))
