"""Brave's web search API.

Its terms let results be used where they are asked for, and not be stored: its service keeps no answer, and no cache is
taken.
"""

from __future__ import annotations

import html
import re
from types import TracebackType
from typing import Any, Final

import msgspec
from pydantic import SecretStr

from ingest.errors import ServiceError
from ingest.http.body import BodyError, decode
from ingest.http.client import HttpClient
from ingest.http.rates import Rate
from ingest.http.service import Service
from ingest.web.provider import WebResult

# The rate of the smallest plan; a bigger one's can be given.
SERVICE: Final = Service(
    name="Brave Search",
    home="https://api.search.brave.com",
    rates=(Rate(1, 1),),
    rates_from="https://api-dashboard.search.brave.com/documentation/guides/rate-limiting",
    keep_seconds=0,
    max_bytes=8 << 20,
)
_PATH: Final = "/res/v1/web/search"
_KEY_HEADER: Final = "X-Subscription-Token"
# What the API takes: results a request, and characters and words of a query.
MOST_RESULTS: Final = 20
_MOST_CHARACTERS: Final = 400
_MOST_WORDS: Final = 50
_TAG: Final = re.compile(r"<[^<>]{1,100}>")


class _Result(msgspec.Struct):
    url: str
    title: str = ""
    description: str | None = None
    extra_snippets: list[str] | None = None


class _Web(msgspec.Struct):
    results: list[_Result] = []


class _Error(msgspec.Struct):
    code: str = ""
    detail: str = ""
    status: int = 0


class _Body(msgspec.Struct):
    type: str
    web: _Web | None = None
    error: _Error | None = None


def parse_results(body: bytes) -> list[WebResult]:
    """The results of a search, best first, each address once; none where the web part is left out.

    Raises:
        BodyError: an error, or no search result.
    """
    found = decode(body, _Body)
    if found.error is not None:
        said = ": ".join(part for part in (found.error.code, found.error.detail[:160]) if part)
        raise BodyError(f"the answer was the error {said!r}", again=found.error.status in (429, 500, 503))
    if found.type != "search":
        raise BodyError(f"the answer was of type {found.type[:40]!r}, not a search", again=False)
    results: dict[str, WebResult] = {}
    for one in found.web.results if found.web is not None else ():
        texts = map(_plain, [one.description or "", *(one.extra_snippets or ())])
        snippets = tuple(dict.fromkeys(text for text in texts if text))
        results.setdefault(one.url, WebResult(len(results) + 1, _plain(one.title), one.url, snippets))
    return list(results.values())


def _plain(text: str) -> str:
    """A text without marks and entities, on one line."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())


class BraveSearch:
    """Searches with Brave. Use it as a context manager, in one thread.

    Args:
        key: the subscription's token; it goes into a header, and is told to nobody.
        contact: an email address or URL for the user agent.
        rates: the plan's, where it has better ones.
        options: of the HTTP client; for tests.

    Raises:
        ServiceError: no key, or no contact.
    """

    name = "brave"

    def __init__(self, key: SecretStr, contact: str, *, rates: tuple[Rate, ...] | None = None, **options: Any) -> None:
        if not key.get_secret_value().strip():
            raise ServiceError(f"{SERVICE.name} needs a key: set BRAVE_API_KEY, or go without web results.")
        secrets = {_KEY_HEADER: SecretStr(key.get_secret_value().strip())}
        self.http = HttpClient(SERVICE, contact, secrets=secrets, rates=rates, **options)

    def __enter__(self) -> BraveSearch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        return f"BraveSearch({self.http!r})"

    def url(self, query: str, count: int) -> str:
        """The request for ``count`` results; a query that is too long for the service loses its last words."""
        words: list[str] = []
        for word in query.split()[:_MOST_WORDS]:
            if len(" ".join([*words, word])) > _MOST_CHARACTERS:
                break
            words.append(word)
        asked = {"q": " ".join(words), "count": str(max(1, min(count, MOST_RESULTS))), "result_filter": "web"}
        further = {"text_decorations": "false", "spellcheck": "false", "extra_snippets": "true"}
        return self.http.url(_PATH, asked | further)

    def search(self, query: str, count: int) -> list[WebResult]:
        """At most ``count`` results (20 at most), best first. Raises ServiceError, one sentence."""
        return self.http.get(self.url(query, count), parse_results).value[:count]
