"""Every source has a licence that allows what we do with it, and stands in NOTICE; the manifest fits the files."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from pathlib import Path

import pytest

from ingest.sample.build.sources import SOURCES

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "ingest" / "sample"
MANIFEST = json.loads((SAMPLE / "manifest.json").read_text(encoding="utf-8"))
FILES = sorted(path.name for path in (SAMPLE / "facts").glob("*.ttl.xz"))


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_source_stands_in_notice(name: str) -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    source = SOURCES[name]
    for part in (f"\n{name}\n", source.title, source.url, source.licence, source.package, source.attribution):
        assert part in notice, f"NOTICE does not say {part!r} of the source {name}."


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_source_has_a_permissive_licence(name: str) -> None:
    licence = SOURCES[name].licence
    assert not re.search(r"GPL|ODbL|NC|ND|SA\b", licence)
    assert re.match(r"MIT|ISC|BSD|CC0|CC BY|public domain|free use with attribution|Unicode", licence)


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_the_one_in_the_manifest(file: str) -> None:
    data = (SAMPLE / "facts" / file).read_bytes()
    assert hashlib.sha256(data).hexdigest() == MANIFEST["files"][file]["sha256"]
    assert len(data) == MANIFEST["files"][file]["bytes"]


def test_the_manifest_lists_every_file_and_source() -> None:
    assert sorted(MANIFEST["files"]) == FILES
    used = {name for entry in MANIFEST["files"].values() for name in entry["sources"]}
    assert set(MANIFEST["sources"]) == used <= set(SOURCES)


def test_the_sample_is_small() -> None:
    assert sum((SAMPLE / "facts" / file).stat().st_size for file in FILES) <= 4_000_000


@pytest.mark.parametrize("file", FILES)
def test_every_statement_names_its_source(file: str) -> None:
    turtle = lzma.decompress((SAMPLE / "facts" / file).read_bytes()).decode("utf-8")
    statements = [line for line in turtle.splitlines() if re.match(r"wds:\S+ a wikibase:Statement", line)]
    assert statements or file == "classes.ttl.xz"
    assert all("prov:wasDerivedFrom <urn:assay:source:" in line for line in statements)


def test_every_thing_that_a_statement_points_to_has_a_name() -> None:
    named: set[str] = set()
    pointed_to: set[str] = set()
    for file in FILES:
        turtle = lzma.decompress((SAMPLE / "facts" / file).read_bytes()).decode("utf-8")
        named.update(block.split(" ", 1)[0] for block in turtle.split("\n\n") if "\n  rdfs:label " in block)
        pointed_to.update(re.findall(r" ;  ?(?:ps|pq):P\d+ (wd:Q\d+|<[^>]+>)", turtle.replace("\n", " ;  ")))
    assert pointed_to
    assert pointed_to - named == set()
