"""`diversity`: find near duplicates among the deep-research questions, then publish which of them stay."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_numbers
from dagster_defs.names import DIVERSITY_JOB, DIVERSITY_STEP, SCORE_JOB

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_NUMBERS: Numbers = {
    "threshold": (float, 0.3, "cosine dissimilarity under which two questions are near duplicates"),
    **SPENDING,
}


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "diversity",
        help="find near duplicates among the deep-research questions, then publish which stay",
        description="The embedder is the model that plays this role in models.yml.",
    )
    add_numbers(parser, _NUMBERS)
    parser.set_defaults(run=diversity)


def diversity(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Select over the whole set and within templates, then build and publish the tables."""
    config = {name: getattr(arguments, name) for name in _NUMBERS}
    execute(settings, log, [selecting(config), Work(SCORE_JOB)])
    print("See scores.survivors, runs.diversity, and is_diverse and removed_for in questions.deep_research.")


def selecting(config: dict[str, Any] | None = None) -> Work:
    """The job that lands a selection."""
    return Work(DIVERSITY_JOB, {DIVERSITY_STEP: {"config": config or {}}})
