"""`export NAME`: a question set as a folder for other tools, in `data/exports/NAME`.

Nothing heavy is imported before the command runs, so that reading the arguments of another one costs nothing.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.options import Numbers, add_filters, add_numbers, add_variant

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

NAME = "export"
_NUMBERS: Numbers = {
    "n": (int, 0, "questions, drawn evenly over the types; 0 for all"),
    "seed": (int, 0, "of the draw"),
}


def add_parser(subparsers: Any) -> None:
    """Add the command to ``subparsers``, what `ArgumentParser.add_subparsers` returned."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        NAME,
        help="write questions to data/exports/NAME for datasets, lm-evaluation-harness, inspect_ai and fine-tuning",
    )
    parser.add_argument("name", metavar="NAME", help="of the folder: letters, digits, _ and -")
    parser.add_argument("--family", default="multi_entity", help="family of the questions (default: %(default)s)")
    add_filters(parser, split="all")
    add_numbers(parser, _NUMBERS)
    add_variant(parser)
    text = "an export in data/exports: as many questions of each of its topics, templates and densities"
    parser.add_argument("--like", default="", metavar="NAME", help=text)
    parser.set_defaults(run=lambda arguments, settings, log: run(arguments, settings))


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write the export and say in a line what is in it; returns the exit code. Raises RunError."""
    from dagster_defs.steps.exports import export
    from dagster_defs.steps.solve.questions import QuestionSet
    from dagster_defs.steps.variants import path_of

    wanted = QuestionSet(
        family=arguments.family,
        split=arguments.split,
        types=tuple(arguments.types),
        topics=tuple(arguments.topics),
        n=arguments.n,
        seed=arguments.seed,
    )
    database = path_of(settings.published_database, settings.variants, arguments.variant)
    done = export(database, settings.data_dir / "exports", arguments.name, wanted, arguments.like)
    counts = " and ".join(f"{count:,} {split}" for split, count in done.questions.items())
    left_out = f" ({done.withdrawn:,} withdrawn left out)" if done.withdrawn else ""
    missing = f", {done.missing:,} fewer than {arguments.like}" if done.missing else ""
    print(f"Exported {counts} questions{left_out}{missing} to {done.folder}: see README.md there.")
    return 0
