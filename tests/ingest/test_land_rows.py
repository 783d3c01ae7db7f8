"""Rows of any source, landed: complete or absent, each once, whatever kills a run."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from api_server import NOW, SNAPSHOT, files, landed_rows

from ingest.asked import batches, checked
from ingest.errors import LandingError, NotFoundError, ServiceError
from ingest.land_rows import Harvest, Part, RowLander, day_snapshot
from ingest.rows import Row, schema_of

URL = "https://things.example.org/1"
FETCHED = NOW.replace(tzinfo=None)


class Thing(Row, frozen=True):
    """One thing."""

    thing_id: int
    name: str | None
    tags: tuple[str, ...]
    made_on: datetime.date | None
    is_kept: bool | None = None
    weight: float | None = None
    seen_at: datetime.datetime | None = None


class Piece(Row, frozen=True):
    """One piece of a thing."""

    thing_id: int
    weight: float | None


THING = Thing(1, "one", ("a", "b"), datetime.date(2020, 1, 2), True, 1.5, FETCHED)


def lander(landing: Path, version: str = "1") -> RowLander:
    datasets = {"things": Thing, "pieces": Piece}
    return RowLander(
        landing, "test", "https://x.org", datasets, SNAPSHOT, parts_of={"pieces": "things"}, version=version
    )


def harvest(weight: float | None = 2.5) -> Harvest:
    return Harvest({"things": Part([THING], URL), "pieces": Part([Piece(1, weight)] * 2, [URL, f"{URL}#2"])}, FETCHED)


def land(run: RowLander, fetch: Callable[[], Harvest] = harvest, choice: str | None = None) -> None:
    run.land("thing", URL, ["pieces", "things"], fetch, unknown="thing 1", choice=choice)


def never() -> Harvest:
    raise AssertionError("what is there is not asked for again")


def test_rows_are_landed_as_they_are_with_their_origin(tmp_path: Path) -> None:
    with lander(tmp_path).run() as run:
        land(run)
    (row,) = landed_rows(tmp_path, "test", "things")
    origin = {"source": "test", "source_url": URL, "fetched_at": FETCHED, "snapshot_id": SNAPSHOT.snapshot_id}
    expected = {"thing_id": 1, "name": "one", "tags": ["a", "b"], "made_on": datetime.date(2020, 1, 2), "is_kept": True}
    assert len(row.pop("request_hash")) == 32
    assert row == expected | {"weight": 1.5, "seen_at": FETCHED} | origin
    assert [piece["source_url"] for piece in landed_rows(tmp_path, "test", "pieces")] == [URL, f"{URL}#2"]
    assert run.report.summary() == ("Snapshot test-2026-11-30: 1 things, 2 pieces; 2 files landed, 0 already there.")


def test_a_struct_is_the_schema() -> None:
    schema = schema_of(Thing)
    assert schema.names[-5:] == ["source", "source_url", "request_hash", "fetched_at", "snapshot_id"]
    types = [pa.int64(), pa.string(), pa.list_(pa.string()), pa.date32(), pa.bool_(), pa.float64(), pa.timestamp("us")]
    assert schema.types[:7] == types


def test_what_is_there_is_not_asked_again_and_the_manifest_stays(tmp_path: Path) -> None:
    with lander(tmp_path).run() as run:
        land(run)
    before = files(tmp_path)
    with lander(tmp_path).run() as run:
        land(run, never)
    assert files(tmp_path) == before
    assert (run.report.files_landed, run.report.files_skipped) == (0, 2)
    manifest = {row["dataset"]: row for row in landed_rows(tmp_path, "test", "snapshots")}
    assert {name: (row["files"], row["row_count"]) for name, row in manifest.items()} == {
        "things": (1, 1),
        "pieces": (1, 2),
    }


def test_the_manifest_follows_what_is_landed(tmp_path: Path) -> None:
    with lander(tmp_path).run() as run:
        land(run)
    first = landed_rows(tmp_path, "test", "snapshots")
    with lander(tmp_path).run() as run:
        run.land("thing", URL + "/2", ["pieces", "things"], harvest, unknown="")
    second = landed_rows(tmp_path, "test", "snapshots")
    assert [row["row_count"] for row in second] == [2, 4]
    assert {row["content_hash"] for row in first}.isdisjoint(row["content_hash"] for row in second)


def test_a_request_that_fails_lands_nothing(tmp_path: Path) -> None:
    def fail() -> Harvest:
        raise ServiceError("no")

    with pytest.raises(ServiceError), lander(tmp_path).run() as run:
        land(run, fail)
    assert files(tmp_path) == {}


def test_rows_that_do_not_fit_land_nothing(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowException), lander(tmp_path).run() as run:
        land(run, lambda: harvest("heavy"))  # type: ignore[arg-type]
    assert files(tmp_path) == {}


def test_what_a_killed_run_left_is_removed_and_landed_anew(tmp_path: Path) -> None:
    with lander(tmp_path).run() as run:
        land(run)
    (things,) = (tmp_path / "test/things").rglob("*.parquet")
    things.unlink()
    with lander(tmp_path).run() as run:
        assert landed_rows(tmp_path, "test", "pieces") == [], "pieces of a thing that is not there"
        land(run, lambda: harvest(9.0))
    assert [row["weight"] for row in landed_rows(tmp_path, "test", "pieces")] == [9.0, 9.0]


def test_what_is_unknown_lands_files_without_rows_and_is_not_asked_again(tmp_path: Path) -> None:
    def unknown() -> Harvest:
        raise NotFoundError("not known")

    with lander(tmp_path).run() as run:
        land(run, unknown)
    assert run.report.unknown == ["thing 1"]
    assert "Not known to the source: thing 1." in run.report.summary()
    with lander(tmp_path).run() as run:
        land(run, never)
    assert run.report.rows == {"things": 0, "pieces": 0}


def test_another_version_lands_anew(tmp_path: Path) -> None:
    for version in ("1", "2"):
        with lander(tmp_path, version).run() as run:
            land(run)
        assert run.report.files_landed == 2


def test_another_choice_replaces_the_first(tmp_path: Path) -> None:
    for choice in ("all", "few"):
        with lander(tmp_path).run() as run:
            land(run, choice=choice)
    assert len(files(tmp_path)) == 3
    with lander(tmp_path).run() as run:
        land(run, never, choice="few")


def test_values_that_are_held(tmp_path: Path) -> None:
    with lander(tmp_path).run() as run:
        assert run.held("things", "thing_id") == set()
        land(run)
        assert run.held("things", "name") == {"one"}
    (things,) = (tmp_path / "test/things").rglob("*.parquet")
    things.write_bytes(b"PAR1 not at all")
    with pytest.raises(LandingError, match="cannot be read"), lander(tmp_path).run() as run:
        run.held("things", "name")
    with pytest.raises(LandingError, match=r"cannot be read .*; delete it and run again"), lander(tmp_path).run():
        pass


def test_one_run_lands_at_a_time(tmp_path: Path) -> None:
    with lander(tmp_path).run(), pytest.raises(LandingError, match="Another run is landing"), lander(tmp_path).run():
        pass


def test_files_carry_the_hash_of_their_content(tmp_path: Path) -> None:
    with lander(tmp_path).run() as run:
        land(run)
    for path in (tmp_path / "test").rglob("*.parquet"):
        assert len(pq.ParquetFile(path).schema_arrow.metadata[b"content_hash"]) == 64


def test_a_snapshot_of_a_day() -> None:
    snapshot = day_snapshot("nvd", datetime.date(2026, 11, 30))
    assert (snapshot.snapshot_id, snapshot.as_of) == ("nvd-2026-11-30", datetime.date(2026, 11, 30))


def test_what_is_asked_is_sorted_and_asked_once() -> None:
    assert checked(["b2", "a1", "b2"], "[a-z][0-9]", "thing", "a1") == ["a1", "b2"]
    with pytest.raises(ServiceError, match="'a1\\\\n' is no thing; write one such as a1"):
        checked(["a1\n"], "[a-z][0-9]", "thing", "a1")
    assert list(batches([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
