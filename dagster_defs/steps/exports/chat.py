"""Conversations to fine-tune on: the question as Assay asks it, then the rationale as a thought, then the answer.

Made of train questions alone. The rationale stands between <think> and </think>: the prompt asks for one JSON object
and nothing else, and that is what stands outside, so a tuned model keeps to the prompt it is later tested with. Assay
reads the same form from models that leave their thoughts in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from dagster_defs.steps.exports.data import MESSAGES
from dagster_defs.steps.exports.questions import Item
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES
from dagster_defs.steps.solve.documents import shown
from dagster_defs.steps.solve.questions import Question, Warehouse

Rationale = Literal["table", "sql"]
RATIONALES: tuple[Rationale, ...] = ("table", "sql")
# About a thousand tokens of thought; more than half of the bundled sample's train questions fit as a whole.
TUPLES = 50
SCHEMA = Path(__file__).with_name("chat.schema.json")
_ROW = [("question_id", pa.string()), ("messages", MESSAGES)]
COLUMNS: Mapping[Rationale, pa.Schema] = {
    "table": pa.schema([*_ROW, ("tuples", pa.int64()), ("tuples_shown", pa.int64())]),
    "sql": pa.schema(_ROW),
}


def chat_rows(items: Sequence[Item], warehouse: Warehouse, rationale: Rationale) -> Iterator[dict[str, Any]]:
    """One row an item, in their order: question_id, messages, and for tables how many tuples there are and are shown.

    Raises ValueError for a question of the test split, which nobody may train on, and RunError where an evidence_sql
    fails.
    """
    for item in items:
        if item.row["split"] != "train":
            raise ValueError(f"question {item.question.question_id} is of the {item.row['split']} split")
        names = [hidden.label for hidden in warehouse.hidden(item.question)] if item.question.hidden else []
        counts: dict[str, int] = {}
        if rationale == "table":
            thought, counts = _table(item.question, warehouse)
        else:
            thought = str(item.row["gold_sql"]).strip()
        reply = f"<think>\n{thought}\n</think>\n\n{gold_reply(item.question, names)}"
        messages = [*(dict(message) for message in item.messages), {"role": "assistant", "content": reply}]
        yield {"question_id": item.question.question_id, "messages": messages, **counts}


def gold_reply(question: Question, names: Sequence[str] = ()) -> str:
    """The right answer in the form that the prompt asks for. names: of what the question hides."""
    gold: Any = question.gold_answer
    if question.type in STATISTICAL_TYPES:
        form = {"columns": list(question.gold_columns), "method": question.gold_method, "answer": gold}
        return json.dumps(form, ensure_ascii=False)
    if question.gold_kind in ("number", "list", "distribution"):
        # Canonical texts of these are JSON: a number keeps the digits it is written with.
        gold = json.loads(gold)
    named = {"entity": names[0] if len(names) == 1 else list(names)} if names else {}
    return json.dumps({**named, "answer": gold, "unit": question.gold_unit}, ensure_ascii=False)


def _table(question: Question, warehouse: Warehouse) -> tuple[str, dict[str, int]]:
    """The evidence as the setting `oracle` shows it, at most TUPLES of it, and the counts of tuples."""
    evidence = warehouse.evidence(question)
    attributes = {attribute.name: attribute for attribute in warehouse.attributes(question.topic)}
    kept = evidence[:TUPLES]
    lines = ["entity | attribute | value"]
    lines += [f"{fact.entity} | {fact.attribute} | {shown(fact, attributes)}" for fact in kept]
    if len(kept) < len(evidence):
        lines.append(f"(and {len(evidence) - len(kept)} more values)")
    return "\n".join(lines), {"tuples": len(evidence), "tuples_shown": len(kept)}
