"""The batch route: the same replies as the direct one, through everything that goes wrong with batches."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.llm.batch import BatchRoute, chunks, read_line
from dagster_defs.llm.budget import BudgetReached, Caps
from dagster_defs.llm.caller import NotReady
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.client import StopRun
from dagster_defs.llm.wire import Completion, Problem
from tests.llm.batches import Script
from tests.llm.conftest import KEY, spec_of
from tests.llm.server import Server, completion, fails, says
from tests.llm.test_caller import asks, caller_of

PROJECT = Path(__file__).resolve().parents[2]


def route_of(
    server: Server, path: Path, *, max_requests: int = 50_000, max_bytes: int = 10**8, **more: Any
) -> BatchRoute:
    caller = caller_of(server, path, **more)
    return BatchRoute(caller, poll_s=0.01, max_requests=max_requests)


def refused(status: int, message: str, **more: Any) -> dict[str, Any]:
    """The error line of a request that the server would not take."""
    error = {"message": message, "type": "invalid_request_error", **more}
    return {"response": {"status_code": status, "request_id": "r", "body": {"error": error}}, "error": None}


def comparable(reply: Reply) -> Reply:
    return Reply(**{**vars(reply), "cached": False, "latency_s": 0.0, "cost_usd": None, "attempts": 1})


def test_both_routes_give_the_same_replies_and_share_the_journal(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 25)
    route = route_of(server, tmp_path / "batch")
    with route.caller, caller_of(server, tmp_path / "direct") as direct:
        seen: list[str] = []
        batched = route.run([*calls, calls[3]], lambda call, reply: seen.append(reply.key))
        asked = direct.ask_all([*calls, calls[3]])
        assert [comparable(reply) for reply in batched] == [comparable(reply) for reply in asked]
        assert batched[0].cost_usd == pytest.approx(asked[0].cost_usd / 2)  # type: ignore[operator]
        assert sorted(seen) == sorted(call.key for call in calls)
        direct_again = route.caller.ask_all(calls)
        assert all(reply.cached for reply in direct_again)
    assert len(server.batches.batches) == 1
    assert len(server.chats) == 25


def test_requests_are_the_direct_routes_under_ids_of_their_own(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 10)
    route = route_of(server, tmp_path)
    with route.caller:
        route.run(calls)
        sent = server.batches.requests()[0]
        assert [request["custom_id"] for request in sent] == [call.key for call in calls]
        assert {(request["method"], request["url"]) for request in sent} == {("POST", "/v1/chat/completions")}
        other = caller_of(server, tmp_path / "direct")
        with other:
            other.ask_all(calls[:1])
    assert sent[0]["body"] == server.chats[0].body
    batch = server.batches.batches["batch_1"]
    assert (batch["endpoint"], batch["completion_window"]) == ("/v1/chat/completions", "24h")


def test_a_large_set_goes_into_several_batches(server: Server, tmp_path: Path) -> None:
    route = route_of(server, tmp_path, max_requests=10)
    with route.caller:
        replies = route.run(asks(server, 35))
    assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}
    assert [len(requests) for requests in server.batches.requests()] == [10, 10, 10, 5]


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 7), st.integers(10, 80))
def test_chunks_keep_both_limits_and_everything_in_order(sizes: list[int], requests: int, size: int) -> None:
    lines = [(Call("m", "i", (), sample=n), b"x" * length) for n, length in enumerate(sizes)]
    pieces = list(chunks(lines, requests, size))
    assert [line for piece in pieces for line in piece] == lines
    for piece in pieces:
        assert 1 <= len(piece) <= requests
        assert len(piece) == 1 or sum(len(line) + 1 for _, line in piece) <= size


def test_an_expired_batch_keeps_what_was_done_and_the_rest_goes_into_another(server: Server, tmp_path: Path) -> None:
    server.batches.scripts = [Script(polls=3, status="expired", done=6)]
    calls = asks(server, 10)
    route = route_of(server, tmp_path)
    with route.caller:
        replies = route.run(calls)
        assert route.caller.journal.failures() == 4
    assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}
    assert [len(requests) for requests in server.batches.requests()] == [10, 4]


def test_without_an_output_file_everything_failed_and_is_free_again(server: Server, tmp_path: Path) -> None:
    server.batches.scripts = [Script(status="cancelled", no_output=True)] * 3
    calls = asks(server, 4)
    route = route_of(server, tmp_path)
    with route.caller as caller:
        replies = route.run(calls)
        assert [reply.outcome for reply in replies] == [Outcome.FAILED] * 4
        assert "batch_3 (cancelled) holds no answer" in (replies[0].error or "")
        assert {reply.outcome for reply in caller.ask_all(calls)} == {Outcome.ANSWERED}
    assert len(server.batches.batches) == 3


def test_failing_lines_are_told_apart(server: Server, tmp_path: Path) -> None:
    errors = {
        0: refused(400, "This model's maximum context length is 8192 tokens."),
        1: refused(400, "flagged by our content policy", code="content_policy_violation"),
        2: refused(500, "server error"),
        3: {"response": None, "error": {"code": "batch_expired", "message": "not in time"}},
    }
    server.batches.scripts = [Script(errors=errors)]
    route = route_of(server, tmp_path)
    with route.caller:
        route.submit(asks(server, 6))
        route.poll()
        total = route.collect()
        replies = route.caller.journal.get_many(call.key for call in asks(server, 6))
    assert (total.recorded, total.failed) == (3, 3)
    assert [replies[call.key].outcome for call in asks(server, 6) if call.key in replies] == [
        Outcome.REFUSED, Outcome.ANSWERED, Outcome.ANSWERED,
    ]  # fmt: skip
    said = [total.errors[call.key] for call in asks(server, 6) if call.key in total.errors]
    assert said[0].startswith("The request does not fit the context of 'm' (status 400): This model's maximum")
    assert said[1].endswith("could not answer (status 500): server error")
    assert said[2].endswith("could not answer: not in time")


def test_duplicates_strangers_and_rubbish_among_the_lines_change_nothing(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 3)

    def odd(lines: list[str]) -> list[str]:
        twice = [*lines, *lines]
        stranger = json.dumps({"custom_id": "request-1", "response": {"status_code": 200, "body": completion("x")}})
        late = json.dumps({"custom_id": calls[0].key, "response": None, "error": {"message": "late"}})
        return [stranger, "{", "", "[]", late, *twice, late]

    server.batches.scripts = [Script(lines=odd)]
    route = route_of(server, tmp_path)
    with route.caller:
        route.submit(calls)
        route.poll()
        total = route.collect()
        found = route.caller.journal.get_many(call.key for call in calls)
    assert (total.recorded, total.failed, total.strangers) == (3, 0, 3)
    assert {reply.outcome for reply in found.values()} == {Outcome.ANSWERED}


def test_unreadable_refused_and_cut_answers_keep_their_outcomes(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 4)
    bodies = {
        "question 0": completion("no"),
        "question 1": completion("", "content_filter"),
        "question 2": completion('{"answer": 1', "length"),
        "question 3": completion('{"answer": 1, "unit": null}'),
    }
    server.batches.answers = lambda body: bodies[body["messages"][0]["content"]]
    server.faults = [says('{"answer": 9, "unit": null}')]
    route = route_of(server, tmp_path)
    with route.caller:
        replies = route.run(calls)
    assert [reply.outcome for reply in replies] == [
        Outcome.ANSWERED, Outcome.REFUSED, Outcome.CUT, Outcome.ANSWERED,
    ]  # fmt: skip
    assert replies[0].parsed == {"answer": 9, "unit": None}
    assert replies[0].attempts == 2
    assert "cannot be read" in server.chats[0].body["messages"][-1]["content"]


def test_a_server_without_schemas_gets_another_batch_without_one(server: Server, tmp_path: Path) -> None:
    said = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    server.batches.scripts = [Script(errors={n: refused(400, said) for n in range(5)})]
    route = route_of(server, tmp_path)
    with route.caller:
        replies = route.run(asks(server, 5))
    assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}
    first, second = server.batches.requests()
    assert all("response_format" in request["body"] for request in first)
    assert all("response_format" not in request["body"] for request in second)


def test_a_refused_batch_stops_with_its_reason_and_leaves_the_calls_free(server: Server, tmp_path: Path) -> None:
    problem = {"code": "invalid", "message": "line 1 is odd.", "line": 1, "param": None}
    server.batches.scripts = [Script(status="failed", problems=[problem])]
    calls = asks(server, 3)
    route = route_of(server, tmp_path)
    with route.caller as caller:
        with pytest.raises(StopRun, match=r"Batch batch_1 was refused: line 1 is odd\.$"):
            route.run(calls)
        assert {reply.outcome for reply in caller.ask_all(calls)} == {Outcome.ANSWERED}


def test_a_batch_whose_number_was_lost_is_found_and_not_made_twice(server: Server, tmp_path: Path) -> None:
    server.batches.scripts = [Script(), Script(lost=True), Script(), Script()]
    route = route_of(server, tmp_path, max_requests=5)
    with route.caller:
        replies = route.run(asks(server, 20))
    assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}
    assert len(server.batches.batches) == 4


def test_the_direct_route_does_not_pay_for_what_a_batch_has(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 4)
    route = route_of(server, tmp_path)
    with route.caller as caller:
        route.submit(calls)
        with pytest.raises(NotReady, match="has some of these calls already: collect it first"):
            caller.ask_all(calls)
        assert route.submit(calls) == []
        route.poll()
        route.collect()
        assert len(caller.ask_all(calls)) == 4
    assert server.chats == []


def test_caps_hold_before_anything_is_sent(server: Server, tmp_path: Path) -> None:
    for caps, said in (
        (Caps(calls=3), "4 calls more would pass the cap of 3"),
        (Caps(dollars=1e-6), "the next calls together could cost"),
        (Caps(tokens=10), "the next calls together could take"),
    ):
        route = route_of(server, tmp_path, caps=caps)
        with route.caller, pytest.raises(BudgetReached, match=said):
            route.submit(asks(server, 4))
    assert server.requests == []
    route = route_of(server, tmp_path, caps=Caps(calls=4))
    with route.caller:
        route.run(asks(server, 4))
        assert route.caller.budget.calls == 4
        assert route.caller.budget.dollars == pytest.approx(4 * 25 / 2 / 1e6)


def test_a_model_without_the_route_is_refused(server: Server, tmp_path: Path) -> None:
    route = route_of(server, tmp_path, spec=spec_of(server.url, batch=False))
    with route.caller, pytest.raises(NotReady, match="has no batch route"):
        route.submit(asks(server, 1, batch=False))


def test_a_refused_key_stops_and_is_not_shown(server: Server, tmp_path: Path) -> None:
    route = route_of(server, tmp_path)
    server.batches.broken = [(401, {"error": {"message": f"Incorrect API key {KEY}"}})]
    with route.caller, pytest.raises(StopRun, match="does not accept the key in TEST_KEY") as caught:
        route.submit(asks(server, 1))
    assert KEY not in str(caught.value)


def test_passing_faults_of_files_and_batches_are_tried_again(server: Server, tmp_path: Path) -> None:
    route = route_of(server, tmp_path)
    server.batches.broken = [(500, {"error": {"message": "x"}}), (429, {"error": {"message": "x"}})]
    with route.caller:
        route.submit(asks(server, 2))
        server.batches.broken = [(503, {})]
        route.poll()
        server.batches.broken = [(502, {}), (500, {})]
        assert route.collect().recorded == 2
        server.batches.broken = [(500, {"error": {"message": "out of order"}})] * 9
        with pytest.raises(StopRun, match=r"out of order: run again to go on from there\.$"):
            route.submit(asks(server, 3))
        server.batches.broken = []
        assert len(route.run(asks(server, 3))) == 3


CRASHING = """
import os, signal, sys
from pathlib import Path
from dagster_defs.llm import batch
from tests.llm.test_batch import asks, route_of
class Address:
    url = sys.argv[1]
