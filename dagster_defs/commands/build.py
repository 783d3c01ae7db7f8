"""`demo`, `build`, `refresh`: the main job. `home`: where Dagster keeps its own files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import at_least
from dagster_defs.names import INGEST_STEP, MAIN_JOB

if TYPE_CHECKING:
    from dagster_defs.resources import Settings


def add_parser(commands: Any) -> None:
    """The four commands."""
    commands.add_parser("demo", help="build, and show what was minted").set_defaults(run=demo)
    commands.add_parser("build", help="ingest, dbt, gates, publish").set_defaults(run=build)
    refresh_parser = commands.add_parser("refresh", help="build from a new snapshot, landing only what is too old")
    refresh_parser.add_argument(
        "--max-age-days", type=at_least(0, float), metavar="N", help="default: ASSAY_MAX_AGE_DAYS, or 30"
    )
    refresh_parser.set_defaults(run=refresh)
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


def refresh(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Build from today's snapshot, into which topics that are young enough are taken over."""
    from dagster_defs.steps.summary import published

    given = arguments.max_age_days
    mint(settings, log, settings.max_age_days if given is None else given)
    print(published(settings.published_database))
    print("See questions.answer_changes for what is answered otherwise.")


def mint(settings: Settings, log: Path, max_age_days: float = 0.0) -> None:
    """Execute the main job; topics that were landed within ``max_age_days`` are taken over."""
    print(f"Building in {settings.data_dir} from {settings.endpoint} ...", flush=True)
    execute(settings, log, [Work(MAIN_JOB, {INGEST_STEP: {"config": {"max_age_days": max_age_days}}})])


def home(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Print Dagster's home, which exists by now."""
    print(settings.dagster_home)
