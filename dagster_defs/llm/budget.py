"""What a run will cost, what it could show, and caps that it does not pass."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from dagster_defs.errors import RunError
from dagster_defs.llm.calls import Call, Reply
from dagster_defs.llm.models import ModelSpec

# Tokenizers give 4 to 5 bytes of English a token, 2.5 to 3.5 of tables, digits and other scripts: this is on the safe
# side for prompts made of sentences and values. Chat formats add a few tokens to each message.
BYTES_PER_TOKEN = 3.0
TOKENS_PER_MESSAGE = 8
# A journal's own ratio is believed from this many answers on, and raised by this factor.
ENOUGH = 20
MARGIN = 1.1
# Words of a format retry around the first answer.
_RETRY_TOKENS = 150


class BudgetReached(RunError):
    """A cap was reached; what was paid for is in the journal, and a run with a higher cap goes on from there."""


@dataclass(frozen=True)
class Caps:
    """At most so many US dollars, tokens (read and written together) and calls; None for no cap.

    Raises RunError for a cap below 0.
    """

    dollars: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        for name, cap in vars(self).items():
            if cap is not None and not cap >= 0:
                raise RunError(f"A cap is 0 {name} or more, not {cap}: leave it out for no cap.")


@dataclass(frozen=True)
class History:
    """What a model's recorded calls came to: their number, bytes of prompts, and tokens read and written."""

    calls: int
    prompt_bytes: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Estimate:
    """What asking would take. calls: all, of which ``cached`` are in the journal already; duplicates count once.

    Tokens and dollars are of the calls still to be sent: expected, and (dollars_at_most) if every answer ran to its
    limit. Dollars are None where a model has no price. smallest_difference: of accuracies, see the function.
    """

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    dollars_at_most: float | None
    smallest_difference: float | None

    def sentence(self) -> str:
        """The estimate in words."""
        shown = self.smallest_difference
        detects = "too few to tell two models apart" if shown is None else f"a difference of {shown:.1%} would show"
        return f"{self.taking()}; {detects}."

    def taking(self) -> str:
        """What the calls take, in words without a full stop."""
        if self.dollars is None or self.dollars_at_most is None:
            cost = "no dollars can be named, as a model has no price"
        else:
            cost = f"about ${self.dollars:,.2f}, at most ${self.dollars_at_most:,.2f}"
        return (
            f"{self.calls - self.cached:,} calls to send ({self.cached:,} of {self.calls:,} in the journal),"
            f" about {self.prompt_tokens:,} tokens to read and {self.completion_tokens:,} to write, {cost}"
        )


