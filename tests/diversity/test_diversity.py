"""The graph of near duplicates and what is selected from it, beside the same rule in plain Python."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.steps.diversity.edges import Edges, Listed, Mapped
from dagster_defs.steps.diversity.graph import near_duplicates
from dagster_defs.steps.diversity.grid import on_grid
from dagster_defs.steps.diversity.select import Selection, select
from tests.diversity.reference import edges_of, selected

Vectors = npt.NDArray[np.float32]
KINDS = pytest.mark.parametrize(("listed", "kind"), [(10**9, Listed), (0, Mapped)])


def unit_rows(n: int, dimensions: int, seed: int, spread: float = 1.0) -> Vectors:
    """Rows of length 1 around a few centres; a small ``spread`` makes many near duplicates."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(1, n // 5), dimensions))
    rows = centres[rng.integers(len(centres), size=n)] + spread * rng.standard_normal((n, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def ids_of(n: int) -> list[str]:
    """Ids whose order is not that of the rows."""
    return [f"q{(i * 7919 + 13) % 100_003:06}" for i in range(n)]


worlds = st.builds(
    unit_rows,
    n=st.integers(1, 40),
    dimensions=st.sampled_from([2, 3, 8, 33]),
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.1, 0.4, 1.0]),
)


@KINDS
@given(vectors=worlds, threshold=st.sampled_from([0.01, 0.1, 0.3, 0.7, 1.5]), block=st.sampled_from([8, 16, 2048]))
@settings(max_examples=150, deadline=None)
def test_graph_and_selection_are_those_of_the_rule(
    listed: int, kind: type, vectors: Vectors, threshold: float, block: int
) -> None:
    edges = near_duplicates(vectors, threshold, block=block, listed=listed)
    expected = edges_of(vectors, threshold)
    assert edges.pairs() == expected
    assert len(edges) == len(expected)
    assert isinstance(edges, kind) or not expected
    ids = ids_of(len(vectors))
    assert select(edges, ids) == Selection(*selected(vectors, expected, ids))


@KINDS
@given(vectors=worlds, data=st.data())
@settings(max_examples=100, deadline=None)
def test_within_groups_only_pairs_of_a_group_are_compared(
    listed: int, kind: type, vectors: Vectors, data: st.DataObject
) -> None:
    groups = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(vectors), max_size=len(vectors)))
    edges = near_duplicates(vectors, 0.3, groups=groups, block=8, listed=listed)
    expected = edges_of(vectors, 0.3, groups)
    assert edges.pairs() == expected
    ids = ids_of(len(vectors))
    assert select(edges, ids) == Selection(*selected(vectors, expected, ids))


@KINDS
def test_what_stays_does_not_hang_on_the_order_of_rows_or_on_blocks(listed: int, kind: type) -> None:
    vectors, ids = unit_rows(700, 48, 1, 0.35), ids_of(700)
    found = select(near_duplicates(vectors, 0.3, listed=listed), ids)
    by_id = dict(zip(ids, zip(found.is_diverse, found.removed_for, strict=True), strict=True))
    assert 0 < sum(found.is_diverse) < 700
    for seed, block in ((2, 64), (3, 104), (4, 512)):
        order = np.random.default_rng(seed).permutation(700)
        moved = [ids[i] for i in order]
        edges = near_duplicates(vectors[order], 0.3, block=block, listed=listed)
        assert isinstance(edges, kind)
        again = select(edges, moved)
        assert dict(zip(moved, zip(again.is_diverse, again.removed_for, strict=True), strict=True)) == by_id


def test_lists_and_bitmap_select_the_same() -> None:
    vectors, ids = unit_rows(1500, 32, 5, 0.6), ids_of(1500)
    kinds: list[Edges] = [near_duplicates(vectors, 0.3, listed=listed) for listed in (10**9, 20, 0)]
    assert [type(edges) for edges in kinds] == [Listed, Mapped, Mapped]
    first, *others = [select(edges, ids) for edges in kinds]
    assert others == [first, first]
    # Often enough for the bitmap's totals to be brought up to date all at once.
    assert first.is_diverse.count(False) > 600


def test_a_pair_at_the_threshold_is_no_edge() -> None:
    """A cosine of exactly 0.5: 64-bit floats hold every number of it."""
    vectors = [[0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 0.0, 0.0]]
    assert near_duplicates(vectors, 0.5).pairs() == []
    assert near_duplicates(vectors, np.nextafter(0.5, 1)).pairs() == [(0, 1)]


