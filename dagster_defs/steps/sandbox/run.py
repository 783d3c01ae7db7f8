"""The outside of the sandbox: starts it, feeds it, and ends it where it goes past a limit."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dagster_defs.errors import RunError
from dagster_defs.steps.sandbox.inside import MEMORY, READY

_INSIDE = Path(__file__).with_name("inside.py")
_READ_AT_ONCE = 65_536
# Loading the modules takes a twentieth of this; a busy machine is not the code's fault.
_START_S = 60.0


class SandboxMissing(RunError):
    """The system does not have what it takes to run a model's code safely."""


class RanOutcome(StrEnum):
    """How code ended. error: by an exception. time, memory, output: at a limit. crashed: the interpreter died."""

    OK = "ok"
    ERROR = "error"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Limits:
    """cpu_s: whole seconds of processor time. wall_s: seconds of wall time. output_bytes: of output and error each."""

    cpu_s: int = 5
    wall_s: float = 15.0
    memory_mb: int = 512
    output_bytes: int = 20_000


@dataclass(frozen=True)
class Ran:
    """output: what was printed. error: the end of the traceback, or the limit that was reached; None where all is well.

    seconds: of wall time, the interpreter's start left out. Both texts are the code's: believe nothing in them.
    """

    output: str
    error: str | None
    outcome: RanOutcome
    seconds: float


def run(code: str, limits: Limits | None = None) -> Ran:
    """Run ``code`` in an interpreter of its own that can compute and print.

    Raises SandboxMissing where the system cannot confine it; then nothing was run.
    """
    limits = limits or Limits()
    if sys.platform != "linux":
        raise SandboxMissing("A model's code runs on Linux alone, which can confine it: run the agent there.")
    memory = limits.memory_mb * 1_000_000
    # As -I, but for the one variable that is set: what prints a set prints it alike each time.
    command = [sys.executable, "-P", "-s", "-S", "-B", "-X", "utf8", str(_INSIDE), str(limits.cpu_s), str(memory)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONHASHSEED": "0"},
        cwd="/",
        start_new_session=True,
    ) as process:
        try:
            with contextlib.closing(_Streams(process, limits.output_bytes)) as streams:
                return _followed(process, code.encode("utf-8", "replace"), limits, streams)
        finally:
            process.kill()


def _followed(process: subprocess.Popen[bytes], code: bytes, limits: Limits, streams: _Streams) -> Ran:
    assert process.stdin is not None
    # One that ended before it read anything says why on its other pipe.
    with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
        stdin.write(code)
    if not streams.read(time.monotonic() + _START_S, until_ready=True):
        why = streams.text(streams.error) or "the sandbox did not start"
        raise SandboxMissing(
            "A model's code cannot be confined here, so none is run: the kernel has to offer seccomp filters"
            f" (CONFIG_SECCOMP_FILTER) to this user on x86-64 or ARM64 ({why})."
        )
    began = time.monotonic()
    in_time = streams.read(began + limits.wall_s)
    seconds = time.monotonic() - began
    process.kill()
    outcome = _outcome(process.wait(), in_time, streams.flooded)
    said = {
        RanOutcome.OK: None,
        RanOutcome.TIME: f"stopped: it took longer than {limits.cpu_s} s of processor time or {limits.wall_s:g} s",
        RanOutcome.MEMORY: f"stopped: it needed more than {limits.memory_mb} MB of memory",
        RanOutcome.OUTPUT: f"stopped: it printed more than {limits.output_bytes:,} bytes",
        RanOutcome.CRASHED: "stopped: the interpreter crashed",
    }
    error = said.get(outcome, streams.text(streams.error) or "it ended with an error that it did not name")
    return Ran(streams.text(streams.output), error, outcome, seconds)


def _outcome(code: int, in_time: bool, flooded: bool) -> RanOutcome:
    if flooded:
        return RanOutcome.OUTPUT
    if not in_time or code == -signal.SIGXCPU:
        return RanOutcome.TIME
    if code < 0:
        return RanOutcome.CRASHED
    return {0: RanOutcome.OK, MEMORY: RanOutcome.MEMORY}.get(code, RanOutcome.ERROR)


class _Streams:
    """Both pipes of a process, read until it ends, a deadline passes, or one of them holds more than ``most`` bytes."""

    def __init__(self, process: subprocess.Popen[bytes], most: int) -> None:
        self.output = bytearray()
        self.error = bytearray()
        self.flooded = False
        self._most = most
        self._selector = selectors.DefaultSelector()
        for stream, held in ((process.stdout, self.output), (process.stderr, self.error)):
            assert stream is not None
            self._selector.register(stream, selectors.EVENT_READ, held)

    def read(self, deadline: float, until_ready: bool = False) -> bool:
        """Read on; gives whether what was waited for came before ``deadline``: READY, or the end.

        The end is that of both pipes: nothing else holds them, since no process can be started inside.
        """
        while self._selector.get_map():
            if until_ready and self.output.startswith(READY):
                del self.output[: len(READY)]
                return True
            left = deadline - time.monotonic()
            if left <= 0 or self.flooded:
                return self.flooded
            for key, _ in self._selector.select(left):
                got = os.read(key.fd, _READ_AT_ONCE)
                if not got:
                    self._selector.unregister(key.fileobj)
                key.data.extend(got)
                self.flooded = self.flooded or len(key.data) > self._most + len(READY)
        return not until_ready

    def close(self) -> None:
        """Let go of what waits for the pipes."""
        self._selector.close()

    def text(self, held: bytearray) -> str:
        """What one pipe gave, cut at the limit."""
        return held[: self._most].decode("utf-8", "replace").strip()
