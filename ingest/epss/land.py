"""Lands EPSS scores of a day."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ingest.asked import batches, checked
from ingest.epss.client import MOST_CVES, SERVICE, EpssClient
from ingest.epss.scores import EpssScore
from ingest.errors import ServiceError
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.rows import Row

SOURCE: Final = "epss"
DATASETS: Final[Mapping[str, type[Row]]] = {"scores": EpssScore}
# Before this day the API has nothing.
FIRST_DAY: Final = datetime.date(2021, 4, 14)


def land(
    client: EpssClient,
    cve_ids: Iterable[str],
    day: datetime.date,
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    log: Log = lambda message: None,
) -> LandingReport:
    """Land the scores that CVEs had on ``day``, a hundred a request; what the snapshot has is not asked again.

    Raises:
        IngestError: one sentence. Batches landed before stay, and the next run goes on from there.
    """
    if day < FIRST_DAY:
        raise ServiceError(f"{SERVICE.name} has no scores of {day}; ask for {FIRST_DAY} or a later day.")
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, log=log)

    def fetch(batch: list[str]) -> Harvest:
        fetched = client.scores(batch, day)
        known = {row.cve_id for row in fetched.value}
        lander.report.unknown += [cve_id for cve_id in batch if cve_id not in known]
        urls = [client.url([row.cve_id], day) for row in fetched.value]
        return Harvest({"scores": Part(fetched.value, urls)}, fetched.fetched_at)

    with lander.run():
        held = lander.held("scores", "cve_id", "scored_on")
        asked = checked(cve_ids, r"CVE-[0-9]{4}-[0-9]{4,}", "CVE id", "CVE-2021-44228")
        for batch in batches([cve_id for cve_id in asked if (cve_id, day) not in held], MOST_CVES):
            lander.land("day", client.url(batch, day), ["scores"], partial(fetch, batch), unknown=", ".join(batch))
    return lander.report
