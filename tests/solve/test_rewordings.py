"""Runs in refined wording: an id stands for the texts that were asked, not for those that are newest today."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from dagster_defs.steps.solve.execute import estimate
from dagster_defs.steps.solve.plan import Run, pinned, plan
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.llm.server import Server
from tests.solve.bench import Bench

REFINED = QuestionSet(split="all", wording="refined")
LONGEST, PERU = "Which river is the longest?", "Do Peru and Bolivia share a language?"


@pytest.fixture
def reworded(database: Path, tmp_path: Path, server: Server) -> Bench:
    """A bench of its own, whose database holds the minted wordings alone."""
    path = tmp_path / "reworded.duckdb"
    shutil.copy(database, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema runs")
        connection.execute(
            "create table runs.question_wordings as"
            " select question_id, 0::bigint as wording, question from questions.questions"
        )
    return Bench(path, tmp_path, server)


def reword(bench: Bench, question: str, text: str) -> None:
    """Publish one more wording of a question."""
    with duckdb.connect(str(bench.database)) as connection:
        connection.execute(
            "insert into runs.question_wordings select question_id, max(wording) + 1, ? from runs.question_wordings"
            " where question_id = (select question_id from questions.questions where question = ?)"
            " group by question_id",
            [text, question],
        )


def id_of(bench: Bench, run: Run) -> str:
    """The id that a run has as the database stands."""
    with Warehouse(bench.database) as warehouse:
        return pinned(run, warehouse).run_id


def test_a_later_refinement_is_another_run_and_the_earlier_rows_stay(reworded: Bench) -> None:
    run = reworded.run(questions=REFINED, ea_max_entities=0)
    reword(reworded, LONGEST, "Among rivers, which one is the longest?")
    first = reworded.execute(run)
    path = reworded.landing / "answers" / f"{first.run_id}.parquet"
    landed = path.read_bytes()
    sent = len(reworded.server.chats)
    assert reworded.execute(run).run_id == first.run_id
    assert len(reworded.server.chats) == sent
    reword(reworded, LONGEST, "Of all rivers, which is the longest?")
    second = reworded.execute(run)
    assert second.run_id != first.run_id
    assert len(reworded.server.chats) == sent + 1, "one text changed"
    assert path.read_bytes() == landed
    assert {path.stem for path in (reworded.landing / "runs").iterdir()} == {first.run_id, second.run_id}


def test_the_id_is_of_the_texts_that_are_asked_and_of_no_others(reworded: Bench) -> None:
    wanted = QuestionSet(split="all", wording="refined", topics=("rivers",))
    run = reworded.run(questions=wanted)
    before = id_of(reworded, run)
    reword(reworded, PERU, "Is there a language that Peru and Bolivia share?")
    assert id_of(reworded, run) == before, "of a topic that is not asked"
    reword(reworded, LONGEST, "Among rivers, which one is the longest?")
    after = id_of(reworded, run)
    assert after != before
    reword(reworded, LONGEST, LONGEST)
    assert id_of(reworded, run) == before, "the same texts again are the same run again"


def test_runs_in_minted_wording_keep_their_id_and_runs_of_other_data_have_another(reworded: Bench) -> None:
    run = reworded.run(questions=QuestionSet(split="all"))
    before = id_of(reworded, run)
    reword(reworded, LONGEST, "Among rivers, which one is the longest?")
    assert id_of(reworded, run) == before == "m--closed_book--19329a131aec"
    with duckdb.connect(str(reworded.database)) as connection:
        connection.execute("update questions.questions set snapshot_id = 'snapshot-1+fresh-1'")
    assert id_of(reworded, run) not in (before, run.run_id)


def test_estimate_and_landed_row_name_the_run_by_the_same_id(reworded: Bench) -> None:
    reword(reworded, LONGEST, "Among rivers, which one is the longest?")
    run = reworded.run(questions=REFINED, ea_max_entities=0)
    with reworded.caller() as caller:
        said = estimate(run, reworded.database, caller)
    report = reworded.execute(run)
    assert said.startswith(f"{report.run_id}: ")
    with Warehouse(reworded.database) as warehouse:
        asked = pinned(run, warehouse)
        assert any(LONGEST not in ask.question.question for ask in plan(asked, warehouse))
    (row,) = reworded.landed("runs", asked)
    assert json.loads(row["question_set"])["texts"] == asked.questions.texts != ""
