"""The fiscal calendar of one company, told by the dates of its own facts.

EDGAR's ``fy`` and ``fp`` are those of the filing: a 10-K for 2023 marks its comparative figures of 2021 as 2023, too.
So periods are told here by where they begin and end, and fiscal years by the year-long periods of annual reports.
"""

from __future__ import annotations

import datetime
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

# A transition report (10-KT) is none: its period is no year.
ANNUAL_FORMS: Final = frozenset({"10-K", "10-K/A", "10-K405", "20-F", "20-F/A", "40-F", "40-F/A"})

# Kind -> its lengths in days, both ends included: 12 to 16 weeks and so on, since many years have 52 or 53 weeks.
_KINDS: Final = {
    "quarter": range(80, 116),
    "half": range(165, 200),
    "nine_months": range(250, 290),
    "year": range(350, 381),
}
# Quarter of the year that a kind of period ends with, where it begins with the year; quarters end with any.
_ENDS_WITH: Final = {"half": 2, "nine_months": 3}
_NAMES: Final = {"half": "H1", "nine_months": "9M"}
_YEAR: Final = 365.25
_QUARTER: Final = _YEAR / 4
# How far a quarter may end from the quarter of a year: with quarters of 12, 12, 12 and 16 weeks the third ends early.
_QUARTER_SLACK: Final = 25
# A year end may be a day or two apart between filings; other ends of years lie most of a year apart.
_SAME_END: Final = 3
_APART: Final = 300


class Period(NamedTuple):
    """Where and how long; ``start`` is None for an instant."""

    start: datetime.date | None
    end: datetime.date

    @property
    def days(self) -> int:
        """Days, both ends included; 0 for an instant."""
        return 0 if self.start is None else (self.end - self.start).days + 1

    @property
    def kind(self) -> str:
        """instant, quarter, half, nine_months, year, or other."""
        if self.start is None:
            return "instant"
        return next((kind for kind, days in _KINDS.items() if self.days in days), "other")


class Fiscal(NamedTuple):
    """``period`` is FY, Q1 to Q4, H1 or 9M; both are None where the dates fit none of the company's periods.

    ``year`` is the calendar year in which the fiscal year ends; one that ends in the first week of January counts for
    the year before. Some companies call a year that ends in January or February by the year before.
    """

    year: int | None
    period: str | None


NO_FISCAL: Final = Fiscal(None, None)


class FiscalCalendar:
    """Ends of a company's fiscal years and quarters.

    Args:
        reported: (form, period) of each of the company's facts.
    """

    def __init__(self, reported: Iterable[tuple[str, Period]]) -> None:
        years: Counter[datetime.date] = Counter()
        quarters: set[datetime.date] = set()
        for form, period in reported:
            kind = period.kind
            if kind == "year" and form in ANNUAL_FORMS:
                years[period.end] += 1
            elif kind == "quarter":
                quarters.add(period.end)
        self._year_ends = _apart(years)
        self._quarter_ends = frozenset(quarters)

    def of(self, period: Period) -> Fiscal:
        """The fiscal period that a period is."""
        kind = period.kind
        closing = self._closing(period.end)
        if closing is None or kind == "other":
            return NO_FISCAL
        # To the day: what stands at the first of January is an opening balance, often of new accounting rules.
        closes_year = period.end in self._year_ends
        if kind == "year" or (kind == "instant" and closes_year):
            return Fiscal(_named(closing), "FY") if closes_year else NO_FISCAL
        if kind == "instant" and period.end not in self._quarter_ends:
            return NO_FISCAL
        quarter = 4 if closes_year else _quarter(closing, period.end)
        if quarter is None or _ENDS_WITH.get(kind, quarter) != quarter:
            return NO_FISCAL
        return Fiscal(_named(closing), _NAMES.get(kind, f"Q{quarter}"))

    def _closing(self, day: datetime.date) -> datetime.date | None:
        """The end of the fiscal year that ``day`` lies in: known, or as many years from a known one as it takes."""
        if not self._year_ends:
            return None
        place = bisect_left(self._year_ends, day)
        if place < len(self._year_ends) and (self._year_ends[place] - day).days < _YEAR + 7:
            return self._year_ends[place]
        base = self._year_ends[max(place - 1, 0)]
        years = math.ceil((day - base).days / _YEAR)
        return base + datetime.timedelta(days=round(years * _YEAR))


def _apart(ends: Counter[datetime.date]) -> list[datetime.date]:
    """Year ends, sorted, without stray ones: those between two years that far more facts end with."""
    kept: list[datetime.date] = []
    for end, _ in sorted(ends.items(), key=lambda item: (-item[1], item[0])):
        distances = [abs((end - other).days) for other in kept]
        if all(days > _APART or days <= _SAME_END for days in distances):
            kept.append(end)
    return sorted(kept)


def _quarter(closing: datetime.date, end: datetime.date) -> int | None:
    """Which quarter of the year that closes with ``closing`` ends with ``end``; None where none does."""
    left = (closing - end).days
    quarters = round(left / _QUARTER)
    fits = abs(left - quarters * _QUARTER) <= _QUARTER_SLACK and 1 <= 4 - quarters <= 4
    return 4 - quarters if fits else None


def _named(closing: datetime.date) -> int:
    return (closing - datetime.timedelta(days=7)).year
