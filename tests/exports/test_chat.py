"""Conversations to fine-tune on: of the train split alone, in the form of their schema, with the right answer last."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest
from jsonschema import Draft202012Validator

from dagster_defs.llm.structured import parse, schema_of
from dagster_defs.steps import matching
from dagster_defs.steps.exports.bundle import write_reference
from dagster_defs.steps.exports.chat import RATIONALES, SCHEMA, TUPLES, chat_rows, gold_reply
from dagster_defs.steps.exports.questions import Chosen, Item, choose
from dagster_defs.steps.exports.scorer import Scorer
from dagster_defs.steps.matching import Reference
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES
from dagster_defs.steps.solve import forms
from dagster_defs.steps.solve.plan import plan
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse
from dagster_defs.steps.solve.rows import gold_of
from tests.conftest import rows_of
from tests.exports.test_export import lines
from tests.solve import world as small
from tests.solve.bench import model, run_of

Row = dict[str, Any]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(params=RATIONALES)
def rows(request: pytest.FixtureRequest, exported: Path) -> list[Row]:
    """The conversations of one variant."""
    return lines(exported / f"chat/train_{request.param}.jsonl")


def is_right(warehouse: Warehouse, reference: Reference, question: Question, text: str) -> bool:
    """What the warehouse says of a reply."""
    form = forms.Method if question.type in STATISTICAL_TYPES else forms.Answer
    read = parse(text, schema_of(form))
    answer = matching.Answer("answered" if read.error is None else "unparsed", text, read.value)
    return bool(matching.verdict(gold_of(question, warehouse), answer, reference).correct)


def test_the_schema_takes_the_rows_and_little_else(rows: list[Row], validator: Draft202012Validator) -> None:
    assert rows
    for row in rows:
        assert list(validator.iter_errors(row)) == []
        system, user, assistant = row["messages"]
        for broken in (
            row | {"messages": [system, user]},
            row | {"messages": [system, assistant, user]},
            row | {"messages": [system, user, assistant | {"content": assistant["content"] + " I hope it helps."}]},
            row | {"messages": [system, user, assistant | {"content": '{"answer": 1, "unit": null}'}]},
            row | {"question_id": ""},
            row | {"gold": 1},
            row | {"tuples": 0},
        ):
            assert not validator.is_valid(broken)


def test_train_questions_all_and_alone_are_there(rows: list[Row], exported: Path) -> None:
    train, test = (lines(exported / f"data/{split}.jsonl") for split in ("train", "test"))
    assert [row["question_id"] for row in rows] == [row["question_id"] for row in train]
    told = json.dumps(rows)
    assert not any(row["question_id"] in told or row["question"] in told for row in test)
    prompts = {row["question_id"]: row["prompt"] for row in train}
    assert all(row["messages"][:2] == prompts[row["question_id"]] for row in rows)


def test_a_test_question_is_refused(database: Path) -> None:
    with Warehouse(database) as warehouse:
        chosen = choose(database, warehouse, QuestionSet(split="test"))
        for rationale in RATIONALES:
            with pytest.raises(ValueError, match="is of the test split"):
                list(chat_rows(chosen.items, warehouse, rationale))


def test_every_conversation_ends_in_the_right_answer(rows: list[Row], database: Path) -> None:
    with Warehouse(database) as warehouse:
        questions = {question.question_id: question for question in warehouse.choose(QuestionSet(split="train"))}
        reference = warehouse.reference()
        for row in rows:
            question, text = questions[row["question_id"]], row["messages"][-1]["content"]
            assert is_right(warehouse, reference, question, text)
            # The thought alone gives nothing away that a reader could take for the answer.
            assert not is_right(warehouse, reference, question, text.split("</think>")[0] + "</think>")
            said = json.loads(text.split("</think>\n\n")[1])
            assert said == json.loads(gold_reply(question))
            assert said.get("unit") == question.gold_unit
            assert set(said) == ({"columns", "method", "answer"} if question.gold_columns else {"answer", "unit"})


def test_what_a_question_hides_is_named_and_the_export_scores_it(tmp_path: Path) -> None:
    database = small.write(tmp_path / "assay.duckdb")
    with duckdb.connect(str(database), read_only=True) as connection:
        row = next(
            row for row in rows_of(connection, "from questions.questions") if "drains Nigeria" in row["question"]
        )
    with Warehouse(database) as warehouse:
        (ask,) = plan(run_of(model(), questions=QuestionSet("deep_research", "train")), warehouse)
        item = Item(ask.question, row, cast(Any, ask.call.messages), ask.call.schema or {})
        (made,) = chat_rows([item], warehouse, "table")
        chosen = Chosen([item], [], {}, [], row["snapshot_id"], small.AS_OF, [], [], "canary")
        write_reference(tmp_path, database, warehouse, chosen)
    text = made["messages"][-1]["content"]
    said = json.loads(text.split("</think>\n\n")[1])
    assert (list(said), said["entity"]) == (["entity", "answer", "unit"], ["Niger", "Ganges"])
    assert '{"entity": ..., "answer": ..., "unit": ...}' in made["messages"][0]["content"]
    scorer = Scorer(tmp_path / "reference.json")
    assert (scorer.score(row, text).correct, scorer.score(row, text).outcome) == (True, "answered")
    assert scorer.score(row, '{"answer": 165.5, "unit": "percent"}').outcome == "unparsed"


def test_the_sql_is_the_gold_sql(exported: Path) -> None:
    train = {row["question_id"]: row for row in lines(exported / "data/train.jsonl")}
    for row in lines(exported / "chat/train_sql.jsonl"):
        thought = re.fullmatch(r"<think>\n(.*)\n</think>.*", row["messages"][-1]["content"], re.DOTALL)
        assert thought
        assert thought[1] == train[row["question_id"]]["gold_sql"]


def test_the_table_is_the_evidence_up_to_its_cap(exported: Path, database: Path) -> None:
    rows = lines(exported / "chat/train_table.jsonl")
    with Warehouse(database) as warehouse:
        questions = {question.question_id: question for question in warehouse.choose(QuestionSet(split="train"))}
        evidence = {name: warehouse.evidence(question) for name, question in questions.items()}
    for row in rows:
        facts = evidence[row["question_id"]]
        thought = row["messages"][-1]["content"].split("\n</think>")[0].splitlines()[1:]
        assert thought[0] == "entity | attribute | value"
        assert row["tuples"] == len(facts)
        assert row["tuples_shown"] == min(len(facts), TUPLES)
        left = len(facts) - TUPLES
        assert thought[1 + row["tuples_shown"] :] == ([f"(and {left} more values)"] if left > 0 else [])
        for line, fact in zip(thought[1:], facts[:TUPLES], strict=False):
            entity, attribute, value = line.split(" | ")
            assert (entity, attribute) == (fact.entity, fact.attribute)
            assert value in (fact.value, fact.value.removesuffix(".0"))
    assert {row["tuples"] > TUPLES for row in rows} == {True, False}


@pytest.mark.e2e
def test_the_gold_reply_to_every_published_question_is_right(published: Path) -> None:
    with Warehouse(published) as warehouse:
        questions, reference = warehouse.choose(QuestionSet(split="all")), warehouse.reference()
        wrong = [
            question.question_id
            for question in questions
            if not is_right(warehouse, reference, question, gold_reply(question))
        ]
    assert len(questions) > 1000
    assert wrong == []
