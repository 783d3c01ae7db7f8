"""Runs of an earlier snapshot are scored by its questions, also those that are asked no more."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.runs import world
from tests.runs.project import RunsProject

OLD = "strong--oracle"


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """scores.by_model, where the earlier snapshot's questions all were of one topic and a third of them are gone."""
    now = world.questions()
    earlier = now.assign(snapshot_id=world.BEFORE, topic="topic of old", is_current=False)
    standing = now[now["question_id"].str[-1].astype(int) % 3 != 0]
    folder: Path = tmp_path_factory.mktemp("history")
    project = RunsProject.create(folder)
    project.ask(standing, world.research(), world.attributes(), earlier)
    project.prepare()
    project.land(world.landed())
    project.build()
    return project.table("scores.by_model")


def test_a_run_keeps_every_question_of_its_snapshot_and_their_slices(scores: pd.DataFrame) -> None:
    old = scores[scores["run_id"] == OLD]
    assert set(old.loc[old["slice_kind"] == "topic", "slice"]) == {"topic of old"}
    (asked,) = old.loc[old["slice_kind"] == "overall", "n_questions"]
    landed = world.landed()["answers"]
    answered = set(landed.loc[landed["run_id"] == OLD, "question_id"]) & set(world.questions()["question_id"])
    assert asked == len(answered) == 150


def test_a_run_of_today_is_scored_by_what_stands(scores: pd.DataFrame) -> None:
    topics = scores[(scores["run_id"] == "strong--closed_book") & (scores["slice_kind"] == "topic")]
    assert len(topics) > 1
    assert "topic of old" not in set(topics["slice"])
