"""Dates and years as a text states them, in the form that Wikidata's times are landed in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ingest.wikidata.values import DAY, MONTH, YEAR, time_from_json

_MONTH_NAMES: Final = (
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
_MONTHS: Final = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
# The first day of the Gregorian calendar: (year, month, day).
_GREGORIAN: Final = (1582, 10, 15)
_MONTH: Final = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
# A bare number of one or two digits is no year; with an era it is one.
_BC: Final = r"B\.?\s?C\.?(?:\s?E\.?)?(?!\w)"
_AD: Final = r"(?:A\.?\s?D\.?|C\.?\s?E\.?)(?!\w)"
_YEAR: Final = (
    r"(?:(?P<era>A\.?\s?D\.?)\s)?(?P<year>\d{1,4})(?!\w)(?!,\d{3})(?!\.\d)"
    rf"(?:\s?(?P<bc>{_BC})|\s?(?P<ad>{_AD})|(?P<until>(?=\s?[-–—]\s?\d{{1,4}}\s?{_BC})))?"
)
_FORMS: Final = tuple(
    re.compile(rf"(?<!\w)(?<!\d[.,]){form}", re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?![\w-])",
        rf"{_DAY}(?:\s+of)?\s+{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        rf"{_MONTH}\s+{_DAY}(?:,\s*|\s+){_YEAR}",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        _YEAR,
    )
)
_LEAD: Final = re.compile(
    r"(?:on|in|from|of|circa|ca\.?|c\.|about|around|approximately|the|year"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day),?(?:\s+|(?<=\.))",
    re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
_BOUND: Final = re.compile(
    r"\b(?:before|after|prior to|until|since|not (?:in|on|before|after)|no (?:later|earlier) than|by|early|late|mid)"
    r"(?:[\s-]+(?:the|year|in|on))*[\s-]*$",
    re.IGNORECASE,
)
# Dates in numbers that are in no order, or of no day.
_NUMBERS: Final = re.compile(r"\d+[-./]\d+[-./]\d+")
# What a value says that is no one day, month or year: a range, a bound, a decade, a century, a season.
_INEXACT: Final = re.compile(
    r"\d\s?(?:[-–—]|\bto\b|\bor\b|\band\b|\buntil\b)\s?(?:\w+\s)?\d|\d['’]?s\b|\bcentur|\bmillenni|\bdecade"
    r"|^(?:before|after|prior|until|since|not|no|by|early|late|mid|between|spring|summer|autumn|fall|winter)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Time:
    """A day, month (day 0) or year (month 0); years BCE are negative. is_bound: "before 1867" and the like."""

    year: int
    month: int = 0
    day: int = 0
    is_bound: bool = False

    @property
    def precision(self) -> int:
        """Wikidata's: 9 a year, 10 a month, 11 a day."""
        return DAY if self.day else MONTH if self.month else YEAR

    @property
    def calendar(self) -> str:
        """Gregorian from its first day on; what is before it was written in the Julian calendar."""
        return "gregorian" if (self.year, self.month, self.day) >= _GREGORIAN else "julian"

    @property
    def text(self) -> str | None:
        """As landed: '1867-07-01T00:00:00Z', with 00 for what is not stated; None where there is no such day."""
        sign = "-" if self.year < 0 else "+"
        written = f"{sign}{abs(self.year):04d}-{self.month:02d}-{self.day:02d}T00:00:00Z"
        return time_from_json(written, self.precision, self.calendar)[0]

    def holds(self, other: Time) -> bool:
        """Whether it is ``other``, or a month or year that ``other`` lies in."""
        return self.year == other.year and self.month in (0, other.month) and self.day in (0, other.day)


def read_time(text: str) -> Time | str:
    """The time that a value given by itself states, or ``inexact`` for what is no one day, month or year, else
    ``unparsable``."""
    whole = _normal(text)
    bare = _BRACKETS.sub("", whole).strip(" ,;") or whole
    while (lead := _LEAD.match(bare)) is not None:
        bare = bare[lead.end() :]
    for form in _FORMS:
        match = form.fullmatch(bare) or form.fullmatch(bare.removesuffix("."))
        made = _time(match, surely=True) if match else None
        if made is not None:
            return made
    return "inexact" if _INEXACT.search(bare) and not _NUMBERS.fullmatch(bare) else "unparsable"


def times(text: str) -> Iterator[Time]:
    """Every time that a text may state; a number of up to four digits counts as a year."""
    whole = _normal(text)
    taken: list[tuple[int, int]] = []
    for form in _FORMS:
        for match in form.finditer(whole):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            made = _time(match, surely=False)
            if made is None:
                continue
            taken.append(match.span())
            bound = bool(_BOUND.search(whole[: match.start()]))
            yield Time(made.year, made.month, made.day, bound)


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _time(match: re.Match[str], *, surely: bool) -> Time | None:
    """What a match says, None where there is no such day; ``surely``: short years need an era."""
    held = match.groupdict()
    era = bool(held.get("bc") or held.get("until") is not None or held.get("ad") or held.get("era"))
    digits = held["year"]
    if not int(digits) or (surely and len(digits) < 3 and not era):
        return None
    year = -int(digits) if held.get("bc") or held.get("until") is not None else int(digits)
    written = held.get("month") or "0"
    month = int(written) if written.isdecimal() else _MONTHS[written.casefold()]
    if written != "0" and not 1 <= month <= 12:
        return None
    made = Time(year, month, int(held.get("day") or 0))
    # Day 0 of a date that names a day is no month.
    return made if made.text is not None and (held.get("day") is None or made.day) else None
