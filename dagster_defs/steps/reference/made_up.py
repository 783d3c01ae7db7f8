"""Names that are made up, as the warehouse offers them."""

from __future__ import annotations

from pathlib import Path

import duckdb

from dagster_defs.errors import RunError


def made_up_names(database: Path, n: int) -> list[str]:
    """The first ``n`` made-up names of the set, in its order. Raises RunError where the database can't be read."""
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            rows = connection.execute(
                "select title from elicitation.entities where set_name = 'non_existing' order by ordinal limit ?", [n]
            ).fetchall()
    except duckdb.Error as error:
        raise RunError(f"{database} cannot be read: {str(error).splitlines()[0]}") from error
    return [name for (name,) in rows]
