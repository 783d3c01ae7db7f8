"""Which questions a set draws: evenly over types, larger sets around smaller ones, whatever the order of rows."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.matching import Hidden
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.solve import world
from tests.solve.bench import ALL

COMMON = [gold for gold in world.questions() if gold.family == "multi_entity"]
BY_TYPE = Counter(gold.type for gold in COMMON)


def drawn(warehouse: Warehouse, **wanted: object) -> list[str]:
    return [question.question_id for question in warehouse.choose(QuestionSet(**{"split": "all", **wanted}))]


def test_a_set_without_bounds_is_the_whole_family(warehouse: Warehouse) -> None:
    assert sorted(drawn(warehouse)) == [gold.question_id for gold in COMMON]
    assert sorted(drawn(warehouse, family="deep_research")) == ["q032", "q034", "q035"]


def test_a_question_that_hides_something_says_what(warehouse: Warehouse) -> None:
    found = {one.question_id: one for one in warehouse.choose(QuestionSet("deep_research", "all"))}
    assert found["q032"].hidden == ()
    assert found["q034"].hidden == ("typed:countries/Peru",)
    assert [one.label for one in warehouse.hidden(found["q035"])] == ["Niger", "Ganges"]
    named = Hidden("India", ("Republic of India", "Bharat"))
    assert warehouse.hidden(replace(found["q035"], slots={"entity_ids": ["typed:countries/India"]})) == [named]


def test_a_category_is_a_filter(warehouse: Warehouse) -> None:
    assert drawn(warehouse, family="deep_research", categories=("security",)) == ["q035"]
    with pytest.raises(RunError, match="No question is of the set"):
        drawn(warehouse, categories=("security",))


def test_questions_arrive_as_they_are_stored(warehouse: Warehouse) -> None:
    found = {question.question_id: question for question in warehouse.choose(ALL)}
    for gold in COMMON:
        question = found[gold.question_id]
        assert (question.question, question.type, question.gold_answer) == (gold.question, gold.type, gold.answer)
        assert question.gold_aliases == gold.aliases
        assert question.gold_columns == gold.columns
        assert question.entity_count == gold.entity_count
        assert tuple(question.slots.get("names", ())) == gold.names


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(n=st.integers(1, len(COMMON) + 5), seed=st.integers(0, 10_000))
def test_draw_is_even_over_types(warehouse: Warehouse, n: int, seed: int) -> None:
    found = warehouse.choose(QuestionSet(split="all", n=n, seed=seed))
    assert len({question.question_id for question in found}) == len(found) == min(n, len(COMMON))
    counted = Counter(question.type for question in found)
    most = max(counted.values())
    for kind, available in BY_TYPE.items():
        # A type is behind by one while a round lasts, or by whatever it does not have.
        assert counted[kind] >= min(most - 1, available)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(n=st.integers(1, len(COMMON)), more=st.integers(0, 10), seed=st.integers(0, 10_000))
def test_larger_set_holds_the_smaller_one(warehouse: Warehouse, n: int, more: int, seed: int) -> None:
    smaller, larger = drawn(warehouse, n=n, seed=seed), drawn(warehouse, n=n + more, seed=seed)
    assert larger[:n] == smaller


def test_order_of_rows_changes_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    with Warehouse(world.write(tmp_path / "backwards.duckdb", backwards=True)) as backwards:
        for wanted in (ALL, QuestionSet(n=7, seed=3), QuestionSet("multi_entity", "train")):
            assert backwards.choose(wanted) == warehouse.choose(wanted)
        for question in warehouse.choose(ALL):
            assert backwards.consulted(question) == warehouse.consulted(question)
        for topic in ("countries", "rivers", "elements", "stars"):
            assert backwards.facts(topic) == warehouse.facts(topic)
            assert backwards.attributes(topic) == warehouse.attributes(topic)
            assert backwards.aliases(topic) == warehouse.aliases(topic)


@pytest.mark.parametrize(
    ("wanted", "belongs"),
    [
        ({"split": "test"}, lambda gold: gold.split == "test"),
        ({"split": "train"}, lambda gold: gold.split == "train"),
        ({"types": ("superlative", "aggregation")}, lambda gold: gold.type in ("superlative", "aggregation")),
        ({"topics": ("rivers",)}, lambda gold: gold.topic == "rivers"),
        ({"densities": ("low",)}, lambda gold: world.density(gold) == "low"),
        ({"densities": ("medium", "high"), "topics": ("stars",)}, lambda gold: gold.topic == "stars"),
        (
            {"split": "test", "types": ("superlative",), "topics": ("rivers",), "densities": ("low",)},
            lambda gold: (gold.split, gold.type, gold.topic) == ("test", "superlative", "rivers"),
        ),
    ],
)
def test_filters_keep_what_belongs_and_nothing_else(
    warehouse: Warehouse, wanted: dict[str, object], belongs: object
) -> None:
    expected = [gold.question_id for gold in COMMON if belongs(gold)]  # type: ignore[operator]
    assert expected
    assert sorted(drawn(warehouse, **wanted)) == expected


def test_seed_changes_the_draw_and_the_same_seed_does_not(warehouse: Warehouse) -> None:
    draws = {seed: tuple(drawn(warehouse, n=10, seed=seed)) for seed in range(8)}
    assert len(set(draws.values())) > 4
    assert all(tuple(drawn(warehouse, n=10, seed=seed)) == draw for seed, draw in draws.items())


@pytest.mark.parametrize("wanted", [{"topics": ("unicorns",)}, {"family": "none"}, {"densities": ("high",)}])
def test_empty_set_is_one_sentence(warehouse: Warehouse, wanted: dict[str, object]) -> None:
    with pytest.raises(RunError) as caught:
        drawn(warehouse, **wanted)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith("No question is of the set")
    assert said.endswith(".")
    there = "with split all there are the topics countries, elements, rivers, stars."
    assert said.endswith(there) == ("family" not in wanted)


def test_negative_number_of_questions_is_refused() -> None:
    with pytest.raises(RunError, match="not -5"):
        QuestionSet(n=-5)


def test_text_of_a_set_does_not_depend_on_how_it_is_listed() -> None:
    one = QuestionSet(types=("superlative", "aggregation"), topics=("rivers", "stars"), densities=("low", "low"))
    other = QuestionSet(types=("aggregation", "superlative"), topics=("stars", "rivers"), densities=("low",))
    assert one.as_json() == other.as_json()
    assert json.loads(one.as_json())["types"] == ["aggregation", "superlative"]


def test_missing_and_foreign_databases_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run `make demo`"):
        Warehouse(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database at all")
    with pytest.raises(RunError, match="cannot be read") as caught:
        Warehouse(tmp_path / "text.duckdb")
    assert "\n" not in str(caught.value)


def test_evidence_names_every_consulted_entity(warehouse: Warehouse) -> None:
    for question in warehouse.choose(ALL):
        assert len({entity_id for entity_id, _ in warehouse.consulted(question)}) == question.entity_count
        assert [fact for _, fact in warehouse.consulted(question)] == warehouse.evidence(question)


def test_entities_of_one_label_share_their_other_names(warehouse: Warehouse) -> None:
    assert warehouse.aliases("rivers")["Colorado"] == ("Grand River", "Red River of Texas")
