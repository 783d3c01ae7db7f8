"""Landed rows as msgspec structs: a dataset's columns are its struct's fields."""

from __future__ import annotations

import datetime
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import pyarrow as pa

from ingest.landing import ORIGIN

_TYPES: Final[Mapping[Any, pa.DataType]] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime.date: pa.date32(),
    datetime.datetime: pa.timestamp("us"),
    tuple[str, ...]: pa.list_(pa.string()),
}


class Row(msgspec.Struct, frozen=True):
    """A row of a dataset before its origin is added; subclasses declare the columns and say what one row is."""


def schema_of(row: type[Row]) -> pa.Schema:
    """The landing schema of a kind of rows: its fields, then where they came from."""
    columns = [(field.name, _type_of(field.type)) for field in msgspec.structs.fields(row)]
    return pa.schema([*columns, *ORIGIN])


def table_of(rows: Sequence[Row], schema: pa.Schema, origin: Mapping[str, Any], urls: Sequence[str]) -> pa.Table:
    """Rows in a dataset's schema; ``origin`` gives the columns that are the same in every row, ``urls`` each row's."""
    arrays = []
    for column in schema:
        if column.name == "source_url":
            arrays.append(pa.array(urls, type=column.type))
        elif column.name in origin:
            arrays.append(pa.repeat(pa.scalar(origin[column.name], type=column.type), len(rows)))
        else:
            arrays.append(pa.array([getattr(row, column.name) for row in rows], type=column.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def _type_of(annotation: Any) -> pa.DataType:
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        (annotation,) = (one for one in typing.get_args(annotation) if one is not type(None))
    return _TYPES[annotation]
