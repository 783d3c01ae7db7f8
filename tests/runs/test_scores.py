"""Every statistic of the scores against scipy, statsmodels, scikit-learn and numpy."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, bootstrap
from sklearn.metrics import precision_recall_fscore_support
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from tests.questions.engine import rendered
from tests.runs import reference, world
from tests.runs.conftest import Built
from tests.runs.reference import KEY, SLICE

ROUNDED = {"rtol": 1e-9, "atol": 1e-12}


@pytest.fixture(scope="module")
def by_model(built: Built) -> pd.DataFrame:
    return built.full["scores.by_model"].set_index(SLICE).sort_index()


@pytest.fixture(scope="module")
def pairwise(built: Built) -> pd.DataFrame:
    return built.full["scores.pairwise"]


def same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), equal_nan=True, **ROUNDED)


def test_an_unprepared_landing_zone_stops_dbt_with_one_sentence(built: Built) -> None:
    (said,) = [line for line in built.unprepared.splitlines() if "No landed file" in line]
    assert "landing/llm/answers: build with make demo or make build" in said


def test_without_a_run_every_table_is_there_and_empty(built: Built) -> None:
    # Every question has its minted text, whatever was run.
    minted = {"runs.question_wordings": len(world.questions())}
    assert {name: len(table) for name, table in built.empty.items()} == dict.fromkeys(built.full, 0) | minted
    assert all(list(built.empty[name].columns) == list(table.columns) for name, table in built.full.items())


def test_no_order_of_rows_and_no_number_of_threads_shows(built: Built) -> None:
    for name, table in built.full.items():
        pd.testing.assert_frame_equal(built.shuffled[name], table, check_exact=True)


def test_landed_rows_of_closed_runs_are_all_there_and_no_others(built: Built) -> None:
    closed = set(world.landed()["runs"]["run_id"])
    for dataset in ("runs", "answers", "tables", "tuples", "verdicts", "steps"):
        landed = world.landed()[dataset]
        landed = landed[landed["run_id"].isin(closed)]
        keys = [key for key in (*KEY, "ordinal", "number") if key in landed.columns]
        table = built.full[f"runs.{dataset}"].set_index(keys).sort_index()
        expected = landed.set_index(keys).sort_index()
        assert table.index.equals(expected.index), dataset
        for column in expected.columns.intersection(
            ["outcome", "correct", "entity_correct", "n_matched", "matched", "kind", "cost_usd"]
        ):
            left, right = (frame[column].astype(object) for frame in (table, expected))
            assert left.where(left.notna(), None).equals(right.where(right.notna(), None)), (dataset, column)


def test_an_answer_names_its_model_and_setting(built: Built) -> None:
    answers = built.full["runs.answers"]
    assert (answers["model"] + "--" + answers["setting"] == answers["run_id"]).all()


def test_a_run_on_other_data_is_not_current(built: Built) -> None:
    runs = built.full["runs.runs"].set_index("run_id")
    assert list(runs.index[~runs["is_current"]]) == ["strong--oracle", "weak--oracle"]
    assert runs.loc["vast--rag", "started_at"] == pd.Timestamp("2026-11-30 12:00:00")


def test_accuracy_weighs_every_question_alike(by_model: pd.DataFrame) -> None:
    expected = reference.by_question().groupby(SLICE).agg(
        accuracy=("right", "mean"), accuracy_answered=("answered", "mean"), chance=("chance", "mean"),
        n_questions=("right", "size"), n=("n", "sum"), n_scored=("n_scored", "sum"),
    )  # fmt: skip
    assert by_model.index.equals(expected.sort_index().index)
    for column in expected.columns:
        same(by_model[column], expected[column])
    same(by_model["n_unscored"], expected["n"] - expected["n_scored"])


def test_accuracy_keeps_what_was_refused_and_drops_what_failed(by_model: pd.DataFrame) -> None:
    strong = by_model.loc[("strong--rag", "overall", "all")]
    answers = world.landed()["answers"]
    failed = (
        answers["outcome"].eq("failed") & answers["run_id"].eq("strong--rag") & answers["question_id"].ne("withdrawn")
    )
    assert strong["n_unscored"] == failed.sum() > 0
    assert strong["accuracy"] < strong["accuracy_answered"]
    silent = by_model.loc[("silent--rag", "overall", "all")]
    assert silent["n_scored"] == 0
    assert silent[["accuracy", "ci_low", "wilson_low", "topic_ci_high"]].isna().all()


def test_withdrawn_questions_and_unclosed_runs_count_nowhere(by_model: pd.DataFrame) -> None:
    assert "unclosed--rag" not in by_model.index.get_level_values("run_id")
    assert by_model.loc[("even--closed_book", "overall", "all"), "n"] == 300


def test_intervals_are_those_of_the_stated_draws(by_model: pd.DataFrame) -> None:
    scored = reference.by_question().dropna(subset="right")
    scored = scored[~scored["run_id"].str.startswith("vast")]
    for key, part in scored.groupby(SLICE):
        row = by_model.loc[key]
        same(row[["ci_low", "ci_high"]], reference.question_interval(part["right"].to_numpy()))
        same(row[["topic_ci_low", "topic_ci_high"]], reference.topic_interval(part["right"], part["in_topic"]))


@pytest.mark.parametrize("run_id", ["strong--closed_book", "weak--rag", "single--oracle", "deep--agent", "vast--rag"])
def test_intervals_agree_with_another_bootstrap(run_id: str, by_model: pd.DataFrame) -> None:
    rows = reference.by_question()[lambda q: (q["run_id"] == run_id) & (q["slice_kind"] == "overall")]
    values = rows["right"].dropna().to_numpy()
    other = bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", random_state=3, vectorized=True)
    row = by_model.loc[(run_id, "overall", "all")]
    # An end's standard error over 1,000 draws is 0.085 of the mean's; the mean moves in steps of a third of a question.
    deviation = values.std() / np.sqrt(len(values))
    allowed = 4 * 0.09 * deviation + 1 / len(values)
    assert row["ci_low"] == pytest.approx(other.confidence_interval.low, abs=allowed)
    assert row["ci_high"] == pytest.approx(other.confidence_interval.high, abs=allowed)
    assert row["ci_high"] - row["ci_low"] == pytest.approx(3.92 * deviation, rel=0.2)


def test_topics_drawn_whole_agree_with_another_bootstrap(by_model: pd.DataFrame) -> None:
    rows = reference.by_question()[lambda q: (q["run_id"] == "weak--closed_book") & (q["slice_kind"] == "overall")]
    per = rows.dropna(subset="right").groupby("in_topic")["right"].agg(["sum", "size"]).to_numpy()
    dice = np.random.default_rng(9)
    drawn = per[dice.integers(len(per), size=(20_000, len(per)))].sum(axis=1)
    means = drawn[:, 0] / drawn[:, 1]
    row = by_model.loc[("weak--closed_book", "overall", "all")]
    allowed = 4 * 0.09 * means.std()
    assert row["topic_ci_low"] == pytest.approx(np.percentile(means, 2.5), abs=allowed)
    assert row["topic_ci_high"] == pytest.approx(np.percentile(means, 97.5), abs=allowed)


def test_wilson_stands_where_questions_have_one_sample(by_model: pd.DataFrame) -> None:
    sums = reference.by_question().groupby(SLICE).agg(
        right=("n_right", "sum"), scored=("n_scored", "sum"), most=("n_scored", "max")
    )  # fmt: skip
    for key, row in by_model.iterrows():
        right, scored, most = sums.loc[key]
        expected = proportion_confint(right, scored, method="wilson") if scored and most == 1 else (np.nan, np.nan)
        same(row[["wilson_low", "wilson_high"]], expected)
    ends = by_model.loc["single--oracle"]
    assert (ends["wilson_high"] == 1).sum() == (ends["accuracy"] == 1).sum() > 0


@pytest.mark.parametrize("trials", [*range(1, 60), 1000])
def test_an_end_of_the_scale_is_the_end_of_wilsons_interval(trials: int) -> None:
    for successes, sign, end in ((0, "-", 0.0), (trials, "+", 1.0)):
        sql = rendered(f"select {{{{ wilson('s', 'n', '{sign}') }}}} from (select {successes} as s, {trials} as n)")
        assert duckdb.execute(sql).fetchall() == [(end,)]


def test_pairs_are_counted_by_question_and_majority(pairwise: pd.DataFrame) -> None:
    won = reference.majority()
    snapshots = world.landed()["runs"].set_index("run_id")["snapshot_id"]
    expected = []
    for one, other in combinations(sorted(won.columns), 2):
        both = won[[one, other]].dropna().astype(bool)
        if len(both) and snapshots[one] == snapshots[other]:
            b, c = (both[one] & ~both[other]).sum(), (both[other] & ~both[one]).sum()
            expected.append((one, other, len(both), b, c))
    columns = ["run_a", "run_b", "n_questions", "b", "c"]
    assert [tuple(row) for row in pairwise[columns].to_numpy()] == expected
    assert pairwise.set_index(["run_a", "run_b"]).loc[("strong--rag", "weak--rag"), "n_questions"] < 81


def test_p_values_are_those_of_the_exact_test(pairwise: pd.DataFrame) -> None:
    assert pairwise["b"].add(pairwise["c"]).max() > 1074
    for row in pairwise.itertuples():
        rest = row.n_questions - row.b - row.c
        expected = mcnemar([[rest, row.b], [row.c, 0]], exact=True).pvalue if row.b + row.c else 1.0
        assert row.p_value == pytest.approx(expected, rel=1e-8)
        assert row.p_value == pytest.approx(binomtest(row.b, row.b + row.c).pvalue if row.b + row.c else 1, rel=1e-8)
    assert pairwise["p_value"].between(1e-6, 0.05).any()


def test_p_values_are_corrected_by_holm_within_a_family_and_snapshot(pairwise: pd.DataFrame) -> None:
    assert pairwise.groupby(["family", "snapshot_id"]).ngroups == 4
    for _, part in pairwise.groupby(["family", "snapshot_id"]):
        rejected, corrected, *_ = multipletests(part["p_value"], alpha=0.05, method="holm")
        same(part["p_holm"], corrected)
        assert part["tied"].tolist() == (~rejected).tolist()
    assert 0 < pairwise["tied"].sum() < len(pairwise)


def test_the_letter_for_letter_twin_is_tied(pairwise: pd.DataFrame) -> None:
    row = pairwise.set_index(["run_a", "run_b"]).loc[("strong--closed_book", world.TWIN)]
    assert row[["b", "c", "p_value", "p_holm", "tied"]].tolist() == [0, 0, 1.0, 1.0, True]


def test_tuples_are_scored_as_by_scikit_learn(by_model: pd.DataFrame) -> None:
    tables = world.landed()["tables"]
    tables = tables[tables["outcome"] != "failed"].reset_index(drop=True)
    tables[["precision", "recall", "f1"]] = [_scores(row) for row in tables.to_dict("records")]
    slices = reference.by_question()[lambda q: q["slice_kind"].isin(["overall", "type", "truncation"])]
    for key, part in slices.groupby(SLICE):
        row = by_model.loc[key]
        asked = tables[(tables["run_id"] == key[0]) & tables["question_id"].isin(part["question_id"])]
        if asked.empty:
            assert row[["ea_f1", "ea_f1_micro", "ea_precision", "ea_recall"]].isna().all()
            continue
        each = asked.groupby("question_id")[["precision", "recall", "f1"]].mean()
        same(row[["ea_precision", "ea_recall", "ea_f1"]], each.mean())
        together = asked[["n_matched", "n_predicted", "n_gold"]].sum().to_dict()
        same(row[["ea_precision_micro", "ea_recall_micro", "ea_f1_micro"]], _scores(together))


def _scores(counts: Mapping[str, int]) -> list[float]:
    """Precision, recall and F1 of scikit-learn over the tuples of a table or of several: each is in one, or in both."""
    matched, given, gold = (counts[column] for column in ("n_matched", "n_predicted", "n_gold"))
    truth = [1] * gold + [0] * (given - matched)
    said = [1] * matched + [0] * (gold - matched) + [1] * (given - matched)
    return list(precision_recall_fscore_support(truth, said, average="binary", zero_division=0.0)[:3])


def test_coverage_is_the_share_of_questions_asked_for_a_table(by_model: pd.DataFrame) -> None:
    overall = by_model.xs("overall", level="slice_kind").droplevel("slice")["ea_coverage"]
    same(overall[["strong--rag", "single--oracle", "weak--rag"]], [60 / 150, 20 / 150, 0])
    assert by_model.xs("yes_no", level="slice_kind")[["ea_coverage", "ea_f1", "ea_f1_micro"]].isna().all(axis=None)


def test_yes_or_no_is_judged_apart_from_the_method(by_model: pd.DataFrame) -> None:
    yes_no = by_model.xs("yes_no", level="slice_kind")
    assert (yes_no["chance"] == 0.5).all()
    assert set(yes_no.index.get_level_values("slice")) == {"all", *world.STATISTICAL}
    method = by_model.loc[("strong--rag", "type", "variance_analysis")]
    assert method["chance"] == 0.05
    assert method["accuracy"] != yes_no.loc[("strong--rag", "variance_analysis"), "accuracy"]
