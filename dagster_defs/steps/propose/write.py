"""Writes a refined concept down as a person would write a topic: SQL, yml, and a report to review them by."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dagster_defs.steps.propose.describe import Coverage, Expected, sample_rows
from dagster_defs.steps.propose.refine import Refined
from ingest.concepts.declaration import Attribute, Declaration
from ingest.landing import atomic_file
from ingest.topics import StatementFilter

_DATA_TYPES: Final[Mapping[str, str]] = {
    "number": "double",
    "year": "double",
    "date": "date",
    "category": "varchar",
    "categories": "varchar[]",
}
# The keys of an attribute that are a column's meta under the same name.
_WORDS: Final = ("phrase", "phrase_plural", "article", "adjective", "scope", "member", "shared")
_FLAGS: Final = ("integer", "additive", "volatile")


@dataclass(frozen=True)
class Column:
    """A column of a topic: the macro call that makes it, and what the yml says of it."""

    name: str
    call: str
    data_type: str
    description: str
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class Report:
    """What a reviewer reads beside the two files. model: who proposed the concept, None where a person declared it.
    varying: properties whose latest value stands, by seeds/properties.csv."""

    concept: str
    topic: str
    refined: Refined
    coverages: Sequence[Coverage]
    expected: Expected | None
    endpoint: str
    day: datetime.date
    model: str | None = None
    varying: frozenset[str] = frozenset()


def topic_sql(declaration: Declaration) -> str:
    """The dbt model of a topic, as an analyst writes it."""
    source = declaration.source()
    facts = [f"classes={_listed(source.classes)}"]
    facts += [f"hops={_listed(source.hops)}"] if source.hops else []
    facts += [f"least_sitelinks={source.least_sitelinks}"] if source.least_sitelinks else []
    conditions = [_condition(one) for one in source.filters]
    if source.excluded_classes:
        conditions.append(f"not {_macro('has_any_of', 'P31', _listed(source.excluded_classes))}")
    return _render("topic.sql.jinja", columns=list(columns(declaration)), facts=facts, conditions=conditions)


def topic_yml(declaration: Declaration) -> str:
    """The yml beside it."""
    source = declaration.source().model_dump(mode="json", exclude_defaults=True, exclude={"name"})
    for one in source.get("filters", ()):
        one |= {key: _plain(one[key]) for key in ("min", "max") if key in one}
    words = {"singular": declaration.singular, "plural": declaration.plural}
    return _render(
        "topic.yml.jinja",
        topic=declaration.topic,
        description=f"One row per {declaration.singular}. {declaration.description}",
        source=source,
        words={**words, "label_article": declaration.label_article},
        columns=list(columns(declaration)),
    )


def columns(declaration: Declaration) -> Iterator[Column]:
    """The columns of a topic, in their order; a value that changes with time is followed by its date."""
    for attribute in declaration.attributes:
        unit = f", unit='{attribute.unit}'" if attribute.unit else ""
        yield Column(
            attribute.name,
            f"{attribute.kind}('{attribute.path}'{unit})",
            _DATA_TYPES[attribute.kind],
            f"{attribute.phrase[:1].upper()}{attribute.phrase[1:]}.",
            _meta(declaration, attribute),
        )
        if attribute.volatile:
            name = f"{attribute.name}_as_of"
            call = f"as_of('{attribute.path}'{unit})"
            yield Column(name, call, "varchar", f"Date of the {attribute.phrase}.", {"kind": "as_of"})


def _meta(declaration: Declaration, attribute: Attribute) -> dict[str, Any]:
    kind = {"year": "number", "categories": "category"}.get(attribute.kind, attribute.kind)
    meta: dict[str, Any] = {"kind": kind, "path": attribute.path}
    first, *then = attribute.steps
    between = [one.name for one in declaration.attributes if one.path == first and one.kind == "category"]
    if then and between:
        meta["via"] = between[0]
    for key in _WORDS:
        if getattr(attribute, key) is not None:
            meta[key] = getattr(attribute, key)
        if key == "article" and attribute.unit_name:
            meta["unit"] = attribute.unit_name
    return meta | {key: True for key in _FLAGS if getattr(attribute, key)}


def _condition(one: StatementFilter) -> str:
    """A filter, said of the rows that a topic's table is made of."""
    unit = f", unit='{one.unit}'" if one.unit else ""
    if one.values:
        return _macro("has_any_of", one.property, _listed(one.values))
    if one.present or one.absent:
        return ("not " if one.absent else "") + f"{{{{ has_value('{one.property}'{unit}) }}}}"
    bounds = [f"{key}={_plain(value)}" for key, value in (("least", one.min), ("most", one.max)) if value is not None]
    return f"{{{{ has_amount('{one.property}', {', '.join(bounds)}{unit}) }}}}"


def write(folder: Path, report: Report) -> list[Path]:
    """Write a proposal below ``folder``, in place of what was there; returns the files, the report last.

    A concept that is refused gets a report alone. Raises LandingError where a file can't be written.
    """
    here = folder / report.topic
    texts = {}
    if report.refined.is_accepted:
        declaration = report.refined.final.declaration
        texts = {f"{report.topic}.sql": topic_sql(declaration), f"{report.topic}.yml": topic_yml(declaration)}
    for name in (f"{report.topic}.sql", f"{report.topic}.yml"):
        (here / name).unlink(missing_ok=True)
    for name, text in {**texts, "README.md": report_text(report, here)}.items():
        with atomic_file(here / name) as handle:
            handle.write(text.encode())
    return [here / name for name in (*texts, "README.md")]


def report_text(report: Report, here: Path) -> str:
    """What a reviewer reads, in Markdown; ``here``: the folder of the proposal."""
    declaration = report.refined.final.declaration if report.refined.iterations else None
    volatile = [one.steps[-1] for one in declaration.attributes if one.volatile] if declaration is not None else []
    return _render(
        "report.md.jinja",
        report=report,
        folder=here,
        declaration=declaration,
        final=report.refined.final if report.refined.iterations else None,
        unlisted=sorted(set(volatile) - report.varying),
        rows=sample_rows(report.refined.final, report.coverages) if report.refined.iterations else [],
    )


def _macro(name: str, path: str, values: str) -> str:
    return f"{{{{ {name}('{path}', {values}) }}}}"


def _listed(ids: Any) -> str:
    return "[" + ", ".join(f"'{one}'" for one in ids) + "]"


def _plain(number: Any) -> int | float | str:
    """A bound as a person writes it."""
    text = f"{number:f}" if not isinstance(number, str) else number
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def scalar(value: Any) -> str:
    """A value as YAML writes it on one line, plain where that reads back as the same."""
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        is_plain = yaml.safe_load(f"{{key: {value}}}") == {"key": value}
        is_plain = is_plain and yaml.safe_load(f"key: {value}") == {"key": value}
    except yaml.YAMLError:
        is_plain = False
    if is_plain:
        return value
    return f"'{value}'" if "'" not in value and value.isprintable() else json.dumps(value, ensure_ascii=False)


def flow(value: Any) -> str:
    """A value as YAML writes it in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def _render(template: str, **values: Any) -> str:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"scalar": scalar, "flow": flow, "cell": _cell}
    return environment.get_template(template).render(**values)
