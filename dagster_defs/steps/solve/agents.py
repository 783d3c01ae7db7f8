"""A run in the setting agent: its attempts, what they would take at most, and what they come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

from dagster_defs.llm.budget import BYTES_PER_TOKEN, estimated_tokens, smallest_difference
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Outcome, Reply
from dagster_defs.llm.structured import clean
from dagster_defs.steps.agent.documents import Document, Index
from dagster_defs.steps.agent.loop import Agent, Task, rework, work
from dagster_defs.steps.agent.pages import PageReader
from dagster_defs.steps.agent.tools import Toolbox
from dagster_defs.steps.agent.transcript import Transcript
from dagster_defs.steps.matching import method_fields
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES
from dagster_defs.steps.solve.contexts import Context
from dagster_defs.steps.solve.plan import Ask, Run, column
from dagster_defs.steps.solve.questions import Question, Warehouse
from dagster_defs.steps.solve.sheets import sheets

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """What was asked and what came of it, replies by the keys of the asks' calls; cached: calls of the journal's."""

    asks: list[Ask]
    replies: dict[str, Reply]
    steps: Rows
    cached: int


@dataclass(frozen=True)
class Attempt:
    """An agent, and the question that it works on."""

    question: Question
    agent: Agent

    @property
    def sample(self) -> int:
        """The number of the repetition, from 0."""
        return self.agent.task.sample


def attempts(run: Run, warehouse: Warehouse, reader: PageReader | None = None) -> list[Attempt]:
    """An attempt for each question and sample, none of them begun.

    All landed documents are at hand, and with ``reader`` pages of the web. Raises RunError when the question set is
    empty, SandboxMissing where the system cannot confine a model's code.
    """
    questions = warehouse.choose(run.questions)
    documents = [
        Document(sheet.sheet_id, sheet.document.title, sheet.url, sheet.document.text)
        for sheet in sheets(warehouse, questions[0].snapshot_id)
    ]
    tools = Toolbox(Index(documents), reader)
    return [
        Attempt(question, Agent(run.spec, _task(run, warehouse, question, sample), tools, run.bounds))
        for question in questions
        for sample in range(run.samples)
    ]


def solve(run: Run, made: Sequence[Attempt], caller: Caller, log: Callable[[str], None]) -> Asked:
    """Let every attempt come to its end.

    An ask is an agent's first call, and its reply what the whole attempt came to, so that both are scored like any
    other. Raises what `Caller.ask_all` raises.
    """
    asks = [Ask(one.question, one.sample, False, one.agent.opening(), Context()) for one in made]
    log(f"{run.run_id}: {bound(run, made, caller)}")
    cached = len({step.request_hash for one in made for step in one.agent.transcript.steps})
    work(caller, [one.agent for one in made])
    replies = {ask.call.key: reply_of(one, ask.call.key) for ask, one in zip(asks, made, strict=True)}
    return Asked(asks, replies, [row for one in made for row in step_rows(run, one)], cached)


def bound(run: Run, made: Sequence[Attempt], caller: Caller) -> str:
    """What the attempts take at most, in one sentence: as many steps as each has, each as long as it may be.

    What the journal has of them is worked through first, tools and all, and is not counted; nothing is sent.
    """
    known = rework(caller.journal, [one.agent for one in made])
    limit = min(run.step_tokens, run.spec.max_output_tokens)
    room = run.spec.context_tokens - limit
    # Each step adds what the model wrote, and what it was shown.
    grows = limit + ceil(run.bounds.observation / BYTES_PER_TOKEN)
    calls = read = 0
    for one in made:
        left = 0 if one.agent.done else run.steps - len(one.agent.transcript.steps)
        now = estimated_tokens(one.agent.opening())
        calls += left
        read += sum(min(room, now + step * grows) for step in range(left))
    price = run.spec.price
    cost = "no dollars can be named, as a model has no price"
    if price is not None:
        cost = f"${price.dollars(read, calls * limit):,.2f}"
    shown = smallest_difference(len({one.question.question_id for one in made}))
    detects = "too few to tell two models apart" if shown is None else f"a difference of {shown:.1%} would show"
    return (
        f"at most {calls:,} calls to send ({known:,} more are in the journal), {read:,} tokens to read and"
        f" {calls * limit:,} to write, {cost}: an upper bound, {run.steps} steps of {limit:,} tokens for each answer,"
        f" of which most need fewer; {detects}."
    )


def reply_of(attempt: Attempt, key: str) -> Reply:
    """What an attempt came to, as one reply; ``key``: of its first call, where no call was made."""
    transcript = attempt.agent.transcript
    answer = _answer(attempt.question, transcript)
    last = transcript.steps[-1].request_hash if transcript.steps else key
    return Reply(
        last,
        transcript.outcome,
        transcript.text if answer is None else _json(answer),
        answer,
        error=transcript.error,
        prompt_tokens=transcript.prompt_tokens,
        completion_tokens=transcript.completion_tokens,
        cost_usd=transcript.cost_usd,
        latency_s=sum(step.latency_s for step in transcript.steps),
    )


def step_rows(run: Run, attempt: Attempt) -> Rows:
    """One row a step, as it was."""
    return [
        {
            "run_id": run.run_id,
            "question_id": attempt.question.question_id,
            "sample": attempt.sample,
            "number": step.number,
            "kind": str(step.kind),
            "thought": clean(step.thought),
            "tool": None if step.tool is None else clean(step.tool),
            "arguments": None if step.arguments is None else _json(step.arguments),
            "observation": clean(step.observation),
            "prompt_tokens": step.prompt_tokens,
            "completion_tokens": step.completion_tokens,
            "cost_usd": step.cost_usd,
            "latency_s": step.latency_s,
            "request_hash": step.request_hash,
        }
        for step in attempt.agent.transcript.steps
    ]


def _task(run: Run, warehouse: Warehouse, question: Question, sample: int) -> Task:
    columns: tuple[str, ...] = ()
    if question.type in STATISTICAL_TYPES:
        columns = tuple(column(attribute) for attribute in warehouse.attributes(question.topic))
    return Task(question.question_id, question.question, sample, run.sampling(sample), columns)


def _answer(question: Question, transcript: Transcript) -> dict[str, Any] | None:
    """The answer that was given; of a tested question with its columns and method, which stand in its text."""
    answer = transcript.answer
    if transcript.outcome is not Outcome.ANSWERED or answer is None:
        return None
    if question.type in STATISTICAL_TYPES and isinstance(answer["answer"], str):
        told: Mapping[str, Any] = method_fields(answer["answer"])
        if told.get("columns") is not None or told.get("method") is not None:
            return {
                **answer,
                "columns": told.get("columns"),
                "method": told.get("method"),
                "answer": told.get("answer"),
            }
    return dict(answer)


def _json(value: Any) -> str:
    """JSON text that a database reads, of what a model wrote as JSON."""
    return json.dumps(_sound(value), ensure_ascii=False)


def _sound(value: Any) -> Any:
    """``value`` without what no database holds in its texts; a number that is none becomes a text."""
    if isinstance(value, Mapping):
        return {clean(str(name)): _sound(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(held) for held in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return clean(value) if isinstance(value, str) else value
