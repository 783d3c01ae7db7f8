"""How steps make worker processes."""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
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


def start_workers() -> None:
    """Start the process that workers are forked from: it imports for eight seconds, on a core that waits."""
    worker_context()
    multiprocessing.forkserver.ensure_running()
