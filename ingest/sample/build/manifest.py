"""manifest.json: what the sample holds, of which day, from which sources, with a hash of every file."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from pathlib import Path

import pyoxigraph

from ingest.sample.build.sources import SOURCES

AS_OF = "2026-11-30"
"""The day the sample is a snapshot of; facts of an older day say so in their qualifiers."""

_STATEMENT = re.compile(r"^wds:\S+ a wikibase:Statement", re.MULTILINE)
_ITEM = re.compile(r" a wikibase:Item ;?$|^\S+ a wikibase:Item", re.MULTILINE)
_SOURCE = re.compile(r"^<urn:assay:source:([a-z_]+)> a wikibase:Reference", re.MULTILINE)


def describe(path: Path) -> dict[str, object]:
    """Bytes, sha256, sources and counts of one .ttl.xz file."""
    data = path.read_bytes()
    packed = lzma.decompress(data)
    turtle = packed.decode("utf-8")
    triples = set(pyoxigraph.parse(packed, pyoxigraph.RdfFormat.TURTLE))
    return {
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "triples": len(triples),
        "entities": len(_ITEM.findall(turtle)),
        "statements": len(_STATEMENT.findall(turtle)),
        "sources": sorted(_SOURCE.findall(turtle)),
    }


def write_manifest(folder: Path, path: Path) -> None:
    """Describes every *.ttl.xz of a folder; equal files give an equal manifest."""
    files = {file.name: describe(file) for file in sorted(folder.glob("*.ttl.xz"))}
    used = {name for entry in files.values() for name in entry["sources"]}  # type: ignore[attr-defined]
    sources = {
        name: {"title": source.title, "url": source.url, "licence": source.licence, "obtained_from": source.package}
        for name, source in sorted(SOURCES.items())
        if name in used
    }
    manifest = {"as_of": AS_OF, "files": files, "sources": sources}
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(path)
