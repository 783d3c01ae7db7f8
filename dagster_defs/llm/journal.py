"""The journal: every answer that was paid for, recorded before it is used, so that nothing is paid for twice.

A commit is on the disk when it returns. Answers that arrive together are committed together, so the disk bounds no run.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import History, prompt_bytes
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.claims import Claims, Owner
from dagster_defs.llm.sqlite_file import SqliteFile, transaction

T = TypeVar("T")
# The beginning of the statement that inserts it, and its values.
_Row = tuple[str, Sequence[Any]]
_Waiting = tuple[_Row, asyncio.AbstractEventLoop, "asyncio.Future[None]"]

_VERSION = 1
_READ_AT_ONCE = 1000
# What is counted stands in columns of its own, the reply itself in one text, which gives back every digit.
_TABLES = """
create table if not exists replies (
    key text primary key, model text not null, model_id text not null, sample integer not null,
    prompt_sha text not null, prompt_bytes integer not null, prompt_tokens integer not null,
    completion_tokens integer not null, outcome text not null, route text not null, recorded_at real not null,
    reply text not null
) without rowid;
create table if not exists attempts (key text not null, model text not null, at real not null, error text);
create table if not exists claims (key text primary key, owner text not null, expires real not null) without rowid;
create table if not exists batches (
    chunk text primary key, model text not null, status text not null, created_at real not null,
    input_file_id text, batch_id text, detail text, calls blob
) without rowid;
create trigger if not exists replied after insert on replies begin delete from claims where key = new.key; end;
create trigger if not exists failed after insert on attempts begin delete from claims where key = new.key; end;
"""
_COLUMNS = (
    "key", "model", "model_id", "sample", "prompt_sha", "prompt_bytes", "prompt_tokens", "completion_tokens",
    "outcome", "route", "recorded_at", "reply",
)  # fmt: skip
_RECORD = f"insert or ignore into replies ({', '.join(_COLUMNS)}) values "
_FAILED = "insert into attempts (key, model, at, error) values "
# Rows that one statement takes: SQLite allows 32,766 values in it.
_ROWS_AT_ONCE = 1000
_SELECT = "select reply from replies where key in (select value from json_each(?))"
_SELECT_KEYS = "select key from replies where key in (select value from json_each(?))"
_REPLY = msgspec.json.Decoder(Reply)


class JournalError(RunError):
    """The journal cannot be read or written; one sentence that names the file."""


class Journal:
    """The journal in the file ``path``, which is made when missing; any number of processes may use it at once.

    Methods may be called from any thread. Raises JournalError when the file is no journal of this version, or cannot
    be read or written.
    """

    def __init__(self, path: Path, *, lease_s: float = 120.0) -> None:
        self.path = path
        self._file = SqliteFile(path, "the journal", _TABLES, _VERSION, JournalError)
        self._reader = self._file.open()
        self._reading = threading.Lock()
        self.claims = Claims(lease_s)
        self._writer = _Writer(self._file, self.claims.renew_every_s, self.claims.renew)

    def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The recorded replies among ``keys``, by key, each marked as cached."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, Reply] = {}
        for start in range(0, len(wanted), _READ_AT_ONCE):
            block = json.dumps(wanted[start : start + _READ_AT_ONCE])
            for (text,) in self.read(_SELECT, (block,)):
                reply = _REPLY.decode(text)
                found[reply.key] = reply
        return found

    def recorded(self, keys: Iterable[str]) -> set[str]:
        """Those of ``keys`` that have a reply, which is not read."""
        wanted = list(dict.fromkeys(keys))
        return {
            key
            for start in range(0, len(wanted), _READ_AT_ONCE)
            for (key,) in self.read(_SELECT_KEYS, (json.dumps(wanted[start : start + _READ_AT_ONCE]),))
        }

    async def record(self, call: Call, reply: Reply, *, route: str = "direct") -> None:
        """Return once ``reply`` is on the disk. A failed one is noted as an attempt, and is asked again next time."""
        await self.recording(call, reply, route=route)

    def recording(self, call: Call, reply: Reply, *, route: str = "direct") -> asyncio.Future[None]:
        """`record` without a task of its own: the future is done once ``reply`` is on the disk. Call it in a loop."""
        return self._writer.row(_row(call, reply, route))

    def record_many(self, replies: Sequence[tuple[Call, Reply]], *, route: str = "direct") -> None:
        """Record all of ``replies`` in one commit."""
        rows = [_row(call, reply, route) for call, reply in replies]
        self.work(lambda connection: _insert(connection, rows))

    def history(self) -> dict[str, History]:
        """What the recorded calls of each model came to, by the model's name."""
        rows = self.read(
            "select model, count(*), sum(prompt_bytes), sum(prompt_tokens), sum(completion_tokens) from replies"
            " where prompt_tokens > 0 group by model",
            (),
        )
        return {model: History(*sums) for model, *sums in rows}

    def failures(self) -> int:
        """How many attempts failed, ever."""
        return int(self.read("select count(*) from attempts", ())[0][0])

    def read(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._file.named(), self._reading:
            return self._reader.execute(sql, parameters).fetchall()

    def work(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``change`` on the writer's connection in a transaction of its own, and wait until it is on the disk."""
        result: T = self._writer.submit(change).result()
        return result

    async def work_async(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """`work` for a coroutine."""
        return await asyncio.wrap_future(self._writer.submit(change))

    def owner(self) -> Owner:
        """A new claimant of calls; run its `let_go` when it is done."""
        return self.claims.owner()

    def close(self) -> None:
        """Write what is waiting, and close the file."""
        self._writer.close()
        self._reader.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Writer:
    """The one thread of a process that writes: whatever waits when it looks is one commit."""

    def __init__(self, file: SqliteFile, renew_every_s: float, renew: Callable[[sqlite3.Connection], None]) -> None:
        self._connection = file.open()
        self._named = file.error
        self._renew_every_s = renew_every_s
        self._renew = renew
        self._renew_at = time.monotonic() + renew_every_s
        self._ready = threading.Condition()
        self._rows: list[_Waiting] = []
        self._changes: list[tuple[Callable[[sqlite3.Connection], Any], Future[Any]]] = []
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name="assay-journal", daemon=True)
        self._thread.start()

    def row(self, row: _Row) -> asyncio.Future[None]:
        """A future of the running loop that is done once ``row`` is committed."""
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
        with self._ready:
            self._check_open()
            self._rows.append((row, loop, written))
            self._ready.notify()
        return written

    def submit(self, change: Callable[[sqlite3.Connection], Any]) -> Future[Any]:
        """Run ``change`` in a transaction of its own."""
        done: Future[Any] = Future()
        with self._ready:
            self._check_open()
            self._changes.append((change, done))
            self._ready.notify()
        return done

    def close(self) -> None:
        """Write what waits, and end."""
        with self._ready:
            self._closing = True
            self._ready.notify()
        self._thread.join()
        self._connection.close()

    def _check_open(self) -> None:
        if self._closing:
            raise JournalError("The journal is closed: nothing more can be recorded in it.")

    def _serve(self) -> None:
        while True:
            with self._ready:
                if not (self._rows or self._changes or self._closing):
                    self._ready.wait(max(0.0, self._renew_at - time.monotonic()))
                rows, self._rows = self._rows, []
                changes, self._changes = self._changes, []
                if self._closing and not rows and not changes:
                    return
            if rows:
                self._write(rows)
            for change, done in changes:
                self._change(change, done)
            if time.monotonic() >= self._renew_at:
                self._renew_at = time.monotonic() + self._renew_every_s
                self._change(self._renew, Future())

    def _write(self, waiting_rows: list[_Waiting]) -> None:
        failure: RunError | None = None
        rows = [row for row, *_ in waiting_rows]
        try:
            if len(rows) <= _ROWS_AT_ONCE and len({statement for statement, _ in rows}) == 1:
                _insert(self._connection, rows)
            else:
                self._in_transaction(lambda connection: _insert(connection, rows))
        except Exception as error:
            failure = self._named(error)
        waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = defaultdict(list)
        for _, loop, written in waiting_rows:
            waiting[loop].append(written)
        for loop, futures in waiting.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, futures, failure)

    def _change(self, change: Callable[[sqlite3.Connection], Any], done: Future[Any]) -> None:
        try:
            done.set_result(self._in_transaction(change))
        except sqlite3.Error as error:
            done.set_exception(self._named(error))
        except Exception as error:
            done.set_exception(error)

    def _in_transaction(self, change: Callable[[sqlite3.Connection], T]) -> T:
        with transaction(self._connection):
            return change(self._connection)


def _resolve(futures: Collection[asyncio.Future[None]], failure: RunError | None) -> None:
    for future in futures:
        if not future.done():
            if failure is None:
                future.set_result(None)
            else:
                future.set_exception(failure)


def _insert(connection: sqlite3.Connection, rows: Sequence[_Row]) -> None:
    """Insert rows by as few statements as can be: between two of them the writer has to wait for the interpreter's
    lock, which a busy event loop gives up every 5 ms only."""
    held: dict[str, list[Sequence[Any]]] = defaultdict(list)
    for statement, values in rows:
        held[statement].append(values)
    for statement, listed in held.items():
        for start in range(0, len(listed), _ROWS_AT_ONCE):
            block = listed[start : start + _ROWS_AT_ONCE]
            marks = f"({', '.join('?' * len(block[0]))})"
            connection.execute(statement + ", ".join([marks] * len(block)), [value for row in block for value in row])


def _row(call: Call, reply: Reply, route: str) -> _Row:
    """The statement that records ``reply``, and its values."""
    if reply.outcome is Outcome.FAILED:
        return _FAILED, (call.key, call.model, time.time(), reply.error)
    values = (
        call.key, call.model, call.model_id, call.sample, call.prompt_sha, prompt_bytes(call), reply.prompt_tokens,
        reply.completion_tokens, reply.outcome.value, route, time.time(),
        msgspec.json.encode(replace(reply, cached=True)).decode(),
    )  # fmt: skip
    return _RECORD, values
