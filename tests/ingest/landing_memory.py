"""Peak memory of a process that lands articles, which a server makes up as they are asked for.

    python -m tests.ingest.landing_memory 1000 10000

Prints the peak for each number of articles.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from functools import lru_cache
from pathlib import Path

from tests.ingest.landing_process import ended, start
from tests.wiki import WikiPage, WikiServer

CHARACTERS = 20_000
_WORDS = ("lake", "river", "shore", "flows", "from", "the", "north", "into", "a", "basin", "of", "depth", "and", "ice")


@lru_cache(maxsize=100)
def article(number: int) -> WikiPage:
    """An article of about 20 kB, as text and as wikitext with an infobox; no two are alike."""
    chance = random.Random(number)
    parts: list[str] = []
    while sum(map(len, parts)) < CHARACTERS:
        words = " ".join(chance.choices(_WORDS, k=200))
        parts.append(f"\n\n== Part {len(parts)} ==\n{words} {chance.random()}")
    fields = "".join(f"| field{n} = {{{{convert|{chance.random():.6f}|km}}}} [[River {n}]]\n" for n in range(30))
    text = f"Lake {number}.{''.join(parts)}"
    return WikiPage(
        text, number + 1, number + 1_000, f"Q{number + 1}", wikitext=f"{{{{Infobox lake\n{fields}}}}}\n{text}"
    )


class MadeUp(dict[str, WikiPage]):
    """Pages called by their number."""

    def __contains__(self, title: object) -> bool:
        return isinstance(title, str) and title.isdecimal()

    def __getitem__(self, title: str) -> WikiPage:
        return article(int(title))

    def get(self, title: str, default: object = None) -> WikiPage:  # type: ignore[override]
        """The page of that number."""
        return self[title]


def peak(articles: int, folder: Path) -> int:
    """KiB that a process had at most that landed so many articles, and kept the answers as a run does."""
    (folder / "cache").mkdir(parents=True)
    with WikiServer() as server:
        server.wiki.pages = MadeUp()
        kept, most = ended(start(server.home, folder, [(f"Q{n + 1}", str(n)) for n in range(articles)]))
    assert kept == 0
    return most


if __name__ == "__main__":
    for number in map(int, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            most = peak(number, Path(folder))
            print(f"{number:,} articles: {most / 1024:.0f} MiB at most, {time.monotonic() - began:.0f} s", flush=True)
