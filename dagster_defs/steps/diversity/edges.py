"""Two ways to hold the graph: lists of neighbours where edges are few, a bitmap where they are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dagster_defs.steps.diversity.grid import Grid, Ints

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
# One pair by itself costs as much as so many in a product of matrices, and so many are computed at once.
_ALONE = 16
_PAIRS = 16_384


class Edges(Protocol):
    """A graph over positions 0 to n - 1, without loops.

    order: the row that stands at each position, None where they are in the order of the rows.
    """

    @property
    def n(self) -> int:
        """How many positions there are."""

    @property
    def order(self) -> Ints | None:
        """See above."""

    def __len__(self) -> int:
        """How many edges there are."""

    def degrees(self) -> Ints:
        """How many neighbours each row has, in the order of the rows."""

    def near(self, position: int, among: Bools) -> tuple[Ints, Ints]:
        """The neighbours of ``position`` that are marked in ``among``, and how far off each is, on the grid."""

    def pairs(self) -> list[tuple[int, int]]:
        """Every edge as a pair of rows, the smaller first, sorted; for graphs that are small."""


@dataclass(frozen=True)
class Listed:
    """Neighbours of position p: ends[starts[p]:starts[p + 1]], in order; ``apart`` likewise."""

    n: int
    order: Ints | None
    starts: Ints
    ends: npt.NDArray[np.int32]
    apart: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ends) // 2

    def degrees(self) -> Ints:
        """See Edges."""
        return _by_row(self, np.diff(self.starts))

    def of(self, position: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """All neighbours of ``position``, and how far off each is."""
        part = slice(self.starts[position], self.starts[position + 1])
        return self.ends[part], self.apart[part]

    def near(self, position: int, among: Bools) -> tuple[Ints, Ints]:
        """See Edges."""
        ends, apart = self.of(position)
        kept = among[ends]
        return ends[kept].astype(np.int64), apart[kept].astype(np.int64)

    def pairs(self) -> list[tuple[int, int]]:
        """See Edges."""
        return _pairs(self)


@dataclass(frozen=True)
class Mapped:
    """A bit for each ordered pair of positions; how far apart they are is computed from the grid again.

    most: more than any two neighbours are apart. degree: how many neighbours a position has. total: how far off these
    are together.
    """

    n: int
    order: Ints | None
    grid: Grid
    most: int
    bits: Bytes
    degree: Ints
    total: Ints

    @classmethod
    def empty(cls, grid: Grid, order: Ints | None, most: int) -> Mapped:
        """A graph without edges."""
        n = len(grid.points)
        bits = np.zeros((n, (n + 7) // 8), dtype=np.uint8)
        return cls(n, order, grid, most, bits, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64))

    def __len__(self) -> int:
        return int(self.degree.sum()) // 2

    def add(self, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32], apart: npt.NDArray[np.int32]) -> None:
        """Add the edges of one block, none of which is there yet."""
        for one, other in ((left, right), (right, left)):
            first, last = int(one.min()), int(one.max()) + 1
            columns, end = int(other.min()) // 8 * 8, int(other.max()) + 1
            block = np.zeros((last - first, end - columns), dtype=bool)
            block[one - first, other - columns] = True
            packed = np.packbits(block, axis=1)
            self.bits[first:last, columns // 8 : columns // 8 + packed.shape[1]] |= packed
            self.degree[first:last] += np.bincount(one - first, minlength=last - first)
            # Sums of whole numbers under 2**53, which floats hold exactly.
            sums = np.bincount(one - first, weights=apart, minlength=last - first)
            self.total[first:last] += sums.astype(np.int64)

    def row(self, position: int) -> Bytes:
        """1 for each neighbour of ``position``, else 0."""
        return np.unpackbits(self.bits[position], count=self.n)

    def degrees(self) -> Ints:
        """See Edges."""
        return _by_row(self, self.degree)

    def near(self, position: int, among: Bools) -> tuple[Ints, Ints]:
        """See Edges."""
        ends = np.flatnonzero(self.row(position).view(bool) & among)
        return ends, self.grid.apart(self.grid.points[ends] @ self.grid.points[position]).astype(np.int64)

    def between(self, positions: Ints, others: Ints) -> tuple[npt.NDArray[np.int32], Bools]:
        """How far each of ``positions`` is from each of ``others``, a row each; and whether there is an edge."""
        return self.grid.apart(self.grid.points[positions] @ self.grid.points[others].T), self._edge(positions, others)

    def sums(self, positions: Ints, others: Ints, counted: Bools) -> Ints:
        """How far each of ``positions`` is from its neighbours among ``others`` together, where ``counted``."""
        edge = self._edge(positions, others) & counted
        rows, columns = np.nonzero(edge)
        if len(rows) * _ALONE > edge.size:
            apart = self.grid.apart(self.grid.points[positions] @ self.grid.points[others].T)
            summed: Ints = np.where(edge, apart, 0).sum(axis=1, dtype=np.int64)
            return summed
        total = np.zeros(len(positions), dtype=np.int64)
        for start in range(0, len(rows), _PAIRS):
            part = slice(start, start + _PAIRS)
            left, right = self.grid.points[positions[rows[part]]], self.grid.points[others[columns[part]]]
            # Whole numbers under 2**24 again, exact in any order.
            np.add.at(total, rows[part], self.grid.apart(np.einsum("ij,ij->i", left, right)))
        return total

    def _edge(self, positions: Ints, others: Ints) -> Bools:
        bits = self.bits[positions[:, None], others >> 3] & (128 >> (others & 7)).astype(np.uint8)
        edge: Bools = bits != 0
        return edge

    def pairs(self) -> list[tuple[int, int]]:
        """See Edges."""
        return _pairs(self)


def _by_row(edges: Edges, counts: Ints) -> Ints:
    """``counts`` by position, in the order of the rows."""
    if edges.order is None:
        return counts
    found = np.empty_like(counts)
    found[edges.order] = counts
    return found


def _pairs(edges: Edges) -> list[tuple[int, int]]:
    rows = np.arange(edges.n) if edges.order is None else edges.order
    everyone = np.ones(edges.n, dtype=bool)
    found = []
    for position in range(edges.n):
        for end in edges.near(position, everyone)[0]:
            if position < end:
                one, other = sorted((int(rows[position]), int(rows[end])))
                found.append((one, other))
    return sorted(found)
