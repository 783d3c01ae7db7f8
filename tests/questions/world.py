"""Made-up topics for the questions' models to mint from: tables as the rooms below give them, with random values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import numpy as np
import pandas as pd

_WORDS = ("higher", "highest", "lower", "lowest")
_META = {
    "position": "integer", "kind": "varchar", "data_type": "varchar", "path": "varchar", "hops": "integer",
    "phrase": "varchar", "phrase_plural": "varchar", "article": "varchar", "unit": "varchar", "more": "varchar",
    "most": "varchar", "less": "varchar", "least": "varchar", "is_integer": "boolean", "is_additive": "boolean",
    "is_volatile": "boolean", "is_year": "boolean", "is_multivalued": "boolean", "scope": "varchar",
    "scope_false": "varchar", "member": "varchar", "shared": "varchar", "via": "varchar", "tolerance": "double",
    "as_of_column": "varchar",
}  # fmt: skip


def number(**meta: Any) -> dict[str, Any]:
    """Meta of an attribute of numbers; whatever is not given is that of a plain measured one."""
    return {"kind": "number", "unit": "metres", "hops": 1, **meta}


def category(**meta: Any) -> dict[str, Any]:
    """Meta of a category that can narrow the topic and be counted."""
    words = {"scope": "in {value}", "member": "lie in {value}", "shared": "a group", "phrase_plural": "groups"}
    return {"kind": "category", "hops": 1, **words, **meta}


Topic = tuple[pd.DataFrame, dict[str, dict[str, Any]]]


def settle(con: duckdb.DuckDBPyConnection, topics: Mapping[str, Topic]) -> None:
    """Create topics.<name>, topics.catalog and topics.entity_attributes, and in schema `given` what the models read.

    `topics` maps a name to its table (entity_id, label and the attributes) and the meta of each attribute.
    """
    columns = ", ".join(f"{name} {kind}" for name, kind in _META.items())
    con.execute(f"""
        create schema if not exists topics;
        create schema if not exists given;
        create table given.attribute_meta (topic varchar, attribute varchar, {columns});
        create table given.topic_meta (topic varchar, singular varchar, plural varchar, label_article varchar);
        create table topics.entity_attributes (
            topic varchar, entity_id varchar, label varchar, attribute varchar, kind varchar, value_num double,
            value_text varchar, value_date date, unit varchar, hops integer, as_of varchar
        )
    """)
    for topic, (table, attributes) in topics.items():
        con.register("frame", table)
        con.execute(f"create table topics.{topic} as select * from frame")
        con.unregister("frame")
        con.execute("insert into given.topic_meta values (?, ?, ?, null)", [topic, topic.removesuffix("s"), topic])
        for position, (name, meta) in enumerate(attributes.items(), start=1):
            _describe(con, topic, name, position, meta)
            _unpivot(con, topic, name, meta)
    con.execute("""
        create table topics.catalog as
            select topic, attribute, kind, phrase, unit, hops, 1.0::double as coverage, 9::bigint as distinct_values,
                is_multivalued, is_volatile as volatile
            from given.attribute_meta;
        create view given.entity_attributes as from topics.entity_attributes;
        create view given.catalog as from topics.catalog;
        create table given.entities as
            select distinct entity_id, label, []::varchar[] as aliases from topics.entity_attributes;
        create table given.snapshots as select 'made-up' as snapshot_id, date '2026-11-30' as as_of, true as is_current;
        create table given.best_values (
            subject_id varchar, property_id varchar, value_entity varchar, rounding_canonical double
        )
    """)


def _describe(con: duckdb.DuckDBPyConnection, topic: str, name: str, position: int, meta: dict[str, Any]) -> None:
    flags = {flag: False for flag, kind in _META.items() if kind == "boolean"}
    more = dict(zip(("more", "most", "less", "least"), _WORDS, strict=True))
    row = {"phrase": name.replace("_", " "), "article": "the", "position": position, **flags, **more, **meta}
    names = ["topic", "attribute", *row]
    marks = ", ".join("?" for _ in names)
    con.execute(f"insert into given.attribute_meta ({', '.join(names)}) values ({marks})", [topic, name, *row.values()])


def _unpivot(con: duckdb.DuckDBPyConnection, topic: str, name: str, meta: dict[str, Any]) -> None:
    value = f"unnest({name})" if meta.get("is_multivalued") else name
    num = value if meta["kind"] == "number" else "null"
    text = "null" if meta["kind"] == "number" else f"cast({value} as varchar)"
    con.execute(
        f"insert into topics.entity_attributes select ?, entity_id, label, ?, ?, {num}, {text}, null, ?, ?, null"
        f" from topics.{topic} where {name} is not null",
        [topic, name, meta["kind"], meta.get("unit"), meta["hops"]],
    )


def sample_topic(seed: int, n: int, *, offset: float = 0.0) -> tuple[pd.DataFrame, dict[str, dict[str, Any]]]:
    """A topic of `n` entities whose columns depend on each other more or less, with ties, gaps and one far outlier.

    length and width are measured in one unit, people are whole numbers with many ties, founded_year has both eras.
    """
    rng = np.random.default_rng(seed)
    region = rng.choice(["North", "South", "East", "West", "Centre"], n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    shape = np.where(rng.random(n) < 0.6, np.where(np.isin(region, ["North", "South"]), "round", "flat"), "long")
    colour = rng.choice(["red", "green", "blue"], n)
    length = rng.normal(50, 8, n) + 9 * (region == "North") + offset
    width = 0.3 * length + rng.normal(0, 4, n) * (1 + 2 * (region == "East"))
    height = rng.lognormal(1, 1, n)
    height[0] = 1e6
    people = rng.poisson(3 + 3 * (shape == "flat"), n).astype(float)
    year = rng.integers(-300, 2000, n).astype(float)
    year[year == 0] = 1
    tongues = [
        sorted(rng.choice(["Aymara", "Breton", "Czech", "Danish"], rng.integers(1, 4), replace=False)) for _ in range(n)
    ]
    table = pd.DataFrame(
        {
            "entity_id": [f"e{seed}-{i}" for i in range(n)], "label": [f"Place {seed} {i}" for i in range(n)],
            "region": region, "shape": shape, "colour": colour, "length": length, "width": width, "height": height,
            "people": people, "founded_year": year, "tongues": tongues,
        }
    )  # fmt: skip
    table.loc[rng.random(n) < 0.1, "width"] = np.nan
    table.loc[rng.random(n) < 0.1, "colour"] = None
    return table, {
        "region": category(phrase_plural="regions", shared="a region"),
        "shape": category(scope="that are {value}", member="are {value}", shared="a shape", phrase_plural="shapes"),
        "colour": category(
            scope="painted {value}", member="are painted {value}", shared="a colour", phrase_plural="colours"
        ),
        "length": number(is_additive=True),
        "width": number(is_volatile=True),
        "height": number(),
        "people": number(unit="people", is_integer=True, is_additive=True),
        "founded_year": number(unit="year", is_integer=True, is_year=True, scope="founded in the {century}"),
        "tongues": category(
            phrase="tongue",
            phrase_plural="tongues",
            shared="a tongue",
            is_multivalued=True,
            scope="speaking {value}",
            member="speak {value}",
            hops=2,
        ),
    }
