"""What a run's replies become: the landed rows of run_rows.SCHEMAS."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.steps import matching
from dagster_defs.steps.matching import Fact, QuestionGold, Reference, TupleScore, Verdict
from dagster_defs.steps.run_rows import SCHEMAS
from dagster_defs.steps.solve.contexts import READING
from dagster_defs.steps.solve.plan import Ask, Run, prompt_sha
from dagster_defs.steps.solve.questions import Question, Warehouse

Rows = list[dict[str, Any]]


def gold_of(question: Question, warehouse: Warehouse) -> QuestionGold:
    """A question's gold as matching takes it."""
    return QuestionGold(
        question_id=question.question_id,
        type=question.type,
        operation=question.operation,
        gold_kind=question.gold_kind,
        gold_answer=question.gold_answer,
        gold_value=question.gold_value,
        gold_aliases=question.gold_aliases,
        gold_unit=question.gold_unit,
        tolerance=question.tolerance,
        gold_columns=question.gold_columns,
        gold_method=question.gold_method,
        rivals=tuple(question.slots.get("names", ())),
        listed=tuple(warehouse.attributes(question.topic)),
    )


def run_row(run: Run, asks: Sequence[Ask], started_at: datetime.datetime) -> Rows:
    """The row that says what the run is; ``started_at`` is UTC."""
    return [
        {
            "run_id": run.run_id,
            "model": run.spec.name,
            "base_model": run.spec.base_model,
            "model_id": run.spec.model_id,
            "setting": str(run.setting),
            "family": run.questions.family,
            "split": run.questions.split,
            "question_set": run.questions.as_json(),
            "n_questions": len({ask.question.question_id for ask in asks}),
            "samples": run.samples,
            "temperature": run.temperature,
            "seed": run.questions.seed,
            "snapshot_id": asks[0].question.snapshot_id,
            "prompt_sha": prompt_sha(run),
            "started_at": started_at,
            "documents": ("articles" if run.articles else "sheets") if run.setting in READING else None,
        }
    ]


def answer_rows(run: Run, asks: Sequence[Ask], replies: Mapping[str, Reply]) -> Rows:
    """One row an answer, as it came."""
    rows = []
    for ask in asks:
        if ask.is_table:
            continue
        reply = replies[ask.call.key]
        rows.append(
            {
                **_key(run, ask),
                "answer_text": reply.text,
                "parsed": None if reply.parsed is None else json.dumps(reply.parsed, ensure_ascii=False),
                "outcome": str(reply.outcome),
                "finish_reason": reply.finish_reason,
                "error": reply.error,
                "entities_needed": ask.question.entity_count,
                "entities_in_context": ask.context.entities,
                "truncated": ask.context.truncated,
                **_spent(reply),
                "latency_s": reply.latency_s,
                "request_hash": reply.key,
            }
        )
    return rows


def verdict_rows(
    run: Run, verdicts: Mapping[tuple[str, int], Verdict], entities: Mapping[tuple[str, int], bool | None]
) -> Rows:
    """One row an answer, (question_id, sample) -> verdict, and whether it names what the question hides."""
    return [
        {
            "run_id": run.run_id,
            "question_id": question_id,
            "sample": sample,
            "correct": found.correct,
            "scored": found.scored,
            "scorer": found.scorer,
            "yes_no_correct": found.yes_no_correct,
            "chance": found.chance,
            "detail": found.detail,
            "entity_correct": entities[question_id, sample],
        }
        for (question_id, sample), found in verdicts.items()
    ]


