"""Solution traces of the demo's deep-research questions: true to facts and gold, of train questions alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.exports import export
from dagster_defs.steps.exports.card import licences
from dagster_defs.steps.exports.questions import choose
from dagster_defs.steps.exports.traces import write_traces
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.conftest import rows_of
from tests.exports.test_export import lines
from tests.exports.world import ROOT

DEEP = QuestionSet(family="deep_research", split="all")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def con(published: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(published), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def folder(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(published, tmp_path_factory.mktemp("traces"), "deep", DEEP).folder


@pytest.fixture(scope="module")
def asked(con: duckdb.DuckDBPyConnection) -> dict[str, Row]:
    rows = rows_of(
        con,
        "select questions.*, clues, entity_ids from questions.questions"
        " join questions.deep_research using (question_id)",
    )
    return {row["question_id"]: row for row in rows}


@pytest.mark.e2e
def test_every_train_question_has_a_line_and_no_other(folder: Path, asked: dict[str, Row]) -> None:
    rows = lines(folder / "traces.jsonl")
    assert len(rows) > 100
    assert {row["question_id"] for row in rows} == {q for q, row in asked.items() if row["split"] == "train"}
    assert "`traces.jsonl`" in (folder / "README.md").read_text()


@pytest.mark.e2e
def test_a_trace_is_that_of_its_question(con: duckdb.DuckDBPyConnection, folder: Path, asked: dict[str, Row]) -> None:
    known = licences((ROOT / "NOTICE").read_text())
    for row in lines(folder / "traces.jsonl"):
        question = asked[row["question_id"]]
        assert row["question"] == question["question"]
        assert [entity["entity_id"] for entity in row["entities"]] == question["entity_ids"]
        sides = [[clue["says"] for clue in row["clues"] if clue["side"] == side] for side in (1, 2)]
        assert [said for said in sides if said] == json.loads(question["clues"])
        assert [clue["n_left"] for clue in row["clues"] if clue["side"] == 1][-1] == 1
        evidence = rows_of(con, question["evidence_sql"])
        columns = ("attribute", "value", "source", "source_url")
        wanted = sorted(tuple(str(fact[column]) for column in columns) for fact in evidence)
        assert sorted(tuple(value[column] for column in columns) for value in row["properties"]) == wanted
        assert all(value["licence"] == known[value["source"]] for value in row["properties"])
        assert row["answer"]["value"] == question["gold_value"]
        assert row["computation"]["gold_sql"] == question["gold_sql"]


@pytest.mark.e2e
def test_the_conversation_ends_in_the_gold_answer_after_the_trace(folder: Path, asked: dict[str, Row]) -> None:
    for row in lines(folder / "traces.jsonl"):
        reply = row["messages"][-1]["content"]
        thought, said = reply.removeprefix("<think>\n").split("\n</think>\n\n")
        question = asked[row["question_id"]]
        assert json.loads(said) == {"answer": json.loads(question["gold_answer"]), "unit": question["gold_unit"]}
        for entity in row["entities"]:
            assert f"Together they leave {entity['label']}." in thought
            assert entity["label"] not in row["messages"][-2]["content"]
        assert all(f"- {value['input']} = {value['phrase']} of " in thought for value in row["properties"])
        assert thought.splitlines()[-1].startswith(f"Computation: {row['computation']['formula']} = ")


@pytest.mark.e2e
def test_a_question_of_the_test_side_is_refused(published: Path, tmp_path: Path) -> None:
    with Warehouse(published) as warehouse:
        chosen = choose(published, warehouse, QuestionSet(family="deep_research", split="test", n=3))
    with pytest.raises(ValueError, match="is of the test split"):
        write_traces(chosen.items, published, {}, tmp_path)


def test_a_database_without_traces_is_one_sentence(database: Path, tmp_path: Path) -> None:
    with Warehouse(database) as warehouse:
        chosen = choose(database, warehouse, QuestionSet(split="train", n=2))
    with pytest.raises(RunError, match="has no traces to export"):
        write_traces(chosen.items, database, {}, tmp_path)


def test_other_families_have_no_traces(exported: Path) -> None:
    assert not (exported / "traces.jsonl").exists()
    assert "traces.jsonl" not in (exported / "README.md").read_text()
