"""Entities that models are asked about, read from the published database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.published import digest, reading


@dataclass(frozen=True)
class Entity:
    """What is asked about. kind: its topic in words, None where it has none. n_reference: its reference triples."""

    entity_id: str
    title: str
    kind: str | None = None
    n_reference: int = 0


@dataclass(frozen=True)
class EntitySet:
    """The first entities of a set, in its order. snapshot_id: of the facts that it was drawn from."""

    name: str
    entities: tuple[Entity, ...]
    snapshot_id: str | None = None

    @cached_property
    def sha(self) -> str:
        """Digest of ids and titles, 64 hexadecimal digits."""
        return digest([[one.entity_id, one.title] for one in self.entities])


def read_set(database: Path, name: str, n: int = 0) -> EntitySet:
    """The set called ``name``: its first ``n`` entities by ordinal; 0 for all, and no more than there are.

    Raises RunError where the database can't be read or has no such set, ``n`` is below 0, or an entity has no title.
    """
    if n < 0:
        raise RunError(f"An elicitation asks about 0 (all) or more entities, not {n}.")
    with reading(database, "entities") as connection:
        try:
            rows = connection.execute(
                "select entity_id, title, replace(topic, '_', ' '), coalesce(n_reference, 0)"
                " from elicitation.entities where set_name = ? order by ordinal limit ?",
                [name, n or None],
            ).fetchall()
        except duckdb.CatalogException as error:
            raise RunError(
                f"{database} was built before there were entity sets: build it again with `make build`."
            ) from error
        sets = "select distinct set_name from elicitation.entities order by all"
        there = [] if rows else [found for (found,) in connection.execute(sets).fetchall()]
        current = "select snapshot_id from provenance.snapshots where is_current limit 1"
        snapshot = connection.execute(current).fetchall()
    if not rows:
        known = f"it has {', '.join(there)}" if there else "it has none at all; build it again"
        raise RunError(f"{database} has no entity set '{name}': {known}.")
    for entity_id, title, *_ in rows:
        if not (title or "").strip():
            raise RunError(
                f"Entity {entity_id} of the set '{name}' has no title to ask by: give it one, or leave it out of the"
                " set."
            )
    return EntitySet(name, tuple(Entity(*row) for row in rows), snapshot[0][0] if snapshot else None)
