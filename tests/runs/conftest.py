"""The made-up runs built once, for the tests that read what dbt made of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml
from filelock import FileLock

from tests.runs import world
from tests.runs.project import ROOMS, ROOT, RunsProject

RUNS = ("runs", "answers", "tables", "tuples", "verdicts", "steps", "refinements", "question_wordings", "diversity")
SCORES = (
    "by_model",
    "pairwise",
    "leaderboard",
    "outcomes",
    "judge_calibration",
    "trends",
    "failures",
    "failure_shares",
    "distinctiveness",
    "difficulty",
    "survivors",
)
REVIEW = ("agreement", "validity", "withdrawn")
Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Built:
    """The tables of both rooms by name: without a run, with the world's, and with its rows landed in another order.

    unprepared: what dbt said before the landing zone was prepared. units: what became of each unit test of both rooms.
    """

    unprepared: str
    empty: Tables
    full: Tables
    shuffled: Tables
    units: Mapping[str, str]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Every run of the world, through staging, runs and scores; built once for all workers."""
    shared = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared = shared.parent
    kept = shared / "runs.pickle"
    with FileLock(shared / "runs.lock"):
        if not kept.exists():
            # The fields and not the object: a worker may know this module, and so the class, by another name.
            kept.write_bytes(pickle.dumps(vars(_built(tmp_path_factory.mktemp("runs")))))
    return Built(**pickle.loads(kept.read_bytes()))


def _built(folder: Path) -> Built:
    project = RunsProject.create(folder)
    project.ask(world.questions(), world.research(), world.attributes())
    unprepared = project.complaint()
    project.prepare()
    states = [_build(project)]
    landed = {**world.landed(), "refinements": world.refinements(), "distinctiveness": world.distinctiveness()}
    project.land(landed)
    states.append(_build(project))
    mixed = [
        frame.sample(frac=1, random_state=1) for frame in (world.questions(), world.research(), world.attributes())
    ]
    project.ask(*mixed)
    project.land({name: frame.sample(frac=1, random_state=2) for name, frame in landed.items()})
    states.append(_build(project, "--threads", "1"))
    return Built(unprepared, *states, project.check_units())


def unit_tests() -> list[str]:
    """The names of the unit tests in the ymls of both rooms."""
    files = [file for room in ROOMS for file in sorted((ROOT / "models" / room).glob("*.yml"))]
    return [test["name"] for file in files for test in yaml.safe_load(file.read_text()).get("unit_tests", ())]


def _build(project: RunsProject, *more: str) -> Tables:
    project.build(*more)
    rooms = {"runs": RUNS, "scores": SCORES, "review": REVIEW}
    names = [f"{room}.{name}" for room, tables in rooms.items() for name in tables]
    return {name: project.table(name) for name in names}
