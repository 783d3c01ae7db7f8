"""What a search provider offers, whoever it is."""

from __future__ import annotations

from typing import Protocol

import msgspec


class WebResult(msgspec.Struct, frozen=True):
    """A page that was found. rank: its place, from 1. snippets: plain texts of it, as the provider gives them."""

    rank: int
    title: str
    url: str
    snippets: tuple[str, ...]


class SearchProvider(Protocol):
    """Searches the web. name: stands in the identity of whatever is made of its results."""

    @property
    def name(self) -> str:
        """The provider's name."""
        ...

    def url(self, query: str, count: int) -> str:
        """The request for ``count`` results, without secrets."""
        ...

    def search(self, query: str, count: int) -> list[WebResult]:
        """At most ``count`` results, best first, each address once. Raises ServiceError, one sentence."""
        ...
