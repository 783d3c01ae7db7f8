"""Every web service on a bad day: ridden out, or one clear sentence and nothing landed."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import test_chembl
import test_edgar
import test_epss_and_kev
import test_nvd
import test_pubchem
import test_rcsb
import test_uniprot
import test_wikipedia
from api_server import FAULTS, REFUSALS, SNAPSHOT, ApiServer, Asking, cache_in, files, landed_rows

from ingest.chembl import client as chembl_client
from ingest.chembl import land as chembl_land
from ingest.edgar import client as edgar_client
from ingest.edgar import land as edgar_land
from ingest.epss import client as epss_client
from ingest.epss import land as epss_land
from ingest.errors import ServiceError
from ingest.http.client import HttpClient
from ingest.http.service import Patience, Service
from ingest.kev import client as kev_client
from ingest.kev import land as kev_land
from ingest.land_rows import LandingReport
from ingest.nvd import client as nvd_client
from ingest.nvd import land as nvd_land
from ingest.pubchem import client as pubchem_client
from ingest.pubchem import land as pubchem_land
from ingest.rcsb import client as rcsb_client
from ingest.rcsb import land as rcsb_land
from ingest.uniprot import client as uniprot_client
from ingest.uniprot import land as uniprot_land
from ingest.wikipedia import client as wikipedia_client

DAY = datetime.date(2024, 1, 3)
TWICE = {"patience": Patience(timeout=20.0, attempts=2)}
# 404 and 403 mean different things to different services; their own tests tell.
LASTING = {name: fault for name, fault in REFUSALS.items() if name != "404"}


@dataclass(frozen=True)
class Source:
    """A source, a request that it makes, and what it answers when all is well."""

    service: Service
    path: str
    body: bytes
    dataset: str
    land: Callable[[HttpClient, Path], LandingReport]


SOURCES = {
    "pubchem": Source(
        pubchem_client.SERVICE,
        test_pubchem.path("222,962"),
        test_pubchem.TABLE,
        "properties",
        lambda http, to: pubchem_land.land(pubchem_client.PubChemClient(http), [222, 962], to, SNAPSHOT),
    ),
    "uniprot": Source(
        uniprot_client.SERVICE,
        "/uniprotkb/P00001.json",
        test_uniprot.body(test_uniprot.ACTIVE),
        "entries",
        lambda http, to: uniprot_land.land(uniprot_client.UniProtClient(http), ["P00001"], to, SNAPSHOT),
    ),
    "rcsb": Source(
        rcsb_client.SERVICE,
        "/rest/v1/core/entry/1TST",
        test_rcsb.body(test_rcsb.XRAY),
        "entries",
        lambda http, to: rcsb_land.land(rcsb_client.RcsbClient(http), ["1TST"], to, SNAPSHOT),
    ),
    "chembl": Source(
        chembl_client.SERVICE,
        "/chembl/api/data/molecule/CHEMBL1.json",
        test_chembl.body(test_chembl.SMALL),
        "molecules",
        lambda http, to: chembl_land.land(chembl_client.ChemblClient(http), ["CHEMBL1"], to, SNAPSHOT),
    ),
    "edgar": Source(
        edgar_client.SERVICE,
        f"/api/xbrl/companyfacts/CIK{test_edgar.CIK}.json",
        test_edgar.company(Income=test_edgar.INCOME),
        "facts",
        lambda http, to: edgar_land.land(edgar_client.EdgarClient(http), [42], to, SNAPSHOT),
    ),
    "nvd": Source(
        nvd_client.SERVICE,
        f"{test_nvd.PATH}?cveId=CVE-2020-0001",
        test_nvd.page(test_nvd.SCORED),
        "cves",
        lambda http, to: nvd_land.land(nvd_client.NvdClient(http), to, SNAPSHOT, cve_ids=["CVE-2020-0001"]),
    ),
    "epss": Source(
        epss_client.SERVICE,
        test_epss_and_kev.path("CVE-2020-0001"),
        test_epss_and_kev.scores("CVE-2020-0001"),
        "scores",
        lambda http, to: epss_land.land(epss_client.EpssClient(http), ["CVE-2020-0001"], DAY, to, SNAPSHOT),
    ),
    "kev": Source(
        kev_client.SERVICE,
        test_epss_and_kev.FEED_PATH,
        test_epss_and_kev.feed(),
        "vulnerabilities",
        lambda http, to: kev_land.land(kev_client.KevClient(http), to, SNAPSHOT),
    ),
    "wikipedia": Source(
        wikipedia_client.SERVICE,
        test_wikipedia.FAULTS_PATH,
        test_wikipedia.FAULTS_BODY,
        "articles",
        test_wikipedia.kept,
    ),
}


def run(source: Source, server: ApiServer, landing: Path, fault: str = "", **options: Any) -> Asking:
    """Land the source's request; fast where the fault is that nothing comes."""
    slow = fault in ("silent", "trickle")
    asking = Asking(server, source.service, fault, **({} if slow else TWICE), **options)
    with asking as http:
        source.land(http, landing)
    return asking


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", SOURCES)
def test_a_passing_fault_is_ridden_out(name: str, fault: str, server: ApiServer, tmp_path: Path) -> None:
    source = SOURCES[name]
    server.pages[source.path], server.faults = source.body, [FAULTS[fault][0]]
    asking = run(source, server, tmp_path, fault)
    assert landed_rows(tmp_path, name, source.dataset)
    assert len(asking.pauses) == 1
    assert server.requests == 2


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in ("silent", "trickle")])
@pytest.mark.parametrize("name", SOURCES)
def test_a_lasting_fault_ends_in_one_sentence_and_lands_nothing(
    name: str, fault: str, server: ApiServer, tmp_path: Path
) -> None:
    source = SOURCES[name]
    server.pages[source.path] = source.body
    server.always, cause = FAULTS[fault]
    with pytest.raises(ServiceError) as raised:
        run(source, server, tmp_path, fault)
    told = str(raised.value)
    assert told.startswith(f"{source.service.name} failed on {server.home}{source.path[:60]}")
    assert f" after 2 attempts: {cause}" in told
    assert told.endswith("; run again later, and the landing goes on where it stopped.")
    assert "\n" not in told
    assert files(tmp_path) == {}


