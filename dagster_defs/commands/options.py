"""What the commands' options have in common, so that one thing is said in one way everywhere."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Collection, Mapping

from dagster_defs.names import LEAST

# Option -> kind, default, what it says.
Numbers = Mapping[str, tuple[Callable[[str], float], float, str]]
# What every command has that asks models.
SPENDING: Numbers = {
    "dollars": (float, 0.0, "stop before more is spent; 0 for no limit"),
    "tokens": (int, 0, "stop before more tokens are spent; 0 for no limit"),
    "calls": (int, 0, "stop before more calls are made; 0 for no limit"),
    "concurrency": (int, 32, "calls in flight to one server"),
}


def add_numbers(parser: argparse.ArgumentParser, numbers: Numbers) -> None:
    """An option for each of ``numbers``, which refuses less than `LEAST` says, or than 0."""
    for name, (kind, default, text) in numbers.items():
        read = at_least(LEAST.get(name.replace("-", "_"), 0), kind)
        parser.add_argument(f"--{name}", type=read, default=default, metavar="N", help=f"{text} (default: {default})")


def add_filters(parser: argparse.ArgumentParser, *, split: str, densities: bool = False) -> None:
    """The options that say which questions; each list is one word with commas, so that nothing after it is taken in."""
    parser.add_argument("--split", choices=("train", "test", "all"), default=split, help="default: %(default)s")
    parser.add_argument("--types", type=names(), default=[], metavar="A,B", help="types of question; default: all")
    parser.add_argument("--topics", type=names(), default=[], metavar="A,B", help="topics; default: all")
    if densities:
        tiers = ("low", "medium", "high")
        text = f"density tiers, of {', '.join(tiers)}; default: all"
        parser.add_argument("--densities", type=names(tiers), default=[], metavar="A,B", help=text)


def add_variant(parser: argparse.ArgumentParser) -> None:
    """The option that takes a variant's questions in place of the published ones."""
    text = "questions of a variant that `make variant` made, such as fresh-1; default: the published ones"
    parser.add_argument("--variant", default="", metavar="NAME", help=text)


def names(known: Collection[str] = ()) -> Callable[[str], list[str]]:
    """What reads names between commas and refuses those that are not ``known``, where that says any."""

    def listed(text: str) -> list[str]:
        found = [part.strip() for part in text.split(",") if part.strip()]
        unknown = [name for name in found if known and name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"takes {', '.join(known)} (with commas between), not {unknown[0]}")
        return found

    return listed


def at_least(least: int, kind: Callable[[str], float] = int) -> Callable[[str], float]:
    """What reads a number from the command line and refuses smaller ones."""

    def number(text: str) -> float:
        found = kind(text)
        if not (found >= least and math.isfinite(found)):
            raise argparse.ArgumentTypeError(f"takes {least} or more, not {text}")
        return found

    return number
