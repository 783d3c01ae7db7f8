"""One selection of diverse questions, from the published questions to landed rows."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.llm.embedding import Embedder
from dagster_defs.names import DEEP_RESEARCH
from dagster_defs.steps.diversity.graph import near_duplicates
from dagster_defs.steps.diversity.select import select
from dagster_defs.steps.published import reading
from dagster_defs.steps.run_rows import SCHEMAS, land_rows

# Comparison -> what has to be alike of two questions that are compared.
COMPARISONS = {"whole": None, "template": "template_id"}


class Question(NamedTuple):
    """What is compared of a question: its text; where it is from says with which others."""

    question_id: str
    question: str
    template_id: str
    domain: str


@dataclass(frozen=True)
class Found:
    """What one comparison came to: questions and those that stay by domain, and pairs under the threshold."""

    comparison: str
    questions: dict[str, int]
    diverse: dict[str, int]
    pairs: int

    def sentence(self, threshold: float) -> str:
        """The comparison in a line that a person reads."""
        kept, total = sum(self.diverse.values()), sum(self.questions.values())
        where = "over the whole set" if COMPARISONS[self.comparison] is None else f"within a {self.comparison}"
        domains = ", ".join(f"{domain} {self.diverse.get(domain, 0)} of {n}" for domain, n in self.questions.items())
        return (
            f"{kept} of {total} deep-research questions survive at a dissimilarity of {threshold:g} {where}"
            f" ({self.pairs:,} pairs are nearer): {domains}."
        )


def choose(database: Path) -> list[Question]:
    """The published deep-research questions by id. Raises RunError when there are none or the file can't be read."""
    with reading(database, "questions") as connection:
        rows = connection.execute(
            "select question_id, question, template_id, category from questions.questions where family = ?",
            [DEEP_RESEARCH],
        ).fetchall()
    if not rows:
        raise RunError(f"{database} has no deep-research question to compare: run `make build`, then try again.")
    return sorted(Question(*row) for row in rows)


def digest(questions: Sequence[Question]) -> str:
    """SHA-256 of ids and texts, a line each by id; models/runs/diversity.sql makes the same of what it finds."""
    lines = "\n".join(f"{one.question_id} {one.question}" for one in sorted(questions))
    return hashlib.sha256(lines.encode()).hexdigest()


def execute(database: Path, landing: Path, name: str, embedder: Embedder, threshold: float) -> list[Found]:
    """Select the diverse ones among the published deep-research questions, and land a row a comparison and question.

    name: the embedder's in models.yml. threshold: cosine dissimilarity under which two questions are near duplicates.
    landing: ``data/landing/llm``. Raises RunError where the questions cannot be read or embedded, or rows not landed.
    """
    started = datetime.datetime.now(datetime.UTC)
    questions = choose(database)
    vectors = embedder.embed([one.question for one in questions])
    sha = digest(questions)
    selection_id = f"{name}--{threshold:g}--{sha[:12]}"
    same = {"selection_id": selection_id, "threshold": threshold, "embedder": name, "texts_sha": sha}
    rows: list[dict[str, Any]] = []
    found = []
    for comparison, alike in COMPARISONS.items():
        edges = near_duplicates(
            vectors, threshold, groups=None if alike is None else [getattr(one, alike) for one in questions]
        )
        selection = select(edges, [one.question_id for one in questions])
        for one, stays, instead, near in zip(
            questions, selection.is_diverse, selection.removed_for, edges.degrees().tolist(), strict=True
        ):
            rows.append(
                {**same, "comparison": comparison, "question_id": one.question_id, "is_diverse": stays}
                | {"removed_for": instead, "n_near": near, "selected_at": started}
            )
        kept = [one.domain for one, stays in zip(questions, selection.is_diverse, strict=True) if stays]
        domains = Counter(sorted(one.domain for one in questions))
        found.append(Found(comparison, dict(domains), dict(Counter(kept)), len(edges)))
    land_rows(landing, "diversity", selection_id, pa.Table.from_pylist(rows, SCHEMAS["diversity"]))
    return found
