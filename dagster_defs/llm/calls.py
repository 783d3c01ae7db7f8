"""One request to a model, and what came of it.

A call is identified by its content, so that asking the same thing twice is one call, whoever asks and whenever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any


class Outcome(StrEnum):
    """What became of a call.

    answered: readable. unparsed: text that is not what was asked for. refused: the model declined. cut: the token limit
    ended the answer. failed: no answer came, which says nothing about the model.
    """

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    CUT = "cut"
    FAILED = "failed"


@dataclass(frozen=True)
class Call:
    """A request, by content alone: no key, no address that could hold one.

    model: name in models.yml. model_id: what the server calls it. messages: chat messages of role and content, and what
    calling tools adds to them.
    parameters: everything else that goes into the request body (temperature, seed, max_completion_tokens ...).
    schema: JSON schema the answer has to satisfy, None for free text. sample: number of the repetition, from 0.
    prompt_sha: digest of the prompt's file; it is kept with the call, and is no part of its key (the messages are).
    """

    model: str
    model_id: str
    messages: tuple[Mapping[str, Any], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    sample: int = 0
    prompt_sha: str = ""

    @cached_property
    def key(self) -> str:
        """SHA-256 over model, messages, parameters, schema and sample, as 64 hexadecimal digits."""
        content = [
            self.model,
            self.model_id,
            [dict(message) for message in self.messages],
            dict(self.parameters),
            self.schema,
            self.sample,
        ]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came of a call.

    parsed: the JSON value when a schema was asked for and the text satisfied it; of a call that offers tools those that
    the model called, each with id, name and arguments (JSON text, as it came). truncated: `parsed` holds only the
    complete elements of a list that was cut off. cost_usd is None where the model has no price. latency_s: wall seconds
    of the attempt that counted. cached: it came from the journal and cost nothing now.
    """

    key: str
    outcome: Outcome
    text: str = ""
    parsed: Any = None
    finish_reason: str | None = None
    error: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    attempts: int = 1
    truncated: bool = False
    cached: bool = False
