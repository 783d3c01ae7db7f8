"""What scipy says of a tested question, from the tuples it consults."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats


def wide(tuples: Iterable[tuple[str, ...]], numbers: set[str]) -> pd.DataFrame:
    """Evidence (entity_id, entity, attribute, value, ...) as one row an entity and one column an attribute.

    Attributes named in `numbers` become floats; an entity that lacks an attribute has None or NaN there.
    """
    columns: dict[str, dict[str, Any]] = {}
    for entity_id, _, attribute, value, *_ in tuples:
        columns.setdefault(attribute, {})[entity_id] = float(value) if attribute in numbers else value
    ids = sorted(set().union(*columns.values()))
    return pd.DataFrame({name: [values.get(i) for i in ids] for name, values in columns.items()}, index=ids)


def samples_of(question: dict[str, Any], table: pd.DataFrame) -> list[np.ndarray[Any, Any]]:
    first, second = question["gold_columns"]
    if table[second].dtype == float:
        return [table[first].to_numpy(), table[second].to_numpy()]
    return [group.to_numpy() for _, group in table.groupby(second)[first]]


def recomputed(question: dict[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """scipy's statistic, p-value and degrees of freedom; the other customary test's p-value, or what the test needs."""
    columns = question["gold_columns"]
    method = question["gold_method"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy says so where samples are small or constant
        if method == "jarque_bera":
            test, other = stats.jarque_bera(table[columns[0]]), stats.normaltest(table[columns[0]])
        elif method == "chisquare":
            counts = table[columns[0]].value_counts()
            test = stats.chisquare(counts)
            return {"statistic": test.statistic, "p": test.pvalue, "expected": counts.mean(), "df": (len(counts) - 1,)}
        elif method == "chi2_contingency":
            test = stats.chi2_contingency(pd.crosstab(table[columns[0]], table[columns[1]]), correction=False)
            return {"statistic": test[0], "p": test[1], "expected": test[3].min(), "df": (test[2],)}
        elif method in ("pearsonr", "spearmanr"):
            x, y = table[columns[0]], table[columns[1]]
            r, p = getattr(stats, method)(x, y)
            t = abs(r) * np.sqrt((len(x) - 2) / max(1 - r * r, 1e-15))
            another = {"pearsonr": stats.spearmanr, "spearmanr": stats.pearsonr}[method]
            return {"statistic": t, "p": p, "other_p": another(x, y)[1], "df": (1, len(x) - 2)}
        else:
            samples = samples_of(question, table)
            df = (len(samples) - 1, sum(map(len, samples)) - len(samples))
            smallest = {"smallest": min(map(len, samples)), "df": df}
            if method == "levene":
                test, other = stats.levene(*samples, center="median"), stats.levene(*samples, center="mean")
            else:
                test, other = stats.f_oneway(*samples), stats.kruskal(*samples)
            return {"statistic": test.statistic, "p": test.pvalue, "other_p": other.pvalue, **smallest}
    return {"statistic": test.statistic, "p": test.pvalue, "other_p": other.pvalue, "df": (2,)}
