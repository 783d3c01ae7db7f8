"""Results and triples as CSV files: what is in the published tables, in the layout that scripts know."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.elicit.csv_text import read_triples
from dagster_defs.steps.elicit.entities import Entity, EntitySet
from dagster_defs.steps.elicit.imports import import_triples
from dagster_defs.steps.elicit.results import write_combined, write_results, write_triples
from tests.report.world import create

A, B = "m1--random--direct--aaaaaaaaaaaa", "m2--random--wikidata--bbbbbbbbbbbb"
LOW = "m1--reasoning_effort--direct--cccccccccccc"
# The tables as their models declare them, so that what is read here is what is built.
TABLES = {
    "triples": "triples",
    "results": "results",
    "combined_results": "combined_results",
    "judged": "judged_triples",
}
# evaluation, experiment, model, setting, prompt, effort, domain, precision, recall, f1
COMBINED = [
    ("e1", A, "m1", "random", "direct", None, None, 0.87, 0.83, 0.85),
    ("e1", A, "m1", "random", "direct", None, "natural", 0.9, 0.8, 0.8471),
    ("e2", B, "m2", "random", "wikidata", "medium", None, None, 0.5, None),
    ("e3", LOW, "m1", "reasoning_effort", "direct", "low", None, 0.5, 0.5, 0.5),
]
# evaluation, experiment, model, setting, prompt, direction, kind, slice, n, entailment, contradiction, neutral, error
RESULTS = [
    ("e1", A, "m1", "random", "direct", "precision", "overall", "all", 502, 320, 15, 165, 2),
    ("e1", A, "m1", "random", "direct", "recall", "overall", "all", 400, 300, 0, 100, 0),
    ("e1", A, "m1", "random", "direct", "precision", "domain", "natural", 50, 30, 10, 10, 0),
    ("e1", A, "m1", "random", "direct", "precision", "popularity", "high", 5, 3, 1, 1, 0),
    ("e2", B, "m2", "random", "wikidata", "precision", "overall", "all", 1, 0, 0, 0, 1),
    ("e3", LOW, "m1", "reasoning_effort", "direct", "precision", "overall", "all", 2, 1, 1, 0, 0),
]
COUNTED = "Model,Metric,Setting,Total #Triples,Entailment,Contradiction,Neutral"


def write(path: Path, judged: int = 3, results: list[tuple[Any, ...]] = RESULTS) -> Path:
    """A published database of three evaluations."""
    with duckdb.connect(str(path)) as connection:
        for table, declared in TABLES.items():
            create(connection, f"elicitation.{table}", declared)
        for row in COMBINED:
            connection.execute(
                "insert into elicitation.combined_results (evaluation_id, experiment_id, model, setting, prompt,"
                " reasoning_effort, domain, entailment_precision, entailment_recall, entailment_f1)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        for row in results:
            connection.execute(
                "insert into elicitation.results (evaluation_id, experiment_id, model, setting, prompt, direction,"
                " slice_kind, slice, n, n_entailment, n_contradiction, n_neutral, n_error)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        connection.execute(
            "insert into elicitation.judged (evaluation_id, experiment_id, model, setting, prompt, direction,"
            " triple_id, entity_id, title, subject, predicate, object, verdict, method)"
            " select 'e1', ?, 'm1', 'random', 'direct', 'precision', 't' || lpad(i::text,"
            " 6, '0'), 'Q937', 'Albert Einstein', 'Einstein', 'said', 'a \"word\",' || chr(10) || i, 'entailment',"
            " 'judge' from range(?) as x(i)",
            [A, judged],
        )
        connection.execute(
            "insert into elicitation.triples (triple_id, experiment_id, model, setting, prompt, entity_id, subject,"
            " predicate, object, ordinal, outcome, is_duplicate)"
            " select 't' || i, ?, 'm1', 'random', 'direct', 'Q937', 'Einstein', 'p',"
            " 'a, \"' || i || '\"', i, 'answered', false from range(25000) as x(i)",
            [A],
        )
    return path


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The small database."""
    return write(tmp_path / "assay.duckdb")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_layout_is_a_folder_for_each_model_and_setting(published: Path, tmp_path: Path) -> None:
    written = write_results(published, tmp_path / "out")
    found = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.csv"))
    names = ["results.csv", "results_by_category.csv", "results_by_popularity.csv", "results_detailed.csv"]
    folders = ["m1/random", "m1/reasoning_effort", "m2/random"]
    assert found == ["combined_results.csv", *(f"{folder}/{name}" for folder in folders for name in names)]
    assert (written.files, written.judged) == (13, 3)
    assert written.sentence() == f"{tmp_path / 'out'}: 13 files, with 3 judged triples."


