"""Lands UniProtKB entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from ingest.asked import checked
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.rows import Row
from ingest.uniprot.client import SERVICE, UniProtClient
from ingest.uniprot.entries import Entry, Feature

SOURCE: Final = "uniprot"
DATASETS: Final[Mapping[str, type[Row]]] = {"entries": Entry, "features": Feature}
PARTS_OF: Final = {"features": "entries"}
# https://www.uniprot.org/help/accession_numbers
_ACCESSION: Final = r"[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9]([A-Z][A-Z0-9]{2}[0-9]){1,2}"


def land(
    client: UniProtClient,
    accessions: Iterable[str],
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    log: Log = lambda message: None,
) -> LandingReport:
    """Land the entries of accessions, one a request; what the snapshot has is not asked again.

    Raises:
        IngestError: one sentence. Entries landed before stay, and the next run goes on from there.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, parts_of=PARTS_OF, log=log)

    def fetch(accession: str) -> Harvest:
        fetched = client.entry(accession)
        entries = Part(fetched.value.entries, [client.url(row.accession) for row in fetched.value.entries])
        features = Part(fetched.value.features, [client.url(row.accession) for row in fetched.value.features])
        return Harvest({"entries": entries, "features": features}, fetched.fetched_at)

    asked = checked(accessions, _ACCESSION, "UniProt accession", "P69905")
    return lander.land_each(asked, client.url, ["features", "entries"], fetch)
