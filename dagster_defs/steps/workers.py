"""How steps make worker processes."""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import BaseContext

# What the audit and the gates run on. `expectations.gate` comes before Great Expectations: it turns its analytics off.
_PRELOADED = ["dagster_defs.steps.audit", "expectations.gate", "great_expectations.expectations"]


def worker_context() -> BaseContext:
    """Processes forked from one that has imported what they need and that nothing else runs in.

    A plain fork would copy an orchestrator's threads in an unknown state; a spawn would import everything again.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """A pool of such processes. Ctrl-C, which reaches them too, ends them without a word: the main process speaks."""
    return ProcessPoolExecutor(workers, mp_context=worker_context(), initializer=_end_quietly)


def _end_quietly() -> None:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))


def start_workers() -> None:
    """Start the process that workers are forked from: it imports for eight seconds, on a core that waits."""
    worker_context()
    # What is imported there must not answer Ctrl-C with a traceback either; a new process keeps what is ignored here.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        multiprocessing.forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, before)
