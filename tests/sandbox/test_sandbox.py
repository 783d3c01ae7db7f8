"""A model's code, run by the real thing: what it can compute, and what it cannot get at."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dagster_defs.steps.sandbox import Limits, RanOutcome, run
from dagster_defs.steps.sandbox.inside import program
from tests.sandbox.attempts import ATTEMPTS, BOMBS

PROJECT = Path(__file__).resolve().parents[2]
TIGHT = Limits(cpu_s=1, wall_s=4, memory_mb=300)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """What there is to get at: files, an open file, a server and a secret in the environment."""
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    (tmp_path / "spare").write_text("spare")
    monkeypatch.setenv("ASSAY_TEST_SECRET", "secret words")
    with socket.create_server(("127.0.0.1", 0)) as server, secret.open() as held:
        os.set_inheritable(held.fileno(), True)
        yield {
            "folder": str(tmp_path),
            "secret": str(secret),
            "port": server.getsockname()[1],
            "descriptor": held.fileno(),
            "parent": os.getpid(),
            "site": sysconfig.get_path("purelib"),
        }


def files(folder: str) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in Path(folder).iterdir())


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_escape_fails(name: str, world: dict[str, Any]) -> None:
    code = ATTEMPTS[name].format(**world) if "{" in ATTEMPTS[name] else ATTEMPTS[name]
    before = files(world["folder"])
    found = run(code)
    assert "ESCAPED" not in found.output
    assert "secret words" not in found.output + (found.error or "")
    assert files(world["folder"]) == before
    # The same code does escape where nothing holds it, so that the attempt is one.
    bare = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, pass_fds=[world["descriptor"]]
    )
    assert "ESCAPED" in bare.stdout, bare.stderr


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) >= 20


@pytest.mark.parametrize("name", BOMBS)
def test_taking_too_much_ends(name: str) -> None:
    code, outcomes = BOMBS[name]
    found = run(code, TIGHT)
    assert found.outcome in outcomes
    assert len(found.output) <= TIGHT.output_bytes
    assert found.error


def test_signals_do_not_reach_the_parent(world: dict[str, Any]) -> None:
    caught: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: caught.append(number))
    try:
        found = run(f"import os\nos.kill({os.getpid()}, {int(signal.SIGUSR1)})")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert "PermissionError" in str(found.error)
    assert caught == []


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print(2 ** 100)", "1267650600228229401496703205376"),
        ("import math\nmath.hypot(3, 4)", "5.0"),
        ("import cmath\ncmath.sqrt(-4)", "2j"),
        ("import statistics as s\ns.mean([1, 2, 6]), s.quantiles([1, 2, 3, 4], n=2)", "(3, [2.5])"),
        ("from decimal import *\ngetcontext().prec = 20\nDecimal(1) / 7", "Decimal('0.14285714285714285714')"),
        ("from fractions import Fraction\nFraction(1, 3) + Fraction(1, 6)", "Fraction(1, 2)"),
        ("import datetime as d\n(d.date(1969, 7, 20) - d.date(1957, 10, 4)).days", "4307"),
        ("import datetime as d\nd.datetime.strptime('3 May 1921', '%d %B %Y').isoformat()", "'1921-05-03T00:00:00'"),
        ("import calendar\ncalendar.isleap(1900)", "False"),
        ("from collections import Counter\nCounter('banana').most_common(1)", "[('a', 3)]"),
        ("import itertools, functools, operator\nfunctools.reduce(operator.mul, range(1, 6))", "120"),
        ("import re, json\njson.dumps(re.findall(r'[0-9.]+', 'a 1.5 b 2'))", "'[\"1.5\", \"2\"]'"),
        ("import random\nrandom.seed(1)\nrandom.randint(1, 6)", "2"),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(2)", "P(x=2)"),
        ("x = 3", ""),
        ("print('é ∑')", "é ∑"),
        ("import time\nt = time.time()\ntime.sleep(0.01)\ntime.time() > t", "True"),
        ("raise SystemExit", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_mathematics_works(code: str, output: str) -> None:
    found = run(code)
    assert (found.outcome, found.output, found.error) == (RanOutcome.OK, output, None)


def test_an_error_says_where_it_is_and_nothing_of_the_machine() -> None:
    found = run("def f(x):\n    return 1 / x\n\nprint('before')\nf(0)")
    assert found.outcome is RanOutcome.ERROR
    assert found.output == "before"
    assert "line 2, in f" in str(found.error)
    assert "return 1 / x" in str(found.error)
    assert str(found.error).endswith("ZeroDivisionError: division by zero")
    assert str(PROJECT) not in str(found.error)


def test_a_syntax_error_is_an_error() -> None:
    found = run("print(1")
    assert found.outcome is RanOutcome.ERROR
    assert "SyntaxError" in str(found.error)


def test_a_missing_module_is_said_with_those_there_are() -> None:
    found = run("import numpy")
    assert "No module named 'numpy' here; there are: bisect, calendar" in str(found.error)
    assert str(PROJECT) not in str(found.error)


def test_output_is_cut_at_the_limit() -> None:
    found = run("print('x' * 50)", Limits(output_bytes=20))
    assert (found.outcome, found.output) == (RanOutcome.OUTPUT, "x" * 20)
    assert found.error == "stopped: it printed more than 20 bytes"


def test_the_same_code_prints_the_same() -> None:
    assert len({run("print({str(i) for i in range(50)})").output for _ in range(3)}) == 1


def test_one_run_leaves_nothing_to_the_next() -> None:
    assert run("import math\nmath.pi = 3").outcome is RanOutcome.OK
    assert run("import math\nmath.pi").output == "3.141592653589793"


def test_without_a_filter_for_the_machine_nothing_is_run() -> None:
    """A process that sees itself on a 32-bit machine, for which there is none."""
    code = (
        "import ctypes\n"
        "from dagster_defs.steps.sandbox import SandboxMissing, run\n"
        "assert ctypes.CDLL(None).personality(8) >= 0\n"
        "try:\n    run('print(1)')\nexcept SandboxMissing as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("A model's code cannot be confined here, so none is run: the kernel has to offer")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_jumps_of_the_filter_stay_inside_and_it_ends_in_a_refusal(machine: str) -> None:
    steps = memoryview(program(machine)).cast("B")
    assert len(steps) % 8 == 0
    count = len(steps) // 8
    for at in range(count):
        yes, no = steps[8 * at + 2], steps[8 * at + 3]
        assert at + 1 + max(yes, no) < count or (yes, no) == (0, 0)
    assert int.from_bytes(steps[-4:], "little") == 0x00050001
