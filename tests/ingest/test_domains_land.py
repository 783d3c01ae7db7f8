"""From a topic's row to statements: discovered, joined by identifier, asked over HTTP, landed, on good days and bad."""

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import test_chembl
import test_edgar
import test_epss_and_kev
import test_nvd
import test_pubchem
import test_rcsb
import test_uniprot
from api_server import ApiServer, Asking
from fault_proxy import status

from ingest.domains import kept
from ingest.domains.land import DomainReport, land_again, land_domains
from ingest.domains.topics import DomainTopic, read_row
from ingest.http.client import HttpClient
from ingest.http.service import Patience, Service
from ingest.ids import is_property_id, to_iri
from ingest.wikidata.endpoint import EmbeddedEndpoint

TODAY = datetime.date(2024, 1, 4)
NGINX_PAGE = f"{test_nvd.PATH}?virtualMatchString={test_nvd.NGINX}&resultsPerPage=2000&startIndex=0"
TICKERS = json.dumps({"0": {"cik_str": 42, "ticker": "TST", "title": "Test Corp"}}).encode()
WORLD = b"""
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix schema: <http://schema.org/> .
wd:Q1 wdt:P662 "962" ; wdt:P592 "CHEMBL1" . wd:Q2 wdt:P662 "222" .
wd:Q3 wdt:P352 "P00001" ; wdt:P638 "1TST" .
wd:Q4 wdt:P5531 "0000000042" .
<https://en.wikipedia.org/wiki/Nginx> schema:about wd:Q5 .
"""


def topic(name: str, listed_by: str, entities: str, joins: str, domain: str = "security") -> DomainTopic:
    row = dict.fromkeys(("classes", "filters"), "") | {"least_sitelinks": "0", "singular": "one", "plural": "several"}
    return read_row(
        row | {"domain": domain, "topic": name, "listed_by": listed_by, "entities": entities, "joins": joins}, "here"
    )


TOPICS = [
    topic("compounds", "P662", "962 222 7", "P662:pubchem P592:chembl"),
    topic("proteins", "P352", "P00001", "P352:uniprot P638:rcsb"),
    topic("companies", "ticker", "TST GONE", "P5531:edgar"),
    topic("servers", "enwiki", f"Nginx={test_nvd.NGINX}", "cpe:nvd"),
]


@pytest.fixture
def services(server: ApiServer) -> ApiServer:
    """Every service on a good day."""
    server.pages = {
        test_pubchem.path("222,962"): test_pubchem.TABLE.replace(b'{"CID": 99999999999},', b""),
        "/chembl/api/data/molecule/CHEMBL1.json": test_chembl.body(test_chembl.SMALL),
        "/uniprotkb/P00001.json": test_uniprot.body(test_uniprot.ACTIVE),
        "/rest/v1/core/entry/1TST": test_rcsb.body(test_rcsb.XRAY),
        "/files/company_tickers.json": TICKERS,
        "/files/company_tickers_exchange.json": b'{"fields": ["cik", "name", "ticker", "exchange"], "data": []}',
        f"/api/xbrl/companyfacts/CIK{test_edgar.CIK}.json": test_edgar.company(
            NetIncomeLoss=test_edgar.INCOME, Assets=test_edgar.ASSETS, Goodwill=test_edgar.ASSETS
        ),
        NGINX_PAGE: test_nvd.page(test_nvd.SCORED, test_nvd.REJECTED, test_nvd.AWAITING),
        test_epss_and_kev.path("CVE-2020-0001"): test_epss_and_kev.scores("CVE-2020-0001"),
        test_epss_and_kev.FEED_PATH: test_epss_and_kev.feed(cveID="CVE-2020-0001"),
    }
    return server


def connecting(server: ApiServer) -> Callable[[Service], HttpClient]:
    patience = Patience(timeout=20.0, attempts=2)
    return lambda service: Asking(server, service, patience=patience).http


def landed(server: ApiServer, to: Path, topics: list[DomainTopic] = TOPICS, **more: Any) -> DomainReport:
    endpoint = EmbeddedEndpoint([("world", WORLD)], "world")
    return land_domains(topics, endpoint, connecting(server), to, more.pop("day", TODAY), **more)


def stated(to: Path, source: str) -> list[dict[str, Any]]:
    return pq.ParquetFile(kept.folder(to) / f"{source}.parquet").read().to_pylist()


def values(to: Path, source: str, subject: str) -> dict[str, Any]:
    """Property -> (value, unit) of what a service says of a subject."""
    columns = ("amount_text", "value_text", "value_time", "value_entity")
    return {
        row["property_id"]: (next(row[one] for one in columns if row[one] is not None), row["unit_id"])
        for row in stated(to, source)
        if row["subject_id"] == subject
    }


