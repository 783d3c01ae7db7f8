"""What dbt makes of trials and selections, against a second implementation of the rules."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from dagster_defs.steps.diversity.land import Question, digest
from expectations import selection
from tests.difficulty import world
from tests.runs.project import RunsProject

TABLES = ("difficulty", "verifier_agreement", "survivors")
# What the models are, and what they read.
MODELS = ("+verifier_agreement", "+survivors", "+fqn:assay.scores.deep_research")


class Built(NamedTuple):
    """Tables by name: with the selection over the present texts landed, and after one of the texts has changed."""

    fresh: dict[str, pd.DataFrame]
    stale: dict[str, pd.DataFrame]


def asked(rows: pd.DataFrame) -> list[Question]:
    """The deep-research questions as the step that compares them sees them."""
    research = rows[rows["family"] == "deep_research"]
    return [Question(q, text, "t", "d") for q, text in zip(research["question_id"], research["question"], strict=True)]


def selected(questions: list[Question], comparison: str, threshold: float, sha: str) -> pd.DataFrame:
    """Landed rows in which every third question is removed for the first."""
    rows = [
        {
            "selection_id": f"minilm--{threshold:g}--{sha[:12]}",
            "comparison": comparison,
            "question_id": one.question_id,
            "is_diverse": number % 3 != 1,
            "removed_for": questions[0].question_id if number % 3 == 1 else None,
            "n_near": 1 if number % 3 == 1 else 34 if number == 0 else 0,
            "threshold": threshold,
            "embedder": "minilm",
            "texts_sha": sha,
        }
        for number, one in enumerate(questions)
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    project = RunsProject.create(tmp_path_factory.mktemp("difficulty"))
    model = project.folder / "models/questions/questions.sql"
    model.write_text(model.read_text().replace("cast(null as varchar) as gold_answer", "gold_answer"))
    project.prepare()
    questions = world.questions()
    present = asked(questions)
    sha = digest(present)
    parts = [selected(present, "whole", 0.3, sha), selected(present, "template", 0.3, sha)]
    # One over a set of which a question is gone, which is not to be seen.
    outdated = selected(present[:-1], "whole", 0.3, digest(present[:-1]))
    project.land({**world.landed(), "diversity": pd.concat([*parts, outdated])})
    states = []
    for rows in (questions, questions.assign(question=questions["question"].str.replace("peak' 7 ", "peak' seven "))):
        project.ask(rows.sample(frac=1, random_state=3))
        project.build(
            "--indirect-selection", "cautious", "--select", *MODELS, "--vars", json.dumps({"difficulty": world.RULES})
        )
        names = [*(f"scores.{name}" for name in TABLES), "questions.deep_research", "runs.diversity"]
        states.append({name: project.table(name) for name in names})
    return Built(*states)


def test_difficulty_is_that_of_a_second_implementation(built: Built) -> None:
    rows = built.fresh["scores.difficulty"]
    expected = world.expected(valid=set())
    found = {(row["question_id"], row["verifier"]): row for row in rows.to_dict("records")}
    assert found.keys() == expected.keys()
    assert {verifier for _, verifier in found} == {"big", "small", "lone"}
    for key, wanted in expected.items():
        row = found[key]
        for stage in ("v1", "v2"):
            *counts, accuracy = wanted[stage]
            assert [row[f"{stage}_{name}"] for name in ("solved", "failed", "errored")] == counts, key
            assert row[f"{stage}_accuracy"] == accuracy or (accuracy is None and np.isnan(row[f"{stage}_accuracy"])), (
                key
            )
        assert row["status"] == wanted["status"], key
        assert row["n_errored"] == wanted["v1"][2] + wanted["v2"][2]


def test_every_status_occurs(built: Built) -> None:
    assert set(built.fresh["scores.difficulty"]["status"]) == set(selection.STATUSES)


def test_errors_leave_a_question_undecided_and_never_hard(built: Built) -> None:
    rows = built.fresh["scores.difficulty"]
    erred = rows[(rows["v2_errored"] > 0.34 * (rows["v2_solved"] + rows["v2_failed"] + rows["v2_errored"]))]
    assert len(erred) > 10
    assert set(erred["status"]) <= {"undecided", "too_easy_closed_book"}


def test_verifiers_are_compared_as_sets(built: Built) -> None:
    expected = world.expected(valid=set())
    decided: dict[str, dict[str, bool]] = {}
    for (question_id, verifier), wanted in expected.items():
        if wanted["status"] not in ("not_checked", "undecided"):
            decided.setdefault(verifier, {})[question_id] = wanted["status"] in ("hard", "unproven")
    rows = built.fresh["scores.verifier_agreement"].to_dict("records")
    assert {(row["verifier_a"], row["verifier_b"]) for row in rows} == {
        ("big", "lone"),
        ("big", "small"),
        ("lone", "small"),
    }
    for row in rows:
        a, b = decided[row["verifier_a"]], decided[row["verifier_b"]]
        both = a.keys() & b.keys()
        kept_a, kept_b = {q for q in both if a[q]}, {q for q in both if b[q]}
        counts = [row[name] for name in ("n_compared", "survivors_a", "survivors_b", "n_shared", "n_same_gold")]
        assert counts == [len(both), len(kept_a), len(kept_b), len(kept_a & kept_b), len(kept_a & kept_b)]
        if kept_a:
            assert row["share_of_a"] == pytest.approx(len(kept_a & kept_b) / len(kept_a))
    assert max(row["n_shared"] for row in rows) > 5


def test_public_table_shows_the_verifier_that_is_named(built: Built) -> None:
    expected = world.expected(valid=set())
    rows = built.fresh["questions.deep_research"].to_dict("records")
    assert len(rows) == 100
    for row in rows:
        wanted = expected[row["question_id"], "big"]
        status = None if wanted["status"] == "not_checked" else wanted["status"]
        assert (row["difficulty_status"] if isinstance(row["difficulty_status"], str) else None) == status
        assert row["v1_accuracy"] == wanted["v1"][3] or wanted["v1"][3] is None


def test_public_table_shows_the_selection_over_the_present_texts(built: Built) -> None:
    rows = built.fresh["questions.deep_research"]
    assert Counter(rows["is_diverse"].tolist()) == {True: 67, False: 33}
    assert set(rows.loc[~rows["is_diverse"].astype(bool), "removed_for"]) == {"d000"}
    assert len(built.fresh["runs.diversity"]) == 200


def test_a_changed_text_makes_every_selection_silent(built: Built) -> None:
    assert built.stale["runs.diversity"].empty
    assert built.stale["scores.survivors"].empty
    rows = built.stale["questions.deep_research"]
    assert len(rows) == 100
    assert rows[["is_diverse", "removed_for"]].isna().all(axis=None)
    # What was tried was tried on the question as it was minted, whatever the filter has to say.
    assert rows["difficulty_status"].notna().any()


def test_survivors_add_up(built: Built) -> None:
    rows = built.fresh["scores.survivors"]
    for comparison in ("whole", "template"):
        mine = rows[rows["comparison"] == comparison]
        (whole,) = mine[mine["slice_kind"] == "overall"].to_dict("records")
        assert (whole["n_questions"], whole["n_diverse"], whole["n_pairs"]) == (100, 67, 33.5)
        domains: Any = mine[mine["slice_kind"] == "domain"]
        assert domains["n_diverse"].sum() == 67
        assert len(domains) == 5


def test_the_gate_passes_what_dbt_built(built: Built) -> None:
    for state in (built.fresh, built.stale):
        frames = {name: state[table][list(columns)] for name, (table, columns) in selection.TABLES.items()}
        verdict = selection.check(frames, None)
        assert verdict.passed, verdict.failures
