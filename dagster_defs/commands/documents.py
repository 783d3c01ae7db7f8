"""`pages` and `extract`: land Wikipedia's articles of the topics' entities, and have them read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_numbers, names
from dagster_defs.names import EXTRACT_JOB, EXTRACT_STEP, PAGES_JOB, PAGES_STEP, SCORE_JOB

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_PAGES: Numbers = {"n": (int, 0, "entities of a topic, those with most sitelinks first; 0 for all")}
_EXTRACT: Numbers = {
    "n": (int, 0, "entities of a topic; 0 for all"),
    "sections": (int, 0, "sections of an article, besides infobox and lead; 0 for the whole article"),
    **SPENDING,
}


def add_parser(commands: Any) -> None:
    """Add both commands to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "pages",
        help="land Wikipedia's articles of the topics' entities: text in sections, infobox fields, page views",
        description="Fifty articles at a time; a landing that is stopped goes on where it was on the same day.",
    )
    _add_topics(parser, "topics; default: all")
    add_numbers(parser, _PAGES)
    parser.add_argument("--views", action="store_true", help="ask for last year's page views, too")
    _add_estimate(parser)
    parser.set_defaults(run=pages)
    parser = commands.add_parser(
        "extract",
        help="have the extractor read the landed articles for the topics' attributes",
        description="What it reads stands in facts beside what is recorded, and is used only where nothing is.",
    )
    _add_topics(parser, "topics; default: all whose articles are landed")
    add_numbers(parser, _EXTRACT)
    _add_estimate(parser)
    parser.set_defaults(run=extract)


def pages(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Land articles, and publish them."""
    config = {name: getattr(arguments, name) for name in ("topics", "views", *_PAGES)}
    if arguments.estimate:
        from dagster_defs.assets.documents import PagesConfig, pages_estimate

        print(f"  {pages_estimate(settings, PagesConfig(**config))}")
        return
    execute(settings, log, [Work(PAGES_JOB, {PAGES_STEP: {"config": config}}), Work(SCORE_JOB)])
    print(f"Published in the schema documents of {settings.published_database}.")


def extract(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Read articles; the next build has the values in facts."""
    config = {name: getattr(arguments, name) for name in ("topics", *_EXTRACT)}
    if arguments.estimate:
        from dagster_defs.assets.documents import ExtractConfig, extract_estimate

        print(f"  {extract_estimate(settings, ExtractConfig(**config))}")
        return
    execute(settings, log, [Work(EXTRACT_JOB, {EXTRACT_STEP: {"config": config}})])
    print(f"Landed in {settings.extractions}; `make build` takes it into facts and questions.")


def _add_topics(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--topics", type=names(), default=[], metavar="A,B", help=text)


def _add_estimate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
