"""Many calls: journal, budget, pool and server together."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import BudgetReached, Caps
from dagster_defs.llm.caller import Caller, NotReady
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.client import StopRun
from dagster_defs.llm.journal import JournalError
from dagster_defs.llm.models import ModelSpec, Registry, Role
from tests.llm.conftest import KEY, QUICK, ask_of, spec_of
from tests.llm.server import Server, echo, fails, hangs, says

PROJECT = Path(__file__).resolve().parents[2]
KEYS = {"TEST_KEY": SecretStr(KEY)}


def registry_of(*specs: ModelSpec) -> Registry:
    return Registry({spec.name: spec for spec in specs}, dict.fromkeys(Role, specs[0].name))


def caller_of(server: Server, path: Path, spec: ModelSpec | None = None, **more: Any) -> Caller:
    given: dict[str, Any] = {"keys": KEYS, "patience": QUICK, **more}
    return Caller(registry_of(spec or spec_of(server.url)), path / "journal.sqlite", **given)


def asks(server: Server, count: int, **more: Any) -> list[Call]:
    return [ask_of(spec_of(server.url, **more), f"question {n}") for n in range(count)]


def keys_of(replies: list[Reply]) -> list[str]:
    return [reply.key for reply in replies]


def test_replies_come_in_order_and_a_second_run_costs_nothing(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 200)
    with caller_of(server, tmp_path) as caller:
        first = caller.ask_all(calls)
        assert keys_of(first) == [call.key for call in calls]
        assert {reply.outcome for reply in first} == {Outcome.ANSWERED}
        assert all(reply.text == echo({"messages": call.messages}) for call, reply in zip(calls, first, strict=True))
        assert caller.budget.calls == 200
        assert caller.budget.dollars == pytest.approx(200 * 25 / 1e6)
    with Caller(registry_of(spec_of(server.url)), tmp_path / "journal.sqlite") as keyless:
        second = keyless.ask_all(reversed(calls))
    assert [Reply(**{**vars(reply), "cached": False}) for reply in reversed(second)] == first
    assert len(server.chats) == 200


def test_equal_calls_are_asked_once_and_samples_are_not_equal(server: Server, tmp_path: Path) -> None:
    spec = spec_of(server.url)
    calls = [ask_of(spec), ask_of(spec, sample=1), ask_of(spec)]
    with caller_of(server, tmp_path) as caller:
        replies = caller.ask_all(calls)
    assert replies[0] is replies[2]
    assert len(server.chats) == 2


def test_every_reply_is_handed_on_once_it_is_in_the_journal(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, bool]] = []
    calls = asks(server, 50)
    with caller_of(server, tmp_path) as caller:

        def on_reply(call: Call, reply: Reply) -> None:
            assert caller.journal.get_many([call.key])
            seen.append((call.key, reply.cached))

        caller.ask_all(calls[:20], on_reply)
        caller.ask_all(calls, on_reply)
    assert Counter(seen) == Counter([(call.key, False) for call in calls] + [(call.key, True) for call in calls[:20]])


def test_a_failing_receiver_stops_the_run_with_its_own_error(server: Server, tmp_path: Path) -> None:
    def on_reply(call: Call, reply: Reply) -> None:
        raise LookupError("not wanted")

    with caller_of(server, tmp_path) as caller, pytest.raises(LookupError, match="not wanted"):
        caller.ask_all(asks(server, 100), on_reply)
    assert len(server.chats) < 100


def test_failed_calls_alone_are_asked_again(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 30)
    bad = calls[7].messages[0]["content"]
    server.always = lambda request: (
        fails(400)(request) if request.body["messages"][0]["content"] == bad else says(echo(request.body))(request)
    )
    with caller_of(server, tmp_path) as caller:
        first = caller.ask_all(calls)
        assert [n for n, reply in enumerate(first) if reply.outcome is Outcome.FAILED] == [7]
        assert caller.journal.failures() == 1
        server.always = None
        second = caller.ask_all(calls)
    assert {reply.outcome for reply in second} == {Outcome.ANSWERED}
    assert len(server.chats) == 31


def test_refused_cut_and_unparsed_answers_are_recorded_and_not_asked_again(server: Server, tmp_path: Path) -> None:
    server.faults = [says("", "content_filter"), says("{", "length"), says("no"), says("no")]
    calls = asks(server, 3)
    with caller_of(server, tmp_path, concurrency=1) as caller:
        for call in calls:
            caller.ask_all([call])
        again = caller.ask_all(calls)
    assert [reply.outcome for reply in again] == [Outcome.REFUSED, Outcome.CUT, Outcome.UNPARSED]
    assert len(server.chats) == 4


def test_no_more_than_the_bound_are_in_flight_across_callers(server: Server, tmp_path: Path) -> None:
    server.latency_s = 0.005
    halves = asks(server, 120)[:60], asks(server, 120)[60:]
    with caller_of(server, tmp_path, concurrency=12) as one, caller_of(server, tmp_path, concurrency=12) as two:
        threads = [
            threading.Thread(target=caller.ask_all, args=(half,))
            for caller, half in zip((one, two), halves, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.chats) == 120
    assert 8 <= server.most_in_flight <= 12


def test_a_throttling_server_gets_everything_in_the_end(server: Server, tmp_path: Path) -> None:
    server.latency_s = 0.002
    server.always = lambda request: (
        fails(429, retry_after_ms="20")(request) if server.in_flight > 4 else says(echo(request.body))(request)
    )
    with caller_of(server, tmp_path, patience=QUICK) as caller:
        replies = caller.ask_all(asks(server, 150))
        for _ in range(5):
            replies = caller.ask_all(asks(server, 150))
    assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}


def test_a_cap_in_calls_stops_cleanly_and_a_higher_one_goes_on(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 100)
    with caller_of(server, tmp_path, caps=Caps(calls=40)) as caller:
        with pytest.raises(BudgetReached, match="the cap of 40 calls is reached"):
            caller.ask_all(calls)
        assert len(caller.journal.get_many(call.key for call in calls)) == 40
        assert caller.journal.read("select count(*) from claims", ()) == [(0,)]
    assert len(server.chats) == 40
    with caller_of(server, tmp_path, caps=Caps(calls=60)) as caller:
        assert len(caller.ask_all(calls)) == 100
    assert len(server.chats) == 100


def test_a_cap_in_dollars_is_not_passed(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 300)
    with caller_of(server, tmp_path, caps=Caps(dollars=0.004)) as caller:
        with pytest.raises(BudgetReached, match=r"of the cap of \$0\.00"):
            caller.ask_all(calls)
        recorded = caller.journal.get_many(call.key for call in calls)
    spent = sum(reply.cost_usd or 0 for reply in recorded.values())
    assert spent <= 0.004
    assert spent > 0.004 - 0.001
    assert len(server.chats) == len(recorded)


def test_a_model_without_a_price_under_a_cap_in_dollars_is_refused_before_anything_is_sent(
    server: Server, tmp_path: Path
) -> None:
    spec = spec_of(server.url, price=None)
    with (
        caller_of(server, tmp_path, spec, caps=Caps(dollars=1.0)) as caller,
        pytest.raises(NotReady, match=r"Model 'm' has no price in models\.yml"),
    ):
        caller.ask_all([ask_of(spec)])
    with caller_of(server, tmp_path, spec, caps=Caps(calls=1)) as caller:
        assert caller.ask_all([ask_of(spec)])[0].cost_usd is None


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, "Model 'm' needs a key: set TEST_KEY."),
        ({"TEST_KEY": SecretStr("")}, "Model 'm' needs a key: set TEST_KEY."),
        ({"TEST_KEY": SecretStr("two words")}, "The value of TEST_KEY is no key"),
        ({"TEST_KEY": SecretStr("sk-\nx")}, "The value of TEST_KEY is no key"),
        ({"TEST_KEY": SecretStr("schlüssel")}, "The value of TEST_KEY is no key"),
    ],
)
def test_a_missing_or_broken_key_is_named_by_its_variable(
    server: Server, tmp_path: Path, keys: dict[str, SecretStr], said: str
) -> None:
    with caller_of(server, tmp_path, keys=keys) as caller, pytest.raises(NotReady, match=said) as caught:
        caller.ask_all(asks(server, 2))
    assert all(not key.get_secret_value() or key.get_secret_value() not in str(caught.value) for key in keys.values())
    assert server.chats == []


def test_a_refused_key_stops_the_run_and_keeps_what_was_answered(server: Server, tmp_path: Path) -> None:
    server.faults = [says('{"answer": 1, "unit": null}')] * 30 + [fails(401, f"bad {KEY}")] * 300
    calls = asks(server, 300)
    with caller_of(server, tmp_path) as caller:
        with pytest.raises(StopRun, match="does not accept the key in TEST_KEY") as caught:
            caller.ask_all(calls)
        assert len(caller.journal.get_many(call.key for call in calls)) == 30
    assert KEY not in str(caught.value)
    assert len(server.chats) < 150


def test_a_server_that_is_down_stops_the_run(server: Server, tmp_path: Path) -> None:
    server.always = fails(500, "out of order")
    with (
        caller_of(server, tmp_path, stop_after=10) as caller,
        pytest.raises(StopRun, match=r"1\d calls in a row failed, the last so: http.* out of order"),
    ):
        caller.ask_all(asks(server, 400))
    assert len(server.chats) < 400


def test_the_key_is_in_no_file_and_no_line(server: Server, tmp_path: Path) -> None:
    server.faults = [
        says(f'{{"answer": "{KEY}", "unit": null}}'),
        fails(500, f"Bearer {KEY}"),
        fails(400, f"your key {KEY}"),
    ]
    lines: list[str] = []
    with caller_of(server, tmp_path, log=lines.append) as caller:
        replies = caller.ask_all(asks(server, 40))
    assert KEY not in str(replies) + str(lines) + repr(caller.keys)
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes(), file


def test_interrupting_a_run_leaves_no_claim_and_the_next_one_goes_on(server: Server, tmp_path: Path) -> None:
    server.faults = [says('{"answer": 1, "unit": null}')] * 5
    server.always = hangs
    calls = asks(server, 20)
    with caller_of(server, tmp_path) as caller:

        async def interrupted() -> None:
            await asyncio.wait_for(caller.ask_many(calls), 1.0)

        with pytest.raises(TimeoutError):
            asyncio.run(interrupted())
        server.always = None
        replies = caller.ask_all(calls)
        assert {reply.outcome for reply in replies} == {Outcome.ANSWERED}
        assert sum(reply.cached for reply in replies) == 5


def test_one_call_can_be_awaited_from_any_loop(server: Server, tmp_path: Path) -> None:
    spec = spec_of(server.url)

    async def both(caller: Caller) -> list[Reply]:
        return list(await asyncio.gather(caller.ask(ask_of(spec, "a")), caller.ask(ask_of(spec, "b"))))

    with caller_of(server, tmp_path) as caller:
        replies = asyncio.run(both(caller))
    assert [reply.outcome for reply in replies] == [Outcome.ANSWERED] * 2


def test_two_threads_asking_the_same_pay_once(server: Server, tmp_path: Path) -> None:
    server.latency_s = 0.01
    calls = asks(server, 150)
    found: list[list[Reply]] = []
    with caller_of(server, tmp_path) as caller:
        threads = [threading.Thread(target=lambda: found.append(caller.ask_all(calls))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [keys_of(replies) for replies in found] == [[call.key for call in calls]] * 2
    assert len(server.chats) == 150


PROCESS = """
import sys
from pathlib import Path
from pydantic import SecretStr
from tests.llm.conftest import KEY
from tests.llm.test_caller import asks, caller_of
class Address:
    url = sys.argv[1]
