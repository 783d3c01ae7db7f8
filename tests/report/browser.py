"""A real browser for the tests of the page, without a window and without a network."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.support.ui import WebDriverWait

# Seconds until a page must have unpacked its questions and drawn its charts: one that never does must not hang a run.
DEADLINE = 60
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
    # nothing but this machine is reached, whatever the page would load
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip


@contextmanager
def opened_browser() -> Iterator[Chrome]:
    """Debian's Chromium with a profile of its own; the test is skipped where none is installed."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    driver_program = shutil.which("chromedriver")
    if not program or not driver_program:
        pytest.skip("no browser: needs chromium and chromedriver")
    profile = tempfile.mkdtemp(prefix="assay-browser-")
    options = ChromeOptions()
    options.binary_location = program
    for argument in (*_QUIET, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = Chrome(options=options, service=ChromeService(driver_program))
    try:
        yield browser
    finally:
        browser.quit()
        shutil.rmtree(profile, ignore_errors=True)


def show(browser: Chrome, page: Path, scheme: str = "light", width: int = 1280, height: int = 900) -> None:
    """Open ``page`` from disk in a colour scheme and a width in CSS pixels, and wait until it is whole."""
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    # a page with a hash alone would not be loaded again
    browser.get("about:blank")
    browser.get(page.as_uri())
    wait_until(browser, "return document.documentElement.dataset.questions && document.documentElement.dataset.charts")


def wait_until(browser: Chrome, script: str, *arguments: Any) -> Any:
    """Run ``script`` with ``arguments`` until it returns something true, which is returned."""
    return WebDriverWait(browser, DEADLINE, poll_frequency=0.05).until(
        lambda b: b.execute_script(script, *arguments), script
    )


def complaints(browser: Chrome) -> list[str]:
    """What the browser has complained of since it was last asked: errors, warnings, what the page's policy stopped."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
