"""The gate of deep research: sound questions pass, and each kind of corruption stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from expectations import deep_research

Frames = dict[str, pd.DataFrame]
DOMAINS = deep_research.DOMAINS


def frames(n: int = 100) -> Frames:
    """`n` sound questions, spread evenly over domains and ten templates, and half as many rejections."""
    ids = [f"q{number}" for number in range(n)]
    questions = pd.DataFrame(
        {
            "family": "deep_research", "question_id": ids, "category": [DOMAINS[i % 5] for i in range(n)],
            "template_id": [f"t{i % 10}" for i in range(n)], "gold_value": 1.5, "tolerance": 0.02, "split": "train",
            "question": [f"Find the mountain number {i}: " + "it rises; " * 20 for i in range(n)],
        }
    )  # fmt: skip
    details = pd.DataFrame(
        {
            "question_id": ids, "domain": questions["category"], "n_entities": [1 + (i % 4 == 0) for i in range(n)],
            "n_properties": 1, "cci": 2.0, "spread": 0.01, "n_match_warehouse": 1,
        }
    )  # fmt: skip
    rejections = pd.DataFrame({"family": "deep_research", "reason": ["not_unique"] * (n // 2)})
    return {"questions": questions, "details": details, "rejections": rejections}


def test_sound_questions_pass() -> None:
    verdict = deep_research.check(frames(), None)
    assert verdict.passed, [(outcome.claim, outcome.observed) for outcome in verdict.failures]
    assert verdict.volumes == dict.fromkeys(DOMAINS, 20)


def test_no_question_at_all_passes() -> None:
    verdict = deep_research.check({name: frame.iloc[:0] for name, frame in frames().items()}, None)
    assert verdict.passed, [(outcome.claim, outcome.observed) for outcome in verdict.failures]


def test_questions_of_another_family_are_left_out() -> None:
    given = frames()
    given["questions"] = pd.concat([given["questions"], given["questions"].assign(family="multi_entity", tolerance=9)])
    assert deep_research.check(given, None).passed


def spoil(frame: str, column: str, value: Any, rows: int = 1) -> Callable[[Frames], None]:
    def spoiled(given: Frames) -> None:
        given[frame].loc[: rows - 1, column] = value

    return spoiled


@pytest.mark.parametrize(
    ("spoiled", "claim"),
    [
        (spoil("questions", "category", "history", 60), "no domain makes up over 40 %"),
        (spoil("questions", "category", "cooking"), "one of the five domains"),
        (spoil("questions", "template_id", "t0", 40), "no template makes up over a fifth"),
        (spoil("questions", "tolerance", 0.2), "a tolerance is at most 5 %"),
        (spoil("questions", "question", "Find it."), "between 150 and 1,500 characters"),
        (spoil("questions", "question", "Find the mountain. " * 20, 2), "no two questions read the same"),
        (spoil("details", "n_match_warehouse", 2), "fit one entity"),
        (spoil("details", "spread", 0.3), "at most 5 % of an answer open"),
        (spoil("details", "cci", 9.0), "two steps or more"),
        (spoil("details", "question_id", "unknown"), "every question has its details"),
        (spoil("details", "n_entities", 2, 90), "compare two entities"),
        (spoil("rejections", "reason", "boring"), "reason of the closed list"),
    ],
)
def test_a_corruption_stops_the_gate(spoiled: Callable[[Frames], None], claim: str) -> None:
    given = frames()
    spoiled(given)
    verdict = deep_research.check(given, None)
    assert any(claim in outcome.claim for outcome in verdict.failures)


def test_a_domain_that_vanished_stops_the_gate() -> None:
    verdict = deep_research.check(frames(), dict.fromkeys(DOMAINS, 90))
    assert [outcome.frame for outcome in verdict.failures] == ["volume"]
