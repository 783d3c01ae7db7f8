"""What dbt makes of labels, against nltk, scikit-learn, statsmodels, the Python of `agreement`, and by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from dagster_defs.steps.agreement import cohen_kappa, krippendorff_alpha
from expectations import scores
from tests.review import labels
from tests.review.labels import label, land, sheet
from tests.runs.project import RunsProject

TABLES = (
    "review.labels", "review.answer_labels", "review.agreement", "review.adjudicated", "review.answer_verdicts",
    "review.validity", "review.withdrawn", "scores.judge_calibration",
)  # fmt: skip
FIELDS = ("valid", "entity", "clarity", "gold", "error_category")
Build = Callable[..., dict[str, pd.DataFrame]]
# What the judge's calibration reads besides, and the questions.
RUNS = (
    "questions",
    "question_history",
    "research_minted",
    "entity_attributes",
    "path:models/staging/llm",
    "path:models/runs",
    "judge_calibration",
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> RunsProject:
    return labels.create(tmp_path_factory.mktemp("review"))


@pytest.fixture
def build(project: RunsProject) -> Iterator[Build]:
    """Builds the rooms over what the test has landed, which is taken away afterwards."""

    def build_and_read(*more: str) -> dict[str, pd.DataFrame]:
        chosen = ("path:models/staging/review", "path:models/review", *more)
        project.build("--indirect-selection", "cautious", "--select", *chosen)
        return {
            name: project.table(name) for name in TABLES if "judge_calibration" in more or name.startswith("review.")
        }

    yield build_and_read
    for file in (project.folder / "data/landing").glob("*/*/[!_]*.parquet"):
        file.unlink()


def overall(table: pd.DataFrame, **given: str) -> Any:
    """The row of the slice of everything."""
    rows = table[table["slice_kind"] == "overall"]
    for column, value in given.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def test_without_a_review_every_table_is_there_and_empty(build: Build) -> None:
    assert {name: len(table) for name, table in build(*RUNS).items()} == dict.fromkeys(TABLES, 0)


def test_agreement_is_that_of_nltk_and_of_python(project: RunsProject, build: Build) -> None:
    land(project, "q-one", sheet("q-one"), **labels.random_labels())
    tables = build()
    given = tables["review.labels"]
    assert len(given) == sum(len(rows) for rows in labels.random_labels().values())
    given["valid"] = given["is_valid"].map({True: "valid", False: "not valid"})
    for row in tables["review.agreement"].to_dict("records"):
        part = given if row["slice_kind"] == "overall" else given[given[row["slice_kind"]] == row["slice"]]
        wide = part.pivot(index="item", columns="annotator", values=row["field"])
        wide = wide[wide.notna().sum(axis=1) > 1]
        long = wide.stack().dropna().reset_index()
        task = AnnotationTask([(str(coder), item, value) for item, coder, value in long.to_numpy()])
        ratings = [[None if pd.isna(v) else v for v in wide[coder]] for coder in wide]
        assert row["n"] == len(wide) > 5
        assert row["n_labels"] == wide.notna().sum().sum()
        assert row["alpha"] == pytest.approx(task.alpha(), abs=1e-11)
        assert row["alpha"] == pytest.approx(krippendorff_alpha(ratings), abs=1e-11)
        pairs = [
            np.mean([a == b for i, a in enumerate(known) for b in known[i + 1 :]])
            for known in (r.dropna().tolist() for _, r in wide.iterrows())
        ]
        assert row["agreement"] == pytest.approx(np.mean(pairs), abs=1e-11)
    fields = set(tables["review.agreement"]["field"])
    assert fields == set(FIELDS)


# Krippendorff 2011, section C: four observers, twelve units, nominal values; alpha = 0.743.
PUBLISHED = {
    "a": "1.2.3.3.2.1.4.1.2.*.*.*",
    "b": "1.2.3.3.2.2.4.1.2.5.*.3",
    "c": "*.3.3.3.2.3.4.2.2.5.1.*",
    "d": "1.2.3.3.2.4.4.1.2.5.1.*",
}


def test_alpha_of_the_published_example(project: RunsProject, build: Build) -> None:
    causes = dict(zip("12345", labels.CAUSES, strict=False))
    given = {
        annotator: [
            label(f"Noneq{unit:03}", gold="wrong", error_category=causes[value])
            for unit, value in enumerate(values.split("."))
            if value != "*"
        ]
        for annotator, values in PUBLISHED.items()
    }
    land(project, "q-one", sheet("q-one"), **given)
    agreement = build()["review.agreement"]
    row = overall(agreement, field="error_category")
    assert (row["n"], row["n_labels"]) == (11, 40)
    assert round(row["alpha"], 3) == 0.743
    # all say the same of the answer, so that nothing could disagree
    same = overall(agreement, field="gold")
    assert same["agreement"] == 1
    assert np.isnan(same["alpha"])


def test_alpha_by_hand(project: RunsProject, build: Build) -> None:
    # ten items of two, one disagreement; 12 labels of one kind and 8 of the other: 1 - 19 * 2 / (400 - 144 - 64)
    ones = ["right"] * 6 + ["unsure"] * 4
    others = ["right"] * 6 + ["unsure"] * 3 + ["right"]
    given = {
        "a": [label(f"Noneq{i:03}", entity=value) for i, value in enumerate(ones)],
        "b": [label(f"Noneq{i:03}", entity=value) for i, value in enumerate(others)],
    }
    land(project, "q-one", sheet("q-one"), **given)
    row = overall(build()["review.agreement"], field="entity")
    assert row["agreement"] == 0.9
    assert row["alpha"] == pytest.approx(1 - 19 * 2 / (400 - 13**2 - 7**2))


def decide(project: RunsProject, build: Build) -> pd.DataFrame:
    """One question a case, see the test below."""
    stale, ambiguous = {"error_category": "stale data"}, {"error_category": "ambiguous"}
    items = [f"Noneq{number:03}" for number in range(9)]
    a = [label(item) for item in items]
    a[1] = a[3] = label(items[1], gold="wrong", **stale)
    a[3] = {**a[3], "item": items[3]}
    a[5] = label(items[5], entity="unsure")
    b = [
        label(items[0], note="fine"), label(items[1], gold="wrong", **stale), label(items[2], gold="wrong"),
        label(items[3], gold="wrong", **ambiguous), label(items[5], entity="unsure"), label(items[6], gold="wrong"),
        label(items[7], gold="wrong"), label(items[8], gold="unsure"),
    ]  # fmt: skip
    third = [label(items[6], clarity="unclear", note="two readings", **ambiguous), label(items[7])]
    land(project, "q-one", sheet("q-one"), a=a, b=b, third=third)
    return build()["review.adjudicated"].set_index("question_id")


def test_what_all_say_or_a_third_says_is_decided(project: RunsProject, build: Build) -> None:
    found = decide(project, build)
    cases = [
        # valid, decided by, cause, needs a third
        (True, "agreed", None, False),  # both fine
        (False, "agreed", "stale data", False),  # both wrong, for one cause
        (None, None, None, True),  # fine and wrong
        (False, "agreed", None, True),  # both wrong, for two causes
        (None, None, None, False),  # one label
        (None, None, None, True),  # both unsure
        (False, "adjudicated", "ambiguous", False),
        (True, "adjudicated", None, False),
        (None, None, None, True),  # fine and unsure
    ]
    for (valid, by, cause, third), (_, row) in zip(cases, found.iterrows(), strict=True):
        assert (None if pd.isna(row["is_valid"]) else bool(row["is_valid"])) == valid
        assert (None if pd.isna(row["decided_by"]) else row["decided_by"]) == by
        assert (None if pd.isna(row["error_category"]) else row["error_category"]) == cause
        assert row["needs_third"] == third
    assert list(found.loc["q000", "notes"]) == ["fine"]
    assert list(found.loc["q006", "notes"]) == ["two readings"]


def test_what_is_judged_wrong_is_withdrawn_while_it_stands(project: RunsProject, build: Build) -> None:
    decide(project, build)
    found = project.table("review.withdrawn").set_index("question_id")
    assert dict(found["reason"]) == {"q001": "stale data", "q003": "several", "q006": "ambiguous"}
    assert dict(found["decided_by"])["q006"] == "adjudicated"
    # fresh data mend an answer, and an edit a text
    mended = labels.questions().copy()
    mended.loc[1, "gold_answer"] = "new"
    mended.loc[6, "question"] = "Another text?"
    project.ask(mended)
    again = build("questions")["review.withdrawn"]
    project.ask(labels.questions())
    build("questions")
    assert list(again["question_id"]) == ["q003"]


def test_the_last_sheet_that_decides_counts(project: RunsProject, build: Build) -> None:
    wrong = [label("Noneq000", gold="wrong"), label("Noneq001", gold="wrong"), label("Noneq002", gold="wrong")]
    fine = [label("Noneq000"), label("Noneq001")]
    land(project, "q-old", sheet("q-old"), a=wrong, b=wrong)
    land(project, "q-new", sheet("q-new", days=1), a=fine, b=fine[:1])
    found = build()["review.adjudicated"].set_index("question_id")
    # the newer sheet on q001 has one label, which takes nothing back
    assert [(bool(row["is_valid"]), row["sheet_id"]) for _, row in found.iterrows()] == [
        (True, "q-new"), (False, "q-old"), (False, "q-old"),
    ]  # fmt: skip


def test_validity_is_that_of_statsmodels_in_every_slice(project: RunsProject, build: Build) -> None:
    land(project, "q-one", sheet("q-one"), **labels.random_labels())
    tables = build()
    decided = tables["review.adjudicated"]
    kinds = set()
    for row in tables["review.validity"].to_dict("records"):
        part = decided if row["slice_kind"] == "overall" else decided[decided[row["slice_kind"]] == row["slice"]]
        known = part.dropna(subset="is_valid")
        valid = known["is_valid"].astype(bool)
        stale = (~valid & (known["error_category"] == "stale data")).sum()
        assert (row["n"], row["n_valid"], row["n_stale"]) == (len(known), valid.sum(), stale)
        assert row["n_undecided"] == len(part) - len(known) > 0
        for name, share in (("valid", valid.sum()), ("valid_but_stale", valid.sum() + stale)):
            assert row[name] == pytest.approx(share / len(known))
            expected = proportion_confint(share, len(known), method="wilson")
            assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx(expected, abs=1e-11)
        kinds.add((row["slice_kind"], row["slice"]))
    assert kinds == {
        ("overall", "all"), ("family", "multi_entity"), ("family", "deep_research"),
        *(("type", kind) for kind in labels.TYPES), *(("category", name) for name in labels.TYPES.values()),
    }  # fmt: skip


def test_validity_counts_as_the_published_table_does(project: RunsProject, build: Build) -> None:
    # DrBencher, table 3, in a third of its size: of 354 questions 86 are wrong, 30 for stale data: 76 % and 84 %
    faults = ["stale data"] * 10 + ["other"] * 19
    given = [
        label(f"Noneq{i:03}", gold="wrong", error_category=faults[i]) if i < 29 else label(f"Noneq{i:03}")
        for i in range(118)
    ]
    land(project, "q-one", sheet("q-one"), a=given, b=given)
    row = overall(build()["review.validity"])
    assert (round(row["valid"], 2), round(row["valid_but_stale"], 2)) == (0.75, 0.84)


def test_a_slice_without_a_decision_has_no_share(project: RunsProject, build: Build) -> None:
    land(project, "q-one", sheet("q-one"), a=[label("Noneq000")])
    row = overall(build()["review.validity"])
    assert (row["n"], row["n_undecided"]) == (0, 1)
    assert np.isnan(row["valid"])
    assert np.isnan(row["valid_low"])


def test_the_gate_passes_what_dbt_built_of_a_review(project: RunsProject, build: Build) -> None:
    labels.land_runs(project, {"run-1": [bool(i % 3) for i in range(120)]})
    land(project, "q-one", sheet("q-one"), **labels.random_labels())
    verdicts = [{"item": f"run-1q{i:03}", "verdict": "right" if i % 4 else "wrong"} for i in range(60)]
    land(project, "a-one", sheet("a-one", "answers"), a=verdicts, b=verdicts[5:])
    build(*RUNS, "traces", "path:models/staging/recheck", "path:models/scores")
    frames = {name: project.table(table)[list(columns)] for name, (table, columns) in scores.TABLES.items()}
    assert not any(frames[name].empty for name in ("agreement", "validity", "withdrawn", "calibration"))
    verdict = scores.check(frames, None)
    assert verdict.passed, verdict.failures


def test_the_judge_is_held_against_people(project: RunsProject, build: Build) -> None:
    dice = np.random.default_rng(7)
    judge = {run_id: [bool(v) for v in dice.random(120) < 0.6] for run_id in labels.RUNS}
    people = {run_id: [v if dice.random() < 0.85 else not v for v in given] for run_id, given in judge.items()}
    labels.land_runs(project, judge)
    word = {True: "right", False: "wrong"}
    items = [(f"{run_id}q{i:03}", people[run_id][i]) for run_id in labels.RUNS for i in range(120)]
    a = [{"item": item, "verdict": word[right]} for item, right in items]
    # b differs in every tenth, of which a third person settles every other
    b = [{"item": item, "verdict": word[right == bool(i % 10)]} for i, (item, right) in enumerate(items)]
    third = [{"item": item, "verdict": word[right]} for i, (item, right) in enumerate(items) if i % 20 == 0]
    land(project, "a-one", sheet("a-one", "answers"), a=a, b=b, third=third)
    tables = build(*RUNS)
    undecided = {item for i, (item, _) in enumerate(items) if i % 20 == 10}
    assert set(tables["review.answer_verdicts"].query("needs_third")["item"]) == undecided
    assert overall(tables["review.agreement"], field="verdict")["agreement"] == 0.9
    found = tables["scores.judge_calibration"]
    assert len(found) == 1 + 2 + 2
    for row in found.to_dict("records"):
        place = {"overall": -1, "model": 0, "setting": 1}[row["slice_kind"]]
        runs = [r for r, named in labels.RUNS.items() if place < 0 or named[place] == row["slice"]]
        # question 119 was settled without the judge
        keys = [(r, i) for r in runs for i in range(119) if f"{r}q{i:03}" not in undecided]
        ours, theirs = [judge[r][i] for r, i in keys], [people[r][i] for r, i in keys]
        assert row["n"] == len(keys)
        assert row["n_agreed"] == sum(x == y for x, y in zip(ours, theirs, strict=True))
        assert row["n_too_lenient"] == sum(x and not y for x, y in zip(ours, theirs, strict=True))
        assert (row["n_right_by_judge"], row["n_right_by_people"]) == (sum(ours), sum(theirs))
        assert row["kappa"] == pytest.approx(cohen_kappa_score(ours, theirs), abs=1e-11)
        assert row["kappa"] == pytest.approx(cohen_kappa(ours, theirs), abs=1e-11)
        assert row["alpha"] == pytest.approx(krippendorff_alpha([ours, theirs]), abs=1e-11)
