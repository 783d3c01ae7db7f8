"""A published database in small, and annotators who fill in sheets of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from tests.report import world as report_world

FINE = {"entity": "right", "clarity": "clear", "gold": "right", "error_category": "", "note": ""}
# A mark in everything that an annotator must not see.
HIDDEN = "zzhidden"
Filler = Callable[[int, Mapping[str, str]], Mapping[str, str]]


def published(path: Path, questions: Sequence[Mapping[str, Any]], runs: bool = False) -> Path:
    """A database of these questions; with answers that a judge had to settle, if asked for."""
    report_world.write(path, questions, runs=runs, samples=1)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table topics.catalog as select * from (values ('lakes', 'depth_m', 'greatest depth', 'metres'))"
            " as c(topic, attribute, phrase, unit)"
        )
        connection.execute("update runs.verdicts set scorer = 'judge' where scored")
    return path


def hidden_questions() -> list[dict[str, Any]]:
    """Questions whose every column that isn't to be shown holds `HIDDEN`."""
    rows = report_world.questions(30)
    for number, row in enumerate(rows):
        told = {
            "category",
            "type",
            "topic",
            "template_id",
            "wording_id",
            "operation",
            "split",
            "snapshot_id",
            "density",
        }
        row |= {column: f"{HIDDEN}_{column}_{number % 3}" for column in told}
        row |= {"question_id": f"{HIDDEN}_{number}", "scope": HIDDEN, "gold_columns": None, "gold_method": None}
        row |= {"evidence_sql": f"{row['evidence_sql']} -- {HIDDEN}", "gold_sql": f"{row['gold_sql']} -- {HIDDEN}"}
        row |= {"slots": {"attribute": HIDDEN}, "attributes": [f"{HIDDEN}.depth_m"]}
    return rows


def table(path: Path) -> list[dict[str, str]]:
    """A sheet's rows."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def fill(path: Path, filler: Filler) -> Path:
    """Fill a sheet in: ``filler`` gives the cells of the row of a number; a row it gives nothing for stays empty."""
    rows = table(path)
    for number, row in enumerate(rows):
        row |= filler(number, row)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    filled = path.with_name(f"{path.stem}-filled.csv")
    filled.write_text(text.getvalue(), encoding="utf-8", newline="")
    return filled


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a landed row of a sheet shows."""
    found: dict[str, Any] = json.loads(row["shown"])
    return found
