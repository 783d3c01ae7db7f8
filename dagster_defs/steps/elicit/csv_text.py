"""Elicited triples as CSV: ``subject,predicate,object``, with more columns where there is more to say.

Both ways go row by row. What is written is data, not a sheet: no cell is guarded against spreadsheets, as that would
change it.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from dagster_defs.errors import RunError
from dagster_defs.steps.review.csv_text import MARKS, read_head, without_separator_line
from ingest.landing import atomic_file

COLUMNS: Final = ("subject", "predicate", "object")
# What Latin-1 is in files: the letters that Windows puts where Latin-1 has none.
_LATIN: Final = "cp1252"
_NO_LATIN: Final = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_AT_ONCE: Final = 1 << 20
# Characters within which a head has to end.
_HEAD: Final = 1 << 16
# Bytes that are no UTF-8, as Python holds them.
_STRAY: Final = re.compile("[\udc80-\udcff]")
_LETTER: Final = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")


class EncodingError(RunError):
    """A file's bytes are text in no encoding that is known, or in two at once; one sentence that names the line."""


@dataclass(frozen=True)
class Encoding:
    """What a file's bytes are. note: why it was not read as UTF-8, None where it was."""

    name: str
    note: str | None = None


@dataclass(frozen=True)
class Row:
    """A triple as it stands in a file. number: of its first line, from 1. more: every other column that has a text, by
    its name in lower case with underscores for spaces."""

    number: int
    subject: str
    predicate: str
    object: str
    more: Mapping[str, str]


def encoding_of(path: Path) -> Encoding:
    """How to read a file: as UTF-8 or UTF-16 where it is that, else as Latin-1 with what Windows adds to it.

    Raises EncodingError naming the line where it is none of these, or where a file in UTF-8 is damaged; RunError where
    it can't be read.
    """
    with _open(path) as file:
        start = file.read(4)
    if any(start.startswith(mark) for mark, name in MARKS if name != "utf-8"):
        return Encoding("utf-16")
    stray, letters = _strays(path)
    if stray is None:
        return Encoding("utf-8-sig")
    if letters or start.startswith(codecs.BOM_UTF8):
        raise EncodingError(
            f"{path}, line {stray}: it is not UTF-8 there, though it is elsewhere; save it again as “CSV UTF-8”."
        )
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            if _NO_LATIN.search(line):
                raise EncodingError(f"{path}, line {number}: it is neither UTF-8 nor Latin-1; save it as “CSV UTF-8”.")
    return Encoding(_LATIN, f"line {stray} is not UTF-8, so the file was read as Latin-1")


def read_triples(path: Path, encoding: Encoding | None = None) -> Iterator[Row]:
    """The rows of a file, one after another, whatever separates its cells (commas, semicolons or tabs).

    The head may have the three columns in any case and place, with any others. Rows without any text are left out;
    cells come as they are written, line ends as a line feed. encoding: as `encoding_of` found it.
    Raises RunError naming file and line where it can't be read.
    """
    found = encoding or encoding_of(path)
    with _text(path, found.name) as text:
        try:
            begin = text.read(_HEAD)
        except UnicodeDecodeError as error:
            raise EncodingError(
                f"{path}, line 1: it begins like UTF-16 and is none; save it as “CSV UTF-8”."
            ) from error
        begin, skipped = without_separator_line(begin)
        head, separator = read_head(path, begin, COLUMNS)
        twice = [name for name in COLUMNS if head.count(name) > 1]
        if twice:
            raise RunError(f"{path}, line {skipped + 1}: the column {twice[0]} is there twice; keep one.")
        text.seek(0)
        for _ in range(skipped):
            text.readline()
        reader = csv.reader(_lines(path, text, skipped), delimiter=separator, strict=True)
        yield from _rows(path, reader, [name.replace(" ", "_") for name in head], skipped)


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write the rows below a head of ``columns``, in UTF-8, whole or not at all; gives how many there are.

    Cells hold texts and numbers, None for an empty one; line ends within a text become line feeds. Raises LandingError
    where the file can't be written.
    """
    count = 0
    with atomic_file(path) as handle:
        text = io.TextIOWrapper(handle, encoding="utf-8", newline="", write_through=False)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_plain(cell) for cell in row])
            count += 1
        text.flush()
        text.detach()
    return count


def _rows(path: Path, reader: Any, head: Sequence[str], skipped: int) -> Iterator[Row]:
    places = [head.index(name) for name in COLUMNS]
    others = [(place, name) for place, name in enumerate(head) if place not in places and name]
    end = 0
    try:
        next(reader)
        end = reader.line_num
        for cells in reader:
            start, end = end + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            where = f"{path}, line {start + skipped}"
            if len(cells) <= max(places):
                raise RunError(
                    f"{where}: it has {len(cells)} cells, and the head has {len(head)}; give it all of them."
                )
            if any(cell.strip() for cell in cells[len(head) :]):
                raise RunError(
                    f"{where}: it has {len(cells)} cells, and the head has {len(head)}; put quotes around a text that"
                    " holds a separator."
                )
            subject, predicate, object_ = (_plain(cells[place]) for place in places)
            more = {name: cells[place] for place, name in others if place < len(cells) and cells[place].strip()}
            yield Row(start + skipped, subject, predicate, object_, more)
    except csv.Error as error:
        raise RunError(f"{path}, line {end + 1 + skipped}: it cannot be read as CSV ({error}).") from error


def _lines(path: Path, text: TextIO, skipped: int) -> Iterator[str]:
    """The lines of a file; raises RunError for a null character, which no text of ours can hold."""
    number = skipped
    try:
        for line in text:
            number += 1
            if "\0" in line:
                raise RunError(f"{path}, line {number}: it holds a null character; save it as “CSV UTF-8”.")
            yield line
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"{path}, after line {number}: it begins like UTF-16 and is none; save it as “CSV UTF-8”."
        ) from error


def _strays(path: Path) -> tuple[int | None, bool]:
    """The first line with a byte that is no UTF-8, None where there is none; whether letters beyond ASCII are there."""
    first, letters, line = None, False, 1
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with _open(path) as file:
        while True:
            block = file.read(_AT_ONCE)
            text = decoder.decode(block, final=not block).removeprefix("\ufeff")
            if not text.isascii():
                stray = _STRAY.search(text)
                letters = letters or _LETTER.search(text) is not None
                if first is None and stray is not None:
                    first = line + text.count("\n", 0, stray.start())
            line += text.count("\n")
            if not block:
                return first, letters


def _open(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error


def _text(path: Path, encoding: str) -> TextIO:
    try:
        return path.open(encoding=encoding, newline="")
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error


def _plain(cell: Any) -> Any:
    if isinstance(cell, str) and "\r" in cell:
        return cell.replace("\r\n", "\n").replace("\r", "\n")
    return cell
