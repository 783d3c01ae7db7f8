"""Wikipedia's articles that runs read in place of fact sheets, where they are landed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from dagster_defs.names import COUNTERFACTUAL
from dagster_defs.steps.articles import as_document, has_articles, parts_of
from dagster_defs.steps.chunks import Document
from dagster_defs.steps.history import variant_of

_FOUND = """
    select entity_id, title, url, revision_id
    from documents.pages
    where outcome = 'found' and ($1 is null or list_contains($1, entity_id))
    order by entity_id
"""


@dataclass(frozen=True)
class Article:
    """An article, which says of itself what it is, and its address."""

    document: Document
    url: str


class Articles:
    """The articles of a published database. None where no questions can be answered by them: of changed facts."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, snapshot_id: str) -> None:
        self._connection = connection
        self._is_there = not variant_of(snapshot_id).startswith(COUNTERFACTUAL) and has_articles(connection)

    def of(self, entity_ids: Sequence[str] | None = None) -> dict[str, Article]:
        """The article of each entity that has one, by entity_id; of all entities where none are given."""
        wanted = None if entity_ids is None else list(entity_ids)
        rows = self._connection.execute(_FOUND, [wanted]).fetchall() if self._is_there else []
        parts = parts_of(self._connection, [row[0] for row in rows]) if rows else {}
        return {
            entity_id: Article(
                as_document(
                    title,
                    parts[entity_id].fields,
                    parts[entity_id].sections,
                    note=f"Wikipedia's article, revision {revision_id} ({url}).",
                ),
                url,
            )
            for entity_id, title, url, revision_id in rows
        }

    def digest(self) -> str:
        """12 hexadecimal digits of the revisions; empty where there is no article."""
        rows = self._connection.execute(_FOUND, [None]).fetchall() if self._is_there else []
        if not rows:
            return ""
        revisions = [[entity_id, revision_id] for entity_id, _, _, revision_id in rows]
        return hashlib.sha256(json.dumps(revisions).encode()).hexdigest()[:12]
