"""Lands the catalogue of known exploited vulnerabilities."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ingest.kev.client import SERVICE, KevClient
from ingest.kev.feed import KnownExploited
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.rows import Row

SOURCE: Final = "kev"
DATASETS: Final[Mapping[str, type[Row]]] = {"vulnerabilities": KnownExploited}


def land(client: KevClient, landing_dir: Path, snapshot: Snapshot, *, log: Log = lambda message: None) -> LandingReport:
    """Land the whole catalogue, once a snapshot.

    Raises:
        IngestError: one sentence; nothing is landed.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, log=log)

    def fetch() -> Harvest:
        fetched = client.feed()
        return Harvest({"vulnerabilities": Part(fetched.value, fetched.url)}, fetched.fetched_at)

    with lander.run():
        lander.land("feed", client.url(), list(DATASETS), fetch, unknown="the feed")
    return lander.report
