"""What the tests of the LLM layer share: a server on loopback, and models that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from dagster_defs.llm.calls import Call
from dagster_defs.llm.client import Client, Patience
from dagster_defs.llm.models import ModelSpec, Price
from dagster_defs.llm.pool import Pool, Runtime, runtime
from tests.llm.server import Server

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": ["string", "number"]}, "unit": {"type": ["string", "null"]}},
    "required": ["answer", "unit"],
    "additionalProperties": False,
}
QUICK = Patience(attempts=4, attempt_s=5.0, deadline_s=10.0, backoff_s=0.01, backoff_cap_s=0.05)
KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers at once."""
    with Server() as serving:
        yield serving


def spec_of(url: str, **more: Any) -> ModelSpec:
    """A chat model served at ``url``, a dollar a million tokens read and two written."""
    price = Price(input=1, output=2, as_of=date(2026, 11, 1), batch_factor=0.5)
    given: dict[str, Any] = {"key_variable": "TEST_KEY", "price": price, "batch": True, **more}
    return ModelSpec("m", "m-1", url, 8000, 100, **given)


def client_of(spec: ModelSpec, patience: Patience = QUICK, key: str | None = KEY, own: Runtime | None = None) -> Client:
    """A client in the process's runtime."""
    running = own or runtime()

    async def make() -> Client:
        return Client(spec, key, running, Pool(8), patience)

    return running.run(make())


def ask_of(spec: ModelSpec, text: str = "q", schema: dict[str, Any] | None = SCHEMA, sample: int = 0) -> Call:
    """A call of a question."""
    return spec.call([{"role": "user", "content": text}], schema=schema, sample=sample, temperature=0)
