"""Whose articles are landed: the members of published topics, under the titles that Wikidata links to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from dagster_defs.errors import RunError
from dagster_defs.steps.published import reading
from ingest.wikipedia.entities import Entity

# Entity and the title of its article, None where none is known.
Titled = tuple[str, str | None]
_Q_ID: Final = re.compile(r"Q[1-9][0-9]*")
# What Wikidata is asked for in one request.
_TITLES_AT_ONCE: Final = 50
_MEMBERS: Final = """
select members.entity_id, entities.wikipedia_title
from topics."{topic}" as members
inner join facts.entities as entities on members.entity_id = entities.entity_id
order by entities.sitelinks desc nulls last, md5(members.entity_id), members.entity_id
limit ?
"""


class Titles(Protocol):
    """Who knows titles, such as ingest.wikipedia.client.WikipediaClient."""

    def entities(self, entity_ids: Iterable[str]) -> Iterator[Entity]:
        """Entities by Q-id, with the titles of their articles."""
        ...


def members(database: Path, topics: Sequence[str], n: int) -> dict[str, list[Titled]]:
    """Topic -> its members, those with most sitelinks first; at most ``n`` of each, 0 for all.

    topics: none for all. Raises RunError where ``database`` cannot be read, or has no such topic.
    """
    with reading(database, "members of topics") as connection:
        rows = connection.execute("select topic from topics.topic_meta order by topic").fetchall()
        known = [name for (name,) in rows]
        unknown = sorted(set(topics) - set(known))
        if unknown:
            raise RunError(f"{database} has no topic '{unknown[0]}': it has {', '.join(known)}.")
        most = n or 2**62
        return {
            topic: connection.execute(_MEMBERS.format(topic=topic), [most]).fetchall()
            for topic in known
            if not topics or topic in topics
        }


def titled(entities: Sequence[Titled], service: Titles) -> list[Titled]:
    """``entities`` with the titles that Wikidata gives for those without; who has no Q-id has none."""
    lacking = [entity_id for entity_id, title in entities if title is None and _asked_for(entity_id)]
    found: Mapping[str, str | None] = {one.asked: one.title for one in service.entities(lacking)} if lacking else {}
    return [(entity_id, title or found.get(entity_id)) for entity_id, title in entities]


def estimate(chosen: Mapping[str, Sequence[Titled]], *, views: bool) -> str:
    """What landing would take at most, in one sentence."""
    everything = [one for entities in chosen.values() for one in entities]
    known = sum(title is not None for _, title in everything)
    asked = sum(title is None and _asked_for(entity_id) for entity_id, title in everything)
    requests = (known + asked) * (2 if views else 1) + -(-asked // _TITLES_AT_ONCE)
    of = f"{len(chosen)} topic{'s' if len(chosen) > 1 else ''}"
    with_views = " with page views" if views else ""
    return (
        f"{known + asked:,} articles of {of} at most, in some {requests:,} requests{with_views}: {known:,} titles are"
        f" known, and Wikidata is asked for {asked:,}; 200 requests a minute at most."
    )


def _asked_for(entity_id: str) -> bool:
    """Whether Wikidata can be asked for a title."""
    return _Q_ID.fullmatch(entity_id) is not None
