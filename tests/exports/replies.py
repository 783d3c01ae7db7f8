"""What a made-up model replies to exported questions: all right, all wrong, or right in many and wrong in more ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from dagster_defs.steps.exports.chat import gold_reply
from dagster_defs.steps.solve.questions import Question

# What a reply says, and why it ended.
Said = tuple[str, str]


def right(question: Question) -> Said:
    """The gold."""
    return gold_reply(question), "stop"


def wrong(question: Question) -> Said:
    """Readable, and never the gold."""
    if question.gold_columns:
        return json.dumps({"columns": ["continent"], "method": "levene", "answer": question.gold_answer}), "stop"
    answer: Any = "no" if question.gold_answer == "yes" else "yes"
    return json.dumps({"answer": -1 if question.gold_kind == "number" else answer, "unit": None}), "stop"


def _in_thousands(question: Question) -> Said:
    """The gold in a unit a thousand times as large, where it has one."""
    if question.gold_unit != "metres" or question.gold_value is None:
        return right(question)
    return json.dumps({"answer": question.gold_value / 1000, "unit": "kilometres"}), "stop"


def _by_alias(question: Question) -> Said:
    if not question.gold_aliases:
        return right(question)
    return json.dumps({"answer": question.gold_aliases[0], "unit": None}), "stop"


WAYS: tuple[Callable[[Question], Said], ...] = (
    right,
    lambda question: (f"Sure!\n```json\n{gold_reply(question)}\n```", "stop"),
    _in_thousands,
    _by_alias,
    lambda question: (f"<think>\nIt may be 7.\n</think>\n\n{gold_reply(question)}", "stop"),
    lambda question: (question.gold_answer, "stop"),
    wrong,
    lambda question: ("I would rather not say.", "stop"),
    lambda question: (json.dumps({"answer": f"It isn't {question.gold_answer}, or is it?", "unit": None}), "stop"),
    lambda question: (gold_reply(question)[:-3], "length"),
    lambda question: (gold_reply(question), "length"),
    lambda question: ("", "stop"),
)


def _mixed(first: int) -> Callable[[Question], Said]:
    """One of the ways, by the number in the question's id, counted from ``first``."""
    return lambda question: WAYS[(first + int(question.question_id[1:])) % len(WAYS)](question)


# Two mixtures, which go all ways between them.
MODELS: Mapping[str, Callable[[Question], Said]] = {
    "right": right,
    "wrong": wrong,
    "mixed": _mixed(0),
    "odd": _mixed(7),
}
