"""How many requests a server gets at once, and the one event loop that all of them run in.

Every step of a process shares these, so that two steps asking one server together stay within one bound.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import aiohttp
import httpx2
from openai import DefaultAioHttpClient

from dagster_defs.llm.line import new_session

T = TypeVar("T")

# Slots to begin with; while nothing is throttled, every success adds one, which doubles them each round trip.
_START = 8
# A burst of refusals is one message: the bound is cut once in this many seconds.
_CUT_EVERY_S = 1.0
# How long an interrupted run may take to let go of what it holds.
_END_S = 10.0


class Pool:
    """Bounded and adaptive: additive increase, multiplicative decrease (Chiu and Jain, 1989), from a slow start.

    Lives in one event loop. limit: the bound asked for. Waiting calls are let in in the order in which they came.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.width = float(min(_START, limit))
        self.in_flight = 0
        self._throttled = False
        self._cut_at = float("-inf")
        self._open_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set_limit(self, limit: int) -> None:
        """Change the bound; what is in flight stays."""
        self.limit = limit
        self.width = min(self.width, float(limit))
        self._let_in()

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One of the places, for as long as the context lasts."""
        if self._waiting or not self._free():
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self._leave()
                raise
        else:
            self.in_flight += 1
        try:
            yield
        finally:
            self._leave()

    async def opened(self) -> None:
        """Return once the server accepts requests again."""
        while (wait := self._open_at - _now()) > 0:
            await asyncio.sleep(wait)

    def pause(self, seconds: float) -> None:
        """Let nothing through for ``seconds``, as the server asked."""
        until = _now() + seconds
        if until > self._open_at:
            self._open_at = until
            asyncio.get_running_loop().call_later(seconds, self._let_in)

    def succeeded(self) -> None:
        """A request was served: widen a little."""
        if self.width < self.limit:
            self.width = min(float(self.limit), self.width + (1 / self.width if self._throttled else 1))
            self._let_in()

    def throttled(self) -> None:
        """The server asked for less: halve, once for a burst."""
        self._throttled = True
        if _now() - self._cut_at >= _CUT_EVERY_S:
            self._cut_at = _now()
            self.width = max(1.0, self.width / 2)

    def _free(self) -> bool:
        return self.in_flight < int(self.width) and self._open_at <= _now()

    def _leave(self) -> None:
        self.in_flight -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._free():
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)


class Runtime:
    """The event loop, in a thread of its own, with a pool and an HTTP client for each server."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = _new_loop()
        # Models that were found to take no schema, by server and the server's name for them.
        self.without_schema: set[tuple[str, str]] = set()
        self._pools: dict[str, Pool] = {}
        self._http: dict[str, httpx2.AsyncClient] = {}
        self._session: aiohttp.ClientSession | None = None
        self._thread = threading.Thread(target=self._serve, name="assay-llm", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start ``work`` in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` in the loop and wait; when the wait is interrupted, ``work`` is cancelled and ends first."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("The loop cannot wait for itself: await the coroutine instead.")
        ended = threading.Event()

        async def watched() -> T:
            try:
                return await work
            finally:
                ended.set()

        future = self.submit(watched())
        try:
            return future.result()
        except BaseException:
            if not future.done() and future.cancel():
                ended.wait(_END_S)
            raise

    def pool(self, base_url: str, limit: int | None = None) -> Pool:
        """The pool of a server; the latest ``limit`` holds for all who share it. Call it in the loop."""
        pool = self._pools.get(base_url)
        if pool is None:
            pool = self._pools[base_url] = Pool(limit or _START)
        elif limit is not None and limit != pool.limit:
            pool.set_limit(limit)
        return pool

    def http(self, base_url: str) -> httpx2.AsyncClient:
        """The HTTP client of a server, on aiohttp: twice the calls a second of the default. Call it in the loop."""
        if base_url not in self._http:
            self._http[base_url] = DefaultAioHttpClient()
        return self._http[base_url]

    def session(self) -> aiohttp.ClientSession:
        """What a `Line` sends over, for all servers. Call it in the loop."""
        if self._session is None:
            self._session = new_session()
        return self._session

    def close(self) -> None:
        """Close the connections and end the loop."""
        if not self._thread.is_alive() or self.process != os.getpid():
            return
        with contextlib.suppress(Exception):
            self.submit(self._close_clients()).result(timeout=5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=5)

    async def _close_clients(self) -> None:
        for client in self._http.values():
            await client.aclose()
        if self._session is not None:
            await self._session.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()


_current: Runtime | None = None
_lock = threading.Lock()


def runtime() -> Runtime:
    """The runtime of this process, made when it is first asked for; a forked child gets its own."""
    global _current
    with _lock:
        if _current is None or _current.process != os.getpid():
            _current = Runtime()
            atexit.register(_current.close)
        return _current


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop's where it is installed, else Python's own."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _now() -> float:
    return asyncio.get_running_loop().time()
