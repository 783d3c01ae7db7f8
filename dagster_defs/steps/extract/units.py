"""Units as a text names them, found among those that are listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Context

from dagster_defs.steps.matching.texts import plain
from dagster_defs.steps.matching.units import Measure, Units
from ingest.wikidata.values import DIMENSIONLESS

# Factors are equal that differ by how a number is printed.
_FACTORS = Context(prec=10)
_Key = tuple[object, ...]


class ListedUnits:
    """The units of seeds/units.csv, by what they are called and by what they measure.

    dimensions: unit -> what it measures.
    """

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        """`rows`: unit_id, label, label_plural, symbol, dimension, factor, addend, base_unit, all as text."""
        listed = [dict(row) for row in rows]
        self.dimensions = {row["unit_id"]: row["dimension"] for row in listed}
        self._units = Units(listed)
        self._named: dict[str, list[str]] = {}
        self._measures: dict[str, Measure] = {}
        self._measured: dict[_Key, list[str]] = {}
        for row in listed:
            unit_id = row["unit_id"]
            if unit_id in DIMENSIONLESS:
                continue
            for name in {row["label"].casefold(), row["label_plural"].casefold(), plain(row["symbol"])} - {"", "1"}:
                self._named.setdefault(name, []).append(unit_id)
            measure = self._units.parse(row["label"])
            if measure is not None:
                self._measures[unit_id] = measure
                self._measured.setdefault(_key(measure), []).append(unit_id)

    def named(self, words: str, like: str | None) -> str | None:
        """The listed unit that ``words`` name, a field of their own, or begin with; None for none.

        like: the unit that is usual, which decides between units of one name.
        """
        text = plain(words).strip(" .,;:()")
        named = self._named.get(text) or self._named.get(text.casefold())
        return self._first(named, like) if named else self.begins(text, like)

    def begins(self, text: str, like: str | None) -> str | None:
        """The listed unit that ``text``, already plain, begins with behind a number; None for none."""
        measure = self._units.parse(text.lstrip(" -"), self._measures.get(like or ""))
        return self._first(self._measured.get(_key(measure), []), like) if measure is not None else None

    def is_same(self, one: str, other: str) -> bool:
        """Whether both are the same measure, such as g/L and kg/m3."""
        if one == other:
            return True
        measures = self._measures.get(one), self._measures.get(other)
        return measures[0] is not None and measures[1] is not None and _key(measures[0]) == _key(measures[1])

    def _first(self, found: list[str], like: str | None) -> str | None:
        """The usual unit where it is among those found, else one of its dimension, else the first."""
        alike = [one for one in found if like and self.dimensions[one] == self.dimensions.get(like)]
        return like if like in found else next(iter(alike or found), None)


def _key(measure: Measure) -> _Key:
    return measure.dimensions, _FACTORS.plus(measure.factor).normalize(), _FACTORS.plus(measure.addend).normalize()
