"""Real answers of the NVD's CVE API."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ingest.nvd.cves import Page, Score, parse_cve, parse_page


def read(payloads: Path, name: str) -> Page:
    """A recorded page, or a recorded CVE made into one."""
    body = json.loads((payloads / "nvd" / name).read_bytes())
    found: dict[str, Any] = body if "vulnerabilities" in body else {"vulnerabilities": [body]}
    return parse_page(json.dumps({"totalResults": 1, "startIndex": 0} | found).encode())


def preferred(page: Page) -> dict[tuple[str, str], Score]:
    return {(row.cve_id, row.cvss_version): row for row in page.scores if row.is_preferred}


def test_a_cve_with_two_versions_of_scores(payloads: Path) -> None:
    page = parse_cve((payloads / "nvd/nvdlib_CVE-2021-45357.json").read_bytes(), "CVE-2021-45357")
    (cve,) = page.cves
    assert (cve.status, cve.is_rejected, cve.is_scored, cve.weaknesses) == ("Analyzed", False, True, ("CWE-79",))
    assert cve.published_at == datetime.datetime(2022, 2, 10, 18, 15, 8, 383_000)
    assert (cve.description or "").startswith("Cross Site Scripting (XSS) vulnerability exists in Piwigo 12.x")
    scores = preferred(page)
    new, old = scores["CVE-2021-45357", "3.1"], scores["CVE-2021-45357", "2.0"]
    assert (new.base_score_text, new.base_score, new.severity, new.scorer_kind) == ("6.1", 6.1, "MEDIUM", "Primary")
    assert (new.exploitability_text, new.impact_text) == ("2.8", "2.7")
    assert (old.base_score, old.severity, old.vector) == (4.3, "MEDIUM", "AV:N/AC:M/Au:N/C:N/I:P/A:N")
    (match,) = page.matches
    assert (match.vendor, match.product, match.version_from, match.version_to) == (
        "piwigo",
        "piwigo",
        "12.0.0",
        "12.1.0",
    )


def test_a_cve_scored_by_version_3_0(payloads: Path) -> None:
    page = parse_cve((payloads / "nvd/nvdlib_CVE-2017-7542.json").read_bytes(), "CVE-2017-7542")
    assert {row.cvss_version: row.base_score for row in page.scores} == {"2.0": 4.9, "3.0": 5.5}
    assert page.cves[0].status == "Modified"


def test_primary_comes_before_secondary(payloads: Path) -> None:
    page = read(payloads, "dependency-track_cve-2024-23113.json")
    assert [(row.scorer, row.scorer_kind, row.preference, row.base_score) for row in page.scores] == [
        ("nvd@nist.gov", "Primary", 1, 9.8),
        ("psirt@fortinet.com", "Secondary", 2, 9.8),
    ]
    assert page.cves[0].exploited_since == datetime.date(2024, 10, 9)
    assert {row.product for row in page.matches if row.is_vulnerable} >= {"fortiproxy", "fortiswitchmanager", "fortios"}


@pytest.mark.parametrize(
    ("name", "cve_id", "scores"),
    [
        ("dependency-track_CVE-2021-0002-duplicate-exact-version-matches.json", "CVE-2021-0002", 2),
        ("dependency-track_CVE-2022-31022-all-versions-vulnerable.json", "CVE-2022-31022", 3),
    ],
)
def test_single_cves(name: str, cve_id: str, scores: int, payloads: Path) -> None:
    page = read(payloads, name)
    assert [row.cve_id for row in page.cves] == [cve_id]
    assert len(page.scores) == scores
    assert len(page.matches) == len(set(page.matches)) > 0


def test_a_page_with_secondary_scores_of_another_version(payloads: Path) -> None:
    page = parse_page((payloads / "nvd/nvdlib_search_full_page.json").read_bytes())
    assert (page.total, len(page.cves), len(page.scores)) == (47, 47, 123)
    assert Counter((row.cvss_version, row.scorer_kind) for row in page.scores) == {
        ("3.1", "Primary"): 47,
        ("2.0", "Primary"): 47,
        ("3.0", "Secondary"): 20,
        ("3.1", "Secondary"): 9,
    }
    chosen = preferred(page)
    assert len(chosen) == 47 + 47 + 20
    assert all(row.scorer_kind == "Primary" for (_, version), row in chosen.items() if version != "3.0")


def test_a_page_with_cves_that_await_analysis(payloads: Path) -> None:
    page = parse_page((payloads / "nvd/vunnel_nvd_full-page.json").read_bytes())
    assert Counter(row.status for row in page.cves) == {"Analyzed": 25, "Awaiting Analysis": 13}
    assert sum(not row.is_scored for row in page.cves) == 3
    assert Counter(row.scorer_kind for row in page.scores) == {"Primary": 25, "Secondary": 23}
    waiting = {row.cve_id for row in page.cves if row.status == "Awaiting Analysis"}
    alone = [row for row in page.scores if row.cve_id in waiting]
    assert len(alone) == 10
    assert all(row.scorer_kind == "Secondary" and row.is_preferred for row in alone)


def test_a_yearly_feed(payloads: Path) -> None:
    page = parse_page((payloads / "nvd/vulnerablecode_nvd_nvd_test.json").read_bytes())
    assert page.total == 38_743
    assert [(row.cve_id, row.status) for row in page.cves] == [
        ("CVE-2005-4895", "Deferred"),
        ("CVE-2005-4900", "Deferred"),
        ("CVE-2003-0001", "Deferred"),
    ]
    assert {row.cvss_version for row in page.scores if row.cve_id == "CVE-2005-4900"} == {"2.0", "3.0"}
    assert page.cves[2].published_at == datetime.datetime(2003, 1, 17, 5, 0)
