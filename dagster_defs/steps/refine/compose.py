"""Deep-research questions composed by a model in two phases: the clues in its words, then the text that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.steps.refine.clues import Puzzle, check_clue
from dagster_defs.steps.refine.plan import asked

# The limits on the clues of a question, and on its text.
FACTS_TOKENS, COMPOSE_TOKENS = 512, 512
Groups = tuple[tuple[str, ...], ...]


class Facts(BaseModel):
    """The clues in other words, in their order."""

    facts: list[str]


class Composition(BaseModel):
    """The whole text."""

    rewrite: str


def facts_call(spec: ModelSpec, puzzle: Puzzle, sample: int = 0) -> Call:
    """Phase 1: every clue of ``puzzle`` in other words. sample: number of the try, from 0."""
    messages = load_prompt("clue_facts").render(clues=list(puzzle.clues))
    return asked(spec, "clue_facts", messages, Facts, FACTS_TOKENS, sample)


def compose_call(spec: ModelSpec, puzzle: Puzzle, groups: Groups, sample: int = 0) -> Call:
    """Phase 2: one text that holds the clues of ``groups`` to the letter. sample: number of the try, from 0."""
    values = {"beginning": puzzle.beginning, "groups": [list(group) for group in groups], "task": puzzle.task}
    messages = load_prompt("compose").render(**values)
    return asked(spec, "compose", messages, Composition, COMPOSE_TOKENS, sample)


def worded(puzzle: Puzzle, said: Mapping[str, Any] | None) -> Groups:
    """The clues in the words of phase 1, each of which falls back to its own where these do not say the same."""
    facts = [str(fact).strip().rstrip(".") for fact in (said or {}).get("facts", ())]
    if len(facts) != len(puzzle.clues):
        return puzzle.groups
    kept = iter(
        fact if not check_clue(clue, fact, puzzle.hidden) else clue
        for clue, fact in zip(puzzle.clues, facts, strict=True)
    )
    return tuple(tuple(next(kept) for _ in group) for group in puzzle.groups)
