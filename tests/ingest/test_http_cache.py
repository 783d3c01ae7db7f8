"""Answers are kept up to a number, and the stalest make room for new ones, many at a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from api_server import NOW

from ingest.http import cache
from ingest.http.cache import Kept, ResponseCache

MOST, SWEPT = 40, 10


def test_room_is_made_for_many_answers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_FILES", MOST)
    monkeypatch.setattr(cache, "_SWEPT", SWEPT)
    looked: list[object] = []
    listed = os.listdir
    answers = ResponseCache(tmp_path / "cache")
    answers.put("https://example.org/0", Kept(NOW, b"0"), 1_000)
    monkeypatch.setattr(os, "listdir", lambda path: looked.append(path) or listed(path))
    for number in range(1, 200):
        # Each is fresh for longer than the one before.
        answers.put(f"https://example.org/{number}", Kept(NOW, b"%d" % number), 1_000 + number)
        found = [answers.get(f"https://example.org/{n}") for n in range(number + 1)]
        kept = [n for n, one in enumerate(found) if one is not None]
        assert kept == list(range(number + 1 - len(kept), number + 1)), "the ones that are fresh for longest"
        assert min(number + 1, MOST - SWEPT + 1) <= len(kept) <= MOST + 1
    # A sweep looks at the folder twice: for what is stale, and for what will be first.
    assert len(looked) <= 2 * -(-200 // SWEPT)
