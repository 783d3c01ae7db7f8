"""What the page shows, read from the published database into one plain structure."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.report.elicited import QUERIES

Row = dict[str, Any]
# How many tuples of a question's evidence are read.
EVIDENCE_ROWS = 20
# No answer is shown at greater length, so none is read at greater length (characters).
ANSWER_CHARS = 600
# Planning is most of a small query's time, and queries planned together share it; larger batches plan no faster.
_BATCH = 25

_QUESTIONS = "questions.questions"
# Table -> columns, and the order of the rows.
_READS: Mapping[str, tuple[tuple[str, ...], str]] = {
    _QUESTIONS: (
        (
            "question_id", "family", "category", "type", "topic", "question", "operation", "hops", "entity_count",
            "density", "gold_sql", "evidence_sql", "gold_kind", "gold_answer", "gold_aliases", "gold_unit", "tolerance",
            "gold_columns", "gold_method", "split", "template_id", "n_entities", "n_properties", "cci", "n_fills",
            "snapshot_id",
        ),
        "topic, type, template_id, question_id",
    ),
    "questions.rejections": (("family", "type", "reason"), "all"),
    "provenance.snapshots": (
        (
            "snapshot_id", "as_of", "endpoint", "dataset", "topic", "files", "row_count", "content_hash", "landed_at",
            "is_current",
        ),
        "is_current desc, snapshot_id, topic, dataset",
    ),
    "questions.deep_research": (("question_id", "clues", "n_match_live", "is_diverse"), "question_id"),
    "scores.composition": (("family", "section", "metric", "train", "test", "total"), "row_order"),
    "scores.leaderboard": (
        (
            "rank", "run_id", "model", "base_model", "setting", "family", "split", "question_set", "snapshot_id",
            "is_current", "accuracy", "ci_low", "ci_high", "accuracy_answered", "chance", "entity_accuracy",
            "entity_ci_low", "entity_ci_high", "both_right", "is_tied_with_leader", "tie_group", "ea_f1", "n_questions",
            "n", "n_unscored", "n_questions_wanted", "samples", "cost_usd", "prompt_tokens", "completion_tokens",
        ),
        "rank nulls last, run_id",
    ),
    "scores.by_model": (
        (
            "run_id", "slice_kind", "slice", "accuracy", "ci_low", "ci_high", "chance", "entity_accuracy",
            "entity_ci_low", "entity_ci_high", "both_right", "n_questions", "n",
            "n_unscored", "ea_f1", "ea_f1_micro", "ea_precision", "ea_recall", "ea_coverage",
        ),
        "run_id, slice_kind, slice",
    ),
    "scores.pairwise": (
        ("run_a", "run_b", "n_questions", "b", "c", "p_value", "p_holm", "tied"),
        "p_holm, run_a, run_b",
    ),
    "scores.trends": (
        (
            "run_id", "measure", "n_questions", "n_levels", "jonckheere_z", "jonckheere_p", "jonckheere_p_decreasing",
            "spearman_rho", "spearman_p",
        ),
        "run_id, measure",
    ),
    "scores.failure_shares": (("run_id", "class", "n", "share"), "run_id"),
    "scores.distinctiveness": (
        ("set_name", "is_own", "measure", "embedder", "of_filter", "seed", "n", "n_available", "value"),
        "is_own desc, set_name, measure desc, embedder, seed",
    ),
    "scores.outcomes": (("run_id", "asked_for", "outcome", "n", "share"), "run_id, asked_for"),
    "review.validity": (
        (
            "slice_kind", "slice", "n", "n_undecided", "n_stale", "valid", "valid_low", "valid_high", "valid_but_stale",
            "valid_but_stale_low", "valid_but_stale_high",
        ),
        "slice_kind <> 'overall', slice_kind, slice",
    ),
    "review.agreement": (
        ("field", "slice_kind", "slice", "n", "agreement", "alpha"),
        "slice_kind <> 'overall', slice_kind, slice, field <> 'valid', field",
    ),
    "review.withdrawn": (("question_id", "reason"), "reason, question_id"),
    "runs.runs": (
        ("run_id", "model", "model_id", "setting", "samples", "temperature", "seed", "prompt_sha", "started_at"),
        "run_id",
    ),
}  # fmt: skip
_ANSWERS = f"""
select
    a.question_id, a.run_id, a.sample, a.outcome, left(a.answer_text, {ANSWER_CHARS}) as answer_text,
    cast(a.parsed as varchar) as parsed, v.correct, v.scored, v.scorer, v.detail
