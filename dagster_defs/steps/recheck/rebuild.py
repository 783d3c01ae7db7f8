"""Builds facts and topics from what was fetched again, with the project's own models, beside the warehouse."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.dbt import DbtProject, first_failure
from dagster_defs.steps.extract import rows as extract_rows
from ingest.domains import kept
from ingest.landing import Snapshot


def snapshot_of(published: Path) -> Snapshot:
    """The snapshot that the published facts are of. Raises RunError where they are of none."""
    with duckdb.connect(str(published), read_only=True) as con:
        found = con.execute("select distinct snapshot_id, as_of from provenance.snapshots where is_current").fetchall()
    if len(found) != 1:
        raise RunError(f"{published} does not say which snapshot its facts are of: build it again.")
    return Snapshot(*found[0])


def differing(published: Path, landing: Path, as_of: datetime.date) -> set[str]:
    """The topics of which other rows were landed in ``landing`` than the published facts are made of.

    Both manifests hold a hash of the rows of each topic, told apart by the same snapshot's id. Where a statement ended
    between the published day and ``as_of``, all topics count: another value may hold today. That a topic differs need
    not mean that an answer does.
    """
    with duckdb.connect(str(published), read_only=True) as con:
        files = str(landing / "wikidata" / "snapshots" / "*" / "*.parquet").replace("'", "''")
        topics = con.execute(
            f"""
            with here as (select topic, dataset, content_hash from read_parquet('{files}')),
            there as (select topic, dataset, content_hash from provenance.snapshots where is_current),
            ended as (
                select 1 from facts.statements
                where end_time >= (select cast(max(as_of) as varchar) from provenance.snapshots where is_current)
                and end_time < ? limit 1
            )
            select distinct here.topic from here left join there using (topic, dataset)
            where here.content_hash is distinct from there.content_hash or exists (from ended)
            """,
            [str(as_of)],
        ).fetchall()
    return {topic for (topic,) in topics}


def says_otherwise(before: Path, landing: Path) -> bool:
    """Whether services said other things of the same subjects in one landing zone than ``before``, in another."""
    with duckdb.connect() as con:
        for name, zone in (("here", landing), ("there", before)):
            kept.prepare(zone)
            files = str(kept.folder(zone) / "*.parquet").replace("'", "''")
            con.execute(
                f"create table {name} as select * exclude (source_url, request_hash, fetched_at, snapshot_id)"
                f" from read_parquet('{files}')"
            )
        found = con.execute(
            "select count(*) from ((from here except from there) union all (from there except from here))"
        ).fetchall()
    return found != [(0,)]


def rebuild(
    project: Path,
    published: Path,
    folder: Path,
    topics: Collection[str],
    extractions: Path,
    *,
    within: Callable[[Path], AbstractContextManager[None]],
    log: Callable[[str], None],
) -> Path:
    """Build the tables of ``topics`` from ``folder``/landing; returns the database.

    Args:
        project: the dbt project.
        published: the file that questions are asked of.
        folder: a data folder of its own; what was built there before is removed.
        topics: names of those to build.
        extractions: what a model read in articles, which stays as it was: only what is recorded is fetched again.
        within: while its context lasts, dbt's profile takes the folder for the data folder.
        log: told of each table.

    Raises RunError where dbt cannot build one of them.
    """
    database = folder / "build" / "assay.duckdb"
    database.unlink(missing_ok=True)
    database.parent.mkdir(parents=True, exist_ok=True)
    dbt = DbtProject(project, folder / "target", folder / "logs", {"ASSAY_DATA_DIR": str(folder)})
    # Each topic with all that it is built from, and no more.
    select = [f"+path:models/topics/{topic}.sql" for topic in sorted(topics)]
    kept.prepare(folder / "landing")
    read = folder / "landing" / "extractions"
    if extractions.is_dir():
        shutil.copytree(extractions, read, dirs_exist_ok=True)
    extract_rows.prepare(read)
    with within(folder):
        results = dbt.build(select, exclude=["resource_type:test"], on_result=log)
    failure = first_failure(results, folder)
    if failure:
        raise RunError(f"What was fetched again cannot be built: {failure}")
    with duckdb.connect(str(database)) as con:
        quoted = str(published).replace("'", "''")
        con.execute(f"attach '{quoted}' as old (read_only)")
        con.execute("create schema if not exists questions")
        con.execute("create table questions.critical_values as from old.questions.critical_values")
    return database
