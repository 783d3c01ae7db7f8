"""Runs that read documents read Wikipedia's articles where they are landed, and say so."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.steps.solve.contexts import Contexts, Setting
from dagster_defs.steps.solve.plan import Run, pinned
from dagster_defs.steps.solve.questions import QuestionSet, Warehouse
from dagster_defs.steps.solve.sheets import sheets
from tests.solve import world
from tests.solve.bench import FakeEmbedder, model, run_of

PERU = "typed:countries/Peru"
ADDRESS = "https://en.wikipedia.org/wiki/Peru"
READS = (Setting.RAG, Setting.AGENT)


def land(database: Path, revision: int = 30, outcome: str = "found") -> None:
    """One article, of Peru."""
    with duckdb.connect(str(database)) as connection:
        connection.execute("create schema if not exists documents")
        connection.execute(
            "create or replace table documents.pages as select ? as entity_id, 'Peru' as title, ? as url,"
            " ? as revision_id, ? as outcome",
            [PERU, ADDRESS, revision, outcome],
        )
        connection.execute(
            "create or replace table documents.sections as select * from (values (?, 0, 1, null, 'A country.'),"
            " (?, 1, 2, 'People', '# They are many.')) as made(entity_id, ordinal, level, heading, text)",
            [PERU, PERU],
        )
        connection.execute(
            "create or replace table documents.infobox_fields as select * from (values (?, 1, 'area', '5 km²'),"
            " (?, 2, 'motto', null)) as made(entity_id, position, field, value_plain)",
            [PERU, PERU],
        )


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A small world of its own."""
    return world.write(tmp_path / "assay.duckdb")


def run(setting: Setting) -> Run:
    return run_of(model("http://127.0.0.1:1"), setting, QuestionSet(split="all"), samples=1)


def test_rag_reads_the_article_of_who_has_one_and_the_sheet_of_who_has_none(published: Path) -> None:
    land(published)
    with Warehouse(published) as warehouse:
        (question,) = [
            one for one in warehouse.choose(QuestionSet(split="all")) if "largest population" in one.question
        ]
        documents = Contexts(warehouse, Setting.RAG, estimated_tokens, FakeEmbedder()).of(question, 10**6).documents
    (peru,) = [text for text in documents if text.startswith("Peru")]
    assert set(peru.split("\n\n")) == {
        f"Peru\nWikipedia's article, revision 30 ({ADDRESS}).\nA country.",
        "Peru > Infobox\narea: 5 km²",
        "Peru > People\n # They are many.",
    }
    assert all("Fact sheet made from recorded facts" in text for text in documents if text != peru)


def test_an_agent_finds_the_article_once_by_its_address(published: Path) -> None:
    land(published)
    with Warehouse(published) as warehouse:
        made = {sheet.sheet_id: sheet for sheet in sheets(warehouse, world.SNAPSHOT)}
    assert [name for name in made if name.endswith(PERU)] == [f"wikipedia/{PERU}"]
    assert made[f"wikipedia/{PERU}"].url == ADDRESS


@pytest.mark.parametrize("setting", list(Setting))
def test_a_run_over_articles_is_another_run(published: Path, setting: Setting) -> None:
    def run_id() -> str:
        with Warehouse(published) as warehouse:
            return pinned(run(setting), warehouse).run_id

    without = run_id()
    land(published, outcome="missing")
    assert run_id() == without, "no article was found, so that nothing is read that was not before"
    land(published)
    one = run_id()
    land(published, revision=31)
    assert len({without, one, run_id()}) == (3 if setting in READS else 1)


def test_questions_of_changed_facts_are_never_answered_by_articles(published: Path) -> None:
    land(published)
    with duckdb.connect(str(published)) as connection:
        connection.execute("update questions.questions set snapshot_id = snapshot_id || '+counterfactual-1'")
    with Warehouse(published) as warehouse:
        assert warehouse.articles.of() == {}
        assert pinned(run(Setting.RAG), warehouse).articles == ""
    with duckdb.connect(str(published)) as connection:
        connection.execute(
            "update questions.questions set snapshot_id = replace(snapshot_id, 'counterfactual', 'fresh')"
        )
    with Warehouse(published) as warehouse:
        assert list(warehouse.articles.of()) == [PERU]
