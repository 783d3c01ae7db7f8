"""What the NVD, FIRST and CISA say of vulnerabilities, in the shape of statements."""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from ingest.domains.statements import Row, Stated, dated

_WEAKNESS: Final = re.compile(r"CWE-([1-9][0-9]*)")
_VECTORS: Final = {"N": "network", "A": "adjacent network", "L": "local", "P": "physical"}
_PRIVILEGES: Final = {"N": "none", "L": "low", "H": "high"}
_SCORES: Final = {
    "base-score": "base_score_text",
    "exploitability-score": "exploitability_text",
    "impact-score": "impact_text",
}


def cve_of(cve_id: str) -> str:
    """The entity of a CVE: its number is the id that its source gives it."""
    return f"cve:{cve_id}"


def affected(matches: Sequence[Row], products: Mapping[str, str]) -> dict[str, dict[str, Row]]:
    """CVE -> product -> the row that says so; ``products``: CPE match string -> entity."""
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in matches:
        for match_string, entity in products.items():
            if row["is_vulnerable"] and f"{row['criteria']}:".startswith(f"{match_string}:"):
                found[row["cve_id"]].setdefault(entity, row)
    return dict(found)


def of_cves(cves: Sequence[Row], scores: Sequence[Row], products: Mapping[str, Mapping[str, Row]]) -> Stated:
    """Statements of CVEs that stand; ``products``: CVE -> affected entity -> the row that says so.

    Scores are those of the preferred scorer, by version of CVSS: 3.1 stands for version 3 where there is one.
    """
    stated = Stated("nvd", map(cve_of, products))
    preferred = {(row["cve_id"], row["cvss_version"]): row for row in scores if row["is_preferred"]}
    for row in cves:
        if row["is_rejected"] or row["cve_id"] not in products:
            continue
        subject = cve_of(row["cve_id"])
        stated.text(subject, "P3587", row["cve_id"], row)
        if row["published_at"] is not None:
            stated.day(subject, "P577", row["published_at"].date(), row)
        for weakness in row["weaknesses"]:
            if match := _WEAKNESS.fullmatch(weakness):
                stated.entity(subject, "nvd:weakness", f"cwe:{match[1]}", row)
        for entity, said in sorted(products[row["cve_id"]].items()):
            stated.entity(subject, "nvd:affected-product", entity, said)
        for name, versions in (("v2", ("2.0",)), ("v3", ("3.1", "3.0")), ("v4", ("4.0",))):
            known = (preferred[row["cve_id"], one] for one in versions if (row["cve_id"], one) in preferred)
            if score := next(known, None):
                _scored(stated, subject, name, score)
    return stated


def _scored(stated: Stated, subject: str, version: str, row: Row) -> None:
    prefix = f"first:cvss-{version}"
    for name, column in _SCORES.items():
        if row[column] is not None:
            stated.quantity(subject, f"{prefix}-{name}", row[column], row)
    if version != "v3":
        return
    stated.text(subject, f"{prefix}-version", row["cvss_version"], row)
    if row["severity"]:
        stated.text(subject, f"{prefix}-severity", row["severity"].lower(), row)
    if not row["vector"]:
        return
    stated.text(subject, f"{prefix}-vector", row["vector"], row)
    metrics = dict(part.split(":", 1) for part in row["vector"].split("/") if ":" in part)
    for name, metric, words in (
        ("attack-vector", "AV", _VECTORS),
        ("privileges-required", "PR", _PRIVILEGES),
        ("user-interaction", "UI", {"R": "required", "N": "none"}),
    ):
        if said := words.get(metrics.get(metric, "")):
            stated.text(subject, f"{prefix}-{name}", said, row)


def of_predictions(scores: Sequence[Row], day: datetime.date, cve_ids: frozenset[str]) -> Stated:
    """Statements of EPSS scores of a day, for ``cve_ids``."""
    stated = Stated("epss", map(cve_of, cve_ids))
    for row in scores:
        if row["cve_id"] not in cve_ids or row["scored_on"] != day:
            continue
        subject, when = cve_of(row["cve_id"]), dated(day)
        stated.quantity(subject, "first:epss", row["score_text"], row, qualifiers=when)
        stated.quantity(subject, "first:epss-percentile", row["percentile_text"], row, qualifiers=when)
    return stated


def of_exploited(rows: Sequence[Row], cve_ids: frozenset[str]) -> Stated:
    """Statements of the catalogue of known exploited vulnerabilities, for ``cve_ids``."""
    stated = Stated("kev", map(cve_of, cve_ids))
    for row in rows:
        if row["cve_id"] not in cve_ids:
            continue
        subject = cve_of(row["cve_id"])
        stated.day(subject, "cisa:kev-date-added", row["added_on"], row)
        if row["due_on"] is not None:
            stated.day(subject, "cisa:kev-due-date", row["due_on"], row)
        if row["ransomware_use"]:
            stated.text(subject, "cisa:kev-ransomware-use", row["ransomware_use"].lower(), row)
    return stated
