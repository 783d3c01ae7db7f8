"""The SEC's data on companies."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from ingest.edgar.facts import Fact, Ticker, parse_exchanges, parse_facts, parse_tickers
from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service

FILES_HOST: Final = "www.sec.gov"
SERVICE: Final = Service(
    name="SEC EDGAR",
    home="https://data.sec.gov",
    # One limit for all hosts and machines of a user, who must be named in the user agent.
    rates=(Rate(10, 1),),
    rates_from="https://www.sec.gov/search-filings/edgar-search-assistance/accessing-edgar-data",
    other_hosts=frozenset({FILES_HOST}),
    keep_seconds=3 * DAY,
    max_bytes=128 << 20,
    # Above its limit the SEC answers 403 with a page titled "Request Rate Threshold Exceeded".
    busy_statuses=frozenset({403}),
    # A company that never filed in XBRL has no file, which its storage says in XML.
    unknown_starts=(b"{", b"<?xml"),
)


class EdgarClient:
    """Asks for company facts and lists of tickers.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def facts_url(self, cik: str) -> str:
        """The request for a company's facts; ``cik`` has ten digits."""
        return self.http.url(f"/api/xbrl/companyfacts/CIK{cik}.json")

    def tickers_url(self) -> str:
        """The request for the list of tickers."""
        return self.http.url("/files/company_tickers.json", host=FILES_HOST)

    def exchanges_url(self) -> str:
        """The request for the list of tickers with their exchanges."""
        return self.http.url("/files/company_tickers_exchange.json", host=FILES_HOST)

    def facts(self, cik: str, concepts: Collection[str] | None = None) -> Fetched[list[Fact]]:
        """A company's facts. Raises ServiceError; NotFoundError where it has none."""
        return self.http.get(self.facts_url(cik), partial(parse_facts, asked=cik, concepts=concepts))

    def tickers(self) -> Fetched[list[Ticker]]:
        """All tickers. Raises ServiceError."""
        return self.http.get(self.tickers_url(), parse_tickers)

    def exchanges(self) -> Fetched[list[Ticker]]:
        """All tickers with their exchanges. Raises ServiceError."""
        return self.http.get(self.exchanges_url(), parse_exchanges)
