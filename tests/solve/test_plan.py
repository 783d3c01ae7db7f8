"""What a run asks, and the name it goes by."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

import pytest

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import answer_limit
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.plan import Run, calls, plan
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.solve.bench import ALL, PLANNED, FakeEmbedder, model, run_of

BASE = run_of(model())
AGENT = replace(BASE, setting=Setting.AGENT)
OTHER_RUNS: dict[str, Run] = {
    "spec": replace(BASE, spec=replace(BASE.spec, name="n")),
    "setting": replace(BASE, setting=Setting.ORACLE),
    "questions": replace(BASE, questions=QuestionSet()),
    "samples": replace(BASE, samples=2),
    "temperature": replace(BASE, temperature=0.7),
    "ea_max_entities": replace(BASE, ea_max_entities=3),
    "answer_tokens": replace(BASE, answer_tokens=201),
    "table_tokens": replace(BASE, table_tokens=1001),
    "steps": replace(AGENT, steps=3),
    "step_tokens": replace(AGENT, step_tokens=99),
    "live": replace(AGENT, live=True),
    "snapshot_id": replace(BASE, snapshot_id="s"),
    "articles": replace(BASE, articles="0123456789ab"),
}
OTHER_SPECS: dict[str, Any] = {
    "name": "n",
    "model_id": "m-2",
    "context_tokens": 900,
    "max_output_tokens": 150,
    "parameters": {"top_p": 0.9},
    "reasoning_effort": "high",
}
OTHER_SETS: dict[str, Any] = {
    "family": "deep_research",
    "split": "test",
    "types": ("superlative",),
    "topics": ("rivers",),
    "densities": ("low",),
    "n": 5,
    "seed": 1,
    "wording": "refined",
    "texts": "0123456789ab",
    "categories": ("financial",),
}
# Where a model is and what it costs changes nothing of what it is asked.
NOT_ASKED = {"base_url", "key_variable", "kind", "output_limit", "json_schema", "price", "base_model", "batch"}


def keys(run: Run, warehouse: Warehouse) -> list[str]:
    return [call.key for call in calls(plan(run, warehouse, FakeEmbedder()))]


def test_same_run_has_the_same_id() -> None:
    again = run_of(model("http://elsewhere:1/v1"))
    assert again.run_id == BASE.run_id
    # A name that was landed once is looked for by it later.
    assert re.fullmatch(r"m--closed_book--[0-9a-f]{12}", BASE.run_id)


def test_every_field_of_a_run_changes_its_id() -> None:
    assert set(OTHER_RUNS) == {field.name for field in fields(Run)}
    ids = [BASE.run_id, AGENT.run_id, *(run.run_id for run in OTHER_RUNS.values())]
    assert len(set(ids)) == len(ids)


def test_every_field_of_a_model_that_changes_what_is_asked_changes_the_id() -> None:
    assert set(OTHER_SPECS) | NOT_ASKED | {"tools"} == {field.name for field in fields(ModelSpec)}
    ids = [BASE.run_id, *(replace(BASE, spec=replace(BASE.spec, **{k: v})).run_id for k, v in OTHER_SPECS.items())]
    assert len(set(ids)) == len(ids)


def test_what_only_an_agent_is_offered_changes_the_id_of_an_agent_alone() -> None:
    for changed in ({"steps": 3}, {"step_tokens": 99}, {"live": True}, {"spec": replace(BASE.spec, tools=True)}):
        assert replace(BASE, **changed).run_id == BASE.run_id
        assert replace(AGENT, **changed).run_id != AGENT.run_id


def test_what_an_agent_asks_cannot_be_planned(warehouse: Warehouse) -> None:
    with pytest.raises(ValueError, match="cannot be planned"):
        plan(AGENT, warehouse)


def test_a_question_that_hides_something_is_asked_for_it_and_gives_no_list_of_it(warehouse: Warehouse) -> None:
    asks = plan(run_of(model(), questions=QuestionSet("deep_research", "all")), warehouse)
    assert {ask.question.question_id for ask in asks if ask.is_table} == {"q032"}
    for ask in asks:
        if not ask.is_table:
            assert ask.call.schema is not None
            assert ("entity" in ask.call.schema["properties"]) == bool(ask.question.hidden)


def test_every_field_of_a_question_set_changes_the_id() -> None:
    assert set(OTHER_SETS) == {field.name for field in fields(QuestionSet)}
    ids = [BASE.run_id, *(replace(BASE, questions=replace(ALL, **{k: v})).run_id for k, v in OTHER_SETS.items())]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", ["context_tokens", "max_output_tokens", "parameters", "reasoning_effort", "model_id"])
def test_what_has_another_id_is_another_request(warehouse: Warehouse, name: str) -> None:
    run = run_of(model(), Setting.ORACLE, QuestionSet(split="all", topics=("stars",)))
    other = replace(run, spec=replace(run.spec, **{name: OTHER_SPECS[name]}))
    assert keys(run, warehouse) != keys(other, warehouse)


def test_order_in_which_a_set_is_listed_is_no_other_run() -> None:
    one = replace(BASE, questions=QuestionSet(topics=("rivers", "stars")))
    assert one.run_id == replace(BASE, questions=QuestionSet(topics=("stars", "rivers"))).run_id


def test_planning_twice_gives_the_same_calls(warehouse: Warehouse) -> None:
    for setting in PLANNED:
        run = run_of(model(), setting, QuestionSet(split="all", n=9))
        assert keys(run, warehouse) == keys(run, warehouse)


def test_samples_and_questions_have_keys_of_their_own(warehouse: Warehouse) -> None:
    asks = plan(run_of(model(), samples=3), warehouse)
    assert len({ask.call.key for ask in asks}) == len(asks)
    assert len({(ask.question.question_id, ask.sample, ask.is_table) for ask in asks}) == len(asks)
    by_sample = {ask.sample: ask.call.parameters["seed"] for ask in asks}
    assert by_sample == {0: 0, 1: 1, 2: 2}


def test_answers_come_before_working_tables(warehouse: Warehouse) -> None:
    kinds = [ask.is_table for ask in plan(run_of(model()), warehouse)]
    assert kinds == sorted(kinds)
    assert kinds.count(False) == 33


@pytest.mark.parametrize("most", [0, 1, 2, 9, 24, 60, 1000])
def test_working_tables_are_asked_up_to_a_number_of_entities(warehouse: Warehouse, most: int) -> None:
    asks = plan(run_of(model(), ea_max_entities=most), warehouse)
    asked = sorted(ask.question.question_id for ask in asks if ask.is_table)
    assert asked == sorted(one.question_id for one in warehouse.choose(ALL) if one.entity_count <= most)
    assert bool(asked) == (most > 0)


def test_statistical_types_are_asked_for_columns_and_method(warehouse: Warehouse) -> None:
    for ask in plan(run_of(model(), ea_max_entities=0), warehouse):
        assert ask.call.schema is not None
        asked = set(ask.call.schema["properties"])
        statistical = ask.question.type in STATISTICAL_TYPES
        assert asked == ({"columns", "method", "answer"} if statistical else {"answer", "unit"})
        listed = [f"- {one.name}: " in ask.call.messages[-1]["content"] for one in warehouse.attributes("elements")]
        assert all(listed) == (statistical and ask.question.topic == "elements")


def test_a_working_table_lists_only_what_its_question_needs(warehouse: Warehouse) -> None:
    for ask in plan(run_of(model()), warehouse):
        if ask.is_table:
            listed = set(re.findall(r"^- (\w+): ", ask.call.messages[-1]["content"], re.MULTILINE))
            assert listed == {fact.attribute for fact in warehouse.evidence(ask.question)}


def test_no_prompt_holds_its_own_gold(warehouse: Warehouse) -> None:
    for ask in plan(run_of(model(), ea_max_entities=0), warehouse):
        question = ask.question
        if question.gold_kind == "number" and question.gold_answer not in question.question:
            assert question.gold_answer not in ask.call.messages[-1]["content"].split()


def test_limits_and_the_models_own_parameters_hold(warehouse: Warehouse) -> None:
    spec = model(parameters={"temperature": 1, "seed": None}, max_output_tokens=300)
    for ask in plan(run_of(spec), warehouse):
        assert answer_limit(ask.call, spec) == (300 if ask.is_table else 200)
        assert ask.call.parameters["temperature"] == 1
        assert "seed" not in ask.call.parameters


@pytest.mark.parametrize(
    ("name", "least"),
    [("samples", 1), ("answer_tokens", 1), ("table_tokens", 1), ("temperature", 0), ("ea_max_entities", 0)],
)
def test_run_of_nothing_is_refused_in_one_sentence(name: str, least: int) -> None:
    with pytest.raises(RunError, match=f"at least {least} as its '{name}', not {least - 1}"):
        run_of(model(), **{name: least - 1})
