"""Bodies that should be JSON: read into types, or told what they are instead."""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

_TITLE: Final = re.compile(rb"<title[^>]*>\s*(.*?)\s*</title>", re.IGNORECASE | re.DOTALL)
_SAID_LENGTH: Final = 160


class BodyError(Exception):
    """A body is not what was asked for.

    ``again``: another attempt may bring a better one; ``retry_after``: seconds to wait before it, as a header says it.
    """

    def __init__(self, cause: str, *, again: bool, retry_after: str | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.again = again
        self.retry_after = retry_after


class UnknownError(Exception):
    """A body says, under a status of success, that the service does not know what was asked for."""


def decode(body: bytes, kind: type[T]) -> T:
    """The body as ``kind``, a type that msgspec reads.

    Raises:
        BodyError: empty, a web page, cut off, or JSON of another shape; the message continues "the answer ...".
    """
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text:
        raise BodyError("the answer was empty", again=True)
    if text.startswith(b"<"):
        title = _TITLE.search(text)
        named = f" titled {_line(title.group(1))!r}" if title else ""
        raise BodyError(f"the answer was a web page or XML{named}, not JSON", again=True)
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        said = explained(body)
        told = f", saying {said!r}" if said else f" ({error})"
        raise BodyError(f"the answer was JSON, but not what was asked for{told}", again=False) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BodyError(f"the answer broke off or was damaged after {len(body)} bytes", again=True) from error


def explained(body: bytes) -> str:
    """What an error's body says, in one short line; '' where it says nothing."""
    text = body.strip()
    if not text:
        return ""
    if text.startswith(b"<"):
        title = _TITLE.search(text)
        return _line(title.group(1)) if title else ""
    try:
        found = _message(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _line(text.splitlines()[0])
    return _line(found.encode()) if found else ""


def _message(value: Any) -> str:
    """The message in any of the forms of the services' errors: PubChem's Fault, UniProt's messages, and so on."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _message(value[0]) if value else ""
    if isinstance(value, dict):
        if isinstance(fault := value.get("Fault"), dict):
            parts = (fault.get("Code"), fault.get("Message"))
            return ": ".join(part for part in parts if isinstance(part, str))
        for key in ("messages", "error_message", "message", "error", "detail", "status"):
            if (said := value.get(key)) and isinstance(said, str | list | dict):
                return _message(said)
    return ""


def _line(text: bytes) -> str:
    return " ".join(text.decode("utf-8", "replace").split())[:_SAID_LENGTH]
