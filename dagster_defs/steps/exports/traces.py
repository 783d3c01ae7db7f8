"""Solution traces to train on: what the clues lead to, which values are looked up where, and how the answer follows.

Made of train questions alone, from questions.traces; no model wrote a word of them. A line has the trace in its parts,
and the same as a conversation: the question as Assay asks it, the trace as a thought, then the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.exports.chat import gold_reply
from dagster_defs.steps.exports.questions import Item

FILE = "traces.jsonl"
_PARTS = ("clues", "entities", "properties", "computation", "answer")


def write_traces(items: Sequence[Item], database: Path, licences: Mapping[str, str], folder: Path) -> None:
    """Write ``folder/traces.jsonl``, a line an item. licences: by source, for each value that is looked up.

    Raises ValueError for a question of the test split, which nobody may train on, and RunError where ``database`` has
    no trace of a question.
    """
    with (folder / FILE).open("w", encoding="utf-8") as file:
        for row in _rows(items, database, licences):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _rows(items: Sequence[Item], database: Path, licences: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    found = _read([item.question.question_id for item in items], database)
    for item in items:
        question_id = item.question.question_id
        if item.row["split"] != "train":
            raise ValueError(f"question {question_id} is of the {item.row['split']} split")
        if question_id not in found:
            raise RunError(f"{database} has no trace of question {question_id}: run `make build`, then export again.")
        domain, trace = found[question_id]
        for value in trace["properties"]:
            value["licence"] = licences.get(value["source"])
        reply = f"<think>\n{thought(trace)}\n</think>\n\n{gold_reply(item.question)}"
        messages = [*(dict(message) for message in item.messages), {"role": "assistant", "content": reply}]
        yield {"question_id": question_id, "domain": domain, "question": item.question.question, **trace} | {
            "messages": messages
        }


def _read(question_ids: Sequence[str], database: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Domain and parts of the trace by question. Raises RunError when the table can't be read."""
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            rows = connection.execute(
                f"select question_id, domain, {', '.join(_PARTS)} from questions.traces"
                " where list_contains(?, question_id)",
                [list(question_ids)],
            ).fetchall()
    except duckdb.Error as error:
        raise RunError(f"{database} has no traces to export: {str(error).splitlines()[0]}") from error
    return {
        question_id: (domain, dict(zip(_PARTS, (json.loads(part) for part in parts), strict=True)))
        for question_id, domain, *parts in rows
    }


def thought(trace: Mapping[str, Any]) -> str:
    """The trace in words: clue by clue to the entity, then its values with their sources, then the formula."""
    lines: list[str] = []
    sides = {entity["side"]: entity["label"] for entity in trace["entities"]}
    for side, label in sides.items():
        lines.append(f"Clues about the {_nth(side, len(sides))}:")
        lines += [f"- {_clue(clue)}" for clue in trace["clues"] if clue["side"] == side]
        lines.append(f"Together they leave {label}.")
    lines.append("Values:")
    lines += [f"- {_value(value, sides[value['side']])}" for value in trace["properties"]]
    computation = trace["computation"]
    for name, constant in (computation["constants"] or {}).items():
        unit = f" {constant['pint']}" if constant.get("pint") else ""
        lines.append(f"- {name} = {constant['value']}{unit} ({constant['source']})")
    for name, given in (computation["given"] or {}).items():
        lines.append(f"- {name} = {given:g} (given in the question)")
    answer = trace["answer"]
    lines.append(f"Computation: {computation['formula']} = {answer['value']:.12g} {answer['unit']}")
    return "\n".join(lines)


def _nth(side: int, sides: int) -> str:
    return "entity" if sides == 1 else ("first entity", "second entity")[side - 1]


def _clue(clue: Mapping[str, Any]) -> str:
    through = f" (through {clue['via']})" if clue["via"] else ""
    return f"{clue['says']}{through}: {clue['n_fit']} fit, {clue['n_left']} left"


def _value(value: Mapping[str, Any], label: str) -> str:
    """A value under its name in the formula; a date counts as the number of its day there."""
    number = value["value"].removesuffix(".0")
    unit = f" {value['unit']}" if value["unit"] else ""
    dated = f", as of {value['as_of']}" if value["as_of"] else ""
    return f"{value['input']} = {value['phrase']} of {label}: {number}{unit}{dated} ({value['source_url']})"
