"""No file, function or model grows past what one reads in a sitting."""

from __future__ import annotations

import ast
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PYTHON = ("ingest", "dagster_defs", "expectations", "tests", "benchmarks")


def python_files() -> list[Path]:
    """Every Python file of the project."""
    return sorted(path for folder in PYTHON for path in (PROJECT / folder).rglob("*.py"))


def test_files_have_at_most_400_lines() -> None:
    sql = sorted(path for folder in ("models", "macros") for path in (PROJECT / folder).rglob("*.sql"))
    long = {
        str(p.relative_to(PROJECT)): n for p in [*python_files(), *sql] if (n := len(p.read_text().splitlines())) > 400
    }
    assert long == {}


def test_functions_have_at_most_50_lines() -> None:
    long = {}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                lines = node.end_lineno - node.lineno + 1
                if lines > 50:
                    long[f"{path.relative_to(PROJECT)}:{node.name}"] = lines
    assert long == {}


def test_models_have_at_most_100_lines() -> None:
    models = sorted((PROJECT / "models").rglob("*.sql"))
    assert models
    long = {str(p.relative_to(PROJECT)): n for p in models if (n := len(p.read_text().splitlines())) > 100}
    assert long == {}


def test_public_python_is_documented() -> None:
    """Public modules, classes and functions of the product; a test's name is its own description."""
    bare = []
    for path in python_files():
        if path.relative_to(PROJECT).parts[0] in ("tests", "benchmarks"):
            continue
        tree = ast.parse(path.read_text())
        if not ast.get_docstring(tree) and path.read_text().strip():
            bare.append(str(path.relative_to(PROJECT)))
        for node in tree.body:
            if (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and not node.name.startswith("_")
                and not ast.get_docstring(node)
            ):
                bare.append(f"{path.relative_to(PROJECT)}:{node.name}")
    assert bare == []
