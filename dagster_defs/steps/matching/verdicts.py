"""Is this answer right? One verdict per answer, by the kind of its question's gold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from dagster_defs.steps.matching.methods import Attribute, Methods, chance_level, columns_given, match_columns
from dagster_defs.steps.matching.names import match_name, read_boolean
from dagster_defs.steps.matching.numbers import NumberGold, canonical_text, match_number, to_decimal
from dagster_defs.steps.matching.sets import json_in, match_distribution, match_list
from dagster_defs.steps.matching.texts import fold
from dagster_defs.steps.matching.units import Units

STATISTICAL_TYPES = frozenset({"distribution_compliance", "correlation_analysis", "variance_analysis"})
SCORERS = ("exact", "numeric", "list", "method", "judge")
# Longer answers are prose, which a judge may read; shorter ones are names, and a name that doesn't match is wrong.
PROSE_WORDS = 8

_LABELLED = re.compile(r"^\W*(columns?|method|test|answer)\W*[:=]\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_LABELS = {"columns": "column", "method": "test", "answer": "answer"}
_BY_KIND = {"number": "numeric", "list": "list", "distribution": "list"}


@dataclass(frozen=True, slots=True)
class Reference:
    """What matching needs to know beyond the question: the units of seeds/units.csv and questions.method_names."""

    units: Units
    methods: Methods


@dataclass(frozen=True, slots=True)
class QuestionGold:
    """A question's gold, as in questions.questions.

    rivals: names of the other candidates (slots.names of an intercomparison; the gold's own name may be among them).
    listed: the attributes that the prompt of a statistical question lists.
    """

    question_id: str
    type: str
    operation: str
    gold_kind: str
    gold_answer: str
    gold_value: float | None = None
    gold_aliases: tuple[str, ...] = ()
    gold_unit: str | None = None
    tolerance: float = 0.0
    gold_columns: tuple[str, ...] = ()
    gold_method: str | None = None
    rivals: tuple[str, ...] = ()
    listed: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer: its outcome (see llm.calls.Outcome), its text, and its JSON value where it could be read."""

    outcome: str
    text: str = ""
    parsed: Any = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer is worth.

    correct: None where it isn't scored. scorer: one of `SCORERS`. yes_no_correct and chance: of the statistical types
    alone, None elsewhere. needs_judge: exact matching has failed on prose that a judge may still find right; until then
    the answer counts as wrong.
    """

    correct: bool | None
    scored: bool
    scorer: str
    yes_no_correct: bool | None = None
    chance: float | None = None
    detail: str = ""
    needs_judge: bool = field(default=False)


def scorer_of(question: QuestionGold) -> str:
    """Which scorer a question's answers go to first."""
    return "method" if question.type in STATISTICAL_TYPES else _BY_KIND.get(question.gold_kind, "exact")


def verdict(question: QuestionGold, reply: Answer, reference: Reference) -> Verdict:
    """The verdict on `reply`: unscored where no answer came, wrong where the model's answer can't be read.

    Never raises on any answer. Raises ValueError where the question's own gold is unusable (a number without a value,
    a distribution that is no JSON object, fewer listed attributes than gold columns, an unknown gold_kind).
    """
    scorer = scorer_of(question)
    chance = _chance(question, reference) if scorer == "method" else None
    if reply.outcome == "failed":
        return Verdict(None, False, scorer, None, chance, "failed")
    if reply.outcome != "answered":
        return Verdict(False, True, scorer, False if scorer == "method" else None, chance, reply.outcome)
    if scorer == "method":
        return _method(question, _fields(reply, ("columns", "method")), reference, chance)
    given = _fields(reply, ("answer",))
    answer, unit = given.get("answer"), given.get("unit")
    match question.gold_kind:
        case "number":
            return _number(question, answer, unit, reference)
        case "entity" | "category":
            return _name(question, answer)
        case "boolean":
            said = read_boolean(answer)
            detail = "neither yes nor no" if said is None else "yes" if said else "no"
            return Verdict(said is not None and said == (question.gold_answer == "yes"), True, scorer, detail=detail)
        case "list" | "distribution":
            return _set(question, answer, reference)
    raise ValueError(f"question {question.question_id}: gold_kind {question.gold_kind!r} is unknown")


def with_judgement(first: Verdict, judgement: bool | None) -> Verdict:
    """A verdict that asked for a judge, with the judge's finding; None, an unreadable one, leaves it unscored.

    Raises ValueError where no judge was asked for.
    """
    if not first.needs_judge:
        raise ValueError("this verdict needs no judge")
    detail = {True: "judged right", False: "judged wrong", None: "judge unreadable"}[judgement]
    return replace(
        first,
        correct=judgement,
        scored=judgement is not None,
        scorer="judge",
        detail=f"{first.detail}; {detail}",
        needs_judge=False,
    )


def method_fields(text: str) -> Mapping[str, Any]:
    """columns, method and answer, as a text gives them that answers a statistical question; None for what it lacks."""
    return _fields(Answer("answered", text), ("columns", "method"))


def _chance(question: QuestionGold, reference: Reference) -> float:
    return chance_level(len(set(question.gold_columns)), len(question.listed), len(reference.methods.tests))


def _fields(reply: Answer, wanted: tuple[str, ...]) -> Mapping[str, Any]:
    """The fields of an answer, from its JSON value; where that could not be read, from its text."""
    if isinstance(reply.parsed, Mapping):
        return reply.parsed
    if reply.parsed is not None:
        return {"answer": reply.parsed}
    found = json_in(reply.text)
    if isinstance(found, Mapping) and all(name in found for name in wanted):
        return found
    if wanted == ("answer",):
        return {"answer": reply.text}
    lines = {match[1].casefold(): match[2].strip(" *`") for match in _LABELLED.finditer(reply.text)}
    return {name: lines.get(name, lines.get(other)) for name, other in _LABELS.items()}


def _method(question: QuestionGold, given: Mapping[str, Any], reference: Reference, chance: float | None) -> Verdict:
    columns = match_columns(given.get("columns"), question.gold_columns, question.listed)
    method = bool(question.gold_method) and reference.methods.match(given.get("method"), question.gold_method or "")
    said = read_boolean(given.get("answer"))
    detail = ", ".join(
        f"{name} {'right' if right else 'wrong'}" for name, right in (("columns", columns), ("method", method))
    )
    if not columns:
        detail += f" ({', '.join(columns_given(given.get('columns')))[:120]})"
    right = said is not None and said == (question.gold_answer == "yes")
    return Verdict(columns and method, True, "method", right, chance, detail)


def _number(question: QuestionGold, answer: Any, unit: Any, reference: Reference) -> Verdict:
    value = to_decimal(question.gold_value) if question.gold_value is not None else to_decimal(question.gold_answer)
    if value is None:
        raise ValueError(f"question {question.question_id}: its gold is no number")
    if isinstance(answer, list | tuple) and len(answer) == 1:
        answer = answer[0]
    gold = NumberGold(value, question.gold_unit, Decimal(repr(question.tolerance)), question.operation == "range")
    correct, detail = match_number(answer, unit if isinstance(unit, str) else None, gold, reference.units)
    return Verdict(correct, True, "numeric", detail=detail)


def _name(question: QuestionGold, answer: Any) -> Verdict:
    if isinstance(answer, list | tuple) and all(isinstance(item, str) for item in answer):
        answer = ", ".join(answer)
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = canonical_text(answer)
    if not isinstance(answer, str) or not answer.strip():
        return Verdict(False, True, "exact", detail="no name")
    found = match_name(answer, question.gold_answer, question.gold_aliases, question.rivals)
    prose = len(fold(answer).split()) > PROSE_WORDS
    judged = not found.correct and (prose or (found.mentioned and not found.rivalled))
    return Verdict(found.correct, True, "exact", detail=found.detail, needs_judge=judged)


def _set(question: QuestionGold, answer: Any, reference: Reference) -> Verdict:
    gold = json.loads(question.gold_answer)
    if question.gold_kind == "list" and isinstance(gold, list):
        correct = match_list(answer, [str(item) for item in gold])
    elif question.gold_kind == "distribution" and isinstance(gold, dict):
        correct = match_distribution(answer, gold, reference.units)
    else:
        raise ValueError(f"question {question.question_id}: its gold is no {question.gold_kind}")
    return Verdict(correct, True, "list", detail="same members" if correct else "other members")
