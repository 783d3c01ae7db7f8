"""Vectors of texts, kept by the digest of what they were computed from, so that none is computed or paid for twice."""

from __future__ import annotations

import contextlib
import fcntl
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dagster_defs.errors import RunError
from dagster_defs.llm.sqlite_file import SqliteFile, transaction

Vector = npt.NDArray[np.float32]

_VERSION = 1
_READ_AT_ONCE = 1000
_TABLE = "create table if not exists vectors (key text primary key, vector blob not null) without rowid;"
_SELECT = "select key, vector from vectors where key in (select value from json_each(?))"
_STORED = np.dtype("<f4")


class VectorsError(RunError):
    """The file of vectors cannot be read or written; one sentence that names it."""


class Vectors:
    """The vectors in the file ``path`` (SQLite, WAL), which is made when missing; any process and thread may use it.

    Raises VectorsError when the file is none of this version, or cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file = SqliteFile(path, "the file of vectors", _TABLE, _VERSION, VectorsError)
        self._connection = self._file.open()

    def get_many(self, keys: Iterable[str]) -> dict[str, Vector]:
        """The kept vectors among ``keys``, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, Vector] = {}
        with self._file.named(), self._lock:
            for start in range(0, len(wanted), _READ_AT_ONCE):
                block = json.dumps(wanted[start : start + _READ_AT_ONCE])
                for key, vector in self._connection.execute(_SELECT, (block,)).fetchall():
                    found[key] = np.frombuffer(vector, _STORED).astype(np.float32)
        return found

    def put_many(self, vectors: Mapping[str, Vector]) -> None:
        """Return once all of ``vectors`` are on the disk, in one commit; what is there already stays."""
        rows = [(key, vector.astype(_STORED).tobytes()) for key, vector in vectors.items()]
        with self._file.named(), self._lock, transaction(self._connection):
            self._connection.executemany("insert or ignore into vectors values (?, ?)", rows)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Only one thread of one process is in this context at a time; the system lets go of one that was killed."""
        path = self.path.with_name(self.path.name + ".lock")
        try:
            held = path.open("ab")
        except OSError as error:
            raise VectorsError(f"Cannot write {path}: {error.strerror}.") from error
        with held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def unit(vector: npt.ArrayLike) -> Vector:
    """``vector`` at length 1; raises ValueError when it has none, or a number in it is not finite."""
    given = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(given))
    if given.ndim != 1 or not np.isfinite(length) or length == 0:
        raise ValueError("a vector without a length")
    return (given / length).astype(np.float32)


def mean(vectors: Iterable[tuple[Vector, int]]) -> Vector:
    """The mean of vectors of length 1 by their weights, at length 1; of opposite ones the heaviest."""
    listed = list(vectors)
    if len(listed) == 1:
        return listed[0][0]
    total = np.sum([vector.astype(np.float64) * weight for vector, weight in listed], axis=0)
    # Opposites cancel but for the rounding of their 32-bit numbers.
    if float(np.linalg.norm(total)) <= 1e-6 * sum(weight for _, weight in listed):
        return max(listed, key=lambda item: item[1])[0]
    return unit(total)
