"""The walk through a new topic in models/topics/README.md, done as it is written, on the bundled sample."""

from __future__ import annotations

import re

import pytest

from ingest.topics import load_topic_sources
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.land import land, sample_snapshot
from tests.dbt.project import ROOT, Project

NAME = "dependent_territories"


def walk() -> tuple[str, str]:
    """The SQL and the yml that the README gives under the headings that name their files."""
    text = (ROOT / "models/topics/README.md").read_text()
    blocks = {
        suffix: re.search(
            rf"^## .*`models/topics/{NAME}\.{suffix}`.*?^```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
        )
        for suffix in ("sql", "yml")
    }
    sql, yml = blocks["sql"], blocks["yml"]
    assert sql is not None
    assert yml is not None
    return sql.group(1), yml.group(1)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project.create(tmp_path_factory.mktemp("walk"), {NAME: walk()})
    topics = load_topic_sources(project.folder / "models", [NAME])
    land(topics, EmbeddedEndpoint.from_sample(), project.data_dir / "landing", sample_snapshot())
    outcome = project.dbt("build", "--exclude-resource-type", "unit_test")
    assert outcome.success, outcome.messages
    return project


def test_the_walk_gives_a_topic_with_values_everywhere(project: Project) -> None:
    [(entities,)] = project.rows(f"select count(*) from topics.{NAME}")
    assert entities >= 30
    thin = project.rows("select attribute, coverage from topics.catalog where coverage < 0.5")
    assert thin == []


def test_a_volatile_value_of_the_walk_has_its_date(project: Project) -> None:
    rows = project.rows(f"select count(population), count(population_as_of) from topics.{NAME}")
    assert rows[0][0] == rows[0][1] > 0


def test_the_readme_names_every_key_of_the_meta() -> None:
    text = (ROOT / "models/topics/README.md").read_text()
    guard = (ROOT / "macros/guards/check_attribute.sql").read_text()
    keys = re.search(r"check_keys\(meta, \[(.*?)\]", guard, re.DOTALL)
    assert keys is not None
    assert [
        key for key in re.findall(r"'(\w+)'", keys.group(1)) if f"`{key}`" not in text and f"`{key}:" not in text
    ] == []
