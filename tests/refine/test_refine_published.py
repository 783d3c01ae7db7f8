"""The check against every kind of question there is: no published question passes as a rewrite of another one."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from dagster_defs.steps.refine.check import check
from dagster_defs.steps.refine.plan import originals
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse

NEIGHBOURS = 3


def neighbours(question: Question, group: list[Question]) -> list[Question]:
    """The questions of a group whose words differ least."""
    words = set(question.question.split())
    others = [other for other in group if other is not question]
    return sorted(others, key=lambda other: (len(words ^ set(other.question.split())), other.question_id))[:NEIGHBOURS]


def count_the_same(one: Question, other: Question) -> bool:
    """Whether a filter and a counted value have changed places: both then count the same entities."""
    words = [sorted(re.findall(r"\w+", question.question)) for question in (one, other)]
    given = [(q.operation, sorted(q.attributes), q.slots.get("threshold"), q.slots.get("change")) for q in (one, other)]
    return (
        words[0] == words[1]
        and given[0] == given[1]
        and one.slots.get("threshold") is not None
        and one.slots.get("attribute") != other.slots.get("attribute")
    )


@pytest.mark.e2e
def test_no_question_passes_as_a_rewrite_of_its_nearest_neighbours(published: Path) -> None:
    with Warehouse(published) as warehouse:
        questions = warehouse.choose(QuestionSet(split="all"))
        checked = originals(questions, warehouse)
    groups: dict[tuple[str, str, str], list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.topic, question.type, question.operation].append(question)
    pairs = [
        (question, other)
        for group in groups.values()
        for question in group[::3]
        for other in neighbours(question, group)
        if not count_the_same(question, other)
    ]
    assert len(pairs) > 3000
    passed = [
        (one.question, other.question) for one, other in pairs if not check(checked[one.question_id], other.question)
    ]
    assert passed == []


@pytest.mark.e2e
def test_every_question_is_understood_as_it_stands(published: Path) -> None:
    with Warehouse(published) as warehouse:
        questions = warehouse.choose(QuestionSet(split="all"))
        checked = originals(questions, warehouse)
    for question in questions:
        # A word that only joins others: whatever else the check says of it would speak against the question itself.
        lead = f"Among all these, {question.question[0].lower()}{question.question[1:]}"
        found = {str(finding.reason) for finding in check(checked[question.question_id], lead)}
        assert not found & {"layout", "length", "language", "number", "date", "unit", "operation", "roles"}, question
