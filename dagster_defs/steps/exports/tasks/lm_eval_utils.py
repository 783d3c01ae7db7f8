"""What this export's task of lm-evaluation-harness calls: its rows from beside this file, and their scores.

The scorer is Assay's own, copied into this folder; see assay_scorer/__init__.py.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from datasets import Dataset

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from assay_scorer import Scorer  # noqa: E402  (found only once this folder is on the path)


def load(**_: Any) -> dict[str, Dataset]:
    """The exported rows by split."""
    return {path.stem: Dataset.from_parquet(str(path)) for path in sorted((HERE / "data").glob("*.parquet"))}


def score(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """The metrics of one reply, each 0 or 1.

    The harness hands on no reason for which a reply ended, so one that was cut off is read as it is.
    """
    found = _scorer().score(doc, results[0] or "")
    return {
        "accuracy": float(found.correct),
        "unparsed": float(found.outcome == "unparsed"),
        "needs_judge": float(found.needs_judge),
    }


@cache
def _scorer() -> Scorer:
    return Scorer(HERE / "reference.json")
