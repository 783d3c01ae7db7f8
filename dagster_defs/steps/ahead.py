"""The sample, loaded while everything else is: the main job has one Python lock and two cores.

Oxigraph fills its store outside the lock, and DuckDB runs queries outside it. What is wrong with the sample is said
when it is asked for.
"""

from __future__ import annotations

import contextlib
import threading

from ingest.errors import IngestError
from ingest.wikidata.endpoint import EmbeddedEndpoint

_loading: list[EmbeddedEndpoint] = []


def load_sample() -> None:
    """Start to load the bundled sample."""
    endpoint = EmbeddedEndpoint.from_sample()
    _loading.append(endpoint)
    threading.Thread(target=_load, args=(endpoint,), daemon=True).start()


def sample_endpoint() -> EmbeddedEndpoint:
    """The sample that was loaded ahead, once; otherwise one that loads when it is first asked."""
    return _loading.pop() if _loading else EmbeddedEndpoint.from_sample()


def _load(endpoint: EmbeddedEndpoint) -> None:
    with contextlib.suppress(IngestError):
        endpoint.load()
