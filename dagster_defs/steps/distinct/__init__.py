"""How distinct question sets are: Self-BLEU, and dissimilarity by several embedders, on samples of one size."""

from __future__ import annotations

from dagster_defs.steps.distinct.measure import Measured, measure, own_sets
from dagster_defs.steps.distinct.sets import QuestionFile, read_file, sample

__all__ = ["Measured", "QuestionFile", "measure", "own_sets", "read_file", "sample"]
