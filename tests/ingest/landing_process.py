"""A process that lands Wikipedia's articles from a test's server, so that it can be killed and measured.

    python -m tests.ingest.landing_process http://127.0.0.1:PORT FOLDER < entities.json

What it lands is in FOLDER/landing. FOLDER/cache keeps answers where that folder is there already. Prints how many
batches it found landed, and its peak memory in KiB.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ingest.http.cache import ResponseCache
from ingest.http.client import HttpClient
from ingest.http.rates import RateLimiter
from ingest.wikipedia.client import SERVICE, WikipediaClient
from ingest.wikipedia.land import land_pages

PROJECT = Path(__file__).resolve().parents[2]
DAY = datetime.date(2026, 6, 1)
TOPIC = "lakes"
Entities = Sequence[tuple[str, str | None]]


def start(home: str, folder: Path, entities: Entities) -> subprocess.Popen[str]:
    """A process that lands ``entities``; it began to work when this returns."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ingest.landing_process", home, str(folder)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(entities))
    process.stdin.close()
    process.stdin = None
    return process


def ended(process: subprocess.Popen[str]) -> tuple[int, int]:
    """(batches that were landed before, peak memory in KiB) of a process, once it has come to its end."""
    out, _ = process.communicate()
    assert process.returncode == 0
    kept, peak = map(int, out.split())
    return kept, peak


def peak() -> int:
    """KiB that this process had in memory at most.

    Not getrusage's ru_maxrss: a new process takes that over from the one that started it, which may be the larger one.
    """
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


def main(home: str, folder: Path) -> None:
    """Land what the input names."""
    cache = ResponseCache(folder / "cache") if (folder / "cache").is_dir() else None
    with HttpClient(SERVICE, "tests@example.org", cache=cache, limiter=RateLimiter(()), loopback=home) as http:
        report = land_pages(TOPIC, json.load(sys.stdin), WikipediaClient(http), folder / "landing", DAY)
    print(report.kept, peak())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
