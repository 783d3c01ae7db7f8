"""Deep-research questions and runs beside the multi-entity ones of `world`, in one published file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from tests.report import world

DOMAINS = ("geophysical", "biochemistry", "financial", "history", "security")
SCRIPT = world.SCRIPT
# Model, setting, accuracy, accuracy of the entity.
RUNS = (("river-70b", "agent", 0.42, 0.81), ("brook-1b", "agent", 0.11, 0.3), ("brook-1b", "closed_book", 0.07, 0.22))
CLASSES = {
    "no_answer": 0.1, "undetermined": 0, "entity_wrong": 0.25, "unit_factor": 0.05, "arithmetic_wrong": 0.1,
    "value_near": 0.3, "value_far": 0.2,
}  # fmt: skip
SETS = (("assay-deep_research", True, 0.31, 0.62), ("assay-multi_entity", True, 0.5, 0.4), ("theirs", False, 0.2, 0.7))
Rows = list[dict[str, Any]]


def write(path: Path) -> Path:
    """Write the database: 30 multi-entity questions with their runs, and 25 of deep research with theirs."""
    world.write(path, world.questions(30))
    asked = questions()
    with duckdb.connect(str(path)) as connection:
        for table, rows in {**{"questions.questions": asked}, **hidden(asked), **scored(asked)}.items():
            world.insert(connection, table, rows)
    return path


def questions(number: int = 25) -> Rows:
    """Made-up questions of every domain, of one entity and of two; the first has a script for a clue."""
    rows = []
    for i in range(number):
        two, properties = i % 5 == 0, 1 + i % 3
        lakes = "('L1', 'L2')" if two else "('L1')"
        rows.append(
            {
                "question_id": f"d{i:05}",
                "family": "deep_research",
                "category": DOMAINS[i % 5],
                "type": ("quantitative_modelling", "temporal_reasoning")[i % 2],
                "topic": ("lakes", "moons")[i % 2],
                "template_id": f"made_up_{i % 4}",
                "question": f"Find the lake of which this is true, {i}. How large is it, in hectares?",
                "attributes": ["lakes.area_km2"],
                "operation": "formula",
                "hops": 2,
                "entity_count": 1 + two,
                "density": "low",
                "gold_sql": "select 100 * max(area_km2) as answer\nfrom topics.lakes\nwhere entity_id = 'L1'",
                "evidence_sql": "select entity_id, label as entity, 'area_km2' as attribute, area_km2 as value,"
                " case entity_id when 'L1' then 'https://example.org/lakes/1' else 'urn:assay:source:typed' end"
                f" as source_url\nfrom topics.lakes where entity_id in {lakes}",
                "gold_kind": "number",
                "gold_value": 150.0,
                "gold_answer": "150",
                "gold_unit": "hectares",
                "tolerance": 0.026,
                "split": "test" if i % 2 else "train",
                "n_entities": 1 + two,
                "n_properties": properties,
                "cci": 1.0 + two + properties,
                "snapshot_id": world.SNAPSHOT,
            }
        )
    return rows


def hidden(asked: Sequence[dict[str, Any]]) -> dict[str, Rows]:
    """The clues of each question."""
    clues = [[f"It is near the town {n}", f"It is drained by {SCRIPT if n == 0 else 'a river'}"] for n in range(2)]
    return {
        "questions.deep_research": [
            {
                "question_id": row["question_id"],
                "domain": row["category"],
                "clues": clues[: row["n_entities"]],
                **{name: row[name] for name in ("n_entities", "n_properties", "cci")},
            }
            for row in asked
        ],
        "scores.composition": [
            {"row_order": 50 + place, "family": "deep_research", "section": domain, "metric": metric, **sides}
            for place, (domain, metric, sides) in enumerate(
                (domain, metric, {"train": 2, "test": 3, "total": 5 if domain != "security" else 0})
                for domain in ("all domains", *DOMAINS)
                for metric in ("questions", "mean complexity")
            )
        ],
    }


def scored(asked: Sequence[dict[str, Any]]) -> dict[str, Rows]:
    """Every table of runs and scores for `RUNS`, and the distinctiveness of `SETS`."""
    rows: dict[str, Rows] = {
        name: [] for name in (
            "runs.runs", "runs.answers", "runs.verdicts", "scores.leaderboard", "scores.by_model", "scores.trends",
            "scores.failure_shares", "scores.outcomes",
        )
    }  # fmt: skip
    dice = np.random.default_rng(7)
    for rank, run in enumerate(RUNS, 1):
        _run(rank, run, asked, dice, rows)
    kinds = (("self_bleu", "none"), ("dissimilarity", "bge"), ("dissimilarity", "minilm"))
    rows["scores.distinctiveness"] = [
        {
            "set_name": name,
            "is_own": own,
            "measure": measure,
            "embedder": embedder,
            "of_filter": embedder == "minilm",
            "seed": seed,
            "n": 198,
            "n_available": 400,
            "value": (bleu if measure == "self_bleu" else far) + seed / 100,
        }
        for name, own, bleu, far in SETS
        for measure, embedder in kinds
        for seed in (0, 1)
    ]
    return rows


def _run(
    rank: int, run: tuple[str, str, float, float], asked: Sequence[dict[str, Any]], dice: Any, rows: dict[str, Rows]
) -> None:
    model, setting, accuracy, entity = run
    key = {"run_id": f"{model}--{setting}--research"}
    named = {"model": model, "setting": setting, "family": "deep_research", "snapshot_id": world.SNAPSHOT}
    made = {"samples": 1, "question_set": {"family": "deep_research"}, "is_current": True, "n_questions": len(asked)}
    score = {"accuracy": accuracy, "ci_low": accuracy / 2, "ci_high": accuracy + 0.1, "chance": 0.0}
    score |= {"entity_accuracy": entity, "entity_ci_low": entity - 0.1, "entity_ci_high": entity + 0.1}
    score |= {"both_right": accuracy * 0.9, "n": len(asked), "n_unscored": 0}
    rows["runs.runs"].append(key | named | made)
    rows["scores.leaderboard"].append(
        key | named | made | score | {"rank": rank, "tie_group": rank, "is_tied_with_leader": rank == 1}
        | {"cost_usd": 0.5, "n_questions_wanted": len(asked), "accuracy_answered": accuracy}
    )  # fmt: skip
    slices = [
        ("overall", "all"),
        *(("category", domain) for domain in DOMAINS),
        *(("cci", str(cci)) for cci in (2, 3, 4, 5)),
    ]
    slices += [("domain_in_cci", f"{domain}, 3") for domain in DOMAINS]
    rows["scores.by_model"] += [
        key | {"slice_kind": kind, "slice": name, "n_questions": 5} | score for kind, name in slices
    ]
    trend = {
        "n_questions": len(asked),
        "n_levels": 4,
        "jonckheere_z": -2.5,
        "jonckheere_p": 0.0124,
        "spearman_rho": -0.22,
    }
    trend |= {"jonckheere_p_decreasing": 0.0062, "spearman_p": 0.0004}
    rows["scores.trends"] += [key | trend | {"measure": measure} for measure in ("answer", "entity", "both_right")]
    rows["scores.failure_shares"] += [
        key | {"class": name, "n": round(20 * share), "share": share} for name, share in CLASSES.items()
    ]
    rows["scores.outcomes"].append(key | {"asked_for": "answer", "outcome": "answered", "n": len(asked), "share": 1})
    for question in asked:
        right = bool(dice.random() < accuracy)
        one = key | {"question_id": question["question_id"], "sample": 0}
        parsed = {"answer": 150 if right else 15, "unit": "hectares", "entity": "Lake 1"}
        rows["runs.answers"].append(one | {"answer_text": json.dumps(parsed), "parsed": parsed, "outcome": "answered"})
        rows["runs.verdicts"].append(one | {"correct": right, "scored": True, "scorer": "numeric", "detail": "read 15"})
