"""Pages made once for the tests that read them, and one browser for those that look at them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from dagster_defs.steps.report import write_report
from tests.report import world
from tests.report.browser import opened_browser


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the charts' library is bundled, once for all pages."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def quality(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The verdicts of two gates, one of which stopped a build, and the published volumes beside them."""
    folder = tmp_path_factory.mktemp("quality")
    for room, passed in (("facts", True), ("topics", False)):
        claim = {"claim": f"{room} <b>hold</b>", "frame": "x", "expectation": "y", "passed": passed, "observed": 3}
        verdict = {
            "room": room,
            "passed": passed,
            "outcomes": [claim],
            "volumes": {},
            "judged_at": "2026-11-30 04:24 UTC",
        }
        (folder / f"{room}.json").write_text(json.dumps(verdict))
    (folder / "published.json").write_text('{"endpoint": "sample", "rooms": {}}')
    return folder


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published database with runs."""
    return world.write(tmp_path_factory.mktemp("published") / "assay.duckdb", world.questions())


@pytest.fixture(scope="session")
def page(database: Path, quality: Path, cache: Path) -> Path:
    """The page of a database with runs."""
    return write_report(database, database.parent / "report/index.html", quality, cache)


@pytest.fixture(scope="session")
def bare_page(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The page of a database without a run, and without verdicts of gates."""
    folder = tmp_path_factory.mktemp("bare")
    world.write(folder / "assay.duckdb", world.questions(), runs=False)
    return write_report(folder / "assay.duckdb", folder / "report/index.html", folder / "quality", cache)


@pytest.fixture(scope="session")
def browser() -> Iterator[Chrome]:
    """A headless Chromium."""
    with opened_browser() as opened:
        yield opened
