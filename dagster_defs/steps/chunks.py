"""Documents cut into pieces by their sections, every word kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """title: what it is about. text: Markdown, whose headings divide it into sections."""

    title: str
    text: str


@dataclass(frozen=True)
class Chunk:
    """A piece of a document. heading: title and section it stands under. ordinal: its place in the document, from 0."""

    title: str
    heading: str
    text: str
    ordinal: int

    @property
    def shown(self) -> str:
        """The piece under its heading."""
        return f"{self.heading}\n{self.text}"


def chunks(document: Document, size: int, count: Callable[[str], int]) -> list[Chunk]:
    """Pieces of at most ``size`` tokens as ``count`` counts them, cut at line ends, in the order of the document.

    A section's heading stands over each of its pieces. A line that is too long by itself is cut between words. Raises
    ValueError when ``size`` leaves no room for text under a heading.
    """
    found: list[Chunk] = []
    for heading, lines in _sections(document):
        room = size - count(heading) - 1
        if room < 1:
            raise ValueError(f"{size} tokens leave no room under the heading '{heading}'")
        for text in _packed(lines, room, count):
            found.append(Chunk(document.title, heading, text, len(found)))
    return found


def _sections(document: Document) -> list[tuple[str, list[str]]]:
    """(title and heading, lines) of each section that has lines; headings nest by their number of signs."""
    path: list[tuple[int, str]] = []
    found: list[tuple[str, list[str]]] = []
    for line in document.text.splitlines():
        level = len(line) - len(line.lstrip("#"))
        if level and line[level : level + 1] == " ":
            path = [*(above for above in path if above[0] < level), (level, line[level:].strip())]
        elif line.strip():
            parts = [text for _, text in path]
            if parts[:1] != [document.title]:
                parts.insert(0, document.title)
            heading = " > ".join(parts)
            if not found or found[-1][0] != heading:
                found.append((heading, []))
            found[-1][1].append(line)
    return found


def _packed(lines: Sequence[str], room: int, count: Callable[[str], int]) -> list[str]:
    pieces = [piece for line in lines for piece in _fitting(line, room, count)]
    packed: list[str] = []
    for piece in pieces:
        joined = f"{packed[-1]}\n{piece}" if packed else piece
        if packed and count(joined) <= room:
            packed[-1] = joined
        else:
            packed.append(piece)
    return packed


def _fitting(line: str, room: int, count: Callable[[str], int]) -> list[str]:
    """A line in pieces that fit, halved between words as often as needed; a single word is left whole."""
    words = line.split()
    if count(line) <= room or len(words) < 2:
        return [line]
    middle = len(words) // 2
    return [piece for half in (words[:middle], words[middle:]) for piece in _fitting(" ".join(half), room, count)]
