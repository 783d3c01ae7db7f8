"""The rows of an export: Parquet with typed columns, and JSONL with the same values as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dagster_defs.errors import RunError
from dagster_defs.steps.exports.questions import Chosen, Item

_TYPES: Mapping[str, pa.DataType] = {
    "VARCHAR": pa.string(),
    "VARCHAR[]": pa.list_(pa.string()),
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "JSON": pa.string(),
}
MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))


def schema(chosen: Chosen) -> pa.Schema:
    """The columns of questions.questions in their order, `prompt`, the messages that it is asked in, and `canary`.

    `slots` is a struct of every name that any question of the family has, so that its type depends on the family alone
    and not on the questions chosen. Raises RunError for a column of a type that isn't known here.
    """
    unknown = sorted(set(chosen.columns.values()) - set(_TYPES))
    if unknown:
        raise RunError(
            f"A column of questions.questions is of the type {unknown[0]}, which no export knows how to write."
        )
    fields = [(name, _TYPES[kind]) for name, kind in chosen.columns.items()]
    typed = {"slots": _slots_type(chosen.slots), "prompt": MESSAGES}
    return pa.schema(
        [*((name, typed.get(name, kind)) for name, kind in fields), ("prompt", MESSAGES), ("canary", pa.string())]
    )


def _slots_type(slots: Sequence[str]) -> pa.DataType:
    """The struct that holds every slot; text where one name has values of different types, or there is no name."""
    try:
        found = pa.array([json.loads(text) for text in slots]).type
    except pa.ArrowException:
        return pa.string()
    return found if pa.types.is_struct(found) and found.num_fields else pa.string()


def as_json(item: Item, canary: str) -> dict[str, Any]:
    """An item's row with `slots` as an object, `prompt` as a list of messages, and the canary."""
    messages = [dict(message) for message in item.messages]
    return {**item.row, "slots": json.loads(item.row["slots"]), "prompt": messages, "canary": canary}


def write_split(items: Sequence[Item], columns: pa.Schema, canary: str, folder: Path, split: str) -> None:
    """Write ``<split>.parquet`` and ``<split>.jsonl`` into ``folder``, a row an item, in their order."""
    rows = [as_json(item, canary) for item in items]
    typed = rows
    if columns.field("slots").type == pa.string():
        typed = [{**row, "slots": item.row["slots"]} for row, item in zip(rows, items, strict=True)]
    write_rows(rows, columns, folder / split, typed)


def write_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: pa.Schema,
    path: Path,
    typed: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Write ``<path>.parquet`` and ``<path>.jsonl``: an object a line, as UTF-8, a date as text (ISO 8601).

    typed: the rows for Parquet, where they differ.
    """
    table = pa.Table.from_pylist(list(rows if typed is None else typed), columns)
    pq.write_table(table, path.with_suffix(".parquet"), compression="zstd")
    with path.with_suffix(".jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
