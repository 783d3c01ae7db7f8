"""What the room makes of facts, triples and verdicts: sets, words, scores by hand, and intervals by other code."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from tests.elicitation.conftest import COVERED, TOLD
from tests.elicitation.project import ElicitationProject

Z = 1.959963984540054


def one(built: ElicitationProject, query: str) -> tuple[Any, ...]:
    (row,) = built.rows(query)
    return row


def test_facts_become_triples_and_passages_in_words(built: ElicitationProject) -> None:
    rows = built.rows(
        "select subject, predicate, object, source from elicitation.reference_triples where entity_id = 'C3'"
    )
    assert sorted(rows) == [
        ("Japan", "area", "377973.89 square kilometres", "warehouse"),
        ("Japan", "capital", "Tokyo", "warehouse"),
    ]
    texts = built.rows("select text from elicitation.passages where entity_id = 'C1' order by 1")
    assert texts == [("Peru - area: 1285216 square kilometres",), ("Peru - capital: Lima",)]


def test_only_who_has_ten_statements_is_in_a_set(built: ElicitationProject) -> None:
    sets = built.rows(
        "select set_name, count(*), min(n_reference), max(n_statements) from elicitation.entities group by 1 order by 1"
    )
    # with two reference triples each, nobody is in a range
    assert [(name, n) for name, n, *_ in sets if name != "non_existing"] == [
        ("domains", 4), ("popularity", 4), ("random", 4),
    ]  # fmt: skip
    assert {(least, most) for name, _, least, most in sets if name == "random"} == {(2, 12)}


def test_a_predicate_leads_to_its_property_however_it_is_written(built: ElicitationProject) -> None:
    linked = dict(
        built.rows("select predicate || ' ' || object, property_id from elicitation.triples where experiment_id = 'x1'")
    )
    assert linked["capital Lima"] == "P36"
    assert linked["wdt:P36 Tokyo"] == "P36"
    assert linked["P2046 377,973.89 square kilometres"] == "P2046"
    assert linked["hasCapital Accra"] is None


def test_what_is_the_same_word_for_word_needs_no_judge(built: ElicitationProject) -> None:
    matched = built.rows(
        "select elicited.predicate, elicited.object from elicitation.matches join elicitation.triples as elicited"
        " using (triple_id) where matches.experiment_id = 'x1' order by all"
    )
    # the repetition in capitals is the same triple again, and is no second match
    assert matched == [("P2046", "377,973.89 square kilometres"), ("capital", "Lima"), ("wdt:P36", "Tokyo")]
    assert one(built, "select count(*) from elicitation.triples where is_duplicate and experiment_id = 'x1'") == (1,)


def test_scores_are_those_counted_by_hand(built: ElicitationProject) -> None:
    precision, recall, f1, n_error, with_errors, n = one(
        built,
        "select precision, recall, f1, n_error, precision_with_errors, n_triples from elicitation.scores"
        " where evaluation_id = 'v1' and slice_kind = 'overall'",
    )
    # 4 of 6 triples with a verdict are borne out, a seventh has none; 4 of 7 facts are covered, an eighth is unknown
    assert precision == pytest.approx(4 / 6)
    assert recall == pytest.approx(4 / 7)
    assert f1 == pytest.approx(2 * (4 / 6) * (4 / 7) / (4 / 6 + 4 / 7))
    assert (n_error, with_errors, n) == (2, pytest.approx(4 / 7), 15)


def test_results_count_every_verdict(built: ElicitationProject) -> None:
    assert built.rows(
        "select direction, n, n_entailment, n_contradiction, n_neutral, n_error, n_exact from elicitation.results"
        " where evaluation_id = 'v1' and slice_kind = 'overall' order by 1"
    ) == [("precision", 7, 4, 1, 1, 1, 3), ("recall", 8, 4, 1, 2, 1, 0)]


def drawn_places(size: int, replicates: int = 200) -> list[list[int]]:
    """Places of each replicate, drawn by md5 as the macro says."""
    found = []
    for replicate in range(replicates):
        draws = [int(hashlib.md5(f"{replicate}/{draw}".encode()).hexdigest()[:13], 16) / 2**52 for draw in range(size)]
        found.append([int(u * size) for u in draws])
    return found


def test_intervals_are_those_of_another_bootstrap_over_whole_entities(built: ElicitationProject) -> None:
    right = np.array([[sum(v == "entailment" for *_, v, _ in TOLD[e]) for e in TOLD],
                      [sum(v == "entailment" for v in COVERED[e]) for e in TOLD]], float)  # fmt: skip
    judged = np.array([[sum(v != "error" for *_, v, _ in TOLD[e]) for e in TOLD],
                       [sum(v != "error" for v in COVERED[e]) for e in TOLD]], float)  # fmt: skip
    shares: list[list[float]] = [[], [], []]
    for places in drawn_places(len(TOLD)):
        with np.errstate(invalid="ignore"):
            p, r = right[:, places].sum(axis=1) / judged[:, places].sum(axis=1)
        f1 = 2 * p * r / (p + r) if p + r else (0.0 if p + r == 0 else np.nan)
        for found, value in zip(shares, (p, r, f1), strict=True):
            if not np.isnan(value):
                found.append(float(value))
    expected = [end for found in shares for end in np.quantile(found, [0.025, 0.975])]
    assert one(
        built,
        "select precision_low, precision_high, recall_low, recall_high, f1_low, f1_high from elicitation.scores"
        " where evaluation_id = 'v1' and slice_kind = 'overall'",
    ) == pytest.approx(expected)


def test_a_slice_without_any_error_of_the_model_claims_no_certainty(built: ElicitationProject) -> None:
    low, high, f1_high, r_high = one(
        built,
        "select recall_low, recall_high, f1_high, precision_high from elicitation.scores"
        " where evaluation_id = 'v2' and slice_kind = 'domain'",
    )
    assert low < 0.25 < high
    assert max(f1_high, r_high) <= 1
    # of three entities that were asked about, one is covered whole and two not at all
    precision = one(
        built, "select precision from elicitation.scores where evaluation_id = 'v2' and slice_kind = 'overall'"
    )
    assert precision == (0.5,)


def test_the_judge_is_measured_by_the_examples(built: ElicitationProject) -> None:
    n, errors, agreement, sensitivity, specificity = one(
        built, "select n, n_error, agreement, sensitivity, specificity from elicitation.judge_agreement"
    )
    assert (n, errors) == (64, 2)
    assert agreement == pytest.approx(58 / 64)
    assert (sensitivity, specificity) == (pytest.approx(19 / 21), pytest.approx(39 / 43))


def test_made_up_entities_that_it_tells_of_are_counted(built: ElicitationProject) -> None:
    row = one(
        built,
        "select n_entities, n_failed, n_with_triples, hallucination_rate, rate_low, rate_high, n_triples,"
        " triples_per_entity from elicitation.hallucinations",
    )
    low, high = proportion_confint(1, 2, method="wilson")
    assert row == (2, 1, 1, 0.5, pytest.approx(low), pytest.approx(high), 1, 0.5)


def test_two_models_that_differ_are_told_apart_and_what_they_disagree_on(built: ElicitationProject) -> None:
    difference, low, high = one(
        built, "select f1_difference, difference_low, difference_high from elicitation.differences"
    )
    scores = dict(built.rows("select evaluation_id, f1 from elicitation.scores where slice_kind = 'overall'"))
    assert difference == pytest.approx(scores["v1"] - scores["v2"])
    assert low <= difference <= high
    assert built.rows(
        "select entity_id, object, models, other_object, other_models, recorded from elicitation.disagreements"
    ) == [("C3", "Kyoto", ["two"], "Tokyo", ["one"], "other_object")]


def test_which_property_a_model_knows(built: ElicitationProject) -> None:
    assert built.rows(
        "select property_id, property, n_entities, n_given, n_as_recorded from elicitation.property_knowledge"
        " where experiment_id = 'x1' order by 1"
    ) == [("P2046", "area", 4, 2, 1), ("P36", "capital", 4, 2, 2)]


def lang_reiczigel(share: float, n: float, se: float, n_se: int, sp: float, n_sp: int) -> tuple[float, float]:
    """The interval as the paper's section 2.2 writes it, with its names."""
    p = (n * share + Z**2 / 2) / (n + Z**2)
    s, c = (n_se * se + 1) / (n_se + 2), (n_sp * sp + 1) / (n_sp + 2)
    pi = (p + c - 1) / (s + c - 1)
    shift = 2 * Z**2 * (pi * s * (1 - s) / (n_se + 2) - (1 - pi) * c * (1 - c) / (n_sp + 2))
    variance = p * (1 - p) / (n + Z**2) + pi**2 * s * (1 - s) / (n_se + 2) + (1 - pi) ** 2 * c * (1 - c) / (n_sp + 2)
    half = Z * np.sqrt(variance) / (s + c - 1)
    return max(0.0, pi + shift - half), min(1.0, pi + shift + half)


