"""One call: every way in which a server answers, and what becomes of it. All over real sockets."""

from __future__ import annotations

import gzip
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import msgspec
import pytest

from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.client import Client, Patience, StopRun
from dagster_defs.llm.pool import runtime
from tests.llm.conftest import KEY, QUICK, ask_of, client_of, spec_of
from tests.llm.server import Fault, Response, Server, as_json, completion, cuts, drops, fails, hangs, says

GOOD = '{"answer": 5, "unit": null}'


def asked(server: Server, *faults: Fault, client: Client | None = None, **more: Any) -> Reply:
    """The reply to one call, the server doing ``faults`` first."""
    server.faults = list(faults)
    client = client or client_of(spec_of(server.url))
    return runtime().run(client.complete(ask_of(client.spec, **more)))


def test_an_answer_is_parsed_counted_and_priced(server: Server) -> None:
    reply = asked(server, says(GOOD))
    assert (reply.outcome, reply.parsed, reply.text, reply.finish_reason) == (
        Outcome.ANSWERED, {"answer": 5, "unit": None}, GOOD, "stop",
    )  # fmt: skip
    assert (reply.prompt_tokens, reply.completion_tokens, reply.attempts) == (11, 7, 1)
    assert reply.cost_usd == pytest.approx((11 + 2 * 7) / 1e6)
    assert 0 < reply.latency_s < 10


def test_the_request_is_what_the_call_says(server: Server) -> None:
    asked(server)
    sent = server.chats[0]
    assert sent.body["model"] == "m-1"
    assert sent.body["messages"] == [{"role": "user", "content": "q"}]
    assert (sent.body["temperature"], sent.body["max_completion_tokens"]) == (0, 100)
    assert sent.body["response_format"]["json_schema"]["strict"] is True
    assert sent.headers["authorization"] == f"Bearer {KEY}"


def test_what_the_environment_says_of_another_account_is_not_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "sk-from-the-environment")
    asked(server, client=client_of(spec_of(server.url, key_variable=None), key=None))
    assert "sk-from-the-environment" not in str(server.chats[0].headers)
    assert "openai-organization" not in server.chats[0].headers


@pytest.mark.parametrize("finish", ["length", "max_tokens", "model_length"])
def test_an_answer_at_the_token_limit_is_cut_and_keeps_its_complete_elements(server: Server, finish: str) -> None:
    schema = {"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]}
    reply = asked(server, says('{"rows": ["a", "b", "c', finish), schema=schema)
    assert (reply.outcome, reply.parsed, reply.truncated) == (Outcome.CUT, {"rows": ["a", "b"]}, True)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    "fault",
    [
        says("", "content_filter"),
        says("I will not.", "refusal"),
        says(None, "stop", choices=[{"message": {"content": None, "refusal": "I cannot."}, "finish_reason": "stop"}]),
        fails(400, "The response was filtered due to the prompt triggering our content management policy"),
        fails(400, "blocked", code="content_filter"),
        fails(403, "Your input was flagged by moderation"),
    ],
)
def test_a_refusal_is_refused_and_asked_once(server: Server, fault: Fault) -> None:
    reply = asked(server, fault)
    assert (reply.outcome, reply.attempts) == (Outcome.REFUSED, 1)
    assert len(server.chats) == 1


TRANSIENT: list[Fault] = [
    *(fails(status) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
    drops,
    cuts,
    lambda _: Response(b"<html>Bad gateway</html>"),
    lambda _: Response(b""),
    lambda _: Response(b"[]"),
    lambda _: as_json({"choices": []}),
    lambda _: as_json({"choices": None}),
    lambda _: as_json({"error": {"code": 502, "message": "Provider returned error"}}),
    lambda _: as_json({"error": {"code": "rate_limit_exceeded", "message": "slow down"}}),
    lambda _: as_json({"error": "overloaded"}),
    lambda _: as_json({"choices": [{"error": {"code": 429}, "finish_reason": "error", "message": {"content": ""}}]}),
    says("", "error"),
]


@pytest.mark.parametrize("fault", TRANSIENT)
def test_a_passing_fault_is_tried_again(server: Server, fault: Fault) -> None:
    reply = asked(server, fault, fault, says(GOOD))
    assert (reply.outcome, reply.attempts) == (Outcome.ANSWERED, 3)


@pytest.mark.parametrize("fault", TRANSIENT)
def test_a_lasting_fault_fails_with_a_sentence(server: Server, fault: Fault) -> None:
    reply = asked(server, *[fault] * 20)
    assert (reply.outcome, reply.attempts) == (Outcome.FAILED, QUICK.attempts)
    assert reply.error is not None
    assert server.url in reply.error
    assert "\n" not in reply.error


def test_an_unreachable_server_fails(server: Server) -> None:
    reply = asked(server, client=client_of(spec_of("http://127.0.0.1:9/v1")))
    assert reply.outcome is Outcome.FAILED
    assert "http://127.0.0.1:9/v1 could not answer: no connection" in (reply.error or "")


def test_a_silent_server_fails_at_the_attempts_limit_and_the_calls_deadline(server: Server) -> None:
    short = client_of(spec_of(server.url), Patience(attempts=2, attempt_s=0.2, deadline_s=20, backoff_s=0.01))
    reply = asked(server, hangs, hangs, client=short)
    assert (reply.outcome, reply.attempts) == (Outcome.FAILED, 2)
    overall = client_of(spec_of(server.url), Patience(attempts=99, attempt_s=20, deadline_s=0.3))
    began = time.monotonic()
    reply = asked(server, hangs, client=overall)
    assert reply.outcome is Outcome.FAILED
    assert "gave no answer within 0.3 s" in (reply.error or "")
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "message",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "json_schema is not supported",
        "This model does not support structured outputs",
        "failed to parse grammar",
    ],
)
def test_a_server_without_schemas_gets_the_schema_in_the_prompt_ever_after(server: Server, message: str) -> None:
    client = client_of(spec_of(server.url))
    reply = asked(server, fails(400, message, param="response_format"), says(GOOD), client=client)
    assert (reply.outcome, reply.attempts) == (Outcome.ANSWERED, 2)
    assert "response_format" in server.chats[0].body
    assert "response_format" not in server.chats[1].body
    assert '"required"' in server.chats[1].body["messages"][-1]["content"]
    asked(server, client=client_of(spec_of(server.url)))
    assert "response_format" not in server.chats[2].body


