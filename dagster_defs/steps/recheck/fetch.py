"""Fetches again what topics are made of, into a landing zone of its own where nothing is left from before."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingest.errors import IngestError
from ingest.landing import Snapshot
from ingest.topics import TopicSource
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.land import land

# An endpoint that fails one topic after the other is down: every further attempt would wait for its deadline.
_FAILURES_IN_A_ROW: Final = 3
Log = Callable[[str], None]


@dataclass(frozen=True)
class Fetching:
    """Who is asked for which topics, in labels of which language; the sizes are those of queries."""

    topics: Sequence[TopicSource]
    endpoint: Endpoint
    snapshot: Snapshot
    language: str = "en"
    page_size: int = 5000
    batch_size: int = 500


@dataclass
class Fetched:
    """Names of the topics that came whole, and topic -> why it did not."""

    whole: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def fetch_again(request: Fetching, landing: Path, log: Log) -> Fetched:
    """Land the topics anew in ``landing``, which is emptied first; a topic that fails does not stop the others.

    Raises OSError where the folder cannot be emptied.
    """
    if landing.exists():
        shutil.rmtree(landing)
    found = Fetched()
    if _landed(request, request.topics, landing, log) is None:
        found.whole = [topic.name for topic in request.topics]
        return found
    # One by one, going on from what is there, to see which of them it was.
    row: list[str] = []
    for topic in request.topics:
        said = row[-1] if len(row) >= _FAILURES_IN_A_ROW else _landed(request, [topic], landing, log)
        if said is None:
            found.whole.append(topic.name)
            row = []
        else:
            found.failed[topic.name] = said
            row.append(said)
    return found


def _landed(request: Fetching, topics: Sequence[TopicSource], landing: Path, log: Log) -> str | None:
    """What stopped the landing of ``topics``; None where nothing did."""
    try:
        land(
            topics,
            request.endpoint,
            landing,
            request.snapshot,
            log=log,
            language=request.language,
            page_size=request.page_size,
            batch_size=request.batch_size,
        )
    except IngestError as error:
        return str(error)
    return None
