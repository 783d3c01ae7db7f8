"""An article's plain text in sections, as its headings divide it; a pure function."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_HEADING: Final = re.compile(r"(={1,6})[ \t]*([^=\s](?:.*[^=\s])?)[ \t]*\1[ \t]*")


class Section(msgspec.Struct, frozen=True):
    """A part of an article.

    ordinal: 0 for what stands before the first heading, which is always there. level: of the heading, 2 for those below
    the title; 1 for what has none. text: without blank lines before and after it.
    """

    ordinal: int
    level: int
    heading: str | None
    text: str


def split(text: str) -> list[Section]:
    """The sections of a text with headings such as ``== Life ==``, each on a line of its own."""
    found: list[Section] = []
    level, heading, lines = 1, None, []  # type: int, str | None, list[str]
    for line in text.split("\n"):
        match = _HEADING.fullmatch(line)
        if match is None:
            lines.append(line)
            continue
        found.append(Section(len(found), level, heading, "\n".join(lines).strip()))
        level, heading, lines = len(match[1]), match[2], []
    found.append(Section(len(found), level, heading, "\n".join(lines).strip()))
    return found