@pytest.mark.parametrize("fault", LASTING)
@pytest.mark.parametrize("name", SOURCES)
def test_a_refusal_is_asked_once_and_lands_nothing(name: str, fault: str, server: ApiServer, tmp_path: Path) -> None:
    source = SOURCES[name]
    source = replace(source, service=replace(source.service, max_bytes=1 << 20))
    server.always, cause = LASTING[fault]
    with pytest.raises(ServiceError) as raised:
        run(source, server, tmp_path)
    assert f" after 1 attempt: {cause}" in str(raised.value)
    assert server.requests == 1
    assert files(tmp_path) == {}


@pytest.mark.parametrize("name", SOURCES)
def test_another_snapshot_is_landed_from_the_cache(name: str, server: ApiServer, tmp_path: Path) -> None:
    source, cache = SOURCES[name], cache_in(tmp_path)
    server.pages[source.path] = source.body
    for landing in ("one", "two"):
        run(source, server, tmp_path / landing, cache=cache)
    assert server.requests == 1
    first, second = (landed_rows(tmp_path / landing, name, source.dataset) for landing in ("one", "two"))
    assert first == second
    assert first


@pytest.mark.parametrize("name", SOURCES)
def test_every_service_is_asked_by_tls_with_rates_that_say_where_they_come_from(name: str) -> None:
    service = SOURCES[name].service
    assert service.home.startswith("https://")
    assert service.rates_from.startswith("https://")
    assert all(rate.count >= 1 and rate.seconds > 0 for rate in service.rates)
    assert service.rates
    assert service.max_bytes <= 128 << 20
