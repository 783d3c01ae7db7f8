"""Speed and memory of the dump reader, beside loops that do no more than parse.

    python benchmarks/dump_reader.py                     # a synthetic dump of 200 MB
    ASSAY_PAYLOADS=<folder> python benchmarks/dump_reader.py   # recorded dump lines, repeated, as well

Every run is a process of its own, so that its peak memory is its own; the contenders take turns, and the least
disturbed of several rounds counts. The speed is MB of uncompressed JSON a second of processor time, which is what one
core does; the ratio to json.loads in the same run is what can be compared between machines.
"""

from __future__ import annotations

import argparse
import bz2
import datetime
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

OURS = "landing to Parquet (.json)"
REPEATED = ("opentapioca_dump_sample_*.json", "opentapioca_recentchanges_stream_*.jsonl")


def lines_of(path: Path) -> Iterator[bytes]:
    """The entities of an uncompressed dump, one a line, as the parsing loops need them."""
    with path.open("rb") as file:
        for line in file:
            text = line.strip().rstrip(b",")
            if text not in (b"[", b"]", b""):
                yield text


def land(path: Path) -> int:
    """Our reader, all the way to Parquet. Returns the statements landed."""
    from ingest.landing import Landing, Snapshot
    from ingest.wikidata.land_dump import land_dump

    with tempfile.TemporaryDirectory() as folder:
        snapshot = Snapshot("benchmark", datetime.date(2026, 11, 30))
        return land_dump(path, Landing(Path(folder), "wikidata"), snapshot).rows["statements"]


def decode(path: Path) -> int:
    """Our typed structs alone, nothing landed."""
    from ingest.wikidata.entity_json import EntityDecoder

    decoder = EntityDecoder()
    return sum(decoder.entity(line) is not None for line in lines_of(path))


def parse_json(path: Path) -> int:
    return sum(json.loads(line) is not None for line in lines_of(path))


def parse_orjson(path: Path) -> int:
    import orjson

    return sum(orjson.loads(line) is not None for line in lines_of(path))


def parse_msgspec(path: Path) -> int:
    import msgspec

    return sum(msgspec.json.decode(line) is not None for line in lines_of(path))


def iterate_qwikidata(path: Path) -> int:
    from qwikidata.json_dump import WikidataJsonDump  # type: ignore[import-untyped]

    return sum(1 for _ in WikidataJsonDump(str(path)))


CONTENDERS: dict[str, Callable[[Path], int]] = {
    OURS: land,
    "landing to Parquet (.json.gz)": land,
    "landing to Parquet (.json.bz2)": land,
    "only decoding our typed structs": decode,
    "only json.loads": parse_json,
    "only orjson.loads": parse_orjson,
    "only msgspec.json.decode, untyped": parse_msgspec,
    "only iterating qwikidata": iterate_qwikidata,
}


