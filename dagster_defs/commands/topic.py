"""`topic`: make a topic that a person reviews of a concept, declared or proposed by a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_numbers
from dagster_defs.names import SCORE_JOB, TOPIC_JOB, TOPIC_STEP

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_NUMBERS: Numbers = {
    "threshold": (float, 0.98, "least share of valid results"),
    "members": (int, 20, "least number of entities"),
    "iterations": (int, 8, "queries of a concept that are decided on at most"),
    "sample": (int, 2000, "results that are checked at most"),
    "seed": (int, 0, "of the sample"),
    **SPENDING,
}
_WORDS = ("concept", "field", "description", "model")


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "topic",
        help="make a topic to review of a concept, declared or proposed by a model",
        description="A concept of ingest/concepts needs no model. Any other is described, proposed by a model, looked"
        " up in live Wikidata, and refined by what its query gives. Nothing is adopted.",
    )
    parser.add_argument("concept", help="a declared concept, 'all' of them, or what a model is to propose")
    parser.add_argument("--field", default="", help="of all: the concepts of one field alone")
    parser.add_argument("--description", default="", metavar="TEXT", help="what a concept that is not declared is")
    parser.add_argument("--model", default="", metavar="M", help="who proposes; default: the role proposer")
    add_numbers(parser, _NUMBERS)
    parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
    parser.set_defaults(run=topic)


def topic(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Make topics to review, and publish how that went, where anything is published yet."""
    config = {name: getattr(arguments, name) for name in (*_WORDS, *_NUMBERS)}
    if arguments.estimate:
        from dagster_defs.assets.proposals import TopicConfig, topic_estimate

        print(f"  {topic_estimate(settings, TopicConfig(**config))}")
        return
    works = [Work(TOPIC_JOB, {TOPIC_STEP: {"config": config}})]
    if settings.published_database.exists():
        works.append(Work(SCORE_JOB))
    execute(settings, log, works)
    print(f"See {settings.proposals}, and the schema proposals once it is built.")
