"""The bundled sample as a snapshot: its manifest, and its files checked against it."""

from __future__ import annotations

import datetime
import hashlib
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from ingest.errors import SampleError
from ingest.landing import Snapshot

SAMPLE_DIR: Final = Path(__file__).resolve().parent.parent / "sample"
_MEND: Final = "restore ingest/sample from the repository or rebuild it as ingest/sample/README.md says"


class _File(msgspec.Struct):
    sha256: str
    triples: int


@dataclass(frozen=True)
class Manifest:
    """What the sample consists of: its date, and per file name in ``facts/`` the SHA-256 and number of triples."""

    as_of: datetime.date
    files: Mapping[str, _File]


class _Document(msgspec.Struct):
    as_of: datetime.date
    files: dict[str, _File]


def read_manifest(sample_dir: Path = SAMPLE_DIR) -> Manifest:
    """The manifest of the sample. Raises SampleError where it is missing or malformed."""
    path = sample_dir / "manifest.json"
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
    except OSError as error:
        raise SampleError(f"The sample's manifest {path} cannot be read ({error.strerror}); {_MEND}.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SampleError(f"The sample's manifest {path} is damaged ({error}); {_MEND}.") from error
    if not document.files:
        raise SampleError(f"The sample's manifest {path} lists no files; {_MEND}.")
    return Manifest(document.as_of, document.files)


def sample_snapshot(sample_dir: Path = SAMPLE_DIR) -> Snapshot:
    """The snapshot that the sample is: its id changes with any of its files. Raises SampleError."""
    manifest = read_manifest(sample_dir)
    digest = hashlib.sha256()
    for _, file in sorted(manifest.files.items()):
        digest.update(file.sha256.encode())
    return Snapshot(f"sample-{digest.hexdigest()[:12]}", manifest.as_of)


def sample_files(sample_dir: Path = SAMPLE_DIR) -> Iterator[tuple[str, bytes]]:
    """(name, Turtle) of each file of the sample, unpacked and checked against the manifest.

    Raises:
        SampleError: a file is missing, unreadable, not the one the manifest describes, or no valid xz.
    """
    for name, file in sorted(read_manifest(sample_dir).files.items()):
        path = sample_dir / "facts" / name
        try:
            packed = path.read_bytes()
        except OSError as error:
            raise SampleError(f"The sample file {path} cannot be read ({error.strerror}); {_MEND}.") from error
        if hashlib.sha256(packed).hexdigest() != file.sha256:
            raise SampleError(f"The sample file {path} is not the one its manifest describes; {_MEND}.")
        yield name, unpack(path, packed)


def read_turtle(path: Path) -> bytes:
    """A Turtle file, packed (``.xz``) or not. Raises SampleError where it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SampleError(f"The facts file {path} cannot be read ({error.strerror}); check the path.") from error
    return unpack(path, content) if path.suffix == ".xz" else content


def unpack(path: Path, packed: bytes) -> bytes:
    """The content of an xz file. Raises SampleError where it is damaged."""
    try:
        return lzma.decompress(packed)
    except lzma.LZMAError as error:
        raise SampleError(f"The sample file {path} is no valid xz file ({error}); {_MEND}.") from error
