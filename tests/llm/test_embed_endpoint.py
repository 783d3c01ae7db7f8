"""Vectors from a server on loopback that misbehaves on request."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from dagster_defs.llm.budget import BudgetReached, Caps
from dagster_defs.llm.caller import NotReady
from dagster_defs.llm.client import Patience, StopRun
from dagster_defs.llm.embed import EmbedError, EndpointEmbedder, embedder
from dagster_defs.llm.models import ModelSpec, Price
from dagster_defs.llm.vectors import unit
from tests.llm.conftest import KEY, QUICK
from tests.llm.server import Fault, Request, Response, Server, as_json, cuts, drops, embeddings, fails

PROJECT = Path(__file__).resolve().parents[2]
KEYS = {"TEST_KEY": SecretStr(KEY)}


class Embeddings(Server):
    """The server on loopback, with faults for embeddings: one a request from the front, then ``every``."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[Fault] = []
        self.every: Fault | None = None
        self._alone = threading.Lock()

    def respond(self, request: Request) -> Response | None:
        """The answer, or the next fault."""
        with self._alone:
            fault = self.bad.pop(0) if self.bad else self.every
        if fault is None:
            return super().respond(request)
        self.requests.append(request)
        return fault(request)

    @property
    def texts(self) -> list[list[str]]:
        """The texts of each request."""
        return [request.body["input"] for request in self.requests]


@pytest.fixture
def server() -> Iterator[Embeddings]:
    with Embeddings() as serving:
        yield serving


def spec_of(server: Server, **more: Any) -> ModelSpec:
    price = Price(input=1_000_000, output=0, as_of=date(2026, 11, 1))
    given: dict[str, Any] = {"kind": "embedding", "key_variable": "TEST_KEY", "price": price, **more}
    return ModelSpec("e", "e-1", server.url, given.pop("context_tokens", 1000), **given)


@contextlib.contextmanager
def asking(server: Server, folder: Path, caps: Caps | None = None, **more: Any) -> Iterator[EndpointEmbedder]:
    made = embedder(spec_of(server, **more), folder / "vectors.sqlite", KEYS, caps, patience=QUICK)
    assert isinstance(made, EndpointEmbedder)
    with made:
        yield made


def expected(text: str) -> npt.NDArray[np.float32]:
    """The server's vector of a text, at length 1."""
    return unit(embeddings({"input": text, "model": "e"})["data"][0]["embedding"])


def test_vectors_come_in_the_order_of_the_texts_and_a_second_time_nothing_is_sent(
    server: Embeddings, tmp_path: Path
) -> None:
    texts = [f"text {n}" for n in range(700)]
    with asking(server, tmp_path) as asked:
        made = asked.embed([*texts, texts[5]])
        assert made.shape == (701, 8)
        assert made.dtype == np.float32
        assert np.array_equal(made, np.stack([expected(text) for text in [*texts, texts[5]]]))
        assert Counter(text for sent in server.texts for text in sent) == Counter(texts)
        assert asked.budget.calls == len(server.requests) < 30
        assert asked.budget.tokens == sum(len(text) // 4 + 1 for text in texts)
        assert asked.budget.dollars == pytest.approx(asked.budget.tokens)
        sent = len(server.requests)
        assert np.array_equal(asked.embed(texts[::-1]), made[:700][::-1])
    with asking(server, tmp_path) as again:
        assert np.array_equal(again.embed(texts), made[:700])
        assert again.budget.calls == 0
        assert again.embed([]).shape == (0, 0)
    assert len(server.requests) == sent
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body["model"] == "e-1"


def test_a_changed_model_or_parameter_is_asked_again(server: Embeddings, tmp_path: Path) -> None:
    for more in ({}, {"parameters": {"dimensions": 8}}, {"context_tokens": 500}):
        with asking(server, tmp_path, **more) as asked:
            asked.embed(["the same text"])
    assert len(server.requests) == 3
    assert server.requests[1].body["dimensions"] == 8


def test_a_long_text_is_the_weighted_mean_of_its_windows(server: Embeddings, tmp_path: Path) -> None:
    text = " ".join(f"word{n}" for n in range(100))
    with asking(server, tmp_path, context_tokens=50) as asked:
        windows = asked.windows(text)
        assert len(windows) > 3
        assert "".join(window.text for window in windows) == text
        assert all(len(window.text.encode()) <= 150 for window in windows)
        assert max(w.size for w in windows) - min(w.size for w in windows) <= 20
        total = sum(expected(window.text).astype(float) * len(window.text) for window in windows)
        assert np.allclose(asked.embed([text])[0], total / np.linalg.norm(total), atol=1e-6)
        sent = len(server.requests)
        asked.embed([text, windows[0].text])
    assert len(server.requests) == sent
    assert sorted(text for sent in server.texts for text in sent) == sorted(window.text for window in windows)
    with contextlib.closing(sqlite3.connect(tmp_path / "vectors.sqlite")) as connection:
        assert connection.execute("select count(*) from vectors").fetchall() == [(len(windows) + 1,)]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400).filter(str.strip), st.integers(2, 60))
