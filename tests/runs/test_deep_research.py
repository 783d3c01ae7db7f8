"""Scores of deep-research runs against scipy, a permutation of all answers, and a second look at the landed rows."""

from __future__ import annotations

from collections import Counter

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import norm, spearmanr, t

from tests.questions.engine import rendered
from tests.runs import reference, world
from tests.runs.conftest import Built
from tests.runs.reference import KEY, SLICE
from tests.runs.test_scores import same

Floats = npt.NDArray[np.float64]
MEASURES = {"answer": "right", "entity": "entity", "both_right": "both"}
DEEP = [kind.run_id for kind in world.KINDS if kind.family == "deep_research"]


def judged(run_id: str, measure: str) -> tuple[Floats, Floats]:
    """Complexity and mean over samples of each question of a run that has one."""
    rows = reference.by_question()[lambda q: (q["run_id"] == run_id) & (q["slice_kind"] == "overall")]
    rows = rows.dropna(subset=MEASURES[measure])
    return rows["cci"].to_numpy(float), rows[MEASURES[measure]].to_numpy(float)


def jonckheere(levels: Floats, values: Floats) -> float:
    """The statistic by looking at every pair of questions."""
    harder = levels[:, None] < levels[None, :]
    better = (values[:, None] < values[None, :]) + 0.5 * (values[:, None] == values[None, :])
    return float((harder * better).sum())


@pytest.fixture(scope="module")
def trends(built: Built) -> pd.DataFrame:
    return built.full["scores.trends"].set_index(["run_id", "measure"])


@pytest.fixture(scope="module")
def by_model(built: Built) -> pd.DataFrame:
    return built.full["scores.by_model"].set_index(SLICE).sort_index()


def test_the_entity_is_scored_beside_the_answer(by_model: pd.DataFrame) -> None:
    expected = reference.by_question().groupby(SLICE)[["entity", "both"]].mean().reindex(by_model.index)
    same(by_model[["entity_accuracy", "both_right"]], expected)
    deep = by_model.index.get_level_values("run_id").isin(DEEP)
    assert by_model.loc[deep, "entity_accuracy"].notna().all()
    assert (
        by_model.loc[~deep, ["entity_accuracy", "entity_ci_low", "entity_ci_high", "both_right"]].isna().all(axis=None)
    )
    whole = by_model.loc[("deep--agent", "overall", "all")]
    assert 0 < whole["both_right"] < min(whole["accuracy"], whole["entity_accuracy"]) < 1


def test_the_entitys_intervals_are_those_of_the_stated_draws(by_model: pd.DataFrame) -> None:
    for key, part in reference.by_question().dropna(subset="entity").groupby(SLICE):
        expected = reference.question_interval(part["entity"].to_numpy())
        same(by_model.loc[key][["entity_ci_low", "entity_ci_high"]], expected)


def test_deep_research_is_sliced_by_domain_and_complexity(by_model: pd.DataFrame) -> None:
    slices = by_model.loc["deep--agent"].reset_index().groupby("slice_kind")["slice"].agg(set)
    assert slices["category"] == set(world.DOMAINS)
    assert slices["n_entities"] == {"1", "2"}
    assert slices["n_properties"] == {"1", "2", "3"}
    assert slices["cci"] == {"2", "3", "4", "5"}
    assert slices["domain_in_cci"] > {"history, 2", "security, 3"}
    others = by_model.drop(index=DEEP, level="run_id").index.get_level_values("slice_kind")
    assert not set(others) & {"n_entities", "n_properties", "cci", "domain_in_cci"}


@pytest.mark.parametrize("run_id", DEEP)
@pytest.mark.parametrize("measure", MEASURES)
def test_trends_are_those_of_scipy_and_of_every_pair(run_id: str, measure: str, trends: pd.DataFrame) -> None:
    levels, values = judged(run_id, measure)
    row = trends.loc[(run_id, measure)]
    assert (row["n_questions"], row["n_levels"]) == (len(levels), len(set(levels)))
    assert row["jonckheere_j"] == jonckheere(levels, values)
    found = spearmanr(levels, values)
    assert row["spearman_rho"] == pytest.approx(found.statistic, rel=1e-9)
    assert row["spearman_p"] == pytest.approx(found.pvalue, rel=1e-7)
    assert row["jonckheere_p"] == pytest.approx(2 * norm.sf(abs(row["jonckheere_z"])), rel=1e-7)
    assert row["jonckheere_p_decreasing"] == pytest.approx(norm.cdf(row["jonckheere_z"]), rel=1e-7)


