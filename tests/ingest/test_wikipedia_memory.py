"""Landing articles takes memory for a batch of them, however many there are."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from tests.ingest.landing_memory import CHARACTERS, peak

FEW, MANY = 500, 2_000
# Less than the further texts take where they are held once, which is 29 MiB.
MOST_MORE_KIB = (MANY - FEW) * CHARACTERS // 1024


def test_four_times_the_articles_take_no_more_memory(tmp_path: Path) -> None:
    few, many = peak(FEW, tmp_path / "few"), peak(MANY, tmp_path / "many")
    landed = pq.read_table(tmp_path / "many/landing/wikipedia/pages", columns=["outcome", "n_characters"]).to_pylist()
    assert len(landed) == MANY
    assert all(page["outcome"] == "found" and page["n_characters"] > CHARACTERS for page in landed)
    assert many - few < MOST_MORE_KIB, f"{few:,} KiB for {FEW} articles, {many:,} KiB for {MANY}"
