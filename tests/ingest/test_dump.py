"""The dump reader: every packing lands the same rows, every kind of damage lands nothing and is named."""

import bz2
import datetime
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest.errors import LandingError
from ingest.landing import Landing, Snapshot
from ingest.wikidata import dump, land_dump
from ingest.wikidata.dump import DumpError
from ingest.wikidata.entity_json import ApiError

DUMP = Path(__file__).parent / "fixtures" / "two_routes.json"
TEXT = DUMP.read_bytes()
LINES = [line.rstrip(b",") for line in TEXT.splitlines()[1:-1]]
SNAPSHOT = Snapshot("wikidata-2026-11-30", datetime.date(2026, 11, 30))


def land(path: Path, root: Path, **options: Any) -> land_dump.DumpLanding:
    return land_dump.land_dump(path, Landing(root / "landing", "wikidata"), SNAPSHOT, **options)


def rows_of(landed: land_dump.DumpLanding) -> dict[str, list[dict[str, Any]]]:
    drop = ["request_hash", "fetched_at"]
    return {name: pq.read_table(path).drop_columns(drop).to_pylist() for name, path in landed.files.items()}


def files_in(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "landing").rglob("*") if path.is_file() and path.name != ".lock")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    return rows_of(land(DUMP, tmp_path_factory.mktemp("expected")))


PACKINGS = {
    "gzip": gzip.compress(TEXT),
    "gzip in two members": gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:]),
    "bzip2": bz2.compress(TEXT),
    "one entity a line": b"\n".join(LINES),
    "blank lines, spaces and CRLF": b"\r\n\r\n".join(b"  " + line + b" " for line in LINES) + b"\r\n",
    "byte order mark": b"\xef\xbb\xbf" + TEXT,
    "brackets on the entities' lines": b"[" + b",\n".join(LINES) + b"]",
    "array on one line": b"[" + b",".join(LINES) + b"]",
    "printed document": json.dumps([json.loads(line) for line in LINES], indent=2).encode(),
    "API answer": json.dumps({"entities": {str(n): json.loads(line) for n, line in enumerate(LINES)}}).encode(),
    "printed API answer": json.dumps({"entities": [json.loads(line) for line in LINES]}, indent=1).encode(),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_packing_lands_the_same_rows(packing: str, tmp_path: Path, expected: Any) -> None:
    path = tmp_path / "latest-all.json"
    path.write_bytes(PACKINGS[packing])
    assert rows_of(land(path, tmp_path)) == expected


