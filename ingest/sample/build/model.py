"""What a dataset module hands over: items (entities with their names) and facts (full statements about them)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Rank = Literal["preferred", "normal", "deprecated"]
Calendar = Literal["gregorian", "julian"]

YEAR, MONTH, DAY = 9, 10, 11
"""Wikidata's precision of a time; 7 is a century and 8 a decade."""


@dataclass(frozen=True)
class Item:
    """An entity. `label` is in `lang`; an item nobody named in English has `label=None` and names in `other_labels`."""

    id: str
    label: str | None
    lang: str = "en"
    description: str | None = None
    aliases: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    wikipedia: str | None = None
    sitelinks: int | None = None
    other_labels: Mapping[str, str] = field(default_factory=dict)
    source: str = "typed"


@dataclass(frozen=True)
class Quantity:
    """A number as the source wrote it, with the Q-id of its unit; `unit=None` is a pure number."""

    amount: str
    unit: str | None = None
    lower: str | None = None
    upper: str | None = None


@dataclass(frozen=True)
class Time:
    """A date at a stated precision: '1789-04-30', '1789-04' or '1789'; n BCE is written '-n' with four digits."""

    iso: str
    precision: int = YEAR
    calendar: Calendar = "gregorian"


@dataclass(frozen=True)
class Ref:
    """Another entity, by its id."""

    id: str


@dataclass(frozen=True)
class Text:
    """A string, or a text in a language when `lang` is given."""

    value: str
    lang: str | None = None


@dataclass(frozen=True)
class Coordinate:
    """A point on the Earth in decimal degrees."""

    lat: float
    lon: float


@dataclass(frozen=True)
class NoValue:
    """The source says that there is none."""


@dataclass(frozen=True)
class SomeValue:
    """There is a value and nobody knows it."""


NOVALUE = NoValue()
SOMEVALUE = SomeValue()

Value = Quantity | Time | Ref | Text | Coordinate | NoValue | SomeValue


@dataclass(frozen=True)
class Fact:
    """One statement: rank, qualifiers in order, and the name of its source in `sources.py`.

    `url` is a page that says so for this one fact; the source's own address is added in any case.
    """

    subject: str
    property: str
    value: Value
    rank: Rank = "normal"
    qualifiers: tuple[tuple[str, Value], ...] = ()
    source: str = "typed"
    url: str | None = None
