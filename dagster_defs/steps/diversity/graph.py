"""The graph of near duplicates: an edge wherever two vectors are less dissimilar than a threshold, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dagster_defs.steps.diversity.edges import Edges, Listed, Mapped
from dagster_defs.steps.diversity.grid import Grid, Ints, on_grid

# A block of products stays in the processor's cache, and its columns start at a whole byte of a bitmap.
BLOCK = 2048
# Edges as lists are quicker to go through; up to so many they take 250 MB while they are made, and above this share of
# all pairs more than a bitmap.
_LISTED = 5_000_000
_LISTED_SHARE = 1 / 200


class Found(NamedTuple):
    """The edges of one block: positions of their ends, the first below the second, and how far apart they are."""

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    apart: npt.NDArray[np.int32]


def near_duplicates(
    vectors: npt.ArrayLike,
    threshold: float,
    *,
    groups: Sequence[object] | None = None,
    block: int = BLOCK,
    listed: int | None = None,
) -> Edges:
    """Every pair of rows whose cosine dissimilarity, 1 - cosine, is under ``threshold``.

    vectors: rows of length 1. groups: one a row; pairs of different groups are not compared. block: rows of a block, a
    multiple of 8. listed: how many edges are kept as lists; of more a bitmap of rows * rows bits is made (default:
    five millions, or as many as take no more room than that).

    The answer is that of 64-bit products, whatever the block, the order of rows and the machine. Memory: the vectors
    twice, and the edges. Raises ValueError where vectors are not of length 1 or groups are not one a row.
    """
    if block < 8 or block % 8:
        raise ValueError(f"a block of {block} rows is no multiple of 8")
    given = np.asarray(vectors, dtype=np.float32)
    order = _order(groups, len(given)) if groups is not None else None
    grid = on_grid(given if order is None else given[order[0]])
    limit = max(_LISTED, int(len(given) ** 2 / 2 * _LISTED_SHARE)) if listed is None else listed
    blocks = _blocks(grid, threshold, block, None if order is None else order[1])
    held: list[Found] = []
    count = 0
    for found in blocks:
        held.append(found)
        count += len(found.left)
        if count > limit:
            most = math.ceil((threshold + grid.error) * grid.unit) + 1
            return _mapped(Mapped.empty(grid, order and order[0], most), held, blocks)
    return _listed(grid, held, order and order[0])


def _order(groups: Sequence[object], rows: int) -> tuple[Ints, Ints]:
    """Rows in the order of their groups, and the number of the group of each, in that order."""
    if len(groups) != rows:
        raise ValueError(f"{len(groups)} groups were given for {rows} vectors")
    numbers: dict[object, int] = {}
    codes = np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)
    order = np.argsort(codes, kind="stable")
    return order, codes[order]


def _blocks(grid: Grid, threshold: float, block: int, codes: Ints | None) -> Iterator[Found]:
    """The edges of each block of the upper triangle, blocks without any left out."""
    n = len(grid.points)
    out = np.empty(block * block, dtype=np.float32)
    mask = np.empty(block * block, dtype=bool)
    # Products of points are whole numbers under 2**24, as this is: comparing rounds nothing.
    least = math.floor((1 - threshold - grid.error) * grid.unit) - 1
    for i in range(0, n, block):
        rows = grid.points[i : i + block]
        for j in range(i, n, block):
            columns = grid.points[j : j + block]
            # Groups are in order: once a block of columns starts behind the last group of the rows, all do.
            if codes is not None and codes[j] > codes[i + len(rows) - 1]:
                break
            shape = (len(rows), len(columns))
            size = len(rows) * len(columns)
            products, near = out[:size].reshape(shape), mask[:size]
            np.matmul(rows, columns.T, out=products)
            np.greater(products.ravel(), least, out=near)
            hits = np.flatnonzero(near)
            if len(hits):
                found = _decided(grid, threshold, hits, products, i, j, codes)
                if len(found.left):
                    yield found


def _decided(
    grid: Grid,
    threshold: float,
    hits: npt.NDArray[np.intp],
    products: npt.NDArray[np.float32],
    i: int,
    j: int,
    codes: Ints | None,
) -> Found:
    """Of what may be an edge what is one: those that the grid cannot tell are computed again in 64 bits."""
    found = products.ravel()[hits]
    left, right = np.divmod(hits, products.shape[1])
    left += i
    right += j
    kept = left < right if i == j else np.ones(len(hits), dtype=bool)
    if codes is not None:
        kept &= codes[left] == codes[right]
    unsure = np.flatnonzero(kept & (found < math.ceil((1 - threshold + grid.error) * grid.unit) + 1))
    kept[unsure] = 1 - grid.cosines(left[unsure], right[unsure]) < threshold
    if not kept.all():
        left, right, found = left[kept], right[kept], found[kept]
    return Found(left.astype(np.int32), right.astype(np.int32), grid.apart(found))


def _listed(grid: Grid, held: list[Found], order: Ints | None) -> Listed:
    from scipy.sparse import coo_array

    n = len(grid.points)
    m = sum(len(found.left) for found in held)
    ends = np.empty((2, 2 * m), dtype=np.int32)
    apart = np.empty(2 * m, dtype=np.int32)
    at = 0
    while held:
        found = held.pop()
        to = at + len(found.left)
        ends[0, at:to], ends[1, at:to], apart[at:to] = found.left, found.right, found.apart
        at = to
    ends[0, m:], ends[1, m:], apart[m:] = ends[1, :m], ends[0, :m], apart[:m]
    table = coo_array((apart, (ends[0], ends[1])), shape=(n, n)).tocsr()
    return Listed(n, order, table.indptr.astype(np.int64), table.indices, table.data)


def _mapped(edges: Mapped, held: list[Found], blocks: Iterator[Found]) -> Mapped:
    while held:
        edges.add(*held.pop())
    for found in blocks:
        edges.add(*found)
    return edges
