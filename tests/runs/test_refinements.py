"""What dbt makes of landed refinements: which of several counts, and which texts a question may be asked in."""

from __future__ import annotations

import pandas as pd

from tests.runs import world
from tests.runs.conftest import Built, unit_tests


def refined(built: Built, **given: object) -> pd.DataFrame:
    """The rows of runs.refinements in which columns have the given values."""
    rows = built.full["runs.refinements"]
    for column, value in given.items():
        rows = rows[rows[column] == value]
    return rows


def wordings(built: Built, question_id: str) -> list[tuple[int, str]]:
    """(number, text) of a question's wordings."""
    rows = built.full["runs.question_wordings"]
    mine = rows[rows["question_id"] == question_id].sort_values("wording")
    return [(int(number), text) for number, text in zip(mine["wording"], mine["question"], strict=True)]


def test_without_a_refinement_every_question_has_its_minted_text_alone(built: Built) -> None:
    assert built.empty["runs.refinements"].empty
    rows = built.empty["runs.question_wordings"]
    assert dict(zip(rows["question_id"], rows["question"], strict=True)) == {
        row["question_id"]: row["question"] for row in world.questions().to_dict("records")
    }
    assert set(rows["wording"]) == {0}


def test_two_models_have_one_row_for_a_question_the_newest(built: Built) -> None:
    rows = built.full["runs.refinements"]
    assert not rows.duplicated(["question_id", "refiner", "judge"]).any()
    landed = world.refinements()
    assert len(rows) == len(landed.drop_duplicates(["question_id", "refiner", "judge"]))
    assert set(refined(built, refiner="pen")["refine_id"]) == {"pen--2"}


def test_a_rewrite_of_a_former_text_or_of_no_question_is_kept_and_does_not_count(built: Built) -> None:
    for question_id in ("q0040", "q9999"):
        (row,) = refined(built, question_id=question_id, refiner="scribe").to_dict("records")
        assert (row["status"], row["is_current"]) == ("accepted", False)
    assert wordings(built, "q0040") == [(0, world.text_of(40))]
    assert wordings(built, "q9999") == []


def test_each_accepted_rewrite_is_one_more_wording_the_newest_last(built: Built) -> None:
    assert wordings(built, "q0000") == [
        (0, world.text_of(0)),
        (1, "Pen asks: how many things are of kind 0?"),
        (2, "Scribe asks: how many things are of kind 0?"),
    ]
    assert wordings(built, "q0001") == [(0, world.text_of(1)), (1, "Pen asks: how many things are of kind 1?")]


def test_a_refusal_takes_an_earlier_rewrite_by_the_same_models_away(built: Built) -> None:
    assert wordings(built, "q0003") == [(0, world.text_of(3))]


def test_refused_and_unscored_rewrites_are_rows_and_no_wordings(built: Built) -> None:
    rows = built.full["runs.question_wordings"]
    reworded = set(rows.loc[rows["source"] == "refined", "question_id"])
    for status in ("refused", "unscored"):
        found = refined(built, status=status, refiner="scribe")
        assert len(found) > 100
        assert not reworded & set(found["question_id"])
    (meaning,) = refined(built, question_id="q0041").to_dict("records")
    assert (meaning["reason"], meaning["judge_same"], meaning["judge_difference"]) == (
        "meaning",
        False,
        "it is narrower",
    )


def test_a_text_that_another_question_has_by_now_is_no_wording(built: Built) -> None:
    assert wordings(built, "q0042") == [(0, world.text_of(42))]


def test_flags_are_columns_with_their_reasons(built: Built) -> None:
    rows = refined(built, refiner="scribe", is_current=True)
    flagged = rows[rows["is_unclear"].eq(True)]
    assert 0 < len(flagged) < len(rows)
    assert set(flagged["unclear_reason"]) == {"two readings"}
    assert rows.loc[~rows["is_unclear"].eq(True), "unclear_reason"].isna().all()
    assert rows.loc[rows["status"] == "unscored", "is_unclear"].isna().all()


def test_order_of_landed_rows_changes_nothing(built: Built) -> None:
    for name in ("runs.refinements", "runs.question_wordings"):
        pd.testing.assert_frame_equal(built.full[name], built.shuffled[name])


def test_unit_tests_of_the_models_pass(built: Built) -> None:
    names = unit_tests()
    assert {
        "the_newest_refinement_of_the_present_text_counts",
        "a_question_has_its_minted_text_and_each_accepted_rewrite",
    } <= set(names)
    assert built.units == dict.fromkeys(names, "pass")
