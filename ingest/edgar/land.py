"""Lands company facts and lists of tickers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ingest.asked import checked
from ingest.edgar.client import SERVICE, EdgarClient
from ingest.edgar.facts import CIK_DIGITS, Fact, Ticker, padded
from ingest.http.client import Fetched
from ingest.land_rows import Harvest, LandingReport, Log, Part, RowLander
from ingest.landing import Snapshot
from ingest.rows import Row

SOURCE: Final = "edgar"
DATASETS: Final[Mapping[str, type[Row]]] = {"facts": Fact, "tickers": Ticker}


def land(
    client: EdgarClient,
    ciks: Iterable[int | str],
    landing_dir: Path,
    snapshot: Snapshot,
    *,
    concepts: Collection[str] | None = None,
    log: Log = lambda message: None,
) -> LandingReport:
    """Land the facts of companies, one a request; what the snapshot has is not asked again.

    Args:
        client: who asks.
        ciks: companies by CIK, with leading zeros or without.
        landing_dir: the landing zone, ``data/landing``.
        snapshot: where the rows belong.
        concepts: names to land (``NetIncomeLoss``); None lands all, some tens of thousands of rows a company. A
            company's file with another choice is replaced.
        log: told what was landed.

    Raises:
        IngestError: one sentence. Companies landed before stay, and the next run goes on from there.
    """
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, log=log)
    kept = None if concepts is None else frozenset(concepts)
    with lander.run():
        known_as = checked((padded(cik) for cik in ciks), rf"(?!0+$)[0-9]{{{CIK_DIGITS}}}", "CIK", "320193")
        choice = "all" if kept is None else ",".join(sorted(kept))
        for cik in known_as:
            fetch = partial(_harvest, "facts", partial(client.facts, cik, kept))
            lander.land(f"CIK{cik}", client.facts_url(cik), ["facts"], fetch, unknown=f"CIK {cik}", choice=choice)
    return lander.report


def land_tickers(
    client: EdgarClient, landing_dir: Path, snapshot: Snapshot, *, log: Log = lambda message: None
) -> LandingReport:
    """Land both lists of tickers. Raises IngestError, one sentence."""
    lander = RowLander(landing_dir, SOURCE, SERVICE.home, DATASETS, snapshot, log=log)
    with lander.run():
        for name, url, fetch in (
            ("tickers", client.tickers_url(), client.tickers),
            ("exchanges", client.exchanges_url(), client.exchanges),
        ):
            lander.land(name, url, ["tickers"], partial(_harvest, "tickers", fetch), unknown=f"the list of {name}")
    return lander.report


def _harvest(dataset: str, fetch: Callable[[], Fetched[list[Fact]] | Fetched[list[Ticker]]]) -> Harvest:
    fetched = fetch()
    return Harvest({dataset: Part(fetched.value, fetched.url)}, fetched.fetched_at)
