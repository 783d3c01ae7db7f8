"""Reference corpora as GT.json.gz, to be carried from one place to another.

A JSON object, packed with gzip or not, of title -> what is known under it::

    {"Nile": {"entity_id": "Q3392",
              "texts": [{"source": "wikipedia", "url": "https://...", "title": "Nile", "text": "# Nile\\n..."}],
              "triples": [{"subject": "Nile", "predicate": "length", "object": "6650 km",
                           "source": "wikipedia", "url": "https://...", "sentence": "It is 6,650 km long."}]}}

``text`` is Markdown or plain. ``entity_id``, ``title`` of a text, ``source``, ``url`` and ``sentence`` may be missing;
a triple may be a list of three texts, and the whole a list of such objects with a ``title`` each. Texts from the web
are neither written nor landed, nor are sentences of theirs. What a warehouse records itself (source ``warehouse``) is
written for others to read, and not taken in: every warehouse has its own.
"""

from __future__ import annotations

import datetime
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import duckdb
import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.llm.structured import clean
from dagster_defs.steps.chunks import Document
from dagster_defs.steps.elicitation_rows import SCHEMAS, land_rows
from dagster_defs.steps.passages import cut
from dagster_defs.steps.published import reading
from dagster_defs.steps.reference.json_stream import entries
from dagster_defs.steps.reference.plan import WEB, WIKIPEDIA, digest, name_of
from ingest.landing import atomic_file
from ingest.wikipedia.pages import address

IMPORT: Final = "import"
WAREHOUSE: Final = "warehouse"
PARTS: Final = ("subject", "predicate", "object")
_BLOCK: Final = 50
_GZIP: Final = b"\x1f\x8b"
_DATASETS: Final = ("passages", "reference_triples", "references")
Row = dict[str, Any]


@dataclass
class Taken:
    """What was read from a file.

    dropped: triples that lack a part. unlinked: titles whose entity nobody told. recorded: texts and triples that a
    warehouse records itself.
    """

    reference_id: str
    titles: int = 0
    passages: int = 0
    triples: int = 0
    dropped: int = 0
    unlinked: int = 0
    recorded: int = 0
    entities: set[str] = field(default_factory=set)

    def sentences(self) -> list[str]:
        """The import in lines that a person reads."""
        return [
            f"{self.titles} titles ({self.unlinked} of no known entity): {self.passages} passages and {self.triples}"
            f" reference triples; {self.dropped} triples lacked a part and were left out, and {self.recorded} texts and"
            " triples that a warehouse records itself."
        ]


def take(
    path: Path,
    set_name: str,
    entity_ids: Mapping[str, str],
    landing: Path,
    *,
    passage_tokens: int = 256,
) -> Taken:
    """Land the corpus in a file as references, passages and reference triples of the set, 50 titles a file.

    entity_ids: title -> entity_id, for titles whose entry names none; what is in neither gets an id of its title's own.
    Raises RunError, one sentence that says where, for a file that is no such corpus; LandingError where nothing can be
    written.
    """
    taken = Taken(f"{name_of(set_name)}--{digest([set_name, passage_tokens, _sha(path)])}")
    rows: dict[str, list[Row]] = {dataset: [] for dataset in _DATASETS}
    waiting = part = 0
    with path.open("rb") as handle:
        for title, entry in _titled(handle, path):
            _add(rows, taken, _Entry.of(title, entry, f"'{title[:80]}' in {path}"), entity_ids, passage_tokens)
            waiting += 1
            if waiting == _BLOCK:
                _land(rows, taken.reference_id, part, landing)
                waiting, part = 0, part + 1
    if waiting:
        _land(rows, taken.reference_id, part, landing)
    if not taken.titles:
        raise RunError(f"{path} holds no titles: give an object of title -> texts and triples.")
    return taken


def write(path: Path, database: Path, set_name: str) -> int:
    """Write the published passages and reference triples of a set, packed with gzip; returns the number of titles.

    Texts from the web, and their sentences, are left out. Raises RunError where the set can't be read, LandingError
    where the file can't be written.
    """
    with reading(database, "a corpus") as connection:
        listed = connection.execute(
            "select entity_id, title from elicitation.entities where set_name = ? order by ordinal", [set_name]
        ).fetchall()
        if not listed:
            raise RunError(f"There is no entity set '{set_name}' in {database} to write a corpus of.")
        with atomic_file(path) as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
            for number, (title, entry) in enumerate(_written(connection, listed)):
                head = "{\n" if number == 0 else ",\n"
                text = f"{json.dumps(title, ensure_ascii=False)}: {json.dumps(entry, ensure_ascii=False)}"
                packed.write((head + text).encode("utf-8", "replace"))
            packed.write(b"\n}\n")
    return len(listed)


