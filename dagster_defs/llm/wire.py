"""What servers say: completions, errors and waits, in the many shapes that OpenAI-compatible servers give them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import msgspec

from dagster_defs.llm.structured import clean
from ingest.http.retry_after import seconds_to_wait

_CUT = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_REFUSED = frozenset(
    {"content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii", "sensitive"}
)
_NO_SCHEMA = re.compile(
    r"response_format|response format|json_schema|json schema|structured.output|guided|grammar", re.IGNORECASE
)
_TOO_LONG = re.compile(
    r"context.{0,8}(length|window|size|limit)|maximum context|prompt is too long|too many (input )?tokens"
    r"|exceed\w* the (available|maximum) context|reduce the length|token limit",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?(management.)?(filter|policy)|moderation|flagged|invalid_prompt", re.IGNORECASE)
_UNSUPPORTED = re.compile(
    r"unsupported_(parameter|value)|unknown_parameter|unrecognized request argument|model_not_found", re.IGNORECASE
)
_QUOTA = re.compile(r"insufficient_quota|billing|insufficient credit|payment required", re.IGNORECASE)
_BY_NAME = {"rate_limit_exceeded": 429, "rate_limit_error": 429, "overloaded_error": 529, "invalid_api_key": 401}
_SAID_LENGTH = 300
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Kind(StrEnum):
    """What to do about a problem.

    retry: ask again. throttled: ask again, and less at once. no_schema: ask again without a schema. refused: the server
    declined for the model. fail: this call cannot be answered. stop: no call of this model can.
    """

    RETRY = "retry"
    THROTTLED = "throttled"
    NO_SCHEMA = "no_schema"
    REFUSED = "refused"
    FAIL = "fail"
    STOP = "stop"


@dataclass(frozen=True)
class Problem:
    """Why there is no completion. wait_s: how long the server asked to wait. said: the server's own words, short."""

    kind: Kind
    said: str
    wait_s: float | None = None
    status: int | None = None


@dataclass(frozen=True)
class Completion:
    """An answer. Tokens are None where the server did not count them; cost_usd is what the provider says it charged.

    tool_calls: id, name and arguments (text that should be JSON) of each tool that the model called."""

    text: str
    finish_reason: str | None
    refused: bool
    cut: bool
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    tool_calls: tuple[Mapping[str, str], ...] = ()


def read_body(content: bytes) -> Completion | Problem:
    """A completion from the body of an answer with status 200, or what is wrong with it. Never raises."""
    body = decoded(content)
    if isinstance(body, str):
        return Problem(Kind.RETRY, f"an answer that is no JSON ({shorten(body)})")
    return read_completion(body)


def decoded(content: bytes) -> Any:
    """A body as JSON, or as text where it is none."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        text = content.decode("utf-8", "replace")
    # Half of a surrogate pair, which some models write, is an error to msgspec alone.
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_completion(body: Any) -> Completion | Problem:
    """A completion from a decoded body, or what is wrong with it. Never raises."""
    if not isinstance(body, dict):
        return Problem(Kind.RETRY, "an answer that is no JSON object")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        if body.get("error"):
            return read_error(_status_within(body["error"]), {}, body)
        return Problem(Kind.RETRY, "an answer without choices")
    choice = choices[0]
    if choice.get("error"):
        return read_error(_status_within(choice["error"]), {}, choice)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    finish = choice.get("finish_reason")
    finish = clean(finish) if isinstance(finish, str) else None
    if finish == "error":
        return Problem(Kind.RETRY, "an answer that ended in an error")
    refusal = _text(message.get("refusal"))
    text = _text(message.get("content"))
    word = (finish or "").lower()
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        clean(text or refusal),
        finish,
        refused=word in _REFUSED or bool(refusal),
        cut=word in _CUT,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cost_usd=_dollars(usage.get("cost")),
        tool_calls=_tool_calls(message.get("tool_calls")),
    )


def read_error(status: int, headers: Mapping[str, str], body: Any, *, now: datetime | None = None) -> Problem:
    """What an answer with an error status (or an error in its body) means. body: decoded JSON, or text."""
    said = _said(body)
    words = f"{said} {_codes(body)}"
    wait = wait_of(headers, now or datetime.now(UTC))
    kind = Kind.FAIL
    if status == 404 and _NO_SCHEMA.search(words):
        kind = Kind.NO_SCHEMA
    elif status == 429:
        kind = Kind.STOP if _QUOTA.search(words) else Kind.THROTTLED
    elif status in (503, 529):
        kind = Kind.THROTTLED
    elif status >= 500 or status in (408, 409, 425) or status < 400:
        kind = Kind.RETRY
    elif status in (400, 403, 413, 422):
        kind = _refused_request(status, words)
    elif status in (401, 402, 404):
        kind = Kind.STOP
    return Problem(kind, said, wait, status)


def too_long(problem: Problem) -> bool:
    """Whether the server said that the request does not fit the model's context."""
    return problem.kind is Kind.FAIL and bool(_TOO_LONG.search(problem.said))


