"""Estimates, the smallest difference a run can show, and caps that are never passed."""

from __future__ import annotations

import asyncio
import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import (
    Budget,
    BudgetReached,
    Caps,
    History,
    estimate,
    estimated_tokens,
    prompt_bytes,
    smallest_difference,
    worst_case,
)
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.models import ModelSpec, Price

PRICE = Price(input=1000, output=2000, as_of=date(2026, 1, 1))
SPEC = ModelSpec("m", "m-1", "http://x/v1", 8000, 100, price=PRICE)


def call(text: str = "x" * 300, limit: int = 50) -> Call:
    return SPEC.call([{"role": "user", "content": text}], max_output_tokens=limit)


def test_an_estimate_counts_what_is_still_to_send_once() -> None:
    calls = [call(f"{n:0300}") for n in range(4)]
    found = estimate([*calls, calls[0]], {"m": SPEC}, [calls[3].key], {}, questions=1000)
    assert (found.calls, found.cached) == (4, 1)
    assert found.prompt_tokens == 3 * (100 + 8)
    assert found.completion_tokens == 3 * 50
    assert found.dollars == pytest.approx((3 * 108 * 1000 + 3 * 50 * 2000) / 1e6)
    assert found.dollars_at_most == found.dollars
    assert "3 calls to send (1 of 4 in the journal)" in found.sentence()
    assert "about $0.62, at most $0.62; a difference of 4.8% would show." in found.sentence()


def test_a_journals_own_history_is_believed_once_it_is_long_enough() -> None:
    past = {"m": History(calls=20, prompt_bytes=6000, prompt_tokens=1200, completion_tokens=200)}
    found = estimate([call()], {"m": SPEC}, [], past)
    assert found.prompt_tokens == math.ceil(300 * 0.2 * 1.1)
    assert found.completion_tokens == 11
    assert found.dollars is not None
    assert found.dollars_at_most is not None
    assert found.dollars < found.dollars_at_most
    short = {"m": History(19, 6000, 1200, 200)}
    assert estimate([call()], {"m": SPEC}, [], short).prompt_tokens == 108


def test_without_a_price_no_dollars_are_named() -> None:
    free = ModelSpec("m", "m-1", "http://x/v1", 8000, 100)
    found = estimate([call()], {"m": free}, [], {})
    assert found.dollars is None
    assert "no dollars can be named" in found.sentence()


@given(st.text())
def test_tokens_are_estimated_from_bytes_upward(text: str) -> None:
    assert prompt_bytes(call(text)) == len(text.encode())
    assert estimated_tokens(text) >= len(text.encode()) / 3
    assert estimated_tokens(call(text)) >= estimated_tokens(text)


@pytest.mark.parametrize("questions", [400, 2000])
@pytest.mark.parametrize("discordant", [0.1, 0.3, 0.5])
def test_the_smallest_difference_is_found_four_times_in_five(questions: int, discordant: float) -> None:
    difference = smallest_difference(questions, discordant=discordant)
    assert difference is not None
    random = np.random.default_rng(7)
    better, worse = (discordant + difference) / 2, (discordant - difference) / 2
    drawn = random.multinomial(questions, [better, worse, 1 - better - worse], size=4000)
    b, c = drawn[:, 0], drawn[:, 1]
    found = np.mean((b - c) ** 2 > 3.841 * (b + c))
    assert found == pytest.approx(0.8, abs=0.03)


def test_the_exact_test_agrees_on_the_order_of_size() -> None:
    difference = smallest_difference(1000)
    assert difference is not None
    b, c = round(1000 * (0.3 + difference) / 2), round(1000 * (0.3 - difference) / 2)
    assert binomtest(b, b + c).pvalue < 0.05
    assert binomtest(round((b + c) / 2 + (b - c) / 4), b + c).pvalue > 0.05


def test_more_questions_show_smaller_differences_and_few_show_none() -> None:
    shown = [smallest_difference(n) for n in (100, 1000, 10_000)]
    assert all(shown)
    assert sorted(shown, reverse=True) == shown  # type: ignore[type-var]
    assert smallest_difference(10) is None


def reply(tokens: int, dollars: float) -> Reply:
    return Reply("k", Outcome.ANSWERED, prompt_tokens=tokens, cost_usd=dollars)


def test_a_cap_in_calls_lets_exactly_so_many_through() -> None:
    async def work() -> int:
        budget = Budget(Caps(calls=3))
        for _ in range(3):
            budget.settle(await budget.reserve(call(), SPEC), reply(1, 0.0))
        with pytest.raises(BudgetReached, match=r"the cap of 3 calls is reached.*run again with a higher cap"):
            await budget.reserve(call(), SPEC)
        return budget.calls

    assert asyncio.run(work()) == 3


@pytest.mark.parametrize("caps", [Caps(dollars=5.0), Caps(tokens=3000)])
@given(shares=st.lists(st.floats(0, 1), min_size=60, max_size=60))
def test_no_cap_is_passed_and_little_is_left_over(caps: Caps, shares: list[float]) -> None:
    worst = worst_case(call(), SPEC)

    async def work() -> Budget:
        budget = Budget(caps)

        async def one(share: float) -> None:
            reserved = await budget.reserve(call(), SPEC)
            await asyncio.sleep(0)
            budget.settle(reserved, reply(int(worst.tokens * share), worst.dollars * share))

        results = await asyncio.gather(*(one(share) for share in shares), return_exceptions=True)
        assert all(result is None or isinstance(result, BudgetReached) for result in results)
        return budget

    budget = asyncio.run(work())
    if caps.dollars is not None:
        assert budget.dollars <= caps.dollars + 1e-9
        assert budget.calls == 60 or budget.dollars > caps.dollars - worst.dollars - 1e-9
    if caps.tokens is not None:
        assert budget.tokens <= caps.tokens
        assert budget.calls == 60 or budget.tokens > caps.tokens - worst.tokens


def test_a_cap_too_low_for_one_call_says_what_it_could_cost() -> None:
    with pytest.raises(BudgetReached, match=r"the next call could cost \$0\.\d+ of the cap of \$0\.01"):
        asyncio.run(Budget(Caps(dollars=0.01)).reserve(call(), SPEC))


@pytest.mark.parametrize("name", ["dollars", "tokens", "calls"])
def test_a_cap_below_zero_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(RunError, match=rf"^A cap is 0 {name} or more, not -1: leave it out for no cap\.$"):
        Caps(**{name: -1})
