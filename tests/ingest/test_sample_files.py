"""The bundled sample as a snapshot: complete and as its manifest says, or one sentence."""

import hashlib
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from towns import CITIES, TOWNS, files

from ingest.errors import SampleError
from ingest.wikidata import __main__
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.land import land, sample_snapshot
from ingest.wikidata.sample import read_manifest


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A sample of one file."""
    folder = tmp_path / "sample"
    (folder / "facts").mkdir(parents=True)
    packed = lzma.compress(TOWNS.read_bytes())
    (folder / "facts" / "towns.ttl.xz").write_bytes(packed)
    _write_manifest(folder, {"towns.ttl.xz": {"sha256": hashlib.sha256(packed).hexdigest(), "triples": 100}})
    return folder


def _write_manifest(folder: Path, listed: object) -> None:
    document = {"as_of": "2026-11-30", "files": listed, "sources": {"towns": {"licence": "CC0-1.0"}}}
    (folder / "manifest.json").write_text(json.dumps(document))


def _replace(sample: Path, content: bytes) -> None:
    """Another content for the file, with a manifest to match."""
    (sample / "facts" / "towns.ttl.xz").write_bytes(content)
    _write_manifest(sample, {"towns.ttl.xz": {"sha256": hashlib.sha256(content).hexdigest(), "triples": 1}})


def test_the_snapshot_is_named_by_the_files(sample: Path) -> None:
    first = sample_snapshot(sample)
    assert first.as_of.isoformat() == "2026-11-30"
    assert first.snapshot_id == f"sample-{_id_of(sample)}"
    _replace(sample, lzma.compress(b""))
    assert sample_snapshot(sample).snapshot_id != first.snapshot_id


def _id_of(sample: Path) -> str:
    hashes = "".join(file.sha256 for _, file in sorted(read_manifest(sample).files.items()))
    return hashlib.sha256(hashes.encode()).hexdigest()[:12]


def test_it_lands(sample: Path, tmp_path: Path) -> None:
    report = land([CITIES], EmbeddedEndpoint.from_sample(sample), tmp_path / "landing", sample_snapshot(sample))
    assert report.rows["cities"]["instances"] == 7


def _remove_manifest(sample: Path) -> None:
    (sample / "manifest.json").unlink()


def _break_manifest(sample: Path) -> None:
    (sample / "manifest.json").write_text('{"as_of": "2026-11-30", "files": {')


def _empty_manifest(sample: Path) -> None:
    _write_manifest(sample, {})


def _manifest_of_another_shape(sample: Path) -> None:
    _write_manifest(sample, ["towns.ttl.xz"])


def _remove_file(sample: Path) -> None:
    (sample / "facts" / "towns.ttl.xz").unlink()


def _flip_a_bit(sample: Path) -> None:
    path = sample / "facts" / "towns.ttl.xz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _cut_the_archive(sample: Path) -> None:
    _replace(sample, (sample / "facts" / "towns.ttl.xz").read_bytes()[:-30])


def _no_archive(sample: Path) -> None:
    _replace(sample, b"not xz at all")


def _no_turtle(sample: Path) -> None:
    _replace(sample, lzma.compress(b"wd:Q1 a b c d ."))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (
            _remove_manifest,
            r"manifest .*manifest\.json cannot be read \(No such file or directory\); restore ingest/sample",
        ),
        (_break_manifest, r"manifest .*manifest\.json is damaged \(.+\); restore ingest/sample from the repository or"),
        (_empty_manifest, "lists no files; restore ingest/sample"),
        (_manifest_of_another_shape, "is damaged"),
        (_remove_file, r"file .*towns\.ttl\.xz cannot be read \(No such file or directory\); restore"),
        (_flip_a_bit, r"file .*towns\.ttl\.xz is not the one its manifest describes; restore"),
        (_cut_the_archive, r"file .*towns\.ttl\.xz is no valid xz file \(.+\); restore"),
        (_no_archive, r"file .*towns\.ttl\.xz is no valid xz file \(.+\); restore"),
        (_no_turtle, r"The facts file towns\.ttl\.xz is no valid Turtle \(.+\); rebuild it"),
    ],
)
def test_damage_is_one_sentence_and_lands_nothing(
    damage: Callable[[Path], None], told: str, sample: Path, tmp_path: Path
) -> None:
    damage(sample)
    with pytest.raises(SampleError, match=told) as raised:
        land([CITIES], EmbeddedEndpoint.from_sample(sample), tmp_path / "landing", sample_snapshot(sample))
    assert "\n" not in str(raised.value)
    assert files(tmp_path / "landing") == {}


def test_a_missing_facts_file_outside_the_sample(tmp_path: Path) -> None:
    missing = EmbeddedEndpoint.from_files([tmp_path / "nothing.ttl"])
    with pytest.raises(SampleError, match=r"nothing\.ttl cannot be read \(No such file or directory\); check the path"):
        land([CITIES], missing, tmp_path / "landing", sample_snapshot())


def test_the_command_line(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topics = tmp_path / "models" / "topics"
    topics.mkdir(parents=True)
    source = "{classes: [Q515], properties: [P17]}"
    (topics / "cities.yml").write_text(f"models: [{{name: cities, config: {{meta: {{source: {source}}}}}}}]")
    given = ["--models", str(tmp_path / "models"), "--landing", str(tmp_path / "landing"), "--sample", str(sample)]
    assert __main__.main([*given, "cities"]) == 0
    assert "Landed cities: 7 instances, " in capsys.readouterr().out
    assert __main__.main([*given, "lakes"]) == 1
    assert "describes no topic 'lakes'" in capsys.readouterr().err
    assert __main__.main([*given, "--endpoint", "nowhere"]) == 1
    assert "The SPARQL endpoint's address is no http(s) URL" in capsys.readouterr().err
