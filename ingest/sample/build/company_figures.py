"""Reads the free text of company fact boxes strictly: what fits no plain pattern, or is too old, is no figure."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from decimal import Decimal

from ingest.sample.build.amounts import plain
from ingest.sample.build.model import DAY, MONTH, YEAR, Time

CURRENCIES = {
    "US$": "Q4917",
    "$": "Q4917",
    "€": "Q4916",
    "£": "Q25224",
    "¥": "Q8146",
    "JP¥": "Q8146",
    "CHF": "Q25344",
    "SEK": "Q122922",
}
# Rough worth of one unit in US dollars: good enough to tell a billion from a million.
ROUGH_DOLLARS = {"Q4917": 1.0, "Q4916": 1.1, "Q25224": 1.3, "Q8146": 0.007, "Q25344": 1.1, "Q122922": 0.1}
MAGNITUDES = {"million": 6, "billion": 9, "trillion": 12}
MONTHS = {name: number for number, name in enumerate(calendar.month_name) if name}
_MONEY = re.compile(
    r"(US\$|JP¥|\$|€|£|¥|CHF|SEK)\s?([−-]?)\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?) (million|billion|trillion)"
    r" \(\s?(?:FY\s?)?(202[3-9])\s?\)"
)
_COUNT = re.compile(r"(\d{1,3}(?:,\d{3})+|\d{1,3}) \((202[3-9])\)")
# "1 August 1951 ; 74 years ago ( 1951-08-01 )", with a place after it at most.
_FOUNDED = re.compile(
    r"(?:(?:(?P<day>\d{1,2}) )?(?P<month>[A-Z][a-z]+) |(?P<month_us>[A-Z][a-z]+) (?P<day_us>\d{1,2}), )?"
    r"(?P<year>1[5-9]\d\d|20[0-2]\d)"
    r"(?: ; \d+ years ago \( [\d-]+ \))?(?: (?:, )?in [^()\d;]+)?"
)


@dataclass(frozen=True)
class Money:
    """An amount in a currency (Q-id) for a year."""

    amount: str
    currency: str
    year: str

    @property
    def rough_dollars(self) -> float:
        """The amount in US dollars at a round rate, for plausibility only."""
        return float(self.amount) * ROUGH_DOLLARS[self.currency]


def money(text: object, dollar_is_us: bool) -> Money | None:
    """'US$ 9.09 billion (2024)' as Money; a bare $ counts only where `dollar_is_us`."""
    found = _MONEY.fullmatch(str(text).strip())
    if found is None or (found[1] == "$" and not dollar_is_us):
        return None
    amount = Decimal(found[3].replace(",", "")).scaleb(MAGNITUDES[found[4]])
    return Money(plain(-amount if found[2] else amount, 15), CURRENCIES[found[1]], found[5])


def count(text: object) -> tuple[str, str] | None:
    """'13,600 (2024)' as ('13600', '2024')."""
    found = _COUNT.fullmatch(str(text).strip())
    return (found[1].replace(",", ""), found[2]) if found else None


def founding(text: object) -> Time | None:
    """The one founding date that a fact box names; None where it tells of several, or of renamings."""
    found = _FOUNDED.fullmatch(str(text).strip())
    if found is None:
        return None
    month, day = found["month"] or found["month_us"], found["day"] or found["day_us"]
    if month is None:
        return Time(found["year"], YEAR)
    if month not in MONTHS:
        return None
    if day is None:
        return Time(f"{found['year']}-{MONTHS[month]:02d}", MONTH)
    return Time(f"{found['year']}-{MONTHS[month]:02d}-{int(day):02d}", DAY)
