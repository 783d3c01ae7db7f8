"""Pages as ``action=query`` gives them, in format versions 1 and 2; pure functions from bytes."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec

from ingest.http.body import BodyError, decode
from ingest.wikipedia.api import Fault, is_set, refuse

WIKI: Final = "https://en.wikipedia.org/wiki/"
_HOPS: Final = 8


class Article(msgspec.Struct, frozen=True):
    """A page under the title that was asked for.

    outcome: found, missing, invalid (no title that a page can have) or disambiguation. title: the page's own, after
    redirects. text: plain text with headings such as ``== Life ==``; wikitext: as people edit it; each empty where it
    was not asked for. revision_timestamp: ISO 8601, in UTC, where wikitext was asked for. item_id: the Q-id of what it
    is about.
    """

    asked: str
    title: str
    outcome: Literal["found", "missing", "invalid", "disambiguation"]
    url: str
    text: str = ""
    page_id: int | None = None
    revision_id: int | None = None
    item_id: str | None = None
    wikitext: str = ""
    revision_timestamp: str | None = None

    @property
    def characters(self) -> int:
        """Length of the text."""
        return len(self.text)


class _Content(msgspec.Struct):
    """Where a text stands: under ``content`` in format version 2, under ``*`` in version 1."""

    content: str | None = None
    old_content: str | None = msgspec.field(default=None, name="*")


class _Revision(_Content):
    """A revision. Wikis older than MediaWiki 1.32 have no slots, and the text stands in the revision itself."""

    revid: int | None = None
    timestamp: str | None = None
    slots: dict[str, _Content] | list[Any] | None = None

    @property
    def text(self) -> str:
        """The wikitext, empty where it was not asked for or is hidden from readers."""
        main = self.slots.get("main") if isinstance(self.slots, dict) else None
        found = main or self
        return found.content or found.old_content or ""


class Page(msgspec.Struct, kw_only=True):
    """A page in one answer. What another answer to the same request tells of it is None here."""

    title: str = ""
    ns: int = 0
    pageid: int | None = None
    missing: Any = None
    invalid: Any = None
    special: Any = None
    extract: str | None = None
    lastrevid: int | None = None
    canonicalurl: str | None = None
    # PHP writes an empty map as a list.
    pageprops: dict[str, Any] | list[Any] | None = None
    revisions: list[_Revision] | None = None

    def take(self, other: Page) -> None:
        """Add what a further answer tells."""
        for name in self.__struct_fields__:
            value = getattr(other, name)
            if value is not None:
                setattr(self, name, value)


class _Step(msgspec.Struct):
    source: str = msgspec.field(name="from")
    to: str


class _Elsewhere(msgspec.Struct):
    title: str


class _Random(msgspec.Struct):
    title: str


class _Query(msgspec.Struct):
    pages: dict[str, Page] | list[Page] = []
    normalized: list[_Step] = []
    converted: list[_Step] = []
    redirects: list[_Step] = []
    interwiki: list[_Elsewhere] = []
    random: list[_Random] = []


class _Body(msgspec.Struct):
    query: _Query | None = None
    error: Fault | None = None
    further: dict[str, Any] | None = msgspec.field(default=None, name="continue")
    old_further: Any = msgspec.field(default=None, name="query-continue")
    batchcomplete: Any = None


@dataclass
class Answer:
    """One answer, or several of the same request put together.

    further: the parameters that ask for the rest, empty where this is all.
    """

    pages: dict[str, Page] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)
    random: list[str] = field(default_factory=list)
    further: dict[str, str] = field(default_factory=dict)

    def take(self, other: Answer) -> None:
        """Add a further answer to the same request."""
        for title, page in other.pages.items():
            if title in self.pages:
                self.pages[title].take(page)
            else:
                self.pages[title] = page
        self.steps |= other.steps
        self.elsewhere |= other.elsewhere
        self.random += other.random
        self.further = other.further

    def article(self, asked: str) -> Article:
        """The page under a title that was asked for. Raises BodyError where the answer does not tell."""
        title = asked
        for _ in range(_HOPS):
            if title in self.pages or title not in self.steps:
                break
            title = self.steps[title]
        page = self.pages.get(title)
        if page is None:
            if title in self.elsewhere or title in self.steps:
                return nothing(asked, title, "missing")
            raise BodyError(f"the answer lacks the page {title!r}", again=False)
        if is_set(page.invalid) or is_set(page.special):
            return nothing(asked, title, "invalid")
        if is_set(page.missing):
            return nothing(asked, title, "missing")
        props: Mapping[str, Any] = page.pageprops if isinstance(page.pageprops, dict) else {}
        item = props.get("wikibase_item")
        revision = next(iter(page.revisions or ()), _Revision())
        return Article(
            asked=asked,
            title=title,
            outcome="disambiguation" if "disambiguation" in props else "found",
            url=page.canonicalurl or address(title),
            text=(page.extract or "").strip(),
            page_id=page.pageid,
            # A page may be edited between two answers to one request; the text's own revision is the one that counts.
            revision_id=revision.revid or page.lastrevid,
            item_id=item if isinstance(item, str) else None,
            wikitext=revision.text,
            revision_timestamp=revision.timestamp,
        )


def address(title: str) -> str:
    """Where a reader finds the page of this title."""
    return WIKI + urllib.parse.quote(title.replace(" ", "_"), safe="/:,()'")


def nothing(asked: str, title: str, outcome: Literal["missing", "invalid"]) -> Article:
    """A title without a page."""
    return Article(asked=asked, title=title, outcome=outcome, url=address(title))


def parse_query(body: bytes) -> Answer:
    """One answer to ``action=query``.

    Raises:
        BodyError: an error of the API (those that pass are tried again), or no such answer.
    """
    found = decode(body, _Body)
    refuse(found.error)
    if found.old_further is not None:
        raise BodyError("the answer goes on in the way of wikis older than MediaWiki 1.26", again=False)
    # Where nothing is left to say, version 1 leaves the query out.
    if found.query is None and found.batchcomplete is None and found.further is None:
        raise BodyError("the answer was JSON, but no answer to a query", again=False)
    query = found.query or _Query()
    pages = query.pages.values() if isinstance(query.pages, dict) else query.pages
    return Answer(
        pages={page.title: page for page in pages},
        steps=_steps([*query.normalized, *query.converted, *query.redirects]),
        elsewhere={one.title for one in query.interwiki},
        random=[one.title for one in query.random],
        further={name: str(value) for name, value in (found.further or {}).items()},
    )


def _steps(steps: Iterable[_Step]) -> dict[str, str]:
    return {step.source: step.to for step in steps if step.source != step.to}
