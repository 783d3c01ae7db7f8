"""Sheets as CSV: written so that no spreadsheet runs what is in them, read whatever spreadsheet saved them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dagster_defs.errors import RunError

SEPARATORS: Final = (",", ";", "\t")
# What a spreadsheet may take for a formula (OWASP, "CSV Injection"), wide forms and leading blanks included. Texts that
# look guarded are guarded too, so that taking one apostrophe off gives back every text.
# form.js has the same pattern.
_SUSPECT: Final = r"'*(?:[ \t\n\r\f\v\xa0\u2028\u2029\u3000\ufeff]*[=+\-@＝＋－＠]|[\t\r\n])"
_FORMULA: Final = re.compile(_SUSPECT)
_GUARDED: Final = re.compile(f"'{_SUSPECT}")
# Byte order marks, and the encodings that they stand for.
MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# Characters; far more than a spreadsheet's cell takes.
_LONGEST_CELL: Final = 131_072


@dataclass(frozen=True)
class Line:
    """A row of a sheet: the number of its first line in the file, from 1, and its cells by lower-case column."""

    number: int
    cells: Mapping[str, str]


def guarded(text: str) -> str:
    """``text``, with an apostrophe before it where a spreadsheet might take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given; a text that no guard stands before is left as it is."""
    return text[1:] if _GUARDED.match(text) else text


def write_csv(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> bytes:
    """The rows as CSV: UTF-8 with a byte order mark (Excel needs it), commas, CRLF, every cell quoted and guarded."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([guarded(row.get(column, "")) for column in columns] for row in rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def read_csv(path: Path, required: Sequence[str]) -> list[Line]:
    """The rows of a sheet saved by whatever program: separated by commas, semicolons or tabs, in UTF-8 or UTF-16.

    Rows without any text are left out. Cells come as they are written, line ends as a line feed.
    Raises RunError naming file and line where it can't be read or the head lacks a column of ``required``.
    """
    text, skipped = without_separator_line(_decoded(path))
    head, separator = read_head(path, text, required)
    twice = sorted({name for name in head if name and head.count(name) > 1})
    if twice:
        raise RunError(f"{path}, line {skipped + 1}: the column {twice[0]} is there twice; keep one.")
    lines = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    end = 0
    try:
        next(reader)
        end = reader.line_num
        for cells in reader:
            start, end = end + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                lines.append(Line(start + skipped, _named(path, start + skipped, head, cells)))
    except csv.Error as error:
        raise RunError(f"{path}, line {end + 1 + skipped}: it cannot be read as CSV ({error}).") from error
    return lines


def without_separator_line(text: str) -> tuple[str, int]:
    """``text`` without the line by which Excel is told the separator, and how many lines that were, 0 or 1."""
    first, _, rest = text.partition("\n")
    told = re.fullmatch(r'"?sep=.?"?', first.strip(" \r"), re.IGNORECASE)
    return (rest, 1) if told else (text, 0)


def read_head(path: Path, text: str, required: Sequence[str]) -> tuple[list[str], str]:
    """The columns in lower case, and the separator by which the most of those required are found.

    text: the file's, or so much of it that its head is whole. Raises RunError where a required column isn't there.
    """
    best: tuple[list[str], str] = ([], SEPARATORS[0])
    for separator in SEPARATORS:
        try:
            head = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
        except csv.Error:
            continue
        names = [name.strip().lower() for name in head]
        if len(set(required) & set(names)) > len(set(required) & set(best[0])):
            best = (names, separator)
    missing = [name for name in required if name not in best[0]]
    if missing:
        raise RunError(
            f"{path}, line 1: the head lacks the column {missing[0]}; it takes the columns {', '.join(required)}."
        )
    return best


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error
    mark, encoding = next(((m, e) for m, e in MARKS if data.startswith(m)), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise RunError(f"{path}, line {line}: it is not UTF-8; save it as “CSV UTF-8” and import that.") from error
    if "\0" in text:
        raise RunError(f"{path} is no CSV file: save the sheet as “CSV UTF-8” and import that.")
    return text


def _named(path: Path, number: int, head: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    surplus = [place for place, cell in enumerate(cells) if cell.strip() and not (head[place : place + 1] or [""])[0]]
    if surplus:
        raise RunError(f"{path}, line {number}: cell {surplus[0] + 1} has a text but no column name above it.")
    found = {name: cell.replace("\r\n", "\n").replace("\r", "\n") for name, cell in zip(head, cells, strict=False)}
    return dict.fromkeys(head, "") | found
