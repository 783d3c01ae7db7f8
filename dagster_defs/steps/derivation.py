"""Derives the answer of a question a second time, from its evidence tuples and its declared operation alone.

Nothing here knows SQL, a topic or a template. The tested questions are answered by scipy.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scipy import stats

LEVEL = 0.05


class Tuple(NamedTuple):
    """One consulted fact, as evidence_sql gives it."""

    entity_id: str
    entity: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a question says of itself that its answer can be derived from."""

    operation: str
    slots: dict[str, Any]
    gold_method: str | None
    gold_columns: tuple[str, ...]
    number_attributes: frozenset[str]


class Underivable(ValueError):
    """The evidence does not determine an answer; the message says why."""


def derive(claim: Claim, evidence: Sequence[Tuple]) -> object:
    """The answer: str for an entity or category, bool, int or float, or a dict for a distribution.

    Raises Underivable where the evidence leaves the answer open (two best entities, an unknown operation or test).
    """
    if claim.operation == "test":
        return _tested(claim, evidence)
    rows = [row for row in evidence if row.attribute == claim.slots["attribute"]]
    if not rows:
        raise Underivable(f"no tuple of attribute {claim.slots['attribute']!r}")
    try:
        operation = _OPERATIONS[claim.operation]
    except KeyError:
        raise Underivable(f"operation {claim.operation!r} is unknown") from None
    return operation(claim.slots, rows)


def _numbers(rows: Sequence[Tuple]) -> list[float]:
    return [float(row.value) for row in rows]


def _ordered(rows: Sequence[Tuple]) -> list[float] | list[str]:
    """Values in an order: numbers, or ISO dates, which order as text."""
    try:
        return _numbers(rows)
    except ValueError:
        return [row.value for row in rows]


def _extreme(pick: Callable[[Any], Any]) -> Callable[[dict[str, Any], Sequence[Tuple]], object]:
    def answer(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
        values = _ordered(rows)
        best = pick(values)
        names = {row.entity for row, value in zip(rows, values, strict=True) if value == best}
        if len(names) != 1:
            raise Underivable(f"{len(names)} entities are equally good")
        return names.pop()

    return answer


def _sizes(rows: Sequence[Tuple]) -> dict[str, int]:
    members: dict[str, set[str]] = {}
    for row in rows:
        members.setdefault(row.value, set()).add(row.entity_id)
    return {value: len(ids) for value, ids in members.items()}


def _largest_group(pick: Callable[[Any], Any]) -> Callable[[dict[str, Any], Sequence[Tuple]], object]:
    def answer(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
        sizes = _sizes(rows)
        if "names" in slots:
            sizes = {name: sizes.get(name, 0) for name in slots["names"]}
        best = pick(sizes.values())
        groups = [value for value, size in sizes.items() if size == best]
        if len(groups) != 1:
            raise Underivable(f"{len(groups)} groups are equally large")
        return groups[0]

    return answer


def _count(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
    return len({row.entity_id for row in rows if row.value == slots["value"]})


def _share(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
    return len({row.entity_id for row in rows if row.value == slots["value"]}) / len({row.entity_id for row in rows})


def _shared(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
    values: dict[str, set[str]] = {}
    for row in rows:
        values.setdefault(row.entity_id, set()).add(row.value)
    if len(values) != 2:
        raise Underivable(f"{len(values)} entities are consulted, not two")
    return bool(set.intersection(*values.values()))


def _would_exceed(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
    value = {row.entity_id: float(row.value) for row in rows}
    change = slots["change"]
    after = value[slots["entity_id"]] * (1 + change.get("percent", 0) / 100) + change.get("add", 0)
    return bool(after > (value[slots["other_id"]] if "other_id" in slots else slots["threshold"]))


def _would_overtake(slots: dict[str, Any], rows: Sequence[Tuple]) -> object:
    sizes = _sizes(rows)
    target = sizes[slots["other_value"]] if "other_value" in slots else slots["threshold"]
    return bool(sizes[slots["value"]] + slots["change"]["add"] > target)


_OPERATIONS: dict[str, Callable[[dict[str, Any], Sequence[Tuple]], object]] = {
    "max": _extreme(max),
    "min": _extreme(min),
    "mean": lambda slots, rows: statistics.fmean(_numbers(rows)),
    "median": lambda slots, rows: statistics.median(_numbers(rows)),
    "sum": lambda slots, rows: sum(_numbers(rows)),
    "range": lambda slots, rows: max(_numbers(rows)) - min(_numbers(rows)),
    "count": _count,
    "share": _share,
    "most_members": _largest_group(max),
    "fewest_members": _largest_group(min),
    "distinct": lambda slots, rows: len({row.value for row in rows}),
    "distribution": lambda slots, rows: _sizes(rows),
    "shared_value": _shared,
    "would_exceed": _would_exceed,
    "would_overtake": _would_overtake,
}


def _tested(claim: Claim, evidence: Sequence[Tuple]) -> bool:
    """Whether the test says yes: for normality and uniformity when it does not reject, for all others when it does."""
    wide: dict[str, dict[str, str]] = {}
    for row in evidence:
        wide.setdefault(row.entity_id, {})[row.attribute] = row.value
    columns = claim.gold_columns
    complete = [values for values in wide.values() if all(column in values for column in columns)]
    first = [values[columns[0]] for values in complete]
    second = [values[columns[-1]] for values in complete]
    match claim.gold_method:
        case "jarque_bera":
            return bool(stats.jarque_bera([float(v) for v in first]).pvalue >= LEVEL)
        case "chisquare":
            return bool(stats.chisquare([first.count(value) for value in sorted(set(first))]).pvalue >= LEVEL)
        case "pearsonr" | "spearmanr":
            test = getattr(stats, claim.gold_method)
            return bool(test([float(v) for v in first], [float(v) for v in second]).pvalue < LEVEL)
        case "levene" | "f_oneway":
            samples = _samples(claim, first, second)
            result = (
                stats.levene(*samples, center="median") if claim.gold_method == "levene" else stats.f_oneway(*samples)
            )
            return bool(result.pvalue < LEVEL)
        case "chi2_contingency":
            rows, cols = sorted(set(first)), sorted(set(second))
            cells = {(row, col): 0 for row in rows for col in cols}
            for pair in zip(first, second, strict=True):
                cells[pair] += 1
            table = [[cells[row, col] for col in cols] for row in rows]
            return bool(stats.chi2_contingency(table, correction=False).pvalue < LEVEL)
    raise Underivable(f"test {claim.gold_method!r} is unknown")


def _samples(claim: Claim, first: list[str], second: list[str]) -> list[list[float]]:
    """Two numeric columns are the samples themselves; otherwise the second column names each value's group."""
    if claim.gold_columns[1] in claim.number_attributes:
        return [[float(v) for v in first], [float(v) for v in second]]
    groups: dict[str, list[float]] = {}
    for value, group in zip(first, second, strict=True):
        groups.setdefault(group, []).append(float(value))
    return [groups[name] for name in sorted(groups)]


def canonical(answer: object, *, tolerance: float) -> str:
    """The contract's canonical text of an answer; `tolerance` 0 keeps every digit of a number."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, dict):
        return json.dumps(dict(sorted(answer.items())), ensure_ascii=False)
    if isinstance(answer, int | float):
        if tolerance == 0 and float(answer).is_integer():
            return str(int(answer))
        return _six_digits(float(answer))
    return str(answer)


def _six_digits(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= 1e15:
        return f"{value:.6g}"
    mantissa, exponent = f"{value:.5e}".split("e")
    text = f"{float(f'{mantissa}e{exponent}'):.{max(0, 5 - int(exponent))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
