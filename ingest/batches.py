"""Lists in pieces that one request can ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def batches(items: Sequence[T], size: int) -> Iterator[list[T]]:
    """The items in their order, ``size`` at a time."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
