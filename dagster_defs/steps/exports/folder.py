"""A folder that is replaced as a whole: whoever looks sees the old one or the new one, even if the writer is killed."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dagster_defs.errors import RunError
from dagster_defs.steps.lock import writer_lock
from ingest.landing import flush

# renameat2's arguments on Linux: paths are relative to the working directory; the two names change places.
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_MADE, _OLD = ".made", ".old"


@contextmanager
def replaced_folder(target: Path) -> Iterator[Path]:
    """A new empty folder that takes the place of ``target`` when the block ends well; otherwise nothing changes.

    Needs write access to ``target``'s parent, which is made. Raises RunError when another process is at it, or when the
    files can't be written; what was there before is still there.
    """
    made, old = (target.with_name(f".{target.name}{suffix}") for suffix in (_MADE, _OLD))
    try:
        # Kept beside the folder, not in it, so that the lock isn't swapped away. One lock for all of the parent.
        with writer_lock(target.parent / ".lock"):
            _mend(target, old)
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            try:
                yield made
                _flush_all(made)
                _swap(made, target, old)
                flush(target.parent)
            finally:
                shutil.rmtree(made, ignore_errors=True)
                shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise RunError(
            f"{target} could not be written ({error.strerror or error}); what was there before is still there: mend"
            " that and run again."
        ) from error


def _mend(target: Path, old: Path) -> None:
    """Put the old folder back where a run was killed between the two renames of a system that can't exchange names."""
    if old.exists() and not target.exists():
        old.rename(target)


def _swap(made: Path, target: Path, old: Path) -> None:
    """Give ``made`` the name ``target``. What stood there ends as ``made`` or ``old``, for the caller to remove."""
    if not target.exists():
        made.rename(target)
    elif not _exchange(made, target):
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        made.rename(target)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one atomic step; False where the system or its file system can't."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), str(other))


def _flush_all(folder: Path) -> None:
    """Make sure that all of ``folder`` is on the disk before its name is."""
    for path in [*folder.rglob("*"), folder]:
        flush(path)
