"""What a caller asks for: checked before it becomes part of a URL, once each, in pieces that one request can hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from ingest.errors import ServiceError

T = TypeVar("T")


def checked(identifiers: Iterable[str], pattern: str, kind: str, example: str) -> list[str]:
    """The identifiers, sorted, each once; all of them match ``pattern`` whole.

    Raises:
        ServiceError: names the first that is no identifier of this ``kind``, and shows an ``example``.
    """
    asked = sorted(set(identifiers))
    for one in asked:
        if not re.fullmatch(pattern, one, re.ASCII):
            raise ServiceError(f"{one!r} is no {kind}; write one such as {example}.")
    return asked


def batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """The items in their order, ``size`` at a time."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
