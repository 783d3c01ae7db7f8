"""Whose articles are asked for: members of published topics, those that most wikis write of first."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import duckdb
import pytest

from dagster_defs.assets.documents import ExtractConfig, PagesConfig
from dagster_defs.commands import documents
from dagster_defs.errors import RunError
from dagster_defs.steps.pages import estimate, members, titled
from ingest.wikipedia.entities import Entity


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Two topics: three lakes, and one mountain that is no item of Wikidata's."""
    path = tmp_path / "assay.duckdb"
    with duckdb.connect(str(path)) as connection:
        for schema in ("topics", "facts"):
            connection.execute(f"create schema {schema}")
        connection.execute("create table topics.topic_meta as select unnest(['lakes', 'mountains']) as topic")
        connection.execute("create table topics.lakes as select unnest(['Q1', 'Q2', 'Q3']) as entity_id")
        connection.execute("create table topics.mountains as select 'typed:peak' as entity_id")
        connection.execute(
            "create table facts.entities as select * from (values ('Q1', 'Lake One', 5), ('Q2', null, null),"
            " ('Q3', 'Lake Three', 9), ('typed:peak', null, null)) as made(entity_id, wikipedia_title, sitelinks)"
        )
    return path


class Wikidata:
    """Knows one title, and what it was asked."""

    asked: tuple[str, ...] = ()

    def entities(self, entity_ids: Iterable[str]) -> Iterator[Entity]:
        self.asked += tuple(entity_ids)
        return iter([Entity("Q2", "Q2", "Lake Two", 0)])


def test_members_come_by_sitelinks_and_no_more_than_wanted(database: Path) -> None:
    assert members(database, ["lakes"], 2) == {"lakes": [("Q3", "Lake Three"), ("Q1", "Lake One")]}
    assert {topic: len(found) for topic, found in members(database, [], 0).items()} == {"lakes": 3, "mountains": 1}


def test_wikidata_is_asked_for_titles_of_its_own_items_alone(database: Path) -> None:
    service = Wikidata()
    found = members(database, [], 0)
    assert dict(titled(found["lakes"], service)) == {"Q1": "Lake One", "Q2": "Lake Two", "Q3": "Lake Three"}
    assert titled(found["mountains"], service) == [("typed:peak", None)]
    assert service.asked == ("Q2",)


def test_an_estimate_counts_what_can_be_asked_for(database: Path) -> None:
    said = estimate(members(database, [], 0), views=True)
    assert said.startswith("3 articles of 2 topics at most, in some 7 requests with page views: 2 titles are known")
    assert "1 topic at most, in some 4 requests:" in estimate(members(database, ["lakes"], 0), views=False)


def test_an_unknown_topic_and_a_missing_database_are_named(database: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"has no topic 'seas': it has lakes, mountains\."):
        members(database, ["seas"], 0)
    with pytest.raises(RunError, match=r"There is no .* to take members of topics from: run `make demo`"):
        members(tmp_path / "none.duckdb", [], 0)


@pytest.mark.parametrize(("command", "config"), [("pages", PagesConfig()), ("extract", ExtractConfig())])
def test_the_commands_have_an_option_with_the_same_default_for_every_field(
    command: str, config: PagesConfig | ExtractConfig
) -> None:
    parser = argparse.ArgumentParser()
    documents.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args([command]))
    for name in ("estimate", "run"):
        given.pop(name)
    assert given == config.model_dump()
