"""Which things a sheet is about: a proportional stratified draw, which no order of rows has a part in."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from dagster_defs.steps.review.rows import Row

Key = TypeVar("Key", bound=Hashable)


def digest(*parts: object) -> str:
    """64 hexadecimal digits made of ``parts``; no row order and no machine has a part in them."""
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


def apportion(n: int, sizes: Mapping[Key, int], tiebreak: str = "") -> dict[Key, int]:
    """``n`` seats over strata in proportion to their sizes, by largest remainders (Hamilton's method).

    Where ``n`` suffices, every stratum with members gets at least one; none gets more than it has members. Equal
    remainders go by a digest of ``tiebreak`` and the stratum.
    """
    sizes = {key: size for key, size in sizes.items() if size > 0}
    n = min(n, sum(sizes.values()))
    floor = 1 if n >= len(sizes) else 0
    seats = dict.fromkeys(sizes, floor)
    exact = {key: Fraction(n * size, sum(sizes.values())) for key, size in sizes.items()}
    order = {key: digest(tiebreak, key) for key in sizes}
    while sum(seats.values()) < n:
        open_strata = [key for key in sizes if seats[key] < sizes[key]]
        wanting = max(open_strata, key=lambda key: (exact[key] - seats[key], order[key]))
        seats[wanting] += 1
    return seats


def draw(rows: Sequence[Row], n: int, seed: int, strata: Sequence[str], spread: str, key: Sequence[str]) -> list[Row]:
    """``n`` of ``rows`` (all of them, where there are fewer), in the order of their ``key``.

    Every combination of the columns ``strata`` gets its proportional share, see `apportion`. Inside of a stratum the
    values of the column ``spread`` take turns, first the one that lags furthest behind its own share of the draw. Of
    rows alike in all of these, those with the least digest of seed and ``key`` are drawn.
    """
    pools: dict[tuple[object, ...], dict[object, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda row: digest(seed, *(row[name] for name in key)), reverse=True):
        pools[tuple(row[name] for name in strata)][row[spread]].append(row)
    seats = apportion(n, {stratum: sum(map(len, pool.values())) for stratum, pool in pools.items()}, str(seed))
    shares = apportion(n, Counter(row[spread] for row in rows), str(seed))
    drawn: list[Row] = []
    taken: Counter[object] = Counter()
    # The strata with the least choice first, so that the wide ones can make up for them.
    for stratum in sorted(seats, key=lambda stratum: (len(pools[stratum]), digest(seed, stratum))):
        pool = pools[stratum]
        for _ in range(seats[stratum]):
            value = max(
                (value for value in pool if pool[value]),
                key=lambda value: (Fraction(shares[value] - taken[value], max(shares[value], 1)), digest(seed, value)),
            )
            taken[value] += 1
            drawn.append(pool[value].pop())
    return sorted(drawn, key=lambda row: tuple(str(row[name]) for name in key))
