"""Tools that a model calls: what is sent, and what is read of the many forms in which servers tell them."""

from __future__ import annotations

from typing import Any

import pytest

from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.models import ModelSpec, load_registry
from dagster_defs.llm.pool import runtime
from tests.llm.conftest import KEY, client_of, spec_of
from tests.llm.server import Server, as_json, completion

TOOLS = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}]


def call_of(spec: ModelSpec, **more: Any) -> Call:
    """A call that offers a tool, in the middle of a conversation."""
    called = {"id": "c0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "content": "seen", "tool_call_id": "c0"},
    ]
    return spec.call(messages, **{"tools": TOOLS, **more})


def asked(server: Server, calls: Any, content: Any = None, **more: Any) -> Reply:
    """The reply where the server's message holds ``calls``."""
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    server.always = lambda _: as_json(
        completion(None, choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}])
    )
    client = client_of(spec_of(server.url))
    return runtime().run(client.complete(call_of(client.spec, **more)))


def test_a_tool_that_is_called_is_the_answer(server: Server) -> None:
    reply = asked(server, [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}])
    assert reply.outcome is Outcome.ANSWERED
    assert reply.parsed == [{"id": "c1", "name": "look", "arguments": '{"a": 1}'}]
    assert (reply.text, reply.finish_reason) == ("", "tool_calls")
    sent = server.chats[0].body
    assert sent["tools"] == TOOLS
    assert sent["messages"][1]["tool_calls"][0]["function"]["name"] == "look"
    assert sent["messages"][2]["tool_call_id"] == "c0"
    assert "response_format" not in sent
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    ("calls", "parsed"),
    [
        ([{"function": {"name": "look", "arguments": {"a": 1}}}], [("call_0", "look", '{"a": 1}')]),
        ([{"id": "", "function": {"name": "look"}}], [("call_0", "look", "{}")]),
        ([{"id": "x", "function": {"name": "look", "arguments": "no JSON"}}], [("x", "look", "no JSON")]),
        ([{"id": "x"}, "odd", None, {"function": {"name": 3}}, {"function": {"name": "a"}}], [("call_4", "a", "{}")]),
        ([{"id": "x", "function": {"name": "look", "arguments": f"{KEY}"}}], [("x", "look", "[key]")]),
    ],
)
def test_odd_calls_are_read(server: Server, calls: Any, parsed: list[tuple[str, str, str]]) -> None:
    reply = asked(server, calls)
    assert [tuple(one.values()) for one in reply.parsed] == parsed


@pytest.mark.parametrize("calls", [None, [], {}, "x", [{"id": "x"}]])
def test_neither_tool_nor_text_is_unparsed(server: Server, calls: Any) -> None:
    reply = asked(server, calls)
    assert (reply.outcome, reply.parsed, reply.error) == (Outcome.UNPARSED, None, "it is empty")
    assert len(server.chats) == 2


def test_text_beside_no_tool_is_an_answer_without_a_value(server: Server) -> None:
    reply = asked(server, None, "It is 5.")
    assert (reply.outcome, reply.parsed, reply.text) == (Outcome.ANSWERED, None, "It is 5.")


def test_what_was_not_offered_is_not_called(server: Server) -> None:
    reply = asked(server, [{"id": "x", "function": {"name": "look", "arguments": "{}"}}], tools=None)
    assert reply.outcome is Outcome.UNPARSED


def test_tools_and_what_was_called_count_as_tokens() -> None:
    spec = spec_of("http://127.0.0.1:9/v1")
    plain = spec.call([{"role": "user", "content": "q"}])
    offering = spec.call([{"role": "user", "content": "q"}], tools=TOOLS)
    assert estimated_tokens(plain) < estimated_tokens(offering) < estimated_tokens(call_of(spec))


def test_a_call_with_tools_is_told_by_all_of_its_content() -> None:
    spec = spec_of("http://127.0.0.1:9/v1")
    assert call_of(spec).key == call_of(spec).key
    assert call_of(spec).key != call_of(spec, tools=[]).key


def test_models_say_whether_they_call_tools() -> None:
    models = load_registry().models
    assert models["gpt-5.2"].tools
    assert not models["local"].tools