def prompt_bytes(call: Call) -> int:
    """Bytes (UTF-8) of a call's messages, tools that were called included."""
    texts = (text for message in call.messages for text in (message["content"], str(message.get("tool_calls", ""))))
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def estimated_tokens(what: Call | str, history: History | None = None) -> int:
    """Tokens of a call's prompt, or of a text: estimated upward from bytes, by the model's own history where it is
    long enough."""
    if isinstance(what, str):
        return ceil(len(what.encode("utf-8", "replace")) / BYTES_PER_TOKEN)
    if history is not None and history.calls >= ENOUGH and history.prompt_bytes > 0:
        return ceil(prompt_bytes(what) * history.prompt_tokens / history.prompt_bytes * MARGIN)
    offered = what.schema if what.schema is not None else what.parameters.get("tools")
    schema = 0 if offered is None else len(str(offered))
    return ceil((prompt_bytes(what) + schema) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE * len(what.messages)


def answer_limit(call: Call, spec: ModelSpec) -> int:
    """Tokens that the answer to ``call`` can have."""
    limit = call.parameters.get("max_completion_tokens", call.parameters.get("max_tokens"))
    return int(limit) if isinstance(limit, int) else spec.max_output_tokens


def estimate(
    calls: Iterable[Call],
    models: Mapping[str, ModelSpec],
    recorded: Iterable[str],
    history: Mapping[str, History],
    *,
    questions: int | None = None,
) -> Estimate:
    """What ``calls`` will take. recorded: keys in the journal. history: by model. questions: how many the run asks."""
    unique = {call.key: call for call in calls}
    known = unique.keys() & set(recorded)
    read = written = 0
    dollars = most = 0.0
    priced = True
    for key, call in unique.items():
        if key in known:
            continue
        spec, past = models[call.model], history.get(call.model)
        prompt, limit = estimated_tokens(call, past), answer_limit(call, spec)
        answer = limit
        if past is not None and past.calls >= ENOUGH:
            answer = min(limit, ceil(past.completion_tokens / past.calls * MARGIN))
        read, written = read + prompt, written + answer
        if spec.price is None:
            priced = False
        else:
            dollars += spec.price.dollars(prompt, answer)
            most += spec.price.dollars(prompt, limit)
    shown = smallest_difference(questions) if questions else None
    return Estimate(
        len(unique), len(known), read, written, dollars if priced else None, most if priced else None, shown
    )


def smallest_difference(
    questions: int, *, discordant: float = 0.3, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Smallest difference between two accuracies on the same questions that McNemar's test finds with ``power``.

    Solves n = (z_{1-alpha/2} sqrt(d) + z_{power} sqrt(d - x^2))^2 / x^2 for x (Connor, Biometrics 43, 1987, formula 3;
    after Miettinen, 1968), where d is the share of questions that one model gets right and the other wrong: 0.3 is
    usual between models of different strength. None when even x = d is not found with so few questions.
    """
    z_alpha, z_power = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
    root = questions - z_alpha**2 + z_power**2
    if root < 0:
        return None
    found = sqrt(discordant) * (z_alpha * sqrt(questions) + z_power * sqrt(root)) / (questions + z_power**2)
    return found if found <= discordant else None


@dataclass(frozen=True)
class Reservation:
    """The most that a call in flight can take."""

    tokens: int
    dollars: float


class Budget:
    """Counts what a run spends, and lets a call through only where its worst case stays within the caps.

    Where the worst case does not fit while others are in flight, the call waits for what they really take. Lives in
    one event loop.
    """

    def __init__(self, caps: Caps) -> None:
        self.caps = caps
        self.calls = 0
        self.tokens = 0
        self.dollars = 0.0
        self._in_flight = 0
        self._held_tokens = 0
        self._held_dollars = 0.0
        # Without such a cap nobody asks what a call could take at worst.
        self._counts_worst = caps.tokens is not None or caps.dollars is not None
        self._settled = asyncio.Event()

    async def reserve(self, call: Call, spec: ModelSpec, history: History | None = None) -> Reservation:
        """Room for one call; raises BudgetReached when none is left, with nothing in flight to wait for."""
        wanted = worst_case(call, spec, history) if self._counts_worst else Reservation(0, 0.0)
        while True:
            if self.caps.calls is not None and self.calls >= self.caps.calls:
                raise BudgetReached(self._sentence(f"the cap of {self.caps.calls:,} calls is reached"))
            short = self._short(wanted)
            if short is None:
                break
            if not self._in_flight:
                raise BudgetReached(self._sentence(short))
            self._settled.clear()
            await self._settled.wait()
        self.calls += 1
        self._in_flight += 1
        self._held_tokens += wanted.tokens
        self._held_dollars += wanted.dollars
        return wanted

    def settle(self, reserved: Reservation, reply: Reply | None) -> None:
        """Replace what was reserved by what the call took; None for a call that came to nothing."""
        self._in_flight -= 1
        self._held_tokens -= reserved.tokens
        self._held_dollars -= reserved.dollars
        if not self._in_flight:
            self._held_dollars = 0.0
        if reply is None:
            self.calls -= 1
        else:
            self.tokens += reply.prompt_tokens + reply.completion_tokens
            self.dollars += reply.cost_usd or 0.0
        self._settled.set()

    def add(self, reply: Reply) -> None:
        """Count a reply that came by another route."""
        self.calls += 1
        self.tokens += reply.prompt_tokens + reply.completion_tokens
        self.dollars += reply.cost_usd or 0.0

    def check(self, calls: int, tokens: int, dollars: float) -> None:
        """Raise BudgetReached when so much more could pass a cap."""
        if self.caps.calls is not None and self.calls + calls > self.caps.calls:
            raise BudgetReached(self._sentence(f"{calls:,} calls more would pass the cap of {self.caps.calls:,}"))
        short = self._short(Reservation(tokens, dollars))
        if short is not None:
            raise BudgetReached(self._sentence(short.replace("the next call", "the next calls together")))

    def _short(self, wanted: Reservation) -> str | None:
        """Which cap ``wanted`` would pass, in words."""
        tokens, dollars = self.caps.tokens, self.caps.dollars
        if tokens is not None and self.tokens + self._held_tokens + wanted.tokens > tokens:
            return f"the next call could take {wanted.tokens:,} tokens of the cap of {tokens:,}"
        if dollars is not None and self.dollars + self._held_dollars + wanted.dollars > dollars + 1e-12:
            return f"the next call could cost ${wanted.dollars:.4f} of the cap of ${dollars:,.2f}"
        return None

    def _sentence(self, why: str) -> str:
        return (
            f"The run stopped at its budget: {why}, and {self.calls:,} calls took {self.tokens:,} tokens and"
            f" ${self.dollars:,.4f}; all of them are in the journal, so run again with a higher cap to go on."
        )


def worst_case(call: Call, spec: ModelSpec, history: History | None = None) -> Reservation:
    """What a call takes when its answer and a format retry's run to their limits."""
    prompt, limit = estimated_tokens(call, history), answer_limit(call, spec)
    read, written = 2 * prompt + limit + _RETRY_TOKENS, 2 * limit
    dollars = 0.0 if spec.price is None else spec.price.dollars(read, written)
    return Reservation(read + written, dollars)
