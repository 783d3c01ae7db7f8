"""Streaming reader of Wikidata's JSON dumps: entities of a file of any size, in constant memory.

Read are ``.json``, ``.json.gz`` and ``.json.bz2`` (told apart by their first bytes, not their name): an array with one
entity a line as Wikidata publishes it, one entity a line without the array, and single documents (Special:EntityData,
wbgetentities), which may be printed over many lines.

A damaged dump ends in a DumpError that names file, line and byte; ``on_error="skip"`` leaves damaged
lines out instead, counted.
"""

from __future__ import annotations

import bz2
import gzip
import io
import re
import zlib
from array import array
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ingest.errors import IngestError
from ingest.wikidata.entity_json import Entity, EntityDecoder, EntityJsonError
from ingest.wikidata.entity_rows import Report, best_entities

OnError = Literal["raise", "skip"]

# Far above the longest entities there are (some 5 MB); what is longer is a file without line breaks.
MAX_LINE: Final = 64 << 20
_BUFFER: Final = 1 << 20
_NUMBERED: Final = re.compile(r"Q[1-9][0-9]*")
_BOM: Final = b"\xef\xbb\xbf"


class DumpError(IngestError):
    """A dump cannot be read or is damaged; names the file, the line and the byte of the uncompressed text."""


class Line(NamedTuple):
    """One line of a dump without its line break: its number from 1, its first byte's offset, its bytes."""

    number: int
    offset: int
    text: bytes


