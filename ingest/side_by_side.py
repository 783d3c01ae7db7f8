"""Several pieces of work at a time, given up together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def side_by_side(pieces: Sequence[T], work: Callable[[T], None], parallel: int) -> Iterator[T]:
    """Do ``work`` on each piece, ``parallel`` threads at a time; yields the pieces in their order, when done.

    Raises what ``work`` raised, once the pieces in hand have ended. After one has failed no other is begun: a service
    that is down is asked for ten minutes, and once is enough.
    """
    failed = threading.Event()

    def do(piece: T) -> T:
        if not failed.is_set():
            try:
                work(piece)
            except BaseException:
                failed.set()
                raise
        return piece

    with ThreadPoolExecutor(parallel) as pool:
        yield from pool.map(do, pieces)
