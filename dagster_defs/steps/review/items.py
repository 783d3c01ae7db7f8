"""What a sheet shows of a question or an answer, read from the published database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.review.draw import draw
from dagster_defs.steps.review.rows import Row

# Tuples of the evidence that are shown, and characters of a value and of an answer: a spreadsheet's cell takes 32,767.
TUPLES: Final = 12
_VALUE: Final = 200
_ANSWER: Final = 20_000
_QUESTION_COLUMNS: Final = (
    "question_id", "family", "category", "type", "topic", "density", "question", "attributes", "evidence_sql",
    "gold_answer", "gold_kind", "gold_unit", "gold_columns", "gold_method", "gold_entity_ids", "gold_aliases",
    "snapshot_id",
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """What was drawn: `rows` of the landed sheets, yet without sheet and item; `available` is how many there were."""

    rows: list[dict[str, Any]]
    available: int


@contextmanager
def published(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published database, read-only. Raises RunError when there is none, or it is no such database."""
    if not database.exists():
        raise RunError(f"There is no {database} to review: run `make demo` or `make build` first.")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            yield connection
    except duckdb.CatalogException as error:
        raise RunError(f"{database} was built without reviews: run `make build`, then try again.") from error
    except duckdb.Error as error:
        raise RunError(f"{database} cannot be read: {str(error).splitlines()[0]}") from error


def draw_questions(database: Path, n: int, seed: int) -> Drawn:
    """``n`` questions, drawn over family, type, density and topic. Raises RunError where there is no question."""
    with published(database) as connection:
        rows = _rows(connection, f"select {', '.join(_QUESTION_COLUMNS)} from questions.questions")
        if not rows:
            raise RunError(f"There is no question in {database} to review.")
        drawn = draw(rows, n, seed, ("family", "type", "density"), "topic", ("question_id",))
        catalog = _rows(connection, "select topic || '.' || attribute as name, phrase, unit from topics.catalog")
        words = {row["name"]: f"{row['phrase']} ({row['unit']})" if row["unit"] else row["phrase"] for row in catalog}
        days = _days(connection)
        found = []
        for row in drawn:
            evidence = _evidence(connection, row)
            # An attribute's bare name, as in the evidence, means what the question's own attribute of this name does.
            phrases = {name.split(".", 1)[-1]: words[name] for name in row["attributes"] if name in words}
            shown = {
                "question": row["question"],
                "gold": gold_text(row, phrases),
                "evidence": [_tuple_text(fact, phrases) for fact in evidence[:TUPLES]],
                "evidence_count": len(evidence),
                "as_of": days.get(row["snapshot_id"], ""),
            }
            found.append(_landing_row(row, shown))
    return Drawn(found, len(rows))


def draw_answers(database: Path, n: int, seed: int) -> Drawn:
    """``n`` answers that the judge had to settle, drawn over runs and types. Raises RunError where there is none."""
    named = ", ".join(f"question.{column}" for column in _QUESTION_COLUMNS)
    with published(database) as connection:
        rows = _rows(
            connection,
            f"select answer.run_id, answer.sample, answer.answer_text, {named} from runs.answers as answer"
            " inner join runs.verdicts as verdict on answer.run_id = verdict.run_id"
            " and answer.question_id = verdict.question_id and answer.sample = verdict.sample"
            " inner join questions.questions as question on answer.question_id = question.question_id"
            " where verdict.scorer = 'judge' and verdict.scored and answer.answer_text is not null",
        )
        if not rows:
            raise RunError(
                f"There is no answer in {database} that a judge had to settle: run a model first, or review questions."
            )
        days = _days(connection)
    drawn = draw(rows, n, seed, ("run_id",), "type", ("run_id", "question_id", "sample"))
    found = []
    for row in drawn:
        answer = row["answer_text"]
        shown = {
            "question": row["question"],
            "gold": gold_text(row, {}),
            "aliases": sorted(row["gold_aliases"] or ()),
            "answer": answer if len(answer) <= _ANSWER else f"{answer[:_ANSWER]} … (cut)",
            "as_of": days.get(row["snapshot_id"], ""),
        }
        found.append(_landing_row(row, shown))
    return Drawn(found, len(rows))


def gold_text(row: Row, phrases: Mapping[str, str]) -> str:
    """The gold answer as people read it: with its unit, a distribution in words, a test with what it tested.

    ``phrases`` are words for attributes by bare name; one without is spelt out.
    """
    gold = str(row["gold_answer"])
    if row["gold_kind"] == "distribution":
        gold = "; ".join(f"{name}: {count}" for name, count in json.loads(gold).items())
    elif row["gold_kind"] == "list":
        gold = "; ".join(map(str, json.loads(gold)))
    elif row["gold_unit"]:
        gold = f"{gold} {row['gold_unit']}"
    if row["gold_method"]:
        tested = " and ".join(_phrase(name, phrases) for name in row["gold_columns"] or ())
        gold = f"{gold} (test: {row['gold_method']}, of {tested})"
    return gold


def _evidence(connection: duckdb.DuckDBPyConnection, row: Row) -> list[Row]:
    """Every tuple that a question consults, those of the gold answer's entity first, else sorted by entity."""
    try:
        facts = _rows(connection, row["evidence_sql"])
    except duckdb.Error as error:
        raise RunError(f"The evidence_sql of {row['question_id']} fails: {str(error).splitlines()[0]}") from error
    golden = set(row["gold_entity_ids"] or ())
    return sorted(
        facts,
        key=lambda fact: (fact["entity_id"] not in golden, str(fact["entity"]), fact["attribute"], str(fact["value"])),
    )


def _tuple_text(fact: Row, phrases: Mapping[str, str]) -> list[str]:
    """Entity, attribute in words, value; a value reached by a hop says over what."""
    value = str(fact["value"]).removesuffix(".0")[:_VALUE]
    if fact.get("via"):
        value = f"{value} (via {str(fact['via'])[:_VALUE]})"
    return [str(fact["entity"]), _phrase(fact["attribute"], phrases), value]


def _phrase(attribute: str, phrases: Mapping[str, str]) -> str:
    return phrases.get(attribute, attribute.replace("_", " "))


def _landing_row(row: Row, shown: Row) -> dict[str, Any]:
    kept = ("question_id", "family", "category", "type", "topic", "question", "gold_answer", "snapshot_id")
    of_answer = {"run_id": row.get("run_id"), "sample": row.get("sample")}
    return {name: row[name] for name in kept} | of_answer | {"shown": json.dumps(shown, ensure_ascii=False)}


def _days(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The day that each snapshot's facts are of."""
    rows = _rows(connection, "select snapshot_id, max(as_of) as day from provenance.snapshots group by snapshot_id")
    return {row["snapshot_id"]: str(row["day"]) for row in rows}


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
    cursor = connection.execute(sql, list(parameters))
    columns = [column[0] for column in cursor.description or []]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
