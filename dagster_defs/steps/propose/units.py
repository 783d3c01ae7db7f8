"""The units of proposals: by what they are called, and which of them convert into each other."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path


class Units:
    """The units that numbers convert between, out of seeds/units.csv.

    plurals: unit -> its name in the plural. dimensions: unit -> what it measures.
    """

    def __init__(self, seed: Path) -> None:
        with seed.open(encoding="utf-8", newline="") as handle:
            rows = list(csv.DictReader(handle))
        self.plurals = {row["unit_id"]: row["label_plural"] for row in rows}
        self.dimensions = {row["unit_id"]: row["dimension"] for row in rows}
        self._by_name = {
            row[key].casefold(): row["unit_id"]
            for key in ("symbol", "label", "label_plural")
            for row in rows
            if row[key]
        }

    def of(self, name: str | None, allowed: Sequence[str | None] | None) -> str | None:
        """The unit that is called so, where it is allowed; else the first allowed one that converts; None for none."""
        known = self._by_name.get((name or "").strip().casefold())
        if known is not None and (allowed is None or known in allowed):
            return known
        if allowed is not None and None not in allowed:
            return next((one for one in allowed if one in self.plurals), None)
        return None
