"""The Batch API: a second, cheaper route for the same calls, answered within a day.

Submitting, looking and collecting are three steps, each of which can be repeated after a crash: what was submitted is
in the journal with its calls, claimed so that no other route pays for it, and a batch whose number was lost is found
again by the mark it carries.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
import uuid
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

import msgspec
import openai

from dagster_defs.llm.budget import answer_limit, estimated_tokens
from dagster_defs.llm.caller import Caller, NotReady, OnReply
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.claims import BATCH, Claimed
from dagster_defs.llm.client import UNREACHABLE, Attempted, Client, StopRun
from dagster_defs.llm.pool import runtime
from dagster_defs.llm.wire import Completion, Kind, Problem, decoded, read_completion, read_error

T = TypeVar("T")

# OpenAI's limits on one batch.
MAX_REQUESTS = 50_000
MAX_BYTES = 200_000_000
ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_WINDOW: Literal["24h"] = "24h"
# A batch ends within its window; claims outlast it, so that a late look still finds them.
_LEASE_S = 48 * 3600.0
_MARK = "assay_chunk"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_ROUNDS = 3
_CALLS = msgspec.json.Decoder(list[Call])


@dataclass
class Collected:
    """What collecting came to: replies recorded by outcome, calls that failed, lines that belong to no call."""

    recorded: int = 0
    failed: int = 0
    strangers: int = 0
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Chunk:
    """One batch as the journal knows it. status: planned, uploaded, submitted, then how it ended."""

    name: str
    model: str
    status: str
    input_file_id: str | None
    batch_id: str | None
    calls: tuple[Call, ...]


def read_line(line: str | bytes) -> tuple[str | None, Completion | Problem]:
    """The custom_id and the outcome in a line of an output or error file. Never raises; None for an unreadable id."""
    body = decoded(line.encode("utf-8", "replace") if isinstance(line, str) else line)
    if not isinstance(body, dict) or not isinstance(body.get("custom_id"), str):
        return None, Problem(Kind.RETRY, "a line that is no result")
    response = body.get("response")
    if isinstance(response, dict):
        status = response.get("status_code")
        if isinstance(status, int) and status >= 400:
            return body["custom_id"], read_error(status, {}, response.get("body"))
        return body["custom_id"], read_completion(response.get("body"))
    error = body.get("error")
    found = read_error(500, {}, {"error": error} if error else None)
    return body["custom_id"], Problem(Kind.RETRY, found.said)


def chunks(
    lines: Iterable[tuple[Call, bytes]], max_requests: int, max_bytes: int
) -> Iterator[list[tuple[Call, bytes]]]:
    """``lines`` in pieces within both limits, a line feed counted for each."""
    held: list[tuple[Call, bytes]] = []
    size = 0
    for call, line in lines:
        if held and (len(held) >= max_requests or size + len(line) + 1 > max_bytes):
            yield held
            held, size = [], 0
        held.append((call, line))
        size += len(line) + 1
    if held:
        yield held


class BatchRoute:
    """Asks through batches what ``caller`` would ask directly: same journal, keys, caps and replies.

    poll_s: seconds between looks. Raises what the caller raises; nothing that was submitted is lost by that.
    """

    def __init__(
        self, caller: Caller, *, poll_s: float = 60.0, max_requests: int = MAX_REQUESTS, max_bytes: int = MAX_BYTES
    ) -> None:
        self.caller = caller
        self.poll_s = poll_s
        self.max_requests = max_requests
        self.max_bytes = max_bytes

    def run(self, calls: Iterable[Call], on_reply: OnReply | None = None) -> list[Reply]:
        """The replies to ``calls``, in their order: submit, look until all have ended, collect; what failed or expired
        goes into another batch, twice at most."""
        return runtime().run(self._run(list(calls), on_reply))

    def submit(self, calls: Iterable[Call]) -> list[str]:
        """Submit what is neither recorded nor submitted yet; gives the batches' ids.

        Raises BudgetReached before anything is sent when all answers together could pass a cap.
        """
        return runtime().run(self._submit(list(calls)))

    def poll(self) -> dict[str, str]:
        """The status of every batch that is not collected yet, by its id."""
        return runtime().run(self._poll())

    def collect(self, on_reply: OnReply | None = None) -> Collected:
        """Record the answers of every batch that has ended. What has no answer is noted as failed, and free again."""
        return runtime().run(self._collect(on_reply))

    def open_chunks(self) -> list[Chunk]:
        """Batches that are not collected yet."""
        rows = self.caller.journal.read(
            "select chunk, model, status, input_file_id, batch_id, calls from batches"
            " where status in ('planned', 'uploaded', 'submitted') order by created_at, chunk",
            (),
        )
        return [
            Chunk(name, model, status, file_id, batch_id, tuple(_CALLS.decode(zlib.decompress(held))))
            for name, model, status, file_id, batch_id, held in rows
        ]

    async def _run(self, calls: Sequence[Call], on_reply: OnReply | None) -> list[Reply]:
        unique = {call.key: call for call in calls}
        errors: dict[str, str] = {}
        for _ in range(_ROUNDS):
            before = self.caller.journal.get_many(unique)
            missing = [call for key, call in unique.items() if key not in before]
            if not missing:
                break
            await self._submit(missing)
            while any(status not in _ENDED for status in (await self._poll()).values()):
                await asyncio.sleep(self.poll_s)
            errors.update((await self._collect(on_reply)).errors)
        found = self.caller.journal.get_many(unique)
        return [
            found.get(call.key)
            or Reply(call.key, Outcome.FAILED, error=errors.get(call.key, "the batch gave no answer"))
            for call in calls
        ]

    async def _submit(self, calls: Sequence[Call]) -> list[str]:
        journal = self.caller.journal
        recorded = journal.get_many(call.key for call in calls)
        waiting = {call.key for chunk in self.open_chunks() for call in chunk.calls}
        todo = {call.key: call for call in calls if call.key not in recorded and call.key not in waiting}
        self._check(list(todo.values()))
        for model in sorted({call.model for call in todo.values()}):
            client = self._client(model)
            lines = ((call, _line(client, call)) for call in todo.values() if call.model == model)
            for piece in chunks(lines, self.max_requests, self.max_bytes):
                await journal.work_async(_plan(journal.claims.claim, model, [call for call, _ in piece]))
        submitted = []
        for chunk in self.open_chunks():
            if chunk.status != "submitted":
                submitted.append(await self._send(chunk))
        return submitted

    def _check(self, calls: Sequence[Call]) -> None:
        """Raise NotReady or BudgetReached before anything is sent."""
        self.caller.check_ready(calls)
        tokens, dollars = 0, 0.0
        for call in calls:
            spec = self.caller.registry.model(call.model)
            if not spec.batch:
                raise NotReady(f"Model '{spec.name}' has no batch route: models.yml does not say 'batch: true'.")
            read, written = estimated_tokens(call), answer_limit(call, spec)
            tokens += read + written
            dollars += spec.price.dollars(read, written, batch=True) if spec.price else 0.0
        if calls:
            self.caller.budget.check(len(calls), tokens, dollars)

    async def _send(self, chunk: Chunk) -> str:
        """Bring a chunk from wherever it stopped to being submitted; gives the batch's id."""
        client = self._client(chunk.model)
        file_id = chunk.input_file_id
        if file_id is None:
            content = b"\n".join(_line(client, call) for call in chunk.calls)
            file = await self._api(
                client, lambda: client.api.files.create(file=(f"{chunk.name}.jsonl", content), purpose="batch")
            )
            file_id = file.id
            await self._note(chunk.name, "uploaded", input_file_id=file_id)
        batch_id = await self._find(client, chunk.name) if chunk.status == "uploaded" else None
        for _ in range(self.caller.patience.attempts):
            if batch_id is not None:
                break
            try:
                made = await client.api.batches.create(
                    input_file_id=file_id, endpoint=ENDPOINT, completion_window=_WINDOW, metadata={_MARK: chunk.name}
                )
                batch_id = made.id
            except UNREACHABLE as error:
                client.check(_problem(error))
                # It may have been made all the same: a second one would be paid for as well.
                await asyncio.sleep(self.caller.patience.backoff_s)
                batch_id = await self._find(client, chunk.name)
        if batch_id is None:
            raise StopRun(f"{client.spec.base_url} made no batch of the uploaded file: run again to go on from there.")
        await self._note(chunk.name, "submitted", batch_id=batch_id)
        return batch_id

    async def _find(self, client: Client, name: str) -> str | None:
        """The id of the batch that carries a chunk's mark."""

        async def look() -> str | None:
            async for batch in client.api.batches.list(limit=100):
                if batch.metadata and batch.metadata.get(_MARK) == name:
                    return batch.id
            return None

        return await self._api(client, look)

    async def _poll(self) -> dict[str, str]:
        found = {}
        for chunk in self.open_chunks():
            if chunk.batch_id is not None:
                found[chunk.batch_id] = (await self._look(chunk)).status
        return found

    async def _look(self, chunk: Chunk) -> Any:
        client, batch_id = self._client(chunk.model), str(chunk.batch_id)
        return await self._api(client, lambda: client.api.batches.retrieve(batch_id))

    async def _collect(self, on_reply: OnReply | None) -> Collected:
        total = Collected()
        stop: StopRun | None = None
        for chunk in self.open_chunks():
            client = self._client(chunk.model)
            batch = await self._look(chunk) if chunk.batch_id is not None else None
            if batch is None or batch.status not in _ENDED:
                continue
            if batch.status == "failed":
                problems = (batch.errors.data if batch.errors else None) or []
                said = "; ".join(client.scrub(str(problem.message)) for problem in problems)
                stop = stop or StopRun(f"Batch {batch.id} was refused: {said.rstrip('.') or 'no reason given'}.")
                await self._close(chunk, "failed", said)
                continue
            stop = await self._record(chunk, batch, total, on_reply) or stop
        if stop is not None:
            raise stop
        return total

    async def _record(self, chunk: Chunk, batch: Any, total: Collected, on_reply: OnReply | None) -> StopRun | None:
        """Record what a batch that ended holds; gives what makes every call of its model useless, if anything does."""
        client = self._client(chunk.model)
        calls = {call.key: call for call in chunk.calls}
        found = await self._results(client, batch, calls, total)
        stop: StopRun | None = None
        unread: list[tuple[Call, Reply]] = []
        done: list[tuple[Call, Reply]] = []
        for key, call in calls.items():
            result = found.get(key, Problem(Kind.RETRY, f"batch {batch.id} ({batch.status}) holds no answer"))
            if isinstance(result, Problem):
                if result.kind is Kind.NO_SCHEMA:
                    client.forget_schema()
                try:
                    client.check(result)
                except StopRun as error:
                    stop = error
            reply = client.reply(call, Attempted(result, 0.0, 1), batch=True)
            (unread if reply.outcome is Outcome.UNPARSED else done).append((call, reply))
        self._finish(done, total, on_reply)
        again = await asyncio.gather(*(self._again(client, call, reply) for call, reply in unread))
        self._finish(again, total, on_reply)
        await self._close(chunk, str(batch.status), None)
        return stop

    async def _results(
        self, client: Client, batch: Any, calls: Mapping[str, Call], total: Collected
    ) -> dict[str, Completion | Problem]:
        """Results by key from both files, either of which may be absent; an answer is believed before an error."""
        found: dict[str, Completion | Problem] = {}
        for file_id in (batch.output_file_id, batch.error_file_id):
            if file_id is None:
                continue
            content = (await self._api(client, partial(client.api.files.content, file_id))).content
            for line in content.split(b"\n"):
                if not line.strip():
                    continue
                key, result = read_line(line)
                if key is None or key not in calls:
                    total.strangers += 1
                elif not isinstance(found.get(key), Completion):
                    found[key] = result
        return found

    async def _again(self, client: Client, call: Call, first: Reply) -> tuple[Call, Reply]:
        """The format retry of an answer that cannot be read, over the direct route."""
        try:
            async with client.pool.slot(), asyncio.timeout(self.caller.patience.deadline_s):
                return call, await client.format_retry(call, first)
        except (StopRun, TimeoutError):
            return call, first

    def _finish(self, replies: Sequence[tuple[Call, Reply]], total: Collected, on_reply: OnReply | None) -> None:
        """Record replies, then count and hand them on."""
        self.caller.journal.record_many(replies, route="batch")
        for call, reply in replies:
            self.caller.budget.add(reply)
            if reply.outcome is Outcome.FAILED:
                total.failed += 1
                total.errors[call.key] = reply.error or ""
            else:
                total.recorded += 1
            if on_reply is not None:
                on_reply(call, reply)

    async def _close(self, chunk: Chunk, status: str, detail: str | None) -> None:
        def change(connection: sqlite3.Connection) -> None:
            connection.execute(
                "update batches set status = ?, detail = ?, calls = null where chunk = ?", (status, detail, chunk.name)
            )
            connection.execute("delete from claims where owner = ?", (BATCH + chunk.name,))

        await self.caller.journal.work_async(change)

    async def _note(self, name: str, status: str, **columns: str) -> None:
        names = ", ".join(f"{column} = ?" for column in columns)
        await self.caller.journal.work_async(
            lambda connection: connection.execute(
                f"update batches set status = ?, {names} where chunk = ?", (status, *columns.values(), name)
            )
        )

    def _client(self, model: str) -> Client:
        return self.caller.client(self.caller.registry.model(model), runtime())

    async def _api(self, client: Client, ask: Callable[[], Awaitable[T]]) -> T:
        """One request of the files or batches API, repeated while it fails in passing."""
        for attempt in range(1, self.caller.patience.attempts + 1):
            try:
                return await ask()
            except UNREACHABLE as error:
                problem = _problem(error)
                client.check(problem)
                if problem.kind not in (Kind.RETRY, Kind.THROTTLED) or attempt == self.caller.patience.attempts:
                    raise StopRun(client.describe(problem).rstrip(".") + ": run again to go on from there.") from error
                await asyncio.sleep(min(problem.wait_s or client.backoff(attempt), self.caller.patience.deadline_s))
        raise AssertionError("attempts are at least one")


