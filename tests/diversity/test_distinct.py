"""Self-BLEU beside nltk's BLEU, and mean dissimilarity beside every pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from dagster_defs.steps.diversity.distinct import mean_dissimilarity, self_bleu
from tests.diversity.test_diversity import unit_rows

sentences = st.lists(st.sampled_from(["which", "river", "is", "the", "longest", "in", "a"]), min_size=1, max_size=9)


@given(st.lists(sentences, min_size=2, max_size=7))
@settings(max_examples=200, deadline=None)
def test_self_bleu_is_the_mean_of_nltks_bleu(words: list[list[str]]) -> None:
    smooth = SmoothingFunction().method1
    expected = [
        sentence_bleu(words[:i] + words[i + 1 :], words[i], smoothing_function=smooth) for i in range(len(words))
    ]
    assert self_bleu([" ".join(found) for found in words]) == pytest.approx(np.mean(expected), abs=1e-12)


def test_self_bleu_reads_words_and_marks_in_lower_case() -> None:
    assert self_bleu(["What is the mass of X?", "what is the mass of x ?"]) == pytest.approx(1)
    assert self_bleu(["one two three four", "five six seven eight"]) == 0
    assert self_bleu(["", "one"]) == 0


@given(st.integers(2, 30), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_mean_dissimilarity_is_that_of_all_pairs(n: int, seed: int) -> None:
    vectors = unit_rows(n, 12, seed, 0.5).astype(np.float64)
    pairs = [1 - float(a @ b) for a, b in itertools.combinations(vectors, 2)]
    assert mean_dissimilarity(vectors) == pytest.approx(np.mean(pairs), abs=1e-6)


def test_one_question_alone_is_neither_distinct_nor_not() -> None:
    with pytest.raises(ValueError, match="two vectors"):
        mean_dissimilarity([[1.0, 0.0]])
    with pytest.raises(ValueError, match="two texts"):
        self_bleu(["one"])
