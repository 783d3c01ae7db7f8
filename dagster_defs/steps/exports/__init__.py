"""Exports: a question set as a folder that stands alone, for people who have no Assay.

`export.export` writes it. `questions` picks the questions and their rows, `data` writes Parquet and JSONL, `chat` the
conversations to fine-tune on, `traces` how deep-research questions are solved, `tasks` the harness tasks with their
scorer (`scorer`, `bundle`), `card` the dataset card, and `folder` puts it all in place in one step.
"""

from __future__ import annotations

from dagster_defs.steps.exports.export import Exported, export

__all__ = ["Exported", "export"]
