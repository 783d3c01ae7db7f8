"""Lands ChEMBL's molecules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from ingest.asked import checked
from ingest.chembl.client import SERVICE, ChemblClient
from ingest.chembl.molecules import Molecule, MoleculeProperty
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.rows import Row

SOURCE: Final = "chembl"
DATASETS: Final[Mapping[str, type[Row]]] = {"molecules": Molecule, "properties": MoleculeProperty}
PARTS_OF: Final = {"properties": "molecules"}


def land(
    client: ChemblClient,
    chembl_ids: Iterable[str],
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    log: Log = lambda message: None,
) -> LandingReport:
    """Land molecules, one a request; what the snapshot has is not asked again.

    Raises:
        IngestError: one sentence. Molecules landed before stay, and the next run goes on from there.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, parts_of=PARTS_OF, log=log)

    def fetch(chembl_id: str) -> Harvest:
        fetched = client.molecule(chembl_id)
        parts = {
            "molecules": Part(fetched.value.molecules, fetched.url),
            "properties": Part(fetched.value.properties, fetched.url),
        }
        return Harvest(parts, fetched.fetched_at)

    asked = checked(chembl_ids, r"CHEMBL[1-9][0-9]*", "ChEMBL id", "CHEMBL25")
    return lander.land_each(asked, client.url, ["properties", "molecules"], fetch)
