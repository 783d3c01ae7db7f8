"""What one Wikidata value looks like once landed: the rules that SPARQL and entity JSON share.

Wikidata writes the same statement differently in its RDF and in its JSON. Everything that has to come out equal
from both (times, amounts, file names, qualifiers) is normalised here and nowhere else.

Times. JSON counts years as historians do (44 BCE is ``-0044``), in the calendar it names, and writes ``00`` for an
unknown month or day. RDF has to be a valid ``xsd:dateTime``: ``00`` becomes ``01``, Julian dates that are exact to
the day are converted to proleptic Gregorian, and years BCE of precision 9 (year) or finer are moved up by one
(XSD 1.1 has a year 0: 44 BCE is ``-0043``). A landed time is the JSON's: historical years, no plus sign, at least
four digits, in the calendar named by ``calendar``, and ``00`` for every part finer than the precision.

Precision is Wikidata's scale: 0 (10^9 years) ... 7 (century), 8 (decade), 9 (year), 10 (month), 11 (day),
12 (hour), 13 (minute), 14 (second).
"""

import html
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal
from urllib.parse import unquote, unquote_plus

import msgspec

Calendar = Literal["gregorian", "julian"]

YEAR: Final = 9
MONTH: Final = 10
DAY: Final = 11

CALENDARS: Final[Mapping[str, Calendar]] = {"Q1985727": "gregorian", "Q1985786": "julian"}
DIMENSIONLESS: Final = frozenset({"1", "Q199"})

_TIME = re.compile(r"([+-]?)0*(\d+)-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.\d+)?)?Z?")
_LANDED = re.compile(r"(-?)0*(\d+)(?:-(\d\d)(?:-(\d\d))?)?(?:T(\d\d):(\d\d):(\d\d))?Z?")
_DECIMAL = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*?)0*)?")
_TEX = re.compile(r"<annotation[^>]*application/x-tex[^>]*>(.*?)</annotation>", re.DOTALL)
_DISPLAYSTYLE = re.compile(r"\{\\displaystyle (.*)\}", re.DOTALL)
# PHP's calendar functions, which Wikidata's RDF goes through, convert these (historical) years and no others.
_CONVERTIBLE_YEARS: Final = (-4713, 1465072)
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_encode = msgspec.json.Encoder().encode


def plain_amount(text: str) -> str:
    """A decimal as landed: ``+1.50`` -> ``1.5``, ``-0`` -> ``0``; anything that is no plain decimal stays as it is.

    Trailing zeros go because RDF stores keep decimals by value: the SPARQL route never sees them.
    """
    if text[:1] == "+" and text[1:].isdecimal() and text[1] != "0":
        return text[1:]  # nearly every amount there is
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return text
    sign, whole, fraction = match.groups()
    number = f"{whole}.{fraction}" if fraction else whole
    return f"-{number}" if sign == "-" and number != "0" else number


@lru_cache(maxsize=4096)
def unit_id(unit: str) -> str | None:
    """The Q-id at the end of a unit's IRI; None for a dimensionless quantity (``1`` in JSON, Q199 in RDF)."""
    local = unit.rsplit("/", 1)[-1]
    return None if local in DIMENSIONLESS else local


@lru_cache(maxsize=64)
def calendar_of(iri: str) -> Calendar | None:
    """The calendar a calendar model IRI or id names; None for a model Wikidata does not have."""
    return CALENDARS.get(iri.rsplit("/", 1)[-1])


