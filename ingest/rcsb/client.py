"""RCSB PDB's data API."""

from __future__ import annotations

from functools import partial
from typing import Final

from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service
from ingest.rcsb.entries import Parsed, parse_entry

SERVICE: Final = Service(
    name="RCSB PDB",
    home="https://data.rcsb.org",
    # RCSB PDB publishes no ceiling; it advises to begin with a few requests a second and answers 429 above its limit.
    rates=(Rate(4, 1),),
    rates_from="https://www.rcsb.org/docs/programmatic-access/web-apis-overview",
    keep_seconds=7 * DAY,
    max_bytes=16 << 20,
)


class RcsbClient:
    """Asks for entries.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def url(self, entry_id: str) -> str:
        """The request for an entry."""
        return self.http.url(f"/rest/v1/core/entry/{entry_id}")

    def entry(self, entry_id: str) -> Fetched[Parsed]:
        """An entry. Raises ServiceError; NotFoundError for entries that are obsolete, too."""
        return self.http.get(self.url(entry_id), partial(parse_entry, asked=entry_id))
