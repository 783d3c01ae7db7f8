"""SIGKILL at any moment of a landing of articles: the next run goes on, and lands what an undisturbed one lands."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_server import landed_rows
from landing_process import Entities, ended, start

from ingest.wikipedia.land import SCHEMAS
from tests.wiki import WikiPage, WikiServer

PAGES, BATCH = 600, 50
KILLS = 8
# What no two runs share.
_OF_THE_MOMENT = {"fetched_at", "landed_at"}


@pytest.fixture
def wiki() -> Iterator[WikiServer]:
    """Some hundred lakes, and between them pages that are none."""
    with WikiServer() as serving:
        for n in range(PAGES):
            area = f"{{{{convert|{n}.5|km2}}}}"
            box = f"{{{{Infobox lake\n| name = Lake {n}\n| area = {area}\n| inflow = [[River {n}]]\n}}}}\n"
            text = f"Lake {n} is a lake.\n\n== Name ==\nOf a people.\n\n=== Spelling ===\nVaried {n} times."
            serving.wiki.pages[f"Lake {n}"] = WikiPage(text, n + 1, n + 1_000, f"Q{n + 1}", wikitext=box + text)
        serving.wiki.pages["Lake 30"] = WikiPage("May refer to:", 31, 1_030, "Q31", is_disambiguation=True)
        serving.wiki.pages["Lake 130"] = WikiPage(to="Lake 131")
        del serving.wiki.pages["Lake 230"]
        yield serving


def entities() -> Entities:
    """All of them; one has no title."""
    return [(f"Q{n + 1}", None if n == 330 else f"Lake {n}") for n in range(PAGES)]


def landed(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every landed row, without what no two runs share."""
    return {
        dataset: [
            {name: value for name, value in row.items() if name not in _OF_THE_MOMENT}
            for row in landed_rows(folder / "landing", "wikipedia", dataset)
        ]
        for dataset in (*SCHEMAS, "snapshots")
    }


def files(folder: Path, dataset: str) -> dict[str, int]:
    """The files of a dataset that are there, and when they were written."""
    paths = (folder / "landing/wikipedia" / dataset).glob("*/*.parquet")
    return {path.name: path.stat().st_mtime_ns for path in paths}


def asked_for(server: WikiServer) -> Counter[str]:
    """How often each title was asked for, by itself or with others."""
    return Counter(title for query in list(server.wiki.asked) for title in query["titles"].split("|"))


def wait_for_requests(server: WikiServer, number: int, process: subprocess.Popen[str]) -> None:
    """Until so many more requests have come."""
    awaited = len(server.wiki.asked) + number
    while process.poll() is None and len(server.wiki.asked) < awaited:
        time.sleep(0.0002)


def wait_for_files(folder: Path, batches: int, process: subprocess.Popen[str]) -> None:
    """Until so many batches were landed and one more has its first file, which is written before that of the pages."""
    before = files(folder, "sections").items()
    while process.poll() is None and len(files(folder, "sections").items() - before) <= batches:
        time.sleep(0.0002)


@pytest.mark.parametrize("is_cached", [True, False], ids=["answers kept", "no answer kept"])
def test_a_landing_that_is_killed_lands_the_same_rows_and_asks_for_no_landed_batch_again(
    wiki: WikiServer, tmp_path: Path, is_cached: bool
) -> None:
    chance = random.Random(20260601)
    disturbed, undisturbed = tmp_path / "killed", tmp_path / "whole"
    for folder in (disturbed, undisturbed):
        (folder / "cache" if is_cached else folder).mkdir(parents=True)
    assert ended(start(wiki.home, undisturbed, entities()))[0] == 0
    whole, needed = landed(undisturbed), len(wiki.wiki.asked)
    assert [len(whole[dataset]) for dataset in ("pages", "snapshots")] == [PAGES, 1]
    assert Counter(page["outcome"] for page in whole["pages"]) == {
        "found": PAGES - 4, "disambiguation": 1, "another": 1, "missing": 1, "untitled": 1
    }  # fmt: skip
    wiki.wiki.asked.clear()

    states: list[tuple[set[str], Counter[str]]] = []
    torn = 0
    for kill in range(KILLS):
        process = start(wiki.home, disturbed, entities())
        # In the middle of a batch's requests, or of its files.
        if kill % 2:
            wait_for_files(disturbed, chance.randint(0, 1), process)
        else:
            wait_for_requests(wiki, chance.randint(1, 2 * BATCH), process)
            time.sleep(chance.uniform(0, 0.05))
        process.kill()
        process.communicate()
        found = landed(disturbed)
        complete = {row["asked_title"] for row in found["pages"] if row["asked_title"]}
        assert len(found["pages"]) % BATCH == 0
        assert found["snapshots"] == []
        assert found["pages"] == [row for row in whole["pages"] if row in found["pages"]]
        torn += not files(disturbed, "sections").keys() <= files(disturbed, "pages").keys()
        states.append((complete, asked_for(wiki)))
    assert torn > 0, "some were killed between the files of a batch"
    assert 0 < len(states[-1][0]) < PAGES
    kept, _ = ended(start(wiki.home, disturbed, entities()))

    assert landed(disturbed) == whole
    assert kept * BATCH == len(states[-1][0])
    at_the_end = asked_for(wiki)
    for complete, counts in states:
        assert [title for title in complete if at_the_end[title] != counts[title]] == []
    if is_cached:
        # What was in flight at each kill.
        assert len(wiki.wiki.asked) - needed <= KILLS
    assert list((disturbed / "landing").rglob(".*.tmp")) == []
