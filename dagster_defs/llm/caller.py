"""Asks models: journal first, then budget, pool and server, and the journal again before anything is used."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import Budget, BudgetReached, Caps, Estimate, History, estimate
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.claims import BATCH, Owner
from dagster_defs.llm.client import Client, Patience, StopRun
from dagster_defs.llm.journal import Journal
from dagster_defs.llm.models import ModelSpec, Registry, Secret
from dagster_defs.llm.pool import Runtime, runtime
from dagster_defs.llm.progress import Progress

OnReply = Callable[[Call, Reply], None]

# Calls claimed at once: few enough that two processes share the work, many enough that claims cost nothing.
_CLAIM_AT_ONCE = 128
# How often to look whether another process has answered what it had claimed.
_LOOK_EVERY_S = 0.2
_HISTORY_S = 60.0


def unrecorded(concurrency: int) -> int:
    """Calls to one server that are sent and not yet in the journal, at most: what a killed process loses.

    More than the pool lets through, ``concurrency``: some wait for the disk while others are on the wire.
    """
    return concurrency + concurrency // 2 + 1


class NotReady(RunError):
    """Calls cannot be sent as things are set: a key, a price or an address is missing, or a batch has them already."""


class Caller:
    """Asks any of the registry's models, through one journal. Close it, or use it as a context manager.

    keys: variable -> key. caps: of what this caller spends in its life; replies from the journal cost nothing.
    concurrency: requests in flight to one server, shared with every other caller of this process. stop_after: failed
    calls in a row after which a server counts as down. log: gets lines of progress. stream: a terminal gets a bar.
    Raises RunError for a concurrency below 1, with which no call would ever be sent, and what opening a journal does.
    """

    def __init__(
        self,
        registry: Registry,
        journal: Path | Journal,
        keys: Mapping[str, Secret] | None = None,
        caps: Caps | None = None,
        *,
        concurrency: int = 32,
        patience: Patience | None = None,
        stop_after: int = 50,
        log: Callable[[str], None] | None = None,
        stream: TextIO | None = None,
    ) -> None:
        if concurrency < 1:
            raise RunError(f"Calls need a concurrency of 1 or more, not {concurrency}.")
        self.registry = registry
        self.keys = dict(keys or {})
        self.caps = caps or Caps()
        self.concurrency = concurrency
        self.patience = patience or Patience()
        self.stop_after = stop_after
        self._log = log
        self._stream = stream
        self._owns_journal = isinstance(journal, Path)
        self.journal = Journal(journal) if isinstance(journal, Path) else journal
        self._clients: dict[str, Client] = {}
        self._clients_lock = threading.Lock()
        self._budget: Budget | None = None
        self._history: Mapping[str, History] = {}
        self._history_at = float("-inf")

    @property
    def budget(self) -> Budget:
        """What was spent so far, and the caps."""
        if self._budget is None:
            self._budget = Budget(self.caps)
        return self._budget

    def ask_all(self, calls: Iterable[Call], on_reply: OnReply | None = None, *, label: str = "calls") -> list[Reply]:
        """The replies to ``calls``, in their order; equal calls are asked once.

        on_reply gets each reply as soon as it is in the journal, also those that were there already, in the runtime's
        thread. Failed calls are replies too; asking again asks these alone. Raises NotReady before anything is sent,
        and after what was in flight is in the journal BudgetReached, StopRun (nothing of this kind can succeed) or
        JournalError. Everything recorded stays, so calling again goes on.
        """
        listed = list(calls)
        return runtime().run(self._ask(listed, on_reply, label))

    async def ask(self, call: Call) -> Reply:
        """The reply to one call, from any event loop; raises what `ask_all` raises."""
        return (await self.ask_many([call]))[0]

    async def ask_many(
        self, calls: Iterable[Call], on_reply: OnReply | None = None, *, label: str = "calls"
    ) -> list[Reply]:
        """`ask_all` for a coroutine, from any event loop."""
        return await asyncio.wrap_future(runtime().submit(self._ask(list(calls), on_reply, label)))

    def estimate(self, calls: Iterable[Call], *, questions: int | None = None) -> Estimate:
        """What asking ``calls`` would take, less what is recorded; ``questions``: how many the run compares on."""
        listed = list(calls)
        models = {call.model: self.registry.model(call.model) for call in listed}
        recorded = self.journal.recorded(call.key for call in listed)
        return estimate(listed, models, recorded, self.journal.history(), questions=questions)

    def close(self) -> None:
        """Close the journal, if this caller opened it."""
        if self._owns_journal:
            self.journal.close()

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_ready(self, calls: Iterable[Call]) -> None:
        """Raise NotReady when ``calls`` could not be sent, or could not be held to the cap in dollars."""
        for name in sorted({call.model for call in calls}):
            spec = self.registry.model(name)
            if spec.kind != "chat" or spec.base_url is None:
                raise NotReady(f"Model '{name}' cannot be asked: it is of kind '{spec.kind}'.")
            if not spec.enabled(self.keys):
                raise NotReady(f"Model '{name}' needs a key: set {spec.key_variable}.")
            if not _sound(self._key(spec)):
                raise NotReady(f"The value of {spec.key_variable} is no key: it holds spaces or letters no key has.")
            if self.caps.dollars is not None and spec.price is None:
                raise NotReady(
                    f"Model '{name}' has no price in models.yml, so no cap in dollars can be kept: give it one, or cap"
                    " tokens or calls."
                )

    def client(self, spec: ModelSpec, running: Runtime) -> Client:
        """The client of a model, made when it is first needed. Call it in the runtime's loop."""
        with self._clients_lock:
            if spec.name not in self._clients:
                pool = running.pool(str(spec.base_url), self.concurrency)
                self._clients[spec.name] = Client(spec, self._key(spec), running, pool, self.patience)
            return self._clients[spec.name]

    def _key(self, spec: ModelSpec) -> str | None:
        key = self.keys.get(spec.key_variable) if spec.key_variable else None
        return None if key is None else key.get_secret_value().strip()

    async def _recent_history(self) -> Mapping[str, History]:
        """The journal's history, read again only after a while: it goes through the whole journal."""
        if time.monotonic() - self._history_at > _HISTORY_S:
            self._history = await asyncio.to_thread(self.journal.history)
            self._history_at = time.monotonic()
        return self._history

    async def _ask(self, calls: Sequence[Call], on_reply: OnReply | None, label: str) -> list[Reply]:
        unique = {call.key: call for call in calls}
        progress = Progress(len(unique), label, log=self._log, stream=self._stream)
        run = _Run(self, runtime(), progress, on_reply)
        try:
            for key, reply in (await asyncio.to_thread(self.journal.get_many, unique)).items():
                run.deliver(unique[key], reply)
            todo = [call for key, call in unique.items() if key not in run.replies]
            if todo:
                self.check_ready(todo)
                run.history = await self._recent_history()
                await run.work(todo)
        finally:
            progress.finish()
        return [run.replies[call.key] for call in calls]


