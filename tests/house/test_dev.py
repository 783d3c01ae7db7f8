"""`make dev` opens the pages, and they show every asset and job."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from dagster import Definitions

from dagster_defs.definitions import defs
from dagster_defs.names import MAIN_JOB, SCORE_JOB, SETTINGS, SOLVE_JOB, partition
from tests.conftest import PROJECT, Checkout, environment_of_a_user

PATIENCE_SECONDS = 240
QUERY = """
{ repositoriesOrError { ... on RepositoryConnection { nodes {
  jobs { name }
  assetNodes { assetKey { path } description groupName partitionKeys dependencyKeys { path } }
} } } }
"""


@pytest.fixture
def pages(checkout: Checkout) -> Iterator[str]:
    """The address of `make dev`, started in a checkout by the Makefile's own recipe."""
    shutil.copy(PROJECT / "Makefile", checkout.root)
    (checkout.root / ".venv").symlink_to(sys.prefix)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # -o: what is installed is not looked at.
    words = ["make", "-o", ".venv/.runtime", "dev", f"PORT={port}"]
    log = checkout.root / "dev.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            words, cwd=checkout.root, env=environment_of_a_user(), stdout=said, stderr=said, start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address, process, log)
        yield address
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_every_asset_and_job_is_on_the_pages(pages: str) -> None:
    (repository,) = _asked(pages)["repositoriesOrError"]["nodes"]
    assert {MAIN_JOB, SCORE_JOB, SOLVE_JOB} <= {job["name"] for job in repository["jobs"]}
    assets = repository["assetNodes"]
    shown = {"/".join(asset["assetKey"]["path"]) for asset in assets}
    assert shown == {key.to_user_string() for key in defs.resolve_asset_graph().get_all_asset_keys()}
    assert [asset["assetKey"]["path"] for asset in assets if not asset["description"]] == []
    runs = {asset["assetKey"]["path"][-1]: asset for asset in assets if asset["assetKey"]["path"][0] == "landed_llm"}
    for dataset in ("runs", "answers", "steps"):
        assert {partition("local", setting) for setting in SETTINGS} <= set(runs[dataset]["partitionKeys"])
    assert {"ingest", "facts", "topics", "questions", "runs", "scores", "publish"} <= {a["groupName"] for a in assets}


def test_no_asset_depends_on_itself_by_a_detour() -> None:
    # A job of some of the assets loads all the same, so the terminal never notices; the pages do not open.
    Definitions.validate_loadable(defs)
    graph = defs.resolve_asset_graph()
    assert len(graph.toposorted_asset_keys) == len(graph.get_all_asset_keys())


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if _asked(address)["repositoriesOrError"].get("nodes"):
                return
        except requests.ConnectionError:
            pass
        time.sleep(0.5)
    raise AssertionError(f"the pages did not open; dagster said: {log.read_text()[-3000:]}")


def _asked(address: str) -> dict[str, Any]:
    answer = requests.post(f"{address}/graphql", json={"query": QUERY}, timeout=60).json()
    data: dict[str, Any] = answer["data"]
    return data
