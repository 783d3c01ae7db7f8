"""What later rooms need, loaded while earlier ones wait: the main job has one Python lock and two cores.

Oxigraph fills its store outside the lock, DuckDB runs queries outside it, and the audit has processes of its own. What
is wrong with anything loaded here is said when it is asked for.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing.forkserver
import threading

from dagster_defs.steps.workers import worker_context
from ingest.errors import IngestError
from ingest.wikidata.endpoint import EmbeddedEndpoint

_AUDIT = "dagster_defs.steps.audit"
_GATES = "great_expectations.expectations"
_loading: list[EmbeddedEndpoint] = []


def load_sample() -> None:
    """Start to load the bundled sample."""
    endpoint = EmbeddedEndpoint.from_sample()
    _loading.append(endpoint)
    threading.Thread(target=_load, args=(endpoint,), daemon=True).start()


def sample_endpoint() -> EmbeddedEndpoint:
    """The sample that was loaded ahead, once; otherwise one that loads when it is first asked."""
    return _loading.pop() if _loading else EmbeddedEndpoint.from_sample()


def import_gates() -> None:
    """Start to import Great Expectations."""
    threading.Thread(target=_import, args=(_GATES,), daemon=True).start()


def start_audit() -> None:
    """Start the process that the audit's workers are forked from."""
    worker_context(_AUDIT)
    multiprocessing.forkserver.ensure_running()


def _load(endpoint: EmbeddedEndpoint) -> None:
    with contextlib.suppress(IngestError):
        endpoint.load()


def _import(module: str) -> None:
    with contextlib.suppress(ImportError):
        importlib.import_module(module)
