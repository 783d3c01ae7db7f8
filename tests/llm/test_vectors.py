"""Vectors and windows: lengths, means, and the file that keeps them."""

from __future__ import annotations

import contextlib
import math
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.llm.embedding import Window, pack
from dagster_defs.llm.vectors import Vectors, VectorsError, mean, unit


def letters(text: str) -> str:
    """``text`` without its spaces."""
    return "".join(text.split())


@given(st.lists(st.tuples(st.text(min_size=1, max_size=5), st.integers(1, 9)), min_size=1), st.integers(9, 40))
def test_windows_hold_every_piece_in_order_and_are_as_few_as_can_be(pieces: list[tuple[str, int]], room: int) -> None:
    given = [Window(text, size) for text, size in pieces]
    windows = pack(given, room)
    total = sum(size for _, size in pieces)
    assert letters("".join(window.text for window in windows)) == letters("".join(text for text, _ in pieces))
    assert all(window.size <= room for window in windows)
    assert all(window.text.strip() for window in windows)
    assert len(windows) <= 2 * math.ceil(total / room)
    if len(windows) == math.ceil(total / room) and all(text.strip() for text, _ in pieces):
        assert sum(window.size for window in windows) == total


def test_windows_are_of_about_equal_size() -> None:
    assert [window.size for window in pack([Window("x", 1)] * 101, 100)] == [51, 50]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8).filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_a_unit_vector_has_length_one_and_the_same_direction(vector: list[float]) -> None:
    made = unit(vector)
    assert abs(np.linalg.norm(made.astype(np.float64)) - 1) < 1e-6
    assert np.allclose(made * np.linalg.norm(vector), vector, rtol=1e-5, atol=1e-1)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [[1.0, 0.0]], []])
def test_what_has_no_direction_is_no_vector(vector: Any) -> None:
    with pytest.raises(ValueError, match="without a length"):
        unit(vector)


def test_a_mean_is_weighted_and_opposites_leave_the_heavier() -> None:
    east, north = unit([1, 0]), unit([0, 1])
    assert np.allclose(mean([(east, 3), (north, 4)]), [0.6, 0.8])
    assert np.array_equal(mean([(north, 7)]), north)
    assert np.array_equal(mean([(east, 2), (-east, 2), (east, 0)]), east)


def test_kept_vectors_come_back_bit_by_bit(tmp_path: Path) -> None:
    kept = {f"{n:064x}": unit(np.random.default_rng(n).normal(size=6)) for n in range(2500)}
    first = Vectors(tmp_path / "deep" / "v.sqlite")
    first.put_many(kept)
    first.close()
    second = Vectors(tmp_path / "deep" / "v.sqlite")
    found = second.get_many([*kept, "unknown"])
    second.close()
    assert found.keys() == kept.keys()
    assert all(np.array_equal(found[key], kept[key]) and found[key].dtype == np.float32 for key in kept)


@pytest.mark.parametrize("content", [b"no database at all, but a text of some length" * 9, "version"])
def test_a_file_that_is_none_is_named(tmp_path: Path, content: bytes | str) -> None:
    path = tmp_path / "v.sqlite"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("pragma user_version = 7")
    with pytest.raises(VectorsError, match=r"v\.sqlite"):
        Vectors(path)
