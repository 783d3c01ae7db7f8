"""FIRST's EPSS API."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from functools import partial
from typing import Final

from ingest.epss.scores import EpssScore, parse_scores
from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service

# The API's page has 100 scores, and its list of CVEs 2000 characters at most.
MOST_CVES: Final = 100
SERVICE: Final = Service(
    name="FIRST EPSS",
    home="https://api.first.org",
    # FIRST publishes no figure for this API; this is ours.
    rates=(Rate(1, 1),),
    rates_from="https://api.first.org/epss",
    keep_seconds=30 * DAY,  # the scores of a day are final
    max_bytes=8 << 20,
)


class EpssClient:
    """Asks for scores of a day.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def url(self, cve_ids: Collection[str], day: datetime.date) -> str:
        """The request for the scores of CVEs on a day."""
        parameters = {"cve": ",".join(cve_ids), "date": day.isoformat(), "limit": str(MOST_CVES)}
        return self.http.url("/data/v1/epss", parameters)

    def scores(self, cve_ids: Collection[str], day: datetime.date) -> Fetched[list[EpssScore]]:
        """The scores of those CVEs that had one on the day. Raises ServiceError."""
        return self.http.get(self.url(cve_ids, day), partial(parse_scores, asked=cve_ids, asked_on=day))
