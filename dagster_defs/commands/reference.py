"""`entities`: make an entity set. `reference`: read what is written of one, and have triples extracted from it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_numbers
from dagster_defs.names import DRAW_JOB, DRAW_STEP, REFERENCE_JOB, REFERENCE_STEP, SCORE_JOB

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_DRAW: Numbers = {"n": (int, 1000, "entities to draw, or made-up names to search for")}
_READING: Numbers = {
    "n": (int, 0, "the first so many entities of the set; 0 for all"),
    "web-results": (int, 20, "web results of an entity, where BRAVE_API_KEY is set; 0 for none"),
    **SPENDING,
}


def add_parser(commands: Any) -> None:
    """The two commands."""
    entities_parser = commands.add_parser("entities", help="make an entity set: drawn live, or from a list of titles")
    entities_parser.add_argument(
        "set_name", help="random, popularity, non_existing (its names are searched for) or any"
    )
    entities_parser.add_argument("--list", dest="list_file", default="", metavar="FILE", help="a JSON list of titles")
    entities_parser.add_argument("--views", action="store_true", help="look up page views, too")
    add_numbers(entities_parser, _DRAW)
    entities_parser.set_defaults(run=entities)
    reference_parser = commands.add_parser("reference", help="read articles and web results about an entity set")
    reference_parser.add_argument("set_name", help="an entity set")
    reference_parser.add_argument("--read", default="", metavar="FILE", help="take in a GT.json.gz, read nothing")
    reference_parser.add_argument("--write", default="", metavar="FILE", help="write the set's reference there")
    add_numbers(reference_parser, _READING)
    reference_parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
    reference_parser.set_defaults(run=reference)


def entities(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Draw or take in a set, and publish it."""
    config = {name: getattr(arguments, name) for name in ("set_name", "n", "list_file", "views")}
    execute(settings, log, [Work(DRAW_JOB, {DRAW_STEP: {"config": config}}), Work(SCORE_JOB)])
    print("See elicitation.entities.")


def reference(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Read texts or a file, and publish; or write the reference to a file; or only say what reading would take."""
    if arguments.write:
        from dagster_defs.steps.reference.gt_json import write

        titles = write(Path(arguments.write), settings.published_database, arguments.set_name)
        print(f"Wrote what is known of {titles:,} entities to {arguments.write}.")
        return
    numbers = [name.replace("-", "_") for name in _READING]
    config = {name: getattr(arguments, name) for name in ("set_name", "read", *numbers)}
    if arguments.estimate:
        from dagster_defs.assets.reference import ReferenceConfig, reference_estimate

        print(f"  {reference_estimate(settings, ReferenceConfig(**config))}")
        return
    execute(settings, log, [Work(REFERENCE_JOB, {REFERENCE_STEP: {"config": config}}), Work(SCORE_JOB)])
    print("See elicitation.sources, passages and reference_triples.")
