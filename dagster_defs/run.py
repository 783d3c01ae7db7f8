"""`python -m dagster_defs.run COMMAND`: everything that is done from a terminal; `--help` lists the commands.

Nothing heavy is imported before it is needed: worker processes import this module too.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import sys
from pathlib import Path
from typing import NoReturn

from dagster_defs.commands import (
    build,
    distinct,
    diversity,
    documents,
    domains,
    elicit,
    export,
    recheck,
    reference,
    refine,
    review,
    solve,
    topic,
    variant,
)  # fmt: skip
from dagster_defs.errors import interrupted, sentence

# In the order in which `--help` lists them.
_COMMANDS = (
    build, domains, documents, topic, refine, diversity, solve, reference, elicit, export, variant, review, distinct,
    recheck,
)  # fmt: skip


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as everything else here does, and not below a dozen lines of usage."""

    def error(self, message: str) -> NoReturn:
        """End with code 2."""
        self.exit(2, f"assay: {message}; `{self.prog} --help` lists what there is.\n")


def main(words: list[str]) -> int:
    """Run one command; returns the exit code. Every failure is one sentence on stderr, its full trace in data/logs."""
    parser = _Parser(prog="python -m dagster_defs.run")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add_parser(commands)
    try:
        arguments = parser.parse_args(words)
    except SystemExit as stopped:
        return int(stopped.code or 0)
    log = Path("data/logs") / f"{datetime.datetime.now():%Y-%m-%dT%H-%M-%S}.log"
    folder: Path | None = None
    try:
        from dagster_defs.commands.execution import prepare_home
        from dagster_defs.resources import load_settings

        settings = load_settings()
        folder = settings.data_dir
        log = settings.logs / log.name
        prepare_home(settings)
        return int(arguments.run(arguments, settings, log) or 0)
    except BaseException as error:
        if interrupted(error):
            print("assay: stopped; the published database is as it was.", file=sys.stderr)
            return 130
        if not isinstance(error, Exception):
            raise
        print(f"assay: {sentence(error, folder)}", file=sys.stderr)
        from dagster_defs.runlog import keep_traceback

        if keep_traceback(log, error):
            print(f"       (every detail: {log})", file=sys.stderr)
        return 1


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # What is left is not looked through for garbage, which takes two seconds after a build and frees nothing that the
    # end of the process does not.
    gc.freeze()
    sys.exit(code)
