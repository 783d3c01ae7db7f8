"""The loop: ask the model for a step, do it, show what came of it, until there is an answer or a bound is reached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Outcome, Reply
from dagster_defs.llm.journal import Journal
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.agent import actions
from dagster_defs.steps.agent.actions import Action, ActionError
from dagster_defs.steps.agent.tools import Observed
from dagster_defs.steps.agent.transcript import Kind, TakenStep, Transcript

_LEFT_OUT = "(This was left out: there is no room for it any more. Do it again if you need it.)"
_LAST = "This is your last step: answer now."
_TOOL_THREADS = 4


class Tools(Protocol):
    """Whatever runs an agent's actions."""

    def run(self, action: Action) -> Observed:
        """What comes of an action."""


@dataclass(frozen=True)
class Task:
    """A question to work on. sample: the number of the attempt, from 0. sampling: parameters of this attempt's calls.

    columns: those of the table where the question asks for a test, which the answer then names with what it tests.
    """

    task_id: str
    question: str
    sample: int = 0
    sampling: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bounds:
    """How far an agent may go.

    steps: actions, the answer included. stumbles: steps in a row that are unreadable, which end it, or repeated, after
    which only the answer is left. observation: letters that are shown of what comes of a step. step_tokens: the limit
    on what the model writes in one.
    """

    steps: int = 12
    stumbles: int = 3
    observation: int = 4000
    step_tokens: int = 1024


