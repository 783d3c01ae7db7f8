"""Page views by month, as Wikimedia's REST API gives them; pure functions from bytes."""

from __future__ import annotations

import urllib.parse

import msgspec

from ingest.http.body import BodyError, decode


class _Month(msgspec.Struct):
    article: str
    timestamp: str
    views: int


class _Months(msgspec.Struct):
    items: list[_Month]


def parse_views(body: bytes, title: str, year: int) -> int:
    """Views of the page in that year; months of other years are left out.

    Raises:
        BodyError: no such answer, or one about another page.
    """
    found = decode(body, _Months)
    strange = [one.article for one in found.items if _plain(one.article) != _plain(title)]
    if strange:
        raise BodyError(f"the answer was about {strange[0]!r}, which nobody asked for", again=False)
    return sum(one.views for one in found.items if one.timestamp.startswith(str(year)))


def _plain(title: str) -> str:
    return urllib.parse.unquote(title).replace("_", " ")
