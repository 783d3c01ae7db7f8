"""Documents to read from where no article is landed: a sheet of an entity's facts, marked as such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from dagster_defs.steps.chunks import Document
from dagster_defs.steps.matching import Attribute, Fact

_SHEET = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("fact_sheet.jinja").read_text()
)


def fact_sheet(
    label: str, facts: Sequence[Fact], attributes: Mapping[str, Attribute], topic: str, as_of: str
) -> Document:
    """The sheet of one entity, a line for each attribute. as_of: the day of the snapshot it is made from."""
    values: dict[str, list[str]] = {}
    for fact in facts:
        values.setdefault(fact.attribute, []).append(shown(fact, attributes))
    lines = [
        {"phrase": attributes[name].phrase, "name": name, "unit": attributes[name].unit, "values": found}
        for name, found in values.items()
    ]
    text = _SHEET.render(label=label, topic=topic.replace("_", " "), as_of=as_of, lines=lines)
    return Document(label, text.strip() + "\n")


def shown(fact: Fact, attributes: Mapping[str, Attribute]) -> str:
    """A fact's value as people write it: a whole number without its decimal point."""
    attribute = attributes.get(fact.attribute)
    if attribute is not None and attribute.kind == "number" and fact.value.endswith(".0"):
        return fact.value.removesuffix(".0")
    return fact.value