def _written(
    connection: duckdb.DuckDBPyConnection, listed: list[tuple[str, str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(title, entry) of each entity of a set; two of one name are told apart by their ids."""
    names = Counter(title for _, title in listed)
    for start in range(0, len(listed), _BLOCK):
        block = listed[start : start + _BLOCK]
        ids = [entity_id for entity_id, _ in block]
        texts: dict[str, dict[tuple[str, str | None], list[str]]] = {one: {} for one in ids}
        for entity_id, source, url, text in connection.execute(
            "select entity_id, source, source_url, text from elicitation.passages"
            " where entity_id in (select unnest(?)) and source <> 'web' order by entity_id, source, ordinal",
            [ids],
        ).fetchall():
            texts[entity_id].setdefault((source, url), []).append(text)
        triples: dict[str, list[Row]] = {one: [] for one in ids}
        for entity_id, *values in connection.execute(
            "select entity_id, subject, predicate, object, source, source_url,"
            " case when source <> 'web' then sentence end from elicitation.reference_triples"
            " where entity_id in (select unnest(?)) order by entity_id, triple_id",
            [ids],
        ).fetchall():
            triples[entity_id].append(dict(zip((*PARTS, "source", "url", "sentence"), values, strict=True)))
        for entity_id, title in block:
            found = [
                {
                    "source": source,
                    "url": url,
                    "title": _title(passages) if source == WIKIPEDIA else title,
                    "text": _joined(source, passages),
                }
                for (source, url), passages in texts[entity_id].items()
            ]
            entry = {"entity_id": entity_id, "title": title, "texts": found, "triples": triples[entity_id]}
            yield title if names[title] == 1 else f"{title} ({entity_id})", entry


def _title(passages: Iterable[str]) -> str:
    """An article's title, which every heading of it begins with."""
    return next(iter(passages)).split("\n", 1)[0].split(" > ", 1)[0]


def _joined(source: str, passages: Iterable[str]) -> str:
    """Passages as one text; an article's headings, which stand over each of its passages, as Markdown's."""
    if source != WIKIPEDIA:
        return "\n\n".join(passages)
    lines: list[str] = []
    last = None
    for passage in passages:
        heading, _, body = passage.partition("\n")
        if heading != last:
            lines += [f"{'#' * depth} {part}" for depth, part in enumerate(heading.split(" > "), 1)]
            last = heading
        lines.append(body)
    return "\n".join(lines)


@dataclass(frozen=True)
class _Entry:
    """One title's texts and triples, whatever form they had."""

    title: str
    entity_id: str | None
    texts: tuple[Row, ...]
    triples: tuple[Row, ...]

    @classmethod
    def of(cls, title: str, entry: Any, where: str) -> _Entry:
        """Read an entry. Raises RunError for one of no known shape."""
        if not isinstance(entry, dict):
            raise RunError(f"The entry of {where} is no object: it has to hold 'texts' and 'triples'.")
        lists = {name: entry.get(name) or [] for name in ("texts", "triples")}
        for name, value in lists.items():
            if not isinstance(value, list):
                raise RunError(f"The '{name}' of {where} are no list: write one, or leave it out.")
        given = entry.get("entity_id")
        if given is not None and (not isinstance(given, str) or not given):
            raise RunError(f"The 'entity_id' of {where} is no text: write one, or leave it out.")
        own = entry.get("title")
        name = own if isinstance(own, str) and own.strip() else title
        texts = tuple(_text(one, number, name, where) for number, one in enumerate(lists["texts"], 1))
        triples = tuple(_triple(one, number, name, where) for number, one in enumerate(lists["triples"], 1))
        return cls(name, given, texts, triples)


def _titled(handle: BinaryIO, path: Path) -> Iterator[tuple[str, Any]]:
    packed = handle.peek(2)[:2] == _GZIP if hasattr(handle, "peek") else False
    source: Any = gzip.GzipFile(fileobj=handle) if packed else handle
    for number, (key, entry) in enumerate(entries(source, str(path)), 1):
        title = key or (entry.get("title") if isinstance(entry, dict) else None)
        if not isinstance(title, str) or not title.strip():
            raise RunError(f"Entry {number} of {path} has no title: write it as the key, or as its 'title'.")
        yield title, entry


def _text(one: Any, number: int, title: str, where: str) -> Row:
    given = {"text": one} if isinstance(one, str) else one
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise RunError(f"Text {number} of {where} is no text: write an object with a 'text'.")
    return {"text": clean(given["text"]), "title": _said(given, "title") or title, **_source(given, title)}


def _triple(one: Any, number: int, title: str, where: str) -> Row:
    given = dict(zip(PARTS, one, strict=True)) if isinstance(one, list) and len(one) == len(PARTS) else one
    if not isinstance(given, dict):
        raise RunError(f"Triple {number} of {where} is none: write an object with subject, predicate and object.")
    named = {str(name).casefold(): value for name, value in given.items()}
    return {
        **{part: _said(named, part) for part in PARTS},
        "sentence": _said(named, "sentence"),
        **_source(named, title),
    }


def _source(given: Mapping[str, Any], title: str) -> Row:
    return {"source": (_said(given, "source") or WIKIPEDIA).casefold(), "url": _said(given, "url") or address(title)}


def _said(given: Mapping[str, Any], name: str) -> str | None:
    """A text that is not empty; numbers and truth values as JSON writes them."""
    value = given.get(name)
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
    return " ".join(clean(value).split()) or None if isinstance(value, str) else None


def _add(
    rows: dict[str, list[Row]], taken: Taken, entry: _Entry, entity_ids: Mapping[str, str], passage_tokens: int
) -> None:
    """Add an entry's rows. Raises RunError for an entity that was there before."""
    known = entry.entity_id or entity_ids.get(entry.title)
    entity_id = known or f"name:{hashlib.md5(entry.title.encode(), usedforsecurity=False).hexdigest()}"
    if entity_id in taken.entities:
        raise RunError(f"'{entry.title[:80]}' ({entity_id}) is in the file twice: leave one of them out.")
    taken.entities.add(entity_id)
    taken.titles += 1
    taken.unlinked += known is None
    places: Counter[tuple[str, str]] = Counter()
    sums: dict[tuple[str, str], Counter[str]] = {}

    def row(dataset: str, source: str, url: str, **more: Any) -> Row:
        places[dataset, source] += 1
        head = {"reference_id": taken.reference_id, "entity_id": entity_id, "source": source, "source_url": url}
        return {**head, "ordinal": places[dataset, source] - 1, **more}

    texts, triples = _taken(entry.texts, taken), _taken(entry.triples, taken)
    for text in texts:
        pieces = cut(Document(text["title"], text["text"]), passage_tokens)
        own = sums.setdefault((text["source"], text["url"]), Counter())
        own.update(characters=len(text["text"]), passages=len(pieces))
        if text["source"] != WEB:
            rows["passages"] += [row("passages", text["source"], text["url"], text=one.shown) for one in pieces]
            taken.passages += len(pieces)
    for triple in triples:
        own = sums.setdefault((triple["source"], triple["url"]), Counter())
        if not all(triple[part] for part in PARTS):
            taken.dropped += 1
            continue
        own.update(triples=1)
        taken.triples += 1
        kept = {part: triple[part] for part in PARTS}
        sentence = triple["sentence"] if triple["source"] != WEB else None
        rows["reference_triples"].append(
            row("triples", triple["source"], triple["url"], **kept, sentence=sentence, request_hash=None)
        )
    rows["references"] += [_reference(taken, entity_id, entry.title, key, own) for key, own in sums.items()]


def _taken(given: Iterable[Row], taken: Taken) -> list[Row]:
    """What is taken in of an entry's texts or triples; the rest is counted."""
    listed = list(given)
    kept = [one for one in listed if one["source"] != WAREHOUSE]
    taken.recorded += len(listed) - len(kept)
    return kept


def _reference(taken: Taken, entity_id: str, title: str, key: tuple[str, str], own: Counter[str]) -> Row:
    return {
        "reference_id": taken.reference_id,
        "entity_id": entity_id,
        "source": key[0],
        "source_url": key[1],
        "title": title,
        "outcome": "read",
        "error": None,
        "extractor": IMPORT,
        "n_characters": own.get("characters"),
        "n_passages": own["passages"],
        "n_triples": own["triples"],
        "n_unread": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cost_usd": 0.0,
        "retrieved_at": datetime.datetime.now(datetime.UTC),
    }


def _land(rows: dict[str, list[Row]], reference_id: str, part: int, landing: Path) -> None:
    for dataset in _DATASETS:
        table = pa.Table.from_pylist(rows[dataset], SCHEMAS[dataset])
        land_rows(landing, dataset, f"{reference_id}+{part:05d}", table)
        rows[dataset].clear()


def _sha(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"Cannot read {path}: {error.strerror}.") from error
