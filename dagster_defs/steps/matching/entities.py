"""Whether an answer names what its question hides, whatever else it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from dagster_defs.steps.matching.names import match_name

# What can stand between two names in one text.
_BETWEEN = re.compile(r"\s*[;/\n]\s*|\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hidden:
    """An entity that a question describes without naming it: its label and other names."""

    label: str
    aliases: tuple[str, ...] = ()


def names_hidden(given: Any, hidden: Sequence[Hidden], others: Sequence[str] = ()) -> bool:
    """Whether ``given``, a name or a list of names, settles on all that is ``hidden``, in any order, and on no more.

    others: labels that it could be taken for; an answer that holds one of them beside the right name names nothing.
    Never raises on any answer. Raises ValueError where nothing is hidden.
    """
    if not hidden:
        raise ValueError("the question hides no entity")
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        return False
    if len(listed) == 1 and len(hidden) == 2:
        return any(_all_named(halves, hidden, others) for halves in _halves(listed[0]))
    return _all_named(listed, hidden, others)


def _all_named(names: Sequence[str], hidden: Sequence[Hidden], others: Sequence[str]) -> bool:
    if len(names) != len(hidden):
        return False
    return any(
        all(_is_named(name, one, others) for name, one in zip(names, order, strict=True))
        for order in permutations(hidden)
    )


def _is_named(name: str, one: Hidden, others: Sequence[str]) -> bool:
    rivals = [label for label in others if label != one.label]
    return bool(name.strip()) and match_name(name, one.label, one.aliases, rivals).correct


def _halves(text: str) -> list[tuple[str, str]]:
    """Every way of parting a text into two names, since a name may itself hold "and" or a comma."""
    return [(text[: mark.start()], text[mark.end() :]) for mark in _BETWEEN.finditer(text)]
