"""Tiny landed Parquet files for the dbt tests: a handful of rows in the landing schema, as the ingest writes them."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_FETCHED = dt.datetime(2026, 11, 30, 12, 0, 0)
_ORIGIN = {"source": "typed", "source_url": "https://example.org/", "request_hash": "r1", "fetched_at": _FETCHED}
_ORIGIN_SCHEMA = [
    ("source", pa.string()),
    ("source_url", pa.string()),
    ("request_hash", pa.string()),
    ("fetched_at", pa.timestamp("us")),
    ("snapshot_id", pa.string()),
]
SCHEMAS: dict[str, pa.Schema] = {
    "entities": pa.schema(
        [(name, pa.string()) for name in ("entity_id", "label", "label_lang", "description")]
        + [("aliases", pa.list_(pa.string())), ("wikipedia_title", pa.string()), ("sitelinks", pa.int32())]
        + [("redirect_to", pa.string()), *_ORIGIN_SCHEMA]
    ),
    "instances": pa.schema([("entity_id", pa.string()), ("class_id", pa.string()), *_ORIGIN_SCHEMA]),
    "statements": pa.schema(
        [(name, pa.string()) for name in ("statement_id", "subject_id", "property_id", "value_kind", "value_entity")]
        + [(name, pa.string()) for name in ("amount_text", "lower_text", "upper_text", "unit_id", "value_time")]
        + [("time_precision", pa.int32())]
        + [(name, pa.string()) for name in ("calendar", "value_text", "value_lang")]
        + [("latitude", pa.float64()), ("longitude", pa.float64()), ("rank", pa.string()), ("qualifiers", pa.string())]
        + [("reference_count", pa.int32()), *_ORIGIN_SCHEMA]
    ),
    "snapshots": pa.schema(
        {
            "snapshot_id": pa.string(),
            "as_of": pa.date32(),
            "endpoint": pa.string(),
            "dataset": pa.string(),
            "topic": pa.string(),
            "files": pa.int32(),
            "row_count": pa.int64(),
            "content_hash": pa.string(),
            "landed_at": pa.timestamp("us"),
        }
    ),
}


@dataclass
class Landing:
    """Rows of one snapshot, collected by the methods below and written by `write`."""

    snapshot_id: str = "sample-000000000001"
    landed_at: dt.datetime = _FETCHED
    complete: bool = True
    rows: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"entities": [], "instances": [], "statements": []}
    )

    def entity(self, entity_id: str, label: str | None, *classes: str, lang: str = "en", **more: Any) -> None:
        """One entity, an instance of `classes`."""
        row = {"entity_id": entity_id, "label": label, "label_lang": lang if label else None, "aliases": []}
        self._add("entities", row | more)
        for class_id in classes:
            self._add("instances", {"entity_id": entity_id, "class_id": class_id})

    def statement(self, subject: str, prop: str, value: Mapping[str, Any], *, rank: str = "normal", **more: Any) -> str:
        """One statement about `subject`; returns its id. `value` comes from one of the functions below."""
        number = sum(s["subject_id"] == subject and s["property_id"] == prop for s in self.rows["statements"])
        row = {"statement_id": f"{subject}-{prop}-{number}", "subject_id": subject, "property_id": prop, "rank": rank}
        row |= {"qualifiers": "{}", "reference_count": 1, **value, **more}
        self._add("statements", row)
        return str(row["statement_id"])

    def _add(self, dataset: str, row: Mapping[str, Any]) -> None:
        self.rows[dataset].append(_ORIGIN | {"snapshot_id": self.snapshot_id} | dict(row))

    def write(self, data_dir: Path) -> None:
        """Writes landing/wikidata/<dataset>/<snapshot_id>/part.parquet under `data_dir`; the snapshots last."""
        closing = []
        for dataset, rows in self.rows.items():
            _write(data_dir, dataset, self.snapshot_id, rows)
            closing.append(
                {
                    "snapshot_id": self.snapshot_id,
                    "as_of": dt.date(2026, 11, 30),
                    "endpoint": "embedded",
                    "dataset": dataset,
                }
                | {
                    "topic": "things",
                    "files": 1,
                    "row_count": len(rows),
                    "content_hash": "0",
                    "landed_at": self.landed_at,
                }
            )
        _write(data_dir, "snapshots", self.snapshot_id, closing if self.complete else closing[:1])


def _write(data_dir: Path, dataset: str, snapshot_id: str, rows: Iterable[dict[str, Any]]) -> None:
    folder = data_dir / "landing" / "wikidata" / dataset / snapshot_id
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows), schema=SCHEMAS[dataset]), folder / "part.parquet")


def item(entity_id: str | None) -> dict[str, Any]:
    """An entity as a value."""
    return {"value_kind": "entity", "value_entity": entity_id}


def quantity(amount: str, unit: str | None = None, bounds: tuple[str, str] | None = None) -> dict[str, Any]:
    """A quantity; `unit` is a Q-id, None for a pure number."""
    lower, upper = bounds or (None, None)
    return {"value_kind": "quantity", "amount_text": amount, "unit_id": unit, "lower_text": lower, "upper_text": upper}


def time(text: str, precision: int, calendar: str = "gregorian") -> dict[str, Any]:
    """A time such as '1789-00-00' of Wikidata's `precision` (9 year, 10 month, 11 day)."""
    return {"value_kind": "time", "value_time": f"{text}T00:00:00Z", "time_precision": precision, "calendar": calendar}


def text(value: str | None, lang: str | None = None) -> dict[str, Any]:
    """A text, with its language where it has one."""
    return {"value_kind": "text", "value_text": value, "value_lang": lang}


def coordinate(latitude: float | None, longitude: float | None) -> dict[str, Any]:
    """A point on the globe, in degrees."""
    return {"value_kind": "coordinate", "latitude": latitude, "longitude": longitude}


SOMEVALUE: dict[str, Any] = {"value_kind": "somevalue"}
NOVALUE: dict[str, Any] = {"value_kind": "novalue"}


def qualified(prop: str, *times: tuple[str, int]) -> str:
    """JSON of the qualifiers of one property, each a time and its precision."""
    values = [{"kind": "time", "value": f"{t}T00:00:00Z", "precision": p, "calendar": "gregorian"} for t, p in times]
    return json.dumps({prop: values})
