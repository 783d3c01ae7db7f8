"""What the terminal says of runs: each with its interval, and the chance levels of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.steps.summary import leaderboard
from tests.report.world import create, insert

RUN = {
    "rank": 1, "run_id": "m--oracle--0", "model": "m", "setting": "oracle", "split": "test", "n_questions": 40,
    "samples": 1, "accuracy": 0.25, "ci_low": 0.1, "ci_high": 0.4, "n_unscored": 0,
}  # fmt: skip


def said_of(folder: Path, *runs: dict[str, Any]) -> str:
    database = folder / "assay.duckdb"
    with duckdb.connect(str(database)) as connection:
        create(connection, "scores.leaderboard")
        insert(connection, "scores.leaderboard", [RUN | run for run in runs])
    return leaderboard(database, folder / "index.html")


@pytest.mark.parametrize(
    ("chances", "line"),
    [
        ([0.125, 0.125], "Guessing would be right 12.5% of the time."),
        ([0.2, 0.05, 0.1], "Guessing would be right 5.0% to 20.0%, by run, of the time."),
        ([None, 0.3], "Guessing would be right 30.0% of the time."),
    ],
)
def test_every_run_has_its_own_chance_level(tmp_path: Path, chances: list[float | None], line: str) -> None:
    runs = [{"run_id": f"m--oracle--{n}", "rank": n + 1, "chance": chance} for n, chance in enumerate(chances)]
    text = said_of(tmp_path, *runs)
    assert line in text.splitlines()
    assert text.count("25.0% (10.0% to 40.0%)") == len(runs)


def test_without_a_chance_level_nothing_is_said_of_it(tmp_path: Path) -> None:
    assert "Guessing" not in said_of(tmp_path, {"chance": None})


def test_a_run_over_both_splits_says_so(tmp_path: Path) -> None:
    assert "oracle       all" in said_of(tmp_path, {"split": None})
