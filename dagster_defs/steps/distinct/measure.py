"""The measures of a few question sets on samples of one size, as rows to land."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.llm.embedding import Embedder
from dagster_defs.steps.distinct.sets import QuestionFile, question_set, sample
from dagster_defs.steps.diversity.distinct import mean_dissimilarity, self_bleu
from dagster_defs.steps.run_rows import SCHEMAS, land_rows

WORDS = "none"
DATASET = "distinctiveness"


@dataclass(frozen=True)
class Measured:
    """One measure of one sample. embedder: `WORDS` for Self-BLEU. of_filter: the embedder is the diversity filter's."""

    questions: QuestionFile
    is_own: bool
    measure: str
    embedder: str
    of_filter: bool
    seed: int
    n: int
    value: float

    def land(self, folder: Path, now: datetime.datetime) -> Path:
        """Land it below ``folder`` (data/landing/llm), in place of the same measured before; ``now`` is UTC."""
        name, digest = self.questions.name, self.questions.content_hash
        distinct_id = f"{name[:100]}--{digest}--{self.embedder}--{self.n}--{self.seed}"
        row: dict[str, Any] = {
            "distinct_id": distinct_id,
            "number": 1,
            "set_name": name,
            "content_hash": digest,
            "is_own": self.is_own,
            "n_available": len(self.questions.texts),
            "measure": self.measure,
            "embedder": self.embedder,
            "of_filter": self.of_filter,
            "seed": self.seed,
            "n": self.n,
            "value": self.value,
            "measured_at": now,
        }
        return land_rows(folder, DATASET, distinct_id, pa.Table.from_pylist([row], schema=SCHEMAS[DATASET]))


def own_sets(database: Path) -> list[QuestionFile]:
    """The published questions, a set for each family; raises RunError when nothing is published."""
    if not database.exists():
        raise RunError(f"Nothing was measured: {database} does not exist; run `make build` first.")
    with duckdb.connect(str(database), read_only=True) as connection:
        rows = connection.execute(
            "select family, list(question) from questions.questions group by family order by family"
        ).fetchall()
    return [question_set(f"assay-{family}", texts) for family, texts in rows]


def measure(
    own: Sequence[QuestionFile],
    others: Sequence[QuestionFile],
    embedders: Mapping[str, Embedder],
    *,
    n: int,
    seeds: Sequence[int],
    filters: str,
    say: Callable[[str], None] = print,
) -> Iterator[Measured]:
    """Every set by every measure and seed, on samples of ``n``, or of the smallest set's size where that is less.

    embedders: by name; ``filters`` names the one that the diversity filter uses.
    """
    size = min([n, *(len(questions.texts) for questions in (*own, *others))])
    if size < n:
        smallest = min((*own, *others), key=lambda questions: len(questions.texts))
        say(f"Samples are of {size} questions, not {n}: {smallest.name} has no more.")
    for questions in (*own, *others):
        mine = questions in own
        for seed in seeds:
            texts = sample(questions, size, seed)
            yield Measured(questions, mine, "self_bleu", WORDS, False, seed, size, self_bleu(texts))
            for name, embedder in embedders.items():
                value = mean_dissimilarity(embedder.embed(texts))
                yield Measured(questions, mine, "dissimilarity", name, name == filters, seed, size, value)
