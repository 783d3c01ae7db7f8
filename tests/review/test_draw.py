"""The draw is proportional, spread, and a matter of seed and rows alone."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.review.draw import apportion, draw

SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 60), min_size=1, max_size=8)
STRATA = ("family", "type", "density")


def population(n: int = 3000, seed: int = 1) -> list[dict[str, Any]]:
    dice = random.Random(seed)
    return [
        {
            "question_id": f"q{number}",
            "family": dice.choices(["multi_entity", "deep_research"], [9, 1])[0],
            "type": dice.choices(["mean", "median", "rare"], [60, 39, 1])[0],
            "density": dice.choice(["low", "medium", "high"]),
            "topic": dice.choices([f"topic{i}" for i in range(10)], range(1, 11))[0],
        }
        for number in range(n)
    ]


def drawn(rows: list[dict[str, Any]], n: int, seed: int = 0) -> list[Any]:
    return draw(rows, n, seed, STRATA, "topic", ("question_id",))


@given(SIZES, st.integers(0, 400))
def test_seats_add_up_and_fit(sizes: dict[str, int], n: int) -> None:
    seats = apportion(n, sizes)
    assert sum(seats.values()) == min(n, sum(sizes.values()))
    assert all(seats[key] <= sizes[key] for key in seats)
    strata = [key for key, size in sizes.items() if size]
    if n >= len(strata):
        assert all(seats[key] >= 1 for key in strata)


@given(SIZES, st.integers(1, 400))
def test_seats_are_within_one_of_their_share_where_none_is_given_away(sizes: dict[str, int], n: int) -> None:
    total = sum(sizes.values())
    seats = apportion(n, sizes)
    exact = {key: min(n, total) * size / total for key, size in sizes.items() if size}
    if all(share >= 1 for share in exact.values()):
        assert all(math.floor(exact[key]) <= seats[key] <= math.ceil(exact[key]) for key in seats)


def test_seats_of_a_worked_example() -> None:
    # Balinski and Young, Fair Representation: shares 6.2, 4.5, 3.3 of 14
    assert apportion(14, {"a": 62, "b": 45, "c": 33}) == {"a": 6, "b": 5, "c": 3}


def test_every_stratum_has_its_proportional_share() -> None:
    rows = population()
    sizes = Counter(tuple(row[name] for name in STRATA) for row in rows)
    found = Counter(tuple(row[name] for name in STRATA) for row in drawn(rows, 200))
    assert found == Counter(apportion(200, sizes, "0"))
    assert set(found) == set(sizes)
    assert sum(found.values()) == 200


def test_topics_are_spread_by_their_size() -> None:
    rows = population()
    sizes = Counter(row["topic"] for row in rows)
    found = Counter(row["topic"] for row in drawn(rows, 200))
    assert all(abs(found[topic] - 200 * size / len(rows)) <= 2 for topic, size in sizes.items())


def test_the_same_seed_draws_the_same_whatever_the_order_of_rows() -> None:
    rows = population()
    first = drawn(rows, 100)
    assert drawn(random.Random(5).sample(rows, len(rows)), 100) == first
    assert drawn(rows, 100, seed=1) != first


@pytest.mark.parametrize("n", [1, 5, 17, 60, 61])
def test_small_draws_and_whole_populations(n: int) -> None:
    rows = population(60)
    found = drawn(rows, n)
    ids = [row["question_id"] for row in found]
    assert len(ids) == len(set(ids)) == min(n, 60)
