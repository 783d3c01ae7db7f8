"""Company facts and tickers as rows; pure functions from bytes."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

import msgspec

from ingest.edgar.calendar import FiscalCalendar, Period
from ingest.http.body import BodyError, decode
from ingest.numbers import number
from ingest.rows import Row

CIK_DIGITS: Final = 10


class Fact(Row, frozen=True):
    """One value of one concept, unit and period as one filing reports it.

    Of the filings that report the same, ``is_latest`` marks the one filed last, which is what a restated figure is
    resolved to; the others stay as its alternatives. ``filing_rank`` counts from the latest, ``filing_count`` all of
    them, ``value_count`` their distinct values: above 1 the figure was restated, or only rounded anew.

    ``fiscal_year`` and ``fiscal_period`` are those of the fact's own dates, see :mod:`ingest.edgar.calendar`;
    ``filing_fy`` and ``filing_fp`` are EDGAR's, those of the filing. ``unit`` is the source's: USD, shares,
    USD/shares, pure.
    """

    cik: str
    company: str
    taxonomy: str
    concept: str
    label: str | None
    unit: str
    period_kind: str
    period_start: datetime.date | None
    period_end: datetime.date
    period_days: int
    fiscal_year: int | None
    fiscal_period: str | None
    value_text: str
    value_num: float | None
    is_latest: bool
    filing_rank: int
    filing_count: int
    value_count: int
    accession_number: str
    form: str
    filed_on: datetime.date
    filing_fy: int | None
    filing_fp: str | None
    frame: str | None


class Ticker(Row, frozen=True):
    """One ticker of one company in one of the SEC's two lists; ``exchange`` is known to one of them alone."""

    cik: str
    ticker: str
    company: str
    exchange: str | None


class _Value(msgspec.Struct):
    end: datetime.date
    val: msgspec.Raw
    accn: str
    form: str
    filed: datetime.date
    start: datetime.date | None = None
    fy: int | None = None
    fp: str | None = None
    frame: str | None = None


class _Concept(msgspec.Struct):
    units: dict[str, list[_Value]]
    label: str | None = None


class _Company(msgspec.Struct):
    cik: int | str
    entityName: str
    facts: dict[str, dict[str, _Concept]]


class _Listed(msgspec.Struct):
    cik_str: int
    ticker: str
    title: str


class _Table(msgspec.Struct):
    fields: list[str]
    data: list[list[int | str | None]]


class _Reported(NamedTuple):
    """A value with where it stands."""

    taxonomy: str
    concept: str
    label: str | None
    unit: str
    period: Period
    value: _Value


def padded(cik: int | str) -> str:
    """A CIK as EDGAR's URLs have it, ten digits."""
    return str(cik).zfill(CIK_DIGITS)


def parse_facts(body: bytes, asked: str | None = None, concepts: Collection[str] | None = None) -> list[Fact]:
    """Rows of a company's facts, in the order of the source.

    Args:
        body: an answer of ``companyfacts``.
        asked: CIK, ten digits.
        concepts: names to keep (``NetIncomeLoss``); None keeps all. The calendar rests on all of them either way.

    Raises:
        BodyError: no company facts, or another company's.
    """
    company = decode(body, _Company)
    cik = padded(company.cik)
    if asked is not None and cik != asked:
        raise BodyError(f"the answer was company {cik}, not {asked}", again=False)
    reported = list(_reported(company))
    calendar = FiscalCalendar((one.value.form, one.period) for one in reported)
    groups: dict[tuple[str, str, str, Period], list[_Reported]] = defaultdict(list)
    for one in reported:
        if concepts is None or one.concept in concepts:
            groups[one.taxonomy, one.concept, one.unit, one.period].append(one)
    return [row for group in groups.values() for row in _ranked(cik, company.entityName, group, calendar)]


def parse_tickers(body: bytes) -> list[Ticker]:
    """Rows of ``company_tickers.json``, in its order. Raises BodyError."""
    listed = decode(body, dict[str, _Listed])
    return [Ticker(padded(one.cik_str), one.ticker, one.title, None) for one in listed.values()]


def parse_exchanges(body: bytes) -> list[Ticker]:
    """Rows of ``company_tickers_exchange.json``, in its order. Raises BodyError."""
    table = decode(body, _Table)
    if missing := {"cik", "name", "ticker", "exchange"} - set(table.fields):
        raise BodyError(f"the answer was a list of tickers without {', '.join(sorted(missing))}", again=False)
    rows = []
    for cells in table.data:
        try:
            row = dict(zip(table.fields, cells, strict=True))
        except ValueError as error:
            raise BodyError("the answer was a list of tickers with rows of different lengths", again=False) from error
        exchange = row["exchange"]
        rows.append(
            Ticker(padded(row["cik"] or 0), str(row["ticker"]), str(row["name"]), str(exchange) if exchange else None)
        )
    return rows


def _reported(company: _Company) -> Iterator[_Reported]:
    for taxonomy, concepts in company.facts.items():
        for name, concept in concepts.items():
            for unit, values in concept.units.items():
                for value in values:
                    yield _Reported(taxonomy, name, concept.label, unit, Period(value.start, value.end), value)


def _ranked(cik: str, company: str, group: list[_Reported], calendar: FiscalCalendar) -> Iterator[Fact]:
    """The rows of what several filings say of the same; the accession number decides between two of one day."""
    latest_first = sorted(group, key=lambda one: (one.value.filed, one.value.accn), reverse=True)
    rank = {id(one): place for place, one in enumerate(latest_first, 1)}
    numbers = {id(one): number(one.value.val) for one in group}
    distinct = {found.num if found.num is not None else found.text for found in numbers.values()}
    fiscal, period = calendar.of(group[0].period), group[0].period
    for one in group:
        found = numbers[id(one)]
        if found.text is None:
            continue
        yield Fact(
            cik=cik,
            company=company,
            taxonomy=one.taxonomy,
            concept=one.concept,
            label=one.label,
            unit=one.unit,
            period_kind=period.kind,
            period_start=period.start,
            period_end=period.end,
            period_days=period.days,
            fiscal_year=fiscal.year,
            fiscal_period=fiscal.period,
            value_text=found.text,
            value_num=found.num,
            is_latest=rank[id(one)] == 1,
            filing_rank=rank[id(one)],
            filing_count=len(group),
            value_count=len(distinct),
            accession_number=one.value.accn,
            form=one.value.form,
            filed_on=one.value.filed,
            filing_fy=one.value.fy,
            filing_fp=one.value.fp,
            frame=one.value.frame,
        )
