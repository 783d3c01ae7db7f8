"""`variant`: draw the published questions anew, or ask them over changed facts, as a database of its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.names import VARIANT_JOB, VARIANT_STEP

if TYPE_CHECKING:
    from dagster_defs.resources import Settings


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "variant",
        help="draw questions anew (fresh-N), or change the facts they are asked over (counterfactual-N)",
        description="The variant is a database in data/variants; solve and export take it by --variant.",
    )
    parser.add_argument("name", help="fresh-1, counterfactual-1, or another number of either")
    parser.set_defaults(run=variant)


def variant(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Make the variant, and say where it is."""
    from dagster_defs.steps.variants import path_of

    target = path_of(settings.published_database, settings.variants, arguments.name, is_there=False)
    execute(settings, log, [Work(VARIANT_JOB, {VARIANT_STEP: {"config": {"name": arguments.name}}})])
    print(f'See {target}; ask it with `make solve ARGS="--variant {arguments.name}"`.')
