"""`demo`, `build`: the main job. `home`: where Dagster keeps its own files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute

if TYPE_CHECKING:
    from dagster_defs.resources import Settings


def add_parser(commands: Any) -> None:
    """The three commands, none of which takes an option."""
    commands.add_parser("demo", help="build, and show what was minted").set_defaults(run=demo)
    commands.add_parser("build", help="ingest, dbt, gates, publish").set_defaults(run=build)
    commands.add_parser("home", help="print Dagster's home").set_defaults(run=home)


def demo(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Build, then print what was minted."""
    from dagster_defs.steps.summary import summary

    mint(settings, log)
    print(summary(settings.published_database))


def build(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Build, then print where the database is."""
    from dagster_defs.steps.summary import published

    mint(settings, log)
    print(published(settings.published_database))


def mint(settings: Settings, log: Path) -> None:
    """Execute the main job."""
    from dagster_defs.names import MAIN_JOB

    print(f"Building in {settings.data_dir} from {settings.endpoint} ...", flush=True)
    execute(settings, log, [Work(MAIN_JOB)])


def home(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Print Dagster's home, which exists by now."""
    print(settings.dagster_home)
