"""Names that are made up, as the warehouse offers them."""

from __future__ import annotations

from pathlib import Path

from dagster_defs.steps.published import reading


def made_up_names(database: Path, n: int) -> list[str]:
    """The first ``n`` made-up names of the set, in its order. Raises RunError where the database can't be read."""
    with reading(database, "names") as connection:
        rows = connection.execute(
            "select title from elicitation.entities where set_name = 'non_existing' order by ordinal limit ?", [n]
        ).fetchall()
    return [name for (name,) in rows]
