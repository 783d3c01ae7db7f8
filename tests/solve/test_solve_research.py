"""Ten deep-research questions of the demo, solved end to end: the model is a script, every tool is the real one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.execute import Report
from dagster_defs.steps.solve.plan import Run
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from tests.conftest import rows_of
from tests.llm.server import Server
from tests.solve.bench import Bench, model, run_of
from tests.solve.researcher import Researcher, Row

pytestmark = pytest.mark.e2e

TEN = QuestionSet("deep_research", "all", n=10)


@pytest.fixture(scope="module")
def questions(published: Path) -> dict[str, Row]:
    """The ten, with what each hides."""
    with Warehouse(published) as warehouse:
        chosen = {one.question_id: one for one in warehouse.choose(TEN)}
        names = {name: [hidden.label for hidden in warehouse.hidden(one)] for name, one in chosen.items()}
    with duckdb.connect(str(published), read_only=True) as connection:
        rows = rows_of(connection, "from questions.questions where family = 'deep_research'")
    return {
        row["question_id"]: {**row, "slots": json.loads(row["slots"]), "names": names[row["question_id"]]}
        for row in rows
        if row["question_id"] in chosen
    }


@pytest.fixture(scope="module")
def solved(
    published: Path, questions: dict[str, Row], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Bench, Run, Report]]:
    """A run over them."""
    with Server() as server:
        server.always = Researcher(list(questions.values()))
        bench = Bench(published, tmp_path_factory.mktemp("research"), server)
        run = run_of(model(server.url), Setting.AGENT, TEN)
        yield bench, run, bench.execute(run)


def test_all_ten_are_solved_through_search_reading_and_python(
    solved: tuple[Bench, Run, Report], questions: dict[str, Row]
) -> None:
    bench, run, report = solved
    wrong = [
        (questions[row["question_id"]]["template_id"], row["detail"], row["entity_correct"])
        for row in bench.landed("verdicts", run)
        if not (row["correct"] and row["entity_correct"])
    ]
    assert wrong == []
    assert (report.outcomes, report.correct, report.unscored) == ({"answered": 10}, 10, 0)
    assert len({row["type"] for row in questions.values()}) == 4
    assert len({row["category"] for row in questions.values()}) >= 3


def test_every_transcript_is_there_from_the_first_search_to_the_answer(
    solved: tuple[Bench, Run, Report], questions: dict[str, Row]
) -> None:
    bench, run, _ = solved
    steps = bench.landed("steps", run)
    assert Counter(row["kind"] for row in steps).keys() == {"ran", "answer"}
    for question_id, question in questions.items():
        mine = [row for row in steps if row["question_id"] == question_id]
        assert [row["number"] for row in mine] == list(range(1, len(mine) + 1))
        looked = ["search", *["search", "read"] * len(question["names"])]
        assert [row["tool"] for row in mine] == [*looked, "python", "answer"]
        assert json.loads(mine[-1]["arguments"])["answer"] == float(mine[-2]["observation"])
        assert all(row["observation"] and row["thought"] and row["request_hash"] for row in mine[:-1])
