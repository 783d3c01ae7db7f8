"""Publishing replaces the published file in one step or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.publish import publish, verify

TABLES = ("topics.lakes", "questions.questions")


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build database with a staging table, a leftover of a removed topic, and two tables to publish."""
    path = tmp_path / "build.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create schema staging; create schema topics; create schema questions")
        connection.execute("create table topics.lakes (entity_id varchar not null, names varchar[], area_km2 double)")
        connection.execute("insert into topics.lakes select 'l' || i, ['a', 'b'], i from range(5000) r(i)")
        connection.execute("comment on table topics.lakes is 'One row per lake.'")
        connection.execute("comment on column topics.lakes.area_km2 is 'Area in km2.'")
        connection.execute("create table questions.questions as select 'q' as question_id, '{\"a\":1}'::json as slots")
        connection.execute("create table topics.removed as select 1 as x")
        connection.execute("create table staging.stg_lakes as select * from topics.lakes")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A published file from before."""
    path = tmp_path / "data" / "assay.duckdb"
    path.parent.mkdir()
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table old as select 42 as answer")
    return path


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    """The rows of a query on a file."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_copy_has_the_tables_with_comments_and_constraints_and_nothing_else(build: Path, old: Path) -> None:
    result = publish(build, old, TABLES)
    assert result.rows == {"topics.lakes": 5000, "questions.questions": 1}
    found = rows(old, "select schema_name, table_name, comment from duckdb_tables() order by all")
    assert found == [("questions", "questions", None), ("topics", "lakes", "One row per lake.")]
    columns = "select column_name, is_nullable, comment from duckdb_columns() where table_name = 'lakes' order by 1"
    assert rows(old, columns)[1] == ("entity_id", False, None)
    assert rows(old, columns)[0] == ("area_km2", True, "Area in km2.")
    assert rows(old, "select count(*) from duckdb_schemas() where schema_name = 'staging'") == [(0,)]


def test_rows_keep_their_order(build: Path, old: Path) -> None:
    publish(build, old, TABLES)
    assert rows(old, "select entity_id from topics.lakes limit 3") == [("l0",), ("l1",), ("l2",)]


def test_analyst_reading_the_published_file_keeps_reading_it(build: Path, old: Path) -> None:
    with duckdb.connect(str(old), read_only=True) as reader:
        assert reader.execute("select answer from old").fetchall() == [(42,)]
        publish(build, old, TABLES)
        assert reader.execute("select answer from old").fetchall() == [(42,)]
    assert rows(old, "select count(*) from topics.lakes") == [(5000,)]


def test_unsaved_changes_of_another_program_stop_publishing(build: Path, old: Path) -> None:
    before = old.read_bytes()
    with duckdb.connect(str(old)) as analyst:
        analyst.execute("create table notes as select 1 as x")
        with pytest.raises(RunError, match=r"another program has unsaved changes in .*assay\.duckdb.*close it there"):
            publish(build, old, TABLES)
        assert old.read_bytes() == before
    publish(build, old, TABLES)


def test_missing_table_is_named_and_nothing_changes(build: Path, old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(RunError, match=r"lacks topics\.rivers; run `make build`"):
        publish(build, old, [*TABLES, "topics.rivers"])
    assert old.read_bytes() == before
    assert [path.name for path in old.parent.iterdir()] == ["assay.duckdb"]


def test_view_on_an_outside_file_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "rows.csv"
    outside.write_text("a\n1\n")
    path = tmp_path / "copy.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table kept as select 1 as a")
        connection.execute(f"create view leaning as select * from read_csv('{outside}')")
    with pytest.raises(RunError, match=r"view main\.leaning reads something outside the file"):
        verify(path, ["main.kept"])


def test_copy_left_by_a_killed_run_is_removed(build: Path, old: Path) -> None:
    leftover = old.parent / ".assay.duckdb.1.tmp"
    leftover.write_bytes(b"half")
    publish(build, old, TABLES)
    assert [path.name for path in old.parent.iterdir()] == ["assay.duckdb"]


def test_first_publication_needs_no_old_file(build: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.duckdb"
    publish(build, fresh, TABLES)
    assert rows(fresh, "select count(*) from questions.questions") == [(1,)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on which files of over 256 KB cannot be written: what a process meets on a full disk."""
    import resource
    import signal

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    folder = tmp_path / "small"
    folder.mkdir()
    yield folder
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


def test_disk_that_fills_up_while_publishing_leaves_the_old_file(build: Path, small_disk: Path) -> None:
    import resource

    published = small_disk / "assay.duckdb"
    publish(build, published, TABLES)
    before = published.read_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    with pytest.raises(RunError, match=r"assay\.duckdb stays as it was\. Cannot write"):
        publish(build, published, TABLES)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.getrlimit(resource.RLIMIT_FSIZE)[1],) * 2)
    assert published.read_bytes() == before
    assert [path.name for path in small_disk.iterdir()] == ["assay.duckdb"]
