"""How steps make worker processes."""

from __future__ import annotations

import multiprocessing
from multiprocessing.context import BaseContext


def worker_context(module: str) -> BaseContext:
    """Processes forked from one that has imported ``module`` and nothing else runs in.

    A plain fork would copy an orchestrator's threads in an unknown state; a spawn would import everything again.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    return context