def wait_of(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that the server asks to wait, from Retry-After (seconds or a date) or its rate-limit headers.

    The latter count where nothing remains: x-ratelimit-reset-* as OpenAI writes them ('1s', '6m0s', '20ms'), or
    x-ratelimit-reset as an epoch in seconds or milliseconds.
    """
    given = _number(headers.get("retry-after-ms"))
    if given is not None:
        return given / 1000
    after = headers.get("retry-after")
    if after is not None:
        return seconds_to_wait(after, now)
    waits = []
    for counted in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{counted}") == "0":
            waits.append(_duration(headers.get(f"x-ratelimit-reset-{counted}")))
    if headers.get("x-ratelimit-remaining") == "0":
        waits.append(_epoch(headers.get("x-ratelimit-reset"), now))
    return max((wait for wait in waits if wait is not None), default=None)


def shorten(text: str) -> str:
    """The beginning of ``text`` in one line."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= _SAID_LENGTH else flat[: _SAID_LENGTH - 1] + "…"


def _refused_request(status: int, words: str) -> Kind:
    """What a request that the server would not take means."""
    if _FILTERED.search(words):
        return Kind.REFUSED
    if status == 403 or (_UNSUPPORTED.search(words) and not _NO_SCHEMA.search(words)):
        return Kind.STOP
    if _TOO_LONG.search(words):
        return Kind.FAIL
    return Kind.NO_SCHEMA if _NO_SCHEMA.search(words) else Kind.FAIL


def _text(content: Any) -> str:
    """Text of a message's content: a string, or parts of which those of type text count; thoughts do not."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else part.get("text") for part in content if _is_text(part)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"))


def _tool_calls(given: Any) -> tuple[Mapping[str, str], ...]:
    """The calls of functions in a message; what has no name is left out, and what is no text made one."""
    found = []
    for number, call in enumerate(given if isinstance(given, list) else []):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments if arguments is not None else {})
        name = call.get("id")
        held = clean(name) if isinstance(name, str) and name else f"call_{number}"
        found.append({"id": held, "name": clean(function["name"]), "arguments": clean(text)})
    return tuple(found)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _dollars(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return float(value)


def _error(body: Any) -> Any:
    return body.get("error", body) if isinstance(body, dict) else body


def _said(body: Any) -> str:
    """The message of an error body, whatever its shape."""
    error = _error(body)
    if isinstance(error, dict):
        for name in ("message", "detail", "msg", "error"):
            if isinstance(error.get(name), str) and error[name].strip():
                return shorten(error[name])
        return shorten(str(error))
    return shorten(str(error)) if error else "no reason given"


def _codes(body: Any) -> str:
    """Code, type, parameter and metadata of an error body, as words."""
    error = _error(body)
    if not isinstance(error, dict):
        return ""
    return " ".join(str(error[name]) for name in ("code", "type", "param", "metadata") if error.get(name) is not None)


def _status_within(error: Any) -> int:
    """The status that an error inside a body of status 200 stands for; 500 where it does not say."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str):
        code = int(code) if code.isdecimal() else _BY_NAME.get(code)
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < 1e9 else None


def _duration(text: str | None) -> float | None:
    """Seconds of '6m0s', '20ms' or '1.5'."""
    if not text:
        return None
    parts = _PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _SECONDS[unit] for number, unit in parts)
    return _number(text)


def _epoch(text: str | None, now: datetime) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    if value is None or not 0 < value < 1e14:
        return None
    seconds = value / 1000 if value > 1e11 else value
    return max(0.0, seconds - now.timestamp()) if seconds > 1e8 else seconds