@dataclass
class Agent:
    """One attempt at one question: `call` is what to ask next, and `take` does what the reply says.

    Works through the server's tool calls where models.yml says that the model has them, else through JSON in its text.
    ``done`` once the transcript is complete. sampling: parameters of each call, such as temperature and seed.
    """

    spec: ModelSpec
    task: Task
    tools: Tools
    bounds: Bounds = field(default_factory=Bounds)
    sampling: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.transcript = Transcript(self.task.task_id, self.task.sample)
        self.done = False
        prompt = load_prompt("agent")
        values = {
            "question": self.task.question,
            "columns": self.task.columns,
            "tools": actions.listed(),
            "steps": self.bounds.steps,
        }
        self._messages: list[Mapping[str, Any]] = list(prompt.render(**values, native=self.spec.tools))
        # Places in the conversation of what was shown, the oldest first: what goes when there is no room.
        self._shown: list[int] = []
        self._asked: dict[str, int] = {}
        self._stumbles = 0
        self._repeats = 0

    def opening(self) -> Call:
        """What it would be asked now, whether there is room for it or not."""
        return self._call()

    def call(self) -> Call | None:
        """The next call; None where the conversation does not fit the model's context any more, which ends it."""
        call = self._call()
        room = self.spec.context_tokens - min(self.bounds.step_tokens, self.spec.max_output_tokens)
        while estimated_tokens(call) > room and self._shown:
            place = self._shown.pop(0)
            self._messages[place] = {**self._messages[place], "content": _LEFT_OUT}
            call = self._call()
        if estimated_tokens(call) > room:
            self._end(Outcome.CUT, f"the conversation does not fit the context of '{self.spec.name}'")
            return None
        return call

    def take(self, reply: Reply) -> None:
        """Do what ``reply`` says, and note it."""
        self.transcript.text = reply.text or self.transcript.text
        if reply.outcome in (Outcome.REFUSED, Outcome.FAILED) or (reply.outcome is Outcome.CUT and not reply.parsed):
            self._note(reply, Kind.SILENT, None, "", reply.text)
            self._end(reply.outcome, reply.error or f"the reply was {reply.outcome}")
        elif self.spec.tools and isinstance(reply.parsed, list):
            self._take_calls(reply, reply.parsed)
        else:
            self._take_text(reply)

    @property
    def _left(self) -> int:
        return self.bounds.steps - len(self.transcript.steps)

    @property
    def _is_last(self) -> bool:
        return self._left <= 1 or self._repeats >= self.bounds.stumbles

    def _call(self) -> Call:
        native = self.spec.tools
        sampling = {**self.sampling, **self.task.sampling}
        more = {"tools": actions.offered(self._is_last)} if native else {}
        return self.spec.call(
            self._messages,
            schema=None if native else schema_of(actions.LastStep if self._is_last else actions.Step),
            sample=self.task.sample,
            prompt_sha=load_prompt("agent").sha,
            max_output_tokens=self.bounds.step_tokens,
            **{name: value for name, value in sampling.items() if name not in (self.spec.parameters or {})},
            **more,
        )

    def _take_text(self, reply: Reply) -> None:
        """A step that stands in the text."""
        self._messages.append({"role": "assistant", "content": reply.text})
        try:
            if reply.parsed is None:
                raise ActionError(reply.error or "no tool was called")
            thought, action = actions.from_text(reply.parsed)
        except ActionError as error:
            self._show("user", *self._unreadable(reply, None, reply.text, str(error)))
            return
        shown = self._do(reply, thought, action)
        if shown is not None:
            self._show("user", *shown)

    def _take_calls(self, reply: Reply, calls: Sequence[Mapping[str, str]]) -> None:
        """The tools that the model called, one after the other; each gets its answer."""
        called = [
            {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": one["arguments"]}}
            for one in calls
        ]
        self._messages.append({"role": "assistant", "content": reply.text, "tool_calls": called})
        paid = reply
        for one in calls:
            if self.done:
                return
            try:
                action = actions.from_tool(one["name"], one["arguments"])
            except ActionError as error:
                shown: tuple[str, str] | None = self._unreadable(paid, one["name"], one["arguments"], str(error))
            else:
                shown = self._do(paid, reply.text, action)
            paid = Reply(reply.key, reply.outcome)
            if shown is not None:
                self._show("tool", *shown, tool_call_id=one["id"])

    def _do(self, reply: Reply, thought: str, action: Action) -> tuple[str, str] | None:
        """Do an action; gives (observation, note) to show, None after the answer."""
        self._stumbles = 0
        if isinstance(action, actions.Answer):
            self.transcript.answer = actions.arguments_of(action)
            self._note(reply, Kind.ANSWER, action, "", thought)
            self._end(Outcome.ANSWERED, None)
            return None
        if self._is_last:
            self._note(reply, Kind.REPEATED if self._left > 1 else Kind.FAILED, action, "", thought)
            self._end(Outcome.CUT, f"there was no answer within {len(self.transcript.steps)} steps")
            return None
        same = json.dumps([action.tool, actions.arguments_of(action)], sort_keys=True)
        if same in self._asked:
            self._repeats += 1
            said = f"You did exactly this in step {self._asked[same]}: look there. Do something else, or answer."
            self._note(reply, Kind.REPEATED, action, said, thought)
            return "", self._noted(said)
        self._repeats = 0
        self._asked[same] = len(self.transcript.steps) + 1
        observed = self.tools.run(action)
        text = self._cut(observed.text)
        self._note(reply, Kind.FAILED if observed.failed else Kind.RAN, action, text, thought)
        return text, self._noted("")

    def _unreadable(self, reply: Reply, tool: str | None, said: str, why: str) -> tuple[str, str]:
        self._stumbles += 1
        self._note(reply, Kind.UNREADABLE, None, why, said, tool)
        if self._stumbles >= self.bounds.stumbles:
            self._end(Outcome.UNPARSED, f"{self._stumbles} steps in a row could not be read, the last so: {why}")
        elif self._left < 1:
            self._end(Outcome.UNPARSED, f"the last step could not be read: {why}")
        return "", self._noted(f"That was no step: {why}.")

    def _show(self, role: str, observation: str, note: str, **more: str) -> None:
        """Put what came of a step into the conversation."""
        if observation:
            content = load_prompt("agent_step").render(observation=observation, note=note)[0]["content"]
            self._shown.append(len(self._messages))
        else:
            content = note
        self._messages.append({"role": role, "content": content, **more})

    def _noted(self, said: str) -> str:
        """What is said beside an observation: how many steps are left."""
        left = _LAST if self._is_last else f"{self._left} steps are left."
        return f"{said} {left}".strip()

    def _cut(self, text: str) -> str:
        most = self.bounds.observation
        return text if len(text) <= most else f"{text[:most]}\n(cut here: {len(text) - most:,} letters more)"

    def _note(
        self, reply: Reply, kind: Kind, action: Action | None, seen: str, thought: str = "", tool: str | None = None
    ) -> None:
        self.transcript.steps.append(
            TakenStep(
                len(self.transcript.steps) + 1,
                kind,
                thought,
                action.tool if action else tool,
                actions.arguments_of(action) if action else None,
                seen,
                reply.prompt_tokens,
                reply.completion_tokens,
                reply.cost_usd,
                reply.latency_s,
                reply.key,
            )
        )

    def _end(self, outcome: Outcome, error: str | None) -> None:
        self.transcript.outcome, self.transcript.error = outcome, error
        self.done = True


def solve_all(
    caller: Caller,
    spec: ModelSpec,
    tasks: Sequence[Task],
    tools: Tools,
    bounds: Bounds | None = None,
    sampling: Mapping[str, Any] | None = None,
) -> list[Transcript]:
    """A transcript for each task, in their order.

    All agents take their steps together: what they ask next goes to ``caller`` at once, with its journal, budget and
    pool, and their tools then run side by side. Raises what `Caller.ask_all` raises; what was answered until then is in
    the journal, and doing it again goes on from there.
    """
    agents = [Agent(spec, task, tools, bounds or Bounds(), sampling or {}) for task in tasks]
    work(caller, agents)
    return [agent.transcript for agent in agents]


def work(caller: Caller, agents: Sequence[Agent]) -> None:
    """Let ``agents`` go on until each is done. Raises what `solve_all` raises."""
    with ThreadPoolExecutor(_TOOL_THREADS) as pool:
        number = 0
        while True:
            number += 1
            asked = [(agent, call) for agent in agents if not agent.done and (call := agent.call()) is not None]
            if not asked:
                return
            replies = caller.ask_all([call for _, call in asked], label=f"step {number}")
            list(pool.map(lambda pair: pair[0].take(pair[1]), zip((agent for agent, _ in asked), replies, strict=True)))


def rework(journal: Journal, agents: Sequence[Agent]) -> int:
    """Take every step of ``agents`` whose reply is in ``journal``; gives how many calls these were. Nothing is sent."""
    keys: set[str] = set()
    with ThreadPoolExecutor(_TOOL_THREADS) as pool:
        going = list(agents)
        while going:
            asked = [(agent, call.key) for agent in going if not agent.done and (call := agent.call()) is not None]
            replies = journal.get_many([key for _, key in asked])
            known = [(agent, replies[key]) for agent, key in asked if key in replies]
            list(pool.map(lambda pair: pair[0].take(pair[1]), known))
            keys |= replies.keys()
            going = [agent for agent, _ in known]
    return len(keys)
