"""What the commands' options have in common, so that one thing is said in one way everywhere."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping

from dagster_defs.names import LEAST

# Option -> kind, default, what it says.
Numbers = Mapping[str, tuple[Callable[[str], float], float, str]]


def add_numbers(parser: argparse.ArgumentParser, numbers: Numbers) -> None:
    """An option for each of ``numbers``, which refuses less than `LEAST` says, or than 0."""
    for name, (kind, default, text) in numbers.items():
        read = at_least(LEAST.get(name.replace("-", "_"), 0), kind)
        parser.add_argument(f"--{name}", type=read, default=default, metavar="N", help=f"{text} (default: {default})")


def at_least(least: int, kind: Callable[[str], float] = int) -> Callable[[str], float]:
    """What reads a number from the command line and refuses smaller ones."""

    def number(text: str) -> float:
        found = kind(text)
        if not (found >= least and math.isfinite(found)):
            raise argparse.ArgumentTypeError(f"takes {least} or more, not {text}")
        return found

    return number