from runs.answers as a
left join runs.verdicts as v using (run_id, question_id, sample)
order by a.question_id, a.run_id, a.sample
"""


@dataclass(frozen=True)
class Evidence:
    """How many tuples a question consults, and the first `EVIDENCE_ROWS` of them as (entity, attribute, value).

    Where the query gives the address of a value's source, that is the fourth of them.
    """

    total: int
    tuples: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True)
class Report:
    """All that the page shows.

    tables: the rows of each table read, by its name; none where the database lacks the table. answers: one row per
    answer with its verdict, in the order of question, run and sample. evidence: by `evidence_sql`; a query that can't
    be run is left out. reasons: each rejection's reason in words. gates: the latest verdict on each room. elicited: the
    rows of each of `elicited.QUERIES`, none where a table that it needs is lacking.
    """

    tables: Mapping[str, Sequence[Row]]
    answers: Sequence[Row]
    evidence: Mapping[str, Evidence]
    reasons: Mapping[str, str]
    gates: Sequence[Row]
    elicited: Mapping[str, Sequence[Row]]

    @property
    def questions(self) -> Sequence[Row]:
        """The accepted questions."""
        return self.tables[_QUESTIONS]


def read_report(database: Path, quality: Path) -> Report:
    """Read the published ``database``, opened read-only, and the gates' verdicts in ``quality``, a folder.

    Raises RunError when there is no database, it has no questions table, or a verdict is no JSON.
    """
    if not database.exists():
        raise RunError(f"No page was written: {database} does not exist; run `make build` first.")
    # the queries of evidence are text from a table: they may read this file and nothing else
    config: dict[str, str | bool | int | float | list[str]] = {"enable_external_access": False, "threads": 1}
    with duckdb.connect(str(database), read_only=True, config=config) as connection:
        present = {
            name
            for (name,) in connection.execute("select schema_name || '.' || table_name from duckdb_tables()").fetchall()
        }
        if _QUESTIONS not in present:
            raise RunError(f"No page was written: {database} lacks {_QUESTIONS}; run `make build` first.")
        tables = {
            table: _rows(connection, f"select {', '.join(columns)} from {table} order by {order}")
            if table in present
            else []
            for table, (columns, order) in _READS.items()
        }
        answered = {"runs.answers", "runs.verdicts"} <= present
        return Report(
            tables=tables,
            answers=_rows(connection, _ANSWERS) if answered else [],
            evidence=_evidence(connection, tables[_QUESTIONS]),
            reasons=_reasons(connection),
            gates=_gates(quality),
            elicited={
                name: _rows(connection, sql) if present.issuperset(needed) else []
                for name, (needed, sql) in QUERIES.items()
            },
        )


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    result = connection.execute(sql)
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _evidence(connection: duckdb.DuckDBPyConnection, questions: Iterable[Row]) -> dict[str, Evidence]:
    """Run each distinct query of evidence once, many in a statement."""
    queries = list(dict.fromkeys(row["evidence_sql"] for row in questions if row["evidence_sql"]))
    found: dict[str, Evidence] = {}
    for start in range(0, len(queries), _BATCH):
        batch = queries[start : start + _BATCH]
        try:
            found |= _run_together(connection, batch)
        except duckdb.Error:
            # one that can't be run must not hide the others
            for query in batch:
                try:
                    found |= _run_together(connection, (query,))
                except duckdb.Error:
                    continue
    return found


def _run_together(connection: duckdb.DuckDBPyConnection, queries: Sequence[str]) -> dict[str, Evidence]:
    parts = [
        f"(select {place} as place, entity, attribute, cast(value as varchar) as value, count(*) over () as total,"
        f" {'source_url' if 'source_url' in query else 'null'} as source_url"
        f" from (\n{query.rstrip().rstrip(';')}\n) limit {EVIDENCE_ROWS})"
        for place, query in enumerate(queries)
    ]
    rows = connection.execute("\nunion all\n".join(parts)).fetchall()
    found = {query: Evidence(0, ()) for query in queries}
    for place, group in itertools.groupby(rows, key=lambda row: row[0]):
        tuples = list(group)
        found[queries[place]] = Evidence(
            tuples[0][4], tuple(row[1:4] + row[5:][: row[5] is not None] for row in tuples)
        )
    return found


def _reasons(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """What each reason means, from the comment on the column, which lists them as 'reason: meaning.'"""
    comment = connection.execute(
        "select comment from duckdb_columns() where schema_name = 'questions' and table_name = 'rejections'"
        " and column_name = 'reason' and comment is not null"
    ).fetchone()
    _, *listed = re.split(r"(?:^|(?<=\.) )([a-z_]+): ", comment[0]) if comment else [""]
    return {reason: meaning.strip() for reason, meaning in zip(listed[::2], listed[1::2], strict=True)}


def _gates(folder: Path) -> list[Row]:
    """The verdicts in ``folder``, the oldest first; other files there are no verdicts and are passed over."""
    verdicts = []
    for file in sorted(folder.glob("*.json")):
        try:
            verdict = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise RunError(
                f"No page was written: {file} can't be read; run `make build`, which writes it anew."
            ) from error
        if {"room", "passed", "outcomes", "judged_at"} <= verdict.keys():
            verdicts.append(verdict)
    return sorted(verdicts, key=lambda verdict: verdict["judged_at"])
