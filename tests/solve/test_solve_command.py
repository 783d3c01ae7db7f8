"""`solve` from a terminal: every way it cannot run is one plain sentence, and an estimate asks nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT, Checkout, Outcome, copy_project, environment_of_a_user
from tests.llm.conftest import KEY
from tests.llm.server import Server, fails
from tests.solve import world

MODELS = """
roles: {proposer: free, extractor: free, composer: free, refiner: free, judge: free, solver: free, embedder: vectors}
models:
  free: {model_id: free-1, base_url: "URL", context_tokens: 8192, max_output_tokens: 1024}
  keyed:
    model_id: keyed-1
    base_url: "URL"
    key_variable: OPENAI_API_KEY
    context_tokens: 8192
    max_output_tokens: 1024
    price: {input: 1, output: 2, as_of: 2026-11-01}
  vectors: {kind: embedding, model_id: v, base_url: "URL", context_tokens: 512}
"""


@pytest.fixture(scope="module")
def playing() -> Iterator[Server]:
    """One server for the module, since the project's copy names its address."""
    with Server() as serving:
        yield serving


@pytest.fixture(scope="module")
def project(playing: Server, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the project that has published the small world and whose models the server plays."""
    made = copy_project(tmp_path_factory.mktemp("solve") / "assay")
    (made.root / "dagster_defs/llm/models.yml").write_text(MODELS.replace("URL", playing.url))
    made.data.mkdir()
    world.write(made.published)
    return made


def failed(project: Checkout, command: str, *codes: int, **environment: str) -> str:
    """What a command that fails says on stderr, after checking that it says it plainly."""
    outcome = project.run(command, **{"OPENAI_API_KEY": "", **environment})
    assert outcome.code in (codes or (1,)), outcome.err
    assert "Traceback" not in outcome.err + outcome.out
    return outcome.err


def one_sentence(said: str) -> str:
    """The sentence that a failed run ends with; where every detail is may stand below it."""
    first, *rest = said.strip().splitlines()
    assert first.startswith("assay: ")
    assert first.endswith(".")
    assert all(line.startswith("       (every detail: ") for line in rest)
    return first


def estimated(project: Checkout, command: str) -> Outcome:
    outcome = project.run(command, OPENAI_API_KEY="")
    assert outcome.code == 0, outcome.err
    return outcome


@pytest.mark.parametrize("name", ["gpt-9", "vectors"])
def test_unknown_model_is_named_with_those_there_are(project: Checkout, name: str) -> None:
    said = one_sentence(failed(project, f"solve {name} closed_book"))
    assert f"no chat model '{name}'; it has free, keyed." in said


def test_unknown_setting_is_named_with_those_there_are(project: Checkout) -> None:
    said = failed(project, "solve free telepathy", 2)
    assert "invalid choice: 'telepathy'" in one_sentence(said)
    assert "closed_book" in said


@pytest.mark.parametrize("option", ["--samples 0", "--n -1", "--concurrency 0", "--answer-tokens 0", "--calls many"])
def test_unusable_number_is_refused_by_name(project: Checkout, option: str) -> None:
    said = failed(project, f"solve free closed_book {option}", 2)
    assert f"argument {option.split()[0]}: " in one_sentence(said)


def test_no_published_database_says_how_to_get_one(project: Checkout, tmp_path: Path) -> None:
    said = failed(project, "solve free closed_book --estimate", ASSAY_DATA_DIR=str(tmp_path / "empty"))
    assert "run `make demo` or `make build` first" in one_sentence(said)


@pytest.mark.e2e
def test_run_without_a_published_database_says_so_too(project: Checkout, tmp_path: Path) -> None:
    said = failed(project, "solve free closed_book", ASSAY_DATA_DIR=str(tmp_path / "empty"))
    assert "run `make demo` or `make build` first" in one_sentence(said)


@pytest.mark.e2e
def test_missing_key_is_asked_for_by_its_variable(project: Checkout, playing: Server) -> None:
    before = len(playing.requests)
    said = one_sentence(failed(project, "solve keyed closed_book --n 3"))
    assert said == "assay: Model 'keyed' needs a key: set OPENAI_API_KEY."
    assert len(playing.requests) == before


def test_empty_question_set_is_said(project: Checkout) -> None:
    assert "No question is of the set" in one_sentence(
        failed(project, "solve free oracle --topics unicorns --estimate")
    )


def test_estimate_sends_nothing_and_needs_no_key(project: Checkout, playing: Server) -> None:
    before = len(playing.requests)
    outcome = estimated(project, "solve keyed closed_book oracle --n 4 --samples 2 --split all --estimate")
    lines = outcome.out.strip().splitlines()
    assert [line.split("--")[1] for line in lines] == ["closed_book", "oracle"]
    assert all("16 calls to send (0 of 16 in the journal)" in line and "about $0." in line for line in lines)
    assert len(playing.requests) == before
    assert list(project.data.glob("landing/llm/*/keyed*")) == []


def test_estimate_of_rag_sends_nothing_to_the_embedder_either(project: Checkout, playing: Server) -> None:
    before = len(playing.requests)
    outcome = estimated(project, "solve keyed rag --n 4 --samples 1 --split all --estimate")
    (line,) = outcome.out.strip().splitlines()
    said = re.search(r"; a difference|; too few", line)
    assert said is not None
    assert "8 calls to send (0 of 8 in the journal)" in line
    embedding = re.search(r"Before that, (\d+) texts of about ([\d,]+) tokens go to 'vectors' \(no price\):", line)
    assert embedding is not None
    assert int(embedding[1]) > 4, "questions and pieces"
    assert len(playing.requests) == before


def test_estimate_of_an_agent_is_an_upper_bound_and_sends_nothing(project: Checkout, playing: Server) -> None:
    before = len(playing.requests)
    words = "--family deep_research --categories security --split all --samples 2 --steps 5 --step-tokens 50 --estimate"
    (line,) = estimated(project, f"solve keyed agent {words}").out.strip().splitlines()
    assert "at most 10 calls to send (0 more are in the journal)" in line
    assert " and 500 to write, $0.0" in line
    assert len(playing.requests) == before


@pytest.mark.e2e
def test_refused_key_is_in_no_file_of_the_run(project: Checkout, playing: Server, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy2(project.published, data / "assay.duckdb")
    playing.always = fails(401, f"Incorrect API key provided: {KEY}.")
    command = "solve keyed closed_book --n 3"
    said = one_sentence(failed(project, command, OPENAI_API_KEY=KEY, ASSAY_DATA_DIR=str(data)))
    assert "check OPENAI_API_KEY" in said
    assert KEY not in said
    files = [path for path in data.rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_check_asks_nothing_and_says_what_is_missing(project: Checkout, playing: Server) -> None:
    before = len(playing.requests)
    assert estimated(project, "solve free rag --check").out == ""
    said = one_sentence(failed(project, "solve keyed rag --check"))
    assert said == "assay: Model 'keyed' needs a key: set OPENAI_API_KEY."
    assert project.run("solve keyed rag --check", OPENAI_API_KEY=KEY).code == 0
    assert project.run("solve keyed rag --check --estimate", OPENAI_API_KEY="").code == 0, "estimates need no key"
    assert len(playing.requests) == before


@pytest.fixture
def made(project: Checkout, tmp_path: Path) -> Iterator[tuple[list[str], Path]]:
    """`make` in the project, and the file in which its Python notes that pip was called, which it does not run."""
    installed = tmp_path / "installed"
    python = project.root / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!/bin/sh\nif [ "$2" = pip ]; then echo "$@" >> "{installed}"; exit 1; fi\nexec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)
    shutil.copy(PROJECT / "Makefile", project.root)
    shutil.copytree(PROJECT / "requirements", project.root / "requirements", dirs_exist_ok=True)
    yield ["make", "-o", ".venv/.runtime", "solve"], installed
    shutil.rmtree(project.root / ".venv")


def test_make_names_the_models_there_are_before_it_installs_anything(
    project: Checkout, made: tuple[list[str], Path]
) -> None:
    words, installed = made
    environment = {**environment_of_a_user(), "OPENAI_API_KEY": ""}
    for wrong, sentence in (
        ("MODEL=nosuch", "models.yml has no chat model 'nosuch'; it has free, keyed."),
        ("MODEL=keyed", "Model 'keyed' needs a key: set OPENAI_API_KEY."),
    ):
        done = subprocess.run([*words, wrong], cwd=project.root, env=environment, capture_output=True, text=True)
        assert done.returncode != 0
        assert f"assay: {sentence}" in done.stderr
        assert not installed.exists()
    subprocess.run([*words, "MODEL=free"], cwd=project.root, env=environment, capture_output=True)
    assert "torch" in installed.read_text(), "what can be asked is installed for"