@pytest.mark.parametrize("run_id", DEEP)
def test_the_variance_with_ties_is_that_of_shuffled_answers(run_id: str, trends: pd.DataFrame) -> None:
    levels, values = judged(run_id, "answer")
    dice = np.random.default_rng(11)
    drawn = np.array([jonckheere(levels, dice.permutation(values)) for _ in range(8000)])
    row = trends.loc[(run_id, "answer")]
    deviation = (row["jonckheere_j"] - row["jonckheere_expected"]) / row["jonckheere_z"]
    # standard errors over so many draws: a hundredth of the deviation for the mean, an eightieth of it for itself
    assert drawn.mean() == pytest.approx(row["jonckheere_expected"], abs=0.045 * deviation)
    assert drawn.std() == pytest.approx(deviation, rel=0.035)
    share = (drawn <= row["jonckheere_j"]).mean()
    assert row["jonckheere_p_decreasing"] == pytest.approx(share, abs=0.03)


def test_harder_questions_are_answered_worse(trends: pd.DataFrame) -> None:
    row = trends.loc[("deep--agent", "answer")]
    assert row["jonckheere_z"] < -2
    assert row["spearman_rho"] < 0
    assert row["jonckheere_p_decreasing"] < 0.02


@pytest.mark.parametrize("z", [-30, -9, -1.5, -0.3, 0, 1e-9, 0.7, 1.4999, 1.5, 1.5001, 6.75, 12, 37])
def test_the_normal_tail_is_that_of_scipy(z: float) -> None:
    sql = rendered(f"select {{{{ normal_upper('z') }}}} from (select {z}::double as z)")
    assert duckdb.execute(sql).fetchall()[0][0] == pytest.approx(norm.sf(z), rel=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5, 11, 268, 5000])
def test_the_p_value_of_a_correlation_is_that_of_students_t(n: int) -> None:
    for r in (-1, -0.97, -0.22, -1e-5, 0, 0.003, 0.08, 0.5, 0.999):
        sql = rendered(f"select {{{{ correlation_p('r', 'n') }}}} from (select {r}::double as r, {n}::bigint as n)")
        expected = 2 * t.sf(abs(r) * np.sqrt((n - 2) / (1 - r * r)), n - 2) if abs(r) < 1 else 0.0
        # below this scipy itself has no digits left
        assert duckdb.execute(sql).fetchall()[0][0] == pytest.approx(expected, rel=1e-9, abs=1e-290), (n, r)


def test_every_wrong_answer_has_its_class_and_no_other_has(built: Built) -> None:
    landed = world.landed()
    verdicts = landed["verdicts"].merge(world.research()[["question_id"]], on="question_id")
    wrong = verdicts[verdicts["scored"] & ~verdicts["correct"].astype(bool)].set_index(KEY).sort_index()
    failures = built.full["scores.failures"].set_index(KEY).sort_index()
    assert failures.index.equals(wrong.index)
    outcomes = landed["answers"].set_index(KEY)["outcome"].reindex(wrong.index)
    lost = outcomes.ne("answered") | wrong["detail"].eq("no number")
    assert (failures["class"] == "no_answer").equals(lost)
    assert (failures["class"] == "entity_wrong").equals(~lost & wrong["entity_correct"].eq(False))
    assert set(failures["class"]) >= {"entity_wrong", "unit_factor", "arithmetic_wrong", "value_near", "value_far"}
    off = (
        wrong["detail"].str.extract(r"read (\S+)")[0].astype(float)
        / (1000 + failures.index.get_level_values("question_id").str[1:].astype(float))
        - 1
    )
    same(failures["relative_error"], off.abs())


def test_arithmetic_is_blamed_where_the_trace_has_every_input(built: Built) -> None:
    steps = world.landed()["steps"]
    computed = set(steps[steps["tool"] == "python"].set_index(KEY).index)
    failures = built.full["scores.failures"].set_index(KEY)
    told = failures[failures["class"].isin(["arithmetic_wrong", "value_near", "value_far"])]
    assert told["cause"].map({"arithmetic": True, "undetermined": False}).tolist() == [
        key in computed for key in told.index
    ]
    assert told.loc["shallow--closed_book", "n_inputs"].isna().all()
    assert told.loc["shallow--closed_book", "cause"].eq("undetermined").all()


def test_shares_of_failures_are_those_of_their_rows(built: Built) -> None:
    failures, shares = built.full["scores.failures"], built.full["scores.failure_shares"]
    counts = Counter(zip(failures["run_id"], failures["class"], strict=True))
    assert {(row[0], row[1]): row.n for row in shares.itertuples(index=False)} == {
        (row[0], row[1]): counts[row[0], row[1]] for row in shares.itertuples(index=False)
    }
    assert shares["n"].sum() == len(failures)
    assert shares.groupby("run_id")["share"].sum().round(12).eq(1).all()
    assert (shares.groupby("run_id").size() == 7).all()


def test_the_newest_measurement_of_a_set_of_questions_stands(built: Built) -> None:
    table = built.full["scores.distinctiveness"]
    assert table.groupby(["set_name", "measure"])["seed"].agg(list).map(sorted).tolist() == [[0, 1]] * 4
    newest = table[table["measure"] == "self_bleu"].groupby("set_name")["value"].max().to_dict()
    assert newest == {"ours": 0.41, "theirs": 0.42}
