"""What Wikidata's community expects of a property's statements: its property constraints (P2302), out of entity JSON.

The ids of constraints and of what qualifies them are those of Wikidata's help page on property constraints. None of the
recorded bodies that the contract tests read holds a constraint, so that these ids are unchecked against one:
Q21503250 (subject type), Q21510865 (value type), P2308 (class), P2309 (relation), Q21503252 (instance of), Q21514624
(subclass of), Q30208840 (instance or subclass of), Q21514353 (allowed units), P2305 (item of the constraint), Q19474404
(single value), Q21510860 (range), P2313 (minimum value), P2312 (maximum value).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

CONSTRAINT: Final = "P2302"
SUBJECT_TYPE: Final = "Q21503250"
VALUE_TYPE: Final = "Q21510865"
ALLOWED_UNITS: Final = "Q21514353"
SINGLE_VALUE: Final = "Q19474404"
RANGE: Final = "Q21510860"
_CLASS: Final = "P2308"
_RELATION: Final = "P2309"
_ITEM: Final = "P2305"
_LEAST: Final = "P2313"
_MOST: Final = "P2312"
# How the relation of a type constraint reads as a path of ingest.wikidata.queries.PATHS.
_RELATIONS: Final[Mapping[str, str]] = {"Q21503252": "instance", "Q21514624": "subclass", "Q30208840": "either"}


class Types(msgspec.Struct, frozen=True):
    """Classes, and how a thing has to belong to one of them: a key of ``queries.PATHS``."""

    classes: tuple[str, ...]
    path: str = "instance"


class Constraints(msgspec.Struct, frozen=True):
    """What is expected of a property; empty where nothing is.

    units: Q-ids that its quantities may stand in, None where anything may; a pure number is None among them. least and
    most: bounds of a quantity, as it stands. One that is deprecated is not expected.
    """

    subject: Types | None = None
    value: Types | None = None
    units: tuple[str | None, ...] | None = None
    is_single: bool = False
    least: Decimal | None = None
    most: Decimal | None = None


NONE: Final = Constraints()


def read_constraints(statements: Sequence[Mapping[str, Any]]) -> Constraints:
    """The constraints among a property's P2302 statements, as entity JSON has them; what is malformed is left out."""
    found: dict[str, Any] = {}
    for statement in statements:
        qualifiers = statement.get("qualifiers")
        stated: Mapping[str, Any] = qualifiers if isinstance(qualifiers, dict) else {}
        kind = _entity(statement.get("mainsnak", {}))
        if statement.get("rank") == "deprecated" or kind is None:
            continue
        if kind in (SUBJECT_TYPE, VALUE_TYPE):
            classes = tuple(filter(None, map(_entity, stated.get(_CLASS, ()))))
            relation = next(filter(None, map(_entity, stated.get(_RELATION, ()))), "")
            if classes:
                found["subject" if kind == SUBJECT_TYPE else "value"] = Types(
                    classes, _RELATIONS.get(relation, "instance")
                )
        elif kind == ALLOWED_UNITS:
            found["units"] = tuple(_entity(one) for one in stated.get(_ITEM, ())) or None
        elif kind == SINGLE_VALUE:
            found["is_single"] = True
        elif kind == RANGE:
            found["least"], found["most"] = _bound(stated, _LEAST), _bound(stated, _MOST)
    return Constraints(**found)


def _entity(snak: Mapping[str, Any]) -> str | None:
    """The id that a snak holds; None for "no value", and for what is no entity."""
    value = (snak.get("datavalue") or {}).get("value")
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("id"), str):
        return str(value["id"])
    number = value.get("numeric-id")
    letter = {"item": "Q", "property": "P"}.get(str(value.get("entity-type")))
    return f"{letter}{number}" if letter and number is not None else None


def _bound(stated: Mapping[str, Any], property_id: str) -> Decimal | None:
    """An end of a range; None where it is open, or a time."""
    for snak in stated.get(property_id, ()):
        value = (snak.get("datavalue") or {}).get("value")
        try:
            return Decimal(value["amount"]) if isinstance(value, dict) and "amount" in value else None
        except InvalidOperation:
            return None
    return None
