"""Which articles are read, what is asked of them, and the call that reads one piece of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, get_args

import duckdb
from pydantic import BaseModel

from dagster_defs.errors import RunError
from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.extract.names import Names
from dagster_defs.steps.extract.normalise import Attribute, Known, ValueKind
from dagster_defs.steps.extract.units import ListedUnits
from dagster_defs.steps.passages import sampling
from dagster_defs.steps.published import digest, reading

PROMPT: Final = "extract_attributes"
# The limit on the values of one piece of text.
EXTRACT_TOKENS: Final = 2048
# Attribute's kind -> the kinds of statements that its values can become. A count of a property's entities, or a number
# worked out of a date, is stated by no text as that property's value.
_BECOMES: Final = {
    "number": ("quantity",),
    "year": ("time",),
    "date": ("time",),
    "category": ("entity", "text"),
}
_ATTRIBUTES: Final = """
    select
        attribute, phrase, case when kind = 'number' and is_year then 'year' else kind end, unit, is_multivalued, path
    from topics.attribute_meta
    where topic = ? and hops = 1 and path is not null and not contains(path, '/')
        and kind in ('number', 'category', 'date')
    order by position
"""
# What statements of each property hold, of a topic's own members and of all entities.
_STATEMENTS: Final = """
    select s.property_id, s.value_kind, s.unit_id, count(m.entity_id), count(*)
    from facts.statements as s
    left join topics.{topic} as m on s.subject_id = m.entity_id
    where list_contains(?, s.property_id) and list_contains(?, s.value_kind)
    group by all
    order by all
"""
_PAGES: Final = """
    select m.entity_id, m.label, p.title, p.url, p.revision_id, p.snapshot_id
    from topics.{topic} as m
    inner join documents.pages as p using (entity_id)
    where p.outcome = 'found'
    order by m.entity_id
"""


class Value(BaseModel):
    """A value of one attribute, and the sentence that states it."""

    attribute: str
    value: str
    unit: str | None
    when: str | None
    sentence: str


class Values(BaseModel):
    """All values of a text."""

    values: list[Value]


@dataclass(frozen=True)
class Reading:
    """What is read: the first ``n`` landed articles of each of ``topics`` (0: all; no topics: all that have some).

    sections: 0 for whole articles, else the infobox, the lead and so many sections, subsections included.
    passage_tokens: the longest passage, as tokens are estimated from bytes. Raises RunError for a number that makes no
    sense.
    """

    topics: tuple[str, ...] = ()
    n: int = 0
    sections: int = 0
    passage_tokens: int = 512

    def __post_init__(self) -> None:
        if self.n < 0 or self.sections < 0:
            raise RunError("Articles are read of 0 (all) or more entities, with 0 (all) or more sections.")
        if self.passage_tokens < 64:
            raise RunError(f"A passage needs room for 64 tokens or more, not {self.passage_tokens}.")


@dataclass(frozen=True)
class Page:
    """A landed article, and the entity that it is about."""

    entity_id: str
    label: str
    title: str
    url: str
    revision_id: int
    snapshot_id: str


@dataclass(frozen=True)
class Topic:
    """A topic that is read. singular: what its entities are. pages: in the order of their entities' ids."""

    name: str
    singular: str
    attributes: tuple[Attribute, ...]
    pages: tuple[Page, ...]


def choose(database: Path, wanted: Reading) -> list[Topic]:
    """The topics that have articles and attributes to read, with both.

    Raises RunError when the file can't be read, a topic is unknown, or nothing has landed of what is wanted.
    """
    with reading(database, "articles") as connection:
        known = dict(connection.execute("select topic, singular from topics.topic_meta order by topic").fetchall())
        unknown = sorted(set(wanted.topics) - known.keys())
        if unknown:
            raise RunError(f"There is no topic '{unknown[0]}' in {database}: it has {', '.join(known)}.")
        named = [name for name in known if name in (wanted.topics or known)]
        landed = connection.execute(
            "select count(*) from information_schema.tables where table_schema = 'documents' and table_name = 'pages'"
        ).fetchone()
        topics = [_topic(connection, name, known[name], wanted.n) for name in named] if landed and landed[0] else []
    found = [one for one in topics if one.pages and one.attributes]
    if not any(one.pages for one in topics):
        of = f" of the topics {', '.join(named)}" if wanted.topics else ""
        raise RunError(f"{database} has no articles{of} to read: land articles first with `make pages`.")
    if not found:
        raise RunError(f"Of the topics {', '.join(named)} no attribute is one property that an article could state.")
    return found


