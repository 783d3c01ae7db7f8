"""The entries of one big JSON object or list, one at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from dagster_defs.errors import RunError

_READ: Final = 1 << 20
# The longest entry: a file without an end to its first entry is not read into memory in whole.
_LONGEST: Final = 256 << 20
_SPACE: Final = re.compile(r"[ \t\r\n]*")


def entries(handle: BinaryIO, name: str) -> Iterator[tuple[str, Any]]:
    """(key, value) of an object, or ("", value) of a list, as they come; ``name`` is what errors call the file.

    A byte order mark is skipped. Raises RunError, one sentence that says where, for what is no such JSON in UTF-8.
    """
    text = _Text(handle, name)
    kind = text.take("{[")
    if text.peek() == ("}" if kind == "{" else "]"):
        text.take("}]")
    else:
        while True:
            key = ""
            if kind == "{":
                found = text.value()
                if not isinstance(found, str):
                    raise text.wrong("a title in quotes is missing")
                key = found
                text.take(":")
            text.key = key
            yield key, text.value()
            text.number += 1
            if text.take(",}" if kind == "{" else ",]") != ",":
                break
    if text.peek():
        raise text.wrong("something stands behind its end")


class _Text:
    """The file's text from the place that was read up to."""

    def __init__(self, handle: BinaryIO, name: str) -> None:
        self.name = name
        self.number = 1
        self.key = ""
        self._handle = handle
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._buffer = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next letter that is no space; '' at the end."""
        while True:
            space = _SPACE.match(self._buffer, self._at)
            assert space is not None
            self._at = space.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._ended:
                return ""
            self._more(_READ)

    def take(self, letters: str) -> str:
        """The next letter, one of ``letters``."""
        letter = self.peek()
        if not letter or letter not in letters:
            raise self.wrong(f"{' or '.join(letters)} is missing" if letter else "it ends too early")
        self._at += 1
        return letter

    def value(self) -> Any:
        """The next value."""
        self.peek()
        size = _READ
        while True:
            try:
                value, end = self._json.raw_decode(self._buffer, self._at)
            except RecursionError as error:
                raise self.wrong("it is nested too deeply") from error
            except ValueError as error:
                if self._ended or len(self._buffer) - self._at > _LONGEST:
                    raise self.wrong("it is damaged or ends too early") from error
            else:
                # A number at the end of what was read may go on behind it.
                if end < len(self._buffer) or self._ended:
                    self._at = end
                    return value
            self._more(size)
            size *= 2

    def wrong(self, what: str) -> RunError:
        """What is wrong, and where."""
        after = f" (after '{self.key[:80]}')" if self.key else ""
        return RunError(f"{self.name} can't be read at entry {self.number}{after}: {what}; mend it or export it anew.")

    def _more(self, size: int) -> None:
        """Read on; what was taken is forgotten."""
        try:
            block = self._handle.read(size)
            fresh = self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise self.wrong("it is not in UTF-8") from error
        except (OSError, EOFError) as error:
            raise self.wrong(f"it can't be unpacked or read ({error})") from error
        self._ended = not block
        self._buffer = self._buffer[self._at :] + fresh
        self._at = 0
