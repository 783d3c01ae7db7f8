"""EA-F1: the F1 score over exact (entity, attribute, value) tuples of a working table.

Equation: precision = matched / predicted, recall = matched / gold, F1 = 2 P R / (P + R), over sets of distinct tuples
in canonical form (MEBench, section 4, evaluation metrics).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal

from dagster_defs.steps.matching.methods import Attribute, column_key, column_of
from dagster_defs.steps.matching.names import read_boolean
from dagster_defs.steps.matching.numbers import Unclear, read_number, to_decimal
from dagster_defs.steps.matching.sets import keys_of
from dagster_defs.steps.matching.texts import exactly, fold
from dagster_defs.steps.matching.units import Units

_SIX = Context(prec=6, traps=[])
_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_DATE_FORMS = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?:T00:00:00.*)?"),
    re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)? (?:of )?(?P<name>[a-z]+)\.?,? (?P<year>\d{4})"),
    re.compile(r"(?P<name>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"),
)

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Fact:
    """One (entity, attribute, value), as text."""

    entity: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class TupleScore:
    """What a working table is worth.

    matched: one flag per predicted row; of rows that say the same only the first carries it, so that the flags sum to
    n_matched. n_gold, n_predicted: distinct tuples. precision, recall and f1 are 0 where their denominator is.
    """

    matched: tuple[bool, ...]
    n_gold: int
    n_predicted: int
    n_matched: int
    precision: float
    recall: float
    f1: float


def score_tuples(
    predicted: Sequence[Fact],
    gold: Sequence[Fact],
    *,
    attributes: Sequence[Attribute],
    units: Units,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> TupleScore:
    """Compare a predicted working table with the evidence.

    attributes: those of the topic, by which an attribute is known by name or phrase, and its values by kind and unit.
    aliases: other names by entity label; one that two entities share names neither.
    """
    canon = _Canon(attributes, units, _entities([fact.entity for fact in gold], aliases or {}))
    wanted = {canon.key(fact) for fact in gold}
    seen: set[Key] = set()
    flags = []
    for fact in predicted:
        key = canon.key(fact)
        flags.append(key in wanted and key not in seen)
        seen.add(key)
    n_matched = sum(flags)
    precision = n_matched / len(seen) if seen else 0.0
    recall = n_matched / len(wanted) if wanted else 0.0
    f1 = 2 * n_matched / (len(seen) + len(wanted)) if n_matched else 0.0
    return TupleScore(tuple(flags), len(wanted), len(seen), n_matched, precision, recall, f1)


def _entities(labels: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name -> key of its entity. Names are exact or folded; labels that fold into one are told apart only exactly."""
    keys = keys_of(labels)
    known: dict[str, str] = {}
    for label, key in keys.items():
        known.setdefault(exactly(label), key)
    for label, key in keys.items():
        known.setdefault(fold(label), key)
    owners: dict[str, set[str]] = {}
    for label, key in keys.items():
        for alias in aliases.get(label, ()):
            owners.setdefault(fold(alias), set()).add(key)
    for alias, owning in owners.items():
        if alias and len(owning) == 1:
            known.setdefault(alias, next(iter(owning)))
    return known


class _Canon:
    """Brings tuples into the form in which they are compared."""

    def __init__(self, attributes: Sequence[Attribute], units: Units, entities: Mapping[str, str]) -> None:
        self.attributes = attributes
        self.by_name = {attribute.name: attribute for attribute in attributes}
        self.units = units
        self.entities = entities
        self._columns: dict[str, str | None] = {}

    def key(self, fact: Fact) -> Key:
        """The tuple in canonical form; what names nothing known stays as folded text and matches nothing."""
        folded = fold(fact.entity) or fact.entity.strip()
        entity = self.entities.get(exactly(fact.entity)) or self.entities.get(folded, folded)
        if fact.attribute not in self._columns:
            self._columns[fact.attribute] = column_of(fact.attribute, self.attributes)
        name = self._columns[fact.attribute]
        attribute = self.by_name.get(name) if name else None
        return entity, name or f"? {column_key(fact.attribute)}", canonical_value(fact.value, attribute, self.units)


def canonical_value(value: str, attribute: Attribute | None, units: Units) -> str:
    """A value as text by which it is compared.

    Numbers: in the attribute's unit, to 6 significant digits, without trailing zeros. Booleans: 'true' or 'false'.
    Dates: YYYY-MM-DD. Everything else, and what can't be read as its kind: folded text.
    """
    kind = attribute.kind if attribute else "text"
    if kind == "number" and attribute:
        number = _number(value, attribute, units)
        if number is not None:
            # Adding 0 turns -0 into 0.
            return f"{_SIX.plus(number).normalize() + 0:g}"
    elif kind == "boolean":
        said = read_boolean(value)
        if said is not None:
            return "true" if said else "false"
    elif kind == "date":
        return _date(value) or fold(value)
    return fold(value) or value.strip()


def _number(value: str, attribute: Attribute, units: Units) -> Decimal | None:
    plainly = to_decimal(value.strip())
    if plainly is not None:
        return plainly
    try:
        # A year is a point in time, not a span of it: "44 BC" is no amount of years.
        unit = None if attribute.unit == "year" else attribute.unit
        return read_number(value, units=units, gold_unit=unit)
    except Unclear:
        return None


def _date(value: str) -> str | None:
    text = " ".join(value.casefold().split())
    for form in _DATE_FORMS:
        match = form.fullmatch(text)
        if match:
            found = match.groupdict()
            month = _MONTHS.get(found["name"], 0) if "name" in found else int(found["month"])
            return f"{found['year']}-{month:02d}-{int(found['day']):02d}" if month else None
    return None
