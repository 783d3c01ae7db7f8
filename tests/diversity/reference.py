"""The rule of the diversity filter once more, in the plainest way: for tests to compare with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dagster_defs.steps.diversity.grid import on_grid


def edges_of(vectors: npt.ArrayLike, threshold: float, groups: Sequence[object] | None = None) -> list[tuple[int, int]]:
    """Every pair under ``threshold``, by one product in 64 bits each."""
    rows = np.asarray(vectors, dtype=np.float32).astype(np.float64)
    return [
        (i, j)
        for i in range(len(rows))
        for j in range(i + 1, len(rows))
        if (groups is None or groups[i] == groups[j]) and 1 - float((rows[i] * rows[j]).sum()) < threshold
    ]


def apart(vectors: npt.ArrayLike) -> list[list[int]]:
    """How far apart all rows are on the grid, in Python's own whole numbers."""
    grid = on_grid(vectors)
    points = [[int(number) for number in row] for row in grid.points]
    return [
        [max(0, grid.unit - sum(a * b for a, b in zip(one, other, strict=True))) for other in points] for one in points
    ]


def selected(
    vectors: npt.ArrayLike, edges: Sequence[tuple[int, int]], ids: Sequence[str]
) -> tuple[list[bool], list[str | None]]:
    """(is_diverse, removed_for), everything looked up anew at each step."""
    far = apart(vectors)
    around: dict[int, set[int]] = {i: set() for i in range(len(ids))}
    for i, j in edges:
        around[i].add(j)
        around[j].add(i)
    left = {i: set(found) for i, found in around.items()}
    removed: list[int] = []
    while any(left.values()):
        most = max(len(found) for found in left.values())
        tied = [i for i, found in left.items() if len(found) == most]
        least = min(sum(far[i][j] for j in left[i]) for i in tied)
        gone = max((i for i in tied if sum(far[i][j] for j in left[i]) == least), key=lambda i: ids[i])
        for j in left.pop(gone):
            left[j].discard(gone)
        removed.append(gone)
    stands: dict[int, int] = {}
    for place, i in reversed(list(enumerate(removed))):
        staying = [j for j in around[i] if j in left] or [j for j in around[i] if j in removed[place + 1 :]]
        nearest = min(staying, key=lambda j: (far[i][j], ids[j]))
        stands[i] = stands.get(nearest, nearest)
    return [i in left for i in range(len(ids))], [ids[stands[i]] if i in stands else None for i in range(len(ids))]
