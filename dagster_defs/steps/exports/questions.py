"""Which questions are exported, each with its full row, the messages it is asked in and the schema of its answer."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.exports.alike import Quotas
from dagster_defs.steps.exports.canary import canary
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.plan import Ask, Run, plan
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse

# Any model will do: the messages of a closed-book run depend on none of it.
_NO_MODEL = ModelSpec("export", "export", None, context_tokens=1_000_000, max_output_tokens=1_000_000)
SPLITS = ("train", "test")


@dataclass(frozen=True)
class Item:
    """One exported question.

    row: column -> value, as questions.questions has it (`slots` is JSON text). messages: of the closed-book prompt,
    system before user. schema: JSON schema that the answer has to satisfy.
    """

    question: Question
    row: Mapping[str, Any]
    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Chosen:
    """The questions of an export in their order, and (question_id, reason) of those that were withdrawn from it.

    columns: of questions.questions, name -> DuckDB's type, in the table's order. slots: every `slots` of the family.
    canary: the string that each row carries. as_of: the day of the facts. sources: keys of the facts' sources, as in
    NOTICE. endpoints: where facts were taken from ('sample' for the bundled ones).
    """

    items: Sequence[Item]
    withdrawn: Sequence[tuple[str, str]]
    columns: Mapping[str, str]
    slots: Sequence[str]
    snapshot_id: str
    as_of: datetime.date
    sources: Sequence[str]
    endpoints: Sequence[str]
    canary: str


def choose(database: Path, warehouse: Warehouse, wanted: QuestionSet, like: Quotas | None = None) -> Chosen:
    """The questions of ``wanted`` that were not withdrawn; ``warehouse`` is open on the same ``database``.

    like: takes of each stratum no more than another export has, and counts what is missing.

    Raises RunError when the set names an unknown split, type or topic, is empty, or the database can't be read.
    """
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            _check(connection, wanted)
            asks, gone = _asks(connection, warehouse, wanted, like)
            columns = {name: kind for name, kind, *_ in connection.sql("describe questions.questions").fetchall()}
            found = connection.execute("select * from questions.questions where family = ?", [wanted.family])
            rows = {
                row["question_id"]: row for row in (dict(zip(columns, row, strict=True)) for row in found.fetchall())
            }
            sources = connection.execute("select distinct source from facts.statements order by all").fetchall()
            endpoints = connection.execute("select distinct endpoint from provenance.snapshots order by all").fetchall()
    except duckdb.Error as error:
        raise RunError(f"{database} cannot be exported from: {str(error).splitlines()[0]}") from error
    snapshot_id = asks[0].question.snapshot_id
    items = [Item(a.question, rows[a.question.question_id], a.call.messages, a.call.schema or {}) for a in asks]
    return Chosen(
        items,
        gone,
        columns,
        [row["slots"] for row in rows.values()],
        snapshot_id,
        warehouse.as_of(snapshot_id),
        [name for (name,) in sources if name],
        [name for (name,) in endpoints if name],
        canary(snapshot_id, [ask.question.question_id for ask in asks]),
    )


def _asks(
    connection: duckdb.DuckDBPyConnection, warehouse: Warehouse, wanted: QuestionSet, like: Quotas | None
) -> tuple[list[Ask], list[tuple[str, str]]]:
    """The first n questions of the set that stand, and those withdrawn before them.

    All are planned first, so that withdrawn ones make room for the next in order. The plan is a run's own: what is
    exported is what Assay asks.
    """
    everything = dataclasses.replace(wanted, n=0)
    run = Run(_NO_MODEL, Setting.CLOSED_BOOK, everything, samples=1, ea_max_entities=0)
    reasons = _withdrawn(connection)
    templates = dict(connection.execute("select question_id, template_id from questions.questions").fetchall())
    kept: list[Ask] = []
    gone: list[tuple[str, str]] = []
    for ask in plan(run, warehouse):
        if wanted.n and len(kept) == wanted.n:
            break
        if ask.question.question_id in reasons:
            gone.append((ask.question.question_id, reasons[ask.question.question_id]))
        elif like is None or like.take(_stratum(ask.question, templates)):
            kept.append(ask)
    if not kept and like is not None:
        raise RunError("No question is like those of the other export: no topic, template and density is in both.")
    if not kept:
        raise RunError(f"Every question of the set {wanted.as_json()} was withdrawn: choose another set.")
    return kept, gone


def _stratum(question: Question, templates: Mapping[str, str]) -> dict[str, Any]:
    return {
        "topic": question.topic,
        "template_id": templates[question.question_id],
        "density": question.density,
    }


def _withdrawn(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """question_id -> reason from review.withdrawn; empty where the database has no such table."""
    known = "select 1 from duckdb_tables() where schema_name = 'review' and table_name = 'withdrawn'"
    if not connection.execute(known).fetchall():
        return {}
    rows = connection.execute("select question_id, reason from review.withdrawn order by all").fetchall()
    return {question_id: reason or "no reason given" for question_id, reason in rows}


def _check(connection: duckdb.DuckDBPyConnection, wanted: QuestionSet) -> None:
    """A misspelt name in a list would silently make the set smaller."""
    if wanted.split not in (*SPLITS, "all"):
        raise RunError(f"There is no split '{wanted.split}': say train, test or all.")
    for column, names in (("type", wanted.types), ("topic", wanted.topics)):
        query = f"select distinct {column} from questions.questions where family = ? order by all"
        known = [name for (name,) in connection.execute(query, [wanted.family]).fetchall()]
        unknown = sorted(set(names) - set(known))
        if unknown and known:
            raise RunError(f"No {column} of the questions is called '{unknown[0]}': there are {', '.join(known)}.")