def test_compounds_are_stated_with_digits_and_units(services: ApiServer, tmp_path: Path) -> None:
    landed(services, tmp_path)
    water = values(tmp_path, "pubchem", "Q1")
    assert water["pubchem:molecular-weight"] == ("18.015", "Q483261")
    assert water["pubchem:exact-mass"] == ("18.0105646840", "Q483261")
    assert water["pubchem:tpsa"] == ("0.00000000000000000001", "Q25343"), "1 square angstrom in square metres"
    assert (water["pubchem:charge"], water["pubchem:smiles"]) == (("0", None), ("O", None))
    assert values(tmp_path, "pubchem", "Q2")["pubchem:molecular-weight"] == ("17.031", "Q483261")
    molecule = values(tmp_path, "chembl", "Q1")
    assert (molecule["chembl:full-mwt"], molecule["chembl:alogp"]) == (("180.160", "Q483261"), ("-1.20", None))


def test_proteins_are_stated_from_both_databases(services: ApiServer, tmp_path: Path) -> None:
    landed(services, tmp_path)
    assert values(tmp_path, "uniprot", "Q3") == {
        "uniprot:length": ("7", None),
        "uniprot:mass": ("899", "Q483261"),
        "uniprot:disulfide-bonds": ("0", None),
    }
    structure = values(tmp_path, "rcsb", "Q3")
    assert structure["rcsb:resolution-combined"] == ("1.74", "Q81454"), "the first of two"
    assert float(structure["rcsb:molecular-weight"][0]) == 64_740


def test_companies_are_stated_by_their_own_fiscal_years_and_restated_figures_are_kept(
    services: ApiServer, tmp_path: Path
) -> None:
    landed(services, tmp_path)
    rows = stated(tmp_path, "edgar")
    assert {row["property_id"] for row in rows} == {"sec:net-income-loss", "sec:assets"}
    assert {(row["subject_id"], row["unit_id"]) for row in rows} == {("Q4", "Q4917")}
    income = [row for row in rows if row["property_id"] == "sec:net-income-loss"]
    by_day: dict[str, list[tuple[str, str]]] = {}
    for row in income:
        days = json.loads(row["qualifiers"])
        by_day.setdefault(days["P585"][0]["value"], []).append((row["rank"], row["amount_text"]))
        assert days["P580"][0]["precision"] == 11
    assert {day: sorted(found) for day, found in by_day.items()} == {
        "2022-01-29T00:00:00Z": [("deprecated", "100"), ("deprecated", "101.5"), ("normal", "101.5")],
        "2023-01-28T00:00:00Z": [("normal", "110")],
    }
    assert [json.loads(row["qualifiers"]).keys() for row in rows if row["property_id"] == "sec:assets"] == [{"P585"}]


def test_vulnerabilities_are_stated_by_three_services(services: ApiServer, tmp_path: Path) -> None:
    landed(services, tmp_path)
    assert {row["subject_id"] for row in stated(tmp_path, "nvd")} == {"cve:CVE-2020-0001"}, "the others name no product"
    flaw = values(tmp_path, "nvd", "cve:CVE-2020-0001")
    assert flaw["nvd:affected-product"] == ("Q5", None)
    assert flaw["first:cvss-v3-base-score"] == ("9.0", None), "the primary score of version 3.1"
    assert (flaw["first:cvss-v3-version"], flaw["first:cvss-v3-attack-vector"]) == (("3.1", None), ("network", None))
    assert (flaw["first:cvss-v2-base-score"], flaw["first:cvss-v4-base-score"]) == (("5.0", None), ("9.3", None))
    assert flaw["P577"] == ("2020-01-02T00:00:00Z", None)
    weaknesses = [row["value_entity"] for row in stated(tmp_path, "nvd") if row["property_id"] == "nvd:weakness"]
    assert sorted(weaknesses) == ["cwe:20", "cwe:79"]
    predicted = stated(tmp_path, "epss")
    assert [(row["property_id"], row["amount_text"]) for row in predicted] == [
        ("first:epss", "0.001500000"), ("first:epss-percentile", "0.510960000"),
    ]  # fmt: skip
    assert all('"2024-01-03T00:00:00Z"' in row["qualifiers"] for row in predicted)
    known = values(tmp_path, "kev", "cve:CVE-2020-0001")
    assert known["cisa:kev-date-added"] == ("2021-11-03T00:00:00Z", None)
    assert known["cisa:kev-ransomware-use"] == ("known", None)


