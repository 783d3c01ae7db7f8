"""A proposal's words, linked, as a declaration: what a person would have written by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from pydantic import ValidationError

from dagster_defs.steps.propose.link import Linked, Linker
from dagster_defs.steps.propose.propose import (
    MOST_ATTRIBUTES,
    MOST_FILTERS,
    Proposal,
    ProposedAttribute,
    ProposedFilter,
)
from dagster_defs.steps.propose.units import Units
from ingest.concepts.declaration import Attribute, Declaration
from ingest.topics import StatementFilter
from ingest.wikidata.constraints import Constraints

FIELD: Final = "proposed"
_ITEM: Final = "wikibase-item"
_DATATYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "number": ("quantity",),
    "year": ("time",),
    "date": ("time",),
    "category": (_ITEM,),
    "categories": (_ITEM,),
}


@dataclass
class Concept:
    """What came of linking a proposal. failures: why it can't be used, or what of it was left out, as sentences.

    constraints: of the properties that were linked, by id.
    """

    declaration: Declaration | None = None
    failures: list[str] = field(default_factory=list)
    constraints: dict[str, Constraints] = field(default_factory=dict)


def concept_of(
    name: str, topic: str, proposal: Proposal, linker: Linker, units: Units, varying: Collection[str] = ()
) -> Concept:
    """The declaration that a proposal's words come to. varying: properties of which the latest value stands.

    A class or a filter that nothing can be found for rules the proposal out; an attribute is left out.
    Raises IngestError where the search or the endpoint can't answer.
    """
    found = Concept()
    kind = linker.class_of(proposal.class_name).entity
    if kind is None:
        found.failures.append(linker.linked[-1].failure())
        return found
    filters: list[StatementFilter] = []
    labels: dict[str, str] = {}
    for one in proposal.filters[:MOST_FILTERS]:
        wanted = _filter(one, kind.entity_id, linker, found, labels)
        if wanted is None:
            return found
        filters.append(wanted)
    attributes: dict[str, dict[str, Any]] = {}
    required = []
    for attribute in proposal.attributes[:MOST_ATTRIBUTES]:
        made = _attribute(attribute, kind.entity_id, linker, found, units, varying)
        if made is not None and made["name"] not in attributes:
            attributes[made["name"]] = made
            required += [made["name"]] if attribute.is_required else []
    if not attributes:
        found.failures.append("No attribute of the proposal is one that Wikidata has.")
        return found
    given = {
        "field": FIELD,
        "concept": name,
        "topic": topic,
        **{key: getattr(proposal, key).strip() or name for key in ("singular", "plural", "description")},
        "classes": {kind.entity_id: kind.label or proposal.class_name},
        "filters": filters,
        "required": required[:1],
        "is_current": proposal.is_current,
        "attributes": list(attributes.values()),
        "labels": labels,
    }
    try:
        found.declaration = Declaration.model_validate(given)
    except ValidationError as error:
        found.failures.append(f"The proposal does not hang together: {error.errors()[0]['msg']}.")
    return found


def topic_name(concept: str) -> str:
    """A concept's name as a table can bear it: 'ACM Fellows' -> acm_fellows."""
    name = re.sub(r"[^a-z0-9]+", "_", concept.casefold()).strip("_")
    return name if name[:1].isalpha() else f"topic_{name}".rstrip("_")


def _filter(
    one: ProposedFilter, class_id: str, linker: Linker, found: Concept, labels: dict[str, str]
) -> StatementFilter | None:
    """A filter, or None with the reason among the failures."""
    bounds = {
        key: Decimal(repr(bound))
        for key, bound in (("min", one.least), ("max", one.most))
        if bound is not None and math.isfinite(bound)
    }
    values = [name for name in one.values if name.strip()]
    datatypes = ("quantity",) if bounds and not values else (_ITEM,) if values else (_ITEM, "quantity", "time")
    linked = linker.property_of("of a filter", one.property, datatypes, class_id)
    prop = _known(linked, found)
    if prop is None:
        return None
    if not values:
        return StatementFilter(property=prop, **bounds) if bounds else StatementFilter(property=prop, present=True)
    ids = []
    for name in values:
        value = linker.value_of(name, class_id, prop, found.constraints[prop])
        if value.entity is None:
            found.failures.append(value.failure())
            return None
        ids.append(value.entity.entity_id)
        labels[value.entity.entity_id] = value.entity.label
    return StatementFilter(property=prop, values=tuple(dict.fromkeys(ids)))


def _attribute(
    one: ProposedAttribute, class_id: str, linker: Linker, found: Concept, units: Units, varying: Collection[str]
) -> dict[str, Any] | None:
    """An attribute as a declaration has it; None, with the reason among the failures, where it can't be one."""
    own = _DATATYPES[one.kind]
    first = linker.property_of("of an attribute", one.property, (_ITEM,) if one.then else own, class_id)
    path = _known(first, found)
    second = linker.property_of("of an attribute's value", one.then, own, None) if one.then else None
    last = path if second is None else _known(second, found)
    if path is None or last is None or first.entity is None:
        return None
    labels = [first.entity.label, *([second.entity.label] if second is not None and second.entity else [])]
    name = topic_name(one.name)
    if one.kind == "year" and not name.endswith("_year"):
        name = f"{name}_year"
    words: dict[str, Any] = {"adjective": one.adjective} if one.kind == "number" else {}
    if one.kind in ("category", "categories"):
        words = {key: text for key in ("scope", "member") if "{value}" in (text := getattr(one, key) or "")}
    unit = units.of(one.unit, found.constraints[last].units) if one.kind == "number" else None
    made = {
        "name": name,
        "path": path if second is None else f"{path}/{last}",
        "label": " / ".join(label or prop for label, prop in zip(labels, (path, last), strict=False)),
        "kind": one.kind,
        "phrase": " ".join(one.phrase.split()) or name.replace("_", " "),
        **({"unit": unit, "unit_name": units.plurals[unit]} if unit else {}),
        **({"volatile": True} if one.kind == "number" and last in varying else {}),
        **{key: value for key, value in words.items() if value is not None},
    }
    try:
        Attribute.model_validate(made)
    except ValidationError as error:
        found.failures.append(f"The attribute '{one.name}' can't be used: {error.errors()[0]['msg']}.")
        return None
    return made


def _known(linked: Linked, found: Concept) -> str | None:
    """The id of a property, its constraints kept; None, with the reason among the failures, where there is none."""
    if linked.entity is None:
        found.failures.append(linked.failure())
        return None
    found.constraints[linked.entity.entity_id] = linked.entity.constraints
    return linked.entity.entity_id
