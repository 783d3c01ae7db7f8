"""Each statistic, as SQL over moments or samples, is the number that scipy gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.questions.engine import load_seeds, models, rendered

SEEDS = range(14)


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        load_seeds(connection)
        connection.execute("create schema multi_entity")
        yield connection


def sample(seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """20 to 400 numbers of some shape, size and place: with ties, with outliers, far from zero, tiny or huge."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 400))
    shapes = (
        rng.normal(size=n), rng.lognormal(size=n), rng.poisson(2, n).astype(float), rng.uniform(-1, 1, n) ** 3,
        np.r_[rng.normal(size=n - 1), 50.0], rng.integers(1400, 2020, n).astype(float),
        # so flat that a cube root in the test of kurtosis turns negative
        np.r_[np.ones(n + 20), -np.ones(n)],
    )  # fmt: skip
    values = shapes[seed % len(shapes)]
    return values * (1.0, 1e-9, 1e9)[seed % 3] + (0.0, 1e-6, 1e12)[seed % 3]


def moments(values: np.ndarray[Any, Any]) -> dict[str, float]:
    deviation = values - values.mean()
    return {"n": len(values)} | {f"m{k}": float((deviation**k).mean()) for k in (2, 3, 4)}


def computed(con: duckdb.DuckDBPyConnection, macro: str, **given: float) -> float:
    """What a macro over named columns gives for one row of them."""
    columns = ", ".join(
        f"cast({value!r} as {'bigint' if name == 'n' else 'double'}) as {name}" for name, value in given.items()
    )
    ((value,),) = con.execute(rendered(f"select {{{{ {macro} }}}} from (select {columns})")).fetchall()
    return float(value)


def put(con: duckdb.DuckDBPyConnection, table: str, **columns: Any) -> None:
    """Create or replace a table; a single value stands for a whole column."""
    con.register("frame", pd.DataFrame(columns))
    con.execute(f"create or replace table multi_entity.{table} as select * from frame")
    con.unregister("frame")


