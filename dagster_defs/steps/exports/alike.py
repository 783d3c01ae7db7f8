"""Another export to be like: so many questions of each topic, template and density."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dagster_defs.errors import RunError

_STRATUM = ("topic", "template_id", "density")


@dataclass
class Quotas:
    """What is still wanted of each stratum. family: of the other export's questions."""

    family: str
    left: Counter[tuple[Any, ...]]

    @classmethod
    def of(cls, folder: Path) -> Quotas:
        """What the export in ``folder`` has. Raises RunError where there is none, or it can't be read."""
        files = sorted((folder / "data").glob("*.parquet"))
        if not files:
            raise RunError(f"There is no export {folder} to be like: name one that stands in {folder.parent}.")
        try:
            rows = [row for file in files for row in pq.read_table(file, columns=["family", *_STRATUM]).to_pylist()]
        except (pa.ArrowException, OSError) as error:
            raise RunError(f"{folder} cannot be read ({str(error).splitlines()[0]}): export it again.") from error
        return cls(str(rows[0]["family"]), Counter(tuple(row[name] for name in _STRATUM) for row in rows))

    def take(self, row: dict[str, Any]) -> bool:
        """Whether a question is wanted, which counts it."""
        stratum = tuple(row[name] for name in _STRATUM)
        wanted = self.left[stratum] > 0
        self.left[stratum] -= wanted
        return wanted

    @property
    def missing(self) -> int:
        """How many questions are still wanted."""
        return self.left.total()
