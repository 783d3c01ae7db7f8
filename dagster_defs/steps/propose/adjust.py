"""What may be changed about a concept's query: a closed list, built from the causes by which its results fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dagster_defs.steps.propose.check import DISSOLVED, ENDED, INTERNAL
from dagster_defs.steps.propose.measure import Bar, Measured
from ingest.concepts.declaration import Declaration
from ingest.topics import StatementFilter
from ingest.wikidata.constraints import Constraints

# Classes that are left out, or narrowed down to, in one step; each is a query of its own.
_MOST_CLASSES: Final = 3
_HALF: Final = 0.5


@dataclass(frozen=True)
class Adjustment:
    """A changed concept, and what was changed, in words."""

    told: str
    declaration: Declaration


def adjustments(
    measured: Measured, bar: Bar, constraints: Mapping[str, Constraints], wider: Mapping[str, str]
) -> list[Adjustment]:
    """What might help, each once, the likeliest first.

    wider: classes above the concept's own, which help where there are too few results.
    """
    found: list[Adjustment] = []
    own = measured.declaration
    for adjustment in [*_by_cause(measured, constraints), *_by_class(measured), *_wider(own, measured, bar, wider)]:
        if adjustment.declaration != own and all(one.declaration != adjustment.declaration for one in found):
            found.append(adjustment)
    return found


def _by_cause(measured: Measured, constraints: Mapping[str, Constraints]) -> Iterator[Adjustment]:
    own = measured.declaration
    for cause, _ in measured.causes.most_common():
        what, _, name = cause.partition(": ")
        if what == "no label":
            if own.least_sitelinks < 1:
                yield Adjustment("ask for a page in one wiki at least", _changed(own, least_sitelinks=1))
        elif what == "internal page":
            yield from _without(own, {one: label for one, label in INTERNAL.items() if one in measured.classes})
        elif what == "ended":
            for prop, told in ((DISSOLVED, "dissolved"), (ENDED, "ended")):
                yield _filtered(own, f"leave out what is stated to have {told}", property=prop, absent=True)
        else:
            yield from _by_attribute(own, what, name, constraints)


def _by_attribute(
    own: Declaration, what: str, name: str, constraints: Mapping[str, Constraints]
) -> Iterator[Adjustment]:
    attribute = own.attribute(name)
    prop = attribute.steps[0]
    if what == "missing":
        yield _filtered(own, f"ask for {attribute.label} ({prop})", property=prop, present=True)
    elif what == "unit" and attribute.unit is not None:
        told = f"ask for {attribute.label} ({prop}) in {attribute.unit_name or attribute.unit}"
        yield _filtered(own, told, property=prop, present=True, unit=attribute.unit)
    elif what == "range" and prop in constraints:
        known = constraints[prop]
        bounds = {key: value for key, value in (("min", known.least), ("max", known.most)) if value is not None}
        if bounds:
            yield _filtered(own, f"keep {attribute.label} ({prop}) in its range", property=prop, **bounds)


def _by_class(measured: Measured) -> Iterator[Adjustment]:
    """Leave out direct classes whose members mostly fail, or narrow down to one whose members mostly don't."""
    own = measured.declaration
    named = {one: counts for one, counts in measured.classes.items() if one in measured.labels}
    failing = [one for one, (count, good) in named.items() if good < _HALF * count and one not in own.classes]
    yield from _without(own, {one: measured.labels[one] for one in failing[:_MOST_CLASSES]})
    for one in failing[:_MOST_CLASSES]:
        yield from _without(own, {one: measured.labels[one]})
    enough = _HALF * measured.n_valid
    narrower = [
        one
        for one, (count, good) in named.items()
        if good >= enough > 0 and good > measured.precision * count and one not in own.classes
    ]
    for one in narrower[:_MOST_CLASSES]:
        told = f"narrow the class down to {measured.labels[one]} ({one})"
        yield Adjustment(told, _changed(own, classes={one: measured.labels[one]}))


def _wider(own: Declaration, measured: Measured, bar: Bar, wider: Mapping[str, str]) -> Iterator[Adjustment]:
    if measured.n_results < bar.members:
        for one, label in list(wider.items())[:_MOST_CLASSES]:
            yield Adjustment(f"widen the class to {label} ({one})", _changed(own, classes={one: label}))


def _without(own: Declaration, classes: Mapping[str, str]) -> Iterator[Adjustment]:
    if classes:
        told = ", ".join(f"{label} ({one})" for one, label in classes.items())
        excluded = {**own.excluded_classes, **classes}
        yield Adjustment(f"leave out {told}", _changed(own, excluded_classes=excluded))


def _filtered(own: Declaration, told: str, **wanted: Any) -> Adjustment:
    one = StatementFilter(**wanted)
    return Adjustment(told, own if one in own.filters else _changed(own, filters=(*own.filters, one)))


def _changed(own: Declaration, **what: Any) -> Declaration:
    """The concept with parts exchanged, checked as a whole."""
    return Declaration.model_validate({**dict(own), **what})
