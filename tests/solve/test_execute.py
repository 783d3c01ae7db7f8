"""A run from question set to landed rows, against a server on loopback: what is right, and what is asked again."""

from __future__ import annotations

import json
from functools import partial

import pyarrow.parquet as pq
import pytest

from dagster_defs.llm.budget import BudgetReached, Caps
from dagster_defs.steps.run_rows import OF_A_RUN, SCHEMAS
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.execute import estimate
from dagster_defs.steps.solve.plan import calls, plan
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.solve import tongue, world
from tests.solve.bench import PLANNED, Bench, model, run_of
from tests.solve.tongue import FORMS, Tongue


@pytest.mark.parametrize("form", range(FORMS))
def test_gold_in_any_form_is_right_and_its_table_matches_fully(bench: Bench, form: int) -> None:
    bench.server.always = Tongue(partial(tongue.right, form=form))
    run = bench.run()
    report = bench.execute(run)
    verdicts = bench.landed("verdicts", run)
    golds = {gold.question_id: (gold.question, gold.answer) for gold in world.questions()}
    assert [(golds[row["question_id"]], row["detail"]) for row in verdicts if not row["correct"]] == []
    assert all(row["scored"] and row["scorer"] != "judge" for row in verdicts)
    assert (report.outcomes, report.correct, report.unscored) == ({"answered": 33}, 33, 0)
    for row in bench.landed("tables", run):
        assert row["n_matched"] == row["n_gold"] == row["n_predicted"] > 0, row["question_id"]
    assert bench.judged() == 0


def test_wrong_answers_are_wrong_and_their_tables_match_nothing(bench: Bench) -> None:
    bench.server.always = Tongue(tongue.wrong)
    run = bench.run()
    report = bench.execute(run)
    verdicts = bench.landed("verdicts", run)
    assert [row["question_id"] for row in verdicts if row["correct"]] == []
    assert all(row["scored"] for row in verdicts)
    assert {row["yes_no_correct"] for row in verdicts if row["scorer"] == "method"} == {False}
    assert {row["n_matched"] for row in bench.landed("tables", run)} == {0}
    assert not any(row["matched"] for row in bench.landed("tuples", run))
    assert (report.correct, report.unscored) == (0, 0)


@pytest.mark.parametrize("setting", PLANNED)
def test_every_question_and_sample_has_its_rows(bench: Bench, setting: Setting) -> None:
    run = bench.run(setting, QuestionSet(split="all", n=10), samples=2, ea_max_entities=10)
    bench.execute(run)
    with Warehouse(bench.database) as warehouse:
        chosen = {question.question_id: question for question in warehouse.choose(run.questions)}
    keys = {(question_id, sample) for question_id in chosen for sample in (0, 1)}
    answers = bench.landed("answers", run)
    assert {(row["question_id"], row["sample"]) for row in answers} == keys
    assert {(row["question_id"], row["sample"]) for row in bench.landed("verdicts", run)} == keys
    low = {key for key in keys if chosen[key[0]].entity_count <= 10}
    assert {(row["question_id"], row["sample"]) for row in bench.landed("tables", run)} == low
    for row in answers:
        needed = chosen[row["question_id"]].entity_count
        held = None if setting is Setting.CLOSED_BOOK else needed
        assert (row["entities_needed"], row["entities_in_context"], row["truncated"]) == (needed, held, False)
        assert (row["prompt_tokens"], row["completion_tokens"]) == (11, 7)
        assert row["cost_usd"] == pytest.approx((11 * 1 + 7 * 2) / 1e6)


def test_rows_have_their_schemas_and_the_run_says_what_it_is(bench: Bench) -> None:
    run = bench.run(samples=2, temperature=0.5)
    bench.execute(run)
    for dataset in OF_A_RUN:
        assert pq.read_schema(bench.landing / dataset / f"{bench.id_of(run)}.parquet").equals(SCHEMAS[dataset])
    (row,) = bench.landed("runs", run)
    assert row["model"] == "m"
    assert (row["setting"], row["n_questions"], row["samples"], row["temperature"]) == ("closed_book", 33, 2, 0.5)
    assert json.loads(row["question_set"])["split"] == row["split"] == "all"
    assert row["snapshot_id"] == world.SNAPSHOT
    with Warehouse(bench.database) as warehouse:
        keys = {call.key for call in calls(plan(run, warehouse))}
    hashes = {row["request_hash"] for name in ("answers", "tables") for row in bench.landed(name, run)}
    assert hashes == keys


def test_answers_of_a_cut_context_say_so(bench: Bench) -> None:
    small = model(bench.server.url, context_tokens=900, max_output_tokens=100)
    run = run_of(small, Setting.ORACLE, QuestionSet(split="all", topics=("stars",)))
    bench.execute(run)
    for row in bench.landed("answers", run):
        assert row["truncated"]
        assert 0 <= row["entities_in_context"] < row["entities_needed"] == world.EXTRA_STARS


def test_second_execution_sends_nothing_and_lands_the_same(bench: Bench) -> None:
    prose = '{"answer": "After long thought about all of them one may well settle on India here", "unit": null}'
    bench.server.always = Tongue(lambda gold, kind: prose if kind == "answer" else tongue.right(gold, kind))
    run = bench.run(samples=2)
    first = bench.execute(run)
    sent, judged = len(bench.server.requests), bench.judged()
    assert judged > 0
    before = {path: path.read_bytes() for path in bench.landing.rglob("*.parquet")}
    rows = bench.landed("runs", run)
    second = bench.execute(run)
    assert len(bench.server.requests) == sent
    assert (second.cached, first.cached) == (len(bench.server.chats) - judged, 0)
    assert second.outcomes == first.outcomes
    after = {path: path.read_bytes() for path in bench.landing.rglob("*.parquet")}
    assert {path for path in before if before[path] != after[path]} <= {
        bench.landing / f"runs/{bench.id_of(run)}.parquet"
    }
    stripped = [[{**row, "started_at": None} for row in found] for found in (rows, bench.landed("runs", run))]
    assert stripped[0] == stripped[1]


def test_run_stopped_by_a_cap_goes_on_without_asking_twice(bench: Bench) -> None:
    run = bench.run()
    with pytest.raises(BudgetReached, match="cap of 10 calls"):
        bench.execute(run, Caps(calls=10))
    assert len(bench.server.chats) == 10
    assert not list(bench.landing.rglob("*.parquet")), "a run that is not over has landed nothing"
    with pytest.raises(BudgetReached):
        bench.execute(run, Caps(calls=7))
    report = bench.execute(run)
    sent = [request.content for request in bench.server.chats]
    assert len(sent) == len(set(sent)) == len(bench.landed("answers", run)) + len(bench.landed("tables", run))
    assert (report.cached, report.correct) == (17, 33)


def test_estimate_sends_nothing_and_counts_what_is_recorded(bench: Bench) -> None:
    run = bench.run(Setting.ORACLE)
    with bench.caller() as caller:
        said = estimate(run, bench.database, caller)
    assert said.startswith(f"{bench.id_of(run)}: 66 calls to send (0 of 66 in the journal)")
    assert bench.server.requests == []
    bench.execute(run)
    with bench.caller() as caller:
        assert "0 calls to send (66 of 66 in the journal)" in estimate(run, bench.database, caller)


def test_wider_run_asks_only_what_is_new(bench: Bench) -> None:
    bench.execute(bench.run(questions=QuestionSet(split="all", n=5), ea_max_entities=0))
    bench.execute(bench.run(questions=QuestionSet(split="all", n=9), ea_max_entities=0))
    assert len(bench.server.chats) == 9
