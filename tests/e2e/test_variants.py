"""Variants of the demo: other questions of the same kinds, and the same questions over changed facts."""

from __future__ import annotations

import datetime
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from dagster_defs.resources import PROJECT
from dagster_defs.steps.run_rows import SCHEMAS, land_rows
from tests.conftest import Checkout, Outcome

pytestmark = pytest.mark.e2e

FRESH, CHANGED = "fresh-1", "counterfactual-1"


@pytest.fixture(scope="module")
def made(demo: tuple[Checkout, Outcome], tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the demo with both variants."""
    project = Checkout(tmp_path_factory.mktemp("variants") / "assay")
    shutil.copytree(demo[0].root, project.root, ignore=shutil.ignore_patterns("dagster"))
    before = project.published.read_bytes()
    for name in (FRESH, CHANGED):
        outcome = project.run(f"variant {name}")
        assert outcome.code == 0, outcome.err
    assert project.published.read_bytes() == before
    return project


def compared(project: Checkout, name: str, query: str) -> list[tuple[Any, ...]]:
    """What a query finds in a variant, with the published database attached as `base`."""
    (database,) = (project.data / "variants").glob(f"*+{name}.duckdb")
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute(f"attach '{project.published}' as base (read_only)")
        return connection.execute(query).fetchall()


def test_a_fresh_variant_has_none_of_the_published_questions_and_no_more_of_a_kind(made: Checkout) -> None:
    ((count, again),) = compared(
        made, FRESH,
        "select count(*), count(old.question_id) from questions.questions as new"
        " left join base.questions.questions as old using (question_id)",
    )  # fmt: skip
    assert count > 2000
    assert again == 0
    more = compared(
        made, FRESH,
        "with new as (select topic, template_id, density, count(*) as n from questions.questions group by all),"
        " old as (select topic, template_id, density, count(*) as n from base.questions.questions group by all)"
        " select * from new left join old using (topic, template_id, density) where new.n > coalesce(old.n, 0)",
    )  # fmt: skip
    assert more == []
    sides = compared(
        made, FRESH,
        "select count(*) from questions.questions as new join (select distinct topic, split from"
        " base.questions.questions) as old using (topic) where new.split <> old.split",
    )  # fmt: skip
    assert sides == [(0,)]


def test_a_counterfactual_variant_asks_published_questions_with_other_answers(made: Checkout) -> None:
    ((count, kept, alike),) = compared(
        made, CHANGED,
        "select count(*), count(old.question_id), count(*) filter (where new.gold_answer = old.gold_answer"
        " or abs(new.gold_value - old.gold_value) <= old.tolerance * abs(old.gold_value))"
        " from questions.questions as new left join base.questions.questions as old using (question_id)",
    )  # fmt: skip
    assert (kept, alike) == (count, 0)
    assert count > 300


def test_changed_numbers_stay_in_the_range_of_their_property_and_names_stay(made: Checkout) -> None:
    strange = compared(
        made, CHANGED,
        "with ranges as (select property_id, unit_id, min(value_num) as least, max(value_num) as most"
        " from base.facts.statements where value_kind = 'quantity' group by all)"
        " select new.statement_id, old.amount_text, new.amount_text from facts.statements as new"
        " join base.facts.statements as old using (statement_id)"
        " join ranges on new.property_id = ranges.property_id and new.unit_id is not distinct from ranges.unit_id"
        " where new.value_num < least - 0.5 or new.value_num > most + 0.5"
            " or abs(new.value_num) > 1.6 * abs(old.value_num) + 0.5"
        " or length(split_part(new.amount_text, '.', 2)) <> length(split_part(old.amount_text, '.', 2)) limit 3",
    )  # fmt: skip
    assert strange == []
    ((same, changed, names, longer),) = compared(
        made, CHANGED,
        "select count(*) filter (where new.value_kind = 'quantity' and new.amount_text = old.amount_text),"
        " count(*) filter (where new.value_kind = 'quantity' and new.amount_text <> old.amount_text),"
        " count(*) filter (where new.value_entity is distinct from old.value_entity),"
        " count(*) filter (where new.value_kind = 'time' and new.value_time > old.value_time)"
        " from facts.statements as new join base.facts.statements as old using (statement_id)",
    )  # fmt: skip
    assert (names, longer) == (0, 0)
    assert changed > 3 * same


def test_dates_of_a_subject_move_together(made: Checkout) -> None:
    moved = compared(
        made, CHANGED,
        "select count(distinct old.born_on - new.born_on), count(*) filter (where date_diff('year', new.born_on,"
        " old.born_on) <> date_diff('year', new.died_on, old.died_on)) from topics.us_presidents as new"
        " join base.topics.us_presidents as old using (entity_id)",
    )  # fmt: skip
    assert moved[0][0] > 1
    assert moved[0][1] == 0


def test_gold_of_a_variant_is_what_its_sql_says(made: Checkout) -> None:
    (database,) = (made.data / "variants").glob(f"*+{CHANGED}.duckdb")
    with duckdb.connect(str(database), read_only=True, config={"enable_external_access": False}) as connection:
        asked = connection.execute(
            "select gold_sql, gold_value from questions.questions where gold_kind = 'number'"
            " order by question_id limit 60"
        ).fetchall()
        for sql, gold in asked:
            ((answer,),) = connection.execute(sql).fetchall()
            assert float(answer) == pytest.approx(gold, rel=1e-9)


def test_history_keeps_a_variant_as_a_snapshot_of_its_own(made: Checkout) -> None:
    files = {file.stem for file in (made.data / "landing/history/questions").glob("*.parquet")} - {"_schema"}
    (base,) = {name.partition("+")[0] for name in files}
    assert files == {base, f"{base}+{FRESH}", f"{base}+{CHANGED}"}


def test_an_export_of_a_variant_replaces_a_leaked_one(made: Checkout) -> None:
    for name in ("NOTICE", "LICENSE"):
        shutil.copy(PROJECT / name, made.root)
    assert made.run("export leaked --n 40 --split test").code == 0
    outcome = made.run(f"export anew --variant {FRESH} --like leaked")
    assert outcome.code == 0, outcome.err
    old, new = (exported(made.data / f"exports/{name}") for name in ("leaked", "anew"))
    assert not set(old) & set(new)
    assert len(new) > 20
    assert all(f"+{FRESH}" in row["snapshot_id"] for row in new.values())


def test_a_run_on_a_variant_is_scored_by_its_questions_with_the_next_scores(made: Checkout) -> None:
    asked = compared(made, FRESH, "select question_id, snapshot_id from questions.questions order by 1 limit 6")
    key = {"run_id": "m--oracle--0", "sample": 0}
    held = {"entities_needed": 3, "entities_in_context": 3, "truncated": False}
    answers = [{**key, "question_id": question, "outcome": "answered", **held} for question, _ in asked]
    verdicts = [
        {**key, "question_id": question, "scored": True, "correct": n < 2, "scorer": "exact", "chance": 0.0}
        for n, (question, _) in enumerate(asked)
    ]
    run = {
        "run_id": key["run_id"], "model": "m", "model_id": "m", "setting": "oracle", "family": "multi_entity",
        "question_set": "{}", "n_questions": len(asked), "samples": 1, "snapshot_id": asked[0][1], "prompt_sha": "0",
        "started_at": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    }  # fmt: skip
    for dataset, rows in {"answers": answers, "verdicts": verdicts, "runs": [run]}.items():
        whole = [dict.fromkeys(SCHEMAS[dataset].names) | row for row in rows]
        table = pa.Table.from_pylist(whole, SCHEMAS[dataset])
        land_rows(made.data / "landing/llm", dataset, key["run_id"], table)
    outcome = made.run("score")
    assert outcome.code == 0, outcome.err
    (score,) = made.rows("select * from scores.by_model where slice_kind = 'overall'")
    assert (score["n_questions"], score["accuracy"]) == (6, pytest.approx(1 / 3))
    (found,) = made.rows("select * from runs.runs")
    assert (found["questions_snapshot_id"], found["is_current"]) == (asked[0][1], False)


def test_what_is_no_variant_is_told_in_one_sentence(made: Checkout) -> None:
    for words, said in (
        ("variant stale-1", "A variant is called fresh-1, counterfactual-1 or by another number, not 'stale-1'."),
        ("export x --variant fresh-9", "make it with `make variant NAME=fresh-9`"),
    ):
        outcome = made.run(words)
        assert outcome.code == 1
        assert said in outcome.err
        assert "Traceback" not in outcome.err


def exported(folder: Path) -> dict[str, dict[str, Any]]:
    """The rows of an export's test side by question."""
    rows = map(json.loads, (folder / "data/test.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["question_id"]: row for row in rows}
