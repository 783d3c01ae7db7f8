"""ChEMBL's web services."""

from __future__ import annotations

from functools import partial
from typing import Final

from ingest.chembl.molecules import Parsed, parse_molecule
from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service

SERVICE: Final = Service(
    name="ChEMBL",
    home="https://www.ebi.ac.uk",
    # ChEMBL publishes no figure; this is ours.
    rates=(Rate(3, 1),),
    rates_from="https://chembl.gitbook.io/chembl-interface-documentation/web-services",
    keep_seconds=30 * DAY,
    max_bytes=16 << 20,
)


class ChemblClient:
    """Asks for molecules.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def url(self, chembl_id: str) -> str:
        """The request for a molecule."""
        return self.http.url(f"/chembl/api/data/molecule/{chembl_id}.json")

    def molecule(self, chembl_id: str) -> Fetched[Parsed]:
        """A molecule. Raises ServiceError, NotFoundError."""
        return self.http.get(self.url(chembl_id), partial(parse_molecule, asked=chembl_id))
