"""Turtle terms of values: literals, and the value nodes of quantities, times and coordinates."""

from __future__ import annotations

import datetime
import re
import urllib.parse
from typing import Final

from ingest.sample.build.model import DAY, MONTH, Coordinate, Quantity, Text, Time, Value

PREFIXES: Final = {
    "wikibase": "http://wikiba.se/ontology#",
    "wd": "http://www.wikidata.org/entity/",
    "wds": "http://www.wikidata.org/entity/statement/",
    "wdv": "http://www.wikidata.org/value/",
    "wdref": "http://www.wikidata.org/reference/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "pr": "http://www.wikidata.org/prop/reference/",
    "wdno": "http://www.wikidata.org/prop/novalue/",
    "genid": "http://www.wikidata.org/.well-known/genid/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}

CALENDARS: Final = {"gregorian": "Q1985727", "julian": "Q1985786"}
PURE_NUMBER: Final = "Q199"
EARTH: Final = "Q2"
_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_TIME: Final = re.compile(r"(-?[0-9]{4,})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def text_literal(text: str, lang: str | None) -> str:
    """A quoted string, with its language where there is one."""
    return f'"{text.translate(_ESCAPES)}"' + (f"@{lang}" if lang else "")


def quote(title: str) -> str:
    """A page title as the path of its address; what Wikipedia leaves readable stays so."""
    return urllib.parse.quote(title, safe="/:(),;@!*'_-.~")


def decimal(amount: str) -> str:
    """The amount as xsd:decimal writes it.

    Raises ValueError where it is no plain decimal (an exponent would lose the source's own rounding).
    """
    if not _DECIMAL.fullmatch(amount):
        raise ValueError(
            f"Amount {amount!r} is no plain decimal such as -12.50; write it without sign '+' or exponent."
        )
    return f'"{amount}"^^xsd:decimal'


def xsd_date_time(time: Time) -> str:
    """The xsd:dateTime of a time: XSD 1.1 years (44 BCE is -0043), finer parts than the precision are 01.

    As in Wikidata's dumps, a Julian date of day precision is converted to the Gregorian calendar.
    Raises ValueError for a text that is no date, or one with fewer parts than its precision claims.
    """
    match = _TIME.fullmatch(time.iso)
    if match is None or int(match[1]) == 0:
        raise ValueError(f"Time {time.iso!r} is no date such as 1789-04-30, 1789 or -0480 (there is no year 0).")
    year = int(match[1])
    astronomical = year + 1 if year < 0 else year
    month, day = int(match[2] or 1), int(match[3] or 1)
    if (time.precision >= MONTH and not match[2]) or (time.precision >= DAY and not match[3]):
        raise ValueError(f"Time {time.iso!r} is coarser than its precision {time.precision}.")
    if time.precision >= DAY and time.calendar == "julian":
        astronomical, month, day = _gregorian(astronomical, month, day)
    elif month > 12 or (astronomical >= 1 and not _is_day(astronomical, month, day)):
        raise ValueError(f"Time {time.iso!r} names a day that does not exist.")
    sign = "-" if astronomical < 0 else ""
    return f"{sign}{abs(astronomical):04d}-{month:02d}-{day:02d}T00:00:00Z"


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        datetime.date(year, month, day)
    except ValueError:
        return False
    return True


def _gregorian(year: int, month: int, day: int) -> tuple[int, int, int]:
    """A Julian date in the proleptic Gregorian calendar, years astronomical; by way of the Julian day number."""
    shift = (14 - month) // 12
    y, m = year + 4800 - shift, month + 12 * shift - 3
    number = day + (153 * m + 2) // 5 + 365 * y + y // 4 - 32083
    a = number + 32044
    b = (4 * a + 3) // 146097
    c = a - 146097 * b // 4
    d = (4 * c + 3) // 1461
    e = c - 1461 * d // 4
    f = (5 * e + 2) // 153
    return 100 * b + d - 4800 + f // 10, f + 3 - 12 * (f // 10), e - (153 * f + 2) // 5 + 1


class Terms:
    """Writes literals, and remembers the value nodes that were asked for."""

    def __init__(self) -> None:
        self._nodes: dict[str, str] = {}

    def literal(self, value: Value) -> str:
        """The simple form of a value: what wdt:, ps: and pq: point to."""
        if isinstance(value, Quantity):
            return decimal(value.amount)
        if isinstance(value, Time):
            return f'"{xsd_date_time(value)}"^^xsd:dateTime'
        if isinstance(value, Coordinate):
            return f'"Point({value.lon:.6g} {value.lat:.6g})"^^geo:wktLiteral'
        if isinstance(value, Text):
            return text_literal(value.value, value.lang)
        raise TypeError(f"{value!r} has no literal form.")

    def value_node(self, value: Value) -> str | None:
        """The node with all parts of a quantity, time or coordinate; None for values that have no parts."""
        if isinstance(value, Quantity):
            return self._quantity(value)
        if isinstance(value, Time):
            moment = xsd_date_time(value)
            body = f'a wikibase:TimeValue ; wikibase:timeValue "{moment}"^^xsd:dateTime'
            body += f" ; wikibase:timePrecision {value.precision}"
            body += f" ; wikibase:timeTimezone 0 ; wikibase:timeCalendarModel wd:{CALENDARS[value.calendar]}"
            return self._node(f"t{moment[:-10]}_{value.precision}{value.calendar[0]}", body)
        if isinstance(value, Coordinate):
            lat, lon = f"{value.lat:.6g}", f"{value.lon:.6g}"
            body = f'a wikibase:GlobecoordinateValue ; wikibase:geoLatitude "{lat}"^^xsd:double'
            body += f' ; wikibase:geoLongitude "{lon}"^^xsd:double'
            body += f' ; wikibase:geoPrecision "0.0001"^^xsd:double ; wikibase:geoGlobe wd:{EARTH}'
            return self._node(f"c{lat}_{lon}", body)
        return None

    def _quantity(self, value: Quantity) -> str:
        unit = value.unit or PURE_NUMBER
        body = f"a wikibase:QuantityValue ; wikibase:quantityAmount {decimal(value.amount)}"
        body += f" ; wikibase:quantityUnit wd:{unit}"
        name = f"{value.amount}_{unit}"
        if value.upper is not None:
            body += f" ; wikibase:quantityUpperBound {decimal(value.upper)}"
            name += f"_{value.upper}"
        if value.lower is not None:
            body += f" ; wikibase:quantityLowerBound {decimal(value.lower)}"
            name += f"_l{value.lower}"
        return self._node(f"q{name}", body)

    def _node(self, name: str, body: str) -> str:
        self._nodes[name] = body
        return f"wdv:{name}"

    def value_nodes(self) -> list[str]:
        """One Turtle sentence a value node, in order of name."""
        return [f"wdv:{name} {body} .\n" for name, body in sorted(self._nodes.items())]
