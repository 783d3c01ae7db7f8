"""Whether what a query gives is what the concept asks for: the causes by which a result is not valid."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from ingest.concepts.declaration import Attribute, Declaration
from ingest.wikidata import values
from ingest.wikidata.constraints import NONE, Constraints

# Pages of Wikimedia's own: disambiguation page, list article, category, template.
INTERNAL: Final[Mapping[str, str]] = {
    "Q4167410": "Wikimedia disambiguation page",
    "Q13406463": "Wikimedia list article",
    "Q4167836": "Wikimedia category",
    "Q11266439": "Wikimedia template",
}
INSTANCE_OF: Final = "P31"
DISSOLVED: Final = "P576"
ENDED: Final = "P582"
# Of a statement that holds at one time among others: point in time, start and end time.
_DATED: Final = ("P585", "P580", ENDED)
_PURE_NUMBER: Final = "Q199"
_KINDS: Final[Mapping[str, str]] = {
    "number": "quantity",
    "year": "time",
    "date": "time",
    "category": "entity",
    "categories": "entity",
}
_LEAST_PRECISION: Final[Mapping[str, int]] = {"year": values.YEAR, "date": values.DAY}
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rules:
    """What results are checked by.

    dimensions: unit -> what it measures, of the units that numbers convert between. constraints: property -> what
    Wikidata expects of it, where that is known. today: ISO date before which an end has come.
    """

    dimensions: Mapping[str, str]
    constraints: Mapping[str, Constraints] = field(default_factory=dict)
    today: str = "9999-12-31"

    def of(self, property_id: str) -> Constraints:
        """What is expected of a property."""
        return self.constraints.get(property_id, NONE)


@dataclass
class Checked:
    """One result. causes: why it is not valid, none where it is. known: attributes with a value that can be used (of
    two steps: the first). reached: attribute of two steps -> the things that its first step leads to."""

    entity_id: str
    label: str | None
    classes: tuple[str, ...]
    causes: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    shown: Mapping[str, str] = field(default_factory=dict)
    reached: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def looked_at(declaration: Declaration) -> list[str]:
    """The properties that a check reads of the members themselves."""
    own = declaration.source().own_properties
    return sorted({*own, DISSOLVED, ENDED} if declaration.is_current else own)


def check(
    declaration: Declaration,
    entities: Sequence[str],
    statements: Iterable[Row],
    names: Mapping[str, Row],
    rules: Rules,
    misfits: Mapping[str, set[str]],
) -> list[Checked]:
    """Every one of ``entities`` with the causes by which it is not valid, in their order.

    Args:
        statements: what is stated of them for the properties of :func:`looked_at`, of every rank.
        names: entity -> its label, of the entities and of their values.
        misfits: attribute -> things that its property may not lead to.
    """
    stated: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in statements:
        if row["rank"] != "deprecated":
            stated[row["subject_id"]][row["property_id"]].append(row)
    return [_checked(declaration, one, stated[one], names, rules, misfits) for one in entities]


def best(rows: Sequence[Row]) -> list[Row]:
    """The statements of the best rank that give a value."""
    preferred = [row for row in rows if row["rank"] == "preferred"]
    return [row for row in preferred or rows if row["value_kind"] not in ("novalue", "somevalue")]


def _checked(
    declaration: Declaration,
    entity: str,
    stated: Mapping[str, list[Row]],
    names: Mapping[str, Row],
    rules: Rules,
    misfits: Mapping[str, set[str]],
) -> Checked:
    classes = tuple(dict.fromkeys(row["value_entity"] for row in best(stated[INSTANCE_OF]) if row["value_entity"]))
    label = (names.get(entity) or {}).get("label")
    causes = [] if label else ["no label"]
    causes += ["internal page"] if any(one in INTERNAL for one in classes) else []
    causes += _ended(declaration, stated, rules.today) if declaration.is_current else []
    known, shown, reached = set(), {}, {}
    for attribute in declaration.attributes:
        rows = best(stated[attribute.steps[0]])
        wrong = _wrong(attribute, rows, rules, misfits.get(attribute.name, set()))
        usable = [row for row in rows if is_usable(first_step(attribute), row, rules)]
        if usable and not wrong:
            known.add(attribute.name)
            shown[attribute.name] = shown_values(usable, names)
            if len(attribute.steps) > 1:
                reached[attribute.name] = tuple(sorted({row["value_entity"] for row in usable}))
        if wrong:
            causes.append(f"{wrong}: {attribute.name}")
        elif not usable and attribute.name in declaration.required:
            causes.append(f"missing: {attribute.name}")
    return Checked(entity, label, classes, tuple(causes), frozenset(known), shown, reached)


def _wrong(attribute: Attribute, rows: Sequence[Row], rules: Rules, misfits: set[str]) -> str | None:
    """What is wrong with an attribute's values, None where nothing is."""
    expected = rules.of(attribute.steps[0])
    kind = _KINDS["category" if len(attribute.steps) > 1 else attribute.kind]
    if any(not _fits_kind(kind, row) for row in rows):
        return "kind"
    if kind == "quantity":
        if any(not _unit_fits(attribute, row["unit_id"], expected, rules.dimensions) for row in rows):
            return "unit"
        if any(not _within(row, expected) for row in rows):
            return "range"
    if any(row["value_entity"] in misfits for row in rows):
        return "value type"
    undated = [row for row in rows if not any(one in _qualifiers(row) for one in _DATED)]
    if expected.is_single and attribute.kind != "categories" and len(undated) > 1 and len(undated) == len(rows):
        return "several"
    return None


