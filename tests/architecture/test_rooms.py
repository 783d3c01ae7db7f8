"""The one way data flows, held by the imports of the Python rooms and the refs of the dbt rooms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dagster_defs.assets.warehouse import ROOMS
from dagster_defs.steps.dbt import DbtProject, load_manifest

PROJECT = Path(__file__).resolve().parents[2]

# Folder -> what nothing in it may import, by top-level name or dotted prefix.
FORBIDDEN_IMPORTS: Mapping[str, tuple[str, ...]] = {
    "ingest": ("dagster", "dagster_dbt", "dagster_defs", "expectations", "dbt", "great_expectations"),
    "expectations": ("dagster", "dagster_dbt", "dagster_defs", "dbt", "duckdb", "ingest", "sqlalchemy", "requests"),
    "dagster_defs/steps": ("dagster", "dagster_dbt"),
    "dagster_defs/llm": ("dagster", "dagster_dbt"),
}
# dbt room -> the rooms its models may ref().
MAY_READ: Mapping[str, set[str]] = {
    "staging": set(),
    "documents": {"staging", "extractions", "documents"},
    "extractions": {"staging", "extractions"},
    # extractions: what was read in articles stands among the statements.
    "facts": {"staging", "extractions", "facts", "seeds"},
    "provenance": {"staging", "provenance"},
    "topics": {"facts", "seeds"},
    "catalog": {"topics", "catalog", "facts", "seeds"},
    # provenance: the snapshot's date stands in the text of questions about what changes with time.
    "multi_entity": {"topics", "catalog", "facts", "multi_entity", "provenance", "seeds"},
    "deep_research": {"topics", "catalog", "facts", "deep_research", "seeds"},
    # staging: what models said, and texts about entities.
    "elicitation": {"staging", "topics", "catalog", "facts", "elicitation", "seeds"},
    # Besides the families: the catalog's hops and the snapshot's id stand on every question.
    "questions": {
        "multi_entity",
        "deep_research",
        "elicitation",
        "questions",
        "catalog",
        "facts",
        "provenance",
        "seeds",
    },
    "history": {"staging", "provenance", "questions", "history"},
    "runs": {"staging", "questions", "history", "runs", "seeds"},
    "review": {"staging", "questions", "review"},
    "proposals": {"staging", "proposals"},
    # staging: what was landed of question sets that are no run's, and what rechecks found. deep_research: scores close
    # questions.deep_research, of which that room mints the rows.
    "scores": {
        "staging",
        "questions",
        "history",
        "multi_entity",
        "deep_research",
        "runs",
        "review",
        "scores",
        "catalog",
        "seeds",
    },
}


def python_files(folder: str) -> list[Path]:
    """Every Python file below ``folder``."""
    return sorted((PROJECT / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The dotted names a file imports, wherever in the file; imports for type checkers alone are left out."""
    tree = ast.parse(path.read_text())
    unseen = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


@pytest.mark.parametrize("folder", FORBIDDEN_IMPORTS)
def test_python_rooms_import_only_what_they_may(folder: str) -> None:
    guilty = [
        f"{path.relative_to(PROJECT)} imports {name}"
        for path in python_files(folder)
        for name in imported(path)
        if name.split(".")[0] in FORBIDDEN_IMPORTS[folder]
    ]
    assert guilty == []


def test_ingestors_do_not_write_duckdb() -> None:
    guilty = [
        str(path.relative_to(PROJECT))
        for path in python_files("ingest")
        if re.search(r"duckdb\.connect\((?!\)|\":memory:\"|config=)", path.read_text())
    ]
    assert guilty == []


def test_gates_open_no_connection_and_no_file() -> None:
    calls = re.compile(r"\b(connect|open|read_csv|read_parquet|read_sql|urlopen)\(")
    assert [path.name for path in python_files("expectations") if calls.search(path.read_text())] == []


