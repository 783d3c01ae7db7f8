"""CISA's catalogue of known exploited vulnerabilities."""

from __future__ import annotations

from typing import Final

from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service
from ingest.kev.feed import KnownExploited, parse_whole_feed

SERVICE: Final = Service(
    name="CISA KEV",
    home="https://www.cisa.gov",
    # A file on a web site, for which CISA publishes no figure; this is ours.
    rates=(Rate(1, 1),),
    rates_from="https://www.cisa.gov/known-exploited-vulnerabilities-catalog",
    keep_seconds=DAY // 2,
    max_bytes=64 << 20,
)


class KevClient:
    """Asks for the feed.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def url(self) -> str:
        """The request for the feed."""
        return self.http.url("/sites/default/files/feeds/known_exploited_vulnerabilities.json")

    def feed(self) -> Fetched[list[KnownExploited]]:
        """The whole feed. Raises ServiceError."""
        return self.http.get(self.url(), parse_whole_feed)
