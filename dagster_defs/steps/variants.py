"""Variants of what is published: other questions of the same kinds, or the same questions over changed facts.

A variant is built by the project's own models beside the warehouse, passes the gates of questions and the audit, and
becomes a database of its own: ``data/variants/<snapshot>+<variant>.duckdb``. Its questions are those that
questions.variant_questions lists.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.names import COUNTERFACTUAL, FRESH, VARIANT_KINDS
from dagster_defs.steps.dbt import DbtProject, first_failure
from dagster_defs.steps.history import VARIANT_MARK
from dagster_defs.steps.publish import publish

_NAME: Final = re.compile(rf"({'|'.join(VARIANT_KINDS)})-([1-9][0-9]{{0,5}})")
# Rooms whose gate a variant passes, beside the audit; that of topics judges what people wrote and no variant changes.
GATES: Final = ("questions", "deep_research")
# Tables of which a variant keeps its own questions alone.
_OF_QUESTIONS: Final = ("questions", "traces")


@dataclass(frozen=True)
class Place:
    """Where a variant is built and what from. folder: removed before and afterwards. models: folders of what is built.

    within: while its context lasts, dbt's profile takes a folder for the data folder.
    """

    project: Path
    landing: Path
    folder: Path
    models: Sequence[str]
    within: Callable[[Path], AbstractContextManager[None]]
    memory_limit: str = "1500MB"
    workers: int = 2


def checked(name: str) -> str:
    """``name`` where it names a variant, such as 'fresh-1'. Raises RunError where it doesn't."""
    if not _NAME.fullmatch(name):
        raise RunError(f"A variant is called {FRESH}-1, {COUNTERFACTUAL}-1 or by another number, not '{name}'.")
    return name


def path_of(published: Path, folder: Path, name: str, *, is_there: bool = True) -> Path:
    """The database of the variant ``name`` of what is ``published``; for no name what is published itself.

    Raises RunError where nothing is published, or that variant was not made (unless ``is_there`` is false).
    """
    if not name:
        return published
    if not published.exists():
        raise RunError(f"There is no {published} to make a variant of: run `make demo` or `make build` first.")
    with duckdb.connect(str(published), read_only=True) as connection:
        ((snapshot_id,),) = connection.execute("select max(snapshot_id) from questions.questions").fetchall()
    path = folder / f"{snapshot_id}{VARIANT_MARK}{checked(name)}.duckdb"
    if is_there and not path.exists():
        raise RunError(f"There is no variant {name} of {snapshot_id}: make it with `make variant NAME={name}`.")
    return path


def withdrawn(published: Path) -> list[str]:
    """The published questions that people found wrong, which no variant asks again."""
    with duckdb.connect(str(published), read_only=True) as connection:
        return [name for (name,) in connection.execute("select question_id from review.withdrawn").fetchall()]


def make(
    name: str,
    target: Path,
    tables: Collection[str],
    without: Collection[str],
    place: Place,
    log: Callable[[str], None],
) -> int:
    """Build, check and publish a variant as ``target``; returns how many questions it has.

    ``tables`` ('schema.name') are those it holds, ``without`` the questions that it leaves out. Raises RunError
    where it can't be built, a gate or the audit stops it, or no question is left; what was at ``target`` stays.
    """
    try:
        database = _built(name, place, log)
        _check(database, place.workers)
        count = _restrict(database, name, without)
        target.parent.mkdir(parents=True, exist_ok=True)
        publish(database, target, tables, place.memory_limit)
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)
    return count


def _built(name: str, place: Place, log: Callable[[str], None]) -> Path:
    """The database with every question of the variant's build."""
    shutil.rmtree(place.folder, ignore_errors=True)
    database = place.folder / "build" / "assay.duckdb"
    database.parent.mkdir(parents=True)
    (place.folder / "landing").symlink_to(place.landing.resolve(), target_is_directory=True)
    environment = {"ASSAY_DATA_DIR": str(place.folder)}
    dbt = DbtProject(place.project, place.folder / "target", place.folder / "logs", environment, {"variant": name})
    with place.within(place.folder):
        results = dbt.build([f"path:{folder}" for folder in place.models], on_result=log)
    failure = first_failure(results, place.folder)
    if failure:
        raise RunError(f"The variant {name} cannot be built: {failure}")
    return database


def _check(database: Path, workers: int) -> None:
    """Raises RunError with the first claim that does not hold, or the first gold answer."""
    from dagster_defs.steps.audit import audit
    from dagster_defs.steps.quality import judged

    for room in GATES:
        verdict = judged(database, room, None)
        if not verdict.passed:
            first = verdict.failures[0]
            raise RunError(
                f"The {room} gate stopped the variant: it does not hold that {first.claim} (seen: {first.observed})."
            )
    report = audit(database, workers=workers)
    if report.faults:
        worst = report.faults[0]
        raise RunError(f"The audit stopped the variant: {worst.question_id} ({worst.check}: {worst.detail}).")


def _restrict(database: Path, name: str, without: Collection[str]) -> int:
    """Leave the variant's own questions alone; returns their number."""
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "delete from questions.variant_questions where list_contains(?, question_id)", [sorted(without)]
        )
        own = "(select question_id from questions.variant_questions)"
        for table in _OF_QUESTIONS:
            connection.execute(f"delete from questions.{table} where question_id not in {own}")
        connection.execute(f"delete from questions.question_history where is_current and question_id not in {own}")
        ((count,),) = connection.execute("select count(*) from questions.questions").fetchall()
    if not count:
        raise RunError(
            f"The variant {name} has no question: nothing else can be drawn, or no answer changes; publish the base"
            " (`make build`) first."
        )
    return int(count)
