"""What is most like a text: exact cosine similarity within an entity, in batches that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagster_defs.llm.embedding import Embedder

Matrix = npt.NDArray[np.float32]
# Texts whose vectors are held at once: 13 MB of 384 numbers each.
_TEXTS_AT_ONCE = 8192


class Near(NamedTuple):
    """A text of a pool by its place there, and its cosine similarity."""

    place: int
    similarity: float


def nearest(
    queries: Mapping[str, Sequence[str]], pools: Mapping[str, Sequence[str]], n: int, embedder: Embedder
) -> dict[str, list[list[Near]]]:
    """For each key and each of its queries the ``n`` most similar texts of its pool, the most similar first.

    Of equal ones the first of the pool comes first. A key without a pool gets empty lists.
    """
    found: dict[str, list[list[Near]]] = {}
    for keys in _batches(queries, pools):
        texts = list(dict.fromkeys(text for key in keys for text in (*queries[key], *pools.get(key, ()))))
        vectors = embedder.embed(texts)
        places = {text: place for place, text in enumerate(texts)}
        for key in keys:
            pool = vectors[[places[text] for text in pools.get(key, ())]]
            found[key] = [_largest(pool @ vectors[places[text]], n) for text in queries[key]]
    return found


def _batches(queries: Mapping[str, Sequence[str]], pools: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """The keys in groups of at most so many texts, or of one key."""
    group: list[str] = []
    size = 0
    for key, asked in queries.items():
        more = len(asked) + len(pools.get(key, ()))
        if group and size + more > _TEXTS_AT_ONCE:
            yield group
            group, size = [], 0
        group.append(key)
        size += more
    if group:
        yield group


def _largest(similarities: Matrix, n: int) -> list[Near]:
    # Rounded, so that what is equal but for the order of a sum is in the order of the pool.
    rounded = np.round(similarities.astype(np.float64), 6)
    order = np.argsort(-rounded, kind="stable")[:n]
    return [Near(int(place), float(rounded[place])) for place in order]
