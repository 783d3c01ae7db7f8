"""Units as the project ships them, and a desk with the articles of two countries and a river."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from dagster_defs.steps.extract.names import Names
from dagster_defs.steps.extract.normalise import Known
from dagster_defs.steps.extract.units import ListedUnits
from tests.extract.world import ENTITIES, ROOT, Desk, Extractor, article
from tests.llm.server import Server


@pytest.fixture(scope="session")
def unit_rows() -> list[dict[str, str]]:
    with (ROOT / "seeds/units.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def units(unit_rows: list[dict[str, str]]) -> ListedUnits:
    return ListedUnits(unit_rows)


@pytest.fixture(scope="session")
def known(units: ListedUnits) -> Known:
    """The units, and the small world's names; borders are of Ourland and Theirland."""
    return Known(units, Names(ENTITIES), {"P47": {"Q1", "Q2"}, "P30": {"Q15"}})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Three articles that are read, one that was not found, and a topic without articles."""
    with Server() as server:
        server.always = Extractor()
        made = Desk(tmp_path, server)
        made.publish()
        fields = [
            ("area_km2", "31153"),
            ("capital", "Ourtown"),
            ("official_languages", "Ourish\nTheirish"),
            ("map", None),
        ]
        made.land("countries", "Q1", "Ourland", article("Ourland"), fields)
        made.land("countries", "Q2", "Theirland", article("Theirland"))
        made.land("countries", "Q3", "Quietland", [], outcome="missing")
        made.land("rivers", "Q101", "Long River", [(0, None, "The river is 6,650 km long.")])
        yield made