def test_results_have_the_methods_columns_first_and_errors_outside_the_total(published: Path, tmp_path: Path) -> None:
    write_results(published, tmp_path)
    place = tmp_path / "m1/random"
    assert (place / "results.csv").read_text().splitlines() == [
        f"{COUNTED},Error,Prompt,Experiment,Evaluation",
        f"m1,Precision (RAG),random,500,320,15,165,2,direct,{A},e1",
        f"m1,Recall (Coverage Check),random,400,300,0,100,0,direct,{A},e1",
    ]
    assert (place / "results_by_category.csv").read_text().splitlines() == [
        f"{COUNTED},Error,Prompt,Experiment,Evaluation,Domain",
        f"m1,Precision (RAG),random,50,30,10,10,0,direct,{A},e1,natural",
    ]
    assert (place / "results_by_popularity.csv").read_text().splitlines()[1:] == [
        f"m1,Precision (RAG),random,5,3,1,1,0,direct,{A},e1,high"
    ]
    assert rows_of(tmp_path / "m2/random/results.csv")[0]["Total #Triples"] == "0"
    assert rows_of(tmp_path / "m2/random/results_by_category.csv") == []


def test_combined_results_have_overall_scores_and_domains(published: Path, tmp_path: Path) -> None:
    write_results(published, tmp_path / "out")
    lines = (tmp_path / "out/combined_results.csv").read_text().splitlines()
    assert lines == [
        "Model,Setting,Domain,Entailment_F1,Entailment_Precision,Entailment_Recall,Prompt,Reasoning effort,Experiment"
        ",Evaluation",
        f"m1,random,,0.85,0.87,0.83,direct,,{A},e1",
        f"m1,random,natural,0.8471,0.9,0.8,direct,,{A},e1",
        f"m1,reasoning_effort,,0.5,0.5,0.5,direct,low,{LOW},e3",
        f"m2,random,,,,0.5,wikidata,medium,{B},e2",
    ]
    assert write_combined(published, tmp_path / "alone.csv") == 4
    assert (tmp_path / "alone.csv").read_text().splitlines() == lines


def test_detailed_results_are_every_judged_triple(tmp_path: Path) -> None:
    write_results(write(tmp_path / "large.duckdb", judged=25_000), tmp_path)
    rows = rows_of(tmp_path / "m1/random/results_detailed.csv")
    assert len({row["Triple"] for row in rows}) == len(rows) == 25_000
    assert rows[7] == {
        "Model": "m1", "Metric": "Precision (RAG)", "Setting": "random", "Entity": "Albert Einstein",
        "Subject": "Einstein", "Predicate": "said", "Object": 'a "word",\n7', "Label": "entailment",
        "Method": "judge", "Error": "", "Entity ID": "Q937", "Triple": "t000007", "Prompt": "direct",
        "Experiment": A, "Evaluation": "e1",
    }  # fmt: skip


@pytest.mark.parametrize("longer", [False, True])
def test_triples_that_are_written_can_be_taken_in_again(published: Path, tmp_path: Path, longer: bool) -> None:
    path = tmp_path / "triples.csv"
    assert write_triples(published, A, path, longer=longer) == 25_000
    head = path.read_text().partition("\n")[0]
    assert head == "subject,predicate,object" + (
        ",entity_id,model,setting,prompt,experiment_id,ordinal" if longer else ""
    )
    assert [row.object for row in read_triples(path)] == [f'a, "{place}"' for place in range(25_000)]
    # The model wrote "Einstein", which is no title: only the longer file says who that is.
    asked = EntitySet("mine", (Entity("Q937", "Albert Einstein"),))
    wanted = {"model": "m1", "setting": "random", "prompt": "direct"}
    if longer:
        assert import_triples(path, asked, tmp_path / "landing", **wanted).triples == 25_000
    else:
        with pytest.raises(RunError, match="is about no entity of the set 'mine'"):
            import_triples(path, asked, tmp_path / "landing", **wanted)


def test_what_cannot_be_written_is_one_sentence(published: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"none\.duckdb to take results from: run `make demo`"):
        write_results(tmp_path / "none.duckdb", tmp_path)
    with pytest.raises(RunError, match=r"has no results of elicitation: judge an experiment first\."):
        write_results(write(tmp_path / "empty.duckdb", results=[]), tmp_path)
    with pytest.raises(RunError, match=r"has no triples of an experiment 'x': elicitation\.experiments lists all\."):
        write_triples(published, "x", tmp_path / "x.csv")
    bad = write(tmp_path / "bad.duckdb", results=[("e1", A, "../m", *RESULTS[0][3:])])
    with pytest.raises(RunError, match=r"No folder can be called by model '\.\./m'"):
        write_results(bad, tmp_path / "out")
    assert not (tmp_path / "m").exists()
    (tmp_path / "old.duckdb").touch()
    with duckdb.connect(str(tmp_path / "older.duckdb")) as connection:
        connection.execute("create schema questions")
    with pytest.raises(RunError, match=r"older\.duckdb cannot be read: Catalog Error"):
        write_combined(tmp_path / "older.duckdb", tmp_path / "combined.csv")
    assert not (tmp_path / "combined.csv").exists()
