"""Wikipedia's and Wikidata's action API, and Wikimedia's page views."""

from __future__ import annotations

import unicodedata
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Final, Literal

import msgspec

from ingest.asked import batches, checked
from ingest.errors import NotFoundError, ServiceError
from ingest.http.body import BodyError
from ingest.http.client import HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service
from ingest.wikipedia.entities import SITE, Entity, parse_entities, parse_search
from ingest.wikipedia.pages import Answer, Article, nothing, parse_query
from ingest.wikipedia.search import Candidate, Hit, parse_candidates, parse_hits
from ingest.wikipedia.views import parse_views

# One service, as its limits hold for all of Wikimedia's sites together. The published 200 requests a minute are for
# clients without an account whose user agent names a contact.
SERVICE: Final = Service(
    name="Wikimedia",
    home="https://en.wikipedia.org",
    rates=(Rate(200, 60),),
    rates_from="https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits",
    other_hosts=frozenset({"www.wikidata.org", "wikimedia.org"}),
    keep_seconds=DAY,
    max_bytes=64 << 20,
    # Page views of a page that nobody read are a 404 whose body is a problem in JSON.
    unknown_starts=(b"{",),
)
_API: Final = "/w/api.php"
_WIKIDATA: Final = "www.wikidata.org"
_VIEWS_HOST: Final = "wikimedia.org"
_VIEWS: Final = "/api/rest_v1/metrics/pageviews/per-article/en.wikipedia.org/all-access/user"
# What the API takes in one request, and what its servers take in one address.
_TITLES_AT_ONCE: Final = 50
_TITLE_BYTES_AT_ONCE: Final = 4_000
_IDS_AT_ONCE: Final = 50
_RANDOM_AT_ONCE: Final = 500
_FOUND_AT_ONCE: Final = 50
_SEARCH_REQUESTS: Final = 10
# Answers that one request can go on for: an article each, and some that a service adds.
_ANSWERS: Final = 10 * _TITLES_AT_ONCE
# Content of a page -> the parameters that ask for it.
_CONTENT: Final[Mapping[str, Mapping[str, str]]] = {
    "text": {"prop": "extracts", "explaintext": "1", "exsectionformat": "wiki", "exlimit": "1"},
    "wikitext": {"prop": "revisions", "rvprop": "ids|timestamp|content", "rvslots": "main"},
}


