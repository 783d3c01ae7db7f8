"""Elicited triples and scores as the CSV files that scripts for this kind of benchmark read.

``<folder>/<model>/<setting>/`` holds a model's results in a setting, ``<folder>/combined_results.csv`` everyone's
scores. The columns that the method has come first, by its names; what tells experiments apart follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.steps.elicit.csv_text import COLUMNS, write_rows
from dagster_defs.steps.published import reading

COUNTED: Final = ("Model", "Metric", "Setting", "Total #Triples", "Entailment", "Contradiction", "Neutral")
IDENTITY: Final = ("Error", "Prompt", "Experiment", "Evaluation")
COMBINED: Final = (
    "Model", "Setting", "Domain", "Entailment_F1", "Entailment_Precision", "Entailment_Recall",
    "Prompt", "Reasoning effort", "Experiment", "Evaluation",
)  # fmt: skip
DETAILED: Final = (
    "Model", "Metric", "Setting", "Entity", "Subject", "Predicate", "Object", "Label",
    "Method", "Error", "Entity ID", "Triple", "Prompt", "Experiment", "Evaluation",
)  # fmt: skip
LONGER: Final = (*COLUMNS, "entity_id", "model", "setting", "prompt", "experiment_id", "ordinal")
# File -> the slices in it, and the column that names a slice.
FILES: Final = (
    ("results.csv", "overall", None),
    ("results_by_category.csv", "domain", "Domain"),
    ("results_by_popularity.csv", "popularity", "Popularity"),
)
_AT_ONCE: Final = 10_000
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
# How the method names what was measured.
_METRIC: Final = (
    "case {} when 'precision' then 'Precision (RAG)' when 'recall' then 'Recall (Coverage Check)' else {} end"
)
# Verdicts that are errors are no triples that were judged, so totals leave them out.
_COUNTS: Final = f"""
    select model, {_METRIC.format("direction", "direction")}, setting, n_entailment + n_contradiction + n_neutral,
        n_entailment, n_contradiction, n_neutral, n_error, prompt, experiment_id, evaluation_id, slice
    from elicitation.results
    where model = ? and setting = ? and slice_kind = ?
    order by prompt, experiment_id, evaluation_id, slice, direction
"""
_SCORES: Final = """
    select model, setting, domain, entailment_f1, entailment_precision, entailment_recall, prompt, reasoning_effort,
        experiment_id, evaluation_id
    from elicitation.combined_results
    order by model, setting, prompt, experiment_id, evaluation_id, domain nulls first
"""
_JUDGED: Final = f"""
    select model, {_METRIC.format("direction", "direction")}, setting, title, subject, predicate, object, verdict,
        method, error, entity_id, triple_id, prompt, experiment_id, evaluation_id
    from elicitation.judged where model = ? and setting = ?
    order by prompt, experiment_id, evaluation_id, direction, triple_id
"""
_TRIPLES: Final = """
    select subject, predicate, object, entity_id, model, setting, prompt, experiment_id, ordinal
    from elicitation.triples where experiment_id = ? order by entity_id, ordinal
"""


@dataclass(frozen=True)
class Written:
    """What was written below ``folder``: files, and triples with their verdicts."""

    folder: Path
    files: int
    judged: int

    def sentence(self) -> str:
        """What was written, in words."""
        return f"{self.folder}: {self.files:,} files, with {self.judged:,} judged triples."


def write_results(database: Path, folder: Path) -> Written:
    """Write the results of every model and setting, and the combined scores, from the published database.

    Raises RunError where the database can't be read, nothing was judged yet, or a model's name can't name a folder;
    LandingError where a file can't be written.
    """
    with reading(database, "results") as connection:
        pairs = connection.execute("select distinct model, setting from elicitation.results order by all").fetchall()
        if not pairs:
            raise RunError(f"{database} has no results of elicitation: judge an experiment first.")
        judged = sum(_write_pair(connection, folder, model, setting) for model, setting in pairs)
        write_rows(folder / "combined_results.csv", COMBINED, _stream(connection, _SCORES, []))
    return Written(folder, 1 + len(pairs) * (1 + len(FILES)), judged)


def write_combined(database: Path, path: Path) -> int:
    """Write the combined scores alone to ``path``; gives the number of rows. Raises what `write_results` raises."""
    with reading(database, "results") as connection:
        return write_rows(path, COMBINED, _stream(connection, _SCORES, []))


def write_triples(database: Path, experiment_id: str, path: Path, *, longer: bool = False) -> int:
    """Write an experiment's triples to ``path``, as the model wrote them; gives their number.

    longer: with entity, model, setting, prompt and experiment behind the three columns.
    Raises RunError where the database can't be read or has no triples of that experiment.
    """
    columns = LONGER if longer else COLUMNS
    with reading(database, "results") as connection:
        known = "select 1 from elicitation.triples where experiment_id = ? limit 1"
        if not connection.execute(known, [experiment_id]).fetchall():
            raise RunError(
                f"{database} has no triples of an experiment '{experiment_id}': elicitation.experiments lists all."
            )
        rows = (row[: len(columns)] for row in _stream(connection, _TRIPLES, [experiment_id]))
        return write_rows(path, columns, rows)


def _write_pair(connection: duckdb.DuckDBPyConnection, folder: Path, model: str, setting: str) -> int:
    """A model's files in a setting; gives the number of judged triples."""
    if not (_NAME.fullmatch(model) and _NAME.fullmatch(setting)):
        raise RunError(f"No folder can be called by model '{model}' and setting '{setting}': give it another name.")
    place = folder / model / setting
    for file, kind, column in FILES:
        rows = (row if column else row[:-1] for row in _stream(connection, _COUNTS, [model, setting, kind]))
        write_rows(place / file, (*COUNTED, *IDENTITY, *([column] if column else [])), rows)
    return write_rows(place / "results_detailed.csv", DETAILED, _stream(connection, _JUDGED, [model, setting]))


def _stream(connection: duckdb.DuckDBPyConnection, query: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, of which only some are held at a time."""
    result = connection.execute(query, list(values))
    while rows := result.fetchmany(_AT_ONCE):
        yield from rows
