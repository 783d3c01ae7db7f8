"""Everything there is to read: a sheet of each entity of every topic, and of whatever else has links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dagster_defs.steps.chunks import Document
from dagster_defs.steps.solve.documents import fact_sheet
from dagster_defs.steps.solve.questions import Warehouse

_LINKS = "## Links"


@dataclass(frozen=True)
class Sheet:
    """A document about one entity. topic: None where the entity is of no topic."""

    entity_id: str
    topic: str | None
    document: Document

    @property
    def sheet_id(self) -> str:
        """What no other sheet is called: an entity has a sheet in each of its topics."""
        return f"{self.topic or 'links'}/{self.entity_id}"


def sheets(warehouse: Warehouse, snapshot_id: str) -> list[Sheet]:
    """Every sheet, topic by topic and entity by entity, those of no topic last.

    A topic's sheet has the entity's attributes, and the things that the facts link it to, by the property that does.
    """
    as_of = warehouse.as_of(snapshot_id).isoformat()
    links = warehouse.links()
    by_id = {entity_id: found for (entity_id, _), found in links.items()}
    made: list[Sheet] = []
    for topic in warehouse.topics():
        attributes = {attribute.name: attribute for attribute in warehouse.attributes(topic)}
        for entity_id, facts in warehouse.facts(topic).items():
            sheet = fact_sheet(facts[0].entity, facts, attributes, topic, as_of)
            text = sheet.text + _linked(by_id.get(entity_id, {}))
            made.append(Sheet(entity_id, topic, Document(sheet.title, text)))
    known = {sheet.entity_id for sheet in made}
    for (entity_id, label), found in links.items():
        if entity_id not in known:
            text = f"# {label}\nLinks made from recorded facts (as of {as_of}).\n{_linked(found)}"
            made.append(Sheet(entity_id, None, Document(label, text)))
    return made


def _linked(links: Mapping[str, Sequence[str]]) -> str:
    """A section with a line a property."""
    if not links:
        return ""
    return "\n".join([_LINKS, *(f"- {name}: {'; '.join(values)}" for name, values in links.items())]) + "\n"
