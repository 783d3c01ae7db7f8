"""This export as a task of inspect_ai: `inspect eval inspect_task.py --model ...`.

The scorer is Assay's own, copied into this folder; see assay_scorer/__init__.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState, generate

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from assay_scorer import Scorer  # noqa: E402  (found only once this folder is on the path)

# Why a reply ended -> what Assay calls it.
OUTCOMES = {"max_tokens": "cut", "model_length": "cut", "content_filter": "refused"}


@task
def assay(split: str = "", max_tokens: int = 512) -> Task:
    """The questions of ``split`` (test where the export has it), in Assay's closed-book prompt.

    max_tokens: limit on a reply, thoughts included; Assay's own is 512.
    """
    split = split or ("test" if (HERE / "data" / "test.jsonl").exists() else "train")
    return Task(
        dataset=MemoryDataset(samples(split), name=f"{HERE.name}/{split}"),
        solver=generate(),
        scorer=matching(),
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens),
        name=f"assay_{HERE.name}",
    )


def samples(split: str) -> list[Sample]:
    """One sample a question; its whole row is the metadata. Raises FileNotFoundError for a split that isn't there."""
    with (HERE / "data" / f"{split}.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [Sample(messages(row), id=row["question_id"], target=row["gold_answer"], metadata=row) for row in rows]


def messages(row: dict[str, Any]) -> list[ChatMessageSystem | ChatMessageUser]:
    """The prompt of a row, system before user."""
    system, user = (message["content"] for message in row["prompt"])
    return [ChatMessageSystem(content=system), ChatMessageUser(content=user)]


@scorer(metrics=[accuracy(), stderr(), grouped(accuracy(), "type", all=False)])
def matching() -> Any:
    """Assay's matcher: right or wrong, with the reason."""
    known = Scorer(HERE / "reference.json")

    async def score(state: TaskState, target: Target) -> Score:
        outcome = OUTCOMES.get(state.output.stop_reason, "answered")
        found = known.score(state.metadata, state.output.completion, outcome)
        return Score(
            value=CORRECT if found.correct else INCORRECT,
            answer=state.output.completion,
            explanation=f"{found.outcome}: {found.detail}",
            metadata={"outcome": found.outcome, "scorer": found.scorer, "needs_judge": found.needs_judge},
        )

    return score
