"""The questions as the page carries them: an index to search in, and parts to unfold, each packed JSON."""

from __future__ import annotations

import base64
import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagster_defs.steps.report.data import Evidence, Report, Row

# Opening a row unpacks one part, in some milliseconds on a phone.
QUESTIONS_A_PART = 200
# Most bytes of all packed text; what else is on the page has room beside it below 15 MB.
BUDGET = 12_000_000
# What gives way when the budget is passed: characters shown of an answer, then tuples shown of the evidence.
_STEPS = ((400, 20), (160, 20), (60, 20), (0, 20), (0, 5), (0, 0))
_LEVEL = 6

RIGHT, WRONG, UNSCORED, NOT_ASKED = "1", "0", "-", " "


@dataclass(frozen=True)
class Packed:
    """Packed JSON as base64 text (gzip inside): an index and its parts.

    answer_chars, evidence_rows: how much of an answer and of the evidence is in them.
    """

    index: str
    parts: Sequence[str]
    answer_chars: int
    evidence_rows: int

    @property
    def size(self) -> int:
        """Bytes of the packed text."""
        return len(self.index) + sum(map(len, self.parts))


def pack(report: Report, runs: Sequence[Row], budget: int = BUDGET) -> Packed:
    """Pack the report's questions and the answers of ``runs`` (rows with `run_id`, `model`, `setting` and `label`).

    Above ``budget`` bytes answers are cut shorter, then left out, and evidence after them.
    """
    places = {run["run_id"]: place for place, run in enumerate(runs)}
    answers: dict[str, list[Row]] = defaultdict(list)
    for row in report.answers:
        if row["run_id"] in places:
            answers[row["question_id"]].append(row)
    index = _packed(_index(report.questions, runs, answers))
    for answer_chars, evidence_rows in _STEPS:
        parts = [
            _packed(_part(report.questions[start : start + QUESTIONS_A_PART], report.evidence, answers, places, limits))
            for start in range(0, len(report.questions), QUESTIONS_A_PART)
            for limits in [(answer_chars, evidence_rows)]
        ]
        packed = Packed(index, parts, answer_chars, evidence_rows)
        if packed.size <= budget:
            break
    return packed


def verdict(row: Row) -> str:
    """The verdict on one answer, in one character."""
    return UNSCORED if not row["scored"] else RIGHT if row["correct"] else WRONG


def majority(rows: Sequence[Row]) -> str:
    """The verdict on all samples of a question: right when more than half of those scored are."""
    scored = [row for row in rows if row["scored"]]
    if not scored:
        return UNSCORED if rows else NOT_ASKED
    return RIGHT if 2 * sum(bool(row["correct"]) for row in scored) > len(scored) else WRONG


def said(row: Row) -> str:
    """An answer as a person would write it down: its value and unit, or the columns, method and yes or no."""
    if row["parsed"] is None:
        return str(row["answer_text"] or "")
    value = json.loads(row["parsed"])
    if not isinstance(value, dict) or "answer" not in value:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "method" in value or "columns" in value:
        columns = value.get("columns")
        listed = ", ".join(map(str, columns)) if isinstance(columns, list) else columns
        return "; ".join(str(part) for part in (value["answer"], value.get("method"), listed) if part)
    answer = value["answer"]
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return f"{text} {value['unit']}" if value.get("unit") else text


def _index(questions: Sequence[Row], runs: Sequence[Row], answers: Mapping[str, list[Row]]) -> dict[str, Any]:
    """Column by column what the table of questions shows, filters and searches."""
    packed: dict[str, Any] = {
        "size": QUESTIONS_A_PART,
        "runs": [{"label": run["label"], "model": run["model"], "setting": run["setting"]} for run in runs],
        "id": [row["question_id"] for row in questions],
        "question": [row["question"] for row in questions],
        "gold": [_gold(row) for row in questions],
        "entities": [row["entity_count"] for row in questions],
    }
    for column in ("type", "topic", "split"):
        names = sorted({row[column] for row in questions})
        numbers = {name: number for number, name in enumerate(names)}
        packed[f"{column}s"] = names
        packed[column] = [numbers[row[column]] for row in questions]
    packed["verdicts"] = []
    for run in runs:
        each = [
            majority([row for row in answers.get(question["question_id"], ()) if row["run_id"] == run["run_id"]])
            for question in questions
        ]
        packed["verdicts"].append("".join(each))
    return packed


def _gold(row: Row) -> str:
    """The gold answer as it is read: with its unit; a test's answer with its method and columns."""
    if row["gold_method"]:
        return f"{row['gold_answer']}; {row['gold_method']}; {', '.join(row['gold_columns'] or ())}"
    # a fraction is a scale, no unit that one says
    unit = row["gold_unit"] if row["gold_unit"] not in (None, "fraction") else ""
    return f"{row['gold_answer']} {unit}".strip()


def _part(
    questions: Sequence[Row],
    evidence: Mapping[str, Evidence],
    answers: Mapping[str, list[Row]],
    places: Mapping[str, int],
    limits: tuple[int, int],
) -> dict[str, Any]:
    """What the rows of ``questions`` unfold; evidence that several share is in it once."""
    answer_chars, evidence_rows = limits
    shared: dict[str, int] = {}
    listed = []
    unfolded = []
    for row in questions:
        query = row["evidence_sql"]
        if query in evidence and query not in shared:
            shared[query] = len(listed)
            found = evidence[query]
            listed.append({"total": found.total, "tuples": found.tuples[:evidence_rows]})
        unfolded.append(
            {
                "gold_sql": row["gold_sql"],
                "evidence_sql": query,
                "evidence": shared.get(query, -1),
                "facts": _facts(row),
                "answers": [
                    [
                        places[answer["run_id"]], answer["sample"], answer["outcome"], verdict(answer),
                        _cut(said(answer), answer_chars), answer["scorer"], _cut(answer["detail"] or "", 200),
                    ]
                    for answer in answers.get(row["question_id"], ())
                ],
            }
        )  # fmt: skip
    return {"evidence": listed, "questions": unfolded}


def _facts(row: Row) -> list[tuple[str, str]]:
    """What else is known of a question, as name and text."""
    accepted = ", ".join(row["gold_aliases"] or ())
    tolerance = row["tolerance"]
    facts = (
        ("Type", f"{row['category']}: {row['type']}".replace("_", " ")),
        ("Topic", row["topic"].replace("_", " ")),
        ("Operation", (row["operation"] or "").replace("_", " ")),
        ("Hops", str(row["hops"] or "")),
        ("Density", f"{row['density']}, {row['entity_count']:,} entities"),
        ("Split", row["split"]),
        ("Tolerance", f"{tolerance:.0%}" if tolerance else "exact" if row["gold_kind"] == "number" else ""),
        ("Also accepted", _cut(accepted, 300)),
        ("Question id", row["question_id"]),
    )
    return [(name, text) for name, text in facts if text]


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[:chars].rstrip() + "…"


def _packed(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # no time of writing in it, so that the same data give the same page
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()
