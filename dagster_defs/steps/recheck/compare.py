"""Compares what questions were answered from with what was fetched again: inputs one by one, then the answers."""

from __future__ import annotations

import datetime
import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import msgspec

from dagster_defs.steps.derivation import canonical

_QUESTION: Final = (
    "question_id", "topic", "attributes", "gold_sql", "evidence_sql", "gold_kind", "gold_value", "gold_answer",
    "tolerance",
)  # fmt: skip
# Sums of doubles differ in their last digits from run to run.
_SAME: Final = 1e-9
# Entity and attribute -> its label, and its values as text.
_Inputs = dict[tuple[str, str], tuple[str, tuple[str, ...]]]


class Change(msgspec.Struct, frozen=True):
    """An input of a question that is not as it was, or could not be fetched; or an answer that changed without one.

    ``status``: changed; gone (no value any more); new (none before, as of an entity that came into the question);
    answer (no input of its own changed, such as a name); error (not fetched: neither same nor changed). Several values
    stand in one text between '; '. ``relative_change``: (new - old) / |old| of the answers, NULL where one is no
    number. ``old_as_of``, ``new_as_of``: when the values were fetched, UTC.
    """

    recheck_id: str
    question_id: str
    status: str
    entity_id: str | None
    entity: str | None
    attribute: str | None
    old_value: str | None
    new_value: str | None
    old_answer: str
    new_answer: str | None
    relative_change: float | None
    is_answer_changed: bool | None
    is_beyond_tolerance: bool | None
    old_as_of: datetime.datetime | None
    new_as_of: datetime.datetime | None
    error: str | None
    endpoint: str
    checked_at: datetime.datetime


class Recheck(NamedTuple):
    """One recheck: its id, who was asked, and when (UTC, without time zone)."""

    recheck_id: str
    endpoint: str
    checked_at: datetime.datetime


class _Answer(NamedTuple):
    text: str | None
    relative_change: float | None
    is_changed: bool
    is_beyond: bool


def questions_of(published: Path, topics: Collection[str]) -> dict[str, int]:
    """Topic -> number of its published questions, of the ``topics`` that have any; empty takes all.

    Raises duckdb.Error where the file cannot be opened or has no questions.
    """
    with duckdb.connect(str(published), read_only=True) as con:
        counted = con.execute(
            "select topic, count(*) from questions.questions group by topic order by topic"
        ).fetchall()
    return {topic: count for topic, count in counted if not topics or topic in topics}


def not_fetched(published: Path, failed: Mapping[str, str], recheck: Recheck) -> Iterator[Change]:
    """A row for each attribute that each question of a failed topic (-> why) rests on."""
    with duckdb.connect(str(published), read_only=True) as con:
        for question in _questions(con, failed):
            for attribute in question["attributes"]:
                yield _row(recheck, question, "error", attribute=attribute, error=failed[question["topic"]])


def not_said(
    published: Path, silent: Mapping[str, str], snapshot_id: str, topics: Collection[str], recheck: Recheck
) -> Iterator[Change]:
    """A row for each input of the questions of ``topics`` that a silent service (-> why) had given.

    ``snapshot_id`` is the snapshot of the topics, whose statements name the same sources but were fetched elsewhere.
    """
    if not silent:
        return
    with duckdb.connect(str(published), read_only=True) as con:
        found = con.execute(
            """
            select facts.topic, facts.entity_id, facts.attribute, max(stated.source), max(stated.fetched_at)
            from topics.entity_attributes as facts
            join topics.attribute_meta as meta using (topic, attribute)
            join facts.best_values as stated
                on facts.entity_id = stated.subject_id and split_part(meta.path, '.', 1) = stated.property_id
            where stated.source in (select unnest(?)) and stated.snapshot_id != ?
            and facts.topic in (select unnest(?))
            group by all
            """,
            [list(silent), snapshot_id, list(topics)],
        ).fetchall()
        known = {(topic, entity_id, attribute): (source, when) for topic, entity_id, attribute, source, when in found}
        for question in _questions(con, {topic for topic, *_ in known}):
            for (entity_id, attribute), (entity, values) in sorted(_inputs(con, question["evidence_sql"]).items()):
                if said := known.get((question["topic"], entity_id, attribute)):
                    yield _row(
                        recheck, question, "error", entity_id=entity_id, entity=entity, attribute=attribute,
                        old_value="; ".join(values), old_as_of=said[1], error=silent[said[0]],
                    )  # fmt: skip


def changes(published: Path, rebuilt: Path, topics: Collection[str], recheck: Recheck) -> Iterator[Change]:
    """What is not as it was in the questions of ``topics``, which ``rebuilt`` has anew.

    Raises duckdb.Error where a table is missing.
    """
    with duckdb.connect(str(published), read_only=True) as old, duckdb.connect(str(rebuilt), read_only=True) as new:
        for con in (old, new):
            con.execute("set threads = 1; set enable_progress_bar = false")
        differing = [topic for topic in sorted(topics) if _rows_of(old, topic) != _rows_of(new, topic)]
        paths = _paths(old)
        for question in _questions(old, differing):
            yield from _changed(recheck, question, old, new, paths)


