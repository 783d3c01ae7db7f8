"""Asks until an answer can be read, over several runs; and what that took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Outcome, Reply

# An answer that cannot be read is asked for once more in each run, up to so many times in all.
_MOST_TRIES: Final = 10
# Makes the call of a try, from 0.
Maker = Callable[[int], Call]


@dataclass
class Spent:
    """What asking took. cost_usd: None where that of one call is not known; cached: calls that the journal had."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    cached: int = 0

    def count(self, reply: Reply) -> None:
        """Add what a reply took."""
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        known = self.cost_usd is not None and reply.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (reply.cost_usd or 0.0) if known else None
        self.cached += reply.cached


def readable(reply: Reply) -> bool:
    """Whether the reply holds the whole JSON object that was asked for."""
    return reply.outcome is Outcome.ANSWERED and isinstance(reply.parsed, dict) and not reply.truncated


def ask_readable(caller: Caller, wanted: Mapping[str, Maker], label: str) -> dict[str, Reply]:
    """A reply to each of ``wanted``: a readable one where there is one.

    What another run could not read is tried again, under a number of its own; what was sent now is not.
    """
    found: dict[str, Reply] = {}
    pending = dict(wanted)
    for sample in range(_MOST_TRIES):
        if not pending:
            break
        replies = caller.ask_all([make(sample) for make in pending.values()], label=label)
        found.update(zip(pending, replies, strict=True))
        pending = {key: wanted[key] for key in pending if found[key].cached and not readable(found[key])}
    return found
