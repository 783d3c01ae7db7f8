"""`review`: writes sheets for annotators, imports them when filled in, and writes sheets of what they disagree on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_defs.commands.options import at_least

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

QUESTIONS, SEED, ANNOTATORS = 200, 0, 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of `python -m dagster_defs.run`."""
    parser = subparsers.add_parser(
        "review",
        help="write blinded sheets for annotators; import them (--import); settle disagreements (--adjudicate)",
        description="Without --import or --adjudicate: write a CSV and an HTML form for each annotator.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--import", dest="files", nargs="+", type=Path, metavar="FILE", help="filled sheets to take in")
    what.add_argument("--adjudicate", action="store_true", help="write sheets of what annotators disagree on")
    what.add_argument("--answers", action="store_true", help="write sheets of judged answers instead of questions")
    parser.add_argument(
        "--n", type=at_least(1), default=QUESTIONS, metavar="N", help="how many to draw (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=at_least(0), default=SEED, metavar="N", help="of the draw (default: %(default)s)"
    )
    parser.add_argument(
        "--annotators", type=at_least(1), default=ANNOTATORS, metavar="K", help="one sheet each (default: %(default)s)"
    )
    parser.set_defaults(run=lambda arguments, settings, log: run(arguments, settings))


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Do what was asked and say what came of it; returns the exit code. Raises RunError with one sentence."""
    if arguments.files:
        return _import(arguments.files, settings)
    if arguments.adjudicate:
        return _adjudicate(settings)
    from dagster_defs.steps.review.fields import ANSWERS
    from dagster_defs.steps.review.fields import QUESTIONS as OF_QUESTIONS
    from dagster_defs.steps.review.sheets import write_sheets

    kind = ANSWERS if arguments.answers else OF_QUESTIONS
    written = write_sheets(
        settings.published_database, settings.landing / "review", settings.data_dir / "review", kind, arguments.n,
        arguments.seed, arguments.annotators,
    )  # fmt: skip
    few = "" if written.items == arguments.n else f" (there are no more than {written.available})"
    print(f"Sheet {written.sheet_id}: {written.items} {kind.thing}s{few}, for {arguments.annotators} annotators.")
    _list(written.files)
    print(
        "Give each annotator one form (.html) or one table (.csv); take in what comes back with"
        ' make review IMPORT="FILE ...".'
    )
    return 0


def _import(files: list[Path], settings: Settings) -> int:
    from dagster_defs.steps.review.imports import import_sheets

    for done in import_sheets(files, settings.landing / "review"):
        print(
            f"{done.path}: {done.labelled} of {done.items} labelled (sheet {done.sheet_id}, annotator {done.annotator})"
        )
    print("Run `make build` to bring them into the tables of the schema review.")
    return 0


def _adjudicate(settings: Settings) -> int:
    from dagster_defs.steps.review.sheets import write_adjudication

    written = write_adjudication(
        settings.published_database, settings.landing / "review", settings.data_dir / "review"
    )  # fmt: skip
    if not written:
        print("Nothing is in dispute: the annotators agree, or a third verdict was given.")
    for sheet in written:
        print(f"Sheet {sheet.sheet_id}: {sheet.items} in dispute, for a third annotator.")
        _list(sheet.files)
    return 0


def _list(files: tuple[Path, ...]) -> None:
    for file in files:
        print(f"  {file}")
