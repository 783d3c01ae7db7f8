"""Writes sheets: one for each annotator, with the same items in an order of the annotator's own."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from dagster_defs.errors import RunError
from dagster_defs.steps.review import rows as landing
from dagster_defs.steps.review.csv_text import write_csv
from dagster_defs.steps.review.draw import digest
from dagster_defs.steps.review.fields import KINDS, THIRD, Kind
from dagster_defs.steps.review.form import render_form
from dagster_defs.steps.review.items import Drawn, draw_answers, draw_questions, published
from dagster_defs.steps.review.rows import Row
from ingest.landing import atomic_file

MOST_ANNOTATORS: Final = 20
# No vowels, so that no word comes about, and no digits, so that no spreadsheet sees a number or a date.
_LETTERS: Final = "bcdfghjkmnpqrtvwxz"
_CODE: Final = 10
# What a sheet shows beside the columns to be filled in; on import these may be missing, and are not read.
SHOWN_COLUMNS: Final = (
    "question",
    "gold_answer",
    "answer",
    "also_accepted",
    "evidence",
    "evidence_count",
    "facts_as_of",
)


@dataclass(frozen=True)
class Written:
    """What was written: the sheet, its items, how many things there were to draw from, and the files."""

    sheet_id: str
    items: int
    available: int
    files: tuple[Path, ...]


def write_sheets(
    database: Path, landing_folder: Path, folder: Path, kind: Kind, n: int, seed: int, annotators: int
) -> Written:
    """Draw ``n`` things from the published ``database`` and write a CSV and an HTML form for each annotator.

    They stand in ``folder``/<sheet>/<annotator>.csv and .html; which item is which is landed in ``landing_folder``. The
    same database, ``n`` and ``seed`` give the same sheet, whose files are left alone where they are there.
    Raises RunError when a number is out of range, nothing can be drawn, or a file was changed by someone.
    """
    if n < 1 or not 1 <= annotators <= MOST_ANNOTATORS:
        raise RunError(f"A sheet needs at least one {kind.thing}, and 1 to {MOST_ANNOTATORS} annotators.")
    drawn: Drawn = (draw_answers if kind.name == "answers" else draw_questions)(database, n, seed)
    seen = [[row["question_id"], row["run_id"], row["sample"], row["shown"]] for row in drawn.rows]
    sheet_id = f"{kind.letter}-{code(kind.name, seed, json.dumps(seen))}"
    rows = landing.landed(landing_folder, "sheets", sheet_id)
    if not rows:
        now = datetime.now(UTC)
        of_sheet = {"sheet_id": sheet_id, "kind": kind.name, "written_at": now}
        rows = [
            row | of_sheet | {"item": code(sheet_id, row["question_id"], row["run_id"], row["sample"])}
            for row in drawn.rows
        ]
        landing.land(landing_folder, "sheets", sheet_id, rows)
    files: list[Path] = []
    for annotator in string.ascii_lowercase[:annotators]:
        files += _write(folder / sheet_id, kind, sheet_id, annotator, rows)
    return Written(sheet_id, len(rows), drawn.available, tuple(files))


def write_adjudication(database: Path, landing_folder: Path, folder: Path) -> list[Written]:
    """Write a sheet of what the annotators of each sheet disagree on, for a third person.

    What is in dispute is read from the published ``database``. Raises RunError when labels were imported after it was
    built, since they aren't in it.
    """
    _refuse_stale(database, landing_folder)
    with published(database) as connection:
        found = connection.execute(
            "select sheet_id, item from review.adjudicated where needs_third"
            " union all select sheet_id, item from review.answer_verdicts where needs_third order by all"
        ).fetchall()
    written = []
    for sheet_id in dict.fromkeys(sheet for sheet, _ in found):
        wanted = {item for sheet, item in found if sheet == sheet_id}
        rows = [row for row in landing.landed(landing_folder, "sheets", sheet_id) if row["item"] in wanted]
        if rows:
            # What is in dispute changes with each import, and a sheet that someone has in hand must not.
            stem = f"{THIRD}-{code(*sorted(wanted))}"
            files = _write(folder / sheet_id, KINDS[rows[0]["kind"]], sheet_id, THIRD, rows, stem)
            written.append(Written(sheet_id, len(rows), len(rows), tuple(files)))
    return written


def code(*parts: object) -> str:
    """Ten consonants that stand for ``parts`` and say nothing of them."""
    number = int(digest(*parts), 16)
    letters = []
    for _ in range(_CODE):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)


def _refuse_stale(database: Path, landing_folder: Path) -> None:
    times = [
        row["imported_at"]
        for name in landing.names(landing_folder, "labels")
        for row in landing.landed(landing_folder, "labels", name)
    ]
    if not times:
        raise RunError("No filled sheet was imported yet: import the annotators' sheets first.")
    with published(database) as connection:
        ((count, last),) = connection.execute(
            "select count(*), max(imported_at) from (select imported_at from review.labels"
            " union all select imported_at from review.answer_labels)"
        ).fetchall()
    if count != len(times) or last is None or last.replace(tzinfo=UTC) != max(times):
        raise RunError("Labels were imported after the last build: run `make build`, then ask for adjudication again.")


def _write(folder: Path, kind: Kind, sheet_id: str, annotator: str, rows: Sequence[Row], stem: str = "") -> list[Path]:
    """The annotator's two files, called after ``stem`` if one is given."""
    name = f"{sheet_id}-{annotator}"
    ordered = sorted(rows, key=lambda row: digest(name, row["item"]))
    items = [{"item": row["item"], **json.loads(row["shown"])} for row in ordered]
    table = write_csv(_columns(kind), [_cells(name, item) for item in items])
    stem = stem or annotator
    made = {folder / f"{stem}.csv": table, folder / f"{stem}.html": render_form(kind, name, items).encode()}
    for path, content in made.items():
        _write_once(path, content)
    return list(made)


def _columns(kind: Kind) -> tuple[str, ...]:
    of_other = ("evidence", "evidence_count") if kind.name == "answers" else ("answer", "also_accepted")
    shown = (column for column in SHOWN_COLUMNS if column not in of_other)
    return ("sheet", "item", *shown, *kind.columns)


def _cells(name: str, item: dict[str, Any]) -> dict[str, str]:
    return {
        "sheet": name,
        "item": item["item"],
        "question": item["question"],
        "gold_answer": item["gold"],
        "answer": item.get("answer", ""),
        "also_accepted": "; ".join(item.get("aliases", ())),
        "evidence": "\n".join(" | ".join(fact) for fact in item.get("evidence", ())),
        "evidence_count": str(item.get("evidence_count", "")),
        "facts_as_of": item["as_of"],
    }


def _write_once(path: Path, content: bytes) -> None:
    """Write a file that isn't there. Raises RunError where another one is, which someone may have filled in."""
    if path.exists():
        if path.read_bytes() != content and path.suffix == ".csv":
            raise RunError(f"{path} was changed since it was written, perhaps filled in: import it, or move it away.")
        if path.suffix == ".csv":
            return
    with atomic_file(path) as handle:
        handle.write(content)
