"""The small world of entities, and a server on loopback that plays a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.elicit import world
from tests.llm.server import Server


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, published. Read it, never write to it."""
    return world.write(tmp_path_factory.mktemp("elicit") / "assay.duckdb")


@pytest.fixture
def desk(database: Path, tmp_path: Path) -> Iterator[world.Desk]:
    """One over the small world, whose model knows four entities."""
    with Server() as server:
        found = world.Desk(database, tmp_path, server)
        found.play(world.Knower())
        yield found
