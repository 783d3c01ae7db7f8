"""What an agent did, step by step, and what it came to."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dagster_defs.llm.calls import Outcome


class Kind(StrEnum):
    """What a step was. ran, failed: a tool did or could not do what was asked. repeated: asked before, not run again.

    unreadable: no action. answer: the answer. silent: no text came at all, or the model declined.
    """

    RAN = "ran"
    FAILED = "failed"
    REPEATED = "repeated"
    UNREADABLE = "unreadable"
    ANSWER = "answer"
    SILENT = "silent"


@dataclass(frozen=True)
class TakenStep:
    """One action and what the model was shown of what came of it.

    thought: what it said beside its action; of a step that was none, all that it wrote. tool, arguments: None where
    there was no action. Tokens and dollars are those of the call that it came from, and
    stand with the first action of that call; request_hash is the call's key.
    """

    number: int
    kind: Kind
    thought: str
    tool: str | None
    arguments: dict[str, Any] | None
    observation: str
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    latency_s: float
    request_hash: str


@dataclass
class Transcript:
    """All of one attempt at a question.

    outcome: answered; unparsed: no action could be read; refused; cut: the steps, the context or the answer's tokens
    ran out; failed: no answer came, which says nothing about the model. answer: `answer`, `unit` and `entity`, None
    without one. text: the last that the model wrote. error: why there is no answer.
    """

    task_id: str
    sample: int
    steps: list[TakenStep] = field(default_factory=list)
    outcome: Outcome = Outcome.FAILED
    answer: dict[str, Any] | None = None
    text: str = ""
    error: str | None = None

    @property
    def prompt_tokens(self) -> int:
        """Tokens read in all steps."""
        return sum(step.prompt_tokens for step in self.steps)

    @property
    def completion_tokens(self) -> int:
        """Tokens written in all steps."""
        return sum(step.completion_tokens for step in self.steps)

    @property
    def cost_usd(self) -> float | None:
        """US dollars of all steps, None where no step has a price."""
        known = [step.cost_usd for step in self.steps if step.cost_usd is not None]
        return sum(known) if known else None

    def as_json(self) -> str:
        """The whole transcript as JSON text."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)
