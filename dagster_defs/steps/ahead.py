"""The sample, landed by a process of its own while this one loads the definitions: there are two cores.

Whatever is wrong is left for the ingest room to find and say: a landing that comes to grief here is done again there.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dagster_defs.resources import Settings
    from ingest.wikidata.land import LandingReport

_receivers: list[Connection] = []


class Request(NamedTuple):
    """What a landing depends on, beside the sample: the models' folder, the landing zone, language and sizes."""

    models: Path
    landing: Path
    language: str
    page_size: int
    batch_size: int


def begin(settings: Settings, models: Path) -> None:
    """Start to land the bundled sample."""
    # Spawned, since this process may have threads. As a daemon it ends when this process does.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    request = Request(models, settings.landing, settings.language, settings.page_size, settings.batch_size)
    context.Process(target=_land, args=(sender, request), daemon=True).start()
    sender.close()
    _receivers.append(receiver)


def landed(log: Callable[[str], None]) -> LandingReport | None:
    """Wait for what was begun, and repeat to ``log`` what it said; None where nothing was, or it did not succeed."""
    if not _receivers:
        return None
    with _receivers.pop() as receiver:
        try:
            report, said = receiver.recv()
        except EOFError:
            return None
    for line in said:
        log(line)
    landing_report: LandingReport = report
    return landing_report


def _land(sender: Connection, request: Request) -> None:
    # Ctrl-C reaches every process of the terminal; this one ends with the other.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The other process is waited for; this one takes what it leaves of the two cores.
    os.nice(10)
    from ingest.errors import IngestError
    from ingest.topics import load_topic_sources
    from ingest.wikidata.endpoint import EmbeddedEndpoint
    from ingest.wikidata.land import land, sample_snapshot

    said: list[str] = []
    try:
        report = land(
            load_topic_sources(request.models),
            EmbeddedEndpoint.from_sample(),
            request.landing,
            sample_snapshot(),
            log=said.append,
            language=request.language,
            page_size=request.page_size,
            batch_size=request.batch_size,
        )
    except (IngestError, OSError):
        return
    sender.send((report, said))
