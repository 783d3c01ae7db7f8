"""Moons: orbits obey Kepler, discoveries follow the telescopes."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from ingest.sample.build.moons import BODIES
from ingest.sample.build.typed_table import read_table
from tests.sample.stated import members, values

ROWS = {row["moon"]: row for row in read_table("moons")}
ORBITING = [name for name, row in ROWS.items() if row["orbital_period_days"] and row["semi_major_axis_km"]]
# Gravitational parameters of the parent bodies in km3/s2, from their masses.
GRAVITY = {
    "Earth": 398_600,
    "Mars": 42_828,
    "Jupiter": 126_686_534,
    "Saturn": 37_931_187,
    "Uranus": 5_793_939,
    "Neptune": 6_836_529,
    "Pluto": 975,
}


def test_every_moon_is_there_once() -> None:
    assert len(ROWS) == len(members("moons", "Q2537")) >= 60
    assert {row["body"] for row in ROWS.values()} == set(BODIES)


@pytest.mark.parametrize("moon", ORBITING)
def test_period_and_axis_obey_kepler(moon: str) -> None:
    row = ROWS[moon]
    period = math.tau * math.sqrt(float(row["semi_major_axis_km"]) ** 3 / GRAVITY[row["body"]]) / 86_400
    # The small moons of Pluto circle Pluto and Charon together.
    assert float(row["orbital_period_days"]) == pytest.approx(period, rel=0.02 if row["body"] == "Pluto" else 0.006)


def test_the_moons_known_after_voyager_2_are_all_there() -> None:
    known = Counter(row["body"] for row in ROWS.values() if not row["discovered"] or int(row["discovered"]) < 1990)
    assert known == {"Earth": 1, "Mars": 2, "Jupiter": 16, "Saturn": 17, "Uranus": 15, "Neptune": 8, "Pluto": 1}


def test_nothing_was_discovered_before_the_telescope() -> None:
    years = {name: int(row["discovered"]) for name, row in ROWS.items() if row["discovered"]}
    assert min(years.values()) == 1610
    assert {name for name, year in years.items() if year == 1610} == {"Io", "Europa", "Ganymede", "Callisto"}
    assert max(years.values()) <= 2013


def test_a_moon_is_smaller_than_its_orbit() -> None:
    for row in ROWS.values():
        if row["radius_km"] and row["semi_major_axis_km"]:
            assert float(row["radius_km"]) * 10 < float(row["semi_major_axis_km"]), row


def test_titan_as_stated() -> None:
    assert values("moons", "typed:moon/titan", "P2120") == ["2574.7"]
    assert values("moons", "typed:moon/titan", "P397") == ["typed:body/saturn"]
    assert values("moons", "typed:body/saturn", "P31") == ["typed:class/gas-giant"]
    assert values("moons", "typed:moon/earths-moon", "P575") == []
