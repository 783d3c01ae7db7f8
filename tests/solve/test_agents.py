"""Runs in the setting agent: real tools over the small world's documents, and a script in the model's place."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from dagster_defs.llm.budget import BudgetReached, Caps
from dagster_defs.steps.agent import tools
from dagster_defs.steps.sandbox import SandboxMissing
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.execute import estimate
from dagster_defs.steps.solve.plan import Run
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from dagster_defs.steps.solve.sheets import sheets
from tests.llm.server import fails
from tests.solve import scripts, world
from tests.solve.bench import ALL, Bench, model, run_of
from tests.solve.scripts import PERU, RIVERS, Scripted, says

HIDDEN = QuestionSet("deep_research", "all", types=("quantitative_modelling", "comparative_ranking"))


def agent(bench: Bench, questions: QuestionSet = HIDDEN, *, native: bool = False, **more: Any) -> Run:
    """A run of an agent that the server plays."""
    return run_of(model(bench.server.url, tools=native), Setting.AGENT, questions, **more)


def by_question(bench: Bench, dataset: str, run: Run) -> dict[str, dict[str, Any]]:
    """The landed rows of a run of one sample, by question."""
    return {row["question_id"]: row for row in bench.landed(dataset, run)}


@pytest.mark.parametrize("native", [False, True], ids=["text", "tools"])
def test_an_agent_that_knows_its_way_is_right_and_leaves_its_whole_transcript(bench: Bench, native: bool) -> None:
    bench.server.always = Scripted(native=native)
    run = agent(bench, native=native)
    report = bench.execute(run)
    assert (report.outcomes, report.correct, report.unscored) == ({"answered": 2}, 2, 0)
    verdicts = by_question(bench, "verdicts", run)
    assert {name: (row["correct"], row["entity_correct"]) for name, row in verdicts.items()} == {
        "q034": (True, True), "q035": (True, True),
    }  # fmt: skip
    steps = bench.landed("steps", run)
    last = {row["question_id"]: row["number"] for row in steps if row["kind"] == "answer"}
    assert last == Counter(row["question_id"] for row in steps) == {"q034": len(PERU), "q035": len(RIVERS)}
    peru = [row for row in steps if row["question_id"] == "q034"]
    assert [row["tool"] for row in peru] == ["search", "read", "python", "answer"]
    assert json.loads(peru[0]["arguments"]) == {"query": "shares border with Bolivia, official language Quechua"}
    assert "- population (population): 33720000 people" in peru[1]["observation"]
    assert "- shares border with: Bolivia" in peru[1]["observation"]
    assert peru[2]["observation"].startswith("26.23")
    answers = by_question(bench, "answers", run)
    assert json.loads(answers["q034"]["parsed"])["entity"] == "Peru"
    for question_id, row in answers.items():
        mine = [step for step in steps if step["question_id"] == question_id]
        for spent in ("prompt_tokens", "completion_tokens", "cost_usd"):
            assert row[spent] == pytest.approx(sum(step[spent] for step in mine))
        assert row["request_hash"] == mine[-1]["request_hash"]
        assert (row["entities_in_context"], row["truncated"]) == (None, False)
    assert bench.landed("tables", run) == []
    (row,) = bench.landed("runs", run)
    assert (row["setting"], row["family"], row["n_questions"]) == ("agent", "deep_research", 2)


@pytest.mark.parametrize(
    ("entity", "number", "right", "found"),
    [
        ("Bolivia", 26.2368, True, False),
        (None, 26.2368, True, False),
        ("It is Peru.", 99, False, True),
        ("Peru or Bolivia", 99, False, False),
        (["Peru"], 26.3, True, True),
        (["Peru", "Bolivia"], 26.3, True, False),
    ],
)
def test_what_is_named_and_what_is_computed_are_scored_apart(
    bench: Bench, entity: Any, number: float, right: bool, found: bool
) -> None:
    bench.server.always = Scripted(lambda gold: (says(number, "people per square kilometre", entity),))
    run = agent(bench, QuestionSet("deep_research", "all", topics=("countries",), types=("quantitative_modelling",)))
    bench.execute(run)
    (row,) = bench.landed("verdicts", run)
    assert (row["scored"], row["correct"], row["entity_correct"]) == (True, right, found)


def test_an_agent_of_which_nothing_came_is_unscored_and_asked_again_alone(bench: Bench) -> None:
    bench.server.always = Scripted(faults={"q035": fails(500)})
    run = agent(bench)
    report = bench.execute(run)
    assert (report.outcomes, report.correct, report.unscored) == ({"answered": 1, "failed": 1}, 1, 1)
    lost = by_question(bench, "verdicts", run)["q035"]
    assert (lost["scored"], lost["correct"], lost["entity_correct"]) == (False, None, None)
    assert [row["kind"] for row in bench.landed("steps", run) if row["question_id"] == "q035"] == ["silent"]
    assert by_question(bench, "answers", run)["q035"]["error"]
    bench.server.requests.clear()
    bench.server.always = Scripted()
    report = bench.execute(run)
    assert (report.outcomes, report.correct, report.cached) == ({"answered": 2}, 2, len(PERU))
    assert {scripts.asked(request).question_id for request in bench.server.chats} == {"q035"}
    assert len(bench.server.chats) == len(RIVERS)


def test_a_refused_cut_or_unreadable_answer_names_nothing(bench: Bench) -> None:
    run = agent(bench, steps=3, native=True)
    bench.server.always = Scripted(lambda gold: (scripts.search("word"),), native=True)
    assert bench.execute(run).sentence().endswith("; most were cut at their limit: raise --steps or --step-tokens.")
    assert {row["outcome"] for row in bench.landed("answers", run)} == {"cut"}
    assert {(row["scored"], row["correct"], row["entity_correct"]) for row in bench.landed("verdicts", run)} == {
        (True, False, False)
    }


def test_an_agent_stopped_by_a_cap_goes_on_without_asking_twice(bench: Bench) -> None:
    bench.server.always = Scripted()
    run = agent(bench)
    for calls in (3, 4):
        with pytest.raises(BudgetReached, match=f"cap of {calls} calls"):
            bench.execute(run, Caps(calls=calls))
        assert not list(bench.landing.rglob("*.parquet")), "a run that is not over has landed nothing"
    report = bench.execute(run)
    sent = [request.content for request in bench.server.chats]
    assert len(sent) == len(set(sent)) == len(PERU) + len(RIVERS)
    assert (report.cached, report.correct) == (7, 2)
    assert len(bench.landed("steps", run)) == len(sent)


def test_a_second_execution_sends_nothing_and_lands_the_same(bench: Bench) -> None:
    bench.server.always = Scripted()
    run = agent(bench, samples=2)
    bench.execute(run)
    sent = len(bench.server.requests)
    before = {path: path.read_bytes() for path in bench.landing.rglob("*.parquet")}
    report = bench.execute(run)
    assert len(bench.server.requests) == sent == report.cached
    after = {path: path.read_bytes() for path in bench.landing.rglob("*.parquet")}
    assert {path for path in before if before[path] != after[path]} <= {
        bench.landing / f"runs/{bench.id_of(run)}.parquet"
    }
    assert Counter(row["sample"] for row in bench.landed("answers", run)) == {0: 2, 1: 2}
    assert {request.body["seed"] for request in bench.server.chats} == {0, 1}


def test_an_estimate_is_an_upper_bound_and_sends_nothing(bench: Bench) -> None:
    bench.server.always = Scripted()
    run = agent(bench, steps=7, step_tokens=300)
    with bench.caller() as caller:
        said = estimate(run, bench.database, caller)
    assert said.startswith(f"{bench.id_of(run)}: at most 14 calls to send (0 more are in the journal)")
    assert f"{14 * 300:,} to write" in said
    assert "an upper bound, 7 steps of 300 tokens for each answer" in said
    assert bench.server.requests == []
    bench.execute(run)
    spent = [bench.landed("answers", run)[place][name] for place in (0, 1) for name in ("prompt_tokens",)]
    assert sum(spent) < int(said.split(" tokens to read")[0].rsplit(" ", 1)[1].replace(",", ""))
    with bench.caller() as caller:
        assert "at most 0 calls to send (10 more are in the journal)" in estimate(run, bench.database, caller)


def test_every_question_of_the_other_family_can_be_asked_of_an_agent(bench: Bench) -> None:
    bench.server.always = Scripted()
    run = agent(bench, ALL)
    report = bench.execute(run)
    golds = {gold.question_id: gold for gold in world.questions()}
    verdicts = bench.landed("verdicts", run)
    assert [(golds[row["question_id"]].question, row["detail"]) for row in verdicts if not row["correct"]] == []
    assert (report.outcomes, report.unscored) == ({"answered": 33}, 0)
    assert {row["entity_correct"] for row in verdicts} == {None}
    tested = [row for row in verdicts if row["scorer"] == "method"]
    assert {row["yes_no_correct"] for row in tested} == {True}
    for request in bench.server.chats:
        gold, text = scripts.asked(request), request.body["messages"][1]["content"]
        assert ("columns: the columns that are tested" in text) == (
            gold.question_id in {r["question_id"] for r in tested}
        )


def test_an_agent_that_names_no_test_is_right_in_yes_or_no_alone(bench: Bench) -> None:
    bench.server.always = Scripted(lambda gold: (says(gold.answer),))
    run = agent(bench, QuestionSet(split="all", types=("variance_analysis",)))
    bench.execute(run)
    verdicts = bench.landed("verdicts", run)
    assert {(row["scored"], row["correct"], row["yes_no_correct"]) for row in verdicts} == {(True, False, True)}


def test_a_step_that_no_file_can_hold_is_landed_in_another_form(bench: Bench) -> None:
    moves = (
        {"tool": "search", "query": "\ud800 \x00"},
        {"tool": "answer", "answer": float("nan"), "unit": None, "entity": None},
    )
    bench.server.always = Scripted(lambda gold: tuple(lambda seen, move=move: move for move in moves), native=True)
    run = agent(bench, native=True)
    bench.execute(run)
    steps = bench.landed("steps", run)
    assert json.loads(steps[0]["arguments"]) == {"query": "\ufffd \ufffd"}
    assert json.loads(steps[1]["arguments"])["answer"] == "nan"
    assert not any(row["correct"] for row in bench.landed("verdicts", run))


def test_without_a_sandbox_no_agent_is_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise SandboxMissing("This system cannot confine code.")

    monkeypatch.setattr(tools.sandbox, "run", refuses)
    with pytest.raises(SandboxMissing):
        bench.execute(agent(bench))
    assert bench.server.requests == []


def test_the_library_has_a_sheet_of_everything_with_facts_or_links(warehouse: Warehouse) -> None:
    made = {sheet.sheet_id: sheet for sheet in sheets(warehouse, world.SNAPSHOT)}
    entities = {(row[0], row[1]) for row in world.attribute_rows()}
    assert len(made) == len(entities) + 1
    peru = made["countries/typed:countries/Peru"].document
    assert peru.title == "Peru"
    assert peru.text.endswith("## Links\n- shares border with: Bolivia\n")
    assert "total area (area_km2): 1285216 square kilometres" in peru.text
    ocean = made["links/typed:seas/Pacific Ocean"].document
    assert ocean.text == (
        "# Pacific Ocean\nLinks made from recorded facts (as of 2026-11-02).\n## Links\n- basin country: Peru\n"
    )
