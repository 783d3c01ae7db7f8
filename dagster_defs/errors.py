"""One plain sentence for everything that can stop a run: what failed, where, and how to mend it."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path

from ingest.errors import IngestError


class RunError(Exception):
    """A run ended on purpose; ``str()`` is one sentence, fit to show to a user as it stands."""


_NOT_ALLOWED = "this user may not write there: change its permissions, or set ASSAY_DATA_DIR to a folder that is yours"
_REMEDIES = {
    errno.ENOSPC: "no space is left on the disk: free some, or set ASSAY_DATA_DIR to a folder on another disk",
    errno.EFBIG: "the file would grow past the size this process may write: raise the limit (ulimit -f)",
    errno.EIO: "the system refuses it: look at the disk, its quota and the size a file may have (ulimit -f), or set"
    " ASSAY_DATA_DIR to a folder on another disk",
    errno.EDQUOT: "the disk quota is used up: free some space, or set ASSAY_DATA_DIR to another folder",
    errno.EROFS: "the folder is read-only: make it writable, or set ASSAY_DATA_DIR to a folder that is",
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
}
# What DuckDB and SQLite say, and the error number it stands for.
_SAID = {
    r"File too large": errno.EFBIG,
    r"Read-only file system|readonly database": errno.EROFS,
    # SQLite's word for every write that fails with room left on the disk: a limit, a quota, or the disk itself.
    r"disk I/O error": errno.EIO,
    r"No space left on device|disk is full|Could not write file|failed to write": errno.ENOSPC,
}


def interrupted(error: BaseException) -> bool:
    """Whether ``error`` comes of Ctrl-C or a signal to stop, whatever else went wrong on the way out."""
    stops = {"KeyboardInterrupt", "DagsterExecutionInterruptedError"}
    return any(type(cause).__name__ in stops for cause in _causes(error))


def sentence(error: BaseException, folder: Path | None = None) -> str:
    """What to tell a user about ``error``: the first cause that speaks plainly, else the first line of the last.

    ``folder`` is where the run writes: SQLite does not say which file it could not write.
    """
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, RunError | IngestError):
            return re.sub(r"\s*\n\s*", " ", str(cause).strip())
    for cause in chain:
        if isinstance(cause, OSError) and cause.errno in _REMEDIES:
            return f"Cannot write {cause.filename or 'a file'}: {_REMEDIES[cause.errno]}."
        said = engine_sentence(str(cause), folder)
        if said:
            return said
    last = chain[-1]
    first_line = (str(last).strip().splitlines() or [""])[0]
    return f"{type(last).__name__}: {first_line}".rstrip(": ")


def engine_sentence(message: str, folder: Path | None = None) -> str | None:
    """A plain sentence for the complaints of DuckDB and SQLite about locks and disks, None for any other ``message``.

    ``folder`` is named where the message names no file.
    """
    flat = " ".join(message.split())
    lock = re.search(r'Could not set lock on file "([^"]+)".*?\(PID (\d+)\)', flat)
    if lock:
        return (
            f"Cannot build: {lock[1]} is held open by another program (process {lock[2]}): close it there and run"
            " again; to query while a build runs, open data/assay.duckdb instead."
        )
    for said, number in _SAID.items():
        if re.search(said, flat, re.IGNORECASE):
            where = re.search(r'"([^"]+)"', flat)
            return f"Cannot write {where[1] if where else folder or 'a database'}: {_REMEDIES[number]}."
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """``error`` and what it was raised from, outermost first, each once."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