def test_row_groups_of_any_size_hold_the_same_rows(
    tmp_path: Path, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(land_dump, "ROWS_PER_GROUP", 1)
    landed = land(DUMP, tmp_path)
    assert pq.ParquetFile(landed.files["entities"]).num_row_groups == 4
    unordered = {name: sorted(rows, key=str) for name, rows in rows_of(landed).items()}
    assert unordered == {name: sorted(rows, key=str) for name, rows in expected.items()}


def test_a_landed_dump_is_declared_by_its_snapshot_rows(tmp_path: Path) -> None:
    landed = land(DUMP, tmp_path)
    (path,) = (tmp_path / "landing/wikidata/snapshots/wikidata-2026-11-30").glob("*.parquet")
    rows = pq.read_table(path).to_pylist()
    assert {row["dataset"]: row["row_count"] for row in rows} == landed.rows == {
        "entities": 5, "instances": 2, "statements": 34,
    }  # fmt: skip
    assert {(row["endpoint"], row["topic"], row["files"], str(row["as_of"])) for row in rows} == {
        ("two_routes.json", "dump", 1, "2026-11-30")
    }


def test_a_dump_lands_once_and_again_only_when_something_else_is_asked(tmp_path: Path) -> None:
    first = land(DUMP, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in first.files.values()}
    again = land(DUMP, tmp_path)
    assert again.report is None
    assert again.rows == first.rows
    assert {path: path.stat().st_mtime_ns for path in again.files.values()} == before
    other = land(DUMP, tmp_path, properties=["P569"])
    assert other.report is not None
    assert other.rows["statements"] == 1
    assert other.files != first.files


def test_classes_are_followed_down_to_their_subclasses(tmp_path: Path) -> None:
    def entity(name: str, prop: str, *targets: str, rank: str = "normal") -> bytes:
        values = [
            {
                "mainsnak": {
                    "snaktype": "value",
                    "property": prop,
                    "datavalue": {"value": {"entity-type": "item", "id": target}, "type": "wikibase-entityid"},
                },
                "rank": rank,
            }
            for target in targets
        ]
        return json.dumps({"type": "item", "id": name, "claims": {prop: values}}).encode()

    lines = [
        entity("Q515", "P279", "Q486972", "Q1549591"),
        entity("Q1549591", "P279", "Q515"),  # a loop, as Wikidata has them
        entity("Q486972", "P279", "Q27096213", rank="deprecated"),
        entity("Q1040", "P31", "Q1549591"),
        entity("Q42", "P31", "Q5"),
    ]
    path = tmp_path / "classes.json"
    path.write_bytes(b"[\n" + b",\n".join(lines) + b"\n]\n")
    assert dump.subclasses(path, ["Q486972", "Q27096213"]) == {
        "Q486972": frozenset({"Q486972", "Q515", "Q1549591"}),
        "Q27096213": frozenset({"Q27096213"}),
    }
    rows = rows_of(land(path, tmp_path, classes=["Q486972", "Q5"]))
    assert [(row["entity_id"], row["class_id"]) for row in rows["instances"]] == [("Q1040", "Q486972"), ("Q42", "Q5")]
    assert {row["subject_id"] for row in rows["statements"]} == {"Q1040", "Q42"}
    assert len(rows["entities"]) == 5


def big(lines: int) -> bytes:
    """A dump long enough to be cut in the middle of what a reader has buffered."""
    filler = [json.dumps({"type": "item", "id": f"Q{n}", "labels": {}, "claims": [], "pad": os.urandom(500).hex()})
              for n in range(1, lines)]  # fmt: skip
    return b"[\n" + b",\n".join([*LINES, *(text.encode() for text in filler)]) + b"\n]\n"


CUT = TEXT.splitlines()[1][:900]
DAMAGE = {
    "gzip cut": (
        gzip.compress(big(5000))[:-4000],
        r"is damaged after line \d+ \(byte \d+ uncompressed\): compressed file",
    ),
    "gzip flipped": (gzip.compress(TEXT)[:-8] + b"\0" * 8, r"is damaged after line \d+ .* CRC check failed"),
    "gzip broken inside": (gzip.compress(TEXT)[:300] + b"\xff" * 300, r"is damaged after line 0 .* CRC check failed"),
    "bzip2 cut": (bz2.compress(big(3000))[:-400], r"is damaged after line \d+ .* compressed file ended before"),
    "bzip2 broken inside": (bz2.compress(TEXT)[:300] + b"\0" * 900, r"is damaged after line 0 .* invalid data stream"),
    "line cut": (
        b"[\n" + CUT + b"\n" + LINES[1] + b"\n]\n",
        r"Line 2 of the dump .*\(from byte 2\) is no whole entity: JSON",
    ),
    "line cut in the middle": (
        b"[\n" + LINES[1] + b",\n" + CUT + b"\n]\n",
        rf"Line 3 of the dump .*\(from byte {len(LINES[1]) + 4}\) is no whole entity: input data was truncated",
    ),
    "bad UTF-8": (
        b"[\n" + LINES[1].replace("ダ".encode(), b"\xe3\x83") + b"\n]\n",
        rf"Line 2 .*\(from byte {2 + LINES[1].index('ダ'.encode())}\) is no whole entity: it is not UTF-8 text",
    ),
    "no end": (
        b"[\n" + b",\n".join(LINES) + b",\n",
        r"is cut short: its array has no end after line 5; fetch it again",
    ),
    "empty": (b"", r"holds no entity; check that it is a Wikidata JSON dump"),
    "empty array": (b"[\n]\n", r"holds no entity"),
    "web page": (
        b"<html>\n<body>429 Too Many Requests</body></html>",
        r"Line 1 .* is no whole entity: JSON is malformed",
    ),
    "printed document cut": (
        json.dumps(json.loads(LINES[0]), indent=1).encode()[:-9],
        r"Line 1 .* is no whole entity: input",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_dump_lands_nothing_and_says_where_it_is_damaged(damage: str, tmp_path: Path) -> None:
    content, message = DAMAGE[damage]
    path = tmp_path / "damaged.json"
    path.write_bytes(content)
    with pytest.raises(DumpError, match=message) as raised:
        land(path, tmp_path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert files_in(tmp_path) == []


def test_damaged_lines_are_left_out_and_counted_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    path.write_bytes(
        b"[\n" + b",\n".join([CUT, LINES[1], b'{"type":"item"', LINES[2].replace(b"Stadt", b"\xff")]) + b"\n]\n"
    )
    landed = land(path, tmp_path, on_error="skip")
    assert landed.report is not None
    assert (landed.report.bad_lines, landed.report.entities, landed.rows["entities"]) == (3, 1, 1)
    assert "Damaged lines left out: 3." in landed.report.lines()


def test_what_comes_before_a_broken_stream_lands_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    path.write_bytes(gzip.compress(big(5000))[:-4000])
    landed = land(path, tmp_path, on_error="skip")
    assert landed.report is not None
    assert landed.report.cut_short is not None
    assert 1000 < landed.report.entities < 5003
    assert landed.report.lines()[-1].startswith(f"The dump {path} is damaged after line")


def test_a_file_without_line_breaks_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dump, "MAX_LINE", 1 << 20)
    path = tmp_path / "endless.json"
    path.write_bytes(b'{"type":"item","id":"Q42","pad":"' + b"x" * (3 << 20) + b'"}')
    with pytest.raises(DumpError, match=r"Line 1 of the dump .*\(from byte 0\) is longer than 1 MiB"):
        land(path, tmp_path)
    path.write_bytes(b"{\n" + (b' "x": "' + b"x" * 1000 + b'",\n') * 2000 + b"}")
    with pytest.raises(DumpError, match="one document over many lines, and more than 1 MiB of it"):
        land(path, tmp_path)


def test_a_dump_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match=r"absent\.json cannot be opened: No such file or directory; check the path"):
        land(tmp_path / "absent.json", tmp_path)
    with pytest.raises(DumpError, match="cannot be opened: Is a directory"):
        land(tmp_path, tmp_path)


def test_an_error_answer_saved_as_a_dump_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text('{"error":{"code":"maxlag","info":"Waiting for a replica: 2 seconds lagged"}}')
    with pytest.raises(ApiError, match="error maxlag: Waiting for a replica"):
        land(path, tmp_path)
    assert files_in(tmp_path) == []


def test_a_run_that_stops_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(land_dump, "ROWS_PER_GROUP", 1)
    monkeypatch.setattr(land_dump, "_declaration", stop)
    with pytest.raises(KeyboardInterrupt):
        land(DUMP, tmp_path)
    monkeypatch.undo()
    assert not list((tmp_path / "landing").rglob("snapshots"))
    assert land(DUMP, tmp_path).report is not None  # not declared, so not taken for landed


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    with Landing(tmp_path / "landing", "wikidata").lock(), pytest.raises(LandingError, match="Another run is landing"):
        land(DUMP, tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "landing").write_text("a file where the folder should be")
    with pytest.raises(LandingError, match="landing/wikidata could not be written"):
        land(DUMP, tmp_path)


def test_the_command_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--as-of", "2026-11-30", "--landing", str(tmp_path / "landing")]
    assert land_dump.main([str(DUMP), *where, "--properties", "P1082", "--classes", "Q6256"]) == 0
    assert capsys.readouterr().out == "Landed: 4 entities, 3 statements.\nRedirects landed: 1.\n"
    assert land_dump.main([str(DUMP), *where, "--properties", "P1082", "--classes", "Q6256"]) == 0
    assert capsys.readouterr().out == f"{DUMP} is landed already; nothing was done.\n"
    assert land_dump.main([str(tmp_path / "absent.json"), *where]) == 1
    assert "absent.json cannot be opened" in capsys.readouterr().err


def test_memory_does_not_grow_with_the_dump(tmp_path: Path) -> None:
    code = (
        "import datetime, re, sys; from pathlib import Path\n"
        "from ingest.landing import Landing, Snapshot\n"
        "from ingest.wikidata.land_dump import land_dump\n"
        "snapshot = Snapshot('s', datetime.date(2026, 11, 30))\n"
        "land_dump(Path(sys.argv[1]), Landing(Path(sys.argv[2]), 'wikidata'), snapshot)\n"
        # Not getrusage: its peak is inherited from the process that started this one.
        "print(re.search(r'VmHWM:\\s*(\\d+) kB', Path('/proc/self/status').read_text())[1])\n"
    )
    path = tmp_path / "long.json"
    with path.open("wb") as file:
        for _ in range(2000):  # 28 MB, 66,000 statements
            file.write(b"\n".join(LINES) + b"\n")
    command = [sys.executable, "-c", code, str(path), str(tmp_path / "out")]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert int(result.stdout) / 1024 <= 300
