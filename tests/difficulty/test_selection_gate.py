"""The gate of what was found out about deep-research questions: it passes sound tables, and a corruption stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from expectations import selection

Frames = dict[str, pd.DataFrame]


def frames(n: int = 100) -> Frames:
    """`n` questions, of which every other is removed for the one before it, and a verifier that tried all."""
    ids = [f"q{number:03}" for number in range(n)]
    removed_for = [ids[number - 1] if number % 2 else None for number in range(n)]
    of = {"embedder": "minilm", "threshold": 0.3}
    diversity = pd.concat(
        pd.DataFrame(
            {
                **of, "comparison": comparison, "question_id": ids, "is_diverse": [one is None for one in removed_for],
                "removed_for": removed_for, "n_near": near,
            }
        )
        for comparison, near in (("whole", 2), ("template", 1))
    ).reset_index(drop=True)  # fmt: skip
    survivors = pd.DataFrame(
        {
            **of, "comparison": "whole", "slice_kind": ["overall", "split", "split"], "slice": ["all", "train", "test"],
            "n_questions": [n, n - 30, 30], "n_diverse": [n // 2, n // 2 - 15, 15], "diverse_share": 0.5,
            "n_pairs": [n, n - 30.5, 30.5],
        }
    )  # fmt: skip
    difficulty = pd.DataFrame(
        {
            "question_id": ids, "verifier": "big", "v1_accuracy": 0.1,
            "v2_accuracy": 0.1, "is_proven": True, "status": "hard",
        }
    )  # fmt: skip
    details = pd.DataFrame(
        {
            "question_id": ids, "is_diverse": [one is None for one in removed_for], "removed_for": removed_for,
            "difficulty_status": "hard",
        }
    )  # fmt: skip
    agreement = pd.DataFrame({"verifier_a": ["big"], "verifier_b": "small", "share_of_a": 0.5, "share_of_b": 0.6})
    return {
        "details": details.astype({"is_diverse": "boolean"}), "diversity": diversity, "survivors": survivors,
        "difficulty": difficulty, "agreement": agreement,
    }  # fmt: skip


def test_sound_tables_pass() -> None:
    verdict = selection.check(frames(), None)
    assert verdict.passed, [(outcome.claim, outcome.observed) for outcome in verdict.failures]


def test_tables_without_a_row_pass() -> None:
    given = frames()
    empty = {name: frame.iloc[:0] for name, frame in given.items()}
    unchecked = given["details"].assign(is_diverse=pd.Series([pd.NA] * 100, dtype="boolean"), removed_for=None)
    for details in (empty["details"], unchecked):
        verdict = selection.check({**empty, "details": details}, None)
        assert verdict.passed, [(outcome.claim, outcome.observed) for outcome in verdict.failures]


def spoil(frame: str, column: str, value: Any, rows: int = 1) -> Callable[[Frames], None]:
    def spoiled(given: Frames) -> None:
        given[frame].loc[: rows - 1, column] = value

    return spoiled


def none_left(given: Frames) -> None:
    given["diversity"].loc[1:99, ["is_diverse", "removed_for"]] = [False, "q000"]


def shortened(given: Frames) -> None:
    given["diversity"] = given["diversity"].drop(index=5)


def crowded(given: Frames) -> None:
    given["diversity"].loc[100:, "n_near"] = 3


BROKEN: list[tuple[Callable[[Frames], None], str]] = [
    (spoil("diversity", "question_id", "unknown"), "speaks of every question, and of no other"),
    (spoil("details", "question_id", "unknown"), "speaks of every question, and of no other"),
    (shortened, "speaks of every question, and of no other"),
    (spoil("diversity", "removed_for", "q003", 2), "stands one that stays"),
    (none_left, "2 % of the questions survive"),
    (crowded, "near within templates"),
    (spoil("survivors", "n_pairs", 7.0), "the slices of every selection add up"),
    (spoil("survivors", "n_diverse", 49), "the slices of every selection add up"),
    (spoil("details", "is_diverse", pd.NA), "of every question or of none"),
    (spoil("difficulty", "v1_accuracy", 1.2), "every accuracy from memory"),
    (spoil("difficulty", "v2_accuracy", -0.1), "every accuracy of an agent"),
    (spoil("difficulty", "status", "tricky"), "every status is of the closed list"),
    (spoil("difficulty", "is_proven", False), "no question is hard"),
    (spoil("difficulty", "v2_accuracy", None), "no question is hard"),
    (spoil("difficulty", "status", "too_easy_closed_book", 99), "by heart"),
    (spoil("agreement", "share_of_a", 1.5), "the first verifier's"),
    (spoil("agreement", "share_of_b", -1.0), "the second verifier's"),
]


@pytest.mark.parametrize(("spoiled", "claim"), BROKEN)
def test_a_corruption_stops_the_gate(spoiled: Callable[[Frames], None], claim: str) -> None:
    given = frames()
    spoiled(given)
    failed = [outcome.claim for outcome in selection.check(given, None).failures]
    assert any(claim in text for text in failed), failed


def test_every_claim_is_broken_by_one() -> None:
    claims = [outcome.claim for outcome in selection.check(frames(), None).outcomes]
    assert [claim for claim in claims if not any(part in claim for _, part in BROKEN)] == []
