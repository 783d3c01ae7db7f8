"""The small world's database, and a server that knows its gold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dagster_defs.steps.solve.questions import Warehouse
from tests.llm.server import Server
from tests.solve import world
from tests.solve.bench import Bench
from tests.solve.tongue import Tongue


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, published. Read it, never write to it."""
    return world.write(tmp_path_factory.mktemp("world") / "assay.duckdb")


@pytest.fixture
def warehouse(database: Path) -> Iterator[Warehouse]:
    """The small world, open."""
    with Warehouse(database) as opened:
        yield opened


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers every question with its digest until a test gives it a tongue."""
    with Server() as serving:
        yield serving


@pytest.fixture
def bench(database: Path, tmp_path: Path, server: Server) -> Bench:
    """One whose model knows the gold."""
    server.always = Tongue()
    return Bench(database, tmp_path, server)
