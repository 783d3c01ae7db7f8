"""The questions as the page carries them: an index to search in, and parts to unfold, each packed JSON."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from dagster_defs.steps.report.data import Evidence, Report, Row

# Opening a row unpacks one part, in some milliseconds on a phone.
QUESTIONS_A_PART = 200
# Most bytes of all packed text; what else is on the page has room beside it below 15 MB.
BUDGET = 12_000_000
# What gives way when the budget is passed: characters shown of an answer, then tuples shown of the evidence.
_STEPS = ((400, 20), (160, 20), (60, 20), (0, 20), (0, 5), (0, 0))
_LEVEL = 6

# Place of the run, sample, outcome, verdict, text, scorer, why.
Answer = tuple[int, int, str, str, str, str | None, str]
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
    answers = _answers(report.answers, {run["run_id"]: place for place, run in enumerate(runs)})
    questions = report.questions
    clues = {row["question_id"]: msgspec.json.decode(row["clues"]) for row in report.tables["questions.deep_research"]}
    starts = range(0, len(questions), QUESTIONS_A_PART)
    index = _packed(_index(questions, runs, answers))
    for limits in _STEPS:
        parts = [
            _packed(_part(questions[start : start + QUESTIONS_A_PART], report.evidence, answers, clues, limits))
            for start in starts
        ]
        packed = Packed(index, parts, *limits)
        if packed.size <= budget:
            break
    return packed


def verdict(row: Row) -> str:
    """The verdict on one answer, in one character."""
    return UNSCORED if not row["scored"] else RIGHT if row["correct"] else WRONG


def majority(verdicts: Iterable[str]) -> str:
    """The verdict on all samples of a question: right when more than half of those scored are."""
    counts = Counter(verdicts)
    scored = counts[RIGHT] + counts[WRONG]
    if not scored:
        return UNSCORED if counts else NOT_ASKED
    return RIGHT if 2 * counts[RIGHT] > scored else WRONG


def said(row: Row) -> str:
    """An answer as a person would write it down: its value and unit, or the columns, method and yes or no."""
    if row["parsed"] is None:
        return str(row["answer_text"] or "")
    value = msgspec.json.decode(row["parsed"])
    if not isinstance(value, dict) or "answer" not in value:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "method" in value or "columns" in value:
        columns = value.get("columns")
        listed = ", ".join(map(str, columns)) if isinstance(columns, list) else columns
        return "; ".join(str(part) for part in (value["answer"], value.get("method"), listed) if part)
    answer = value["answer"]
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return f"{text} {value['unit']}" if value.get("unit") else text


def _answers(rows: Iterable[Row], places: Mapping[str, int]) -> Mapping[str, Sequence[Answer]]:
    """The answers to each question, those of the best run first; ``places`` is each run's place."""
    answers: dict[str, list[Answer]] = defaultdict(list)
    for row in rows:
        place = places.get(row["run_id"])
        if place is not None:
            key = (place, row["sample"], row["outcome"], verdict(row))
            answers[row["question_id"]].append((*key, said(row), row["scorer"], row["detail"] or ""))
    for given in answers.values():
        given.sort(key=lambda answer: answer[:2])
    return answers


def _index(questions: Sequence[Row], runs: Sequence[Row], answers: Mapping[str, Sequence[Answer]]) -> dict[str, Any]:
    """Column by column what the table of questions shows, filters and searches."""
    packed: dict[str, Any] = {
        "size": QUESTIONS_A_PART,
        "runs": [{"label": run["label"], "model": run["model"], "setting": run["setting"]} for run in runs],
        "id": [row["question_id"] for row in questions],
        "question": [row["question"] for row in questions],
        "gold": [_gold(row) for row in questions],
        "entities": [row["entity_count"] for row in questions],
    }
    families = sorted({row["family"] for row in questions})
    packed["families"] = families
    packed["family"] = [families.index(row["family"]) for row in questions]
    for column in ("type", "topic", "split"):
        names = sorted({row[column] for row in questions})
        numbers = {name: number for number, name in enumerate(names)}
        packed[f"{column}s"] = names
        packed[column] = [numbers[row[column]] for row in questions]
    verdicts: list[list[str]] = [[NOT_ASKED] * len(questions) for _ in runs]
    for number, row in enumerate(questions):
        for place, given in itertools.groupby(answers.get(row["question_id"], ()), key=lambda answer: answer[0]):
            verdicts[place][number] = majority(answer[3] for answer in given)
    packed["verdicts"] = ["".join(of_run) for of_run in verdicts]
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
    answers: Mapping[str, Sequence[Answer]],
    clues: Mapping[str, Any],
    limits: tuple[int, int],
) -> dict[str, Any]:
    """What the rows of ``questions`` unfold; evidence that several share is in it once."""
    answer_chars, evidence_rows = limits
    shared: dict[str, int] = {}
    listed: list[dict[str, Any]] = []
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
                "clues": clues.get(row["question_id"], []),
                "answers": [
                    (*key, _cut(text, answer_chars), scorer, _cut(detail, 200))
                    for *key, text, scorer, detail in answers.get(row["question_id"], ())
                ],
            }
        )
    return {"evidence": listed, "questions": unfolded}


def _facts(row: Row) -> list[tuple[str, str]]:
    """What else is known of a question, as name and text."""
    accepted = ", ".join(row["gold_aliases"] or ())
    tolerance = row["tolerance"]
    facts = _research_facts(row) if row["family"] == "deep_research" else _entity_facts(row)
    facts += (
        ("Split", row["split"]),
        ("Tolerance", f"{100 * tolerance:.3g}%" if tolerance else "exact" if row["gold_kind"] == "number" else ""),
        ("Also accepted", _cut(accepted, 300)),
    )
    return [(name, text) for name, text in facts if text]


def _research_facts(row: Row) -> tuple[tuple[str, str], ...]:
    complexity = f"{row['cci']:g}: {row['n_entities']} to be found, {row['n_properties']} to be looked up of each"
    return (
        ("Domain", row["category"]),
        ("Template", f"{row['type']}: {row['template_id']}".replace("_", " ")),
        ("Topic", row["topic"].replace("_", " ")),
        ("Complexity", complexity),
    )


def _entity_facts(row: Row) -> tuple[tuple[str, str], ...]:
    return (
        ("Type", f"{row['category']}: {row['type']}".replace("_", " ")),
        ("Topic", row["topic"].replace("_", " ")),
        ("Operation", (row["operation"] or "").replace("_", " ")),
        ("Hops", str(row["hops"] or "")),
        ("Density", f"{row['density']}, {row['entity_count']:,} entities"),
        ("Values from articles", _articles(row["n_fills"])),
    )


def _articles(n: int) -> str:
    """How many values of a question a model read in articles; nothing for none."""
    return f"{n:,}, as nothing is recorded: see questions.question_fills" if n else ""


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[:chars].rstrip() + "…"


def _packed(value: Any) -> str:
    # no time of writing in it, so that the same data give the same page
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)).decode()
