"""The tasks of an export: files for lm-evaluation-harness and inspect_ai, the scorer, and what the scorer looks up."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.llm import structured
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps import matching
from dagster_defs.steps.exports import scorer
from dagster_defs.steps.exports.questions import Chosen
from dagster_defs.steps.solve import forms
from dagster_defs.steps.solve.plan import ANSWER_TOKENS
from dagster_defs.steps.solve.questions import Warehouse

PACKAGE = "assay_scorer"
TASKS = Path(__file__).with_name("tasks")
PROJECT = Path(__file__).resolve().parents[3]
# Names of an export that would make `datasets` take one of its Python files for a loading script.
RESERVED = frozenset(path.stem for path in TASKS.glob("*.py"))
# Where a module of Assay is found in an export.
_MOVED = {
    "dagster_defs.steps.matching": f"{PACKAGE}.matching",
    "dagster_defs.llm.structured": f"{PACKAGE}.structured",
}


def write_tasks(folder: Path, name: str, split: str) -> None:
    """Write the task files and the scorer into ``folder``; lm-evaluation-harness evaluates ``split``."""
    for path in sorted(TASKS.glob("*.py")):
        (folder / path.name).write_bytes(path.read_bytes())
    task = (TASKS / "task.yaml").read_text(encoding="utf-8")
    values = {"@name@": f"assay_{name}", "@split@": split, "@tokens@": str(ANSWER_TOKENS)}
    for mark, value in values.items():
        task = task.replace(mark, value)
    (folder / f"assay_{name}.yaml").write_text(task, encoding="utf-8")
    package = folder / PACKAGE
    (package / "matching").mkdir(parents=True)
    _copy(Path(str(scorer.__file__)), package / "__init__.py")
    _copy(Path(str(structured.__file__)), package / "structured.py")
    for path in sorted(Path(str(matching.__file__)).parent.glob("*.py")):
        _copy(path, package / "matching" / path.name)
    (package / "LICENSE").write_bytes(project_file("LICENSE").read_bytes())


def write_reference(folder: Path, database: Path, warehouse: Warehouse, chosen: Chosen) -> None:
    """Write ``reference.json``: facts.units, questions.method_names, the topics' attributes, the answers' schemas."""
    with duckdb.connect(str(database), read_only=True) as connection:
        units = _dicts(connection, "select * from facts.units order by all")
        methods = _dicts(connection, "select gold_method, name from questions.method_names order by all")
    topics = sorted({item.question.topic for item in chosen.items})
    known = {
        "units": [{name: "" if value is None else str(value) for name, value in unit.items()} for unit in units],
        "methods": methods,
        "attributes": {
            topic: [
                {"name": found.name, "phrase": found.phrase, "unit": found.unit, "kind": found.kind}
                for found in warehouse.attributes(topic)
            ]
            for topic in topics
        },
        "schemas": {
            "answer": schema_of(forms.Answer),
            "method": schema_of(forms.Method),
            "research": schema_of(forms.Research),
        },
    }
    (folder / "reference.json").write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def project_file(name: str) -> Path:
    """A file at the root of the checkout. Raises RunError when it isn't there."""
    path = PROJECT / name
    if not path.exists():
        raise RunError(f"An export needs {name}, which this checkout lacks: take it from Assay's repository.")
    return path


def _copy(source: Path, target: Path) -> None:
    """Copy a module of Assay, with its imports of Assay's modules turned to where they are in an export."""
    text = source.read_text(encoding="utf-8")
    for module, moved in _MOVED.items():
        text = text.replace(module, moved)
    left = re.search(r"^\s*(?:from|import) (?:dagster_defs|ingest)\b.*", text, re.MULTILINE)
    if left:
        raise RunError(f"An export cannot carry {source.name}: it needs Assay for '{left[0].strip()}'.")
    target.write_text(text, encoding="utf-8")


def _dicts(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    rows = connection.execute(query).fetchall()
    names = [column[0] for column in connection.description or []]
    return [dict(zip(names, row, strict=True)) for row in rows]
