"""`recheck`: fetch the inputs of published questions again, and say which answers changed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import names
from dagster_defs.names import RECHECK_JOB, RECHECK_STEP, SCORE_JOB

if TYPE_CHECKING:
    from dagster_defs.resources import Settings


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "recheck",
        help="fetch the inputs of published questions again, list the answers that changed, publish",
        description="Asks ASSAY_ENDPOINT; without it the bundled sample, where nothing changes until it is rebuilt.",
    )
    parser.add_argument("--topics", type=names(), default=[], metavar="A,B", help="topics; default: all")
    parser.set_defaults(run=recheck)


def recheck(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Recheck, then build and publish scores.rechecks."""
    config = {"topics": arguments.topics}
    execute(settings, log, [Work(RECHECK_JOB, {RECHECK_STEP: {"config": config}}), Work(SCORE_JOB)])
    print("See scores.rechecks.")
