"""Everything there is to read: of each entity its article, or a sheet in every topic; and whatever else has links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dagster_defs.steps.chunks import Document
from dagster_defs.steps.solve.documents import fact_sheet
from dagster_defs.steps.solve.questions import Warehouse

WIKIPEDIA, LINKS = "wikipedia", "links"
_LINKS = "## Links"


@dataclass(frozen=True)
class Sheet:
    """A document about one entity. shelf: its topic, WIKIPEDIA for an article, LINKS where it is of no topic.

    url: of an article.
    """

    entity_id: str
    shelf: str
    document: Document
    url: str = ""

    @property
    def sheet_id(self) -> str:
        """What no other sheet is called: an entity without an article has a sheet in each of its topics."""
        return f"{self.shelf}/{self.entity_id}"


def sheets(warehouse: Warehouse, snapshot_id: str) -> list[Sheet]:
    """Every article; then of the other entities every sheet, topic by topic, those of no topic last.

    A topic's sheet has the entity's attributes, and the things that the facts link it to, by the property that does.
    """
    as_of = warehouse.as_of(snapshot_id).isoformat()
    links = warehouse.links()
    by_id = {entity_id: found for (entity_id, _), found in links.items()}
    articles = warehouse.articles.of()
    made = [Sheet(entity_id, WIKIPEDIA, one.document, one.url) for entity_id, one in articles.items()]
    for topic in warehouse.topics():
        attributes = {attribute.name: attribute for attribute in warehouse.attributes(topic)}
        for entity_id, facts in warehouse.facts(topic).items():
            if entity_id not in articles:
                sheet = fact_sheet(facts[0].entity, facts, attributes, topic, as_of)
                text = sheet.text + _linked(by_id.get(entity_id, {}))
                made.append(Sheet(entity_id, topic, Document(sheet.title, text)))
    known = {sheet.entity_id for sheet in made}
    for (entity_id, label), found in links.items():
        if entity_id not in known:
            text = f"# {label}\nLinks made from recorded facts (as of {as_of}).\n{_linked(found)}"
            made.append(Sheet(entity_id, LINKS, Document(label, text)))
    return made


def _linked(links: Mapping[str, Sequence[str]]) -> str:
    """A section with a line a property."""
    if not links:
        return ""
    return "\n".join([_LINKS, *(f"- {name}: {'; '.join(values)}" for name, values in links.items())]) + "\n"
