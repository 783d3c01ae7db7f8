"""A copy of the topic tables in memory in which every column is drawn anew.

A stored query that reads its tables answers differently there; one that only repeats its answer does not.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_IDENTITY = frozenset({"entity_id", "label"})


def redrawn(database: Path, *, seed: int = 20) -> duckdb.DuckDBPyConnection:
    """A memory database with the schemas of `database`: views on all but `topics`, whose tables are redrawn.

    Raises duckdb.Error when the database can't be read.
    """
    con = duckdb.connect()
    con.execute("set threads = 1; set enable_progress_bar = false")
    con.execute(f"attach '{str(database).replace(chr(39), chr(39) * 2)}' as published (read_only)")
    generator = np.random.default_rng(seed)
    tables = con.execute(
        "select schema_name, table_name from duckdb_tables() where database_name = 'published' order by all"
    ).fetchall()
    for schema, table in tables:
        con.execute(f'create schema if not exists memory."{schema}"')
        if schema == "topics" and table != "entity_attributes":
            drawn = _redraw(
                con.sql(f'select * from published.topics."{table}" order by all').to_arrow_table(), generator
            )
            con.register("drawn", drawn)
            con.execute(f'create table memory.topics."{table}" as select * from drawn')
            con.unregister("drawn")
        else:
            con.execute(f'create view memory."{schema}"."{table}" as select * from published."{schema}"."{table}"')
    return con


def _redraw(table: pa.Table, generator: np.random.Generator) -> pa.Table:
    """Each column drawn with replacement and unequal weights, so that shares, orders and spreads all change."""
    weights = np.arange(1, table.num_rows + 1) ** 2.0
    weights /= weights.sum()
    for index, field in enumerate(table.schema):
        if field.name in _IDENTITY or table.num_rows == 0:
            continue
        places = pa.array(generator.choice(table.num_rows, table.num_rows, p=weights))
        column = table.column(index).take(places)
        if pa.types.is_floating(field.type):
            column = pc.multiply(column, pa.array(generator.lognormal(0, 1, table.num_rows))).cast(field.type)
        table = table.set_column(index, field, column)
    return table
