"""Texts of any length as vectors of length 1, each kept, so that nothing is computed or paid for twice.

Models read a window and drop the rest without a word. A longer text is embedded window by window, and its vector is the
mean of theirs, weighted by their lengths.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.vectors import Vector, Vectors, mean

# Part of every key: raise it when windows or means are made in another way.
_METHOD = 1
_AT_ONCE = 256
# A text of spaces says nothing, and servers refuse it.
_BLANK = "-"


class EmbedError(RunError):
    """A text has no vector; one sentence that says why. What was computed before is kept."""


class Embedder(Protocol):
    """What gives texts of any length their vectors."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of length 1, one row a text."""


@dataclass(frozen=True)
class Window:
    """A part of a text that a model reads whole. size: tokens or bytes of it."""

    text: str
    size: int


# Takes vectors of length 1 by their texts, and returns once they are on the disk.
Keep = Callable[[Mapping[str, Vector]], None]


class _Cached:
    """What reads and keeps vectors in a file. Close it, or use it as a context manager."""

    def __init__(self, spec: ModelSpec, cache: Path) -> None:
        self.spec = spec
        self._cache = Vectors(cache)
        self._key = keyed(spec)

    def close(self) -> None:
        """Close the cache."""
        self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class TextEmbedder(_Cached, ABC):
    """Embedder texts of any length with one model. Close it, or use it as a context manager; any thread may use it.

    cache: file of the vectors, which other models, threads and processes may share.
    """

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of length 1, of shape (texts, dimensions), in the order of ``texts``.

        The same text gets the same vector, whatever it is embedded with. Raises EmbedError, VectorsError, and where a
        server is asked BudgetReached or StopRun; all vectors that came before are kept.
        """
        plain = [_plain(text) for text in texts]
        keys = [self._key(text) for text in plain]
        by_key = dict(zip(keys, plain, strict=True))
        found = self._cache.get_many(by_key)
        missing = [text for key, text in by_key.items() if key not in found]
        for start in range(0, len(missing), _AT_ONCE):
            # Whoever else wants the same texts waits, and then finds them.
            with self._cache.alone():
                found |= self._add(missing[start : start + _AT_ONCE])
        if not keys:
            return np.zeros((0, self.dimensions()), np.float32)
        self._check({len(vector) for vector in found.values()})
        return np.stack([found[key] for key in keys])

    @abstractmethod
    def dimensions(self) -> int:
        """Numbers in a vector; 0 where only an answer could tell."""

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """Tokens of ``text``, without those a model adds; estimated upward where its tokenizer is not at hand."""

    @abstractmethod
    def windows(self, text: str) -> list[Window]:
        """``text`` in parts that the model reads whole; joined they are the text, but for space."""

    @abstractmethod
    def _compute(self, windows: Sequence[Window], keep: Keep) -> None:
        """Compute the vectors of ``windows``, and hand each to ``keep`` as soon as it is there."""

    def _add(self, texts: Sequence[str]) -> dict[str, Vector]:
        """The vectors of ``texts`` by key: computed and kept, unless another process has done so by now."""
        found = self._cache.get_many(map(self._key, texts))
        parts = {text: self.windows(text) for text in texts if self._key(text) not in found}
        windows = {self._key(window.text): window for held in parts.values() for window in held}
        known = self._cache.get_many(windows)

        def keep(vectors: Mapping[str, Vector]) -> None:
            made = {self._key(text): vector for text, vector in vectors.items()}
            self._cache.put_many(made)
            known.update(made)

        self._compute([window for key, window in windows.items() if key not in known], keep)
        self._check({len(vector) for vector in known.values()})
        made = {
            self._key(text): mean((known[self._key(window.text)], window.size) for window in held)
            for text, held in parts.items()
        }
        self._cache.put_many({key: vector for key, vector in made.items() if key not in known})
        return found | made

    def _check(self, dimensions: set[int]) -> None:
        if len(dimensions) > 1:
            sizes = " and ".join(map(str, sorted(dimensions)))
            raise EmbedError(
                f"Model '{self.spec.name}' gave vectors of {sizes} numbers: its server has changed, so move"
                f" {self._cache.path} aside."
            )


class KeptVectors(_Cached):
    """Stands in for a server's embedder in an estimate: gives the vectors that are kept, and sends nothing.

    Needs no key. A text without a vector gets zeros, which are near to nothing; ``sentence`` says what it would take.
    """

    def __init__(self, spec: ModelSpec, cache: Path) -> None:
        super().__init__(spec, cache)
        self._missing: dict[str, int] = {}

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text, in the order of ``texts``. Raises VectorsError."""
        plain = {text: _plain(text) for text in texts}
        keys = {text: self._key(said) for text, said in plain.items()}
        found = self._cache.get_many(keys.values())
        self._missing.update({keys[text]: estimated_tokens(plain[text]) for text in plain if keys[text] not in found})
        nothing = np.zeros(max(map(len, found.values()), default=1), np.float32)
        return np.stack([found.get(keys[text], nothing) for text in texts])

    def sentence(self) -> str:
        """What the texts without a vector would take; empty where there were none."""
        if not self._missing:
            return ""
        tokens = sum(self._missing.values())
        cost = "no price" if self.spec.price is None else f"${self.spec.price.dollars(tokens, 0):,.4f}"
        texts = f"{len(self._missing):,} text{'' if len(self._missing) == 1 else 's'}"
        return (
            f"Before that, {texts} of about {tokens:,} tokens go to '{self.spec.name}' ({cost}):"
            " which pieces of a document are nearest is not known until then, so its first ones are counted here."
        )


def keyed(spec: ModelSpec) -> Callable[[str], str]:
    """What makes a text's key: SHA-256 over the model, how it is asked, and the text, as 64 hexadecimal digits."""
    what = [_METHOD, spec.name, spec.model_id, spec.context_tokens, dict(spec.parameters or {})]
    head = json.dumps(what, sort_keys=True).encode() + b"\0"
    return lambda text: hashlib.sha256(head + text.encode()).hexdigest()


def pack(pieces: Sequence[Window], room: int) -> list[Window]:
    """Neighbouring ``pieces`` joined into as few windows of at most ``room`` as will do, of about equal sizes.

    No piece may be larger than ``room``. A window of spaces alone is left out: servers refuse it.
    """
    total = sum(piece.size for piece in pieces)
    aim = -(-total // max(1, -(-total // room)))
    windows: list[Window] = []
    texts: list[str] = []
    size = 0
    for piece in pieces:
        if texts and (size >= aim or size + piece.size > room):
            windows.append(Window("".join(texts), size))
            texts, size = [], 0
        texts.append(piece.text)
        size += piece.size
    windows.append(Window("".join(texts), size))
    return [window for window in windows if window.text.strip()]


def _plain(text: str) -> str:
    """``text`` as it can be sent and stored: half of a surrogate pair cannot."""
    return text.encode("utf-8", "replace").decode() if text.strip() else _BLANK