with caller_of(Address, Path(sys.argv[2])) as caller:
    replies = caller.ask_all(asks(Address, 200))
    print(sum(not reply.cached for reply in replies), *sorted({reply.outcome.value for reply in replies}))
"""


def test_two_processes_asking_the_same_pay_once(server: Server, tmp_path: Path) -> None:
    server.latency_s = 0.02
    both = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(PROCESS), server.url, str(tmp_path)],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0].split() for process in both]
    assert [words[1:] for words in said] == [["answered"]] * 2
    assert sum(int(words[0]) for words in said) == 200
    sent = Counter(request.body["messages"][0]["content"] for request in server.chats)
    assert len(sent) == 200
    assert set(sent.values()) == {1}


def test_an_estimate_knows_the_journal(server: Server, tmp_path: Path) -> None:
    calls = asks(server, 50)
    with caller_of(server, tmp_path) as caller:
        before = caller.estimate(calls, questions=50)
        assert (before.calls, before.cached) == (50, 0)
        caller.ask_all(calls[:30])
        after = caller.estimate(calls)
    assert (after.calls, after.cached) == (50, 30)
    assert after.completion_tokens == 20 * 8
    assert after.smallest_difference is None


def test_progress_is_told(server: Server, tmp_path: Path) -> None:
    lines: list[str] = []
    with caller_of(server, tmp_path, log=lines.append, stream=io.StringIO()) as caller:
        caller.ask_all(asks(server, 10), label="solving")
    assert lines[-1].startswith("solving: 10 of 10 done, 0 failed, 0 from the journal, 180 tokens, $0.00")


def test_an_embedding_model_cannot_be_asked(server: Server, tmp_path: Path) -> None:
    spec = ModelSpec("e", "e", None, 256, kind="embedding")
    with caller_of(server, tmp_path, spec) as caller, pytest.raises(NotReady, match="is of kind 'embedding'"):
        caller.ask_all([Call("e", "e", ())])


def test_a_closed_journal_is_told(server: Server, tmp_path: Path) -> None:
    caller = caller_of(server, tmp_path)
    caller.journal._writer.close()
    with pytest.raises(JournalError, match="is closed"):
        caller.ask_all(asks(server, 3))
    caller.journal._reader.close()


@pytest.mark.parametrize("concurrency", [0, -4])
def test_a_concurrency_with_which_nothing_would_be_sent_is_refused(
    server: Server, tmp_path: Path, concurrency: int
) -> None:
    with pytest.raises(RunError, match=f"concurrency of 1 or more, not {concurrency}"):
        caller_of(server, tmp_path, concurrency=concurrency)
