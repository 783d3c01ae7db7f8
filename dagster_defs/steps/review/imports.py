"""Takes in filled sheets: every row is checked before any is landed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from dagster_defs.errors import RunError
from dagster_defs.steps.lock import writer_lock
from dagster_defs.steps.review import rows as landing
from dagster_defs.steps.review.csv_text import Line, read_csv, unguarded
from dagster_defs.steps.review.fields import KINDS, Field, Kind, contradiction
from dagster_defs.steps.review.sheets import SHOWN_COLUMNS

_NAME: Final = re.compile(r"([aq]-[a-z]+)-([a-z]|third)")


@dataclass(frozen=True)
class Imported:
    """One imported file: its sheet and annotator, how many of its items are labelled now, and how many there are."""

    path: Path
    sheet_id: str
    annotator: str
    labelled: int
    items: int


@dataclass(frozen=True)
class _Filled:
    path: Path
    sheet_id: str
    annotator: str
    labels: Mapping[str, Mapping[str, Any] | None]
    items: int

    @property
    def name(self) -> str:
        return f"{self.sheet_id}--{self.annotator}"


def import_sheets(paths: Sequence[Path], landing_folder: Path) -> list[Imported]:
    """Land what annotators filled in.

    A file speaks for the items it holds: a row that was emptied takes its label back, an item that isn't in the file
    keeps the label of an earlier import.

    Raises RunError naming file, line, column and accepted values when any row of any file is wrong; nothing is landed
    then.
    """
    filled = [_read(path, landing_folder) for path in paths]
    for number, one in enumerate(filled):
        for other in filled[:number]:
            if one.name == other.name:
                raise RunError(f"{other.path} and {one.path} are the same annotator's sheet: import one of them.")
    now = datetime.now(UTC)
    done = []
    with writer_lock(landing_folder / "import.lock"):
        for one in filled:
            key = {"sheet_id": one.sheet_id, "annotator": one.annotator}
            labels: dict[str, Any] = {row["item"]: row for row in landing.landed(landing_folder, "labels", one.name)}
            labels |= {
                item: given and {**key, "item": item, **given, "imported_at": now} for item, given in one.labels.items()
            }
            kept = [labels[item] for item in sorted(labels) if labels[item]]
            landing.land(landing_folder, "labels", one.name, kept)
            done.append(Imported(one.path, one.sheet_id, one.annotator, len(kept), one.items))
    return done


def _read(path: Path, landing_folder: Path) -> _Filled:
    lines = read_csv(path, ("sheet", "item"))
    if not lines:
        raise RunError(f"{path} has no row below its head: there is nothing to import.")
    sheet_id, annotator = _named(path, lines)
    rows = {row["item"]: row for row in landing.landed(landing_folder, "sheets", sheet_id)}
    if not rows:
        raise RunError(
            f"{path}, line {lines[0].number}, column sheet: no sheet {sheet_id} was written by this warehouse; import"
            " it where it was written, or set ASSAY_DATA_DIR to the folder of that warehouse."
        )
    kind = KINDS[next(iter(rows.values()))["kind"]]
    # Again, now that the kind of sheet, and so its columns, are known.
    lines = read_csv(path, ("sheet", "item", *kind.columns))
    labels: dict[str, Mapping[str, Any] | None] = {}
    seen: dict[str, int] = {}
    for line in lines:
        item = line.cells["item"].strip().lower()
        where = f"{path}, line {line.number}, column item"
        if item not in rows:
            raise RunError(f"{where}: {_quoted(line.cells['item'])} is no item of the sheet {sheet_id}.")
        if item in seen:
            raise RunError(f"{where}: {item} is on line {seen[item]} already; keep one of the two.")
        seen[item] = line.number
        labels[item] = _label(path, line, kind)
    return _Filled(path, sheet_id, annotator, labels, len(rows))


def _named(path: Path, lines: Sequence[Line]) -> tuple[str, str]:
    """The sheet's id and the annotator, which every row has to name alike."""
    name = lines[0].cells["sheet"].strip().lower()
    for line in lines:
        if line.cells["sheet"].strip().lower() != name:
            raise RunError(
                f"{path}, line {line.number}, column sheet: {_quoted(line.cells['sheet'])} is not the sheet of the rows"
                f" above, {_quoted(name)}; import each sheet as a file of its own."
            )
    parts = _NAME.fullmatch(name)
    if not parts:
        raise RunError(f"{path}, line {lines[0].number}, column sheet: {_quoted(name)} is no sheet's name.")
    return parts[1], parts[2]


def _label(path: Path, line: Line, kind: Kind) -> dict[str, Any] | None:
    """What a row says; None where it is not filled in."""
    strange = [
        column
        for column, cell in line.cells.items()
        if cell.strip() and column not in ("sheet", "item", *SHOWN_COLUMNS, *kind.columns)
    ]
    if strange:
        raise RunError(
            f"{path}, line {line.number}, column {strange[0]}: a sheet has no such column; put remarks into note."
        )
    fields = (*kind.verdicts, *([kind.error_category] if kind.error_category else []))
    given = {field.name: _value(path, line, field) for field in fields}
    note = unguarded(line.cells["note"])
    if not any(given.values()):
        if note.strip():
            first = kind.verdicts[0]
            raise RunError(
                f"{path}, line {line.number}, column {first.name}: the row has a note but no verdict; it takes"
                f" {_listed(first)}."
            )
        return None
    for field in kind.verdicts:
        if not given[field.name]:
            raise RunError(
                f"{path}, line {line.number}, column {field.name}: it is empty though the row is filled in; it takes"
                f" {_listed(field)}."
            )
    wrong = contradiction(kind, {name: value for name, value in given.items() if value})
    if wrong:
        raise RunError(f"{path}, line {line.number}, column {wrong[0]}: {wrong[1]}.")
    return {**given, "note": note or None}


def _value(path: Path, line: Line, field: Field) -> str | None:
    text = " ".join(line.cells[field.name].split()).lower()
    if text and text not in field.values:
        raise RunError(
            f"{path}, line {line.number}, column {field.name}: {_quoted(line.cells[field.name])} is none of"
            f" {_listed(field)}."
        )
    return text or None


def _listed(field: Field) -> str:
    return ", ".join(field.values)


def _quoted(text: str) -> str:
    short = " ".join(text.split())
    return f"“{short[:40]}…”" if len(short) > 40 else f"“{short}”"
