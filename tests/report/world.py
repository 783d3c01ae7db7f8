"""A published database in small, with the columns that the models' ymls declare: made-up lakes, questions and runs."""

from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import yaml

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = "sample-0123456789ab"
SCRIPT = "<script>document.title = 'hacked'</script>"
TABLES = (
    "questions.questions", "questions.deep_research", "questions.rejections", "provenance.snapshots",
    "review.agreement", "review.validity",
    "review.withdrawn", "runs.runs", "runs.answers", "runs.verdicts", "runs.tables", "runs.tuples", "scores.by_model",
    "scores.composition", "scores.distinctiveness", "scores.failure_shares", "scores.leaderboard", "scores.outcomes",
    "scores.pairwise", "scores.trends",
)  # fmt: skip
TYPES = {
    "superlative": "comparison",
    "aggregation": "statistics",
    "correlation_analysis": "statistics",
    "hypothetical_scenarios": "relationship",
}
DENSITIES = {"low": 4, "medium": 40, "high": 400}
# Model, its base, setting, accuracy, rank, tie group, cost in US dollars.
RUNS = (
    ("river-70b", None, "oracle", 0.912, 1, 1, 1.25),
    ("river-8b-tuned", "river-8b", "rag", 0.684, 2, 2, 0.031),
    ("river-70b", None, "rag", 0.671, 3, 2, 1.19),
    ("river-8b", None, "rag", 0.452, 4, 3, 0.029),
    ("brook-1b", None, "closed_book", 0.118, 5, 4, None),
)
Row = Mapping[str, Any]


def run_id(model: str, setting: str) -> str:
    """A run's name."""
    return f"{model}--{setting}--0123456789ab"


def write(path: Path, questions: Sequence[Row], runs: bool = True, samples: int = 2) -> Path:
    """Write the database with ``questions`` and, if asked for, `RUNS`, an answer of each per sample, and a review."""
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema topics")
        connection.execute(
            "create table topics.lakes as select 'L' || i as entity_id, 'Lake ' || i as label, i * 1.5 as area_km2,"
            " i % 40 as depth_m from range(1, 401) r(i)"
        )
        for table in TABLES:
            create(connection, table)
        insert(connection, "questions.questions", questions)
        insert(connection, "questions.rejections", rejections())
        insert(connection, "scores.composition", composition(questions))
        insert(connection, "provenance.snapshots", snapshots())
        for table, rows in ({**run_rows(questions, samples), **review_rows()} if runs else {}).items():
            insert(connection, table, rows)
    return path


def questions(number: int = 90) -> list[dict[str, Any]]:
    """Made-up questions of every type, density and split; the first holds a script, the second a distribution."""
    rows = []
    for i in range(number):
        kind = list(TYPES)[i % len(TYPES)]
        density = list(DENSITIES)[i % 3]
        tested = kind == "correlation_analysis"
        where = f"from topics.lakes\nwhere area_km2 <= {1.5 * DENSITIES[density]} and depth_m <> {50 + i}"
        rows.append(
            {
                "question_id": f"q{i:05}",
                "family": "multi_entity",
                "category": TYPES[kind],
                "type": kind,
                "topic": ("lakes", "rivers", "moons")[i % 3],
                "template_id": "made_up",
                "wording_id": "made_up/1",
                "question": f"Question {i}: what is the greatest depth of the lakes of group {i}, in metres?",
                "attributes": ["lakes.depth_m"],
                "operation": "test" if tested else "max",
                "slots": {},
                "hops": 1,
                "entity_count": DENSITIES[density],
                "density": density,
                "gold_sql": f"select max(depth_m) as answer\n{where}",
                "evidence_sql": f"select entity_id, label as entity, 'depth_m' as attribute, depth_m as value,"
                f" null as via\n{where}",
                "gold_kind": "boolean" if tested else "number",
                "gold_value": None if tested else 39.0,
                "gold_answer": "yes" if tested else "39",
                "gold_unit": None if tested else "metres",
                "tolerance": 0 if tested else 0.01,
                "gold_columns": ["area_km2", "depth_m"] if tested else None,
                "gold_method": "pearsonr" if tested else None,
                "split": "test" if i % 3 == 0 else "train",
                "snapshot_id": SNAPSHOT,
            }
        )
    # what would be in a page's way, were it not escaped
    rows[0]["question"] = f"Is {SCRIPT} & <b>this</b> </script> a name of a lake?"
    rows[1] |= {"gold_kind": "distribution", "gold_answer": json.dumps({"<i>deep</i>": 12, "shallow": 28})}
    return rows


