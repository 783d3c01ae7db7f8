"""Agreement, against scikit-learn, statsmodels, nltk and published figures."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from dagster_defs.steps.agreement import cohen_kappa, krippendorff_alpha, raw_agreement

quickly = settings(max_examples=150, deadline=None)
labels = st.sampled_from(["yes", "no", "unsure"])
pairs = st.lists(st.tuples(labels, labels), min_size=2, max_size=40)
# Items in rows, three annotators in columns, gaps allowed.
tables = st.lists(st.tuples(*[st.one_of(st.none(), labels)] * 3), min_size=2, max_size=25)


@quickly
@given(pairs)
def test_kappa_is_scikit_learn_s(drawn: list[tuple[str, str]]) -> None:
    first, second = zip(*drawn, strict=True)
    assume(len({*first, *second}) > 1)
    assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    assert raw_agreement(first, second) == pytest.approx(sum(a == b for a, b in drawn) / len(drawn))


@quickly
@given(pairs)
def test_kappa_is_statsmodels_s(drawn: list[tuple[str, str]]) -> None:
    assume(len({label for pair in drawn for label in pair}) > 1)
    names = ["yes", "no", "unsure"]
    table = [[sum(pair == (a, b) for pair in drawn) for b in names] for a in names]
    expected = cohens_kappa(table, return_results=False)
    assert cohen_kappa(*zip(*drawn, strict=True)) == pytest.approx(float(expected), abs=1e-12)


@quickly
@given(tables)
def test_alpha_is_nltk_s(rows: list[tuple[str | None, ...]]) -> None:
    paired = [row for row in rows if sum(label is not None for label in row) > 1]
    assume(len({label for row in paired for label in row if label is not None}) > 1)
    task = AnnotationTask(
        data=[(f"c{c}", f"i{i}", row[c]) for i, row in enumerate(paired) for c in range(3) if row[c] is not None]
    )
    assert krippendorff_alpha(list(zip(*rows, strict=True))) == pytest.approx(task.alpha(), abs=1e-12)


# Krippendorff 2011, Computing Krippendorff's alpha-reliability: sections A, B and C.
SECTION_A = ("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
SECTION_B = ("a a b b d c c c e d d a", "b a b b b c c c e d d d")
SECTION_C = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


@pytest.mark.parametrize(("rows", "alpha"), [(SECTION_A, 0.095), (SECTION_B, 0.692), (SECTION_C, 0.743)])
def test_alpha_is_what_krippendorff_published(rows: tuple[str, ...], alpha: float) -> None:
    ratings = [[None if label == "." else label for label in row.split()] for row in rows]
    assert krippendorff_alpha(ratings) == pytest.approx(alpha, abs=5e-4)


@quickly
@given(tables)
def test_alpha_knows_neither_the_order_of_annotators_nor_of_items(rows: list[tuple[str | None, ...]]) -> None:
    forwards = krippendorff_alpha(list(zip(*rows, strict=True)))
    backwards = krippendorff_alpha(list(zip(*rows[::-1], strict=True))[::-1])
    assert forwards == pytest.approx(backwards, nan_ok=True)
    assert math.isnan(forwards) or forwards <= 1


@quickly
@given(st.lists(labels, min_size=2, max_size=30))
def test_perfect_agreement_is_one(drawn: list[str]) -> None:
    assume(len(set(drawn)) > 1)
    assert raw_agreement(drawn, drawn) == cohen_kappa(drawn, drawn) == 1
    assert krippendorff_alpha([drawn, drawn]) == pytest.approx(1)


def test_items_without_both_labels_are_left_out() -> None:
    first, second = ["yes", "no", None, "no"], ["yes", "yes", "no", None]
    assert raw_agreement(first, second) == 0.5
    assert cohen_kappa(first, second) == cohen_kappa(["yes", "no"], ["yes", "yes"]) == 0
    # Labels need not be text: a judge's verdicts are booleans, and False is a label.
    assert raw_agreement([False, True, None], [False, False, True]) == 0.5


def test_where_nothing_could_disagree_there_is_no_figure() -> None:
    assert math.isnan(raw_agreement([], []))
    assert math.isnan(cohen_kappa(["yes", "yes"], ["yes", "yes"]))
    assert math.isnan(krippendorff_alpha([["yes", "yes"], ["yes", "yes"]]))
    assert math.isnan(krippendorff_alpha([["yes", None], [None, "no"]]))
    assert math.isnan(krippendorff_alpha([]))


def test_annotators_label_the_same_items() -> None:
    for call in (
        lambda: raw_agreement(["yes"], []),
        lambda: cohen_kappa(["yes"], []),
        lambda: krippendorff_alpha([["yes"], ["yes", "no"]]),
    ):
        with pytest.raises(ValueError, match="label"):
            call()
