"""The little world of fixtures/towns.ttl, and what tests ask of it."""

import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ingest.landing import Snapshot
from ingest.topics import TopicSource
from ingest.wikidata.endpoint import EmbeddedEndpoint

TOWNS = Path(__file__).parent / "fixtures" / "towns.ttl"
SNAPSHOT = Snapshot("wikidata-2026-11-30", datetime.date(2026, 11, 30))
CITIES = TopicSource(
    name="cities",
    classes=("Q515",),
    properties=("P17", "P1082", "P2046", "P571", "P625"),
    hops={"P17": ("P30",)},
)


def endpoint() -> EmbeddedEndpoint:
    """The towns, answered in this process."""
    return EmbeddedEndpoint.from_files([TOWNS], "towns")


def landed(landing: Path, dataset: str, *, without: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """All rows of a landed dataset in order of file name, less the columns ``without``."""
    paths = sorted(landing.glob(f"wikidata/{dataset}/*/*.parquet"))
    return [row for path in paths for row in pq.ParquetFile(path).read().drop_columns(list(without)).to_pylist()]


def files(landing: Path) -> dict[str, bytes]:
    """Every file under the landing zone but the lock: path -> content."""
    found = {str(path.relative_to(landing)): path.read_bytes() for path in landing.rglob("*") if path.is_file()}
    return {name: content for name, content in found.items() if not name.endswith(".lock")}
