"""One call, from request to outcome, over the openai package."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import aiohttp
import httpx2
import msgspec
import openai
from openai import AsyncOpenAI

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.line import Line
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.pool import Pool, Runtime
from dagster_defs.llm.structured import instruction, parse, prepared
from dagster_defs.llm.wire import Completion, Kind, Problem, decoded, read_body, read_error, too_long, wait_of

# Keys as providers write them, also half hidden as in OpenAI's own messages.
_KEYS = re.compile(r"\b(?:sk|gsk|hf|xai|pk)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}|(?i:bearer\s+)[\w*.~+/=-]{6,}")
UNREACHABLE = (openai.OpenAIError, httpx2.HTTPError, aiohttp.ClientError, OSError)
_HIDDEN = "[key]"
_CONNECT_S = 20.0
_NO_HEADERS: Mapping[str, Any] = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}


class StopRun(RunError):
    """No call of this model can succeed until a person mends something; one sentence that says what."""


@dataclass(frozen=True)
class Patience:
    """How long to try. attempts: requests for one call that transport fails. Seconds: for one attempt, for a whole call
    with all attempts and waits (which is what keeps a run from hanging), before the first repetition, at most."""

    attempts: int = 6
    attempt_s: float = 300.0
    deadline_s: float = 900.0
    backoff_s: float = 0.5
    backoff_cap_s: float = 30.0


@dataclass(frozen=True)
class Attempted:
    """What the attempts at one request came to. latency_s: of the last one."""

    found: Completion | Problem
    latency_s: float
    attempts: int


class Client:
    """Asks one model. Lives in the runtime's loop."""

    def __init__(self, spec: ModelSpec, key: str | None, runtime: Runtime, pool: Pool, patience: Patience) -> None:
        if spec.base_url is None:
            raise StopRun(f"Model '{spec.name}' is no server that can be asked: give it a 'base_url' in models.yml.")
        self.spec = spec
        self.pool = pool
        self.patience = patience
        self._runtime = runtime
        self._secrets = [key] if key else []
        self._identity = (spec.base_url, spec.model_id)
        # Whatever of these stands in the environment belongs to another server, as may an organisation's name.
        self.api = AsyncOpenAI(
            api_key=key or "none",
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            base_url=spec.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(patience.attempt_s, connect=min(_CONNECT_S, patience.attempt_s)),
            http_client=runtime.http(spec.base_url),
            default_headers=_NO_HEADERS,
        )
        self._line = Line(
            self.api,
            "/chat/completions",
            runtime.session(),
            connect_s=min(_CONNECT_S, patience.attempt_s),
            read_s=patience.attempt_s,
        )

    @property
    def takes_schema(self) -> bool:
        """Whether requests may hold a schema: the model is declared so, and its server has not said otherwise."""
        return self.spec.json_schema and self._identity not in self._runtime.without_schema

    def forget_schema(self) -> None:
        """From now on, put schemas into the prompt: the server does not take them."""
        self._runtime.without_schema.add(self._identity)

    async def complete(self, call: Call) -> Reply:
        """Ask until there is an outcome; ends within the deadline.

        Raises StopRun when no call of this model can succeed (a refused key, an empty account, an unknown model).
        """
        deadline = asyncio.get_running_loop().time() + self.patience.deadline_s
        try:
            async with asyncio.timeout_at(deadline):
                reply = self.reply(call, await self._attempts(call, call.messages))
        except TimeoutError:
            said = f"{self._server} gave no answer within {self.patience.deadline_s:g} s"
            return Reply(call.key, Outcome.FAILED, error=said, latency_s=self.patience.deadline_s)
        if reply.outcome is Outcome.UNPARSED:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    return await self.format_retry(call, reply)
        return reply

    async def format_retry(self, call: Call, first: Reply) -> Reply:
        """Ask once more after an answer that could not be read, saying why; tokens and dollars of both are added."""
        second = self.reply(call, await self._attempts(call, self._again(call, first)))
        counted = first if second.outcome is Outcome.FAILED else second
        costs = [cost for cost in (first.cost_usd, second.cost_usd) if cost is not None]
        return replace(
            counted,
            prompt_tokens=first.prompt_tokens + second.prompt_tokens,
            completion_tokens=first.completion_tokens + second.completion_tokens,
            cost_usd=sum(costs) if costs else None,
            attempts=first.attempts + second.attempts,
        )

    def reply(self, call: Call, result: Attempted, *, batch: bool = False) -> Reply:
        """The outcome of ``call`` from what its attempts came to."""
        found = result.found
        if isinstance(found, Problem):
            outcome = Outcome.REFUSED if found.kind is Kind.REFUSED else Outcome.FAILED
            return Reply(
                call.key, outcome, error=self.describe(found), latency_s=result.latency_s, attempts=result.attempts
            )
        text = self.scrub(found.text)
        outcome, parsed, error, truncated = Outcome.ANSWERED, None, None, False
        if call.schema is not None:
            read = parse(text, call.schema)
            parsed, error, truncated = read.value, read.error, read.truncated
        elif found.tool_calls and "tools" in call.parameters:
            parsed = [{name: self.scrub(held) for name, held in one.items()} for one in found.tool_calls]
        elif not text.strip():
            error = "it is empty"
        if found.refused:
            outcome = Outcome.REFUSED
        elif found.cut:
            outcome = Outcome.CUT
        elif error is not None:
            outcome = Outcome.UNPARSED
        prompt_tokens, completion_tokens, cost = self._cost(call, found, batch=batch)
        return Reply(
            call.key,
            outcome,
            text=text,
            parsed=parsed,
            finish_reason=found.finish_reason,
            error=None if outcome is Outcome.ANSWERED else error,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cost_usd=cost,
            latency_s=result.latency_s,
            attempts=result.attempts,
            truncated=truncated,
        )

    def body(self, call: Call, messages: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """The request's body, with the schema where the server takes one, else with the schema in the prompt."""
        sent = [dict(message) for message in (call.messages if messages is None else messages)]
        body: dict[str, Any] = {"model": call.model_id, "messages": sent, **call.parameters}
        if call.schema is not None:
            if self.takes_schema:
                body["response_format"] = prepared(call.schema).format
            else:
                sent[-1]["content"] += "\n\n" + instruction(call.schema)
        return body

    def describe(self, problem: Problem) -> str:
        """One sentence about ``problem``, without the key."""
        said = _KEYS.sub(_HIDDEN, self.scrub(problem.said))
        status = f" (status {problem.status})" if problem.status else ""
        if too_long(problem):
            return f"The request does not fit the context of '{self.spec.name}'{status}: {said}"
        return f"{self._server} could not answer{status}: {said}"

    def scrub(self, text: str) -> str:
        """``text`` without this model's key."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def check(self, problem: Problem) -> None:
        """Raise StopRun when ``problem`` concerns every call of this model."""
        if problem.kind is not Kind.STOP:
            return
        variable = self.spec.key_variable
        said = _KEYS.sub(_HIDDEN, self.scrub(problem.said)).rstrip(".")
        if problem.status in (401, 403):
            held = f"the key in {variable}" if variable else "requests without a key"
            advice = f"check {variable}" if variable else "name its 'key_variable' in models.yml"
            raise StopRun(f"{self._server} does not accept {held} for model '{self.spec.name}': {advice} ({said}).")
        if problem.status in (402, 429):
            raise StopRun(f"The account behind {variable or self._server} has no credit left ({said}).")
        raise StopRun(
            f"{self._server} cannot serve model '{self.spec.name}' as models.yml declares it"
            f" (status {problem.status}): {said}."
        )

    @property
    def _server(self) -> str:
        return str(self.spec.base_url)

    async def _attempts(self, call: Call, messages: Sequence[Mapping[str, Any]]) -> Attempted:
        """Requests until one counts or patience ends."""
        attempt, sent = 0, 0
        while True:
            await self.pool.opened()
            with_schema = self.takes_schema
            started = time.monotonic()
            found = await self._once(self.body(call, messages))
            latency, sent = time.monotonic() - started, sent + 1
            if isinstance(found, Completion):
                return Attempted(found, latency, sent)
            self.check(found)
            if found.kind is Kind.NO_SCHEMA and call.schema is not None and with_schema:
                self.forget_schema()
                continue
            attempt += 1
            if found.kind not in (Kind.RETRY, Kind.THROTTLED) or attempt >= self.patience.attempts:
                return Attempted(found, latency, sent)
            wait = found.wait_s
            if wait is not None and wait > self.patience.deadline_s:
                return Attempted(found, latency, sent)
            await asyncio.sleep(wait if wait is not None else self.backoff(attempt))

    async def _once(self, body: Mapping[str, Any]) -> Completion | Problem:
        """One request."""
        try:
            answer = await self._line.post(msgspec.json.encode(body))
        except (aiohttp.ClientError, OSError) as error:
            return Problem(Kind.RETRY, f"no connection, or it broke ({type(error).__name__})")
        if answer.status != HTTPStatus.OK:
            found = read_error(answer.status, answer.headers, decoded(answer.content))
        else:
            self._heed(answer.headers)
            result = read_body(answer.content)
            if isinstance(result, Completion):
                self.pool.succeeded()
                return result
            found = result
        if found.kind is Kind.THROTTLED:
            self.pool.throttled()
            if found.wait_s:
                self.pool.pause(min(found.wait_s, self.patience.deadline_s))
        return found

    def _heed(self, headers: Mapping[str, str]) -> None:
        """Pause where the server says that nothing remains of a limit, before it has to refuse."""
        if "x-ratelimit-remaining-requests" in headers or "x-ratelimit-remaining" in headers:
            wait = wait_of(headers, datetime.now(UTC))
            if wait:
                self.pool.pause(min(wait, self.patience.deadline_s))

    def backoff(self, attempt: int) -> float:
        """Exponential with jitter, so that calls refused together do not come back together."""
        longest: float = min(self.patience.backoff_cap_s, self.patience.backoff_s * 2.0 ** (attempt - 1))
        return longest * random.uniform(0.5, 1.0)

    def _again(self, call: Call, first: Reply) -> list[Mapping[str, Any]]:
        """The messages of a format retry."""
        said = [{"role": "assistant", "content": first.text}] if first.text.strip() else []
        if call.schema is None:
            ask = "Your answer was empty. Answer again."
        else:
            ask = (
                f"Your answer cannot be read: {first.error}. Give the same answer again, as one JSON value that"
                " satisfies the schema, and nothing else."
            )
        return [*call.messages, *said, {"role": "user", "content": ask}]

    def _cost(self, call: Call, found: Completion, *, batch: bool) -> tuple[int, int, float | None]:
        """Tokens and dollars of an answer; estimated, upward, where the server counts no tokens."""
        prompt, completion = found.prompt_tokens, found.completion_tokens
        if prompt is None:
            prompt = estimated_tokens(call)
        if completion is None:
            completion = estimated_tokens(found.text)
        if found.cost_usd is not None:
            return prompt, completion, found.cost_usd
        price = self.spec.price
        return prompt, completion, None if price is None else price.dollars(prompt, completion, batch=batch)
