"""Contract tests: real payloads go through the parsers. They live in the folder that ASSAY_PAYLOADS names.

Without the variable the whole suite skips; with it, a missing folder is an error, so that CI cannot pass by accident.
"""

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    given = os.environ.get("ASSAY_PAYLOADS")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.contract)
            if not given:
                item.add_marker(pytest.mark.skip(reason="ASSAY_PAYLOADS names no folder of real payloads"))


@pytest.fixture(scope="session")
def payloads() -> Path:
    folder = Path(os.environ["ASSAY_PAYLOADS"]).resolve()
    assert folder.is_dir(), f"ASSAY_PAYLOADS is {folder}, which is no folder; point it at the payloads or unset it."
    return folder
