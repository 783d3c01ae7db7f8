"""Lands properties of compounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ingest.asked import batches, checked
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.pubchem.client import SERVICE, PubChemClient
from ingest.pubchem.properties import CompoundProperty
from ingest.rows import Row

SOURCE: Final = "pubchem"
DATASETS: Final[Mapping[str, type[Row]]] = {"properties": CompoundProperty}


def land(
    client: PubChemClient,
    cids: Iterable[int],
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    batch_size: int = 100,
    log: Log = lambda message: None,
) -> LandingReport:
    """Land the properties of compounds, ``batch_size`` a request; what the snapshot has is not asked again.

    Raises:
        IngestError: one sentence. Batches landed before stay, and the next run goes on from there.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, log=log)

    def fetch(batch: list[int]) -> Harvest:
        fetched = client.properties(batch)
        known = {row.cid for row in fetched.value}
        lander.report.unknown += [f"CID {cid}" for cid in batch if cid not in known]
        urls = [client.url([row.cid]) for row in fetched.value]
        return Harvest({"properties": Part(fetched.value, urls)}, fetched.fetched_at)

    with lander.run():
        held = lander.held("properties", "cid")
        asked = sorted(int(cid) for cid in checked(map(str, cids), "[1-9][0-9]*", "PubChem CID", "2244"))
        for batch in batches([cid for cid in asked if cid not in held], batch_size):
            named = ", ".join(f"CID {cid}" for cid in batch)
            lander.land("compounds", client.url(batch), list(DATASETS), partial(fetch, batch), unknown=named)
    return lander.report
