"""Triples that a model was asked for elsewhere: a file of them becomes an experiment."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.steps.elicit.answers import ANSWERED, EMPTY, UNPARSED
from dagster_defs.steps.elicit.csv_text import Encoding, Row, encoding_of, read_triples
from dagster_defs.steps.elicit.entities import Entity, EntitySet
from dagster_defs.steps.elicit.plan import SETTINGS, check_among
from dagster_defs.steps.elicitation_rows import SCHEMAS, land_rows
from dagster_defs.steps.published import digest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}")
# Rows that are held as Python's texts before they become Arrow's.
_AT_ONCE: Final = 20_000
# Subjects that match nothing, as many as a sentence names.
_NAMED: Final = 3
# Columns that say whose triples these are: a file is of one model, setting and prompt.
_WHOSE: Final = ("model", "setting", "prompt", "experiment", "experiment_id")


@dataclass(frozen=True)
class Imported:
    """What an import came to: triples landed, of how many of the set's entities; rows without a predicate or an
    object; rows of subjects that are no entity of the set, by subject. note: what else to know, None for nothing."""

    experiment_id: str
    path: Path
    triples: int
    entities: int
    of: int
    unreadable: int
    unmatched: Mapping[str, int]
    note: str | None

    def sentence(self) -> str:
        """What came of it, in words."""
        said = f"{self.path}: {self.triples:,} triples of {self.entities:,} of {self.of:,} entities are in as"
        said += f" {self.experiment_id}"
        if self.unreadable:
            said += f"; {self.unreadable:,} rows lack a predicate or an object"
        if self.unmatched:
            rows = sum(self.unmatched.values())
            named = ", ".join(f"“{subject}”" for subject in list(self.unmatched)[:_NAMED])
            more = ", …" if len(self.unmatched) > _NAMED else ""
            said += f"; {rows:,} rows of {len(self.unmatched):,} subjects are of no entity of the set ({named}{more})"
        return said + (f"; {self.note}." if self.note else ".")


def import_triples(
    path: Path, asked: EntitySet, landing: Path, *, model: str, setting: str, prompt: str, whole: bool = False
) -> Imported:
    """Land a file's triples below ``landing`` as an experiment of that model, setting and prompt.

    A row is about the entity whose id stands in its column ``entity_id``, else about the one whose title is that of its
    column ``title`` or its subject, whatever the case and with underscores for spaces; where that is none or several,
    the row is counted and left out. whole: the model was asked about the whole set, so that entities without any
    triple are empty answers; otherwise they count as not asked about.

    Raises RunError where the file cannot be read, holds triples of several models, settings or prompts, or none of an
    entity of the set; nothing is landed then.
    """
    check_among("setting", setting, SETTINGS)
    for what, name in (("model", model), ("prompt", prompt)):
        if not _NAME.fullmatch(name):
            raise RunError(f"The name of a {what} has up to 60 letters, digits and . _ + - in it, not {name!r}.")
    started = datetime.datetime.now(datetime.UTC)
    encoding = encoding_of(path)
    sha = _sha(path)
    content = [sha, asked.name, asked.sha, model, setting, prompt, whole]
    experiment_id = f"{model}--{setting}--{prompt}--{digest(content)[:12]}"
    found = _Found(experiment_id, asked)
    triples = pa.Table.from_batches(found.batches(path, encoding), schema=SCHEMAS["triples"])
    if not (found.counts or found.unreadable):
        raise RunError(
            f"{path} is about no entity of the set '{asked.name}': its subjects have to be titles of that set."
        )
    elicitations = found.elicitations(whole)
    parameters = json.dumps({"file": path.name, "file_sha256": sha, "encoding": encoding.name})
    closing = dict.fromkeys(SCHEMAS["experiments"].names) | {
        "experiment_id": experiment_id, "model": model, "model_id": model, "setting": setting, "prompt": prompt,
        "set_name": asked.name, "origin": "import", "parameters": parameters, "entities_sha": asked.sha,
        "snapshot_id": asked.snapshot_id, "n_entities": elicitations.num_rows, "started_at": started,
    }  # fmt: skip
    land_rows(landing, "triples", experiment_id, triples)
    land_rows(landing, "elicitations", experiment_id, elicitations)
    land_rows(landing, "experiments", experiment_id, pa.Table.from_pylist([closing], SCHEMAS["experiments"]))
    unmatched = dict(found.unmatched.most_common())
    return Imported(
        experiment_id, path, triples.num_rows, len(found.counts), len(asked.entities), found.unreadable.total(),
        unmatched, encoding.note,
    )  # fmt: skip


def plain_title(text: str) -> str:
    """A title as it is compared: composed letters, no case, single spaces, which may be written as underscores."""
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split()).casefold()


@dataclass
class _Found:
    """What a file holds, as it is read. counts: triples by entity. unreadable: rows that lack a part, by entity."""

    experiment_id: str
    asked: EntitySet
    counts: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    unmatched: Counter[str] = field(default_factory=Counter)

    def batches(self, path: Path, encoding: Encoding) -> Iterator[pa.RecordBatch]:
        """The rows of the file that are triples of an entity, some at a time."""
        by_title: dict[str, set[str]] = {}
        for entity in self.asked.entities:
            by_title.setdefault(plain_title(entity.title), set()).add(entity.entity_id)
        ids = {entity.entity_id for entity in self.asked.entities}
        whose: dict[str, str] = {}
        held: list[list[Any]] = [[] for _ in SCHEMAS["triples"].names]
        for row in read_triples(path, encoding):
            _check_whose(path, row, whose)
            entity_id = _entity_of(row, ids, by_title)
            if entity_id is None:
                self.unmatched[row.more.get("title", row.subject).strip()] += 1
                continue
            predicate, object_ = row.predicate.strip(), row.object.strip()
            if not predicate or not object_:
                self.unreadable[entity_id] += 1
                continue
            values = (entity_id, self.counts[entity_id], row.subject.strip(), predicate, object_)
            self.counts[entity_id] += 1
            for column, value in zip(held, (self.experiment_id, *values, None), strict=True):
                column.append(value)
            if len(held[0]) >= _AT_ONCE:
                yield _batch(held)
                held = [[] for _ in held]
        yield _batch(held)

    def elicitations(self, whole: bool) -> pa.Table:
        """A row for each entity that was asked about."""
        rows = [
            self._elicitation(entity)
            for entity in self.asked.entities
            if whole or entity.entity_id in self.counts or entity.entity_id in self.unreadable
        ]
        return pa.Table.from_pylist(rows, SCHEMAS["elicitations"])

    def _elicitation(self, entity: Entity) -> dict[str, Any]:
        count, lost = self.counts[entity.entity_id], self.unreadable[entity.entity_id]
        return dict.fromkeys(SCHEMAS["elicitations"].names) | {
            "experiment_id": self.experiment_id,
            "entity_id": entity.entity_id,
            "title": entity.title,
            "outcome": ANSWERED if count else UNPARSED if lost else EMPTY,
            "error": f"{lost} of {lost + count} triples lack a predicate or an object" if lost else None,
            "truncated": False,
            "n_triples": count,
            "n_calls": 0,
            "request_hashes": "[]",
        }


def _entity_of(row: Row, ids: set[str], by_title: Mapping[str, set[str]]) -> str | None:
    """The one entity that a row is about, None where that is none or several."""
    given = row.more.get("entity_id", "").strip()
    if given:
        return given if given in ids else None
    named = by_title.get(plain_title(row.more.get("title", row.subject)), set())
    return next(iter(named)) if len(named) == 1 else None


def _check_whose(path: Path, row: Row, whose: dict[str, str]) -> None:
    for name in _WHOSE:
        value = row.more.get(name, "").strip()
        if value and whose.setdefault(name, value) != value:
            raise RunError(
                f"{path}, line {row.number}, column {name}: “{value}” is not “{whose[name]}” as above; import the"
                " triples of each experiment from a file of their own."
            )


def _batch(columns: list[list[Any]]) -> pa.RecordBatch:
    schema = SCHEMAS["triples"]
    return pa.RecordBatch.from_arrays(
        [pa.array(column, of.type) for column, of in zip(columns, schema, strict=True)], schema=schema
    )


def _sha(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
