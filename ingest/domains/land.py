"""Discovers the entities of domains' topics, asks the services about them, and lands what they say.

The services' own rows land where their landers put them; from these, and from nothing else, statements are made, which
facts are built from (:mod:`ingest.domains.kept`).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ingest.chembl import client as chembl_client
from ingest.chembl import land as chembl
from ingest.domains import statements as state
from ingest.domains import vulnerabilities
from ingest.domains.discover import Discovery, discover
from ingest.domains.kept import keep, keep_members, members_of, read
from ingest.domains.statements import Stated
from ingest.domains.topics import TICKER, DomainTopic
from ingest.edgar import client as edgar_client
from ingest.edgar import land as edgar
from ingest.epss import client as epss_client
from ingest.epss import land as epss
from ingest.errors import IngestError
from ingest.http.client import HttpClient
from ingest.http.service import Service
from ingest.kev import client as kev_client
from ingest.kev import land as kev
from ingest.land_rows import Log, day_snapshot
from ingest.landing import Landing, Snapshot
from ingest.nvd import client as nvd_client
from ingest.nvd import land as nvd
from ingest.pubchem import client as pubchem_client
from ingest.pubchem import land as pubchem
from ingest.rcsb import client as rcsb_client
from ingest.rcsb import land as rcsb
from ingest.uniprot import client as uniprot_client
from ingest.uniprot import land as uniprot
from ingest.wikidata.endpoint import Endpoint

# A product may have thousands of CVEs; so many of the latest are followed up.
MOST_CVES: Final = 200

Connect = Callable[[Service], HttpClient]


@dataclass
class DomainReport:
    """What one run did. ``statements``: source -> rows landed; ``failed``: topic or source -> why it failed."""

    discoveries: list[Discovery] = field(default_factory=list)
    statements: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """The report for a terminal."""
        members = sum(len(one.members) for one in self.discoveries)
        told = ", ".join(f"{count} from {source}" for source, count in self.statements.items()) or "none"
        lines = [f"{members} entities of {len(self.discoveries)} topics; statements landed: {told}."]
        for one in self.discoveries:
            without = ""
            if one.missing:
                without += f" Without exactly one item: {', '.join(one.missing)}."
            if one.unjoined:
                without += f" Not joined: {', '.join(one.unjoined)}."
            lines.append(f"{one.topic.topic}: {len(one.members)} entities.{without}")
        return lines + [f"{name} failed: {why}" for name, why in self.failed.items()]


def land_domains(
    topics: Sequence[DomainTopic],
    endpoint: Endpoint,
    connect: Connect,
    landing_dir: Path,
    day: datetime.date,
    *,
    most: int = 20,
    log: Log = lambda message: None,
) -> DomainReport:
    """Land what services say of the entities of ``topics``; a topic or service that fails does not stop the others.

    Args:
        topics: rows of the seed.
        endpoint: who knows the entities and their identifiers.
        connect: gives a client for a service.
        landing_dir: the landing zone, ``data/landing``.
        day: today; what was landed on it is not asked again. EPSS is asked for the day before, which is complete.
        most: entities of a topic, 0 for all.
        log: told about progress.
    """
    report = DomainReport()
    run = _Run(connect, landing_dir, day, log)
    ciks: dict[str, str] = {}
    for topic in topics:
        try:
            if topic.listed_by == TICKER and not ciks:
                ciks.update(run.ciks())
            report.discoveries.append(discover(topic, endpoint, most=most, ciks=lambda: ciks))
        except IngestError as error:
            report.failed[topic.topic] = str(error)
    members = [
        (service, identifier, member.entity_id)
        for discovery in report.discoveries
        for member in discovery.members
        for service, identifier in member.identifiers.items()
    ]
    keep_members(landing_dir, members)
    _ask(run, members, landing_dir, report)
    return report


def land_again(
    before: Path, connect: Connect, landing_dir: Path, day: datetime.date, *, log: Log = lambda message: None
) -> DomainReport:
    """Ask again about everybody whom the landing zone ``before`` knows, and land what is said now in ``landing_dir``.

    Raises LandingError where it cannot be told who that is.
    """
    report = DomainReport()
    _ask(_Run(connect, landing_dir, day, log), members_of(before), landing_dir, report)
    return report


def _ask(run: _Run, members: Iterable[tuple[str, str, str]], landing_dir: Path, report: DomainReport) -> None:
    """Ask each service about its (service, identifier, entity), and note what came of it."""
    subjects: dict[str, dict[str, str]] = {}
    for service, identifier, entity in members:
        subjects.setdefault(service, {})[identifier] = entity
    for service, asked in sorted(subjects.items()):
        for source, fetch in run.sources(service):
            try:
                report.statements[source] = keep(landing_dir, fetch(asked))
            except IngestError as error:
                report.failed[source] = str(error)


class _Run:
    """The services asked in one run; each of its methods lands rows and gives the statements that they make."""

    def __init__(self, connect: Connect, landing_dir: Path, day: datetime.date, log: Log) -> None:
        self._connect = connect
        self._landing = landing_dir
        self._day = day
        self._log = log
        self._cves: frozenset[str] = frozenset()

    def ciks(self) -> dict[str, str]:
        """Ticker -> CIK, as the SEC lists them."""
        with self._connect(edgar_client.SERVICE) as http:
            edgar.land_tickers(edgar_client.EdgarClient(http), self._landing, self._snapshot("edgar"), log=self._log)
        return {row["ticker"]: row["cik"] for row in self._rows("edgar", "tickers")}

    def sources(self, service: str) -> list[tuple[str, Callable[[Mapping[str, str]], Stated]]]:
        """What is asked about the entities of a service, in order."""
        if service == "nvd":
            return [("nvd", self._nvd), ("epss", self._epss), ("kev", self._kev)]
        known: Mapping[str, Callable[[Mapping[str, str]], Stated]] = {
            "chembl": self._chembl,
            "edgar": self._edgar,
            "pubchem": self._pubchem,
            "rcsb": self._rcsb,
            "uniprot": self._uniprot,
        }
        return [(service, known[service])]

    def _pubchem(self, subjects: Mapping[str, str]) -> Stated:
        with self._connect(pubchem_client.SERVICE) as http:
            client, cids = pubchem_client.PubChemClient(http), [int(cid) for cid in subjects]
            pubchem.land(client, cids, self._landing, self._snapshot("pubchem"), log=self._log)
        return state.of_properties("pubchem", self._rows("pubchem", "properties"), "cid", subjects)

    def _chembl(self, subjects: Mapping[str, str]) -> Stated:
        with self._connect(chembl_client.SERVICE) as http:
            client = chembl_client.ChemblClient(http)
            chembl.land(client, subjects, self._landing, self._snapshot("chembl"), log=self._log)
        return state.of_properties("chembl", self._rows("chembl", "properties"), "chembl_id", subjects)

    def _rcsb(self, subjects: Mapping[str, str]) -> Stated:
        with self._connect(rcsb_client.SERVICE) as http:
            rcsb.land(rcsb_client.RcsbClient(http), subjects, self._landing, self._snapshot("rcsb"), log=self._log)
        return state.of_properties("rcsb", self._rows("rcsb", "values"), "entry_id", subjects)

    def _uniprot(self, subjects: Mapping[str, str]) -> Stated:
        with self._connect(uniprot_client.SERVICE) as http:
            client = uniprot_client.UniProtClient(http)
            uniprot.land(client, subjects, self._landing, self._snapshot("uniprot"), log=self._log)
        return state.of_proteins(self._rows("uniprot", "entries"), self._rows("uniprot", "features"), subjects)

    def _edgar(self, subjects: Mapping[str, str]) -> Stated:
        with self._connect(edgar_client.SERVICE) as http:
            client, snapshot = edgar_client.EdgarClient(http), self._snapshot("edgar")
            edgar.land(client, subjects, self._landing, snapshot, concepts=state.CONCEPTS, log=self._log)
        return state.of_companies(self._rows("edgar", "facts"), subjects)

    def _nvd(self, products: Mapping[str, str]) -> Stated:
        # Without what an earlier run of the day followed up, should this one fail.
        self._cves = frozenset()
        with self._connect(nvd_client.SERVICE) as http:
            client = nvd_client.NvdClient(http)
            nvd.land(client, self._landing, self._snapshot("nvd"), match_strings=products, log=self._log)
        cves = self._rows("nvd", "cves")
        named = vulnerabilities.affected(self._rows("nvd", "matches"), products)
        published = {row["cve_id"]: str(row["published_at"]) for row in cves if not row["is_rejected"]}
        kept: set[str] = set()
        for entity in products.values():
            own = [cve for cve, entities in named.items() if entity in entities and cve in published]
            kept.update(sorted(own, key=lambda cve: (published[cve], cve), reverse=True)[:MOST_CVES])
        self._cves = frozenset(kept)
        followed = {cve: named[cve] for cve in kept}
        return vulnerabilities.of_cves(cves, self._rows("nvd", "scores"), followed)

    def _epss(self, products: Mapping[str, str]) -> Stated:
        day = self._day - datetime.timedelta(days=1)
        with self._connect(epss_client.SERVICE) as http:
            client = epss_client.EpssClient(http)
            epss.land(client, self._cves, day, self._landing, self._snapshot("epss"), log=self._log)
        return vulnerabilities.of_predictions(self._rows("epss", "scores"), day, self._cves)

    def _kev(self, products: Mapping[str, str]) -> Stated:
        with self._connect(kev_client.SERVICE) as http:
            kev.land(kev_client.KevClient(http), self._landing, self._snapshot("kev"), log=self._log)
        return vulnerabilities.of_exploited(self._rows("kev", "vulnerabilities"), self._cves)

    def _snapshot(self, source: str) -> Snapshot:
        return day_snapshot(source, self._day)

    def _rows(self, source: str, dataset: str) -> list[dict[str, Any]]:
        """What today's snapshot of a source holds, files in the order of their names. Raises LandingError."""
        folder = Landing(self._landing, source).folder(dataset, self._snapshot(source).snapshot_id)
        return [row for path in sorted(folder.glob("*.parquet")) for row in read(path).to_pylist()]