step, at = sys.argv[3], int(sys.argv[4])
route = route_of(Address, Path(sys.argv[2]), max_requests=4)
seen = 0
def dying(name):
    whole = getattr(batch.BatchRoute, name)
    async def part(self, *given, **named):
        global seen
        result = await whole(self, *given, **named)
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(batch.BatchRoute, name, part)
dying(step)
route.run(asks(Address, 10))
"""


@pytest.mark.parametrize(
    ("step", "at"),
    [("_note", 1), ("_note", 2), ("_note", 5), ("_api", 1), ("_api", 2), ("_api", 7), ("_results", 1), ("_close", 2)],
)
def test_a_run_killed_at_any_step_goes_on_and_pays_once(server: Server, tmp_path: Path, step: str, at: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CRASHING), server.url, str(tmp_path), step, str(at)],
        cwd=PROJECT,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert done.returncode == -signal.SIGKILL
    route = route_of(server, tmp_path, max_requests=4)
    with route.caller:
        replies = route.run(asks(server, 10))
        assert route.open_chunks() == []
        assert route.caller.journal.read("select count(*) from claims", ()) == [(0,)]
    assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}
    sent = [request["custom_id"] for requests in server.batches.requests() for request in requests]
    assert len(sent) == len(set(sent)) == 10


@given(st.one_of(st.binary(), st.text()))
def test_no_line_raises(line: bytes | str) -> None:
    name, result = read_line(line)
    assert name is None or isinstance(name, str)
    assert isinstance(result, Completion | Problem)


def test_a_failing_format_retry_keeps_the_unreadable_answer(server: Server, tmp_path: Path) -> None:
    server.batches.answers = lambda body: completion("no")
    server.always = fails(401, "bad key")
    route = route_of(server, tmp_path)
    with route.caller:
        replies = route.run(asks(server, 2))
    assert [reply.outcome for reply in replies] == [Outcome.UNPARSED] * 2
