"""`domains`: ask the domains' services about the entities of their topics, and land what they say."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import Numbers, add_numbers, names
from dagster_defs.names import DOMAINS_JOB, DOMAINS_STEP

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_NUMBERS: Numbers = {"n": (int, 20, "entities of a topic, drawn by a hash of their ids; 0 for all")}


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "domains",
        help="discover the entities of domains' topics, ask PubChem, UniProt, EDGAR, NVD ... about them, land it",
        description="ASSAY_ENDPOINT says who knows the entities; the services want ASSAY_CONTACT.",
    )
    text = "topics or domains of seeds/domain_topics.csv; default: all"
    parser.add_argument("--topics", type=names(), default=[], metavar="A,B", help=text)
    add_numbers(parser, _NUMBERS)
    parser.set_defaults(run=domains)


def domains(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Discover, ask and land; facts hold it after the next build."""
    config = {"topics": arguments.topics, "n": arguments.n}
    execute(settings, log, [Work(DOMAINS_JOB, {DOMAINS_STEP: {"config": config}})])
    print("Landed in data/landing; `make build` takes it into facts.statements.")
