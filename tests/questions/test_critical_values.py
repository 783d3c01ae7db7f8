"""The seed of critical values is what its writer computes, and close enough between its rows."""

from __future__ import annotations

import bisect
import csv
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

SEEDS = Path(__file__).resolve().parents[2] / "seeds"
# The lookup may be off by so much where a question needs to be 5% away from the critical value.
TOLERATED = 0.002


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("critical_values", SEEDS / "critical_values.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tabulated() -> dict[tuple[str, int], tuple[list[int], list[float]]]:
    """(distribution, df1) to ascending df2 and their critical values."""
    table: dict[tuple[str, int], tuple[list[int], list[float]]] = {}
    with (SEEDS / "critical_values.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            df2s, values = table.setdefault((row["distribution"], int(row["df1"])), ([], []))
            df2s.append(int(row["df2"]))
            values.append(float(row["critical"]))
    return table


def test_the_seed_is_what_its_writer_computes(writer: ModuleType) -> None:
    with (SEEDS / "critical_values.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header == ["distribution", "df1", "df2", "critical"]
    assert [tuple(row) for row in rows] == [(d, str(a), str(b), value) for d, a, b, value in writer.rows()]


def test_every_row_is_tabulated_once(tabulated: dict[tuple[str, int], tuple[list[int], list[float]]]) -> None:
    for key, (df2s, _) in tabulated.items():
        assert df2s == sorted(set(df2s)), key


def looked_up(table: dict[tuple[str, int], tuple[list[int], list[float]]], name: str, df1: int, df2: int) -> float:
    """The row at or below, as the SQL takes it."""
    df2s, values = table[name, df1]
    return values[bisect.bisect_right(df2s, df2) - 1]


@settings(max_examples=300, deadline=None)
@given(df1=st.integers(1, 29), df2=st.integers(5, 10_000_000) | st.integers(5, 500))
def test_f_between_two_rows_is_close(
    tabulated: dict[tuple[str, int], tuple[list[int], list[float]]], df1: int, df2: int
) -> None:
    assert looked_up(tabulated, "f", df1, df2) == pytest.approx(stats.f.isf(0.05, df1, df2), rel=TOLERATED)


@settings(max_examples=300, deadline=None)
@given(df=st.integers(1, 10_000_000) | st.integers(1, 500))
def test_t_between_two_rows_is_close(tabulated: dict[tuple[str, int], tuple[list[int], list[float]]], df: int) -> None:
    assert looked_up(tabulated, "t", 1, df) == pytest.approx(stats.t.isf(0.025, df), rel=TOLERATED)


def test_chi_squared_is_exact(tabulated: dict[tuple[str, int], tuple[list[int], list[float]]]) -> None:
    degrees = [df1 for name, df1 in tabulated if name == "chi2"]
    assert degrees == list(range(1, 401))
    for df in degrees:
        assert looked_up(tabulated, "chi2", df, 0) == pytest.approx(stats.chi2.isf(0.05, df), rel=1e-9)
