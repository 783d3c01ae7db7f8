"""Exports in the packages they are made for: datasets, lm-evaluation-harness and inspect_ai, installed apart.

A server on loopback plays the model. Each question's score has to be what the warehouse's matcher says of the reply.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dagster_defs.llm.structured import parse, schema_of
from dagster_defs.steps import matching
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES
from dagster_defs.steps.solve import forms
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse
from dagster_defs.steps.solve.rows import gold_of
from tests.exports.replies import MODELS
from tests.exports.test_export import lines
from tests.llm.server import Request, Response, Server, as_json, completion

SECONDS = 300
LOAD = """
import json, sys
from datasets import load_dataset
found = {}
for config in (None, "chat_table", "chat_sql"):
    loaded = load_dataset(sys.argv[1], config)
    found[config or "default"] = {split: rows.to_list() for split, rows in loaded.items()}
found["jsonl"] = load_dataset("json", data_files={"test": sys.argv[1] + "/data/test.jsonl"})["test"].to_list()
found["types"] = {name: str(kind) for name, kind in load_dataset(sys.argv[1])["test"].features.items()}
json.dump(found, open(sys.argv[2], "w"))
"""
# Without the harness's own tasks, thousands of files that it would read first, once for every model.
LM_EVAL = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager
folder, url, out, *models = sys.argv[1:]
tasks = TaskManager(include_path=folder, include_defaults=False)
found = {}
for model in models:
    done = simple_evaluate(
        model="local-chat-completions",
        model_args=f"model={model},base_url={url}/chat/completions,num_concurrent=4,max_retries=1",
        tasks=["assay_everything"], task_manager=tasks, apply_chat_template=True, bootstrap_iters=0,
    )
    scores = {row["doc"]["question_id"]: row["accuracy"] for row in done["samples"]["assay_everything"]}
    found[model] = {"accuracy": done["results"]["assay_everything"]["accuracy,none"], "scores": scores}
json.dump(found, open(out, "w"))
"""


@pytest.fixture(scope="module")
def questions(database: Path) -> dict[str, Question]:
    """The test questions by the text they are asked with."""
    with Warehouse(database) as warehouse:
        return {question.question: question for question in warehouse.choose(QuestionSet(split="test"))}


@pytest.fixture(scope="module")
def server(exported: Path, questions: Mapping[str, Question]) -> Iterator[Server]:
    """Plays every model of MODELS, and refuses messages other than the exported ones."""
    prompts = [row["prompt"] for row in lines(exported / "data/test.jsonl")]

    def respond(request: Request) -> Response:
        sent = [{"role": message["role"], "content": message["content"]} for message in request.body["messages"]]
        if sent not in prompts:
            return as_json({"error": {"message": "these are not the exported messages"}}, 400)
        question = questions[sent[1]["content"].rpartition("Question: ")[2]]
        return as_json(completion(*MODELS[request.body["model"]](question)))

    with Server() as running:
        running.always = respond
        yield running


@pytest.fixture(scope="module")
def verdicts(database: Path, questions: Mapping[str, Question]) -> dict[str, dict[str, bool]]:
    """Model -> question_id -> whether the warehouse finds its reply right, however the reply ended."""
    found: dict[str, dict[str, bool]] = {}
    with Warehouse(database) as warehouse:
        reference = warehouse.reference()
        for model, reply in MODELS.items():
            found[model] = {}
            for question in questions.values():
                text, _ = reply(question)
                form = forms.Method if question.type in STATISTICAL_TYPES else forms.Answer
                read = parse(text, schema_of(form))
                answer = matching.Answer("unparsed" if read.error else "answered", text, read.value)
                verdict = matching.verdict(gold_of(question, warehouse), answer, reference)
                found[model][question.question_id] = bool(verdict.correct)
    return found


@pytest.fixture(scope="module")
def cut(questions: Mapping[str, Question]) -> dict[str, set[str]]:
    """Model -> the questions whose reply is said to be cut off."""
    return {
        model: {question.question_id for question in questions.values() if reply(question)[1] == "length"}
        for model, reply in MODELS.items()
    }