def test_assets_hold_no_sql() -> None:
    sql = re.compile(r"[\"'](select|with|insert|create|delete|update)\s", re.IGNORECASE)
    guilty = [
        str(path.relative_to(PROJECT))
        for path in [*python_files("dagster_defs/assets"), PROJECT / "dagster_defs/checks.py"]
        if sql.search(path.read_text())
    ]
    assert guilty == []


def test_definitions_stay_short() -> None:
    assert len((PROJECT / "dagster_defs/definitions.py").read_text().splitlines()) <= 50


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The manifest's models, seeds and tests by unique id."""
    folder = tmp_path_factory.mktemp("parsed")
    project = DbtProject(PROJECT, folder / "target", folder / "logs", {})
    project.parse()
    found: dict[str, dict[str, Any]] = load_manifest(project.manifest_path)["nodes"]
    return found


def room(node: Mapping[str, Any]) -> str:
    """A node's room: the folder below models/, or 'seeds'."""
    return "seeds" if node["resource_type"] == "seed" else str(node["fqn"][1])


def models(nodes: Mapping[str, dict[str, Any]], *rooms: str) -> list[dict[str, Any]]:
    """The models of ``rooms``, of all rooms when none is named."""
    return [n for n in nodes.values() if n["resource_type"] == "model" and (not rooms or room(n) in rooms)]


def test_dbt_rooms_read_only_what_they_may(nodes: dict[str, dict[str, Any]]) -> None:
    guilty = [
        f"{node['name']} ({room(node)}) reads {nodes[parent]['name']} ({room(nodes[parent])})"
        for node in models(nodes)
        for parent in node["depends_on"]["nodes"]
        if parent in nodes and room(nodes[parent]) not in MAY_READ[room(node)]
    ]
    assert guilty == []


def test_only_staging_reads_landed_files_and_each_from_one_source(nodes: dict[str, dict[str, Any]]) -> None:
    for node in models(nodes):
        sources = {parent.split(".")[2] for parent in node["depends_on"]["nodes"] if parent.startswith("source.")}
        assert len(sources) == (1 if room(node) == "staging" else 0), node["name"]


def test_staging_neither_joins_nor_aggregates(nodes: dict[str, dict[str, Any]]) -> None:
    joined = re.compile(r"\b(join|group by|union)\b", re.IGNORECASE)
    assert [node["name"] for node in models(nodes, "staging") if joined.search(node["raw_code"])] == []


def test_rooms_below_and_above_the_topics_name_none(nodes: dict[str, dict[str, Any]]) -> None:
    topics = {node["name"] for node in models(nodes, "topics")}
    assert topics
    named = re.compile(r"\b(" + "|".join(sorted(topics)) + r")\b")
    others = models(
        nodes, "staging", "facts", "catalog", "multi_entity", "questions", "history", "runs", "review", "scores"
    )
    guilty = [node["name"] for node in others if named.search(re.sub(r"--.*|\{#.*?#\}", "", node["raw_code"]))]
    assert guilty == []


def test_every_model_is_in_a_room_that_a_gate_follows(nodes: dict[str, dict[str, Any]]) -> None:
    folders = tuple(folder for room_folders in ROOMS.values() for folder in room_folders)
    assert [n["name"] for n in models(nodes) if not n["original_file_path"].startswith(folders)] == []


def test_every_model_is_a_table_described_by_its_grain_in_a_yml_of_its_own(nodes: dict[str, dict[str, Any]]) -> None:
    for node in models(nodes):
        path = PROJECT / node["original_file_path"]
        assert path.with_suffix(".yml").exists(), f"{node['name']} has no yml beside it"
        assert node["description"].startswith("One row "), (
            f"{node['name']}: its description does not start with its grain"
        )
        assert node["config"]["materialized"] == "table", f"{node['name']} is no table"


def test_names_of_staging_models_say_their_source(nodes: dict[str, dict[str, Any]]) -> None:
    assert all(re.fullmatch(r"stg_[a-z]+__[a-z_]+", node["name"]) for node in models(nodes, "staging"))
