"""Real bodies of chat completions, errors and batches go through the readers of the LLM layer."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dagster_defs.llm.batch import read_line
from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.calls import Call
from dagster_defs.llm.structured import parse
from dagster_defs.llm.wire import Completion, Kind, Problem, read_body, read_completion, read_error, too_long


def exchanges(payloads: Path, pattern: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Recorded exchanges with the name of their file."""
    for file in sorted((payloads / "llm-api").glob(pattern)):
        for line in file.read_text().splitlines():
            yield file.name, json.loads(line)


def expected_text(content: Any) -> str:
    """The text in a message's content, told by its types alone."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    return content or ""


def test_every_real_completion_is_read(payloads: Path) -> None:
    read = cut = without_text = 0
    for name, exchange in exchanges(payloads, "*_chat.jsonl"):
        if exchange["status"] != 200:
            continue
        body = exchange["response"]
        found = read_body(json.dumps(body).encode())
        assert isinstance(found, Completion), name
        choice = body["choices"][0]
        assert found.text == expected_text(choice["message"].get("content")), name
        assert found.finish_reason == choice["finish_reason"], name
        assert found.cut is (choice["finish_reason"] == "length"), name
        assert not found.refused, name
        assert found.prompt_tokens == body["usage"]["prompt_tokens"], name
        assert found.completion_tokens == body["usage"]["completion_tokens"], name
        assert found.cost_usd == body["usage"].get("cost"), name
        read, cut, without_text = read + 1, cut + found.cut, without_text + (not found.text)
    assert read >= 90
    assert cut >= 2
    assert without_text >= 2


def test_real_errors_are_told_apart(payloads: Path) -> None:
    kinds = []
    for _, exchange in exchanges(payloads, "pydantic-ai_errors.jsonl"):
        found = read_error(exchange["status"], {}, exchange["response"])
        assert found.said == exchange["response"]["error"]["message"]
        assert not too_long(found)
        kinds.append(found.kind)
    # Effort not supported, model not found, no tool called, an option not supported.
    assert kinds == [Kind.FAIL, Kind.STOP, Kind.FAIL, Kind.FAIL]


def test_bodies_of_other_protocols_are_problems_and_never_raise(payloads: Path) -> None:
    seen = 0
    for pattern in ("*_messages.jsonl", "*_responses.jsonl", "*_sse.jsonl"):
        for name, exchange in exchanges(payloads, pattern):
            body = exchange.get("response", exchange.get("response_text"))
            found = read_completion(body)
            assert isinstance(found, Problem), name
            assert found.kind is not Kind.STOP, name
            seen += 1
    assert seen >= 130
    for file in (payloads / "llm-api").glob("larallama_*.json"):
        assert isinstance(read_body(file.read_bytes()), Completion | Problem)


def test_no_real_answer_breaks_the_parser_and_every_json_one_is_read_whole(payloads: Path) -> None:
    lines = (payloads / "openai-batch/batch_output_gpt-3.5-turbo.jsonl").read_bytes().splitlines()
    batched = [found.text for _, found in map(read_line, lines) if isinstance(found, Completion)]
    found = [read_completion(exchange["response"]) for _, exchange in exchanges(payloads, "*_chat.jsonl")]
    texts = [*batched, *(one.text for one in found if isinstance(one, Completion))]
    read = 0
    for text in texts:
        parsed = parse(text, {"type": "object"})
        assert (parsed.error is None) is isinstance(parsed.value, dict)
        with contextlib.suppress(json.JSONDecodeError):
            whole = json.loads(text)
            if isinstance(whole, dict):
                assert parsed.value == whole
                read += 1
    assert len(texts) >= 990
    assert read >= 1


@pytest.fixture(scope="module")
def requests(payloads: Path) -> dict[str, dict[str, Any]]:
    """The batch's requests by custom_id."""
    file = payloads / "openai-batch/batch_requests.jsonl"
    found = (json.loads(line) for line in file.read_text().splitlines())
    return {request["custom_id"]: request for request in found}


def test_every_line_of_a_real_output_file_is_read(payloads: Path) -> None:
    lines = (payloads / "openai-batch/batch_output_gpt-3.5-turbo.jsonl").read_bytes().splitlines()
    names = set()
    for line in lines:
        name, found = read_line(line)
        body = json.loads(line)["response"]["body"]
        assert isinstance(found, Completion)
        assert name == json.loads(line)["custom_id"]
        assert found.text == body["choices"][0]["message"]["content"]
        assert found.completion_tokens == body["usage"]["completion_tokens"]
        names.add(name)
    assert len(lines) >= 900
    assert len(names) == len(lines)


def test_the_documented_error_line_is_a_passing_failure(payloads: Path) -> None:
    name, found = read_line((payloads / "openai-batch/batch_error_line_documented.jsonl").read_bytes())
    assert name == "request-3"
    assert isinstance(found, Problem)
    assert found.kind is Kind.RETRY
    assert found.said == "This request could not be executed before the completion window expired."


def test_tokens_are_estimated_upward_for_real_prompts(payloads: Path, requests: dict[str, dict[str, Any]]) -> None:
    low = counted = 0
    ratios = []
    for line in (payloads / "openai-batch/batch_output_gpt-3.5-turbo.jsonl").read_bytes().splitlines():
        name, found = read_line(line)
        if name not in requests or not isinstance(found, Completion) or found.prompt_tokens is None:
            continue
        body = requests[name]["body"]
        estimated = estimated_tokens(Call("m", body["model"], tuple(body["messages"])))
        low += estimated < found.prompt_tokens
        ratios.append(estimated / found.prompt_tokens)
        counted += 1
    assert counted >= 500
    assert low / counted <= 0.01
    assert sorted(ratios)[len(ratios) // 2] < 1.8