def _changed(
    recheck: Recheck,
    question: Mapping[str, Any],
    old: duckdb.DuckDBPyConnection,
    new: duckdb.DuckDBPyConnection,
    paths: Mapping[tuple[str, str], str],
) -> Iterator[Change]:
    """The rows of one question."""
    before, after = _inputs(old, question["evidence_sql"]), _inputs(new, question["evidence_sql"])
    answer = _answer(question, new)
    told = {
        "new_answer": answer.text,
        "relative_change": answer.relative_change,
        "is_answer_changed": answer.is_changed,
        "is_beyond_tolerance": answer.is_beyond,
    }
    nothing: tuple[str, tuple[str, ...]] = ("", ())
    found = False
    for key in sorted(before.keys() | after.keys()):
        (old_name, old_values), (new_name, new_values) = before.get(key, nothing), after.get(key, nothing)
        if old_values == new_values:
            continue
        found = True
        entity_id, attribute = key
        path = paths.get((question["topic"], attribute))
        yield _row(
            recheck,
            question,
            "gone" if not new_values else "changed" if old_values else "new",
            entity_id=entity_id,
            entity=new_name or old_name,
            attribute=attribute,
            old_value="; ".join(old_values) or None,
            new_value="; ".join(new_values) or None,
            old_as_of=_as_of(old, entity_id, path) if old_values else None,
            new_as_of=(_as_of(new, entity_id, path) if new_values else None) or recheck.checked_at,
            **told,
        )
    if answer.is_changed and not found:
        yield _row(recheck, question, "answer", **told)


def _row(recheck: Recheck, question: Mapping[str, Any], status: str, **cells: Any) -> Change:
    blank = dict.fromkeys(Change.__struct_fields__)
    known = {"question_id": question["question_id"], "status": status, "old_answer": question["gold_answer"]}
    return Change(**{**blank, **recheck._asdict(), **known, **cells})


def _questions(con: duckdb.DuckDBPyConnection, topics: Collection[str]) -> list[dict[str, Any]]:
    rows = con.execute(
        f"select {', '.join(_QUESTION)} from questions.questions where topic in (select unnest(?))"
        " order by question_id",
        [sorted(topics)],
    ).fetchall()
    return [dict(zip(_QUESTION, row, strict=True)) for row in rows]


def _rows_of(con: duckdb.DuckDBPyConnection, topic: str) -> list[str]:
    """The rows of a topic's table as texts, in an order of their own."""
    return sorted(map(repr, con.execute(f'select * from topics."{topic}"').fetchall()))


def _paths(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], str]:
    """(topic, attribute) -> the property that leads from its entity towards its value."""
    rows = con.execute("select topic, attribute, path from topics.attribute_meta where path is not null").fetchall()
    return {(topic, attribute): path for topic, attribute, path in rows}


def _inputs(con: duckdb.DuckDBPyConnection, evidence_sql: str) -> _Inputs:
    found = con.execute(evidence_sql)
    names = [column[0] for column in found.description or []]
    where = [names.index(name) for name in ("entity_id", "entity", "attribute", "value")]
    labels: dict[tuple[str, str], str] = {}
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in found.fetchall():
        entity_id, entity, attribute, value = (row[place] for place in where)
        if value is not None:
            labels[entity_id, attribute] = entity
            values[entity_id, attribute].add(str(value))
    return {key: (labels[key], tuple(sorted(several))) for key, several in values.items()}


def _answer(question: Mapping[str, Any], con: duckdb.DuckDBPyConnection) -> _Answer:
    """What a question's gold_sql says now, beside what is stored."""
    rows = con.execute(question["gold_sql"]).fetchall()
    answer = rows[0][0] if len(rows) == 1 else None
    stored = question["gold_answer"]
    if answer is None:
        return _Answer(None, None, True, True)
    if question["gold_kind"] == "number":
        value, gold, tolerance = float(answer), question["gold_value"], question["tolerance"] or 0.0
        text = canonical(answer if isinstance(answer, int | float) else value, tolerance=tolerance)
        if math.isclose(value, gold, rel_tol=_SAME, abs_tol=1e-12):
            return _Answer(stored, 0.0 if gold else None, False, False)
        relative = (value - gold) / abs(gold) if gold else None
        return _Answer(text, relative, True, abs(value - gold) > tolerance * abs(gold))
    if question["gold_kind"] == "distribution":
        counts = json.loads(answer) if isinstance(answer, str) else answer
        text, is_same = canonical(counts, tolerance=0), counts == json.loads(stored)
    else:
        text = canonical(answer, tolerance=0)
        is_same = text == stored
    return _Answer(stored if is_same else text, None, not is_same, not is_same)


def _as_of(con: duckdb.DuckDBPyConnection, entity_id: str, path: str | None) -> datetime.datetime | None:
    """When the value of an entity was fetched: the latest of the property that leads to it, or of all of it."""
    ((moment,),) = con.execute(
        "select coalesce(max(fetched_at) filter (where property_id = ?), max(fetched_at))"
        " from facts.best_values where subject_id = ?",
        [(path or "").split(".")[0], entity_id],
    ).fetchall()
    found: datetime.datetime | None = moment
    return found
