"""Times the minting of questions over enlarged topic tables, beside running the stored queries one at a time.

    python -m benchmarks [--data data] [--factors 1 10 100] [--memory 12GB]

Needs a finished `make demo`. Every topic table is repeated with new ids and slightly other numbers; then dbt mints from
the tables to the questions, texts and rejections included. The baselines run a sample of the stored gold queries over
the same tables, one at a time, in DuckDB and in SQLite (those SQLite understands); their figures are answers a second.
"Set-based" is what takes their place: the model that computes every number of every scope and attribute at once, its
answers (minimum, maximum, sum, mean, median, count, distinct values) counted one by one.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

SAMPLE = 300
# Columns of scope_numbers that are answers to questions.
ANSWERS = ("n", "n_distinct", "lowest", "highest", "total", "mean", "median")
AGGREGATES = ("max", "min", "mean", "sum", "range", "count", "share")


def enlarge(database: Path, factor: int) -> None:
    """Repeat every topic table `factor` times in place; copy 0 is the original."""
    with duckdb.connect(str(database)) as con:
        topics = [row[0] for row in con.execute("select topic from topics.topic_meta order by topic").fetchall()]
        for topic in topics:
            columns = con.execute(
                "select column_name, data_type from duckdb_columns()"
                " where schema_name = 'topics' and table_name = ? order by column_index",
                [topic],
            ).fetchall()
            parts = []
            for name, kind in columns:
                if name == "entity_id":
                    parts.append("entity_id || case when k = 0 then '' else '~' || k end as entity_id")
                elif name == "label":
                    parts.append("label || case when k = 0 then '' else ' ' || k end as label")
                elif kind == "DOUBLE" and not name.endswith("_year"):
                    parts.append(f'"{name}" * (1 + k / 1000.0) as "{name}"')
                else:
                    parts.append(f'"{name}"')
            con.execute(
                f"create or replace table topics.{topic} as select {', '.join(parts)} from topics.{topic},"
                f" range({factor}) as copies (k)"
            )


def mint(data: Path, memory: str) -> tuple[float, int, float]:
    """(seconds, candidates, peak MB) of dbt from the topic tables to the questions."""
    words = ["run", "--quiet", "--profiles-dir", ".", "--target-path", str(data / "target"), "--select"]
    started = time.perf_counter()
    subprocess.run(
        [str(Path(sys.executable).parent / "dbt"), *words, "entity_attributes+"],
        env={**os.environ, "ASSAY_DATA_DIR": str(data), "ASSAY_MEMORY_LIMIT": memory},
        check=True,
    )
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    with duckdb.connect(str(data / "build/assay.duckdb"), read_only=True) as con:
        ((candidates,),) = con.execute("select count(*) from multi_entity.judged").fetchall()
    return seconds, candidates, peak


def set_based(data: Path) -> float:
    """Answers a second of the model scope_numbers, run as dbt compiled it."""
    (compiled,) = (data / "target/compiled").rglob("scope_numbers.sql")
    with duckdb.connect(str(data / "build/assay.duckdb"), read_only=True) as con:
        started = time.perf_counter()
        con.execute(f"create temp table computed as {compiled.read_text()}")
        seconds = time.perf_counter() - started
        counted = " + ".join(f"count({name})" for name in ANSWERS)
        ((answers,),) = con.execute(f"select {counted} from computed").fetchall()
    return float(answers / seconds)


def one_by_one(database: Path) -> tuple[float, float, int]:
    """Queries a second in DuckDB and in SQLite over one sample of stored queries, and how many SQLite could run."""
    with duckdb.connect(str(database), read_only=True) as con:
        queries = [
            row[0]
            for row in con.execute(
                "select gold_sql from questions.questions where operation in (select unnest(?))"
                " order by md5(question_id) limit ?",
                [list(AGGREGATES), SAMPLE],
            ).fetchall()
        ]
        lite = sqlite3.connect(":memory:")
        lite.execute("attach ':memory:' as topics")
        for (topic,) in con.execute("select topic from topics.topic_meta").fetchall():
            table = con.execute(f"select * from topics.{topic}").df()
            # SQLite has numbers and text; lists and dates become text.
            table = table.map(lambda v: v if v is None or isinstance(v, str | int | float) else str(v))
            columns = ", ".join(f'"{name}"' for name in table.columns)
            lite.execute(f"create table topics.{topic} ({columns})")
            marks = ", ".join("?" * len(table.columns))
            rows = table.astype(object).where(table.notna(), None).values.tolist()
            lite.executemany(f"insert into topics.{topic} values ({marks})", rows)
        runnable = [query for query in queries if "list_contains" not in query and "unnest" not in query]
        started = time.perf_counter()
        for query in runnable:
            con.execute(query).fetchall()
        duck = len(runnable) / (time.perf_counter() - started)
        started = time.perf_counter()
        for query in runnable:
            lite.execute(query).fetchall()
        return duck, len(runnable) / (time.perf_counter() - started), len(runnable)


def main() -> None:
    """Print one line of a Markdown table a factor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--factors", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--memory", default="1500MB", help="DuckDB's limit, too little for 100 times the sample")
    arguments = parser.parse_args()
    print(
        "| times | entities | mint s | candidates/s | peak MB | set-based, answers/s | DuckDB one by one | SQLite |"
        " set-based to SQLite |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for factor in arguments.factors:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            (data / "build").mkdir()
            (data / "landing").symlink_to((arguments.data / "landing").resolve())
            shutil.copyfile(arguments.data / "build/assay.duckdb", data / "build/assay.duckdb")
            enlarge(data / "build/assay.duckdb", factor)
            seconds, candidates, peak = mint(data, arguments.memory)
            together = set_based(data)
            duck, lite, _ = one_by_one(data / "build/assay.duckdb")
            with duckdb.connect(str(data / "build/assay.duckdb"), read_only=True) as con:
                ((entities,),) = con.execute("select count(*) from multi_entity.named_entities").fetchall()
        rate = candidates / seconds
        print(
            f"| {factor} | {entities:,} | {seconds:.0f} | {rate:.0f} | {peak:.0f} | {together:,.0f} | {duck:.0f} |"
            f" {lite:.0f} | {together / lite:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
