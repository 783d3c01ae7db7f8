"""Lands entries of the PDB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from ingest.asked import checked
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.rcsb.client import SERVICE, RcsbClient
from ingest.rcsb.entries import PdbEntry, PdbValue
from ingest.rows import Row

SOURCE: Final = "rcsb"
DATASETS: Final[Mapping[str, type[Row]]] = {"entries": PdbEntry, "values": PdbValue}
PARTS_OF: Final = {"values": "entries"}
# Four characters, or the extended form that follows when these run out.
_ENTRY: Final = r"[1-9][A-Z0-9]{3}|PDB_[A-Z0-9]{8}"


def land(
    client: RcsbClient,
    entry_ids: Iterable[str],
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    log: Log = lambda message: None,
) -> LandingReport:
    """Land entries, one a request; what the snapshot has is not asked again. Ids may be in lower case.

    Raises:
        IngestError: one sentence. Entries landed before stay, and the next run goes on from there.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, parts_of=PARTS_OF, log=log)

    def fetch(entry_id: str) -> Harvest:
        fetched = client.entry(entry_id)
        parts = {
            "entries": Part(fetched.value.entries, fetched.url),
            "values": Part(fetched.value.values, fetched.url),
        }
        return Harvest(parts, fetched.fetched_at)

    asked = checked((one.upper() for one in entry_ids), _ENTRY, "PDB id", "4HHB")
    return lander.land_each(asked, client.url, ["values", "entries"], fetch)