def test_every_statement_has_its_address_time_and_ids_that_facts_know(services: ApiServer, tmp_path: Path) -> None:
    report = landed(services, tmp_path)
    rows = [row for source in report.statements for row in stated(tmp_path, source)]
    assert len({row["statement_id"] for row in rows}) == len(rows) == sum(report.statements.values())
    for row in rows:
        assert row["source_url"].startswith("http://127.0.0.1")
        assert (row["source"], row["fetched_at"]) == (
            row["snapshot_id"].split("-")[0],
            datetime.datetime(2026, 11, 30, 12),
        )
        assert row["request_hash"]
        assert is_property_id(row["property_id"]), row["property_id"]
        assert to_iri(row["subject_id"])


def test_the_report_says_who_is_missing(services: ApiServer, tmp_path: Path) -> None:
    report = landed(services, tmp_path)
    first, compounds, _, companies, _ = report.sentences()
    assert first.startswith("5 entities of 4 topics; statements landed: ")
    assert compounds == "compounds: 2 entities. Without exactly one item: 7. Not joined: Q2 (chembl)."
    assert companies == "companies: 1 entities. Without exactly one item: GONE."


def test_a_service_that_fails_is_named_and_the_others_land(services: ApiServer, tmp_path: Path) -> None:
    del services.pages[test_pubchem.path("222,962")]
    services.not_found = b"<html>moved</html>"
    report = landed(services, tmp_path)
    assert report.failed.keys() == {"pubchem"}
    assert report.failed["pubchem"].startswith("PubChem failed on http://127.0.0.1")
    assert report.sentences()[-1].startswith("pubchem failed: PubChem failed on ")
    assert set(report.statements) == {"chembl", "edgar", "epss", "kev", "nvd", "rcsb", "uniprot"}
    assert not (kept.folder(tmp_path) / "pubchem.parquet").exists()


def test_tickers_that_cannot_be_resolved_fail_their_topic_alone(services: ApiServer, tmp_path: Path) -> None:
    services.faults = [status(500)] * 2
    report = landed(services, tmp_path, [TOPICS[2], TOPICS[1]])
    assert list(report.failed) == ["companies"]
    assert set(report.statements) == {"rcsb", "uniprot"}


def test_a_passing_fault_is_ridden_out(services: ApiServer, tmp_path: Path) -> None:
    services.faults = [status(503)]
    report = landed(services, tmp_path, [TOPICS[0]])
    assert (report.failed, set(report.statements)) == ({}, {"chembl", "pubchem"})


def test_a_later_run_replaces_what_it_asks_about_and_keeps_the_rest(services: ApiServer, tmp_path: Path) -> None:
    landed(services, tmp_path, [TOPICS[0]])
    heavier = {"CID": 962, "MolecularWeight": "18.016"}
    services.pages[test_pubchem.path("962")] = json.dumps({"PropertyTable": {"Properties": [heavier]}}).encode()
    one = topic("water", "P662", "962", "P662:pubchem")
    report = landed(services, tmp_path, [one], day=TODAY + datetime.timedelta(days=1))
    assert report.failed == {}
    assert values(tmp_path, "pubchem", "Q1")["pubchem:molecular-weight"][0] == "18.016"
    assert values(tmp_path, "pubchem", "Q2")["pubchem:molecular-weight"][0] == "17.031"


def test_everybody_can_be_asked_again_elsewhere(services: ApiServer, tmp_path: Path) -> None:
    landed(services, tmp_path / "one", [TOPICS[0], TOPICS[3]])
    changed = test_chembl.SMALL | {"molecule_properties": {"full_mwt": "180.170"}}
    services.pages["/chembl/api/data/molecule/CHEMBL1.json"] = test_chembl.body(changed)
    del services.pages[test_epss_and_kev.FEED_PATH]
    report = land_again(tmp_path / "one", connecting(services), tmp_path / "two", TODAY)
    assert set(report.statements) == {"chembl", "epss", "nvd", "pubchem"}
    assert report.failed.keys() == {"kev"}
    assert values(tmp_path / "two", "chembl", "Q1") == {"chembl:full-mwt": ("180.170", "Q483261")}
    for source in ("pubchem", "nvd", "epss"):
        assert stated(tmp_path / "two", source) == stated(tmp_path / "one", source)


def test_the_same_day_asks_nothing_twice(services: ApiServer, tmp_path: Path) -> None:
    landed(services, tmp_path)
    before, asked = [stated(tmp_path, source) for source in ("edgar", "nvd", "pubchem")], services.requests
    landed(services, tmp_path)
    assert [stated(tmp_path, source) for source in ("edgar", "nvd", "pubchem")] == before
    assert services.requests == asked


def test_the_file_without_rows_has_the_columns_of_landed_statements(tmp_path: Path) -> None:
    from ingest.landing import SCHEMAS

    kept.prepare(tmp_path)
    schema = pq.read_schema(kept.folder(tmp_path) / "_schema.parquet")
    assert schema.names == SCHEMAS["statements"].names
