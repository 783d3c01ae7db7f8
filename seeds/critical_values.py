"""Writes seeds/critical_values.csv: the 5% points of Student's t (two-sided), F and chi-squared, from scipy.

    python seeds/critical_values.py

F and t are tabulated at every df2 up to 120 and then in steps of 2%, up to 50 million: a lookup takes the row at or
below, whose point is at most 0.1% from the exact one, where a question needs to be 5% away from it.
"""

from __future__ import annotations

import csv
from pathlib import Path

from scipy import stats

LEVEL = 0.05
MAX_DF1 = 29
MAX_CHI2_DF = 400


def df2_grid() -> list[int]:
    """Degrees of freedom of the denominator that get a row, ascending."""
    grid = list(range(1, 121))
    while grid[-1] < 50_000_000:
        step = 1.02 if grid[-1] < 20_000 else 1.5
        grid.append(int(grid[-1] * step) + 1)
    return grid


def rows() -> list[tuple[str, int, int, str]]:
    """(distribution, df1, df2, critical) for every tabulated point; df2 is 0 for chi-squared, df1 is 1 for t."""
    table = [("chi2", df, 0, f"{stats.chi2.isf(LEVEL, df):.10g}") for df in range(1, MAX_CHI2_DF + 1)]
    for df2 in df2_grid():
        table.append(("t", 1, df2, f"{stats.t.isf(LEVEL / 2, df2):.10g}"))
        table.extend(("f", df1, df2, f"{stats.f.isf(LEVEL, df1, df2):.10g}") for df1 in range(1, MAX_DF1 + 1))
    return table


def main() -> None:
    """Write the seed beside this file."""
    with (Path(__file__).parent / "critical_values.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("distribution", "df1", "df2", "critical"))
        writer.writerows(rows())


if __name__ == "__main__":
    main()
