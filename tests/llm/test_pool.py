"""The pool: bounded, in order, narrower when told so, wider when all is well."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from dagster_defs.llm.pool import Pool, Runtime, runtime


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


async def busy(pool: Pool, count: int, after: Any = None) -> int:
    """The most that were in at once, of ``count`` that each stay a moment."""
    most = 0

    async def one() -> None:
        nonlocal most
        async with pool.slot():
            most = max(most, pool.in_flight)
            await asyncio.sleep(0.001)
            if after is not None:
                after()

    await asyncio.gather(*(one() for _ in range(count)))
    assert pool.in_flight == 0
    return most


def test_no_more_than_the_bound_are_in_at_once() -> None:
    assert run(busy(Pool(5), 40)) == 5


def test_it_starts_narrow_and_widens_to_the_bound_with_success() -> None:
    async def work() -> tuple[int, int]:
        pool = Pool(20)
        first = await busy(pool, 60)
        return first, await busy(pool, 200, pool.succeeded)

    assert run(work()) == (8, 20)


def test_it_halves_once_for_a_burst_and_recovers_slowly() -> None:
    async def work() -> tuple[float, float]:
        pool = Pool(16)
        pool.width = 16
        for _ in range(10):
            pool.throttled()
        halved = pool.width
        for _ in range(8):
            pool.succeeded()
        return halved, pool.width

    halved, later = run(work())
    assert halved == 8
    assert 8.9 < later < 9.1


def test_it_never_closes_for_good() -> None:
    async def work() -> int:
        pool = Pool(4)
        for _ in range(50):
            pool._cut_at = float("-inf")
            pool.throttled()
        assert pool.width == 1
        return await busy(pool, 5)

    assert run(work()) == 1


def test_a_pause_holds_everyone_back() -> None:
    async def work() -> float:
        pool = Pool(4)
        loop = asyncio.get_running_loop()
        began = loop.time()
        pool.pause(0.2)
        await busy(pool, 6)
        return loop.time() - began

    assert run(work()) >= 0.2


def test_whoever_gives_up_waiting_leaves_no_hole() -> None:
    async def work() -> int:
        pool = Pool(1)
        async with pool.slot():
            waiting = [asyncio.create_task(busy(pool, 1)) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            await asyncio.sleep(0)
        # Cancelled in the moment in which it was let in.
        waiting[1].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return await busy(pool, 4)

    assert run(work()) == 1


def test_a_lower_bound_holds_for_those_who_wait() -> None:
    async def work() -> int:
        pool = Pool(8)
        pool.set_limit(2)
        return await busy(pool, 20)

    assert run(work()) == 2


def test_the_runtime_is_one_for_the_process_with_one_pool_a_server() -> None:
    async def pools(own: Runtime) -> tuple[Pool, Pool, Pool]:
        return own.pool("http://a", 4), own.pool("http://a", 6), own.pool("http://b", 4)

    own = runtime()
    assert own is runtime()
    first, same, other = own.run(pools(own))
    assert first is same
    assert first is not other
    assert first.limit == 6


def test_the_loop_does_not_wait_for_itself() -> None:
    async def nested() -> None:
        runtime().run(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="cannot wait for itself"):
        runtime().run(nested())


def test_a_closed_runtime_is_closed_twice_without_harm() -> None:
    own = Runtime()
    own.close()
    own.close()
    assert own.loop.is_closed()
