"""EPSS scores as rows; pure functions from bytes."""

from __future__ import annotations

import datetime
from collections.abc import Collection

import msgspec

from ingest.http.body import BodyError, decode
from ingest.numbers import number
from ingest.rows import Row


class EpssScore(Row, frozen=True):
    """One CVE's score of one day.

    ``score`` is the probability of exploitation in the 30 days that follow, ``percentile`` the share of all scored
    CVEs with the same score or a lower one; both from 0 to 1. They change daily, so a question needs ``scored_on``.
    """

    cve_id: str
    scored_on: datetime.date
    score_text: str
    score: float
    percentile_text: str
    percentile: float


class _Score(msgspec.Struct):
    cve: str
    epss: msgspec.Raw
    percentile: msgspec.Raw
    date: datetime.date


class _Page(msgspec.Struct):
    total: int
    data: list[_Score]


def parse_scores(
    body: bytes, asked: Collection[str] | None = None, asked_on: datetime.date | None = None
) -> list[EpssScore]:
    """Rows of a whole answer, in its order.

    Raises:
        BodyError: not whole, not numbers, of another day than ``asked_on``, or of a CVE that is not among ``asked``.
    """
    page = decode(body, _Page)
    if page.total != len(page.data):
        raise BodyError(f"the answer held {len(page.data)} of {page.total} scores", again=False)
    rows = [_row(one) for one in page.data]
    for row in rows:
        if asked_on not in (None, row.scored_on):
            raise BodyError(f"the answer was of {row.scored_on}, not of {asked_on}", again=False)
        if asked is not None and row.cve_id not in asked:
            raise BodyError(f"the answer was about {row.cve_id}, which nobody asked for", again=False)
    return rows


def _row(one: _Score) -> EpssScore:
    score, percentile = number(one.epss), number(one.percentile)
    if score.text is None or score.num is None or percentile.text is None or percentile.num is None:
        raise BodyError(f"the answer has a score of {one.cve} that is no number", again=False)
    if not (0 <= score.num <= 1 and 0 <= percentile.num <= 1):
        raise BodyError(f"the answer has a score of {one.cve} that is no probability", again=False)
    return EpssScore(one.cve, one.date, score.text, score.num, percentile.text, percentile.num)
