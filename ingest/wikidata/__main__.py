"""``python -m ingest.wikidata``: land the topics of a dbt project, from the bundled sample or a query service."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

from ingest.errors import IngestError
from ingest.landing import Snapshot
from ingest.topics import load_topic_sources
from ingest.wikidata.endpoint import EmbeddedEndpoint, Endpoint, HttpEndpoint, HttpSettings
from ingest.wikidata.land import land, live_snapshot, sample_snapshot
from ingest.wikidata.sample import SAMPLE_DIR


def main(arguments: list[str] | None = None) -> int:
    """Land, and say what was landed. Returns the exit status: 0, or 1 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m ingest.wikidata", description=__doc__)
    parser.add_argument("--models", type=Path, default=Path("models"), help="dbt's models folder")
    parser.add_argument("--landing", type=Path, default=Path("data/landing"), help="the landing zone")
    parser.add_argument("--sample", type=Path, default=SAMPLE_DIR, help="the sample to land from")
    parser.add_argument("--endpoint", help="URL of a query service to land from, in place of the sample")
    parser.add_argument("--user-agent", default=HttpSettings.user_agent, help="how to introduce oneself to it")
    parser.add_argument("topics", nargs="*", help="topics to land; all of them where none is named")
    given = parser.parse_args(arguments)
    try:
        topics = load_topic_sources(given.models, given.topics or None)
        endpoint, snapshot = _source(given)
        land(topics, endpoint, given.landing, snapshot, log=print)
    except IngestError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _source(given: argparse.Namespace) -> tuple[Endpoint, Snapshot]:
    """Who answers, and the snapshot that the answers belong to."""
    if given.endpoint is None:
        return EmbeddedEndpoint.from_sample(given.sample), sample_snapshot(given.sample)
    settings = HttpSettings(url=given.endpoint, user_agent=given.user_agent)
    return HttpEndpoint(settings), live_snapshot(datetime.datetime.now(datetime.UTC).date())


if __name__ == "__main__":
    sys.exit(main())
