"""The landing zone: atomic files, plain errors, one run at a time."""

import datetime
import errno
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from ingest.errors import LandingError
from ingest.landing import (
    SCHEMAS,
    Landing,
    atomic_file,
    content_hash,
    request_hash,
    stored_hash,
)

PROJECT = Path(__file__).resolve().parent.parent.parent
NOBODY = 65534


def instances(count: int = 2, hour: int = 12) -> pa.Table:
    """Some rows of the dataset ``instances``."""
    rows = [
        {
            "entity_id": f"Q{number}", "class_id": "Q5", "source": "wikidata", "source_url": "https://example.org",
            "request_hash": "ab", "fetched_at": datetime.datetime(2026, 11, 30, hour), "snapshot_id": "s",
        }
        for number in range(1, count + 1)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, SCHEMAS["instances"])


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_table_reads_back_with_its_hash(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "wikidata")
    path = landing.write("instances", "s", "humans-1", instances())
    assert path == tmp_path / "wikidata" / "instances" / "s" / "humans-1.parquet"
    table = landing.read("instances", "s", "humans-1")
    assert table is not None
    assert table.replace_schema_metadata(None).equals(instances())
    assert stored_hash(table) == content_hash(instances()) == stored_hash(instances())
    assert landing.read("instances", "s", "humans-2") is None


def test_the_content_hash_leaves_out_when() -> None:
    assert content_hash(instances(hour=12)) == content_hash(instances(hour=13))
    assert content_hash(instances(2)) != content_hash(instances(3))
    chunked = pa.concat_tables([instances().slice(0, 1), instances().slice(1)])
    assert content_hash(chunked) == content_hash(instances())


def test_request_hashes_keep_parts_apart() -> None:
    assert request_hash(["ab", "c"]) != request_hash(["a", "bc"])
    assert len(request_hash(["a"])) == 32


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError])
def test_a_write_that_ends_badly_leaves_nothing(error: type[BaseException], tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_file(tmp_path / "a" / "b.parquet") as handle:
            handle.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert everything(tmp_path) == []


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"old")
    with atomic_file(path) as handle:
        handle.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert everything(tmp_path) == ["x.parquet"]


def test_a_disk_that_fills_up_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        LandingError, match=r"instances/s/x\.parquet could not be written because the disk is full; free"
    ):
        Landing(tmp_path, "wikidata").write("instances", "s", "x", instances())
    assert everything(tmp_path) == []


def test_a_write_that_the_system_cuts_short_leaves_nothing(tmp_path: Path) -> None:
    """A real failure in mid-file: the process may not write files beyond 1,000 bytes."""
    code = """
        import resource, signal, sys
        from pathlib import Path
        sys.path.insert(0, "tests/ingest")
        from test_landing import instances
        from ingest.errors import LandingError
        from ingest.landing import Landing
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        try:
            Landing(Path(sys.argv[1]), "wikidata").write("instances", "s", "x", instances(5000))
        except LandingError as error:
            print(error)
    """
    assert signal.SIGXFSZ
    assert resource.RLIMIT_FSIZE
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)],
        capture_output=True, text=True, check=True, cwd=PROJECT,
    )  # fmt: skip
    assert done.stdout.endswith("x.parquet could not be written (File too large); mend that and run again.\n")
    assert everything(tmp_path) == []


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that this process may not write into, even where the tests run as root."""
    with tempfile.TemporaryDirectory() as name:
        outer, folder = Path(name), Path(name) / "landing"
        folder.mkdir()
        outer.chmod(0o755)
        folder.chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            folder.chmod(0o755)


def test_a_read_only_folder_is_one_sentence(read_only_folder: Path) -> None:
    told = "could not be written because its folder is read-only; make it writable or use another one"
    with pytest.raises(LandingError, match=told):
        Landing(read_only_folder, "wikidata").write("instances", "s", "x", instances())
    with pytest.raises(LandingError, match=told), Landing(read_only_folder, "wikidata").lock():
        pass


def test_a_landing_zone_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "landing").write_text("")
    with pytest.raises(LandingError, match=r"could not be written \(.+\); mend that and run again\."):
        Landing(tmp_path / "landing", "wikidata").write("instances", "s", "x", instances())


def test_a_damaged_landed_file_is_one_sentence(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "wikidata")
    landing.write("instances", "s", "x", instances()).write_bytes(b"PAR1 and no more")
    with pytest.raises(LandingError, match=r"cannot be read .*; delete it and run again") as raised:
        landing.read("instances", "s", "x")
    assert "\n" not in str(raised.value)


def test_the_lock_sweeps_what_killed_runs_left(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "wikidata")
    landing.write("instances", "s", "x", instances())
    (landing.folder("instances", "s") / ".y.parquet.123.tmp").write_bytes(b"half")
    with landing.lock():
        assert everything(tmp_path) == ["wikidata/.lock", "wikidata/instances/s/x.parquet"]


def test_pruning_takes_a_topics_own_files_only(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "wikidata")
    for name in ("cities-1", "cities-2", "cities_of_france-1", "cities-of-1"):
        landing.write("instances", "s", name, instances())
    gone = landing.prune("instances", "s", "cities", ["cities-2"])
    assert [path.name for path in gone] == ["cities-1.parquet"]
    assert landing.prune("instances", "other", "cities", []) == []
