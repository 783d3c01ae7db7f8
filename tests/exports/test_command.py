"""The command's arguments, and what it writes and says."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import pytest

from dagster_defs.commands import export as command
from dagster_defs.resources import Settings
from tests.exports.test_export import ids, lines


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers(dest="command"))
    return parser.parse_args(["export", *arguments])


@pytest.fixture
def settings(database: Path, tmp_path: Path) -> Settings:
    """Settings of a data folder where the made-up database is published."""
    shutil.copy(database, tmp_path / "assay.duckdb")
    return Settings(data_dir=tmp_path)


def test_without_options_everything_is_exported(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(parsed("all-of-it"), settings) == 0
    folder = settings.data_dir / "exports/all-of-it"
    assert capsys.readouterr().out == f"Exported 9 train and 9 test questions to {folder}: see README.md there.\n"
    assert len(ids(folder, "train")) == len(ids(folder, "test")) == 9


def test_options_choose_the_questions(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("some", "--split", "test", "--types", "superlative, aggregation", "--topics", "moons", "--n", "3")
    assert command.run(parsed(*arguments, "--seed", "5"), settings) == 0
    assert capsys.readouterr().out.startswith("Exported 3 test questions to ")
    rows = lines(settings.data_dir / "exports/some/data/test.jsonl")
    assert sorted({row["type"] for row in rows}) == ["aggregation", "superlative"]
    other_seed = ids(settings.data_dir / "exports/some", "test")
    command.run(parsed(*arguments, "--seed", "0"), settings)
    assert ids(settings.data_dir / "exports/some", "test") != other_seed


@pytest.mark.parametrize("arguments", [(), ("x", "--split", "dev"), ("x", "--n", "-1"), ("x", "--n", "few")])
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parsed(*arguments)
    assert "usage:" in capsys.readouterr().err
