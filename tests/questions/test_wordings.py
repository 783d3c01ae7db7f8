"""Every template can be asked in several ways that differ in more than a word."""

from __future__ import annotations

import csv
import itertools
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def rows(seed: str) -> list[dict[str, str]]:
    with (ROOT / f"seeds/{seed}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def wordings() -> dict[str, list[str]]:
    """Wordings by template, in the order of their numbers, which run from 1."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows("wordings"):
        found[row["template_id"]].append(row["wording"])
        assert int(row["wording_id"]) == len(found[row["template_id"]]), row
    return found


TEMPLATES = sorted(row["template_id"] for row in rows("question_templates"))


def test_every_template_and_no_other_is_worded() -> None:
    assert sorted(wordings()) == TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_has_three_wordings_that_are_questions(template: str) -> None:
    texts = wordings()[template]
    assert len(texts) >= 3
    for text in texts:
        assert re.fullmatch(r"[A-Z{][^?]*\?", text), text
        assert "  " not in text
        assert " ?" not in text


@pytest.mark.parametrize("template", TEMPLATES)
def test_wordings_say_the_same(template: str) -> None:
    """What one wording of a template names, all name; only a unit, a direction or a noun may be implied."""
    implied = {
        "which", "plural", "singular", "phrase", "phrases", "phrase_b", "phrases_a", "phrases_b", "phrase_a", "most",
        "commonest", "a", "b", "member_a", "member_b", "thing", "things",
    }  # fmt: skip
    named = [set(re.findall(r"\{(\w+)\}", text)) - implied for text in wordings()[template]]
    assert all(names == named[0] for names in named), named


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_two_wordings_differ_in_one_word_only(template: str) -> None:
    for one, other in itertools.combinations(wordings()[template], 2):
        first, second = ([word.strip(",?:").lower() for word in text.split()] for text in (one, other))
        longest = max(len(first), len(second))
        assert _common_words(first, second) <= longest - 3, (one, other)


def _common_words(first: list[str], second: list[str]) -> int:
    """Length of the longest common subsequence."""
    lengths = [0] * (len(second) + 1)
    for word in first:
        previous = lengths[:]
        for j, other in enumerate(second):
            lengths[j + 1] = previous[j] + 1 if word == other else max(previous[j + 1], lengths[j])
    return lengths[-1]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_tested_question_states_its_level_and_not_its_method(template: str) -> None:
    tested = {row["template_id"] for row in rows("question_templates") if row["operation"] == "test"}
    methods = [row["name"].lower() for row in rows("method_names")]
    for text in wordings()[template]:
        assert ("at the 5% level" in text.lower()) == (template in tested), text
        if template in tested:
            assert not [name for name in methods if name in text.lower()], text


def test_every_test_has_names_a_model_may_use() -> None:
    names = rows("method_names")
    assert {row["gold_method"] for row in names} == {
        "pearsonr", "spearmanr", "jarque_bera", "levene", "chisquare", "chi2_contingency", "f_oneway",
    }  # fmt: skip
    lowered = [(row["gold_method"], row["name"].lower()) for row in names]
    assert len(set(lowered)) == len(lowered)
    for method in {row["gold_method"] for row in names}:
        assert next(row["name"] for row in names if row["gold_method"] == method) == method
