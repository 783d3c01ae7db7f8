"""SIGKILL at any moment of a solve loses at most the calls in flight: its landed rows are those of an undisturbed one.

The scores are SQL over landed rows and nothing else, so equal rows are equal scores.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dagster_defs.llm.caller import unrecorded
from dagster_defs.steps.run_rows import OF_A_RUN
from tests.llm.server import Request, Response, Server
from tests.solve import tongue, world
from tests.solve.killed import CONCURRENCY, run_at, solve
from tests.solve.scripts import PERU, RIVERS, Scripted
from tests.solve.tongue import Tongue
from tests.solve.world import Gold

PROJECT = Path(__file__).resolve().parents[2]
# While calls are sent, and while what the journal has becomes rows.
KILLS_ASKING, KILLS_LANDING = 22, 8
# What one kill may lose: sent, and on a slow disk answered, but not yet recorded.
IN_FLIGHT = unrecorded(CONCURRENCY)
# What no two runs share: when they were, and how long a server took.
_OF_THE_MOMENT = {"started_at", "latency_s"}
# Which is asked: the model, the messages and the seed.
What = tuple[str, str, int]


@dataclass
class Launcher:
    """Runs of one server and database, each a process of its own."""

    process: subprocess.Popen[str]
    server: Server
    database: Path
    kind: str = "planned"

    def start(self, folder: Path) -> int:
        """A run's process number."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{self.server.url} {self.kind} {self.database} {folder}\n")
        self.process.stdin.flush()
        return int(self.said())

    def said(self) -> str:
        """The next line: how a run ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self, folder: Path, requests: int, seconds: float) -> None:
        """Start a run, and kill it after so many requests and so many seconds more; it may be over by then."""
        awaited, patience = len(self.server.requests) + requests, time.monotonic() + 20
        process = self.start(folder)
        while len(self.server.requests) < awaited and time.monotonic() < patience:
            time.sleep(0.0005)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        assert self.said() in ("killed", "done")


@pytest.fixture
def launcher(server: Server, database: Path) -> Iterator[Launcher]:
    server.always = delayed
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.solve.killed"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    yield Launcher(process, server, database)
    process.stdin.close()
    process.wait(timeout=30)
    process.stdout.close()


def said(gold: Gold, kind: str) -> str:
    """Right, but where a name is asked for in prose that only a judge can read."""
    if kind == "answer" and gold.kind == "entity":
        return json.dumps({"answer": f"After long thought one may well settle on {gold.answer} here", "unit": None})
    return tongue.right(gold, kind)


def delayed(request: Request) -> Response | None:
    """An answer after some milliseconds, so that a kill finds calls in flight."""
    answer = Tongue(said)(request)
    return None if answer is None else replace(answer, delay_s=0.003)


def sent(server: Server) -> Counter[What]:
    """How often each thing was asked."""
    return Counter(
        (body["model"], json.dumps(body["messages"]), body["seed"])
        for body in (request.body for request in list(server.chats))
    )


def recorded(folder: Path) -> set[str]:
    """Keys in the journal."""
    if not (folder / "journal.sqlite").exists():
        return set()
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite", timeout=30)) as connection:
        if not connection.execute("select 1 from sqlite_master where name = 'replies'").fetchall():
            return set()
        return {key for (key,) in connection.execute("select key from replies")}


def landed(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of every dataset that has its file."""
    return {
        path.parent.name: [
            {name: value for name, value in row.items() if name not in _OF_THE_MOMENT}
            for row in pq.read_table(path).to_pylist()
        ]
        for path in sorted((folder / "landing").glob("*/*.parquet"))
    }


def test_a_solve_killed_thirty_times_lands_the_same_rows_and_asks_nothing_recorded_again(
    server: Server, launcher: Launcher, tmp_path: Path
) -> None:
    chance = random.Random(20261130)
    disturbed, undisturbed = tmp_path / "killed", tmp_path / "whole"
    disturbed.mkdir()
    undisturbed.mkdir()
    began = time.monotonic()
    asked = solve(server.url, launcher.database, undisturbed)
    took = time.monotonic() - began
    key_of = {(one.model_id, json.dumps(one.messages), one.parameters["seed"]): one.key for one in asked}
    whole = landed(undisturbed)
    assert set(whole) == set(OF_A_RUN)
    assert set(sent(server)) == set(key_of)
    assert any(model == "judge" for model, *_ in key_of)
    server.requests.clear()

    unfinished, kept = 0, list[tuple[set[str], Counter[What]]]()
    for kill in range(KILLS_ASKING + KILLS_LANDING):
        if kill == KILLS_ASKING:
            launcher.start(disturbed)
            assert launcher.said() == "done"
        # Any moment: between the start of a run and some twenty answers later, or later still among its rows.
        asking = kill < KILLS_ASKING
        if not asking:
            shutil.rmtree(disturbed / "landing", ignore_errors=True)
        launcher.kill(disturbed, chance.randint(0, 20) if asking else 0, chance.uniform(0, 0.01 if asking else took))
        kept.append((recorded(disturbed), sent(server)))
        found = landed(disturbed)
        unfinished += set(found) != set(OF_A_RUN)
        for dataset, rows in found.items():
            assert rows == whole[dataset], "what is landed is whole, whenever it is looked at"
    assert len(kept[KILLS_ASKING - 1][0]) < len(key_of)
    assert len({len(keys) for keys, _ in kept}) > KILLS_ASKING / 2
    assert unfinished > KILLS_ASKING, "some were killed while their rows were made"
    launcher.start(disturbed)
    assert launcher.said() == "done"

    at_the_end = sent(server)
    for keys, counts in kept:
        assert [what for what in at_the_end if key_of[what] in keys and at_the_end[what] > counts[what]] == []
    assert set(at_the_end) == set(key_of)
    assert sum(at_the_end.values()) - len(key_of) <= KILLS_ASKING * IN_FLIGHT
    assert recorded(disturbed) == recorded(undisturbed) == set(key_of.values())
    assert landed(disturbed) == whole
    assert [row["run_id"] for row in whole["runs"]] == [replace(run_at(server.url), snapshot_id=world.SNAPSHOT).run_id]


def test_an_agent_that_is_killed_goes_on_where_it_was_and_asks_nothing_recorded_again(
    server: Server, launcher: Launcher, tmp_path: Path
) -> None:
    launcher.kind, chance, kills = "agent", random.Random(20261130), 4

    def delayed_step(request: Request) -> Response | None:
        step = Scripted()(request)
        return None if step is None else replace(step, delay_s=0.02)

    server.always = delayed_step
    disturbed, undisturbed = tmp_path / "killed", tmp_path / "whole"
    disturbed.mkdir()
    undisturbed.mkdir()
    asked = {call.key for call in solve(server.url, launcher.database, undisturbed, "agent")}
    assert len(asked) == 3 * (len(PERU) + len(RIVERS)) == len(recorded(undisturbed))
    server.requests.clear()
    kept = []
    for _ in range(kills):
        launcher.kill(disturbed, chance.randint(2, 8), chance.uniform(0, 0.05))
        kept.append(len(recorded(disturbed)))
    # A fast machine may be done before the last of the kills.
    assert 0 < kept[0] < len(asked)
    assert kept == sorted(kept)
    launcher.start(disturbed)
    assert launcher.said() == "done"
    assert recorded(disturbed) == asked
    assert landed(disturbed) == landed(undisturbed)
    assert sum(sent(server).values()) - len(asked) <= kills * IN_FLIGHT