def verdicts_of(
    asks: Sequence[Ask], replies: Mapping[str, Reply], warehouse: Warehouse, reference: Reference
) -> dict[tuple[str, int], Verdict]:
    """The verdict on every answer, before any judge."""
    found = {}
    golds: dict[str, QuestionGold] = {}
    # Samples often say the same: what is read in a text is found once.
    known: dict[tuple[str, str, str, str], Verdict] = {}
    for ask in asks:
        if not ask.is_table:
            reply = replies[ask.call.key]
            question_id, outcome = ask.question.question_id, str(reply.outcome)
            same = (question_id, outcome, reply.text, repr(reply.parsed))
            if same not in known:
                if question_id not in golds:
                    golds[question_id] = gold_of(ask.question, warehouse)
                answer = matching.Answer(outcome, reply.text, reply.parsed)
                known[same] = matching.verdict(golds[question_id], answer, reference)
            found[question_id, ask.sample] = known[same]
    return found


def entities_of(
    asks: Sequence[Ask],
    replies: Mapping[str, Reply],
    verdicts: Mapping[tuple[str, int], Verdict],
    warehouse: Warehouse,
) -> dict[tuple[str, int], bool | None]:
    """Whether each answer names what its question hides; None where that is nothing, or the answer is not scored."""
    found: dict[tuple[str, int], bool | None] = {}
    others: dict[str, list[str]] = {}
    for ask in asks:
        if ask.is_table:
            continue
        question, key = ask.question, (ask.question.question_id, ask.sample)
        if not question.hidden or not verdicts[key].scored:
            found[key] = None
            continue
        if question.topic not in others:
            others[question.topic] = warehouse.names(question.topic)
        reply = replies[ask.call.key]
        given = reply.parsed.get("entity") if isinstance(reply.parsed, dict) else None
        named = matching.names_hidden(given, warehouse.hidden(question), others[question.topic])
        found[key] = reply.outcome is Outcome.ANSWERED and named
    return found


def table_rows(
    run: Run, asks: Sequence[Ask], replies: Mapping[str, Reply], warehouse: Warehouse, reference: Reference
) -> tuple[Rows, Rows]:
    """(tables, tuples): what each working table holds of the question's evidence, and every tuple given."""
    tables: Rows = []
    tuples: Rows = []
    for ask in asks:
        if not ask.is_table:
            continue
        reply = replies[ask.call.key]
        predicted, score = _scored(ask.question, reply, warehouse, reference)
        tables.append(
            {
                **_key(run, ask),
                "outcome": str(reply.outcome),
                "truncated": reply.truncated,
                "n_gold": score.n_gold,
                "n_predicted": score.n_predicted,
                "n_matched": score.n_matched,
                **_spent(reply),
                "request_hash": reply.key,
            }
        )
        for ordinal, (fact, matched) in enumerate(zip(predicted, score.matched, strict=True)):
            given = {"entity": fact.entity, "attribute": fact.attribute, "value": fact.value}
            tuples.append({**_key(run, ask), "ordinal": ordinal, **given, "matched": matched})
    return tables, tuples


def as_table(dataset: str, rows: Rows) -> pa.Table:
    """Rows in the dataset's schema."""
    return pa.Table.from_pylist(rows, SCHEMAS[dataset])


def _scored(
    question: Question, reply: Reply, warehouse: Warehouse, reference: Reference
) -> tuple[list[Fact], TupleScore]:
    given = reply.parsed.get("tuples", []) if isinstance(reply.parsed, dict) else []
    predicted = [Fact(row["entity"], row["attribute"], row["value"]) for row in given]
    score = matching.score_tuples(
        predicted,
        warehouse.evidence(question),
        attributes=warehouse.attributes(question.topic),
        units=reference.units,
        aliases=warehouse.aliases(question.topic),
    )
    return predicted, score


def _key(run: Run, ask: Ask) -> dict[str, Any]:
    return {"run_id": run.run_id, "question_id": ask.question.question_id, "sample": ask.sample}


def _spent(reply: Reply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost_usd": reply.cost_usd,
    }


__all__ = [
    "Outcome", "answer_rows", "as_table", "entities_of", "gold_of", "run_row", "table_rows", "verdict_rows",
    "verdicts_of",
]  # fmt: skip
