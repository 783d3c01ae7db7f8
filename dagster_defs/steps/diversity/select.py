"""Which of a graph's questions to leave out, so that no two that stay are near duplicates."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagster_defs.steps.diversity.edges import Bools, Edges, Listed, Mapped
from dagster_defs.steps.diversity.grid import Ints

Degrees = npt.NDArray[np.int32]

# How many distances are computed at once where they are not kept.
_AT_ONCE = 2_000_000
# After so many removals all totals are brought up to date: one large product costs less than many small ones.
_BEHIND = 512


@dataclass(frozen=True)
class Selection:
    """One entry a row, in the order of the ids.

    is_diverse: whether it stays. removed_for: None where it stays, else the id of a question that stays in its place:
    its nearest neighbour among those that stay, the first id of several. Where none of its neighbours stays, each was
    removed after it, and it is what the nearest of these was removed for.
    """

    is_diverse: list[bool]
    removed_for: list[str | None]


def select(edges: Edges, ids: Sequence[str]) -> Selection:
    """Remove the question with most neighbours until no edge is left.

    Of several with as many neighbours that with the smallest total dissimilarity to them goes first, and of several of
    these the last by id, so that the first of equals stays. Totals are those on the grid (`grid.on_grid`): whole
    numbers, so that the answer depends on nothing but vectors and ids. Raises ValueError unless there is one id a row
    and no id twice.
    """
    if len(ids) != edges.n:
        raise ValueError(f"{len(ids)} ids were given for {edges.n} vectors")
    if len(set(ids)) != len(ids):
        raise ValueError("an id stands for two vectors")
    rows = np.arange(edges.n) if edges.order is None else edges.order
    named = [ids[row] for row in rows]
    rank = np.empty(edges.n, dtype=np.int64)
    rank[sorted(range(edges.n), key=named.__getitem__)] = np.arange(edges.n)
    removed = _by_heap(edges, rank) if isinstance(edges, Listed) else _by_scan(edges, rank)
    stands = _stand_ins(edges, removed, rank)
    diverse = [True] * edges.n
    removed_for: list[str | None] = [None] * edges.n
    for position, other in stands.items():
        diverse[rows[position]] = False
        removed_for[rows[position]] = named[other]
    return Selection(diverse, removed_for)


def _by_heap(edges: Listed, rank: Ints) -> list[int]:
    """Positions in the order in which they are removed.

    Keys in the heap go stale as neighbours are removed. A degree only falls, so that what a key promises is never less
    than what is true: one that comes up stale goes back with what is true now.
    """
    degree = np.diff(edges.starts)
    counted = np.repeat(np.arange(edges.n), degree)
    total = np.bincount(counted, weights=edges.apart, minlength=edges.n).astype(np.int64)
    del counted
    alive = degree > 0
    heap = [
        (-d, t, -r, v)
        for v, (d, t, r) in enumerate(zip(degree.tolist(), total.tolist(), rank.tolist(), strict=True))
        if d
    ]
    heapq.heapify(heap)
    removed = []
    while heap:
        promised, _, name, v = heap[0]
        now = int(degree[v])
        if now == 0:
            heapq.heappop(heap)
        elif now != -promised:
            heapq.heapreplace(heap, (-now, int(total[v]), name, v))
        else:
            heapq.heappop(heap)
            removed.append(v)
            alive[v] = False
            ends, apart = edges.of(v)
            kept = alive[ends]
            degree[ends[kept]] -= 1
            total[ends[kept]] -= apart[kept]
    return removed


def _by_scan(edges: Edges, rank: Ints) -> list[int]:
    """Positions in the order in which they are removed: each time the degrees of all are looked through."""
    assert isinstance(edges, Mapped)
    degree, totals = edges.degree.astype(np.int32), _Totals(edges)
    while edges.n and (top := int(degree.max())) > 0:
        tied = np.flatnonzero(degree == top)
        if len(tied) > 1:
            tied = totals.smallest(tied, degree)
        v = int(tied[np.argmax(rank[tied])])
        degree -= edges.row(v)
        # Below zero for good: no number of neighbours could be left.
        degree[v] = -edges.n
        totals.removed.append(v)
    return totals.removed


class _Totals:
    """Total dissimilarity to the remaining neighbours, brought up to date only where a tie hangs on it.

    A degree says how many neighbours were removed since a total was right; each took at most ``Mapped.most`` off it. So
    a total is right where the degree is the same, and else bounded from both sides.
    """

    def __init__(self, edges: Mapped) -> None:
        self.removed: list[int] = []
        self._edges = edges
        self._total = edges.total.copy()
        self._degree = edges.degree.astype(np.int32)
        self._seen = np.zeros(edges.n, dtype=np.int64)
        self._settled = 0

    def smallest(self, tied: Ints, degree: Degrees) -> Ints:
        """Those of ``tied`` whose total is the smallest. degree: what it is now."""
        if len(self.removed) - self._settled >= _BEHIND:
            # Below zero stands for what is removed.
            self._settle(np.flatnonzero((degree > 0) & (degree < self._degree)), degree)
            self._settled = len(self.removed)
        lost = (self._degree[tied] - degree[tied]).astype(np.int64)
        least = self._total[tied] - lost * self._edges.most
        near = least <= self._total[tied].min()
        self._settle(tied[near & (lost > 0)], degree)
        found = tied[near]
        smallest: Ints = found[self._total[found] == self._total[found].min()]
        return smallest

    def _settle(self, positions: Ints, degree: Degrees) -> None:
        """Bring the totals of ``positions`` up to date."""
        if not len(positions):
            return
        first = int(self._seen[positions].min())
        others = np.array(self.removed[first:], dtype=np.int64)
        for here in _pieces(positions, len(others)):
            gone = np.arange(first, first + len(others)) >= self._seen[here][:, None]
            self._total[here] -= self._edges.sums(here, others, gone)
        self._seen[positions] = len(self.removed)
        self._degree[positions] = degree[positions]


def _pieces(positions: Ints, others: int) -> Iterator[Ints]:
    """``positions`` in pieces of _AT_ONCE distances each."""
    size = max(1, _AT_ONCE // max(1, others))
    for start in range(0, len(positions), size):
        yield positions[start : start + size]


def _stand_ins(edges: Edges, removed: Sequence[int], rank: Ints) -> dict[int, int]:
    """For each removed position one that stays; see Selection."""
    stays: Bools = np.ones(edges.n, dtype=bool)
    stays[list(removed)] = False
    nearest = _nearest_of(edges, removed, stays, rank)
    later: Bools = np.zeros(edges.n, dtype=bool)
    stands: dict[int, int] = {}
    for position in reversed(removed):
        other = nearest.get(position)
        if other is None:
            after = _nearest(edges, position, later, rank)
            assert after is not None, "whatever is removed has a neighbour that is not yet"
            other = stands[after]
        stands[position] = other
        later[position] = True
    return stands


def _nearest_of(edges: Edges, positions: Sequence[int], among: Bools, rank: Ints) -> dict[int, int]:
    """By position its nearest neighbour among those marked, the first by rank of several; those of none left out."""
    if isinstance(edges, Listed):
        return _nearest_listed(edges, positions, among, rank)
    assert isinstance(edges, Mapped)
    others = np.flatnonzero(among)
    others = others[np.argsort(rank[others])]
    nearest: dict[int, int] = {}
    for here in _pieces(np.array(positions, dtype=np.int64), len(others)):
        apart, edge = edges.between(here, others)
        apart[~edge] = np.iinfo(apart.dtype).max
        best = apart.argmin(axis=1)
        has = edge[np.arange(len(here)), best]
        nearest.update(zip(here[has].tolist(), others[best[has]].tolist(), strict=True))
    return nearest


def _nearest_listed(edges: Listed, positions: Sequence[int], among: Bools, rank: Ints) -> dict[int, int]:
    """`_nearest_of` for all lists at once: the smallest of each by a number made of how far off it is and its rank."""
    has = np.flatnonzero(np.diff(edges.starts))
    if not len(has):
        return {}
    keys = edges.apart.astype(np.int64) * edges.n + rank[edges.ends]
    keys[~among[edges.ends]] = np.iinfo(np.int64).max
    best = np.full(edges.n, np.iinfo(np.int64).max)
    best[has] = np.minimum.reduceat(keys, edges.starts[has])
    by_rank = np.argsort(rank)
    asked = np.array(positions, dtype=np.int64)
    asked = asked[best[asked] < np.iinfo(np.int64).max]
    return dict(zip(asked.tolist(), by_rank[best[asked] % edges.n].tolist(), strict=True))


def _nearest(edges: Edges, position: int, among: Bools, rank: Ints) -> int | None:
    ends, apart = edges.near(position, among)
    if not len(ends):
        return None
    nearest = ends[apart == apart.min()]
    return int(nearest[np.argmin(rank[nearest])])
