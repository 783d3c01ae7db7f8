"""UniProt's REST API."""

from __future__ import annotations

from functools import partial
from typing import Final

from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service
from ingest.uniprot.entries import Parsed, parse_entry

SERVICE: Final = Service(
    name="UniProt",
    home="https://rest.uniprot.org",
    # UniProt publishes no figure for this API and asks for consideration; this is ours.
    rates=(Rate(5, 1),),
    rates_from="https://www.uniprot.org/help/programmatic_access",
    keep_seconds=7 * DAY,
    max_bytes=32 << 20,
)


class UniProtClient:
    """Asks for entries.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def url(self, accession: str) -> str:
        """The request for an entry."""
        return self.http.url(f"/uniprotkb/{accession}.json")

    def entry(self, accession: str) -> Fetched[Parsed]:
        """The entry of an accession, or of what it was merged into. Raises ServiceError, NotFoundError."""
        return self.http.get(self.url(accession), partial(parse_entry, asked=accession))
