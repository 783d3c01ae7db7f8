"""Real bodies of the SEC's data on companies."""

from __future__ import annotations

import datetime
import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from ingest.edgar.facts import Fact, Ticker, parse_exchanges, parse_facts, parse_tickers
from ingest.http.body import BodyError


@pytest.fixture(scope="module")
def alphabet(payloads: Path) -> list[Fact]:
    body = (payloads / "sec-edgar/companyfacts_0001652044_facts-GOOGL.json").read_bytes()
    return parse_facts(body, "0001652044")


def test_every_fact_of_alphabet_is_a_row(alphabet: list[Fact]) -> None:
    assert len(alphabet) == 11_967
    assert Counter(row.form for row in alphabet) == {"10-Q": 7780, "10-K": 3741, "8-K": 446}
    assert {row.unit for row in alphabet} == {"USD", "pure", "USD/shares", "shares"}
    assert {(row.cik, row.company) for row in alphabet} == {("0001652044", "Alphabet Inc.")}
    assert all(row.value_num is not None for row in alphabet)


def test_alphabets_fiscal_years_are_calendar_years_whatever_the_filing_says(alphabet: list[Fact]) -> None:
    years = [row for row in alphabet if row.fiscal_period == "FY"]
    assert len(years) == 6183
    assert all((row.period_end.month, row.period_end.day) == (12, 31) for row in years)
    assert all(row.fiscal_year == row.period_end.year for row in years)
    assert sum(row.filing_fy != row.fiscal_year for row in years) > 3000, "comparative figures bear the filing's year"
    quarters = {row.period_end.month: row.fiscal_period for row in alphabet if row.period_kind == "quarter"}
    assert quarters == {3: "Q1", 6: "Q2", 9: "Q3", 12: "Q4"}
    assert sum(row.fiscal_period is None for row in alphabet) == 21


def test_net_income_of_2021_is_reported_by_three_annual_reports(alphabet: list[Fact]) -> None:
    rows = [
        row for row in alphabet if (row.concept, row.fiscal_year, row.fiscal_period) == ("NetIncomeLoss", 2021, "FY")
    ]
    assert {(row.value_text, row.value_num, row.unit, row.value_count) for row in rows} == {
        ("76033000000", 76_033_000_000.0, "USD", 1)
    }
    assert [(row.filing_fy, row.is_latest) for row in rows] == [(2021, False), (2022, False), (2023, True)]
    assert [row.accession_number for row in rows if row.is_latest] == ["0001652044-24-000022"]


def test_a_restated_figure_resolves_to_the_latest_filing(alphabet: list[Fact]) -> None:
    rows = [
        row
        for row in alphabet
        if row.concept == "AccruedLiabilitiesCurrent" and row.period_end == datetime.date(2021, 12, 31)
    ]
    assert [row.value_num for row in rows] == [31_236e6] * 4 + [32_044e6]
    assert [row.value_num for row in rows if row.is_latest] == [32_044e6]
    assert {(row.filing_count, row.value_count, row.fiscal_year) for row in rows} == {(5, 2, 2021)}


def test_every_group_has_one_latest(alphabet: list[Fact]) -> None:
    groups: dict[tuple[object, ...], list[Fact]] = defaultdict(list)
    for row in alphabet:
        groups[row.taxonomy, row.concept, row.unit, row.period_start, row.period_end].append(row)
    assert len(groups) == 6461
    assert all(sum(row.is_latest for row in rows) == 1 for rows in groups.values())
    assert sum(rows[0].value_count > 1 for rows in groups.values()) == 157
    assert all(
        max(row.filed_on for row in rows if row.is_latest) == max(row.filed_on for row in rows)
        for rows in groups.values()
    )


def test_apples_years_end_in_september(payloads: Path) -> None:
    body = (payloads / "sec-edgar/companyfacts_0000320193_company-facts.json").read_bytes()
    rows = parse_facts(body, "0000320193")
    income = {(row.fiscal_year, row.fiscal_period): row.value_num for row in rows if row.concept == "NetIncomeLoss"}
    assert income == {
        (2021, "FY"): 94_680e6,
        (2022, "Q1"): 34_630e6,
        (2022, "Q2"): 25_010e6,
        (2022, "H1"): 59_640e6,
        (2022, "Q3"): 19_442e6,
        (2022, "9M"): 79_082e6,
        (2022, "FY"): 99_803e6,
        (2023, "Q1"): 29_998e6,
    }
    assert all(row.fiscal_year is None for row in rows if row.taxonomy == "dei"), "cover pages have dates of their own"


def test_tickers(payloads: Path) -> None:
    rows = parse_tickers((payloads / "sec-edgar/company_tickers.json").read_bytes())
    assert len(rows) == 6044
    assert rows[1] == Ticker("0000320193", "AAPL", "Apple Inc.", None)
    listed = parse_exchanges((payloads / "sec-edgar/company_tickers_exchange.json").read_bytes())
    assert len(listed) == 6048
    assert listed[1] == Ticker("0000320193", "AAPL", "Apple Inc.", "Nasdaq")
    assert Counter(row.exchange for row in listed) == {"Nasdaq": 2437, "NYSE": 1999, "OTC": 1494, None: 103, "CBOE": 15}
    assert all(len(row.cik) == 10 and row.cik.isdecimal() for row in rows + listed)


def test_a_list_of_filings_is_no_company_facts(payloads: Path) -> None:
    body = (payloads / "sec-edgar/submissions_0000320193_trimmed.json").read_bytes()
    assert json.loads(body)["cik"] == 320193
    with pytest.raises(BodyError, match="not what was asked for"):
        parse_facts(body)
