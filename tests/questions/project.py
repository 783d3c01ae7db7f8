"""The questions' part of the dbt project in a folder of its own, over empty tables of what the rooms below it give."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.cli.main import dbtRunner

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("multi_entity", "deep_research", "questions", "history", "scores")
_MACROS = ("engine", "facts", "multi_entity", "deep_research", "scores", "tests", "variants")
_SEEDS = (
    "clue_phrases", "critical_values", "method_names", "names_with_article", "question_templates", "research_topics",
    "value_phrases", "wordings",
)  # fmt: skip
# Models of other rooms that those of ROOMS read; their yml files say which columns they have.
_BELOW = (
    "catalog/attribute_meta", "catalog/catalog", "catalog/entity_attributes", "catalog/filled_attributes",
    "catalog/topic_meta", "facts/best_values", "facts/entities", "provenance/snapshots",
    "staging/history/stg_history__questions",
)  # fmt: skip
_QUIET = ("--quiet", "--no-use-colors", "--log-level-file", "none", "--no-print")


@dataclass(frozen=True)
class QuestionProject:
    """A project folder with its data folder inside."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> QuestionProject:
        """Copy the rooms, macros and seeds to `folder` and put an empty model in place of each one below."""
        for room in ROOMS:
            shutil.copytree(ROOT / "models" / room, folder / "models" / room, ignore=_scores_of_runs)
        for macros in _MACROS:
            shutil.copytree(ROOT / "macros" / macros, folder / "macros" / macros)
        shutil.copy(ROOT / "macros/generate_schema_name.sql", folder / "macros")
        (folder / "seeds").mkdir()
        for seed in _SEEDS:
            shutil.copy(ROOT / f"seeds/{seed}.yml", folder / "seeds")
            # a unit test brings its own rows
            header = (ROOT / f"seeds/{seed}.csv").read_text().splitlines()[0]
            (folder / f"seeds/{seed}.csv").write_text(header + "\n")
        for below in _BELOW:
            target = folder / "models" / f"{below}.sql"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_empty_model(ROOT / "models" / f"{below}.yml"))
        shutil.copy(ROOT / "profiles.yml", folder)
        settings = (ROOT / "dbt_project.yml").read_text()
        # the guards at the start look at topics and landed files, of which there are none here
        (folder / "dbt_project.yml").write_text(re.sub(r"on-run-start:\n(  - .*\n)+", "", settings))
        (folder / "data/build").mkdir(parents=True)
        return cls(folder)

    def dbt(self, *command: str) -> Sequence[Any]:
        """Run one dbt command and return its results. Raises AssertionError when dbt can't start it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(os.environ, "ASSAY_DATA_DIR", str(self.folder / "data"))
            where = ("--project-dir", str(self.folder), "--profiles-dir", str(self.folder))
            done = dbtRunner().invoke([*_QUIET, *command, *where])
        assert done.result is not None, done.exception
        return list(done.result.results)


def unit_tests() -> list[str]:
    """Names of the unit tests of ROOMS, sorted; those of scores of runs are run in tests/runs."""
    files = [
        file
        for room in ROOMS
        for file in (ROOT / "models" / room).glob("*.yml")
        if not _scores_of_runs(str(file.parent), [file.name])
    ]
    return sorted(test["name"] for file in files for test in yaml.safe_load(file.read_text()).get("unit_tests", ()))


def _scores_of_runs(room: str, files: list[str]) -> list[str]:
    """Those of the files that read runs, which no question does; their tests are in tests/runs."""
    return [file for file in files if Path(room).name == "scores" and not file.startswith("composition.")]


def _empty_model(yml: Path) -> str:
    (model,) = yaml.safe_load(yml.read_text())["models"]
    columns = ",\n    ".join(f"cast(null as {c['data_type']}) as {c['name']}" for c in model["columns"])
    return f"select\n    {columns}\nwhere false\n"