def test_a_model_declared_without_schemas_is_never_asked_with_one(server: Server) -> None:
    reply = asked(server, says(GOOD), client=client_of(spec_of(server.url, json_schema=False)))
    assert reply.outcome is Outcome.ANSWERED
    assert "response_format" not in server.chats[0].body


def test_a_request_past_the_context_fails_clearly_and_is_not_repeated(server: Server) -> None:
    said = "This model's maximum context length is 8192 tokens, however you requested 9000 tokens."
    reply = asked(server, fails(400, said, code="context_length_exceeded"))
    assert (reply.outcome, reply.attempts) == (Outcome.FAILED, 1)
    assert reply.error == f"The request does not fit the context of 'm' (status 400): {said}"


def test_any_other_bad_request_fails_at_once(server: Server) -> None:
    reply = asked(server, fails(400, "messages is too odd"))
    assert (reply.outcome, reply.attempts) == (Outcome.FAILED, 1)
    assert "messages is too odd" in (reply.error or "")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}."), "does not accept the key in TEST_KEY for model 'm'"),
        (fails(401, "Incorrect API key provided: sk-te****ghij."), "does not accept the key in TEST_KEY"),
        (fails(403, "Forbidden"), "does not accept the key in TEST_KEY"),
        (fails(402, "Insufficient credits"), "The account behind TEST_KEY has no credit left"),
        (fails(429, "You exceeded your current quota", code="insufficient_quota"), "has no credit left"),
        (fails(404, "The model `m-1` does not exist", code="model_not_found"), "cannot serve model 'm' as models.yml"),
        (fails(400, "no temperature here", code="unsupported_value", param="temperature"), "as models.yml declares it"),
    ],
)
def test_what_no_repetition_mends_stops_the_run_without_showing_the_key(
    server: Server, fault: Fault, said: str
) -> None:
    with pytest.raises(StopRun) as caught:
        asked(server, fault)
    message = str(caught.value)
    assert said in message
    assert KEY not in message
    assert "sk-te" not in message
    assert len(server.chats) == 1


def test_a_key_in_an_answer_or_an_error_is_hidden(server: Server) -> None:
    echoed = asked(server, says(f'{{"answer": "{KEY}", "unit": null}}'))
    assert echoed.parsed == {"answer": "[key]", "unit": None}
    assert KEY not in echoed.text
    failed = asked(server, fails(400, f"bad header Bearer {KEY}"))
    assert KEY not in (failed.error or "")


def test_an_unreadable_answer_is_asked_once_more_with_the_reason(server: Server) -> None:
    reply = asked(server, says('{"answer": 5}'), says(GOOD))
    assert (reply.outcome, reply.attempts, reply.prompt_tokens, reply.completion_tokens) == (
        Outcome.ANSWERED, 2, 22, 14,
    )  # fmt: skip
    assert reply.cost_usd == pytest.approx(2 * (11 + 2 * 7) / 1e6)
    again = server.chats[1].body["messages"]
    assert [message["role"] for message in again] == ["user", "assistant", "user"]
    assert again[1]["content"] == '{"answer": 5}'
    assert '"unit" is a required property' in again[2]["content"]


def test_a_second_unreadable_answer_is_unparsed(server: Server) -> None:
    reply = asked(server, says("no"), says("never"), says(GOOD))
    assert (reply.outcome, reply.text, reply.parsed, reply.attempts) == (Outcome.UNPARSED, "never", None, 2)
    assert reply.error == "it holds no complete JSON value"