def run(harness: Path, *arguments: str, cwd: Path, **environment: str) -> None:
    """Run the harness's Python away from the checkout, without anything of Assay to import."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" and not name.startswith("ASSAY_")}
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(cwd / "cache"), "OPENAI_API_KEY": "none"}
    done = subprocess.run(
        [str(harness), *arguments],
        cwd=cwd,
        env={**kept, **offline, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_the_made_up_replies_are_right_and_wrong_in_many_ways(
    questions: Mapping[str, Question], verdicts: Mapping[str, Mapping[str, bool]], cut: Mapping[str, set[str]]
) -> None:
    assert set(verdicts["right"].values()) == {True}
    assert set(verdicts["wrong"].values()) == {False}
    for model in ("mixed", "odd"):
        assert 0.2 < sum(verdicts[model].values()) / len(questions) < 0.8
    said = {model: [MODELS[model](question)[0] for question in questions.values()] for model in MODELS}
    # Other words than the gold's, and right all the same: by an alias, and in another unit.
    assert any("the great moon" in text for text in said["mixed"])
    assert any("kilometres" in text and "square" not in text for text in said["mixed"])
    assert any(verdicts["odd"][name] for name in cut["odd"])


def test_datasets_loads_the_folder(harness: Path, exported: Path, tmp_path: Path) -> None:
    run(harness, "-c", LOAD, str(exported), str(tmp_path / "found.json"), cwd=tmp_path)
    found = json.loads((tmp_path / "found.json").read_text())
    assert set(found["default"]) == {"train", "test"}
    for split, rows in found["default"].items():
        for row, wanted in zip(rows, lines(exported / f"data/{split}.jsonl"), strict=True):
            assert dropped(row) == dropped(wanted)
    assert list(map(dropped, found["jsonl"])) == list(map(dropped, lines(exported / "data/test.jsonl")))
    assert "List(Value('string'))" in found["types"]["gold_aliases"]
    assert found["types"]["gold_value"] == "Value('float64')"
    for kind in ("table", "sql"):
        assert found[f"chat_{kind}"] == {"train": lines(exported / f"chat/train_{kind}.jsonl")}


def dropped(value: Any) -> Any:
    """A value without what is null: a struct has every name, a JSON object those that are there."""
    if isinstance(value, dict):
        return {name: dropped(inner) for name, inner in value.items() if inner is not None}
    return [dropped(inner) for inner in value] if isinstance(value, list) else value


def test_lm_eval_scores_as_the_warehouse_does(
    harness: Path, exported: Path, tmp_path: Path, server: Server, verdicts: Mapping[str, Mapping[str, bool]]
) -> None:
    run(harness, "-c", LM_EVAL, str(exported), server.url, str(tmp_path / "found.json"), *MODELS, cwd=tmp_path)
    found = json.loads((tmp_path / "found.json").read_text())
    for model, wanted in verdicts.items():
        assert {name: bool(score) for name, score in found[model]["scores"].items()} == wanted, model
        assert found[model]["accuracy"] == pytest.approx(sum(wanted.values()) / len(wanted)), model


def test_inspect_scores_as_the_warehouse_does(
    harness: Path, exported: Path, tmp_path: Path, server: Server, verdicts: Mapping[str, Mapping[str, bool]],
    cut: Mapping[str, set[str]],
) -> None:  # fmt: skip
    models = ",".join(f"openai-api/fake/{model}" for model in MODELS)
    run(
        harness, "-m", "inspect_ai", "eval", "everything/inspect_task.py", "--model", models,
        "--log-format", "json", "--log-dir", str(tmp_path / "logs"), "--display", "none",
        cwd=exported.parent, FAKE_API_KEY="none", FAKE_BASE_URL=server.url,
    )  # fmt: skip
    logs = [json.loads(path.read_text()) for path in (tmp_path / "logs").glob("*.json")]
    assert sorted(log["eval"]["model"].rpartition("/")[2] for log in logs) == sorted(MODELS)
    for log in logs:
        model = log["eval"]["model"].rpartition("/")[2]
        # inspect_ai knows why a reply ended, and what was cut off is wrong, as in a run.
        wanted = {name: right and name not in cut[model] for name, right in verdicts[model].items()}
        found = {sample["id"]: sample["scores"]["matching"]["value"] == "C" for sample in log["samples"]}
        assert found == wanted, model
        accuracy = log["results"]["scores"][0]["metrics"]["accuracy"]["value"]
        assert accuracy == pytest.approx(sum(wanted.values()) / len(wanted)), model
