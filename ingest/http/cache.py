"""Answers kept on disk until they are stale."""

from __future__ import annotations

import datetime
import logging
from pathlib import Path
from typing import IO, Any, Final

import msgspec
from cachelib import FileSystemCache
from cachelib.serializers import FileSystemSerializer

_LOG: Final = logging.getLogger(__name__)
# Files kept before stale ones are swept; an EDGAR company is some megabytes, most answers are a few kilobytes.
_FILES: Final = 4_000
# So many are swept at a time, as all have to be looked at to find the stalest.
_SWEPT: Final = 400


class Kept(msgspec.Struct, frozen=True, tag=True):
    """An answer as it is kept: when it was fetched (UTC), and its bytes."""

    fetched_at: datetime.datetime
    body: bytes


class _MessagePack(FileSystemSerializer):
    """Plain data in place of pickles, which would run what somebody put into the folder.

    Beside answers cachelib keeps one int, its own count of them.
    """

    _decoder: Final = msgspec.msgpack.Decoder(Kept | int)

    def dump(self, value: Any, f: IO[bytes], protocol: int = 0) -> None:
        f.write(msgspec.msgpack.encode(value))

    def load(self, f: IO[bytes]) -> Kept | int | None:
        try:
            return self._decoder.decode(f.read())
        except msgspec.DecodeError:
            return None


class _Files(FileSystemCache):
    serializer = _MessagePack()

    def _prune(self) -> None:
        """Make room for more than the one answer that is to be kept now."""
        if self._over_threshold():
            self._threshold -= _SWEPT
            try:
                super()._prune()
            finally:
                self._threshold += _SWEPT


class ResponseCache:
    """A folder of answers by URL; URLs hold no secrets, so files name none.

    Args:
        folder: belongs to the cache alone; made on first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: FileSystemCache | None = None

    def get(self, url: str) -> Kept | None:
        """The answer kept for ``url``, if there is one that is fresh and whole."""
        found = self._opened().get(url) if self.folder.exists() else None
        return found if isinstance(found, Kept) else None

    def put(self, url: str, kept: Kept, seconds: int) -> None:
        """Keep an answer for so many seconds; a full disk costs speed, never the answer."""
        if seconds <= 0:
            return
        try:
            saved = self._opened().set(url, kept, seconds)
        except OSError:
            saved = False
        if not saved:
            _LOG.warning("An answer could not be kept in %s; look whether the disk is full.", self.folder)

    def _opened(self) -> FileSystemCache:
        if self._files is None:
            self._files = _Files(str(self.folder), threshold=_FILES, default_timeout=0)
        return self._files
