"""The leaderboard and the outcomes, against what follows from accuracies, pairs and landed rows."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.runs import world
from tests.runs.conftest import Built

KINDS = {kind.run_id: kind for kind in world.KINDS}


@pytest.fixture(scope="module")
def leaderboard(built: Built) -> pd.DataFrame:
    return built.full["scores.leaderboard"].set_index("run_id")


@pytest.fixture(scope="module")
def tied(built: Built) -> dict[frozenset[str], bool]:
    pairs = built.full["scores.pairwise"]
    return {frozenset((row.run_a, row.run_b)): row.tied for row in pairs.itertuples()}


def test_runs_are_ranked_beside_those_of_the_same_questions_and_data(leaderboard: pd.DataFrame) -> None:
    assert set(leaderboard.index) == {*KINDS, world.TWIN}
    for _, board in leaderboard.groupby(["family", "snapshot_id"]):
        expected = board["accuracy"].rank(method="min", ascending=False)
        assert board["rank"].astype(float).equals(expected.astype(float))
    assert leaderboard.loc[["single--oracle", "strong--oracle", "deep--agent"], "rank"].tolist() == [1, 1, 1]
    assert leaderboard.loc[["strong--closed_book", world.TWIN, "strong--rag"], "rank"].tolist() == [2, 2, 4]


def test_a_run_with_nothing_scored_has_no_place(leaderboard: pd.DataFrame) -> None:
    silent = leaderboard.loc["silent--rag"]
    assert silent[["rank", "accuracy", "is_tied_with_leader", "tie_group"]].isna().all()
    assert (silent["n"], silent["n_unscored"], silent["n_questions"]) == (450, 450, 150)


def test_a_run_is_tied_with_its_leader_by_the_paired_test(
    leaderboard: pd.DataFrame, tied: dict[frozenset[str], bool]
) -> None:
    told_apart = []
    for _, board in leaderboard.dropna(subset="accuracy").groupby(["family", "snapshot_id"]):
        (leader,) = board.index[board["rank"] == 1]
        for run_id, found in board["is_tied_with_leader"].items():
            assert found == (run_id == leader or tied[frozenset((run_id, leader))]), run_id
            told_apart.append(not found)
    assert 0 < sum(told_apart) < len(told_apart) - 3


def test_a_tie_group_counts_the_runs_that_are_significantly_better(
    leaderboard: pd.DataFrame, tied: dict[frozenset[str], bool], built: Built
) -> None:
    ahead = {}
    for row in built.full["scores.pairwise"].itertuples():
        ahead[row.run_a, row.run_b] = row.b > row.c
        ahead[row.run_b, row.run_a] = row.c > row.b
    for run_id, group in leaderboard["tie_group"].dropna().items():
        better = [a for (a, b), leads in ahead.items() if b == run_id and leads and not tied[frozenset((a, b))]]
        assert group == 1 + len(better), run_id
    assert leaderboard["tie_group"].nunique() >= 4


def test_accuracy_chance_and_f1_are_those_of_the_whole_run(leaderboard: pd.DataFrame, built: Built) -> None:
    scores = built.full["scores.by_model"]
    overall = scores[scores["slice_kind"] == "overall"].set_index("run_id").reindex(leaderboard.index)
    for column in ("accuracy", "ci_low", "ci_high", "accuracy_answered", "chance", "ea_f1", "n_questions", "n"):
        assert leaderboard[column].equals(overall[column]), column


def test_costs_are_those_of_answers_and_tables(leaderboard: pd.DataFrame) -> None:
    strong = KINDS["strong--rag"]
    assert leaderboard.loc["strong--rag", "cost_usd"] == 151 * 3 * 0.25 + strong.tables * 3 * 0.5
    assert leaderboard.loc["strong--rag", "prompt_tokens"] == 151 * 3 * 100 + strong.tables * 3 * 50
    assert leaderboard.loc["strong--rag", "completion_tokens"] == 151 * 3 * 7 + strong.tables * 3 * 20
    assert pd.isna(leaderboard.loc["weak--closed_book", "cost_usd"])


def test_what_was_wanted_stands_beside_what_came(leaderboard: pd.DataFrame) -> None:
    weak = leaderboard.loc["weak--rag"]
    assert (weak["n_questions"], weak["n_questions_wanted"], weak["samples"]) == (80, 81, 3)
    assert leaderboard["is_current"].sum() == len(leaderboard) - 2


def test_outcomes_are_counted_and_those_that_never_came_too(built: Built) -> None:
    outcomes = built.full["scores.outcomes"].set_index(["run_id", "asked_for", "outcome"])
    for asked_for, dataset in (("answer", "answers"), ("table", "tables")):
        landed = world.landed()[dataset]
        counts = landed[landed["run_id"] != "unclosed--rag"].groupby(["run_id", "outcome"]).size()
        found = outcomes.xs(asked_for, level="asked_for")
        assert found["n"][lambda n: n > 0].sort_index().tolist() == counts.sort_index().tolist()
        assert found.groupby("run_id").size().eq(5).all()
        assert found.groupby("run_id")["share"].sum().round(12).eq(1).all()
    assert outcomes.loc[("silent--rag", "answer", "failed"), "share"] == 1
    assert outcomes.loc[("silent--rag", "answer", "refused"), "n"] == 0