def test_a_failed_format_retry_keeps_the_first_answer(server: Server) -> None:
    reply = asked(server, says("no"), *[fails(500)] * 9)
    assert (reply.outcome, reply.text, reply.prompt_tokens) == (Outcome.UNPARSED, "no", 11)


def test_free_text_needs_no_schema_and_an_empty_one_is_asked_again(server: Server) -> None:
    assert asked(server, says("Paris"), schema=None).text == "Paris"
    reply = asked(server, says(""), says("Paris"), schema=None)
    assert (reply.outcome, reply.text, reply.attempts) == (Outcome.ANSWERED, "Paris", 2)
    assert [message["role"] for message in server.chats[-1].body["messages"]] == ["user", "user"]


def test_odd_bodies_are_read(server: Server) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": GOOD}]
    assert asked(server, says(parts)).parsed == {"answer": 5, "unit": None}
    assert asked(server, says(GOOD, None)).outcome is Outcome.ANSWERED
    assert asked(
        server, lambda _: Response(b'{"choices": [{"message": {"content": "a\\ud800b"}}]}'), schema=None
    ).text == ("a�b")
    assert asked(server, lambda _: as_json({"choices": [{"message": None}]}), says(GOOD)).attempts == 2


def test_a_server_that_counts_no_tokens_has_them_estimated_upward(server: Server) -> None:
    reply = asked(server, says(GOOD, usage=None))
    assert reply.prompt_tokens >= 60
    assert reply.completion_tokens == 9
    assert reply.cost_usd is not None
    assert reply.cost_usd > 0


def test_what_the_provider_says_it_charged_counts(server: Server) -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "cost": 0.25}
    assert asked(server, says(GOOD, usage=usage)).cost_usd == 0.25
    unpriced = client_of(spec_of(server.url, price=None))
    assert asked(server, says(GOOD), client=unpriced).cost_usd is None


@pytest.mark.parametrize(
    "headers",
    [
        {"retry_after": "0.4"},
        {"retry_after_ms": "400"},
        {"x_ratelimit_remaining_requests": "0", "x_ratelimit_reset_requests": "400ms"},
        {"x_ratelimit_remaining_tokens": "0", "x_ratelimit_reset_tokens": "0.4s"},
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_the_servers_wait_is_kept(server: Server, headers: dict[str, str], status: int) -> None:
    client = client_of(spec_of(server.url))
    began = time.monotonic()
    reply = asked(server, fails(status, **headers), says(GOOD), client=client)
    assert reply.outcome is Outcome.ANSWERED
    assert time.monotonic() - began >= 0.4
    assert 4 <= client.pool.width < 5


def test_a_date_to_wait_for_is_kept(server: Server) -> None:
    def later(_: object) -> Response:
        then = datetime.now(UTC) + timedelta(seconds=2)
        return as_json({"error": {"message": "no"}}, 429, retry_after=format_datetime(then, usegmt=True))

    began = time.monotonic()
    assert asked(server, later, says(GOOD)).outcome is Outcome.ANSWERED
    assert time.monotonic() - began >= 0.9


def test_a_wait_past_the_deadline_fails_at_once(server: Server) -> None:
    began = time.monotonic()
    reply = asked(server, fails(429, "come back tomorrow", retry_after="86400"))
    assert (reply.outcome, reply.attempts) == (Outcome.FAILED, 1)
    assert time.monotonic() - began < QUICK.deadline_s


def test_an_exhausted_limit_pauses_the_next_request(server: Server) -> None:
    client = client_of(spec_of(server.url))

    def last_one(_: object) -> Response:
        return as_json(completion(GOOD), x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="500ms")

    began = time.monotonic()
    asked(server, last_one, client=client)
    asked(server, says(GOOD), client=client)
    assert time.monotonic() - began >= 0.5


def test_a_proxy_that_the_environment_names_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(StopRun, match=r"http://models\.invalid/v1 cannot serve model 'm'"):
        asked(server, client=client_of(spec_of("http://models.invalid/v1")))
    assert server.requests[0].path == "http://models.invalid/v1/chat/completions"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert asked(server, says(GOOD)).outcome is Outcome.ANSWERED
    assert server.requests[-1].path == "/v1/chat/completions"


def test_a_redirect_is_followed_and_does_not_take_the_key_elsewhere(server: Server) -> None:
    def moved(to: str) -> Fault:
        return lambda _: Response(b"", 307, {"Location": f"{to}/chat/completions"})

    assert asked(server, moved(server.url), says(GOOD)).outcome is Outcome.ANSWERED
    with Server() as elsewhere:
        asked(server, moved(elsewhere.url), client=client_of(spec_of(server.url)))
        assert elsewhere.chats[0].body["messages"] == [{"role": "user", "content": "q"}]
        assert "authorization" not in elsewhere.chats[0].headers


def test_a_packed_answer_is_unpacked(server: Server) -> None:
    packed = gzip.compress(msgspec.json.encode(completion(GOOD)))
    assert asked(server, lambda _: Response(packed, 200, {"Content-Encoding": "gzip"})).parsed is not None
