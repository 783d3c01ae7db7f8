"""The command from a terminal: sheets, import, and a third verdict on what is in dispute."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import duckdb
import pytest

from dagster_defs.commands import review
from dagster_defs.errors import RunError
from dagster_defs.resources import Settings
from dagster_defs.steps.review import rows as landing
from tests.review import labels, world
from tests.review.world import FINE
from tests.runs.project import RunsProject


def run(settings: Settings, *arguments: str) -> int:
    """Run the command as a terminal would."""
    parser = argparse.ArgumentParser()
    review.add_parser(parser.add_subparsers())
    return review.run(parser.parse_args(["review", *arguments]), settings)


def written(out: str) -> list[Path]:
    """The files that the command has listed."""
    return [Path(line.strip()) for line in out.splitlines() if line.startswith("  /")]


def build(project: RunsProject, settings: Settings) -> None:
    """Build the room of reviews over what was landed, and let the database take the published one's place."""
    shutil.copytree(settings.landing / "review", project.folder / "data/landing/review", dirs_exist_ok=True)
    chosen = ("path:models/staging/review", "path:models/review", "questions")
    project.build("--indirect-selection", "cautious", "--select", *chosen)
    built = project.folder / "data/build/assay.duckdb"
    with duckdb.connect(str(built)) as connection:
        connection.execute("checkpoint")
    shutil.copy(built, settings.published_database)


@pytest.fixture
def settings(tmp_path: Path, database: Path) -> Settings:
    """Settings of a data folder with the published database in it."""
    settings = Settings(data_dir=tmp_path / "data")
    settings.data_dir.mkdir()
    shutil.copy(database, settings.published_database)
    return settings


def test_sheets_come_back_and_disputes_go_to_a_third(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(settings, "--n", "12", "--annotators", "2") == 0
    out = capsys.readouterr().out
    assert "12 questions, for 2 annotators" in out
    files = written(out)
    tables = [path for path in files if path.suffix == ".csv"]
    disputed = {row["item"] for row in world.table(tables[0])[:3]}
    wrong = FINE | {"gold": "wrong", "error_category": "other"}
    one = world.fill(tables[0], lambda *_: FINE)
    two = world.fill(tables[1], lambda _, row: wrong if row["item"] in disputed else FINE)
    assert run(settings, "--import", str(one), str(two)) == 0
    assert "12 of 12 labelled" in capsys.readouterr().out

    with pytest.raises(RunError, match="built without reviews: run `make build`"):
        run(settings, "--adjudicate")
    project = labels.create(tmp_path / "project")
    build(project, settings)
    assert run(settings, "--adjudicate") == 0
    out = capsys.readouterr().out
    assert "3 in dispute, for a third annotator" in out
    third = written(out)[0]
    assert {row["item"] for row in world.table(third)} == disputed
    text = third.read_text() + third.with_suffix(".html").read_text()
    assert "-third" in text
    assert 'value="wrong" checked' not in text
    assert all(row["gold"] == row["note"] == "" for row in world.table(third))

    assert run(settings, "--import", str(world.fill(third, lambda *_: wrong))) == 0
    with pytest.raises(RunError, match="imported after the last build: run `make build`"):
        run(settings, "--adjudicate")
    build(project, settings)
    capsys.readouterr()
    assert run(settings, "--adjudicate") == 0
    assert "Nothing is in dispute" in capsys.readouterr().out
    found = project.table("review.adjudicated")
    assert set(found[found["decided_by"] == "adjudicated"]["item"]) == disputed


def test_defaults_are_two_hundred_questions_and_two_annotators(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(settings) == 0
    out = capsys.readouterr().out
    assert "90 questions (there are no more than 90), for 2 annotators" in out
    assert len(written(out)) == 4


def test_answers_have_sheets_of_their_own(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(settings, "--answers", "--n", "10", "--seed", "3") == 0
    assert "10 answers" in capsys.readouterr().out
    (sheet,) = landing.names(settings.landing / "review", "sheets")
    assert sheet.startswith("a-")


def test_adjudication_before_any_import_is_one_sentence(settings: Settings) -> None:
    with pytest.raises(RunError, match="import the annotators' sheets first"):
        run(settings, "--adjudicate")


def test_what_does_not_go_together_is_refused(settings: Settings) -> None:
    with pytest.raises(SystemExit):
        run(settings, "--import", "a.csv", "--adjudicate")
