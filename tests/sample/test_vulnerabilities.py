"""Vulnerabilities and the software they are in: scores follow from their vectors, and dates from each other."""

from __future__ import annotations

from collections import Counter

import pytest

from ingest.sample.build.cvss import scores
from ingest.sample.build.typed_table import read_table
from ingest.sample.build.vulnerabilities import checked_scores
from tests.sample.stated import addresses, members, names, values

ROWS = {row["cve"]: row for row in read_table("vulnerabilities")}
PRODUCTS = {row["product"]: row for row in read_table("software_products")}


# What NVD's replies say of these vectors: base score, exploitability, impact.
@pytest.mark.parametrize(
    ("vector", "base", "exploitability", "impact", "severity"),
    [
        ("3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8, 3.9, 5.9, "critical"),
        ("3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10.0, 3.9, 6.0, "critical"),
        ("3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1, 2.8, 2.7, "medium"),
        ("3.1/AV:L/AC:L/PR:H/UI:N/S:U/C:H/I:N/A:N", 4.4, 0.8, 3.6, "medium"),
        ("3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:H", 5.5, 1.8, 3.6, "medium"),
        ("3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 6.8, 0.9, 5.9, "medium"),
        ("3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0.0, 3.9, 0.0, "none"),
    ],
)
def test_a_vector_gives_the_scores(
    vector: str, base: float, exploitability: float, impact: float, severity: str
) -> None:
    found = scores(vector)
    assert (found.base, found.exploitability, found.impact, found.severity) == (base, exploitability, impact, severity)


@pytest.mark.parametrize(
    "vector", ["", "3.1/AV:N", "2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P", "3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"]
)
def test_other_texts_are_no_vector(vector: str) -> None:
    with pytest.raises(ValueError, match="is no CVSS v3 vector"):
        scores(vector)


@pytest.mark.parametrize("row", [row for row in ROWS.values() if row["vector"]], ids=lambda row: row["cve"])
def test_a_score_is_that_of_its_vector(row: dict[str, str]) -> None:
    assert 0 < checked_scores(row).base <= 10


def test_a_score_of_another_vector_is_refused() -> None:
    row = {**ROWS["CVE-2021-44228"], "score": "9.8"}
    with pytest.raises(ValueError, match=r"CVE-2021-44228: .* gives 10\.0, the table says 9\.8"):
        checked_scores(row)


def test_many_are_scored_and_dated_and_share_products_vendors_and_weaknesses() -> None:
    full = [row for row in ROWS.values() if row["vector"] and len(row["published"]) == len("2021-12-10")]
    assert len(full) >= 200
    assert len([row for row in ROWS.values() if row["scored_by"] == "nvd"]) >= 50
    vendors = Counter(PRODUCTS[row["product"]]["vendor"] for row in ROWS.values())
    weaknesses = Counter(row["weaknesses"] for row in ROWS.values() if row["weaknesses"])
    assert len([n for n in vendors.values() if n >= 3]) >= 20
    assert len([n for n in weaknesses.values() if n >= 3]) >= 20


def test_a_number_says_the_year_in_which_it_was_taken() -> None:
    """A number is taken before anything is published under it, except where an old flaw got its number late."""
    late = {cve for cve, row in ROWS.items() if row["published"][:4] < cve[4:8]}
    assert late == set()


def test_mending_was_due_after_the_listing() -> None:
    """But for ProxyLogon and PrintNightmare: their emergency directives of 2021 are older than the catalog."""
    listed = [row for row in ROWS.values() if row["kev_added"]]
    assert len(listed) >= 200
    early = {row["cve"] for row in listed if row["kev_due"] < row["kev_added"]}
    assert early == {"CVE-2021-26855", "CVE-2021-26857", "CVE-2021-34527"}
    assert {row["ransomware"] for row in listed} == {"known", "unknown"}


def test_log4shell_as_stated() -> None:
    log4shell = "cve:CVE-2021-44228"
    assert values("vulnerabilities", log4shell, "first:cvss-v3-base-score") == ["10"]
    assert values("vulnerabilities", log4shell, "first:cvss-v3-severity") == ["critical"]
    assert values("vulnerabilities", log4shell, "nvd:weakness") == ["cwe:20", "cwe:400", "cwe:502"]
    assert values("vulnerabilities", log4shell, "nvd:affected-product") == ["cpe:apache:log4j"]
    assert values("software", "cpe:apache:log4j", "P178") == ["cpe:apache"]
    assert values("software", "cpe:apache", "P17") == ["Q30"]
    assert values("vulnerabilities", log4shell, "cisa:kev-date-added") == ["2021-12-10T00:00:00Z"]


def test_a_statement_names_the_page_that_says_so() -> None:
    assert "https://nvd.nist.gov/vuln/detail/CVE-2014-0160" in addresses(
        "vulnerabilities", "cve:CVE-2014-0160", "first:cvss-v3-base-score"
    )
    assert "https://api.first.org/data/v1/epss?cve=CVE-2022-27225" in addresses(
        "vulnerabilities", "cve:CVE-2022-27225", "first:epss"
    )


def test_a_developer_that_is_a_listed_company_is_the_one_of_the_companies() -> None:
    assert values("software", "cpe:microsoft:windows", "P178") == ["cik:789019"]
    assert names("companies")["cik:789019"] == ["Microsoft"]


def test_every_product_has_a_kind_that_is_software() -> None:
    kinds = {kind for product in PRODUCTS for kind in values("software", f"cpe:{product}", "P31")}
    assert len(kinds) >= 30
    assert all(values("software", kind, "P279") == ["Q7397"] for kind in kinds)
    assert len(members("vulnerabilities", "typed:class/software-vulnerability")) == len(ROWS) + len(read_table("epss"))