def measure(name: str, path: Path) -> None:
    """Run one contender in this process and print what it took, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.json"
        small.write_bytes(b"[\n" + synthetic(1)[0] + b"\n]\n")
        CONTENDERS[name](small)  # imports are no part of reading
    wall, processor = time.perf_counter(), time.process_time()
    CONTENDERS[name](path)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"VmHWM:\s*(\d+) kB", status)
    print(json.dumps({"wall": wall, "processor": processor, "peak": int(peak[1]) / 1024 if peak else None}))


def run(name: str, path: Path) -> dict[str, float]:
    """One contender in a process of its own: seconds of wall and processor time, peak memory in MB."""
    command = [sys.executable, str(Path(__file__)), "--measure", name, "--dump", str(path)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(answer)
    return result


def compare(title: str, entities: list[bytes], megabytes: int, rounds: int) -> str:
    """Measure every contender over a dump of repeated entities; returns a Markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_dumps(Path(folder), entities, megabytes)
        size = files[".json"].stat().st_size / 1e6
        # bzip2 is so slow by itself that an eighth of the dump tells as much.
        sizes = {name: size / 8 if "bz2" in name else size for name in CONTENDERS}
        best: dict[str, dict[str, float]] = {}
        for _ in range(rounds):
            for name in CONTENDERS:
                kind = next((end for end in (".json.gz", ".json.bz2") if end in name), ".json")
                taken = run(name, files[kind])
                if name not in best or taken["processor"] < best[name]["processor"]:
                    best[name] = taken
    base = sizes["only json.loads"] / best["only json.loads"]["processor"]
    rows = [
        f"{title}, {size:.0f} MB of JSON, best of {rounds} rounds:",
        "",
        "| what | MB/s of processor time | times json.loads | MB/s of wall time | peak memory, MB |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, taken in best.items():
        speed, wall = sizes[name] / taken["processor"], sizes[name] / taken["wall"]
        rows.append(f"| {name} | {speed:.0f} | {speed / base:.2f} | {wall:.0f} | {taken['peak']:.0f} |")
    return "\n".join(rows)


def write_dumps(folder: Path, entities: list[bytes], megabytes: int) -> dict[str, Path]:
    """A dump of about so many MB in each packing (an eighth for bzip2), repeating the entities."""
    once = b",\n".join(entities)
    times = max(1, round(megabytes * 1e6 / len(once)))
    files = {end: folder / f"dump{end}" for end in (".json", ".json.gz", ".json.bz2")}
    for end, repeat in ((".json", times), (".json.gz", times), (".json.bz2", max(1, times // 8))):
        opened: Any = {".json": open, ".json.gz": gzip.open, ".json.bz2": bz2.open}[end]
        with opened(files[end], "wb") as file:
            file.write(b"[\n")
            for number in range(repeat):
                file.write((b",\n" if number else b"") + once)
            file.write(b"\n]\n")
    return files


def recorded(payloads: Path) -> list[bytes]:
    """Lines of recorded dumps (2018) and of the recent-changes stream (2019)."""
    folder = payloads / "wikidata-entities-json"
    return [line for pattern in REPEATED for path in sorted(folder.glob(pattern)) for line in lines_of(path)]


def synthetic(count: int = 400, seed: int = 1) -> list[bytes]:
    """Items shaped like Wikidata's: labels in many languages, sitelinks, and statements of every kind with ranks,
    qualifiers, units and references. Ids are numbers drawn at random; nothing in it is a fact."""
    draw = random.Random(seed)
    return [json.dumps(_item(number, draw)).encode() for number in range(1, count + 1)]


LANGUAGES = [
    "en", "de", "fr", "es", "it", "nl", "pl", "ru", "ja", "zh", "ar", "sv", "pt", "cs", "fi",
    "hu", "ko", "uk", "he", "tr", "da", "nb", "ca", "eu", "fa", "id", "ro", "vi", "el", "bg",
]  # fmt: skip
UNITS = ["1", "1", *(f"http://www.wikidata.org/entity/{unit}" for unit in ("Q11573", "Q712226", "Q25343", "Q11570"))]
KINDS = {  # property -> (data type, share of all statements), as in the recorded dumps
    "P31": ("wikibase-item", 30), "P17": ("wikibase-item", 12), "P214": ("external-id", 18), "P18": ("commonsMedia", 3),
    "P1082": ("quantity", 8), "P2046": ("quantity", 4), "P569": ("time", 5), "P571": ("time", 4), "P373": ("string", 9),
    "P856": ("url", 1), "P1448": ("monolingualtext", 4), "P625": ("globe-coordinate", 2),
}  # fmt: skip


def _item(number: int, draw: random.Random) -> dict[str, Any]:
    languages = draw.sample(LANGUAGES, draw.choice([1, 2, 4, 12, 30]))
    claims: dict[str, list[Any]] = {}
    properties, weights = list(KINDS), [share for _, share in KINDS.values()]
    for prop in draw.choices(properties, weights, k=draw.choice([3, 8, 15, 25, 120])):
        claims.setdefault(prop, []).append(_statement(f"Q{number}", prop, draw))
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {code: {"language": code, "value": f"Этикетка {number} {code}"} for code in languages},
        "descriptions": {code: {"language": code, "value": f"description {number} in {code}"} for code in languages},
        "aliases": {code: [{"language": code, "value": f"alias {number} {code}"}] for code in languages[:5]},
        "claims": claims,
        "sitelinks": {
            f"{code}wiki": {"site": f"{code}wiki", "title": f"T {number}", "badges": []} for code in languages
        },
        "lastrevid": draw.randrange(10**9),
    }


def _statement(subject: str, prop: str, draw: random.Random) -> dict[str, Any]:
    statement: dict[str, Any] = {
        "mainsnak": _snak(prop, KINDS[prop][0], draw),
        "type": "statement",
        "id": f"{subject}${draw.randbytes(4).hex()}-4d3c-4f11-a1b5-{draw.randbytes(6).hex()}",
        "rank": draw.choices(["normal", "preferred", "deprecated"], [96, 3, 1])[0],
    }
    if draw.random() < 0.33:
        snaks = {"P585": "time"} if draw.random() < 0.6 else {"P580": "time", "P642": "wikibase-item"}
        qualifiers = {name: [_snak(name, kind, draw, hashed=True)] for name, kind in snaks.items()}
        statement |= {"qualifiers": qualifiers, "qualifiers-order": list(qualifiers)}
    if draw.random() < 0.45:
        parts = {"P248": "wikibase-item", "P854": "url", "P813": "time"}
        chosen = {name: kind for name, kind in parts.items() if draw.random() < 0.6} or {"P143": "wikibase-item"}
        snaks_of = {name: [_snak(name, kind, draw, hashed=True)] for name, kind in chosen.items()}
        reference = {"hash": draw.randbytes(20).hex(), "snaks": snaks_of, "snaks-order": list(snaks_of)}
        statement["references"] = [reference] * draw.choice([1, 1, 1, 2])
    return statement


def _snak(prop: str, datatype: str, draw: random.Random, hashed: bool = False) -> dict[str, Any]:
    number = draw.randrange(1, 10**7)
    if datatype == "wikibase-item":
        value: Any = {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}
        kind = "wikibase-entityid"
    elif datatype == "time":
        day = f"+{draw.randrange(1000, 2026)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}T00:00:00Z"
        calendar = "http://www.wikidata.org/entity/Q1985727"
        value = {"time": day, "timezone": 0, "before": 0, "after": 0, "precision": 11, "calendarmodel": calendar}
        kind = "time"
    elif datatype == "quantity":
        value, kind = {"amount": f"+{number}", "unit": draw.choice(UNITS)}, "quantity"
        if number % 3 == 0:
            value |= {"upperBound": f"+{number + 1}", "lowerBound": f"+{number - 1}"}
    elif datatype == "monolingualtext":
        value, kind = {"text": f"название {number}", "language": "ru"}, "monolingualtext"
    elif datatype == "globe-coordinate":
        value = {"latitude": draw.uniform(-90, 90), "longitude": draw.uniform(-180, 180), "altitude": None,
                 "precision": 0.0002, "globe": "http://www.wikidata.org/entity/Q2"}  # fmt: skip
        kind = "globecoordinate"
    else:
        value, kind = f"https://example.org/{number}" if datatype == "url" else f"Text {number}.jpg", "string"
    snak = {"snaktype": "value", "property": prop, "datavalue": {"value": value, "type": kind}, "datatype": datatype}
    return {"hash": draw.randbytes(20).hex(), **snak} if hashed else snak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=200, help="size of the dumps in MB of JSON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=CONTENDERS, help="run one contender over --dump, in this process")
    parser.add_argument("--dump", type=Path)
    given = parser.parse_args()
    if given.measure:
        measure(given.measure, given.dump)
        return
    print(compare("Synthetic dump", synthetic(), given.mb, given.rounds))
    if os.environ.get("ASSAY_PAYLOADS"):
        print()
        payloads = Path(os.environ["ASSAY_PAYLOADS"])
        print(compare("Recorded dump lines, repeated", recorded(payloads), given.mb, given.rounds))


if __name__ == "__main__":
    main()