def time_from_json(text: str, precision: int, calendar: str | None) -> tuple[str | None, int]:
    """``+1952-03-11T00:00:00Z`` -> (``1952-03-11T00:00:00Z``, 11); old dumps pad the year with zeros.

    Returns (value_time, precision). value_time is None where the text is no time, the year is 0 or the day does not
    exist. Where a finer precision is claimed than the text has (day 00 with precision 11) it is lowered to the text's.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return None, precision
    sign, year, month, day, *clock = match.groups()
    if year == "0":
        return None, precision
    if precision > YEAR and month == "00":
        precision = YEAR
    elif precision > MONTH and day == "00":
        precision = MONTH
    number = -int(year) if sign == "-" else int(year)
    if not _exists(number, int(month), int(day), precision, calendar):
        return None, precision
    return _landed(number, month, day, clock, precision), precision


@lru_cache(maxsize=32768)
def time_from_rdf(text: str, precision: int, calendar: str | None) -> tuple[str | None, int]:
    """``wikibase:timeValue`` -> (value_time, precision), undoing what Wikidata's RDF export did to the time.

    value_time is None where the text is no ``xsd:dateTime`` (the export writes what it cannot convert as it is).
    """
    match = _TIME.fullmatch(text)
    if match is None or text.startswith("+"):
        return None, precision
    sign, digits, month, day, *clock = match.groups()
    year = -int(digits) if sign == "-" else int(digits)
    if precision >= YEAR and year <= 0:
        year -= 1
    if year == 0 or not _exists(year, int(month), int(day), precision, "gregorian"):
        return None, precision
    if precision >= DAY and calendar == "julian":
        year, number, day_number = _convert(year, int(month), int(day), to="julian")
        month, day = f"{number:02d}", f"{day_number:02d}"
    return _landed(year, month, day, clock, precision), precision


def time_to_rdf(value_time: str, precision: int, calendar: str | None) -> str:
    """The ``xsd:dateTime`` that Wikidata's RDF export writes for a landed time: the inverse of time_from_rdf.

    Parts may be left off at the end: ``1789-04-30``, ``-0480``. Raises ValueError where value_time is no such time.
    """
    match = _LANDED.fullmatch(value_time)
    if match is None or match.group(2) == "0":
        raise ValueError(f"{value_time!r} is not a time such as '1789-04-30T00:00:00Z', '1789-04-30' or '-0480'.")
    sign, digits, month, day, *clock = match.groups()
    year = -int(digits) if sign == "-" else int(digits)
    month_number = max(int(month or 1), 1) if precision > YEAR else 1
    day_number = max(int(day or 1), 1) if precision > MONTH else 1
    if precision >= DAY and calendar == "julian":
        year, month_number, day_number = _convert(year, month_number, day_number, to="gregorian")
    if precision >= YEAR and year < 0:
        year += 1
    time = ":".join(part or "00" for part in clock)
    return f"{_year(year)}-{month_number:02d}-{day_number:02d}T{time}Z"


def text_from_iri(iri: str) -> str:
    """A value that is an IRI in RDF, as JSON has it: Commons files and data pages by name, other IRIs unchanged."""
    for marker in ("//commons.wikimedia.org/wiki/Special:FilePath/", "//commons.wikimedia.org/data/main/"):
        _, found, name = iri.partition(marker)
        if found:
            return unquote(name) if "FilePath" in marker else unquote_plus(name)
    return iri


def text_from_math(literal: str) -> str:
    """The TeX inside a MathML literal, which is all that JSON has; a literal without it stays as it is."""
    match = _TEX.search(literal)
    if match is None:
        return literal
    tex = html.unescape(match.group(1)).strip()
    inner = _DISPLAYSTYLE.fullmatch(tex)
    return inner.group(1).strip() if inner else tex


def entity_value(entity: str) -> str:
    """One qualifier value of kind entity, as JSON text."""
    return f'{{"kind":"entity","value":{quoted(entity)}}}'


def quantity_value(amount: str, unit: str | None) -> str:
    """One qualifier value of kind quantity, as JSON text. ``amount`` plain, ``unit`` a Q-id or None."""
    return f'{{"kind":"quantity","amount":{quoted(amount)},"unit":{quoted(unit) if unit else "null"}}}'


def time_value(value: str | None, precision: int, calendar: str | None, raw: str | None = None) -> str:
    """One qualifier value of kind time, as JSON text; a time that names no date keeps its ``raw`` text."""
    calendar_text = f'"{calendar}"' if calendar else "null"
    if value is None:
        raw_text = quoted(raw or "")
        return f'{{"kind":"time","value":null,"precision":{precision},"calendar":{calendar_text},"raw":{raw_text}}}'
    return f'{{"kind":"time","value":"{value}","precision":{precision},"calendar":{calendar_text}}}'


def text_value(text: str, lang: str | None = None) -> str:
    """One qualifier value of kind text, as JSON text; ``lang`` only where the text is monolingual."""
    suffix = f',"lang":{quoted(lang)}' if lang else ""
    return f'{{"kind":"text","value":{quoted(text)}{suffix}}}'


def coordinate_value(latitude: float, longitude: float) -> str:
    """One qualifier value of kind coordinate, in degrees, as JSON text."""
    return f'{{"kind":"coordinate","latitude":{latitude!r},"longitude":{longitude!r}}}'


SOMEVALUE: Final = '{"kind":"somevalue"}'
NOVALUE: Final = '{"kind":"novalue"}'


def qualifiers_text(qualifiers: Mapping[str, Sequence[str]]) -> str | None:
    """All qualifiers of a statement as one JSON text, in an order that no source can change; None without any.

    ``qualifiers`` maps a property id to its values, each already written by a ``*_value`` function.
    """
    if not qualifiers:
        return None
    parts = [
        f'"{prop}":[{found[0] if len(found) == 1 else ",".join(sorted(set(found)))}]'
        for prop, found in (qualifiers.items() if len(qualifiers) == 1 else sorted(qualifiers.items()))
    ]
    return f"{{{','.join(parts)}}}"


def quoted(text: str) -> str:
    """``text`` as a JSON string."""
    return _encode(text).decode()


def _landed(year: int, month: str, day: str, clock: Sequence[str | None], precision: int) -> str:
    """Put a landed time together; parts finer than the precision become 00."""
    date = f"{_year(year)}-{month if precision > YEAR else '00'}-{day if precision > MONTH else '00'}"
    if precision <= DAY:
        return f"{date}T00:00:00Z"
    hour, minute, second = (part or "00" for part in clock)
    return f"{date}T{hour}:{minute if precision > 12 else '00'}:{second if precision > 13 else '00'}Z"


def _year(year: int) -> str:
    return f"-{-year:04d}" if year < 0 else f"{year:04d}"


def _exists(year: int, month: int, day: int, precision: int, calendar: str | None) -> bool:
    """Whether the parts that the precision vouches for name a real date (``year`` historical)."""
    if precision <= YEAR:
        return True
    if not 1 <= month <= 12:
        return False
    if precision == MONTH:
        return True
    astronomical = year + 1 if year < 0 else year
    leap = astronomical % 4 == 0 and (calendar == "julian" or astronomical % 100 != 0 or astronomical % 400 == 0)
    return 1 <= day <= _MONTH_DAYS[month - 1] + (month == 2 and leap)


def _convert(year: int, month: int, day: int, to: Calendar) -> tuple[int, int, int]:
    """A date (historical year) of the other calendar in calendar ``to``; years that PHP cannot convert stay."""
    first, last = _CONVERTIBLE_YEARS
    if not first <= year <= last:
        return year, month, day
    astronomical = year + 1 if year < 0 else year
    number = _day_number(astronomical, month, day, gregorian=to == "julian")
    if number <= 0:
        return year, month, day
    new_year, new_month, new_day = _date_of(number, gregorian=to == "gregorian")
    return (new_year - 1 if new_year <= 0 else new_year), new_month, new_day


def _day_number(year: int, month: int, day: int, *, gregorian: bool) -> int:
    """The Julian day number of a date (astronomical year)."""
    before_march = (14 - month) // 12
    years = year + 4800 - before_march
    days = day + (153 * (month + 12 * before_march - 3) + 2) // 5 + 365 * years + years // 4
    return days - years // 100 + years // 400 - 32045 if gregorian else days - 32083


def _date_of(number: int, *, gregorian: bool) -> tuple[int, int, int]:
    """The date (astronomical year) of a Julian day number."""
    shifted = number + 1401
    if gregorian:
        shifted += (4 * number + 274277) // 146097 * 3 // 4 - 38
    quarter_days = 4 * shifted + 3
    fifths = 5 * (quarter_days % 1461 // 4) + 2
    month = (fifths // 153 + 2) % 12 + 1
    return quarter_days // 1461 - 4716 + (14 - month) // 12, month, fifths % 153 // 5 + 1