def rejections() -> list[dict[str, Any]]:
    """Rejected candidates of two reasons."""
    kinds = [("tie", "superlative")] * 7 + [("low_power", "correlation_analysis")] * 30 + [("tie", "aggregation")]
    return [
        {"question_id": f"r{i}", "family": "multi_entity", "type": kind, "topic": "lakes", "reason": reason}
        for i, (reason, kind) in enumerate(kinds)
    ]


def composition(questions: Sequence[Row]) -> list[dict[str, Any]]:
    """The make-up of ``questions`` by type."""
    rows = []
    for order, kind in enumerate(TYPES, start=1):
        counts = {s: sum(q["type"] == kind and q["split"] == s for q in questions) for s in ("train", "test")}
        rows.append(
            {
                "family": "multi_entity",
                "row_order": order,
                "section": "types",
                "metric": kind,
                **counts,
                "total": sum(counts.values()),
            }
        )
    return rows


def snapshots() -> list[dict[str, Any]]:
    """One landed dataset."""
    landed = {"as_of": dt.date(2026, 11, 30), "landed_at": dt.datetime(2026, 11, 30, 4), "is_current": True}
    counts = {"files": 1, "row_count": 400, "content_hash": "ab" * 32}
    return [
        {"snapshot_id": SNAPSHOT, "endpoint": "sample", "dataset": "statements", "topic": "lakes", **landed, **counts}
    ]


def run_rows(questions: Sequence[Row], samples: int) -> dict[str, list[dict[str, Any]]]:
    """The rows of runs and scores; answers are right as often as a run's accuracy says, by seeded dice."""
    rows: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES if table.startswith(("runs.", "scores.b"))}
    rows |= {"scores.leaderboard": [], "scores.outcomes": [], "scores.pairwise": pairs(len(questions))}
    dice = np.random.default_rng(3)
    kinds = list(dict.fromkeys(question["type"] for question in questions))
    for model, base, setting, accuracy, rank, tie_group, cost in RUNS:
        key = {"run_id": run_id(model, setting)}
        named = {
            "model": model,
            "base_model": base,
            "setting": setting,
            "family": "multi_entity",
            "snapshot_id": SNAPSHOT,
        }
        score = {"accuracy": accuracy, "ci_low": accuracy - 0.06, "ci_high": accuracy + 0.06, "chance": 0.08}
        made = {"samples": samples, "question_set": {"family": "multi_entity", "n": 90}, "is_current": True}
        counts = {"n_questions": len(questions), "n": len(questions) * samples, "n_unscored": 0}
        rows["runs.runs"].append(
            {**key, **named, **made, "n_questions": len(questions), "started_at": dt.datetime(2026, 12, 1)}
        )
        rows["scores.leaderboard"].append(
            {
                **key, **named, **made, **score, **counts, "rank": rank, "accuracy_answered": accuracy + 0.02,
                "is_tied_with_leader": rank == 1, "tie_group": tie_group, "ea_f1": 0.4, "cost_usd": cost,
                "n_questions_wanted": len(questions), "prompt_tokens": 12_345, "completion_tokens": 678,
            }
        )  # fmt: skip
        ea = {"ea_f1": 0.4, "ea_f1_micro": 0.38, "ea_precision": 0.6, "ea_recall": 0.3, "ea_coverage": 0.67}
        slices = [("overall", "all"), *(("type", kind) for kind in kinds), *(("density", name) for name in DENSITIES)]
        for kind, name in slices:
            moved = float(np.clip(accuracy + dice.normal(0, 0.08), 0, 1))
            ends = {"ci_low": max(moved - 0.09, 0), "ci_high": min(moved + 0.09, 1)}
            rows["scores.by_model"].append(
                {**key, "slice_kind": kind, "slice": name, **score, **counts, **ea, "accuracy": moved, **ends}
            )
        for outcome, share in {"answered": 0.9, "unparsed": 0.06, "refused": 0.04, "cut": 0, "failed": 0}.items():
            part = {"asked_for": "answer", "outcome": outcome, "share": share, "n": round(share * counts["n"])}
            rows["scores.outcomes"].append(key | part)
        for question in questions:
            for sample in range(samples):
                asked_for = {**key, "model": model, "setting": setting, "question_id": question["question_id"]}
                _answer({**asked_for, "sample": sample}, question, accuracy, dice, rows)
    return rows


