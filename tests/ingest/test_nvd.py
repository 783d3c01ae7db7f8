"""NVD: scores of every CVSS version, rejected and unscored CVEs, products page by page, over HTTP, landed."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from api_server import CONTACT, SNAPSHOT, ApiServer, Asking, files, landed_rows
from fault_proxy import status
from pydantic import SecretStr

from ingest.errors import NotFoundError, ServiceError
from ingest.http.body import BodyError, UnknownError
from ingest.http.client import HttpClient
from ingest.http.rates import Rate
from ingest.land_rows import LandingReport
from ingest.nvd.client import SERVICE, NvdClient, access
from ingest.nvd.cves import Cve, Match, Score, parse_cve, parse_page
from ingest.nvd.land import land

PATH = "/rest/json/cves/2.0"
NGINX = "cpe:2.3:a:nginx:nginx"


def metric(version: str, score: float, kind: str = "Primary", scorer: str = "nvd@nist.gov") -> dict[str, Any]:
    data = {"version": version, "vectorString": f"CVSS:{version}/AV:N", "baseScore": score, "baseSeverity": "HIGH"}
    if version == "2.0":
        del data["baseSeverity"]
        return {"source": scorer, "type": kind, "cvssData": data, "baseSeverity": "MEDIUM", "exploitabilityScore": 8.6}
    return {"source": scorer, "type": kind, "cvssData": data}


def cve(cve_id: str, **more: Any) -> dict[str, Any]:
    return {"id": cve_id, "vulnStatus": "Analyzed", **more}


SCORED = cve(
    "CVE-2020-0001",
    sourceIdentifier="cna@example.org",
    published="2020-01-02T03:04:05.678",
    lastModified="2021-01-02T03:04:05.000",
    descriptions=[{"lang": "es", "value": "hola"}, {"lang": "en", "value": "A flaw."}],
    metrics={
        "cvssMetricV40": [metric("4.0", 9.3, "Secondary", "cna@example.org")],
        "cvssMetricV31": [metric("3.1", 7.1, "Secondary", "cna@example.org"), metric("3.1", 9.0)],
        "cvssMetricV30": [metric("3.0", 8.8)],
        "cvssMetricV2": [metric("2.0", 5.0)],
    },
    weaknesses=[
        {"type": "Secondary", "description": [{"lang": "en", "value": "CWE-20"}, {"lang": "en", "value": "CWE-79"}]},
        {"type": "Primary", "description": [{"lang": "en", "value": "CWE-79"}]},
    ],
    configurations=[{"nodes": [{"cpeMatch": [
        {"vulnerable": True, "criteria": "cpe:2.3:a:nginx:nginx:*:*:*:*:*:*:*:*",
         "versionStartIncluding": "1.0", "versionEndExcluding": "1.9"},
        {"vulnerable": True, "criteria": "cpe:2.3:a:nginx:nginx:*:*:*:*:*:*:*:*",
         "versionStartIncluding": "1.0", "versionEndExcluding": "1.9"},
        {"vulnerable": False, "criteria": r"cpe:2.3:o:a\:b:c\/d:1.0:*:*:*:*:*:*:*"},
    ]}]}],
    references=[{"url": "https://example.org"}, {"url": "https://example.org/2"}],
    cisaExploitAdd="2022-03-03",
)  # fmt: skip
REJECTED = cve("CVE-2020-0002", vulnStatus="Rejected", descriptions=[{"lang": "en", "value": "** REJECT **"}])
AWAITING = cve("CVE-2020-0003", vulnStatus="Awaiting Analysis", metrics={})


def page(*cves: dict[str, Any], total: int | None = None, start: int = 0) -> bytes:
    found = [{"cve": one} for one in cves]
    count = len(cves) if total is None else total
    return json.dumps({"totalResults": count, "startIndex": start, "vulnerabilities": found}).encode()


def landed(server: ApiServer, landing: Path, *cve_ids: str, products: tuple[str, ...] = ()) -> LandingReport:
    with Asking(server, SERVICE) as http:
        return land(NvdClient(http), landing, SNAPSHOT, cve_ids=cve_ids, match_strings=products)


def product_path(start: int = 0, size: int = 2000) -> str:
    return f"{PATH}?virtualMatchString={NGINX}&resultsPerPage={size}&startIndex={start}"


def test_a_scored_cve() -> None:
    found = parse_page(page(SCORED))
    assert found.cves == [
        Cve(
            cve_id="CVE-2020-0001",
            status="Analyzed",
            is_rejected=False,
            is_scored=True,
            published_at=datetime.datetime(2020, 1, 2, 3, 4, 5, 678_000),
            modified_at=datetime.datetime(2021, 1, 2, 3, 4, 5),
            assigner="cna@example.org",
            description="A flaw.",
            weaknesses=("CWE-79", "CWE-20"),
            reference_count=2,
            exploited_since=datetime.date(2022, 3, 3),
        )
    ]
    assert [(row.cvss_version, row.scorer_kind, row.base_score, row.is_preferred) for row in found.scores] == [
        ("2.0", "Primary", 5.0, True),
        ("3.0", "Primary", 8.8, True),
        ("3.1", "Primary", 9.0, True),
        ("3.1", "Secondary", 7.1, False),
        ("4.0", "Secondary", 9.3, True),
    ]
    assert found.scores[0] == Score(
        cve_id="CVE-2020-0001",
        cvss_version="2.0",
        preference=1,
        is_preferred=True,
        scorer="nvd@nist.gov",
        scorer_kind="Primary",
        vector="CVSS:2.0/AV:N",
        severity="MEDIUM",
        base_score_text="5.0",
        base_score=5.0,
        exploitability_text="8.6",
        exploitability=8.6,
        impact_text=None,
        impact=None,
    )


def test_products_are_told_apart_from_what_they_run_on() -> None:
    assert parse_page(page(SCORED)).matches == [
        Match("CVE-2020-0001", f"{NGINX}:*:*:*:*:*:*:*:*", True, "a", "nginx", "nginx", "*", "1.0", None, None, "1.9"),
        Match(
            "CVE-2020-0001",
            r"cpe:2.3:o:a\:b:c\/d:1.0:*:*:*:*:*:*:*",
            False,
            "o",
            "a:b",
            "c/d",
            "1.0",
            None,
            None,
            None,
            None,
        ),
    ]


def test_rejected_and_unscored_cves_are_kept_with_their_status() -> None:
    found = parse_page(page(REJECTED, AWAITING))
    assert [(row.cve_id, row.status, row.is_rejected, row.is_scored) for row in found.cves] == [
        ("CVE-2020-0002", "Rejected", True, False),
        ("CVE-2020-0003", "Awaiting Analysis", False, False),
    ]
    assert (found.scores, found.matches) == ([], [])


def test_metrics_of_other_kinds_do_not_count_as_scores() -> None:
    (row,) = parse_page(
        page(cve("CVE-2020-0004", metrics={"someMetric": [{"type": "Primary", "verdict": "act"}]}))
    ).cves
    assert not row.is_scored


@pytest.mark.parametrize(
    "broken",
    [
        {"metrics": {"cvssMetricV31": [metric("3.1", 5.0) | {"cvssData": {"version": "3.1", "baseScore": None}}]}},
        {"metrics": {"cvssMetricV31": [{"type": "Primary"}]}},
        {"configurations": [{"nodes": [{"cpeMatch": [{"vulnerable": True, "criteria": "cpe:/a:nginx"}]}]}]},
        {"published": "yesterday"},
        {"id": None},
    ],
)
def test_half_a_cve_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(BodyError):
        parse_page(page(SCORED | broken))


def test_one_cve_is_one_cve() -> None:
    with pytest.raises(UnknownError, match="CVE-2020-9999 is not in the NVD"):
        parse_cve(page(), "CVE-2020-9999")
    with pytest.raises(BodyError, match="the answer was 2 CVEs, not CVE-2020-0001 alone"):
        parse_cve(page(SCORED, REJECTED), "CVE-2020-0001")


def test_cves_are_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages[f"{PATH}?cveId=CVE-2020-0001"] = page(SCORED)
    server.pages[f"{PATH}?cveId=CVE-2020-0002"] = page(REJECTED)
    server.pages[f"{PATH}?cveId=CVE-2020-9999"] = page()
    report = landed(server, tmp_path, "CVE-2020-0002", "CVE-2020-0001", "CVE-2020-9999")
    assert report.unknown == ["CVE-2020-9999"]
    assert report.rows == {"cves": 2, "scores": 5, "matches": 2, "products": 0}
    rows = {row["cve_id"]: row for row in landed_rows(tmp_path, "nvd", "cves")}
    assert rows["CVE-2020-0001"]["weaknesses"] == ["CWE-79", "CWE-20"]
    assert rows["CVE-2020-0001"]["source_url"] == f"{server.home}{PATH}?cveId=CVE-2020-0001"
    before = files(tmp_path)
    assert landed(server, tmp_path, "CVE-2020-0001", "CVE-2020-0002", "CVE-2020-9999").files_landed == 0
    assert (files(tmp_path), server.requests) == (before, 3)


def test_a_product_is_read_page_by_page_and_landed_whole(server: ApiServer) -> None:
    server.pages[product_path(0, 1)] = page(SCORED, total=3)
    server.pages[product_path(1, 1)] = page(REJECTED, total=3, start=1)
    server.pages[product_path(2, 1)] = page(AWAITING, total=3, start=2)
    with Asking(server, SERVICE) as http:
        whole = NvdClient(http).product(NGINX, 1).value
        assert [row.cve_id for row in whole.cves] == ["CVE-2020-0001", "CVE-2020-0002", "CVE-2020-0003"]
        assert (len(whole.scores), len(whole.matches)) == (5, 2)
        for changed in (page(AWAITING, total=4, start=2), page(total=3, start=2)):
            server.pages[product_path(2, 1)] = changed
            with pytest.raises(ServiceError, match=r"NVD counted 3 CVEs of cpe:2\.3:a:nginx:nginx, then "):
                NvdClient(http).product(NGINX, 1)


def test_a_cve_is_landed_once_however_it_is_asked_for(server: ApiServer, tmp_path: Path) -> None:
    server.pages[f"{PATH}?cveId=CVE-2020-0001"] = page(SCORED)
    server.pages[product_path()] = page(SCORED, REJECTED, AWAITING)
    landed(server, tmp_path, "CVE-2020-0001")
    report = landed(server, tmp_path, "CVE-2020-0003", products=(NGINX,))
    assert report.rows == {"cves": 3, "scores": 5, "matches": 2, "products": 1}
    assert len(server.paths) == 2, "the third CVE came with its product"
    (product,) = landed_rows(tmp_path, "nvd", "products")
    assert (product["match_string"], product["cve_count"]) == (NGINX, 3)
    urls = {row["source_url"].rsplit("=", 1)[1] for row in landed_rows(tmp_path, "nvd", "cves")}
    assert urls == {"CVE-2020-0001", "CVE-2020-0002", "CVE-2020-0003"}


def test_a_page_that_fails_lands_nothing_of_its_product(server: ApiServer, tmp_path: Path) -> None:
    server.pages[product_path()] = page(SCORED, total=2)
    server.after, server.always = 1, status(503)
    with pytest.raises(ServiceError, match="HTTP 503"):
        landed(server, tmp_path, products=(NGINX,))
    assert files(tmp_path) == {}


def test_a_key_brings_its_rate_and_is_told_to_nobody(server: ApiServer, tmp_path: Path) -> None:
    key = SecretStr("0badc0de-feed-4bad-a5a5-c0ffee000000")
    server.pages[f"{PATH}?cveId=CVE-2020-0001"] = page(SCORED)
    assert (access(key)["rates"], access(None)["rates"]) == ((Rate(50, 30),), (Rate(5, 30),))
    assert access(SecretStr("")) == access(None)
    with Asking(server, SERVICE, secrets=access(key)["secrets"]) as http:
        land(NvdClient(http), tmp_path, SNAPSHOT, cve_ids=["CVE-2020-0001"])
        assert server.headers[0]["apiKey"] == key.get_secret_value()
        server.always = status(404, f"invalid apiKey {key.get_secret_value()}")
        with pytest.raises(ServiceError, match=r"saying 'invalid apiKey \*\*\*'") as raised:
            NvdClient(http).cve("CVE-2020-0002")
    assert not isinstance(raised.value, NotFoundError)
    for path in tmp_path.rglob("*.parquet"):
        assert b"0badc0de" not in path.read_bytes()
    assert all("0badc0de" not in asked for asked in server.paths)
    with HttpClient(SERVICE, CONTACT, **access(key)) as http:
        assert "0badc0de" not in repr(http)


def test_the_firewall_is_waited_out(server: ApiServer) -> None:
    server.pages[f"{PATH}?cveId=CVE-2020-0001"], server.faults = page(SCORED), [status(403), status(503)]
    with Asking(server, SERVICE) as http:
        assert NvdClient(http).cve("CVE-2020-0001").value.total == 1


@pytest.mark.parametrize("cve_id", ["", "2020-0001", "cve-2020-0001", "CVE-2020-1", "CVE-2020-0001&x=1"])
def test_what_is_no_cve_id_is_not_asked(cve_id: str, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="is no CVE id; write one such as CVE-2021-44228"):
        landed(server, tmp_path, cve_id)
    assert server.requests == 0


@pytest.mark.parametrize(
    "text", ["", "nginx", "cpe:2.3:a:nginx", "cpe:2.3:x:a:b", "cpe:/a:nginx:nginx", "cpe:2.3:a:a b:c"]
)
def test_what_is_no_match_string_is_not_asked(text: str, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match=r"is no CPE match string; write one such as cpe:2\.3:a:nginx:nginx"):
        landed(server, tmp_path, products=(text,))
    assert server.requests == 0
