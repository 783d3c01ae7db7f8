"""Made-up sheets and labels as landed, and the dbt rooms that read them."""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dagster_defs.steps.review import rows as landing
from tests.runs.project import RunsProject

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = "snapshot-1"
TYPES = {"aggregation": "statistics", "superlative": "comparison", "chain": "science"}
WHEN = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
CAUSES = ("stale data", "hallucination", "flattened hop", "ambiguous", "wrong entity", "other")
RUNS = {"run-1": ("river-8b", "rag"), "run-2": ("river-8b", "oracle"), "run-3": ("brook-1b", "rag")}
Rows = list[dict[str, Any]]


@lru_cache
def questions() -> pd.DataFrame:
    """120 questions of two families and three types."""
    rows = []
    for number in range(120):
        kind = list(TYPES)[number % 3]
        rows.append(
            {
                "question_id": f"q{number:03}",
                "family": "deep_research" if kind == "chain" else "multi_entity",
                "category": TYPES[kind],
                "type": kind,
                "topic": f"topic{number % 5}",
                "density": "low",
                "entity_count": 3,
                "hops": 1,
                "split": "test",
                "snapshot_id": SNAPSHOT,
                "question": f"Question {number}?",
                "gold_answer": str(number),
            }
        )
    return pd.DataFrame(rows)


def sheet(sheet_id: str, kind: str = "questions", n: int = 120, days: int = 0) -> Rows:
    """A sheet's landed rows: the first ``n`` questions, or for answers the first ``n`` of each run."""
    rows = []
    for run_id in RUNS if kind == "answers" else (None,):
        for row in questions().to_dict("records")[:n]:
            item = f"{run_id}{row['question_id']}"
            shown = {"shown": "{}", "sample": 0 if run_id else None, "run_id": run_id}
            rows.append(row | shown | {"sheet_id": sheet_id, "kind": kind, "item": item})
    keep = landing.SCHEMAS["sheets"].names
    at = {"written_at": WHEN + dt.timedelta(days=days)}
    return [{name: value for name, value in (row | at).items() if name in keep} for row in rows]


def label(item: str, entity: str = "right", clarity: str = "clear", gold: str = "right", **more: Any) -> dict[str, Any]:
    """A label of a question, with a category where it finds a fault."""
    faulty = entity == "wrong" or clarity == "unclear" or gold == "wrong"
    cause = {"error_category": "other"} if faulty else {}
    return {"item": item, "entity": entity, "clarity": clarity, "gold": gold} | cause | more


def land(project: RunsProject, sheet_id: str, rows: Rows, **labels: Rows) -> None:
    """Land a sheet and each annotator's labels."""
    folder = project.folder / "data/landing/review"
    landing.land(folder, "sheets", sheet_id, rows)
    for annotator, given in labels.items():
        key = {"sheet_id": sheet_id, "annotator": annotator, "imported_at": WHEN}
        landing.land(folder, "labels", f"{sheet_id}--{annotator}", [key | row for row in given])


@lru_cache
def random_labels() -> dict[str, Rows]:
    """Three annotators who agree more often than not, each of whom leaves some questions out."""
    dice = np.random.default_rng(11)
    found: dict[str, Rows] = {"a": [], "b": [], "c": []}
    for number in range(120):
        truth = {"entity": dice.choice(["right", "wrong"], p=[0.8, 0.2]), "gold": dice.choice(["right", "wrong"])}
        for annotator, share in (("a", 0.95), ("b", 0.9), ("c", 0.3)):
            if dice.random() > share:
                continue
            off = dice.random(3) < 0.2
            entity = str(dice.choice(["right", "wrong", "unsure"])) if off[0] else str(truth["entity"])
            gold = str(dice.choice(["right", "wrong", "unsure"])) if off[1] else str(truth["gold"])
            row = label(f"Noneq{number:03}", entity, "unclear" if off[2] else "clear", gold)
            if "error_category" in row:
                row["error_category"] = str(dice.choice(CAUSES, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]))
            found[annotator].append(row)
    return found


def land_runs(project: RunsProject, verdicts: dict[str, list[bool]]) -> None:
    """Land runs of `RUNS`, with an answer to every question and the verdict on it."""
    parts: dict[str, Rows] = {"runs": [], "answers": [], "verdicts": []}
    for run_id, given in verdicts.items():
        model, setting = RUNS[run_id]
        named = {"run_id": run_id, "model": model, "setting": setting, "family": "multi_entity", "samples": 1}
        parts["runs"].append({**named, "n_questions": 120, "snapshot_id": SNAPSHOT, "started_at": WHEN})
        for number, correct in enumerate(given):
            key = {"run_id": run_id, "question_id": f"q{number:03}", "sample": 0}
            parts["answers"].append({**key, "outcome": "answered", "answer_text": "yes"})
            scorer = "exact" if number == 119 else "judge"
            parts["verdicts"].append({**key, "correct": correct, "scored": True, "scorer": scorer})
    project.land({name: pd.DataFrame(rows) for name, rows in parts.items()})


def create(folder: Path) -> RunsProject:
    """The rooms of runs, review and scores over `questions`, texts included."""
    project = RunsProject.create(folder)
    project.prepare()
    project.ask(questions())
    return project
