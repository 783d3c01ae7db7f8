"""SIGKILL at any moment loses at most the calls in flight: the final table is that of an undisturbed run."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm.killed import CALLS, calls_of
from tests.llm.server import Server

PROJECT = Path(__file__).resolve().parents[2]
KILLS = 30
IN_FLIGHT = 8


@pytest.fixture
def launcher() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.llm.killed"],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    yield process
    process.stdin.close()
    process.wait(timeout=30)
    process.stdout.close()


def start(launcher: subprocess.Popen[str], server: Server, folder: Path) -> int:
    """A run's process number."""
    assert launcher.stdin is not None
    assert launcher.stdout is not None
    launcher.stdin.write(f"{server.url} {folder}\n")
    launcher.stdin.flush()
    return int(launcher.stdout.readline())


def ended(launcher: subprocess.Popen[str]) -> str:
    """How the run ended."""
    assert launcher.stdout is not None
    return launcher.stdout.readline().strip()


def sent(server: Server) -> Counter[str]:
    """How often each question came in."""
    return Counter(request.body["messages"][0]["content"] for request in list(server.chats))


def recorded(folder: Path) -> set[str]:
    """Keys in the journal."""
    if not (folder / "journal.sqlite").exists():
        return set()
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite", timeout=30)) as connection:
        if not connection.execute("select 1 from sqlite_master where name = 'replies'").fetchall():
            return set()
        return {key for (key,) in connection.execute("select key from replies")}


def test_a_run_killed_thirty_times_ends_in_the_same_table_and_asks_nothing_recorded_again(
    server: Server, launcher: subprocess.Popen[str], tmp_path: Path
) -> None:
    chance = random.Random(20261130)
    server.latency_s = 0.003
    key_of = {call.messages[0]["content"]: call.key for call in calls_of(server.url)}
    disturbed, undisturbed = tmp_path / "killed", tmp_path / "whole"
    disturbed.mkdir()
    undisturbed.mkdir()
    kept: list[tuple[set[str], Counter[str]]] = []
    for _ in range(KILLS):
        before = len(server.requests)
        process = start(launcher, server, disturbed)
        # Any moment of a run: between its start and some twenty answers later.
        awaited, patience = before + chance.randint(0, 20), time.monotonic() + 20
        while len(server.requests) < awaited and time.monotonic() < patience:
            time.sleep(0.0005)
        time.sleep(chance.uniform(0, 0.01))
        os.kill(process, signal.SIGKILL)
        assert ended(launcher) == "killed"
        kept.append((recorded(disturbed), sent(server)))
    assert len(kept[-1][0]) < CALLS
    start(launcher, server, disturbed)
    assert ended(launcher) == "done"
    at_the_end = sent(server)
    for keys, counts in kept:
        again = [text for text in at_the_end if key_of[text] in keys and at_the_end[text] > counts[text]]
        assert again == []
    assert set(at_the_end) == set(key_of)
    assert sum(at_the_end.values()) - CALLS <= KILLS * IN_FLIGHT
    assert len({len(keys) for keys, _ in kept}) > KILLS / 2

    start(launcher, server, undisturbed)
    assert ended(launcher) == "done"
    assert json.loads((disturbed / "table.json").read_text()) == json.loads((undisturbed / "table.json").read_text())
    assert recorded(disturbed) == recorded(undisturbed) == set(key_of.values())
