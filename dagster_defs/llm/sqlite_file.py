"""A file that many processes write, and that holds what it was given once a commit returns: SQLite in WAL mode."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dagster_defs.errors import RunError

# How long to wait for another process to end its transaction.
_BUSY_S = 60.0


@dataclass(frozen=True)
class SqliteFile:
    """Which file, what it is called in a sentence ("the journal"), its tables in SQL, and which version of them.

    failed: the error that `open` and `named` raise, each time one sentence that names the file.
    """

    path: Path
    what: str
    tables: str
    version: int
    failed: type[RunError]

    def open(self) -> sqlite3.Connection:
        """A connection for any thread, in autocommit; file, folder and tables are made where they are missing.

        With synchronous=FULL a commit is on the disk when it returns, which holds for a killed process and for a
        machine that loses power. Raises ``failed`` when the file is of another version, or none that can be used.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self.failed(f"Cannot make the folder of {self.what} {self.path}: {error.strerror}.") from error
        with self.named():
            connection = sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            found = connection.execute("pragma user_version").fetchone()[0]
            if found not in (0, self.version):
                connection.close()
                raise self.failed(
                    f"{self.what.capitalize()} {self.path} is of version {found}, and this Assay reads version"
                    f" {self.version}: move it aside to begin a new one."
                )
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = full")
            if found == 0:
                connection.executescript(f"begin immediate;{self.tables}pragma user_version = {self.version};commit;")
            return connection

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Turn what SQLite says into a sentence that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.error(error) from error

    def error(self, error: Exception) -> RunError:
        """That sentence."""
        return self.failed(f"Cannot use {self.what} {self.path}: {' '.join(str(error).split())}.")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """What is done inside is on the disk as one when it ends well, and not at all when it does not."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
