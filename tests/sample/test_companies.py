"""The companies of the sample against what is known of some, and how their fact boxes are read."""

from __future__ import annotations

import pytest

from ingest.sample.build.company_figures import count, founding, money
from tests.sample.stated import by_label, members, names, statements, values


def test_nucor_files_with_the_sec_and_is_american() -> None:
    (nucor,) = by_label("companies", "Nucor")
    assert nucor == "cik:73309"
    assert values("companies", nucor, "P17") == ["Q30"]
    assert [names("companies")[index] for index in values("companies", nucor, "P361")] == [["S&P 500"]]


def test_diageo_is_listed_in_london_and_new_york() -> None:
    (diageo,) = by_label("companies", "Diageo")
    exchanges = {label for exchange in values("companies", diageo, "P414") for label in names("companies")[exchange]}
    assert exchanges == {"London Stock Exchange", "New York Stock Exchange"}


def test_every_figure_has_a_year_and_revenues_a_currency() -> None:
    for company in members("companies", "Q891723"):
        for prop in ("P1128", "P2139", "P2295", "P2403"):
            assert all(statement.qualifiers == {"P585"} for statement in statements("companies", company, prop))
        assert all(statement.unit for statement in statements("companies", company, "P2139"))


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("US$ 9.09 billion (2024)", "9090000000", "Q4917"),
        ("€61.88 billion (2024)", "61880000000", "Q4916"),
        ("£ 11,845.4 million (2025)", "11845400000", "Q25224"),
        ("US$−336 million (2024)", "-336000000", "Q4917"),
    ],
)
def test_money_is_read_with_currency_sign_and_magnitude(text: str, amount: str, currency: str) -> None:
    found = money(text, dollar_is_us=False)
    assert found is not None
    assert (found.amount, found.currency) == (amount, currency)


@pytest.mark.parametrize(
    "text",
    [
        "$ 2 million (2024)",
        "US$ 16 B ( Q4 2025 )",
        "JPY 772.3 billion ( FY 2016) ( US$ 7.1 billion)",
        "¥12.3 billion (2016)",
    ],
)
def test_money_that_is_unclear_or_old_is_no_money(text: str) -> None:
    assert money(text, dollar_is_us=False) is None


def test_a_count_needs_a_year_and_no_circa() -> None:
    assert count("13,600 (2024)") == ("13600", "2024")
    assert count("c. 63,000 (2024)") is None
    assert count("15,640") is None


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1988 ; 38 years ago ( 1988 )", "1988"),
        ("15 May 1857 ; 168 years ago ( 1857-05-15 )", "1857-05-15"),
        ("April 8, 1980 ; 45 years ago ( 1980-04-08 )", "1980-04-08"),
        ("November 2011 ; 14 years ago ( 2011-11 )", "2011-11"),
        ("1905 ; 121 years ago ( 1905 ) , in Grand Forks, North Dakota", "1905"),
    ],
)
def test_one_founding_date_is_read_at_its_precision(text: str, iso: str) -> None:
    found = founding(text)
    assert found is not None
    assert found.iso == iso


def test_two_founding_dates_are_none() -> None:
    assert (
        founding("1984 ; 42 years ago ( 1984 ) (joint venture) 1988 ; 38 years ago ( 1988 ) (independent company)")
        is None
    )
