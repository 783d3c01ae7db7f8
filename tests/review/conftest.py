"""One published database and one browser for the tests of reviews."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.report import world as report_world
from tests.report.browser import opened_browser
from tests.review import world


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published database with 90 questions, and answers to them."""
    path = tmp_path_factory.mktemp("published") / "assay.duckdb"
    return world.published(path, report_world.questions(), runs=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Chrome]:
    """A headless Chromium."""
    with opened_browser() as opened:
        yield opened
