"""One writer at a time, across processes."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dagster_defs.errors import RunError


@contextmanager
def writer_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on ``path``, whose text is the holder's process id.

    The kernel drops the lock when its holder ends, however it ends, so a file left by a killed run locks nobody out.
    Raises RunError when another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise RunError(
                f"Another run (process {holder}) is writing {path.parent}: wait until it has finished, then run again."
            ) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def waiting_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on ``path``, waiting for as long as another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
