"""One verdict per answer: gold in its own words is right, its neighbour wrong, and what can't be read has its rule."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.steps.matching import Answer, Attribute, QuestionGold, Reference, verdict, with_judgement
from dagster_defs.steps.matching.verdicts import SCORERS, scorer_of

# Questions as the published database holds them.
SHARE = QuestionGold("q1", "aggregation", "share", "number", "0.0740741", 0.0740740740741, (), "fraction", 0.01)
AREA = QuestionGold("q2", "aggregation", "sum", "number", "56389300", 56389300.0, (), "square kilometres", 0.01)
COUNT = QuestionGold("q3", "aggregation", "count", "number", "54", 54.0)
SPAN = QuestionGold("q4", "aggregation", "range", "number", "5", 5.0, (), "kelvins", 0.01)
YEARS = QuestionGold("q5", "aggregation", "range", "number", "128", 128.0, (), "years")
ENTITY = QuestionGold("q6", "superlative", "max", "entity", "xenon", None, ("Xe", "element 54"))
BETWEEN = QuestionGold(
    "q7",
    "intercomparison",
    "max",
    "entity",
    "Jordan",
    None,
    ("JO", "Hashemite Kingdom of Jordan"),
    rivals=("Jordan", "Iraq"),
)
CATEGORY = QuestionGold("q8", "superlative", "most_members", "category", "carbon, hydrogen, oxygen and silicon")
NUMERAL = QuestionGold("q9", "superlative", "most_members", "category", "5")
BOOLEAN = QuestionGold("q10", "descriptive_relationship", "shared_value", "boolean", "no")
LIST = QuestionGold("q11", "formula", "formula", "list", '["Chad", "Peru"]')
SPREAD = QuestionGold("q12", "aggregation", "distribution", "distribution", '{"Europe": 28, "North America": 80}')
LISTED = (
    Attribute("elevation_m", "elevation", "metres", "number"),
    Attribute("longitude", "longitude", "degrees", "number"),
    Attribute("country", "country"),
)
TESTED = QuestionGold(
    "q13", "correlation_analysis", "test", "boolean", "no", gold_columns=("elevation_m", "longitude"),
    gold_method="pearsonr", listed=LISTED,
)  # fmt: skip
NORMAL = QuestionGold(
    "q14", "distribution_compliance", "test", "boolean", "yes", gold_columns=("elevation_m",),
    gold_method="jarque_bera", listed=LISTED,
)  # fmt: skip
ALL = (SHARE, AREA, COUNT, SPAN, YEARS, ENTITY, BETWEEN, CATEGORY, NUMERAL, BOOLEAN, LIST, SPREAD, TESTED, NORMAL)
PLAIN = ALL[:-2]


def answered(parsed: Any = None, text: str = "") -> Answer:
    return Answer("answered", text, parsed)


@pytest.mark.parametrize("question", PLAIN, ids=lambda question: question.question_id)
def test_gold_in_its_own_words_is_right(question: QuestionGold, reference: Reference) -> None:
    unit = f" {question.gold_unit}" if question.gold_unit not in (None, "fraction") else ""
    for given_ in (question.gold_answer, *question.gold_aliases, f"{question.gold_answer}{unit}"):
        found = verdict(question, answered({"answer": given_, "unit": None}), reference)
        assert (found.correct, found.scored, found.scorer) == (True, True, scorer_of(question)), found
        assert verdict(question, answered(None, given_), reference).correct
        assert verdict(question, answered(None, f"Let me see.\n\n**Answer:** {given_}"), reference).correct
        assert not found.needs_judge


RIGHT = [
    (SHARE, {"answer": 0.0741, "unit": "fraction"}),
    (SHARE, {"answer": 7.41, "unit": "percent"}),
    (SHARE, {"answer": "7.4 %", "unit": None}),
    (SHARE, {"answer": "2/27"}),
    (SHARE, 0.0741),
    (AREA, {"answer": 56.4, "unit": "million km²"}),
    (AREA, {"answer": "56,389,300", "unit": "square kilometers"}),
    (AREA, {"answer": 21771870, "unit": "square miles"}),
    (COUNT, {"answer": 54.0, "unit": "countries"}),
    (COUNT, {"answer": "fifty-four"}),
    (COUNT, [54]),
    (SPAN, {"answer": 5, "unit": "°C"}),
    (YEARS, {"answer": "128 years"}),
    (ENTITY, "Xenon"),
    (ENTITY, ["xenon"]),
    (ENTITY, {"answer": "The answer is xenon (Xe)."}),
    (BETWEEN, {"answer": "Jordan"}),
    (CATEGORY, ["silicon", "carbon", "hydrogen", "oxygen"]),
    (NUMERAL, {"answer": 5}),
    (NUMERAL, {"answer": 5.0}),
    (BOOLEAN, {"answer": False}),
    (BOOLEAN, {"answer": "No, they do not."}),
    (LIST, {"answer": ["peru", "chad"]}),
    (SPREAD, {"answer": {"north america": 80, "europe": 28}}),
]
WRONG = [
    (SHARE, {"answer": 0.0753}),
    (SHARE, {"answer": 7.41, "unit": None}),
    (SHARE, {"answer": 7.41, "unit": "fraction"}),
    (AREA, {"answer": 56389300, "unit": "square miles"}),
    (AREA, {"answer": 56389300, "unit": "kilometres"}),
    (AREA, {"answer": 57500000}),
    (COUNT, {"answer": 55}),
    (COUNT, {"answer": "54 or 55"}),
    (COUNT, {"answer": "about 50"}),
    (COUNT, {"answer": "54", "unit": "%"}),
    (COUNT, {"answer": True}),
    (SPAN, {"answer": 278.15}),
    (YEARS, {"answer": 127}),
    (ENTITY, "krypton"),
    (ENTITY, ["xenon", "krypton"]),
    (ENTITY, {"answer": {"name": "xenon"}}),
    (ENTITY, {"answer": True}),
    (BETWEEN, {"answer": "Iraq"}),
    (BETWEEN, {"answer": "Jordan and Iraq"}),
    (BETWEEN, {"answer": ["Jordan", "Iraq"]}),
    (CATEGORY, "carbon, hydrogen and oxygen"),
    (NUMERAL, {"answer": 6}),
    (BOOLEAN, {"answer": True}),
    (BOOLEAN, {"answer": "perhaps"}),
    (LIST, {"answer": ["Chad"]}),
    (SPREAD, {"answer": {"Europe": 80, "North America": 28}}),
    (SPREAD, {"answer": "Europe"}),
    (COUNT, {}),
    (ENTITY, {"unit": "xenon"}),
    (LIST, {"answer": None}),
]


@pytest.mark.parametrize(("question", "parsed"), RIGHT)
def test_a_right_answer_is_right(question: QuestionGold, parsed: Any, reference: Reference) -> None:
    assert verdict(question, answered(parsed), reference).correct is True


@pytest.mark.parametrize(("question", "parsed"), WRONG)
def test_a_wrong_answer_is_wrong(question: QuestionGold, parsed: Any, reference: Reference) -> None:
    found = verdict(question, answered(parsed, "" if parsed else "nothing"), reference)
    assert (found.correct, found.scored) == (False, True)
    assert found.detail


def test_columns_and_method_are_the_headline_and_yes_or_no_a_slice(reference: Reference) -> None:
    parsed = {"columns": ["longitude", "elevation"], "method": "Pearson correlation", "answer": "yes"}
    found = verdict(TESTED, answered(parsed), reference)
    assert (found.correct, found.yes_no_correct, found.scorer) == (True, False, "method")
    assert found.chance == pytest.approx(1 / (3 * 7))
    assert verdict(NORMAL, answered(parsed), reference).chance == pytest.approx(1 / (3 * 7))
    for worse in ({"columns": ["longitude"]}, {"method": "Spearman correlation"}, {"columns": None}, {"method": None}):
        assert verdict(TESTED, answered(parsed | worse), reference).correct is False
    assert verdict(TESTED, answered(parsed | {"answer": "no"}), reference).yes_no_correct is True
    assert verdict(TESTED, answered(parsed | {"answer": "unsure"}), reference).yes_no_correct is False


def test_a_tested_question_is_read_from_text_where_there_is_no_json(reference: Reference) -> None:
    text = "**Columns:** elevation_m, longitude\n**Method:** Pearson correlation\n**Answer:** No"
    for given_ in (
        text,
        f"Here: {json.dumps({'columns': ['elevation_m', 'longitude'], 'method': 'pearsonr', 'answer': 'no'})}",
    ):
        found = verdict(TESTED, answered(None, given_), reference)
        assert (found.correct, found.yes_no_correct) == (True, True)


@pytest.mark.parametrize("question", ALL, ids=lambda question: question.question_id)
def test_outcomes_have_their_rules(question: QuestionGold, reference: Reference) -> None:
    failed = verdict(question, Answer("failed"), reference)
    assert (failed.correct, failed.scored, failed.detail) == (None, False, "failed")
    for outcome in ("unparsed", "refused", "cut"):
        found = verdict(question, Answer(outcome, question.gold_answer, {"answer": question.gold_answer}), reference)
        assert (found.correct, found.scored, found.detail) == (False, True, outcome)
        assert (found.yes_no_correct is False) is (found.scorer == "method") is (found.chance is not None)


def test_only_prose_goes_to_the_judge(reference: Reference) -> None:
    prose = "Among all of them, the heaviest one that has been listed here is clearly xenon."
    found = verdict(ENTITY, answered({"answer": prose}), reference)
    assert (found.correct, found.needs_judge) == (False, True)
    assert verdict(ENTITY, answered({"answer": "Xenon is the heaviest."}), reference).needs_judge
    for parsed in ("krypton", "xenon", ["krypton", "xenon"]):
        needed = verdict(ENTITY, answered({"answer": parsed}), reference).needs_judge
        assert needed is (not isinstance(parsed, str))
    assert not verdict(BETWEEN, answered({"answer": "Jordan and Iraq"}), reference).needs_judge
    assert not verdict(COUNT, answered({"answer": prose}), reference).needs_judge
    assert not verdict(BOOLEAN, answered({"answer": prose}), reference).needs_judge


def test_the_judge_s_finding_is_recorded_as_such(reference: Reference) -> None:
    first = verdict(ENTITY, answered({"answer": "Xenon is the heaviest."}), reference)
    right, wrong, unread = (with_judgement(first, finding) for finding in (True, False, None))
    assert [(v.correct, v.scored, v.scorer) for v in (right, wrong, unread)] == [
        (True, True, "judge"), (False, True, "judge"), (None, False, "judge"),
    ]  # fmt: skip
    assert not any(v.needs_judge for v in (right, wrong, unread))
    with pytest.raises(ValueError, match="no judge"):
        with_judgement(right, True)


@pytest.mark.parametrize(
    "question",
    [
        replace(COUNT, gold_kind="colour"),
        replace(COUNT, gold_value=None, gold_answer="many"),
        replace(LIST, gold_answer="{}"),
        replace(SPREAD, gold_answer="[]"),
        replace(SPREAD, gold_answer="Europe"),
        replace(TESTED, listed=LISTED[:1]),
    ],
)
def test_an_unusable_gold_is_an_error(question: QuestionGold, reference: Reference) -> None:
    with pytest.raises(ValueError, match=r".+"):
        verdict(question, answered({"answer": "1"}), reference)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["answer", "unit", "columns", "method", "x"]), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(ALL), json_values, st.text(max_size=60))
def test_no_answer_breaks_it(reference: Reference, question: QuestionGold, parsed: Any, text: str) -> None:
    found = verdict(question, Answer("answered", text, parsed), reference)
    assert found.correct in (True, False)
    assert found.scored
    assert found.scorer in SCORERS