class WikipediaClient:
    """Asks English Wikipedia for pages, and Wikidata for what they are about.

    Args:
        http: a client of ``SERVICE``.
        format_version: 1 or 2; both are read.
        maxlag: seconds that the service's databases may lag before it puts requests off.
    """

    def __init__(self, http: HttpClient, *, format_version: int = 2, maxlag: int = 5) -> None:
        self.http = http
        self._common = {"format": "json", "formatversion": str(format_version), "maxlag": str(maxlag)}

    def url(
        self,
        titles: Iterable[str],
        *,
        text: bool = True,
        wikitext: bool = False,
        further: Mapping[str, str] | None = None,
    ) -> str:
        """The request for pages; ``further`` is what the answer before said to go on with."""
        contents = [_CONTENT[name] for name, wanted in (("text", text), ("wikitext", wikitext)) if wanted]
        props = "|".join(["info", "pageprops", *(content["prop"] for content in contents)])
        asked = {"action": "query", "redirects": "1", "inprop": "url", "ppprop": "disambiguation|wikibase_item"}
        for content in contents:
            asked |= content
        parameters = {**asked, "prop": props, "titles": "|".join(titles), **(further or {})}
        return self.http.url(_API, self._common | parameters)

    def articles(self, titles: Iterable[str], *, text: bool = True, wikitext: bool = False) -> Iterator[Article]:
        """The page under each title, in their order; at most 50 pages are held at once.

        A whole text is a request of its own, whatever the batch; without ``text`` 50 pages are one request, with or
        without ``wikitext``.

        Raises:
            ServiceError: one sentence. What came before was given already.
        """
        for batch in _in_batches(titles):
            usable = [title for title in dict.fromkeys(map(_normal, batch)) if _is_usable(title)]
            ask = partial(self.url, usable, text=text, wikitext=wikitext)
            answer = self._whole(ask) if usable else Answer()
            for title in batch:
                asked = _normal(title)
                if not _is_usable(asked):
                    yield nothing(title, title, "invalid")
                    continue
                yield _as_asked(title, self._told(answer, asked, ask))

    def _whole(self, ask: Callable[..., str]) -> Answer:
        """All answers to one request, put together."""
        answer = Answer()
        url = ask()
        for _ in range(_ANSWERS):
            answer.take(self.http.get(url, parse_query).value)
            if not answer.further:
                return answer
            url = ask(further=answer.further)
        raise ServiceError(f"{SERVICE.name} goes on answering {url[:240]}... without end; check the service.")

    @staticmethod
    def _told(answer: Answer, title: str, ask: Callable[..., str]) -> Article:
        try:
            return answer.article(title)
        except BodyError as error:
            raise ServiceError(f"{SERVICE.name} failed on {ask()[:240]}: {error.cause}; check the service.") from None

    def random_titles(self, n: int) -> Iterator[str]:
        """Titles of ``n`` random articles, no redirects, each once; fewer where the wiki has no more.

        The service draws, so that no seed can repeat a draw; answers that are kept are a draw that goes on. It is asked
        for 500 at a time, as they are taken.
        """
        asked = {"action": "query", "list": "random", "rnnamespace": "0", "rnlimit": str(min(n, _RANDOM_AT_ONCE))}
        given: set[str] = set()
        further: Mapping[str, str] = {}
        while len(given) < n:
            answer = self.http.get(self.http.url(_API, {**self._common, **asked, **further}), parse_query).value
            fresh = [title for title in dict.fromkeys(answer.random) if title not in given][: n - len(given)]
            given.update(fresh)
            yield from fresh
            further = answer.further
            if not further or not fresh:
                return

    def entities(self, entity_ids: Iterable[str]) -> Iterator[Entity]:
        """Wikidata's entities with their titles and numbers of statements, by id, each once.

        Raises:
            ServiceError: one sentence, also for what is no Q-id.
        """
        for batch in batches(checked(entity_ids, "Q[1-9][0-9]*", "Q-id", "Q42"), _IDS_AT_ONCE):
            asked = {"action": "wbgetentities", "props": "sitelinks|claims", "sitefilter": SITE}
            parameters = {**self._common, **asked, "ids": "|".join(batch)}
            url = self.http.url(_API, parameters, host=_WIKIDATA)
            yield from self.http.get(url, partial(parse_entities, asked=batch)).value

    def titles_of(self, entity_ids: Iterable[str]) -> dict[str, str]:
        """Q-id -> title of its article, for those that have one. Raises what :meth:`entities` raises."""
        return {one.asked: one.title for one in self.entities(entity_ids) if one.title is not None}

    def exact_matches(self, name: str) -> int:
        """How many entities have exactly this label or alias in English, among the first 500 that the search gives."""
        asked = {"action": "wbsearchentities", "language": "en", "uselang": "en", "type": "item"}
        found: set[str] = set()
        further: int | None = 0
        for _ in range(_SEARCH_REQUESTS):
            parameters = {"search": name, "limit": str(_FOUND_AT_ONCE), "continue": str(further)}
            url = self.http.url(_API, {**self._common, **asked, **parameters}, host=_WIKIDATA)
            exact, further = self.http.get(url, partial(parse_search, name=name)).value
            found |= exact
            if further is None:
                break
        return len(found)

    def search(self, text: str, kind: Literal["item", "property"], language: str, limit: int = 10) -> list[Hit]:
        """The first entities of a kind that the search knows by ``text``, in the service's order."""
        asked = {"action": "wbsearchentities", "language": language, "uselang": language, "type": kind}
        parameters = {
            **self._common,
            **asked,
            "search": text,
            "limit": str(min(limit, _FOUND_AT_ONCE)),
            "continue": "0",
        }
        return self.http.get(self.http.url(_API, parameters, host=_WIKIDATA), parse_hits).value

    def candidates(self, entity_ids: Iterable[str], language: str) -> Iterator[Candidate]:
        """What items and properties are, by id, each once; those that there are not are left out.

        Raises:
            ServiceError: one sentence, also for what is no Q- or P-id.
        """
        for batch in batches(checked(entity_ids, "[QP][1-9][0-9]*", "Q-id or P-id", "Q42"), _IDS_AT_ONCE):
            asked = {"action": "wbgetentities", "props": "info|labels|descriptions|claims|sitelinks|datatype"}
            given = {**asked, "languages": f"{language}|mul", "ids": "|".join(batch)}
            url = self.http.url(_API, {**self._common, **given}, host=_WIKIDATA)
            yield from self.http.get(url, partial(parse_candidates, asked=batch, language=language)).value

    def views(self, title: str, year: int) -> int:
        """How often people read the page of this title in that year; 0 where the service knows of no view."""
        quoted = urllib.parse.quote(_normal(title).replace(" ", "_"), safe="")
        url = self.http.url(f"{_VIEWS}/{quoted}/monthly/{year}010100/{year + 1}010100", host=_VIEWS_HOST)
        try:
            return self.http.get(url, partial(parse_views, title=_normal(title), year=year)).value
        except NotFoundError:
            return 0


def _normal(title: str) -> str:
    return unicodedata.normalize("NFC", title).replace("_", " ").strip()


def _is_usable(title: str) -> bool:
    """Whether a title can stand in a list of titles; what is wrong with others the service says."""
    return bool(title) and not any(letter in title for letter in "|\x1f\n\r\t\x00")


def _as_asked(title: str, article: Article) -> Article:
    if article.asked == title:
        return article
    return msgspec.structs.replace(article, asked=title)


def _in_batches(titles: Iterable[str]) -> Iterator[list[str]]:
    """Titles as many at a time as one request can hold."""
    batch: list[str] = []
    size = 0
    for title in titles:
        length = len(urllib.parse.quote(title, safe="")) + 3
        if batch and (len(batch) == _TITLES_AT_ONCE or size + length > _TITLE_BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(title)
        size += length
    if batch:
        yield batch
