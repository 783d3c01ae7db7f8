"""`refine`: have questions rewritten, checked and confirmed, then publish what came of it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_filters, add_numbers
from dagster_defs.names import FAMILIES, REFINE_JOB, REFINE_STEP, SCORE_JOB

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_NUMBERS: Numbers = {
    "n": (int, 200, "questions, drawn evenly over the types; 0 for all"),
    "seed": (int, 0, "of the draw"),
    **SPENDING,
}


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "refine",
        help="have the refiner reword questions and the judge confirm it, then publish",
        description="The models are those that play the roles refiner and judge in models.yml; for deep research those"
        " that play extractor, composer and judge.",
    )
    parser.add_argument(
        "--family",
        default=FAMILIES[0],
        choices=FAMILIES,
        help="deep_research: the clues in a model's words, then composed (default: %(default)s)",
    )
    add_filters(parser, split="all")
    add_numbers(parser, _NUMBERS)
    parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
    parser.set_defaults(run=refine)


def refine(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Refine, then build and publish the tables; or only say what refining would take."""
    config = {name: getattr(arguments, name) for name in ("family", "split", "types", "topics", *_NUMBERS)}
    if arguments.estimate:
        from dagster_defs.assets.refinements import RefineConfig, estimated

        print(f"  {estimated(settings, RefineConfig(**config))}")
        return
    execute(settings, log, [Work(REFINE_JOB, {REFINE_STEP: {"config": config}}), Work(SCORE_JOB)])
    print('See runs.refinements and runs.question_wordings; `make solve ARGS="--wording refined"` asks the newest.')
