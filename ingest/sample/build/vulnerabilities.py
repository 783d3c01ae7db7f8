"""Vulnerabilities of software: when published, scores, weaknesses, the product, and what CISA and FIRST say of them.

Scores and dates are read off replies of NVD where `scored_by` says so, else typed; a score that its vector does not
give is refused. CVSS v2 and v3 are different measures and have properties of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingest.sample.build.cvss import Scores, scores
from ingest.sample.build.model import Fact, Item, Quantity, Ref, Text, Value
from ingest.sample.build.software import product_id
from ingest.sample.build.typed_table import Names, cells, date_value, read_table, typed_id

VULNERABILITY: Final = typed_id("class", "software vulnerability")
WEAKNESS: Final = typed_id("class", "software weakness")
CISA: Final = "cisa_kev"
SOURCES_BY: Final = {"nvd": "nvd", "cisa": CISA, "typed": "typed"}
NVD_PAGE: Final = "https://nvd.nist.gov/vuln/detail/{}"
KEV_PAGE: Final = "https://www.cisa.gov/known-exploited-vulnerabilities-catalog"
EPSS_PAGE: Final = "https://api.first.org/data/v1/epss?cve={}"
ATTACK_VECTORS: Final = {"N": "network", "A": "adjacent network", "L": "local", "P": "physical"}
PRIVILEGES: Final = {"N": "none", "L": "low", "H": "high"}


def build() -> tuple[list[Item], list[Fact]]:
    """The vulnerabilities of typed/vulnerabilities.csv and typed/epss.csv, with the weaknesses they are cases of.

    Raises ValueError where a score is not that of its vector, or a weakness has no name in typed/weaknesses.csv.
    """
    names = Names()
    names.add(Item(VULNERABILITY, "software vulnerability"))
    names.add(Item(WEAKNESS, "software weakness"))
    weaknesses = {row["number"]: row["name"] for row in read_table("weaknesses")}
    facts: list[Fact] = []
    for row in read_table("vulnerabilities"):
        aliases = (row["name"],) if row["name"] else ()
        item = Item(cve_id(row["cve"]), row["cve"], aliases=aliases, classes=(VULNERABILITY,))
        names.add(item)
        for number in cells(row["weaknesses"]):
            if number not in weaknesses:
                raise ValueError(f"{row['cve']}: CWE-{number} has no name in weaknesses.csv; add it.")
            names.add(Item(cwe_id(number), f"CWE-{number}: {weaknesses[number]}", classes=(WEAKNESS,)))
        facts += _described(item.id, row)
        facts += _scored(item.id, row)
        facts += _exploited(item.id, row)
    for row in read_table("epss"):
        subject = names.add(Item(cve_id(row["cve"]), row["cve"], classes=(VULNERABILITY,))).id
        facts += _predicted(subject, row)
    return names.items(), facts


def cve_id(cve: str) -> str:
    """`CVE-2014-0160` -> `cve:CVE-2014-0160`."""
    return f"cve:{cve}"


def cwe_id(number: str) -> str:
    """`79` -> `cwe:79`."""
    return f"cwe:{number}"


def _described(subject: str, row: dict[str, str]) -> Iterator[Fact]:
    page = NVD_PAGE.format(row["cve"])
    yield Fact(subject, "P3587", Text(row["cve"]), url=page)
    yield Fact(subject, "P577", date_value(row["published"]), source=SOURCES_BY[row["scored_by"]], url=page)
    yield Fact(subject, "nvd:affected-product", Ref(product_id(row["product"])), url=page)
    for number in cells(row["weaknesses"]):
        by = row["weakness_by"]
        url = KEV_PAGE if by == "cisa" else page
        yield Fact(subject, "nvd:weakness", Ref(cwe_id(number)), source=SOURCES_BY[by], url=url)


def _scored(subject: str, row: dict[str, str]) -> Iterator[Fact]:
    def fact(prop: str, value: Value) -> Fact:
        return Fact(subject, prop, value, source=SOURCES_BY[row["scored_by"]], url=NVD_PAGE.format(row["cve"]))

    if row["cvss2"]:
        yield fact("first:cvss-v2-base-score", Quantity(row["cvss2"]))
    if not row["vector"]:
        return
    found = checked_scores(row)
    yield fact("first:cvss-v3-version", Text(found.version))
    yield fact("first:cvss-v3-vector", Text(f"CVSS:{row['vector']}"))
    yield fact("first:cvss-v3-base-score", Quantity(row["score"]))
    yield fact("first:cvss-v3-exploitability-score", Quantity(f"{found.exploitability:.1f}"))
    yield fact("first:cvss-v3-impact-score", Quantity(f"{found.impact:.1f}"))
    yield fact("first:cvss-v3-severity", Text(found.severity))
    yield fact("first:cvss-v3-attack-vector", Text(ATTACK_VECTORS[found.metrics["AV"]]))
    yield fact("first:cvss-v3-privileges-required", Text(PRIVILEGES[found.metrics["PR"]]))
    yield fact("first:cvss-v3-user-interaction", Text("required" if found.metrics["UI"] == "R" else "none"))


def checked_scores(row: dict[str, str]) -> Scores:
    """The scores of a row's vector. Raises ValueError where the base score in the row is another one."""
    found = scores(row["vector"])
    if f"{found.base:.1f}" != row["score"]:
        raise ValueError(f"{row['cve']}: {row['vector']} gives {found.base:.1f}, the table says {row['score']}.")
    return found


def _exploited(subject: str, row: dict[str, str]) -> Iterator[Fact]:
    if row["kev_added"]:
        yield Fact(subject, "cisa:kev-date-added", date_value(row["kev_added"]), source=CISA, url=KEV_PAGE)
        yield Fact(subject, "cisa:kev-due-date", date_value(row["kev_due"]), source=CISA, url=KEV_PAGE)
        yield Fact(subject, "cisa:kev-ransomware-use", Text(row["ransomware"]), source=CISA, url=KEV_PAGE)


def _predicted(subject: str, row: dict[str, str]) -> Iterator[Fact]:
    """A probability changes from day to day, so it carries its day."""
    for prop, column in (("first:epss", "epss"), ("first:epss-percentile", "percentile")):
        dated: tuple[tuple[str, Value], ...] = (("P585", date_value(row["date"])),)
        url = EPSS_PAGE.format(row["cve"])
        yield Fact(subject, prop, Quantity(row[column]), qualifiers=dated, source="first_epss", url=url)
