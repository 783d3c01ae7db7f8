"""Units and method names as the project ships them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dagster_defs.steps.matching import Methods, Reference, Units

SEEDS = Path(__file__).resolve().parents[2] / "seeds"


def seed(name: str) -> list[dict[str, str]]:
    """Rows of seeds/<name>.csv."""
    with (SEEDS / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def unit_rows() -> list[dict[str, str]]:
    return seed("units")


@pytest.fixture(scope="session")
def method_rows() -> list[tuple[str, str]]:
    return [(row["gold_method"], row["name"]) for row in seed("method_names")]


@pytest.fixture(scope="session")
def units(unit_rows: list[dict[str, str]]) -> Units:
    return Units(unit_rows)


@pytest.fixture(scope="session")
def reference(units: Units, method_rows: list[tuple[str, str]]) -> Reference:
    return Reference(units, Methods(method_rows))