def _plan(
    claim: Callable[[sqlite3.Connection, str, list[str], float], Claimed], model: str, calls: Sequence[Call]
) -> Callable[[sqlite3.Connection], None]:
    """The change that claims calls for a new chunk and writes it down; calls that others hold are left out."""
    name = uuid.uuid4().hex

    def change(connection: sqlite3.Connection) -> None:
        mine = claim(connection, BATCH + name, [call.key for call in calls], _LEASE_S).mine
        held = zlib.compress(msgspec.json.encode([call for call in calls if call.key in mine]))
        if mine:
            connection.execute(
                "insert into batches (chunk, model, status, created_at, calls) values (?, ?, 'planned', ?, ?)",
                (name, model, time.time(), held),
            )

    return change


def _line(client: Client, call: Call) -> bytes:
    """The request's line in the input file; its custom_id is the call's key, which no other call has."""
    body = client.body(call)
    return json.dumps({"custom_id": call.key, "method": "POST", "url": ENDPOINT, "body": body}).encode()


def _problem(error: BaseException) -> Problem:
    """What an error of the files or batches API means."""
    if isinstance(error, openai.APIStatusError):
        return read_error(error.status_code, error.response.headers, decoded(error.response.content))
    return Problem(Kind.RETRY, f"no connection, or it broke ({type(error.__cause__ or error).__name__})")