def test_precision_is_corrected_for_what_the_judge_gets_wrong(built: ElicitationProject) -> None:
    corrected, low, high, precision, p_low, p_high = one(
        built,
        "select corrected_precision, corrected_precision_low, corrected_precision_high, precision, precision_low,"
        " precision_high from elicitation.scores where evaluation_id = 'v1' and slice_kind = 'overall'",
    )
    # 3 of 6 were judged, 1 of them borne out; the others are certain
    se, sp = 19 / 21, 39 / 43
    assert corrected == pytest.approx(0.5 + 0.5 * (1 / 3 + sp - 1) / (se + sp - 1))
    effect = 6 * ((p_high - p_low) / (2 * Z)) ** 2 / (precision * (1 - precision))
    ends = lang_reiczigel(1 / 3, 3 / max(1, effect), se, 21, sp, 43)
    assert (low, high) == (pytest.approx(0.5 + 0.5 * ends[0]), pytest.approx(0.5 + 0.5 * ends[1]))


def test_this_interval_holds_the_truth_as_often_as_it_says() -> None:
    """The oracle above, over 4,000 judgements of a truth that is known: 95% to within the error of counting."""
    rng = np.random.default_rng(7)
    se, sp, truth, n, examples, others = 0.85, 0.9, 0.6, 400, 22, 44
    held = 0
    for _ in range(4000):
        said = rng.binomial(n, truth * se + (1 - truth) * (1 - sp)) / n
        low, high = lang_reiczigel(
            said, n, rng.binomial(examples, se) / examples, examples, rng.binomial(others, sp) / others, others
        )
        held += low <= truth <= high
    assert 0.93 < held / 4000 < 0.985


def test_a_name_that_is_made_up_is_nobodys(built: ElicitationProject) -> None:
    assert one(
        built,
        "select count(*) from elicitation.made_up_names as made join facts.entities as entity"
        " on lower(made.name) = lower(entity.label)",
    ) == (0,)


def test_unit_tests_hold(built: ElicitationProject) -> None:
    results = built.check_units()
    assert set(results.values()) == {"pass"}, results


def test_nothing_landed_builds_empty_tables(folder: ElicitationProject, tmp_path: Path) -> None:
    folder.build()
    for table in ("triples", "verdicts", "scores", "combined_results", "differences", "hallucinations"):
        assert folder.rows(f"select count(*) from elicitation.{table}") == [(0,)], table
    assert folder.rows("select count(*) from elicitation.entities where set_name = 'random'") == [(4,)]
