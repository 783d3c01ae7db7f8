"""Lands CVEs, by id or by product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ingest.asked import checked
from ingest.http.client import Fetched
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.nvd.client import SERVICE, NvdClient
from ingest.nvd.cves import Cve, Match, Page, Score
from ingest.rows import Row

SOURCE: Final = "nvd"


class ProductQuery(Row, frozen=True):
    """One product that was asked for by CPE match string, and how many CVEs the NVD counts for it."""

    match_string: str
    cve_count: int


DATASETS: Final[Mapping[str, type[Row]]] = {
    "cves": Cve,
    "scores": Score,
    "matches": Match,
    "products": ProductQuery,
}
PARTS_OF: Final = {"scores": "cves", "matches": "cves", "products": "cves"}
_CVE: Final = r"CVE-[0-9]{4}-[0-9]{4,}"
# A match string names part, vendor and product at least; escaped signs are part of a name.
_MATCH_STRING: Final = r"cpe:2\.3:[aoh](:([A-Za-z0-9._*-]|\\[!-~])+){2,10}"


def land(
    client: NvdClient,
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    cve_ids: Iterable[str] = (),
    match_strings: Iterable[str] = (),
    log: Log = lambda message: None,
) -> LandingReport:
    """Land CVEs by id, one a request, and all CVEs of products, a file each; a CVE is landed once a snapshot.

    Args:
        client: who asks.
        landing_dir: the landing zone, ``data/landing``.
        snapshot: where the rows belong.
        cve_ids: such as CVE-2021-44228.
        match_strings: such as cpe:2.3:a:nginx:nginx.
        log: told what was landed.

    Raises:
        IngestError: one sentence. What was landed before stays, and the next run goes on from there.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, parts_of=PARTS_OF, log=log)
    with lander.run():
        held = lander.held("cves", "cve_id")

        def harvest(fetch: Callable[[], Fetched[Page]], match_string: str | None = None) -> Harvest:
            fetched = fetch()
            parts = _parts(client, fetched.value, held)
            held.update(row.cve_id for row in fetched.value.cves)
            if match_string is not None:
                parts["products"] = Part([ProductQuery(match_string, fetched.value.total)], fetched.url)
            return Harvest(parts, fetched.fetched_at)

        for one in checked(match_strings, _MATCH_STRING, "CPE match string", "cpe:2.3:a:nginx:nginx"):
            url, datasets = client.product_url(one), ["products", "scores", "matches", "cves"]
            lander.land("product", url, datasets, partial(harvest, partial(client.product, one), one), unknown=one)
        for one in checked(cve_ids, _CVE, "CVE id", "CVE-2021-44228"):
            if one not in held:
                fetch = partial(harvest, partial(client.cve, one))
                lander.land(one, client.cve_url(one), ["scores", "matches", "cves"], fetch, unknown=one)
    return lander.report


def _parts(client: NvdClient, page: Page, held: set[object]) -> dict[str, Part]:
    """The rows of CVEs that no other file of the snapshot has; the URL of each asks for its CVE alone."""
    cves = [row for row in page.cves if row.cve_id not in held]
    scores = [row for row in page.scores if row.cve_id not in held]
    matches = [row for row in page.matches if row.cve_id not in held]
    return {
        "cves": Part(cves, [client.cve_url(row.cve_id) for row in cves]),
        "scores": Part(scores, [client.cve_url(row.cve_id) for row in scores]),
        "matches": Part(matches, [client.cve_url(row.cve_id) for row in matches]),
    }
