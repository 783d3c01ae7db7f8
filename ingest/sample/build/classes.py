"""Names of the classes that the other datasets sort their entities into, as seeds/vocabulary.csv has them."""

from __future__ import annotations

import csv
from pathlib import Path

from ingest.sample.build.rdf import Fact, Item

VOCABULARY = Path(__file__).resolve().parents[3] / "seeds" / "vocabulary.csv"


def build() -> tuple[list[Item], list[Fact]]:
    """One item a class; nothing is stated about them."""
    with VOCABULARY.open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["kind"] == "class"]
    return [Item(row["id"], row["label"], source="wikidata") for row in rows], []