@pytest.mark.parametrize("seed", SEEDS)
def test_moments_of_a_scope(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    values = sample(seed)
    ids = [f"e{i}" for i in range(len(values))]
    put(con, "scope_members", entity_id=ids, scope_id="s", topic="t", scope_attribute="")
    put(con, "entity_values", entity_id=ids, num=values, topic="t", attribute="x", rounding=0.0)
    names = "n, n_distinct, lowest, highest, total, mean, median, m2, m3, m4"
    found = con.execute(f"select {names} from ({models()['scope_numbers'][1]})").fetchall()[0]
    expected = moments(values)
    scale = expected["m2"] ** 0.5
    assert found[:4] == (len(values), len(set(values)), values.min(), values.max())
    centre = (values.sum(), values.mean(), np.median(values))
    assert found[4:7] == pytest.approx(centre, rel=1e-13, abs=1e-13 * scale)
    assert found[7] == pytest.approx(expected["m2"], rel=1e-9)
    assert found[8] == pytest.approx(expected["m3"], rel=1e-9, abs=1e-9 * scale**3)
    assert found[9] == pytest.approx(expected["m4"], rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_jarque_bera(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    values = sample(seed)
    assert computed(con, "jarque_bera('n', 'm2', 'm3', 'm4')", **moments(values)) == pytest.approx(
        stats.jarque_bera(values).statistic, rel=1e-9
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_normaltest_and_its_parts(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    values = sample(seed)
    given = moments(values)
    skewness = computed(con, "skewness_z('n', skew('m2', 'm3'))", **given)
    kurtosis = computed(con, "kurtosis_z('n', excess_kurtosis('m2', 'm4'))", **given)
    assert skewness == pytest.approx(stats.skewtest(values).statistic, rel=1e-9)
    assert kurtosis == pytest.approx(stats.kurtosistest(values).statistic, rel=1e-9)
    assert computed(con, "normaltest('n', 'm2', 'm3', 'm4')", **given) == pytest.approx(
        stats.normaltest(values).statistic, rel=1e-9
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("method", ["pearsonr", "spearmanr"])
def test_correlation_t(con: duckdb.DuckDBPyConnection, method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = sample(seed)
    # from unrelated to nearly one line
    y = x / x.std() * (seed / 6) ** 2 + rng.normal(size=len(x))
    r, p_value = getattr(stats, method)(x, y)
    t = computed(con, "correlation_t('r', 'n')", r=float(r), n=len(x))
    assert t == pytest.approx(abs(r) * np.sqrt((len(x) - 2) / (1 - r * r)), rel=1e-9)
    assert 2 * stats.t.sf(t, len(x) - 2) == pytest.approx(p_value, rel=1e-6, abs=1e-300)


def test_a_perfect_correlation_has_a_finite_t(con: duckdb.DuckDBPyConnection) -> None:
    assert np.isfinite(computed(con, "correlation_t('r', 'n')", r=-1.0, n=30))


@pytest.mark.parametrize("seed", SEEDS)
def test_average_rank_shares_places_among_ties(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grids = (3, 20, 1000)
    values = [rng.integers(0, grid, 60) - grid / 2 for grid in grids]
    put(con, "listed", v=np.concatenate(values), grid=np.repeat(grids, 60), place=range(180))
    sql = "select {{ average_rank('v', 'grid') }} from multi_entity.listed order by place"
    ranks = [row[0] for row in con.execute(rendered(sql)).fetchall()]
    assert ranks == [rank for some in values for rank in stats.rankdata(some)]


@pytest.mark.parametrize("seed", SEEDS)
def test_group_statistics(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = sample(seed)
    labels = rng.integers(0, 2 + seed % 4, len(values))
    ids = [f"e{i}" for i in range(len(values))]
    put(
        con, "group_candidates", candidate_key=["k"], template_id="association_groups", scope_id="s", topic="t",
        first_attribute="x", second_attribute="g", first_group=[None], second_group=[None],
    )  # fmt: skip
    put(con, "scope_members", entity_id=ids, scope_id="s", topic="t")
    put(
        con, "entity_values", entity_id=ids * 2, topic="t", attribute=["x"] * len(ids) + ["g"] * len(ids),
        num=[*values, *[None] * len(ids)], val=[*[None] * len(ids), *(f"g{label}" for label in labels)],
    )  # fmt: skip
    frame = con.execute(models()["group_tests"][1]).df()
    assert len(frame) == 1
    row = frame.iloc[0]
    samples = [values[labels == label] for label in sorted(set(labels))]
    assert (row["n_entities"], row["n_groups"]) == (len(values), len(samples))
    assert row["smallest_group"] == min(len(some) for some in samples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy says so where groups are small
        expected = {
            "f_oneway": stats.f_oneway(*samples).statistic,
            "levene_median": stats.levene(*samples, center="median").statistic,
            "levene_mean": stats.levene(*samples, center="mean").statistic,
            "kruskal": stats.kruskal(*samples).statistic,
        }
    for name, statistic in expected.items():
        assert row[name] == pytest.approx(statistic, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("seed", SEEDS)
def test_contingency_as_a_reader_runs_it(con: duckdb.DuckDBPyConnection, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(3, 40, (2 + seed % 3, 2 + seed % 4))
    cells = [(f"p{i}", f"q{j}") for (i, j), count in np.ndenumerate(table) for _ in range(count)]
    put(con, "made_up", p=[p for p, _ in cells], q=[q for _, q in cells])
    con.execute(
        "create schema if not exists topics; create or replace view topics.made_up as from multi_entity.made_up"
    )
    columns = "from (select 'p' as col) as a, (select 'q' as col) as b"
    written = rendered("select {{ contingency_text(\"'true'\", \"'made_up'\") }} " + columns)
    ((text,),) = con.execute(written).fetchall()
    expected = stats.chi2_contingency(table, correction=False)
    assert con.execute(text).fetchall() == [(bool(expected.pvalue < 0.05),)]
    statistic = text[: text.index("-- chi-squared")] + "select chi2, df from test"
    assert con.execute(statistic).fetchall() == [(pytest.approx(expected.statistic, rel=1e-9), expected.dof)]


@pytest.mark.parametrize(
    ("distribution", "df1", "df2", "exact"),
    [
        ("f", 1, 18, stats.f.isf(0.05, 1, 18)),
        ("f", 3, 133, stats.f.isf(0.05, 3, 133)),
        ("t", 1, 4321, stats.t.isf(0.025, 4321)),
        ("chi2", 7, 0, stats.chi2.isf(0.05, 7)),
    ],
)
def test_a_critical_value_is_looked_up_at_or_below(
    con: duckdb.DuckDBPyConnection, distribution: str, df1: int, df2: int, exact: float
) -> None:
    asked = f"('{distribution}', '{df1}', '{df2}')"
    modelled = con.execute(rendered(f"select {{{{ critical_value{asked} }}}}", "questions.{}".format)).fetchall()
    assert modelled == [(pytest.approx(exact, rel=0.002),)]
    wanted = f"('critical', '{distribution}', 'test.df1'" + (", 'test.df2')" if df2 else ")")
    ((stored,),) = con.execute(rendered(f"select {{{{ critical_value_text{wanted} }}}}")).fetchall()
    assert con.execute(f"with test as (select {df1} as df1, {df2} as df2) {stored}").fetchall() == modelled
