"""Answers of the NVD's CVE API 2.0 as rows; pure functions from bytes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from ingest.http.body import BodyError, UnknownError, decode
from ingest.numbers import ABSENT, number
from ingest.rows import Row

# How an NVD status says that a CVE is none any more.
_REJECTED: Final = frozenset({"Rejected", "Reject"})
_COLON: Final = re.compile(r"(?<!\\):")
_KIND_ORDER: Final = {"Primary": 0, "Secondary": 1}
_CPE_PARTS: Final = 13


class Cve(Row, frozen=True):
    """One CVE, rejected and unscored ones too. Times are as the NVD gives them, without zone.

    ``weaknesses`` are CWE ids, the NVD's own first. ``exploited_since`` is the day CISA listed it as exploited.
    """

    cve_id: str
    status: str | None
    is_rejected: bool
    is_scored: bool
    published_at: datetime.datetime | None
    modified_at: datetime.datetime | None
    assigner: str | None
    description: str | None
    weaknesses: tuple[str, ...]
    reference_count: int
    exploited_since: datetime.date | None


class Score(Row, frozen=True):
    """One CVSS score of one CVE by one scorer.

    Versions are not comparable, so ``preference`` counts within one: Primary (the NVD's, or an authority's that it
    accepts) before Secondary, then as listed; ``is_preferred`` is preference 1.
    """

    cve_id: str
    cvss_version: str
    preference: int
    is_preferred: bool
    scorer: str
    scorer_kind: str
    vector: str | None
    severity: str | None
    base_score_text: str
    base_score: float | None
    exploitability_text: str | None
    exploitability: float | None
    impact_text: str | None
    impact: float | None


class Match(Row, frozen=True):
    """One product that one CVE names by CPE, with the versions it means; bounds that are NULL are open.

    ``part`` is a (application), o (operating system) or h (hardware). Where ``is_vulnerable`` is false the product is
    only where the vulnerable one runs.
    """

    cve_id: str
    criteria: str
    is_vulnerable: bool
    part: str
    vendor: str
    product: str
    version: str
    version_from: str | None
    version_after: str | None
    version_to: str | None
    version_before: str | None


class Page(NamedTuple):
    """Rows of one page of an answer of ``total`` CVEs, of which the first is number ``start`` from 0."""

    total: int
    start: int
    cves: list[Cve]
    scores: list[Score]
    matches: list[Match]


class _Text(msgspec.Struct):
    lang: str
    value: str


class _Weakness(msgspec.Struct):
    type: str
    description: list[_Text] = []


class _Cvss(msgspec.Struct):
    version: str
    baseScore: msgspec.Raw
    vectorString: str | None = None
    baseSeverity: str | None = None


class _Metric(msgspec.Struct):
    source: str
    type: str
    cvssData: _Cvss
    baseSeverity: str | None = None
    exploitabilityScore: msgspec.Raw = ABSENT
    impactScore: msgspec.Raw = ABSENT


class _Metrics(msgspec.Struct):
    """Scores by CVSS; metrics of other kinds are not read."""

    cvssMetricV2: list[_Metric] = []
    cvssMetricV30: list[_Metric] = []
    cvssMetricV31: list[_Metric] = []
    cvssMetricV40: list[_Metric] = []

    def all(self) -> list[_Metric]:
        return [*self.cvssMetricV2, *self.cvssMetricV30, *self.cvssMetricV31, *self.cvssMetricV40]


class _CpeMatch(msgspec.Struct):
    vulnerable: bool
    criteria: str
    versionStartIncluding: str | None = None
    versionStartExcluding: str | None = None
    versionEndIncluding: str | None = None
    versionEndExcluding: str | None = None


class _Node(msgspec.Struct):
    cpeMatch: list[_CpeMatch] = []


class _Configuration(msgspec.Struct):
    nodes: list[_Node] = []


class _Cve(msgspec.Struct):
    id: str
    vulnStatus: str | None = None
    published: datetime.datetime | None = None
    lastModified: datetime.datetime | None = None
    sourceIdentifier: str | None = None
    descriptions: list[_Text] = []
    metrics: _Metrics = msgspec.field(default_factory=_Metrics)
    weaknesses: list[_Weakness] = []
    configurations: list[_Configuration] = []
    references: list[msgspec.Raw] = []
    cisaExploitAdd: datetime.date | None = None


class _Vulnerability(msgspec.Struct):
    cve: _Cve


class _Page(msgspec.Struct):
    totalResults: int
    startIndex: int
    vulnerabilities: list[_Vulnerability]


def parse_page(body: bytes) -> Page:
    """Rows of a page. Raises BodyError."""
    page = decode(body, _Page)
    found = [one.cve for one in page.vulnerabilities]
    return Page(
        total=page.totalResults,
        start=page.startIndex,
        cves=[_row(cve) for cve in found],
        scores=[row for cve in found for row in _scores(cve)],
        matches=[row for cve in found for row in dict.fromkeys(_matches(cve))],
    )


def parse_cve(body: bytes, asked: str) -> Page:
    """Rows of the one CVE asked for.

    Raises:
        UnknownError: the NVD does not have it.
        BodyError: something else came.
    """
    page = parse_page(body)
    if page.total == 0:
        raise UnknownError(f"the answer had no CVE, so {asked} is not in the NVD")
    if [row.cve_id for row in page.cves] != [asked]:
        raise BodyError(f"the answer was {page.total} CVEs, not {asked} alone", again=False)
    return page


def _row(cve: _Cve) -> Cve:
    primary_first = sorted(cve.weaknesses, key=lambda weakness: _KIND_ORDER.get(weakness.type, 2))
    weaknesses = [text.value for weakness in primary_first for text in weakness.description if text.lang == "en"]
    return Cve(
        cve_id=cve.id,
        status=cve.vulnStatus,
        is_rejected=cve.vulnStatus in _REJECTED,
        is_scored=bool(cve.metrics.all()),
        published_at=_naive(cve.published),
        modified_at=_naive(cve.lastModified),
        assigner=cve.sourceIdentifier,
        description=next((text.value for text in cve.descriptions if text.lang == "en"), None),
        weaknesses=tuple(dict.fromkeys(weaknesses)),
        reference_count=len(cve.references),
        exploited_since=cve.cisaExploitAdd,
    )


def _scores(cve: _Cve) -> Iterator[Score]:
    by_version: dict[str, list[_Metric]] = {}
    for metric in cve.metrics.all():
        by_version.setdefault(metric.cvssData.version, []).append(metric)
    for version, metrics in sorted(by_version.items()):
        primary_first = sorted(metrics, key=lambda metric: _KIND_ORDER.get(metric.type, 2))
        for preference, metric in enumerate(primary_first, 1):
            base = number(metric.cvssData.baseScore)
            if base.text is None:
                raise BodyError(f"the answer has a score of {cve.id} without a value", again=False)
            exploitability, impact = number(metric.exploitabilityScore), number(metric.impactScore)
            yield Score(
                cve_id=cve.id,
                cvss_version=version,
                preference=preference,
                is_preferred=preference == 1,
                scorer=metric.source,
                scorer_kind=metric.type,
                vector=metric.cvssData.vectorString,
                # CVSS 2 has no severity of its own; the NVD's stands beside it.
                severity=metric.cvssData.baseSeverity or metric.baseSeverity,
                base_score_text=base.text,
                base_score=base.num,
                exploitability_text=exploitability.text,
                exploitability=exploitability.num,
                impact_text=impact.text,
                impact=impact.num,
            )


def _matches(cve: _Cve) -> Iterator[Match]:
    for configuration in cve.configurations:
        for node in configuration.nodes:
            for match in node.cpeMatch:
                cpe = _COLON.split(match.criteria)
                if len(cpe) != _CPE_PARTS:
                    raise BodyError(f"the answer has a CPE of {cve.id} that is none: {match.criteria!r}", again=False)
                part, vendor, product, version = (text.replace("\\", "") for text in cpe[2:6])
                yield Match(
                    cve_id=cve.id,
                    criteria=match.criteria,
                    is_vulnerable=match.vulnerable,
                    part=part,
                    vendor=vendor,
                    product=product,
                    version=version,
                    version_from=match.versionStartIncluding,
                    version_after=match.versionStartExcluding,
                    version_to=match.versionEndIncluding,
                    version_before=match.versionEndExcluding,
                )


def _naive(moment: datetime.datetime | None) -> datetime.datetime | None:
    return None if moment is None else moment.replace(tzinfo=None)
