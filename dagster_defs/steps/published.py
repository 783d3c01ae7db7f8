"""The published file, read by steps; and digests of what they read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.errors import RunError


@contextmanager
def reading(database: Path, what: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to ``database`` that reads; ``what`` is taken from it, as an error says.

    Raises RunError where there is no such file, or what is asked of it within cannot be read.
    """
    if not database.exists():
        raise RunError(f"There is no {database} to take {what} from: run `make demo` or `make build` first.")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            yield connection
    except duckdb.Error as error:
        raise RunError(f"{database} cannot be read: {str(error).splitlines()[0]}") from error


def digest(content: Any) -> str:
    """SHA-256 of a JSON value, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
