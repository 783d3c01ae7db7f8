"""Vectors on a grid of whole numbers, so that products in 32-bit floats come out exact.

A product of float32 matrices depends on the library, its threads and the shape of a block in its last digits, and what
hangs on a comparison hangs on them. Whole numbers do not: a vector of length 1 times a scale just under 4096, rounded,
has products whose partial sums stay under 2**24 by Cauchy and Schwarz, and float32 holds each of them exactly, in any
order of summation. The grid is off by less than ``error``; only pairs that near to a threshold are computed again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
_LARGEST = 4095.0
_LENGTH_OFF = 1e-3
_ROWS = 4096


@dataclass(frozen=True)
class Grid:
    """``vectors`` as given, and ``points``, the same on the grid: whole numbers as float32.

    scale: how many steps of the grid are a length of 1. error: how far a product of points, over scale squared, can be
    from the product of the vectors.
    """

    vectors: Floats
    points: Floats
    scale: float
    error: float

    @property
    def unit(self) -> int:
        """What a cosine of 1 is in products of points."""
        return int(self.scale * self.scale)

    def apart(self, products: npt.NDArray[np.floating]) -> npt.NDArray[np.int32]:
        """Dissimilarity, in products of points, from 0 up: rounding can make equal vectors look nearer than equal."""
        return np.maximum(self.unit - products.astype(np.int32), 0)

    def cosines(self, left: Ints, right: Ints) -> npt.NDArray[np.float64]:
        """The cosine of each pair in 64 bits, summed in one order whatever else is asked for."""
        found = np.empty(len(left))
        for start in range(0, len(left), _ROWS):
            part = slice(start, start + _ROWS)
            products = self.vectors[left[part]].astype(np.float64) * self.vectors[right[part]]
            found[part] = products.sum(axis=1)
        return found


def on_grid(vectors: npt.ArrayLike) -> Grid:
    """A grid for vectors of length 1, one a row. Raises ValueError where a row is of another length, or no number."""
    given = np.ascontiguousarray(vectors, dtype=np.float32)
    if given.ndim != 2:
        raise ValueError(f"vectors have to come as rows of one table, not as an array of {given.ndim} dimension(s)")
    scale = float(np.floor(_LARGEST - 0.5 * np.sqrt(given.shape[1])))
    points = np.empty_like(given)
    farthest = 0.0
    for start in range(0, len(given), _ROWS):
        rows = given[start : start + _ROWS].astype(np.float64)
        off = ~(np.abs(np.linalg.norm(rows, axis=1) - 1) <= _LENGTH_OFF)
        if off.any():
            raise ValueError(f"the vector in row {start + int(np.argmax(off))} is not of length 1")
        # Lengths within the tolerance still must not leave the grid.
        rounded = np.rint(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1) * scale)
        points[start : start + _ROWS] = rounded
        farthest = max(farthest, float(np.linalg.norm(rows - rounded / scale, axis=1).max()))
    # x.y - p.q = x.(y - q) + (x - p).q, with p and q for the points over the scale.
    return Grid(given, points, scale, 2 * farthest * (1 + _LENGTH_OFF + farthest) + 1e-9)