def review_rows() -> dict[str, list[dict[str, Any]]]:
    """Forty questions reviewed by two annotators: two wrong, one of them for stale data, one undecided."""
    interval = {"valid_low": 0.831, "valid_high": 0.987, "valid_but_stale_low": 0.868, "valid_but_stale_high": 0.996}
    shares = {"n": 39, "n_undecided": 1, "n_valid": 37, "n_stale": 1, "valid": 37 / 39, "valid_but_stale": 38 / 39}
    slices = (("type", "superlative"), ("overall", "all"))
    return {
        "review.validity": [{"slice_kind": kind, "slice": name, **shares, **interval} for kind, name in slices],
        "review.agreement": [
            {
                "field": "valid",
                "slice_kind": kind,
                "slice": name,
                "n": 40,
                "n_labels": 80,
                "agreement": 0.9,
                "alpha": 0.61,
            }
            for kind, name in slices
        ],
        "review.withdrawn": [
            {"question_id": "q00003", "reason": "stale data"},
            {"question_id": "q00007", "reason": "other"},
        ],
    }


def pairs(n: int) -> list[dict[str, Any]]:
    """A comparison of the fine-tuned model and its base."""
    a, b = sorted((run_id("river-8b", "rag"), run_id("river-8b-tuned", "rag")))
    counts = {"n_questions": n, "b": 4, "c": 19}
    return [
        {"run_a": a, "run_b": b, "family": "multi_entity", **counts, "p_value": 0.0026, "p_holm": 0.0078, "tied": False}
    ]


def _answer(key: Row, question: Row, accuracy: float, dice: np.random.Generator, rows: dict[str, list[Any]]) -> None:
    """An answer and its verdict: right, wrong, refused, or failed and so not scored."""
    outcome = str(dice.choice(["answered", "refused", "failed"], p=[0.9, 0.06, 0.04]))
    right = outcome == "answered" and bool(dice.random() < accuracy)
    answer: Any = question["gold_answer"] if right else f"<img src=x> {dice.integers(1000)}"
    parsed = {"answer": answer, "unit": question["gold_unit"]}
    if question["gold_method"]:
        parsed = {"columns": question["gold_columns"], "method": "Pearson's r", "answer": answer}
    text = {"answered": json.dumps(parsed), "refused": "I can't say.", "failed": None}[outcome]
    told = {"answer_text": text, "parsed": parsed if outcome == "answered" else None, "outcome": outcome}
    rows["runs.answers"].append({**key, **told, "prompt_tokens": 100, "completion_tokens": 9})
    scored = outcome != "failed"
    judged = {"correct": right, "scored": scored, "scorer": "numeric" if scored else None, "detail": "made up"}
    rows["runs.verdicts"].append({**key, **judged})


def create(connection: duckdb.DuckDBPyConnection, table: str, model: str | None = None) -> None:
    """Create a table with the columns and comments of its model's yml; ``model`` where it is not called like it."""
    schema, name = table.split(".")
    (file,) = (ROOT / "models").glob(f"*/{model or name}.yml")
    (model,) = yaml.safe_load(file.read_text())["models"]
    columns = ", ".join(f"{column['name']} {column['data_type']}" for column in model["columns"])
    connection.execute(f"create schema if not exists {schema}; create table {table} ({columns})")
    for column in model["columns"]:
        said = " ".join(column["description"].split()).replace("'", "''")
        connection.execute(f"comment on column {table}.{column['name']} is '{said}'")


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Insert rows by column name; what a row lacks is NULL."""
    columns = connection.execute(f"describe {table}").fetchall()
    types = ", ".join(f"'{name}': '{kind}'" for name, kind, *_ in columns)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.writelines(json.dumps(dict(row), default=str) + "\n" for row in rows)
        file.flush()
        read = f"read_json('{file.name}', format = 'newline_delimited', columns = {{{types}}})"
        connection.execute(f"insert into {table} by name from {read}")
