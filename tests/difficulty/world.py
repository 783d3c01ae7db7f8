"""Made-up trials of three verifiers, with errors, reworded and outdated runs among them, and their rules in Python."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

NOW, BEFORE = "snapshot-2", "snapshot-1"
# As vars.difficulty: three trials from memory and four of an agent; a third of all trials may err.
RULES = {"verifier": "big", "k1": 3, "tau1": 0.5, "k2": 4, "tau2": 0.5, "most_errors": 0.34}
# Run, verifier, setting, share right, share errored, questions, samples.
RUNS: tuple[tuple[str, str, str, float, float, int, int], ...] = (
    ("big-1", "big", "closed_book", 0.3, 0.1, 90, 2),
    ("big-2", "big", "closed_book", 0.3, 0.1, 90, 3),
    ("big-3", "big", "agent", 0.4, 0.2, 80, 6),
    ("big-gold", "big", "oracle", 0.4, 0.3, 100, 2),
    ("small-1", "small", "closed_book", 0.1, 0.0, 100, 3),
    ("small-2", "small", "agent", 0.2, 0.4, 100, 5),
    ("lone-1", "lone", "closed_book", 0.5, 0.0, 40, 3),
    ("old-1", "big", "agent", 1.0, 0.0, 100, 4),
    ("reworded-1", "small", "closed_book", 1.0, 0.0, 100, 4),
    ("seen-1", "reader", "oracle", 0.5, 0.0, 30, 1),
)


@lru_cache
def questions() -> pd.DataFrame:
    """100 deep-research questions over five domains, with texts that are awkward to digest, and 20 others."""
    domains = ("geophysical", "biochemistry", "financial", "history", "security")
    return pd.DataFrame(
        {
            "question_id": f"{'d' if number < 100 else 'm'}{number:03}",
            "family": "deep_research" if number < 100 else "multi_entity",
            "category": domains[number % 5] if number < 100 else "comparison",
            "type": "scientific_inference" if number < 100 else "superlative",
            "topic": "mountains",
            "density": "low",
            "entity_count": 1,
            "hops": 2,
            "split": "train" if number % 3 else "test",
            "snapshot_id": NOW,
            "question": f"Find the 'peak' {number} — é,\nits height?",
            "gold_answer": str(number),
        }
        for number in range(120)
    )


@lru_cache
def landed() -> Mapping[str, pd.DataFrame]:
    """Runs, answers and verdicts of RUNS; a transport failure and an unread judge are both errors."""
    dice = np.random.default_rng(11)
    ids = questions()["question_id"].tolist()
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for day, (run_id, model, setting, right, errored, n, samples) in enumerate(RUNS):
        reworded = run_id.startswith("reworded")
        parts["runs"].append(
            {
                "run_id": run_id,
                "model": model,
                "setting": setting,
                "family": "deep_research",
                "question_set": '{"n": 0, "wording": "refined"}' if reworded else '{"n": 0}',
                "snapshot_id": BEFORE if run_id.startswith("old") else NOW,
                "n_questions": n,
                "samples": samples,
                # The order of trials is that of the runs, and not of their ids.
                "started_at": dt.datetime(2026, 11, 30 - day, tzinfo=dt.UTC),
            }
        )
        for question_id in ids[:n] + ids[100:105]:
            for sample in range(samples):
                draw, kind = dice.random(), dice.random()
                lost = draw < errored and kind < 0.5
                unread = draw < errored and not lost
                solved = draw >= errored and dice.random() < right
                outcome = "failed" if lost else "answered" if solved or kind < 0.8 else "refused"
                key = {"run_id": run_id, "question_id": question_id, "sample": sample}
                parts["answers"].append({**key, "outcome": outcome})
                verdict = {
                    "correct": solved,
                    "scored": not (lost or unread),
                    "scorer": "judge" if unread else "numeric",
                }
                parts["verdicts"].append({**key, **verdict})
    return {name: pd.DataFrame(rows) for name, rows in parts.items()}


def _trials() -> Iterator[tuple[str, str, str, bool, bool]]:
    """(model, setting, question, scored, right) of every trial that may count, in the order of the trials."""
    rows = landed()
    verdicts = {(v["run_id"], v["question_id"], v["sample"]): v for v in rows["verdicts"].to_dict("records")}
    started = {run["run_id"]: run for run in rows["runs"].to_dict("records")}
    for run_id in sorted(started, key=lambda name: started[name]["started_at"]):
        if run_id.startswith(("old", "reworded")):
            continue
        run = started[run_id]
        mine = rows["answers"][rows["answers"]["run_id"] == run_id].sort_values("sample")
        for answer in mine.to_dict("records"):
            verdict = verdicts[run_id, answer["question_id"], answer["sample"]]
            yield run["model"], run["setting"], answer["question_id"], verdict["scored"], verdict["correct"]


def expected(valid: set[str]) -> dict[tuple[str, str], dict[str, Any]]:
    """(question, verifier) -> counts, accuracies and status. valid: questions that people found right."""
    given: dict[tuple[str, str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for model, setting, question_id, scored, right in _trials():
        given[model, setting, question_id].append((scored, right))
    ids = [question_id for question_id in questions()["question_id"] if question_id.startswith("d")]
    solvable = valid | {q for (_, setting, q), found in given.items() if setting == "oracle" and (True, True) in found}
    verifiers = sorted({model for model, setting, _ in given if setting in ("closed_book", "agent")})
    table = {}
    for question_id in ids:
        for verifier in verifiers:
            v1 = _stage(given[verifier, "closed_book", question_id], RULES["k1"])
            v2 = _stage(given[verifier, "agent", question_id], RULES["k2"])
            status = _status(v1, v2, proven=question_id in solvable)
            table[question_id, verifier] = {"v1": v1, "v2": v2, "status": status}
    return table


def _stage(trials: list[tuple[bool, bool]], k: Any) -> tuple[int, int, int, float | None]:
    """(solved, failed, errored, accuracy) of the trials up to the k-th that was scored."""
    solved = failed = errored = 0
    for scored, right in trials:
        if solved + failed == k:
            break
        if not scored:
            errored += 1
        elif right:
            solved += 1
        else:
            failed += 1
    tried = solved + failed + errored
    sound = solved + failed == k and errored <= float(RULES["most_errors"]) * tried
    return solved, failed, errored, solved / k if sound else None


def _status(v1: tuple[int, int, int, float | None], v2: tuple[int, int, int, float | None], *, proven: bool) -> str:
    tried = [sum(stage[:3]) > 0 for stage in (v1, v2)]
    known = [stage[3] for stage in (v1, v2)]
    for accuracy, tau, name in zip(known, ("tau1", "tau2"), ("closed_book", "agent"), strict=True):
        if accuracy is not None and accuracy >= float(RULES[tau]):
            return f"too_easy_{name}"
    if any(was and accuracy is None for was, accuracy in zip(tried, known, strict=True)):
        return "undecided"
    if not all(tried):
        return "not_checked"
    return "hard" if proven else "unproven"