def known(database: Path, topics: Iterable[Topic]) -> Known:
    """Units, names and values that answers about ``topics`` are normalised by."""
    properties = sorted({one.property_id for topic in topics for one in topic.attributes})
    with reading(database, "units and names") as connection:
        found = connection.execute("select * from facts.units")
        columns = [column[0] for column in found.description or []]
        units = [
            {name: "" if value is None else str(value) for name, value in zip(columns, row, strict=True)}
            for row in found.fetchall()
        ]
        names = connection.execute("select entity_id, label, aliases from facts.entities order by entity_id").fetchall()
        pairs = connection.execute(
            "select distinct property_id, value_entity from facts.statements"
            " where value_entity is not null and list_contains(?, property_id)",
            [properties],
        ).fetchall()
    values: dict[str, set[str]] = {}
    for property_id, entity_id in pairs:
        values.setdefault(property_id, set()).add(entity_id)
    return Known(ListedUnits(units), Names(names), values)


def extraction_id(topic: Topic, wanted: Reading, extractor: ModelSpec) -> str:
    """The topic and a digest of what is read and how; the same articles read the same way have one id for ever."""
    content = [
        topic.name,
        topic.singular,
        [asdict(one) for one in topic.attributes],
        [wanted.sections, wanted.passage_tokens],
        [[one.entity_id, one.revision_id] for one in topic.pages],
        extractor.identity,
        prompt_sha(),
    ]
    return f"{topic.name}--{digest(content)[:12]}"


def prompt_sha() -> str:
    """The digest of the prompt."""
    return load_prompt(PROMPT).sha


def extract_call(spec: ModelSpec, topic: Topic, entity: str, text: str, sample: int = 0) -> Call:
    """The values in one piece of ``text`` about ``entity``. sample: number of the try, from 0."""
    attributes = [asdict(one) for one in topic.attributes]
    messages = load_prompt(PROMPT).render(kind=topic.singular, entity=entity, attributes=attributes, text=text)
    # A server that takes no schema can't be held to the names: a wrong one then costs its value, not the passage.
    names = tuple(one.name for one in topic.attributes) if spec.json_schema else ()
    return spec.call(
        messages,
        schema=answer_schema(names),
        sample=sample,
        prompt_sha=prompt_sha(),
        max_output_tokens=EXTRACT_TOKENS,
        **sampling(spec, sample),
    )


@lru_cache(maxsize=256)
def answer_schema(attributes: tuple[str, ...]) -> dict[str, Any]:
    """The schema of an answer that names these attributes, any where none are given."""
    schema = deepcopy(schema_of(Values))
    if attributes:
        schema["$defs"]["Value"]["properties"]["attribute"] = {"enum": list(attributes), "type": "string"}
    return schema


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def _topic(connection: duckdb.DuckDBPyConnection, name: str, singular: str, n: int) -> Topic:
    pages = [Page(*row) for row in connection.execute(_PAGES.format(topic=quoted(name))).fetchall()]
    rows = connection.execute(_ATTRIBUTES, [name]).fetchall() if pages else []
    stated = connection.execute(
        _STATEMENTS.format(topic=quoted(name)), [[row[-1] for row in rows], list(get_args(ValueKind))]
    ).fetchall()
    attributes = [found for row in rows if (found := _attribute(row, stated)) is not None]
    return Topic(name, singular, tuple(attributes), tuple(pages[: n or None]))


def _attribute(row: Sequence[Any], stated: Sequence[Sequence[Any]]) -> Attribute | None:
    """An attribute with what its property's statements mostly hold, those of the topic's own members before others'.

    None where these are nothing that a value of the attribute could become, or there are none.
    """
    name, phrase, kind, unit, is_multivalued, property_id = row
    counts: dict[ValueKind, tuple[int, int]] = {}
    units: dict[str | None, tuple[int, int]] = {}
    for of, value_kind, unit_id, own, all_ in stated:
        if of != property_id:
            continue
        mine, others = counts.get(value_kind, (0, 0))
        counts[value_kind] = (mine + own, others + all_)
        if value_kind == "quantity":
            units[unit_id] = (own, all_)
    value_kind = max(counts, key=lambda one: counts[one], default=None)
    if value_kind is None or value_kind not in _BECOMES[kind]:
        return None
    unit_id = max(units, key=lambda one: units[one]) if value_kind == "quantity" else None
    return Attribute(name, phrase, kind, unit, bool(is_multivalued), property_id, value_kind, unit_id)
