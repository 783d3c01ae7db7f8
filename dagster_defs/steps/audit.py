"""The audit of the gold answers.

Every stored query is run again, every answer but a formula's derived a second way, and the queries are asked over
redrawn tables, where their answers must change. Of a formula's inputs it is seen that they are the topics' own.
"""

from __future__ import annotations

import collections
import json
import math
import resource
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.steps.derivation import Claim, Tuple, Underivable, canonical, derive
from dagster_defs.steps.redraw import redrawn
from dagster_defs.steps.workers import worker_pool

COLUMNS = (
    "question_id", "template_id", "topic", "operation", "slots", "attributes", "entity_count", "gold_sql",
    "evidence_sql",
    "gold_kind", "gold_value", "gold_answer", "gold_columns", "gold_method", "tolerance",
)  # fmt: skip
# Topic, entity, attribute, value as text.
Known = tuple[str, str, str, str]
# What answers a deep-research question: its second, independent implementation is a test's, over every question.
_FORMULA = "formula"
REDRAWN_PER_TEMPLATE = 40
LEAST_SHARE_CHANGED = 0.03
FEWEST_TO_JUDGE = 20
# Each query runs once, over one small table: planning it takes longer than running it. Without these steps, which earn
# their keep on large joins, an audit takes a tenth less time.
_NOT_WORTH_PLANNING = (
    "aggregate_reuse", "common_subexpressions", "common_subplan", "join_filter_pushdown", "join_order",
    "late_materialization", "partitioned_execution", "row_group_pruner", "self_join_aggregate", "window_rewriter",
    "window_self_join",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """One question whose gold does not hold."""

    question_id: str
    check: str
    detail: str


@dataclass(frozen=True, slots=True)
class Consulted:
    """What an evidence_sql gives, or (check, detail) of what is wrong with it."""

    query: str
    evidence: Sequence[Tuple] = ()
    complaint: tuple[str, str] | None = None


@dataclass(slots=True)
class AuditReport:
    """What an audit found.

    faults: what does not hold. counts: how many questions each check looked at. changed: per template, how many of the
    queries asked over redrawn tables answered differently, and of how many. memory_mb: the most that a process took.
    """

    faults: list[Fault] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    changed: dict[str, tuple[int, int]] = field(default_factory=dict)
    memory_mb: float = 0.0


def audit(database: Path, *, workers: int = 2) -> AuditReport:
    """Audit every question of `database`, in `workers` processes.

    Raises duckdb.Error when the database can't be opened or lacks the tables.
    """
    with duckdb.connect(str(database), read_only=True) as con:
        # Questions of one evidence go to one process, side by side: a seventh of them share theirs with another.
        ids = con.execute(
            "select question_id, dense_rank() over (order by md5(evidence_sql)) as evidence from questions.questions"
            " order by all"
        ).fetchall()
    shares = [(str(database), [i for i, evidence in ids if evidence % workers == part]) for part in range(workers)]
    with worker_pool(workers) as pool:
        parts = list(pool.map(_audit_share, *zip(*shares, strict=True)))
    report = AuditReport(counts=collections.Counter())
    for part in parts:
        report.faults.extend(part.faults)
        report.memory_mb = max(report.memory_mb, part.memory_mb)
        for check, count in part.counts.items():
            report.counts[check] = report.counts.get(check, 0) + count
        for template, (moved, asked) in part.changed.items():
            before = report.changed.get(template, (0, 0))
            report.changed[template] = (before[0] + moved, before[1] + asked)
    for template, (moved, asked) in sorted(report.changed.items()):
        if asked >= FEWEST_TO_JUDGE and moved < LEAST_SHARE_CHANGED * asked:
            report.faults.append(
                Fault(template, "redrawn", f"only {moved} of {asked} answers change over redrawn tables")
            )
    report.faults.sort(key=lambda fault: (fault.check, fault.question_id))
    return report


def _audit_share(database: str, ids: Sequence[str]) -> AuditReport:
    report = AuditReport(counts=collections.Counter())
    with duckdb.connect(database, read_only=True) as con, redrawn(Path(database)) as other:
        con.execute("set threads = 1; set enable_progress_bar = false")
        for connection in (con, other):
            connection.execute(f"set disabled_optimizers = '{','.join(_NOT_WORTH_PLANNING)}'")
        numbers, truth = _numbers(con), _truth(con)
        asked: collections.Counter[str] = collections.Counter()
        consulted: Consulted | None = None
        for question in _questions(con, ids):
            template = question["template_id"]
            report.counts["executed"] = report.counts.get("executed", 0) + 1
            answer, fault = _executed(con, question)
            if fault is None:
                if consulted is None or consulted.query != question["evidence_sql"]:
                    consulted = _consulted(con, question, truth)
                fault = _derived(question, consulted, numbers)
                check = "evidence" if question["operation"] == _FORMULA else "derived"
                report.counts[check] = report.counts.get(check, 0) + 1
            if fault is not None:
                report.faults.append(fault)
                continue
            asked[template] += 1
            if asked[template] * 2 <= REDRAWN_PER_TEMPLATE:
                moved, of = report.changed.get(template, (0, 0))
                report.changed[template] = (moved + _moves(other, question, answer), of + 1)
    report.memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return report


def _questions(con: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> list[dict[str, Any]]:
    rows = con.execute(
        f"select {', '.join(COLUMNS)} from questions.questions"
        " where question_id in (select unnest(?)) order by md5(evidence_sql), question_id",
        [list(ids)],
    ).fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def _numbers(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """'topic.attribute' of every attribute of numbers."""
    rows = con.execute("select topic || '.' || attribute from topics.catalog where kind = 'number'").fetchall()
    return frozenset(row[0] for row in rows)


def _truth(con: duckdb.DuckDBPyConnection) -> frozenset[Known]:
    """(topic, entity, attribute, value as text) of every tuple a question may consult."""
    rows = con.execute(
        "select topic, entity_id, attribute,"
        " coalesce(value_text, cast(value_num as varchar), cast(value_date as varchar))"
        " from topics.entity_attributes"
    ).fetchall()
    return frozenset(rows)


def _executed(con: duckdb.DuckDBPyConnection, question: dict[str, Any]) -> tuple[list[tuple[Any, ...]], Fault | None]:
    """Run gold_sql; what it says must be the stored gold."""
    try:
        rows = con.execute(question["gold_sql"]).fetchall()
    except duckdb.Error as error:
        return [], Fault(question["question_id"], "gold_sql", str(error).splitlines()[0])
    names = [column[0] for column in con.description or []]
    if len(rows) != 1 or names != ["answer"]:
        return rows, Fault(question["question_id"], "gold_sql", f"gives {len(rows)} rows of columns {names}")
    return rows, _compared(question, rows[0][0], "gold_sql")


def _compared(question: dict[str, Any], answer: object, check: str) -> Fault | None:
    """A fault unless the answer is the stored one, in value and in canonical text."""
    stored = question["gold_answer"]
    if answer is None or (question["gold_kind"] == "boolean") != isinstance(answer, bool):
        return Fault(question["question_id"], check, f"gives {answer!r}, stored is {stored!r}")
    if question["gold_kind"] == "distribution":
        counts = json.loads(answer) if isinstance(answer, str) else answer
        ok = counts == json.loads(stored) and list(json.loads(stored)) == sorted(json.loads(stored))
    elif question["gold_kind"] == "number":
        if not isinstance(answer, int | float):
            answer = float(str(answer))
        ok = math.isclose(answer, question["gold_value"], rel_tol=1e-9, abs_tol=1e-12)
        ok = ok and canonical(question["gold_value"], tolerance=question["tolerance"]) == stored
    else:
        ok = canonical(answer, tolerance=0) == stored
    return None if ok else Fault(question["question_id"], check, f"gives {answer!r}, stored is {stored!r}")


def _consulted(con: duckdb.DuckDBPyConnection, question: dict[str, Any], truth: frozenset[Known]) -> Consulted:
    """Run evidence_sql; each of its tuples must stand in the topics."""
    query = question["evidence_sql"]
    try:
        rows = con.execute(query).fetchall()
    except duckdb.Error as error:
        return Consulted(query, complaint=("evidence_sql", str(error).splitlines()[0]))
    names = [column[0] for column in con.description or []]
    if not set(Tuple._fields) <= set(names):
        return Consulted(query, complaint=("evidence_sql", f"its columns are {', '.join(names)}"))
    # Chosen here and not by a query around it, which would cost as much again.
    facts = itemgetter(*map(names.index, Tuple._fields))
    evidence = [Tuple(*facts(row)) for row in rows]
    for fact in evidence:
        if (question["topic"], fact.entity_id, fact.attribute, fact.value) not in truth:
            detail = f"{fact.attribute} of {fact.entity_id} is not {fact.value!r} in topics.entity_attributes"
            return Consulted(query, evidence, complaint=("evidence", detail))
    return Consulted(query, evidence)


def _derived(question: dict[str, Any], consulted: Consulted, numbers: frozenset[str]) -> Fault | None:
    """The tuples must number entity_count in entities, and lead to the stored gold."""
    if consulted.complaint is not None:
        return Fault(question["question_id"], *consulted.complaint)
    entities = {fact.entity_id for fact in consulted.evidence}
    if len(entities) != question["entity_count"]:
        detail = f"consults {len(entities)} entities, stored is {question['entity_count']}"
        return Fault(question["question_id"], "entity_count", detail)
    if question["operation"] == _FORMULA:
        return None
    claim = Claim(
        operation=question["operation"],
        slots=json.loads(question["slots"]),
        gold_method=question["gold_method"],
        gold_columns=tuple(question["gold_columns"] or ()),
        number_attributes=frozenset(a.split(".", 1)[1] for a in question["attributes"] if a in numbers),
    )
    try:
        answer = derive(claim, consulted.evidence)
    except (Underivable, KeyError, ValueError) as error:
        return Fault(question["question_id"], "derivation", f"{type(error).__name__}: {error}")
    return _compared(question, answer, "derivation")


def _moves(other: duckdb.DuckDBPyConnection, question: dict[str, Any], answer: list[tuple[Any, ...]]) -> bool:
    """Whether gold_sql answers differently over the redrawn tables; finding nothing to divide by is a difference."""
    try:
        return bool(other.execute(question["gold_sql"]).fetchall() != answer)
    except duckdb.Error:
        return True
