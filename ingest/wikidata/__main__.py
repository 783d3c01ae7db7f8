"""``python -m ingest.wikidata``: land the topics of a dbt project, from the bundled sample or a query service."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ingest.errors import IngestError
from ingest.topics import load_topic_sources
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.land import land, sample_snapshot


def main(arguments: list[str] | None = None) -> int:
    """Land, and say what was landed. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ingest.wikidata", description=__doc__)
    parser.add_argument("--models", type=Path, default=Path("models"), help="dbt's models folder")
    parser.add_argument("--landing", type=Path, default=Path("data/landing"), help="the landing zone")
    parser.add_argument("topics", nargs="*", help="topics to land; all of them where none is named")
    given = parser.parse_args(arguments)
    try:
        topics = load_topic_sources(given.models, given.topics or None)
        land(topics, EmbeddedEndpoint.from_sample(), given.landing, sample_snapshot(), log=print)
    except IngestError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
