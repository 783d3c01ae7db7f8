"""EDGAR: fiscal periods by dates, restatements, tickers, over HTTP, landed."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from api_server import SNAPSHOT, ApiServer, Asking, files, landed_rows
from fault_proxy import status
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.edgar.calendar import Fiscal, FiscalCalendar, Period
from ingest.edgar.client import SERVICE, EdgarClient
from ingest.edgar.facts import Fact, Ticker, parse_exchanges, parse_facts, parse_tickers
from ingest.edgar.land import land, land_tickers
from ingest.errors import NotFoundError, ServiceError
from ingest.http.body import BodyError
from ingest.http.client import HttpClient
from ingest.land_rows import LandingReport

quickly = settings(max_examples=100, deadline=None)
CIK = "0000000042"


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def value(start: str | None, end: str, val: float, filed: str, form: str = "10-K", **more: Any) -> dict[str, Any]:
    head = {} if start is None else {"start": start}
    return head | {"end": end, "val": val, "accn": f"acc-{filed}", "form": form, "filed": filed, **more}


def company(**concepts: list[dict[str, Any]]) -> bytes:
    facts = {name: {"label": name, "description": "", "units": {"USD": values}} for name, values in concepts.items()}
    return json.dumps({"cik": 42, "entityName": "Test Corp", "facts": {"us-gaap": facts}}).encode()


# Fiscal years of 52 or 53 weeks to the last Saturday of January.
INCOME = [
    value("2021-01-31", "2022-01-29", 100, "2022-03-20", fy=2021, fp="FY"),
    value("2022-01-30", "2023-01-28", 110, "2023-03-20", fy=2022, fp="FY"),
    value("2021-01-31", "2022-01-29", 101.5, "2023-03-20", fy=2022, fp="FY"),
    value("2021-01-31", "2022-01-29", 101.50, "2024-03-20", fy=2023, fp="FY"),
    value("2022-01-30", "2022-04-30", 25, "2022-06-01", "10-Q", fy=2022, fp="Q1"),
    value("2022-05-01", "2022-07-30", 26, "2022-09-01", "10-Q", fy=2022, fp="Q2"),
    value("2022-01-30", "2022-07-30", 51, "2022-09-01", "10-Q", fy=2022, fp="Q2"),
    value("2022-01-30", "2022-10-29", 80, "2022-12-01", "10-Q", fy=2022, fp="Q3"),
    value("2023-01-29", "2023-04-29", 27, "2023-06-01", "10-Q", fy=2023, fp="Q1"),
]
ASSETS = [
    value(None, "2023-01-28", 500, "2023-03-20", fy=2022, fp="FY"),
    value(None, "2022-04-30", 450, "2022-06-01", "10-Q", fy=2022, fp="Q1"),
    value(None, "2023-03-01", 1, "2023-03-20", fy=2022, fp="FY"),
]


def test_fiscal_periods_are_those_of_the_dates_and_not_of_the_filing() -> None:
    rows = parse_facts(company(Income=INCOME, Assets=ASSETS))
    found = {
        (row.concept, str(row.period_start), str(row.period_end)): (row.fiscal_year, row.fiscal_period, row.period_kind)
        for row in rows
    }
    assert found == {
        ("Income", "2021-01-31", "2022-01-29"): (2022, "FY", "year"),
        ("Income", "2022-01-30", "2023-01-28"): (2023, "FY", "year"),
        ("Income", "2022-01-30", "2022-04-30"): (2023, "Q1", "quarter"),
        ("Income", "2022-05-01", "2022-07-30"): (2023, "Q2", "quarter"),
        ("Income", "2022-01-30", "2022-07-30"): (2023, "H1", "half"),
        ("Income", "2022-01-30", "2022-10-29"): (2023, "9M", "nine_months"),
        ("Income", "2023-01-29", "2023-04-29"): (2024, "Q1", "quarter"),
        ("Assets", "None", "2023-01-28"): (2023, "FY", "instant"),
        ("Assets", "None", "2022-04-30"): (2023, "Q1", "instant"),
        ("Assets", "None", "2023-03-01"): (None, None, "instant"),
    }


def test_restated_values_resolve_to_the_latest_filing_and_the_others_stay() -> None:
    rows = [row for row in parse_facts(company(Income=INCOME)) if str(row.period_end) == "2022-01-29"]
    assert [(row.value_text, str(row.filed_on), row.filing_rank, row.is_latest, row.filing_fy) for row in rows] == [
        ("100", "2022-03-20", 3, False, 2021),
        ("101.5", "2023-03-20", 2, False, 2022),
        ("101.5", "2024-03-20", 1, True, 2023),
    ]
    assert {(row.filing_count, row.value_count) for row in rows} == {(3, 2)}


def test_of_two_filings_of_one_day_the_later_number_counts() -> None:
    twice = [
        value("2021-01-01", "2021-12-31", 7, "2022-02-01", accn="0000000042-22-000009"),
        value("2021-01-01", "2021-12-31", 8, "2022-02-01", "10-K/A", accn="0000000042-22-000010"),
    ]
    assert [(row.value_num, row.is_latest) for row in parse_facts(company(Income=twice))] == [(7, False), (8, True)]


def test_a_fact_is_landed_as_given() -> None:
    body = company(Income=[value("2021-01-01", "2021-12-31", 7, "2022-02-01", fy=2021, fp="FY", frame="CY2021")])
    (row,) = parse_facts(body.replace(b'"val": 7', b'"val": 7.10').replace(b'"USD"', b'"USD/shares"'), CIK)
    assert row == Fact(
        cik=CIK,
        company="Test Corp",
        taxonomy="us-gaap",
        concept="Income",
        label="Income",
        unit="USD/shares",
        period_kind="year",
        period_start=day("2021-01-01"),
        period_end=day("2021-12-31"),
        period_days=365,
        fiscal_year=2021,
        fiscal_period="FY",
        value_text="7.10",
        value_num=7.1,
        is_latest=True,
        filing_rank=1,
        filing_count=1,
        value_count=1,
        accession_number="acc-2022-02-01",
        form="10-K",
        filed_on=day("2022-02-01"),
        filing_fy=2021,
        filing_fp="FY",
        frame="CY2021",
    )


def test_concepts_may_be_chosen_and_the_calendar_rests_on_all() -> None:
    rows = parse_facts(company(Income=INCOME, Assets=ASSETS), concepts={"Assets"})
    assert {row.concept for row in rows} == {"Assets"}
    assert {row.fiscal_period for row in rows} == {"FY", "Q1", None}


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2020-12-28", "2021-01-03", Fiscal(None, None)),
        ("2019-12-30", "2021-01-03", Fiscal(2020, "FY")),
        ("2021-01-04", "2021-03-28", Fiscal(2021, "Q1")),
        ("2021-03-29", "2021-06-20", Fiscal(2021, "Q2")),
        ("2021-06-21", "2021-09-12", Fiscal(2021, "Q3")),
        ("2021-09-13", "2022-01-02", Fiscal(2021, "Q4")),
        ("2020-07-01", "2021-06-30", Fiscal(None, None)),
        (None, "2022-01-02", Fiscal(2021, "FY")),
        (None, "2021-03-28", Fiscal(2021, "Q1")),
        (None, "2021-04-15", Fiscal(None, None)),
        (None, "2022-01-03", Fiscal(None, None)),
        ("2024-01-01", "2024-03-24", Fiscal(2024, "Q1")),
        ("2014-12-29", "2015-03-22", Fiscal(2015, "Q1")),
    ],
)
def test_quarters_of_twelve_and_sixteen_weeks_in_years_to_early_january(
    start: str | None, end: str, expected: Fiscal
) -> None:
    reported = [
        ("10-K", Period(day("2019-12-30"), day("2021-01-03"))),
        ("10-K", Period(day("2021-01-04"), day("2022-01-02"))),
    ]
    reported += [("10-Q", Period(day("2021-01-04"), day("2021-03-28")))]
    # A pension plan's year, reported once, is no fiscal year of the company.
    reported += [("10-K", Period(day("2019-12-30"), day("2021-01-03")))] * 3
    reported += [("10-K", Period(day("2020-07-01"), day("2021-06-30")))]
    period = Period(None if start is None else day(start), day(end))
    assert FiscalCalendar(reported).of(period) == expected


@pytest.mark.parametrize("stray", ["2020-06-30", "2021-06-30"])
def test_a_stray_year_gives_way_to_the_ends_that_more_facts_have(stray: str) -> None:
    own = [("10-K", Period(day(f"{year}-01-01"), day(f"{year}-12-31"))) for year in (2020, 2021)] * 2
    other = Period(day(stray) - datetime.timedelta(days=364), day(stray))
    calendar = FiscalCalendar([("10-K", other), *own])
    assert calendar.of(other) == Fiscal(None, None)
    assert [calendar.of(period) for _, period in own[:2]] == [Fiscal(2020, "FY"), Fiscal(2021, "FY")]


def test_twelve_months_in_a_quarterly_report_are_no_fiscal_year() -> None:
    calendar = FiscalCalendar([("10-Q", Period(day("2020-07-01"), day("2021-06-30")))])
    assert calendar.of(Period(day("2020-07-01"), day("2021-06-30"))) == Fiscal(None, None)


@quickly
@given(st.dates(day("1995-01-01"), day("2035-12-31")), st.integers(0, 800), st.booleans())
def test_any_period_has_one_answer_and_a_year_that_it_ends_in(end: datetime.date, days: int, is_instant: bool) -> None:
    years = [Period(day(f"{year}-01-01"), day(f"{year}-12-31")) for year in range(2015, 2024)]
    calendar = FiscalCalendar(("10-K", period) for period in years)
    period = Period(None if is_instant else end - datetime.timedelta(days=days), end)
    fiscal = calendar.of(period)
    assert (fiscal.year is None) is (fiscal.period is None)
    if fiscal.year is not None:
        assert abs((day(f"{fiscal.year}-12-31") - end).days) <= 366
        assert fiscal.period in {"FY", "Q1", "Q2", "Q3", "Q4", "H1", "9M"}
    if fiscal.period == "FY":
        assert (end.month, end.day) == (12, 31)


TICKERS = (
    b'{"0": {"cik_str": 42, "ticker": "TST", "title": "Test Corp"}, "1": {"cik_str": 7, "ticker": "A", "title": "B"}}'
)
EXCHANGES = (
    b'{"fields": ["cik", "name", "ticker", "exchange"], '
    b'"data": [[42, "Test Corp", "TST", "NYSE"], [7, "B", "A", null]]}'
)


def test_tickers() -> None:
    assert parse_tickers(TICKERS) == [Ticker(CIK, "TST", "Test Corp", None), Ticker("0000000007", "A", "B", None)]
    assert parse_exchanges(EXCHANGES) == [Ticker(CIK, "TST", "Test Corp", "NYSE"), Ticker("0000000007", "A", "B", None)]


@pytest.mark.parametrize(
    "body", [b'{"fields": ["cik"], "data": []}', EXCHANGES.replace(b', "NYSE"', b""), b"[]", TICKERS]
)
def test_other_tables_are_refused(body: bytes) -> None:
    with pytest.raises(BodyError):
        parse_exchanges(body)


@pytest.mark.parametrize("body", [b"{}", b'{"cik": 42, "entityName": "x"}', company(Income=[{"end": "2020-13-01"}])])
def test_half_a_company_is_refused(body: bytes) -> None:
    with pytest.raises(BodyError):
        parse_facts(body)
    with pytest.raises(BodyError, match="the answer was company 0000000042, not 0000000043"):
        parse_facts(company(Income=INCOME), "0000000043")


def landed(server: ApiServer, landing: Path, ciks: list[int | str], **options: Any) -> LandingReport:
    with Asking(server, SERVICE) as http:
        return land(EdgarClient(http), ciks, landing, SNAPSHOT, **options)


def test_companies_are_landed_once(server: ApiServer, tmp_path: Path) -> None:
    server.pages[f"/api/xbrl/companyfacts/CIK{CIK}.json"] = company(Income=INCOME, Assets=ASSETS)
    server.not_found = b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>'
    report = landed(server, tmp_path, [42, "0000000042", 43])
    assert (report.rows, report.unknown) == ({"facts": 12, "tickers": 0}, ["CIK 0000000043"])
    rows = landed_rows(tmp_path, "edgar", "facts")
    assert {row["source_url"] for row in rows} == {f"{server.home}/api/xbrl/companyfacts/CIK{CIK}.json"}
    before = files(tmp_path)
    assert landed(server, tmp_path, [42, 43]).files_landed == 0
    assert (files(tmp_path), server.requests) == (before, 2)
    assert landed(server, tmp_path, [42], concepts=["Assets"]).rows["facts"] == 3


def test_both_lists_of_tickers_are_landed(server: ApiServer, tmp_path: Path) -> None:
    server.pages["/files/company_tickers.json"] = TICKERS
    server.pages["/files/company_tickers_exchange.json"] = EXCHANGES
    with Asking(server, SERVICE) as http:
        report = land_tickers(EdgarClient(http), tmp_path, SNAPSHOT)
    assert report.rows == {"facts": 0, "tickers": 4}
    urls = {row["source_url"].rsplit("/", 1)[1] for row in landed_rows(tmp_path, "edgar", "tickers")}
    assert urls == {"company_tickers.json", "company_tickers_exchange.json"}


def test_lists_are_asked_at_the_host_that_has_them() -> None:
    with HttpClient(SERVICE, "me@example.org") as http:
        client = EdgarClient(http)
        assert client.tickers_url() == "https://www.sec.gov/files/company_tickers.json"
        assert client.facts_url(CIK) == f"https://data.sec.gov/api/xbrl/companyfacts/CIK{CIK}.json"


def test_a_contact_is_required() -> None:
    with pytest.raises(ServiceError, match="SEC EDGAR must be told whom to reach"):
        HttpClient(SERVICE, "")


def test_asking_too_often_is_waited_out(server: ApiServer) -> None:
    page = "<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>"
    server.pages["/files/company_tickers.json"] = TICKERS
    server.faults = [status(403, page, "text/html")]
    asking = Asking(server, SERVICE)
    with asking as http:
        assert len(EdgarClient(http).tickers().value) == 2
    server.always = status(403, page, "text/html")
    with Asking(server, SERVICE) as http, pytest.raises(ServiceError, match=r"'SEC\.gov \| Request Rate Threshold Ex"):
        EdgarClient(http).tickers()
    assert asking.pauses == [0.5]


def test_a_company_without_facts_is_unknown(server: ApiServer) -> None:
    server.not_found = b'<?xml version="1.0"?><Error/>'
    with Asking(server, SERVICE) as http, pytest.raises(NotFoundError):
        EdgarClient(http).facts(CIK)


@pytest.mark.parametrize("cik", ["", "AAPL", "12345678901", -1, "0000320193.json"])
def test_what_is_no_cik_is_not_asked(cik: int | str, server: ApiServer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="is no CIK; write one such as 320193"):
        landed(server, tmp_path, [cik])
    assert server.requests == 0
