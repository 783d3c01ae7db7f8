"""A new snapshot takes over what is young enough, asks for the rest alone, and leaves the old one as it was."""

import datetime
from dataclasses import replace
from pathlib import Path

import pytest
from towns import CITIES, SNAPSHOT, endpoint, files, landed

from ingest.landing import Snapshot, utc_now
from ingest.topics import TopicSource
from ingest.wikidata.carry import carry, fetched
from ingest.wikidata.land import land
from ingest.wikidata.queries import Query
from ingest.wikidata.results import RowT

LATER = Snapshot("wikidata-2026-12-31", datetime.date(2026, 12, 31))
COUNTRIES = TopicSource(name="countries", classes=("Q6256",), properties=("P30",))
# Its name begins as another's does.
CITIES_TOO = CITIES.model_copy(update={"name": "cities-too"})
EVER, NEVER = datetime.datetime.min, datetime.datetime.max


class Counting:
    """The towns, with a list of what was asked."""

    parallel = 1

    def __init__(self) -> None:
        self._towns = endpoint()
        self.name = self._towns.name
        self.asked: list[str] = []

    def select(self, query: Query[RowT]) -> list[RowT]:
        """The answer, noted down."""
        self.asked.append(query.name)
        return self._towns.select(query)


@pytest.fixture
def zone(tmp_path: Path) -> Path:
    """Cities and countries, landed in the first snapshot."""
    land([CITIES, COUNTRIES], endpoint(), tmp_path, SNAPSHOT)
    return tmp_path


def test_a_topic_that_is_taken_over_is_not_asked_for_and_has_the_same_rows(zone: Path) -> None:
    before = files(zone)
    when = fetched(zone, ["cities"], "towns")["cities"][1]
    assert carry(zone, ["cities"], "towns", LATER, when) == ["cities"]
    counting = Counting()
    report = land([CITIES], counting, zone, LATER)
    # Where hops lead through redirects is not landed, and so is asked again.
    assert {name.split(" ")[0] for name in counting.asked} <= {"targets"}
    assert report.files_landed == 0
    assert {name: content for name, content in files(zone).items() if name in before} == before
    rows = [row for row in landed(zone, "statements") if row["snapshot_id"] == LATER.snapshot_id]
    old = [
        row
        for path in sorted(zone.glob(f"wikidata/statements/{SNAPSHOT.snapshot_id}/cities-*.parquet"))
        for row in landed_in(path)
    ]
    assert [replaced(row) for row in old] == rows
    assert rows


def test_a_topic_that_is_too_old_is_asked_for_anew(zone: Path) -> None:
    assert carry(zone, ["cities", "countries"], "towns", LATER, utc_now() + datetime.timedelta(days=1)) == []
    counting = Counting()
    assert land([CITIES, COUNTRIES], counting, zone, LATER).files_landed > 0
    assert counting.asked


def test_only_what_this_endpoint_said_whole_is_known(zone: Path) -> None:
    assert set(fetched(zone, ["cities", "countries", "rivers"], "towns")) == {"cities", "countries"}
    assert fetched(zone, ["cities"], "elsewhere") == {}
    for manifest in zone.glob("wikidata/snapshots/*/cities-*.parquet"):
        manifest.unlink()
    assert set(fetched(zone, ["cities", "countries"], "towns")) == {"countries"}


def test_a_topic_whose_name_begins_as_anothers_is_another(zone: Path) -> None:
    land([CITIES_TOO], endpoint(), zone, SNAPSHOT)
    carry(zone, ["cities"], "towns", LATER, EVER)
    assert list(zone.glob(f"wikidata/*/{LATER.snapshot_id}/cities-*.parquet"))
    assert not list(zone.glob(f"wikidata/*/{LATER.snapshot_id}/cities-too-*.parquet"))


def test_a_topic_is_taken_over_once_and_keeps_its_age(zone: Path) -> None:
    first = fetched(zone, ["cities"], "towns")["cities"]
    carry(zone, ["cities"], "towns", LATER, EVER)
    land([CITIES], endpoint(), zone, LATER)
    again = fetched(zone, ["cities"], "towns")["cities"]
    assert again == (LATER.snapshot_id, first[1])
    before = files(zone)
    assert carry(zone, ["cities"], "towns", LATER, EVER) == []
    assert carry(zone, ["cities"], "towns", replace(LATER, snapshot_id="wikidata-2027"), NEVER) == []
    assert files(zone) == before


def landed_in(path: Path) -> list[dict[str, object]]:
    """The rows of one file."""
    import pyarrow.parquet as pq

    rows: list[dict[str, object]] = pq.ParquetFile(path).read().to_pylist()
    return rows


def replaced(row: dict[str, object]) -> dict[str, object]:
    """A row as the later snapshot has it."""
    return {**row, "snapshot_id": LATER.snapshot_id}
