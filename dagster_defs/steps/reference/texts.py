"""The texts about entities: whole articles of Wikipedia, and what a search of the web finds."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from dagster_defs.steps.chunks import Document
from dagster_defs.steps.reference.plan import WEB, WIKIPEDIA, Corpus, Entity
from ingest.errors import ServiceError
from ingest.web.provider import SearchProvider
from ingest.wikipedia import entities as wikidata
from ingest.wikipedia.pages import Article, address

READ, MISSING, DISAMBIGUATION, SHORT, FAILED = "read", "missing", "disambiguation", "short", "failed"
# Searches that may fail in a row before the provider counts as down.
_FAILURES: Final = 3
_HEADING: Final = re.compile(r"(={2,6})\s*(.+?)\s*\1")
_Q_ID: Final = re.compile(r"Q[1-9][0-9]*")


class Articles(Protocol):
    """Where articles are from, such as ingest.wikipedia.client.WikipediaClient."""

    def entities(self, entity_ids: Iterable[str]) -> Iterator[wikidata.Entity]:
        """Entities by Q-id, with the titles of their articles."""
        ...

    def articles(self, titles: Iterable[str], *, text: bool = True) -> Iterator[Article]:
        """The article under each title, in their order."""
        ...


@dataclass(frozen=True)
class Text:
    """A text about an entity, or why there is none.

    outcome: read, missing, disambiguation, short or failed. quoted: whether its words may be kept. document: None
    unless it is to be read. retrieved_at: UTC.
    """

    entity: Entity
    source: str
    url: str
    title: str
    outcome: str
    retrieved_at: datetime.datetime
    document: Document | None = None
    n_characters: int | None = None
    quoted: bool = True
    error: str | None = None


def articles_of(entities: Sequence[Entity], pages: Articles, wanted: Corpus) -> list[Text]:
    """The article of each entity: a Q-id's by Wikidata's link to it, any other's by the entity's title.

    Raises ServiceError, one sentence, where the service can't answer.
    """
    ids = [one.entity_id for one in entities if _Q_ID.fullmatch(one.entity_id)]
    known = {one.asked: one for one in pages.entities(ids)} if ids else {}
    titles: dict[str, str] = {}
    for one in entities:
        title = known[one.entity_id].title if one.entity_id in known else one.title
        if title is not None:
            titles[one.entity_id] = title
    found = dict(zip(titles, pages.articles(titles.values()), strict=True))
    now = datetime.datetime.now(datetime.UTC)
    return [_article(one, found.get(one.entity_id), known, wanted, now) for one in entities]


def _article(
    entity: Entity,
    article: Article | None,
    known: Mapping[str, wikidata.Entity],
    wanted: Corpus,
    now: datetime.datetime,
) -> Text:
    if article is None:
        return Text(
            entity, WIKIPEDIA, address(entity.title), entity.title, MISSING, now, error="Wikidata links to none"
        )
    linked = known.get(entity.entity_id)
    own = {entity.entity_id, linked.entity_id} if linked is not None else None
    outcome, error = READ, None
    if article.outcome in ("missing", "invalid"):
        outcome = MISSING
        error = None if article.outcome == "missing" else "no page can have this title"
    elif article.outcome == "disambiguation":
        outcome = DISAMBIGUATION
    elif own is not None and article.item_id is not None and article.item_id not in own:
        # A link may lead through a redirect to an article about something wider.
        outcome, error = MISSING, f"the article is about {article.item_id}"
    elif article.characters < wanted.least_characters:
        outcome = SHORT
    document = Document(article.title, as_markdown(article.title, article.text)) if outcome == READ else None
    length = article.characters if article.text else None
    return Text(entity, WIKIPEDIA, article.url, article.title, outcome, now, document, length, error=error)


def as_markdown(title: str, text: str) -> str:
    """An article's plain text under its title, with its headings as Markdown's; no other line becomes one."""
    lines = [f"# {title}"]
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line.strip())
        if heading is not None:
            lines.append(f"{'#' * len(heading[1])} {heading[2]}")
        else:
            lines.append(f" {line}" if line.startswith("#") else line)
    return "\n".join(lines)


class Searches:
    """Searches entity by entity, and gives up where the provider is down."""

    def __init__(self, provider: SearchProvider, wanted: Corpus) -> None:
        self._provider = provider
        self._wanted = wanted
        self._failed = 0

    def of(self, entity: Entity) -> list[Text]:
        """A text for each result, or one that says why there is none. Raises ServiceError after three in a row."""
        now = datetime.datetime.now(datetime.UTC)
        asked = self._provider.url(entity.title, self._wanted.web_results)
        try:
            results = self._provider.search(entity.title, self._wanted.web_results)
        except ServiceError as error:
            self._failed += 1
            if self._failed >= _FAILURES:
                raise
            return [Text(entity, WEB, asked, entity.title, FAILED, now, quoted=False, error=str(error))]
        self._failed = 0
        texts = []
        for result in results:
            body = "\n".join(result.snippets)
            document = Document(result.title, as_markdown(result.title, body)) if body else None
            outcome = READ if body else SHORT
            texts.append(Text(entity, WEB, result.url, result.title, outcome, now, document, len(body), quoted=False))
        return texts or [Text(entity, WEB, asked, entity.title, MISSING, now, quoted=False)]
