"""Lands properties of compounds."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ingest.asked import batches, checked
from ingest.errors import NotFoundError
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot, utc_now
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
        rows, fetched_at = _found(client, batch)
        known = {row.cid for row in rows}
        lander.report.unknown += [f"CID {cid}" for cid in batch if cid not in known]
        return Harvest({"properties": Part(rows, [client.url([row.cid]) for row in rows])}, fetched_at)

    with lander.run():
        held = lander.held("properties", "cid")
        asked = sorted(int(cid) for cid in checked(map(str, cids), "[1-9][0-9]*", "PubChem CID", "2244"))
        for batch in batches([cid for cid in asked if cid not in held], batch_size):
            named = ", ".join(f"CID {cid}" for cid in batch)
            lander.land("compounds", client.url(batch), list(DATASETS), partial(fetch, batch), unknown=named)
    return lander.report


def _found(client: PubChemClient, batch: list[int]) -> tuple[list[CompoundProperty], datetime.datetime]:
    """Rows of the compounds that PubChem knows, and when the first were fetched (UTC).

    Where it answers that something was not found, that need not be all of it: halves are asked for, down to one.
    """
    try:
        fetched = client.properties(batch)
    except NotFoundError:
        if len(batch) == 1:
            return [], utc_now()
        (first, fetched_at), (second, _) = (
            _found(client, half) for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :])
        )
        return first + second, fetched_at
    return fetched.value, fetched.fetched_at
