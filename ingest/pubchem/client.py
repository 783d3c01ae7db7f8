"""PubChem's PUG REST."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service
from ingest.pubchem.properties import PROPERTIES, CompoundProperty, parse_properties

SERVICE: Final = Service(
    name="PubChem",
    home="https://pubchem.ncbi.nlm.nih.gov",
    rates=(Rate(5, 1), Rate(400, 60)),
    rates_from="https://pubchem.ncbi.nlm.nih.gov/docs/dynamic-request-throttling",
    keep_seconds=7 * DAY,
    max_bytes=16 << 20,
)


class PubChemClient:
    """Asks for computed properties of compounds.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def url(self, cids: Collection[int]) -> str:
        """The request for the properties of compounds, by CID."""
        listed = ",".join(map(str, cids))
        return self.http.url(f"/rest/pug/compound/cid/{listed}/property/{','.join(PROPERTIES)}/JSON")

    def properties(self, cids: Collection[int]) -> Fetched[list[CompoundProperty]]:
        """Their properties. Raises ServiceError; NotFoundError where PubChem knows none of them."""
        return self.http.get(self.url(cids), partial(parse_properties, asked=cids))