def _fits_kind(kind: str, row: Row) -> bool:
    # A category may be a text, such as a grade.
    return row["value_kind"] == kind or (kind == "entity" and row["value_kind"] == "text")


def first_step(attribute: Attribute) -> str:
    """The kind that the first step's values are of: of two steps, the first leads to things."""
    return "hop" if len(attribute.steps) > 1 else attribute.kind


def is_usable(kind: str, row: Row, rules: Rules) -> bool:
    """Whether a topic's table would get a value of a kind from this statement; 'hop': a thing to go on from."""
    if kind == "hop":
        return bool(row["value_kind"] == "entity")
    if not _fits_kind(_KINDS[kind], row):
        return False
    if kind in _LEAST_PRECISION:
        return row["value_time"] is not None and row["time_precision"] >= _LEAST_PRECISION[kind]
    if kind == "number":
        return _number(row) is not None and (row["unit_id"] or _PURE_NUMBER) in rules.dimensions
    return True


def _unit_fits(attribute: Attribute, unit: str | None, expected: Constraints, dimensions: Mapping[str, str]) -> bool:
    """Whether a quantity's unit is an allowed one, and converts to the attribute's."""
    if expected.units is not None and unit not in expected.units:
        return False
    wanted = attribute.unit or _PURE_NUMBER
    return unit == wanted or dimensions.get(unit or _PURE_NUMBER, unit) == dimensions.get(wanted, wanted)


def _within(row: Row, expected: Constraints) -> bool:
    number = _number(row)
    if number is None:
        return False
    return not (
        (expected.least is not None and number < expected.least)
        or (expected.most is not None and number > expected.most)
    )


def _number(row: Row) -> Decimal | None:
    try:
        return Decimal(row["amount_text"])
    except (InvalidOperation, TypeError):
        return None


def _ended(declaration: Declaration, stated: Mapping[str, list[Row]], today: str) -> list[str]:
    """Whether a member, or what makes it one, has come to an end."""
    if any(_is_past(row["value_time"], today) for prop in (DISSOLVED, ENDED) for row in best(stated[prop])):
        return ["ended"]
    for one in declaration.filters:
        rows = [row for row in stated[one.property] if row["value_entity"] in one.values]
        if rows and all(_has_ended(row, today) for row in rows):
            return ["ended"]
    return []


def _has_ended(row: Row, today: str) -> bool:
    """Whether a statement has an end time that has passed, or is not known; "no value" is no end."""
    ends = _qualifiers(row).get(ENDED, [])
    return any(one["kind"] != "novalue" and _is_past(one.get("value"), today) for one in ends)


def _is_past(time: str | None, today: str) -> bool:
    """Whether a landed time is before today: one before our era is, and one that is not known counts as past."""
    return time is None or time.startswith("-") or time[: len(today)] < today


def _qualifiers(row: Row) -> dict[str, list[dict[str, Any]]]:
    return json.loads(row["qualifiers"]) if row["qualifiers"] else {}


def shown_values(rows: Sequence[Row], names: Mapping[str, Row]) -> str:
    """Values as a person reads them, several between '; '."""
    return "; ".join(sorted({_shown(row, names) for row in rows}))


def _shown(row: Row, names: Mapping[str, Row]) -> str:
    """A value as a person reads it."""
    if row["value_kind"] == "entity":
        return str((names.get(row["value_entity"]) or {}).get("label") or row["value_entity"])
    if row["value_kind"] == "quantity":
        return " ".join(filter(None, (row["amount_text"], row["unit_id"])))
    if row["value_kind"] == "time":
        return str(row["value_time"] or row["value_text"]).removesuffix("T00:00:00Z").replace("-00", "")
    return str(row["value_text"])