def test_no_letter_of_a_text_is_left_out(server: Embeddings, tmp_path: Path, text: str, context: int) -> None:
    with asking(server, tmp_path, context_tokens=context) as asked:
        windows = asked.windows(text)
    assert "".join("".join(window.text for window in windows).split()) == "".join(text.split())
    assert all(asked.count_tokens(window.text) <= max(2, context) for window in windows)


@pytest.mark.parametrize("text", ["", " \n\t", "half a pair \ud83d here", "nul \x00 inside"])
def test_any_text_has_a_vector(server: Embeddings, tmp_path: Path, text: str) -> None:
    with asking(server, tmp_path) as asked:
        assert np.linalg.norm(asked.embed([text])[0].astype(float)) == pytest.approx(1)
    assert all(sent.strip() for texts in server.texts for sent in texts)


def shuffled(request: Request) -> Response:
    """The vectors last first, with their places."""
    body = embeddings(request.body)
    return as_json({**body, "data": body["data"][::-1]})


def without_places(request: Request) -> Response:
    """As servers answer that give neither places nor tokens."""
    data = [{"embedding": item["embedding"]} for item in embeddings(request.body)["data"]]
    return as_json({"data": data})


@pytest.mark.parametrize("answers", [shuffled, without_places])
def test_places_are_heeded_where_they_are_given(server: Embeddings, tmp_path: Path, answers: Fault) -> None:
    server.every = answers
    texts = [f"text {n}" for n in range(40)]
    with asking(server, tmp_path) as asked:
        assert np.array_equal(asked.embed(texts), np.stack([expected(text) for text in texts]))
        assert asked.budget.tokens > 0


def says(value: Any) -> Fault:
    """An answer of status 200."""
    return lambda _: as_json(value)