def test_pairs_that_32_bits_cannot_tell_are_told() -> None:
    """Cosines a few 10**-8 around the threshold, where products in float32 are off by as much."""
    rng = np.random.default_rng(7)
    base = unit_rows(1, 384, 8)[0].astype(np.float64)
    rows = [base]
    for step in np.linspace(-4e-8, 4e-8, 60):
        away = rng.standard_normal(384)
        away -= away @ base * base
        cosine = 0.7 + step
        rows.append(cosine * base + np.sqrt(1 - cosine**2) * away / np.linalg.norm(away))
    vectors = np.array(rows, dtype=np.float32)
    near = [j for i, j in near_duplicates(vectors, 0.3).pairs() if i == 0]
    assert near == [j for i, j in edges_of(vectors, 0.3) if i == 0]
    assert 10 < len(near) < 50


def test_products_on_the_grid_are_exact() -> None:
    grid = on_grid(unit_rows(300, 384, 9, 0.2))
    whole = grid.points.astype(np.int64)
    assert np.array_equal(whole, grid.points)
    assert np.array_equal((grid.points @ grid.points.T).astype(np.int64), whole @ whole.T)
    cosines = grid.vectors.astype(np.float64) @ grid.vectors.T.astype(np.float64)
    assert np.abs(whole @ whole.T / grid.unit - cosines).max() < grid.error < 0.01


@KINDS
def test_of_equal_questions_the_first_by_id_stays(listed: int, kind: type) -> None:
    vectors = np.repeat(unit_rows(2, 16, 3), [4, 1], axis=0)
    found = select(near_duplicates(vectors, 0.001, listed=listed), ["d", "b", "a", "c", "e"])
    assert found.is_diverse == [False, False, True, False, True]
    assert found.removed_for == ["a", "a", None, "a", None]


def test_what_has_no_neighbour_left_stands_for_what_its_nearest_was_removed_for() -> None:
    """A hub of five, each of which has two neighbours more: hub and ring all go, in this order."""
    pairs = [(0, 1 + k) for k in range(5)] + [(1 + k, 6 + 2 * k + half) for k in range(5) for half in range(2)]
    cosines = np.eye(16)
    for number, (i, j) in enumerate(pairs):
        cosines[i, j] = cosines[j, i] = 0.3 + number / 1000
    vectors, ids = np.linalg.cholesky(cosines).astype(np.float32), [f"{i:02}" for i in range(16)]
    expected = edges_of(vectors, 0.85)
    assert expected == sorted(pairs)
    found = select(near_duplicates(vectors, 0.85), ids)
    assert found == Selection(*selected(vectors, expected, ids))
    around = [set(itertools.chain(*(pair for pair in expected if i in pair))) - {i} for i in range(16)]
    stranded = [i for i in range(16) if not found.is_diverse[i] and not any(found.is_diverse[j] for j in around[i])]
    assert stranded == [0]
    for i in stranded:
        name = found.removed_for[i]
        assert name is not None
        assert found.is_diverse[ids.index(name)]


@KINDS
def test_nothing_and_one_question_are_fine(listed: int, kind: type) -> None:
    nothing = near_duplicates(np.empty((0, 384), dtype=np.float32), 0.3, listed=listed)
    assert select(nothing, []) == Selection([], [])
    assert select(near_duplicates([[1.0, 0.0]], 0.3, listed=listed), ["a"]) == Selection([True], [None])


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(ValueError, match="row 1 is not of length 1"):
        near_duplicates([[1.0, 0.0], [1.0, 1.0]], 0.3)
    with pytest.raises(ValueError, match="row 0 is not of length 1"):
        near_duplicates([[float("nan"), 0.0]], 0.3)
    with pytest.raises(ValueError, match="2 groups were given for 1 vectors"):
        near_duplicates([[1.0, 0.0]], 0.3, groups=["a", "b"])
    with pytest.raises(ValueError, match="multiple of 8"):
        near_duplicates([[1.0, 0.0]], 0.3, block=12)
    edges = near_duplicates([[1.0, 0.0], [0.0, 1.0]], 0.3)
    with pytest.raises(ValueError, match="1 ids were given for 2 vectors"):
        select(edges, ["a"])
    with pytest.raises(ValueError, match="an id stands for two vectors"):
        select(edges, ["a", "a"])