def open_dump(path: Path) -> IO[bytes]:
    """The uncompressed bytes of a dump. Raises DumpError where the file cannot be opened."""
    try:
        with path.open("rb") as file:
            head = file.read(3)
        if head[:2] == b"\x1f\x8b":
            return io.BufferedReader(gzip.open(path), _BUFFER)
        if head == b"BZh":
            return io.BufferedReader(bz2.open(path), _BUFFER)
        return path.open("rb", buffering=_BUFFER)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DumpError(f"The dump {path} cannot be opened: {reason}; check the path and its permissions.") from error


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a dump, uncompressed. Raises DumpError where the file cannot be opened or its stream is broken."""
    number = offset = 0
    with open_dump(path) as stream:
        while True:
            try:
                text = stream.readline(MAX_LINE + 1)
            except (EOFError, OSError, zlib.error) as error:
                raise DumpError(
                    f"The dump {path} is damaged after line {number} (byte {offset} uncompressed): {_sentence(error)}; "
                    "fetch the file again."
                ) from error
            if not text:
                return
            number += 1
            if len(text) > MAX_LINE:
                raise DumpError(
                    f"Line {number} of the dump {path} (from byte {offset}) is longer than {MAX_LINE >> 20} MiB; "
                    "a Wikidata dump has one entity a line, so check that this is one."
                )
            yield Line(number, offset, text)
            offset += len(text)


def read_entities(path: Path, decoder: EntityDecoder, report: Report, on_error: OnError = "raise") -> Iterator[Entity]:
    """The entities of a dump in file order; damaged lines are counted in ``report`` where ``on_error`` is "skip".

    Raises DumpError (see the module) and ApiError where the file holds an API's error answer.
    """
    try:
        yield from _entities(path, decoder, report, on_error)
    except DumpError as error:
        if on_error == "raise":
            raise
        report.cut_short = str(error)


def _entities(path: Path, decoder: EntityDecoder, report: Report, on_error: OnError) -> Iterator[Entity]:
    lines = read_lines(path)
    array_open = False
    found = 0
    for line in lines:
        text = line.text.removeprefix(_BOM).strip().rstrip(b",")
        if text[:1] == b"[":
            array_open = True
            text = text[1:].lstrip()
        if array_open and text[-1:] == b"]":
            array_open = False
            text = text[:-1].rstrip()
        if not text:
            continue
        if not found and text == b"{":
            yield from _document(path, line, text, array_open, lines, decoder)
            return
        found += 1
        try:
            yield from _line(text, line.text if found == 1 else None, decoder)
        except (EntityJsonError, UnicodeDecodeError) as error:
            if on_error == "raise":
                raise _damaged(path, line, error) from error
            report.bad_lines += 1
    if not found:
        raise DumpError(f"The dump {path} holds no entity; check that it is a Wikidata JSON dump.")
    if array_open:
        raise DumpError(f"The dump {path} is cut short: its array has no end after line {line.number}; fetch it again.")


def _line(text: bytes, document: bytes | None, decoder: EntityDecoder) -> Iterator[Entity]:
    """The entity of one line, or the entities of a ``document`` (the whole line, where it may be one)."""
    if not text.isascii():
        text.decode()
    try:
        yield decoder.entity(text)
    except EntityJsonError:
        if document is None:
            raise
        yield from decoder.documents(document.removeprefix(_BOM))


def _document(
    path: Path, first: Line, text: bytes, in_array: bool, rest: Iterator[Line], decoder: EntityDecoder
) -> Iterator[Entity]:
    """The entities of a single document that is printed over many lines."""
    parts, size = [b"[" if in_array else b"", text], 0
    for line in rest:
        parts.append(line.text)
        size += len(line.text)
        if size > MAX_LINE:
            raise DumpError(
                f"The dump {path} has one document over many lines, and more than {MAX_LINE >> 20} MiB of it; "
                "write it with one entity a line."
            )
    try:
        body = b"\n".join(parts)
        body.decode()
        yield from decoder.documents(body)
    except (EntityJsonError, UnicodeDecodeError) as error:
        raise _damaged(path, first, error) from error


def subclasses(path: Path, classes: Collection[str], on_error: OnError = "raise") -> dict[str, frozenset[str]]:
    """Class -> itself and all classes under it (P279, best rank, any depth) by what the dump says, in one pass.

    Raises DumpError as read_entities does; what "skip" leaves out is counted when the entities are read.
    """
    children, parents = array("q"), array("q")  # ids as numbers: a full dump has millions of such pairs
    try:
        for child, parent in _subclass_pairs(path, on_error):
            if _NUMBERED.fullmatch(child) and _NUMBERED.fullmatch(parent):
                children.append(int(child[1:]))
                parents.append(int(parent[1:]))
    except DumpError:
        if on_error == "raise":
            raise
    below = np.frombuffer(children, dtype=np.int64)
    above = np.frombuffer(parents, dtype=np.int64)
    return {name: _closure(name, below, above) for name in classes}


def _subclass_pairs(path: Path, on_error: OnError) -> Iterator[tuple[str, str]]:
    """(class, the class it is under) for all P279 in the dump; lines without that property are not even parsed."""
    decoder = EntityDecoder(properties=("P279",))
    for line in read_lines(path):
        if b'"P279"' in line.text:
            try:
                entity = decoder.entity(line.text.removeprefix(_BOM).strip(b" \t\r\n,[]"))
            except EntityJsonError as error:
                if on_error == "raise":
                    raise _damaged(path, line, error) from error
                continue
            for parent in best_entities(entity.claims.get("P279", ())):
                yield entity.id or "", parent


def _closure(name: str, below: npt.NDArray[np.int64], above: npt.NDArray[np.int64]) -> frozenset[str]:
    """The class and everything from which P279 leads to it; loops in the hierarchy do no harm."""
    found = fresh = np.array([int(name[1:])], dtype=np.int64)
    while fresh.size:
        fresh = np.setdiff1d(below[np.isin(above, fresh)], found)
        found = np.union1d(found, fresh)
    return frozenset(f"Q{number}" for number in found.tolist())


def _damaged(path: Path, line: Line, error: Exception) -> DumpError:
    start, cause = line.offset, str(error)
    if isinstance(error, UnicodeDecodeError):
        start, cause = line.offset + error.start, "it is not UTF-8 text"
    return DumpError(
        f"Line {line.number} of the dump {path} (from byte {start}) is no whole entity: {cause}; "
        "fetch the file again, or have damaged lines skipped and counted with on_error='skip'."
    )


def _sentence(error: Exception) -> str:
    """An exception's text as the middle of a sentence."""
    text = str(error).rstrip(".") or type(error).__name__
    return text[:1].lower() + text[1:] if text[1:2].islower() else text