BAD_ANSWERS = {
    "dropped": drops,
    "cut": cuts,
    "no JSON": lambda _: Response(b"<html>"),
    "no object": says([1]),
    "too few": says({"data": [{"index": 0, "embedding": [1.0]}]}),
    "same place": says({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}),
    "zeros": says({"data": [{"embedding": [0.0, 0.0]}, {"embedding": [1.0, 0.0]}]}),
    "nothing": says({"data": [{"embedding": None}, {"embedding": [1.0]}]}),
    "a word": says({"data": [{"embedding": ["x"]}, {"embedding": [1.0]}]}),
    "uneven": says({"data": [{"embedding": [1.0, 0.0]}, {"embedding": [1.0]}]}),
    "odd place": says({"data": [{"index": [], "embedding": [1.0]}, {"embedding": [1.0]}]}),
    "an error inside": says({"error": {"message": "upstream is down", "code": 502}}),
    "busy": fails(503),
    "throttled": fails(429, Retry_After="0.05"),
    "broken": fails(500),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_answer_is_asked_again(server: Embeddings, tmp_path: Path, name: str) -> None:
    server.bad = [BAD_ANSWERS[name]]
    with asking(server, tmp_path) as asked:
        made = asked.embed(["one", "two"])
    assert np.array_equal(made, np.stack([expected("one"), expected("two")]))
    assert server.texts == [["one", "two"]] * 2


def test_a_server_that_stays_down_ends_in_a_sentence_and_what_came_is_kept(server: Embeddings, tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(64)]
    with asking(server, tmp_path) as asked:
        asked.embed(texts[:32])
        sent = len(server.requests)
        server.every = fails(500, f"wrong with {KEY} inside")
        with pytest.raises(EmbedError, match=r"could not answer \(status 500\)") as raised:
            asked.embed(texts)
        assert len(server.requests) == sent + QUICK.attempts
        assert KEY not in str(raised.value)
        server.every = None
        assert np.array_equal(asked.embed(texts), np.stack([expected(text) for text in texts]))
    assert Counter(text for sent in server.texts[:1] + server.texts[-1:] for text in sent) == Counter(texts)


def test_a_server_that_never_answers_ends_at_the_deadline(server: Embeddings, tmp_path: Path) -> None:
    server.every = lambda _: Response(b"{}", delay_s=20.0)
    patience = Patience(attempts=9, attempt_s=5.0, deadline_s=0.3)
    with (
        embedder(spec_of(server), tmp_path / "v.sqlite", KEYS, patience=patience) as asked,
        pytest.raises(EmbedError, match=r"no answer within 0\.3 s"),
    ):
        asked.embed(["one"])


def test_a_refused_key_stops_at_once_and_shows_no_key(server: Embeddings, tmp_path: Path) -> None:
    server.every = fails(401, f"Incorrect API key provided: {KEY}")
    with asking(server, tmp_path) as asked, pytest.raises(StopRun, match="check TEST_KEY") as raised:
        asked.embed(["one"])
    assert len(server.requests) == 1
    assert KEY not in str(raised.value)
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def takes_at_most(texts: int, letters: int) -> Fault:
    """A server with limits that nobody declared."""

    def answer(request: Request) -> Response:
        given = request.body["input"]
        if len(given) > texts:
            return as_json({"error": {"message": f"batch size {len(given)} > maximum allowed {texts}"}}, 422)
        if any(len(text) > letters for text in given):
            return as_json({"error": {"message": "This model's maximum context length is smaller"}}, 400)
        return as_json(embeddings(request.body))

    return answer


def test_undeclared_limits_are_met_by_halves(server: Embeddings, tmp_path: Path) -> None:
    server.every = takes_at_most(3, 60)
    long = " ".join(f"word{n}" for n in range(30))
    texts = [f"text {n}" for n in range(10)]
    with asking(server, tmp_path) as asked:
        made = asked.embed([*texts, long])
        assert np.array_equal(made[:10], np.stack([expected(text) for text in texts]))
        sent = len(server.requests)
        assert np.array_equal(asked.embed([long])[0], made[10])
    assert len(server.requests) == sent
    # Each request that was not taken was asked again in halves, not text by text.
    assert all(len(later) <= 6 for later in server.texts[1:])
    taken = {text for given in server.texts if len(given) <= 3 for text in given if len(text) <= 60}
    parts = taken - set(texts)
    assert sum(map(len, parts)) == len(long)
    assert all(long.count(part) == 1 for part in parts)


def test_a_text_that_no_server_takes_ends_in_a_sentence(server: Embeddings, tmp_path: Path) -> None:
    server.every = takes_at_most(3, 0)
    with asking(server, tmp_path) as asked, pytest.raises(EmbedError, match="does not fit the context of 'e'"):
        asked.embed(["a text of some words that will be cut and cut again"])
    assert 1 < len(server.requests) < 20


# An endpoint's budget.


def test_a_cap_in_calls_stops_and_a_higher_one_goes_on(server: Embeddings, tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(200)]
    with asking(server, tmp_path, Caps(calls=3)) as asked:
        with pytest.raises(BudgetReached, match="cap of 3"):
            asked.embed(texts)
        assert asked.budget.calls == 3
    assert len(server.requests) == 3
    with asking(server, tmp_path, Caps(calls=100)) as asked:
        assert np.array_equal(asked.embed(texts), np.stack([expected(text) for text in texts]))
    assert Counter(text for sent in server.texts for text in sent) == Counter(texts)


@pytest.mark.parametrize("caps", [Caps(tokens=420), Caps(dollars=420.0)])
def test_no_cap_is_passed_while_many_are_in_flight(server: Embeddings, tmp_path: Path, caps: Caps) -> None:
    # Ten letters are four tokens as estimated and three as the server counts: 96 a request of 32.
    texts = [f"text {n:05}" for n in range(256)]
    server.every = lambda request: Response(as_json(embeddings(request.body)).content, delay_s=0.02)
    with asking(server, tmp_path, caps) as asked:
        with pytest.raises(BudgetReached):
            asked.embed(texts)
        assert asked.budget.tokens == 96 * len(server.requests)
        # What would pass the cap by its estimate waits for what those in flight really take.
        assert 420 - 128 < asked.budget.tokens <= 420
        assert asked.budget.dollars <= 420


def test_what_cannot_be_sent_is_said_before_anything_is(server: Embeddings, tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    with pytest.raises(NotReady, match="has no price"):
        embedder(spec_of(server, price=None), path, KEYS, Caps(dollars=1))
    with pytest.raises(NotReady, match="set TEST_KEY"):
        embedder(spec_of(server), path, {})
    with pytest.raises(NotReady, match="is no key") as raised:
        embedder(spec_of(server), path, {"TEST_KEY": SecretStr("sk secret words")})
    assert "secret" not in str(raised.value)
    with pytest.raises(EmbedError, match="of kind 'chat'"):
        embedder(spec_of(server, kind="chat"), path, KEYS)
    assert server.requests == []


def test_a_server_that_changes_its_model_is_noticed(server: Embeddings, tmp_path: Path) -> None:
    with asking(server, tmp_path) as asked:
        asked.embed(["one"])
        server.every = says({"data": [{"embedding": [1.0, 2.0]}]})
        with pytest.raises(EmbedError, match="2 and 8 numbers"):
            asked.embed(["one", "two"])


# Several at once.


def test_threads_that_want_the_same_texts_pay_once(server: Embeddings, tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(300)]
    server.every = lambda request: Response(as_json(embeddings(request.body)).content, delay_s=0.02)
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(4) as threads:
        asked = [stack.enter_context(asking(server, tmp_path)) for _ in range(4)]
        made = list(threads.map(lambda one: one.embed(texts), asked))
    assert all(np.array_equal(one, made[0]) for one in made)
    assert Counter(text for sent in server.texts for text in sent) == Counter(texts)


PROCESS = """
import sys
from pathlib import Path
from dagster_defs.llm.embed import embedder
from dagster_defs.llm.models import ModelSpec
spec = ModelSpec("e", "e-1", sys.argv[1], 1000, kind="embedding")
print("ready", flush=True)
sys.stdin.readline()
with embedder(spec, Path(sys.argv[2])) as asked:
    print(asked.embed([f"text {n}" for n in range(600)]).shape, flush=True)
"""


def test_processes_pay_once_and_a_killed_one_blocks_nobody(server: Embeddings, tmp_path: Path) -> None:
    server.every = lambda request: Response(as_json(embeddings(request.body)).content, delay_s=0.3)
    command = [sys.executable, "-c", PROCESS, server.url, str(tmp_path / "v.sqlite")]
    processes = [
        subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        assert processes[0].stdin is not None
        processes[0].stdin.write("go\n")
        processes[0].stdin.flush()
        while not server.requests:
            assert processes[0].poll() is None
            time.sleep(0.01)
        processes[0].kill()
        processes[0].wait(30)
        lost = Counter(text for sent in server.texts for text in sent)
        with ThreadPoolExecutor(2) as threads:
            said = list(threads.map(lambda process: process.communicate("go\n", 60)[0], processes[1:]))
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert said == ["(600, 8)\n"] * 2
    sent = Counter(text for sent in server.texts for text in sent)
    # Only what was in flight when the first was killed is sent twice.
    assert lost
    assert sent - lost == Counter(f"text {n}" for n in range(600))
