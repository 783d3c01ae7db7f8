"""A second build of the same snapshot: nothing landed twice, the same questions, and a reader that notices nothing."""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Checkout, Outcome

pytestmark = pytest.mark.e2e


def rows(database: Path, table: str) -> list[tuple[object, ...]]:
    """Every row of a table in its stored order."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(f"select * from {table}").fetchall()


def differing(first: list[tuple[object, ...]], second: list[tuple[object, ...]]) -> list[tuple[object, object]]:
    """The first rows that are not the same, down to the last digit, in both."""
    pairs = ((repr(one), repr(other)) for one, other in itertools.zip_longest(first, second))
    return list(itertools.islice((pair for pair in pairs if pair[0] != pair[1]), 3))


def landed(data: Path) -> dict[str, int]:
    """Every landed file with its time of writing."""
    return {str(f.relative_to(data)): f.stat().st_mtime_ns for f in sorted((data / "landing").rglob("*.parquet"))}


def test_second_build_lands_nothing_and_gives_the_same_questions(
    demo: tuple[Checkout, Outcome], tmp_path: Path
) -> None:
    again = Checkout(tmp_path / "assay")
    shutil.copytree(demo[0].root, again.root, ignore=shutil.ignore_patterns("build"))
    before = landed(again.data)
    with duckdb.connect(str(again.published), read_only=True) as analyst:
        outcome = again.run("build")
        assert outcome.code == 0, outcome.err
        assert analyst.execute("select count(*) > 0 from questions.questions").fetchall() == [(True,)]
    assert landed(again.data) == before
    assert again.published.stat().st_ino != demo[0].published.stat().st_ino
    for table in ("questions.questions", "questions.rejections", "topics.entity_attributes", "facts.best_values"):
        assert differing(rows(again.published, table), rows(demo[0].published, table)) == [], table


def test_topic_added_as_the_readme_says_mints_questions(demo: tuple[Checkout, Outcome], tmp_path: Path) -> None:
    project = Checkout(tmp_path / "assay")
    shutil.copytree(demo[0].root, project.root, ignore=shutil.ignore_patterns("target", "dagster"))
    readme = (project.root / "models/topics/README.md").read_text()
    written = []
    for path, _, body in re.findall(r"## \d+\. `(models/topics/\w+\.(yml|sql))`.*?```\w*\n(.*?)```", readme, re.DOTALL):
        (project.root / path).write_text(body)
        written.append(Path(path))
    assert sorted(path.suffix for path in written) == [".sql", ".yml"]
    topic = written[0].stem
    settings = project.root / "dbt_project.yml"
    settings.write_text(settings.read_text().replace("  topics:\n", f"  topics:\n    - {topic}\n", 1))
    outcome = project.run("build")
    assert outcome.code == 0, outcome.err
    with duckdb.connect(str(project.published), read_only=True) as connection:
        counted = connection.execute(
            "select count(*), count(distinct type) from questions.questions where topic = ?", [topic]
        ).fetchall()
    questions, types = counted[0]
    assert questions >= 100
    assert types >= 6
