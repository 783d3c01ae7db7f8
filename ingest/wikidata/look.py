"""A look at entities without landing them: what is stated of them, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ingest.asked import batches
from ingest.wikidata import bindings, queries
from ingest.wikidata.endpoint import Endpoint

Row = dict[str, Any]


def statements_of(
    endpoint: Endpoint, entities: Sequence[str], properties: Iterable[str], batch_size: int = 500
) -> Iterator[Row]:
    """The statements of ``entities`` for ``properties``, of every rank, with the columns that are landed of them."""
    wanted = sorted(set(properties))
    parts: dict[str, bindings.Value] = {}
    for batch in batches(entities, batch_size):
        asked = queries.statements(batch, wanted)
        stated, qualified = endpoint.select(asked.statements), endpoint.select(asked.qualifiers)
        for nodes in batches(sorted(bindings.node_iris(stated, qualified) - parts.keys()), batch_size):
            parts.update(bindings.node_values(endpoint.select(queries.nodes(nodes))))
        rows, _ = bindings.statement_rows(stated, qualified, parts, {})
        for row in rows:
            yield dict(zip(bindings.STATEMENT_COLUMNS, row, strict=True))


def names_of(endpoint: Endpoint, entities: Sequence[str], language: str, batch_size: int = 500) -> dict[str, Row]:
    """Entity -> label, description and number of sitelinks, None where there is none."""
    found: dict[str, Row] = {}
    for batch in batches(sorted(set(entities)), batch_size):
        named = endpoint.select(queries.names(batch, language).names)
        for cells in bindings.entity_rows(batch, named, (), (), language, {}):
            row = dict(zip(bindings.ENTITY_COLUMNS, cells, strict=True))
            found[row["entity_id"]] = row
    return found


def of_classes(
    endpoint: Endpoint, entities: Iterable[str], classes: Sequence[str], path: str = "instance", batch_size: int = 500
) -> set[str]:
    """Those of ``entities`` that belong to one of ``classes``, by a path of ``queries.PATHS``."""
    found: set[str] = set()
    for batch in batches(sorted(set(entities)), batch_size):
        found.update(bindings.member_ids(endpoint.select(queries.of_classes(batch, classes, path))))
    return found