@dataclass
class _Run:
    """One `ask_all`: a feeder that claims calls, and workers that ask them."""

    caller: Caller
    runtime: Runtime
    progress: Progress
    on_reply: OnReply | None
    replies: dict[str, Reply] = field(default_factory=dict)
    history: Mapping[str, History] = field(default_factory=dict)
    stopped: BaseException | None = None
    failed_in_a_row: dict[str, int] = field(default_factory=dict)

    def deliver(self, call: Call, reply: Reply) -> None:
        """Hand on a reply that is in the journal."""
        self.replies[call.key] = reply
        self.progress.add(reply)
        if self.on_reply is not None:
            self.on_reply(call, reply)

    async def work(self, todo: Sequence[Call]) -> None:
        """Ask all of ``todo``; raises what stopped the run once everything in flight is recorded."""
        owner = self.caller.journal.owner()
        queue: asyncio.Queue[Call | None] = asyncio.Queue(2 * _CLAIM_AT_ONCE)
        servers = len({self.caller.registry.model(call.model).base_url for call in todo})
        count = min(len(todo), servers * unrecorded(self.caller.concurrency))
        feeder = asyncio.create_task(self._feed(todo, owner, queue, count))
        workers = [asyncio.create_task(self._serve(queue)) for _ in range(count)]
        try:
            await asyncio.gather(*workers)
            if self.stopped is None:
                await feeder
        finally:
            for task in (feeder, *workers):
                task.cancel()
            await asyncio.gather(feeder, *workers, return_exceptions=True)
            await self.caller.journal.work_async(owner.let_go())
        if self.stopped is not None:
            raise self.stopped

    async def _feed(self, todo: Sequence[Call], owner: Owner, queue: asyncio.Queue[Call | None], workers: int) -> None:
        """Claim calls block by block; then wait for what other processes have claimed, or take it over."""
        try:
            waiting: dict[str, Call] = {}
            for start in range(0, len(todo), _CLAIM_AT_ONCE):
                block = {call.key: call for call in todo[start : start + _CLAIM_AT_ONCE]}
                waiting.update(await self._claim(block, owner, queue))
            while waiting:
                await asyncio.sleep(_LOOK_EVERY_S)
                waiting = await self._claim(waiting, owner, queue)
        except Exception as error:
            self._stop(error)
        for _ in range(workers):
            await queue.put(None)

    async def _claim(
        self, calls: Mapping[str, Call], owner: Owner, queue: asyncio.Queue[Call | None]
    ) -> dict[str, Call]:
        """Queue those of ``calls`` that are now ours, deliver those that are answered; the rest is others'."""
        claimed = await self.caller.journal.work_async(owner.change(calls))
        for name in claimed.others.values():
            if name.startswith(BATCH):
                raise NotReady(f"Batch {name.removeprefix(BATCH)} has some of these calls already: collect it first.")
        answered = [key for key in calls if key not in claimed.mine and key not in claimed.others]
        for key, reply in self.caller.journal.get_many(answered).items():
            self.deliver(calls[key], reply)
        for key in calls:
            if key in claimed.mine:
                await queue.put(calls[key])
        return {key: calls[key] for key in claimed.others}

    async def _serve(self, queue: asyncio.Queue[Call | None]) -> None:
        while self.stopped is None:
            call = await queue.get()
            if call is None or self.stopped is not None:
                # Whoever waits for the queue has to be woken, too.
                if self.stopped is not None and not queue.full():
                    queue.put_nowait(None)
                return
            try:
                await self._answer(call)
            except Exception as error:
                self._stop(error)
                if not queue.full():
                    queue.put_nowait(None)

    async def _answer(self, call: Call) -> None:
        """Ask one call, record the reply, and only then hand it on."""
        caller = self.caller
        spec = caller.registry.model(call.model)
        client = caller.client(spec, self.runtime)
        reserved = await caller.budget.reserve(call, spec, self.history.get(call.model))
        reply: Reply | None = None
        try:
            async with client.pool.slot():
                # Whoever was let through before a cap was reached may spend what is reserved for it.
                if self.stopped is not None and not isinstance(self.stopped, BudgetReached):
                    return
                reply = await client.complete(call)
        finally:
            caller.budget.settle(reserved, reply)
        # A run that is cancelled now has paid: what was paid for gets recorded.
        await asyncio.shield(caller.journal.recording(call, reply))
        self.deliver(call, reply)
        self._count(spec, reply)

    def _count(self, spec: ModelSpec, reply: Reply) -> None:
        """Stop when a server fails call after call."""
        server = str(spec.base_url)
        in_a_row = self.failed_in_a_row.get(server, 0) + 1 if reply.outcome is Outcome.FAILED else 0
        self.failed_in_a_row[server] = in_a_row
        if in_a_row >= self.caller.stop_after:
            raise StopRun(f"{in_a_row} calls in a row failed, the last so: {(reply.error or '').rstrip('.')}.")

    def _stop(self, error: BaseException) -> None:
        if self.stopped is None:
            self.stopped = error


def _sound(key: str | None) -> bool:
    return key is None or (key.isascii() and key.isprintable() and " " not in key)
