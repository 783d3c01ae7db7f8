"""The demo as a user meets it: what it prints, and what the published file holds."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import duckdb
import pytest

from expectations.deep_research import DOMAINS
from expectations.questions import TYPES
from tests.conftest import Checkout, Outcome

pytestmark = pytest.mark.e2e

# What contracts promise to users of the published file.
TABLES = {
    "facts.entities",
    "facts.statements",
    "facts.best_values",
    "facts.value_choices",
    "topics.entity_attributes",
    "topics.catalog",
    "questions.questions",
    "questions.rejections",
    "provenance.snapshots",
    "scores.composition",
}


def query(database: Path, sql: str) -> list[tuple[object, ...]]:
    """The rows of a query on the published file."""
    with duckdb.connect(str(database), read_only=True, config={"enable_external_access": False}) as connection:
        return connection.execute(sql).fetchall()


def test_demo_prints_where_the_database_is(demo: tuple[Checkout, Outcome]) -> None:
    checkout, outcome = demo
    assert f"Published {checkout.published}" in outcome.out


def test_demo_prints_questions_by_type_and_domain(demo: tuple[Checkout, Outcome], published: Path) -> None:
    kind = "case family when 'deep_research' then category else type end"
    counted = dict(query(published, f"select {kind}, count(*) from questions.questions group by all"))
    assert set(counted) == {*TYPES, *DOMAINS}
    for kind, count in counted.items():
        assert re.search(rf"^ +{count:,}  {str(kind).replace('_', ' ')}$", demo[1].out, re.MULTILINE), kind


def test_demo_prints_rejections_by_reason(demo: tuple[Checkout, Outcome], published: Path) -> None:
    for reason, count in query(published, "select reason, count(*) from questions.rejections group by reason"):
        assert re.search(rf"^ +{count:,}  {str(reason).replace('_', ' ')}$", demo[1].out, re.MULTILINE), reason


def test_demo_prints_questions_with_their_gold(demo: tuple[Checkout, Outcome], published: Path) -> None:
    asked = re.findall(r"^  Q: (.+)\n  A: (.+?)   \(from", demo[1].out, re.MULTILINE)
    assert len(asked) == 4
    gold = dict(query(published, "select question, concat_ws(' ', gold_answer, gold_unit) from questions.questions"))
    assert all(gold[question] == answer for question, answer in asked)


def test_demo_times_every_phase(demo: tuple[Checkout, Outcome]) -> None:
    timed = re.findall(r"^  (.+?) +\d+\.\d s$", demo[1].out, re.MULTILINE)
    rooms = ["facts", "facts gate", "extractions gate", "topics", "topics gate", "questions"]
    assert sorted(timed[:8]) == sorted(["start", "ingest", *rooms])
    scored = {"scores", "documents gate", "runs gate", "scores gate", "selection gate", "elicitation gate"}
    assert set(timed[8:]) == {"questions gate", "research gate", "audit", *scored, "publish", "history", "total"}
    assert timed.index("questions gate") < timed.index("audit"), "the cheaper of the two may spare the other"


def test_published_file_has_the_promised_tables_and_no_view(published: Path) -> None:
    found = {
        f"{schema}.{name}" for schema, name in query(published, "select schema_name, table_name from duckdb_tables()")
    }
    assert found >= TABLES
    assert not any(name.startswith("staging.") for name in found)
    assert query(published, "select view_name from duckdb_views() where not internal") == []


def test_published_tables_and_columns_carry_their_descriptions(published: Path) -> None:
    bare = "select schema_name || '.' || table_name from duckdb_tables() where comment is null or comment = ''"
    assert query(published, bare) == []
    promised = ", ".join(f"'{name}'" for name in sorted(TABLES))
    columns = (
        "select schema_name || '.' || table_name || '.' || column_name from duckdb_columns()"
        f" where not internal and comment is null and schema_name || '.' || table_name in ({promised})"
    )
    assert query(published, columns) == []


def test_stored_gold_sql_runs_as_pasted(published: Path) -> None:
    asked = "select gold_sql from questions.questions order by hash(question_id) limit 40"
    for (sql,) in query(published, asked):
        with duckdb.connect(str(published), read_only=True) as shell:
            cursor = shell.execute(str(sql))
            assert [column[0] for column in cursor.description or []] == ["answer"]
            assert len(cursor.fetchall()) == 1


def test_quality_page_shows_every_gate_passed(demo: tuple[Checkout, Outcome]) -> None:
    page = (demo[0].data / "quality/index.html").read_text()
    for room in ("facts", "topics", "questions", "audit"):
        assert re.search(rf'<h2 id="{room}">{room}:\s*<span class="held">passed</span>', page), room
    assert "failed</span>" not in page
    assert "http" not in re.sub(r"https?://\S+", "", page), "the page must need no network"


def test_run_is_in_the_instance_that_dagster_dev_shows(demo: tuple[Checkout, Outcome]) -> None:
    with sqlite3.connect(demo[0].data / "dagster/history/runs.db") as runs:
        assert runs.execute("select pipeline_name, status from runs").fetchall() == [("assay", "SUCCESS")]


def test_assets_have_row_counts_and_previews(demo: tuple[Checkout, Outcome]) -> None:
    stored = []
    for file in (demo[0].data / "dagster/history/runs").glob("*.db"):
        with sqlite3.connect(file) as events:
            sql = "select asset_key, event from event_logs where dagster_event_type = 'ASSET_MATERIALIZATION'"
            stored += events.execute(sql).fetchall()
    assert len(stored) > 50
    for key, event in stored:
        assert "dagster/row_count" in event, key
        assert "preview" in event, key


def test_nothing_is_written_outside_the_data_folder(demo: tuple[Checkout, Outcome]) -> None:
    made = {path.name for path in demo[0].root.iterdir()} - {"out.txt", "err.txt", "code.txt"}
    from tests.conftest import PARTS

    assert made - {"__pycache__"} == {*PARTS, "data"}
