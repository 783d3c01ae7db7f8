"""What an agent can do in a step: the forms of its actions, as tools of a server and as JSON in a text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from dagster_defs.llm.structured import schema_of


class ActionError(Exception):
    """What a model wrote is no action; the message is fit to send back to it."""


class _Action(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Search(_Action):
    """Finds documents by words. Gives ids, titles, addresses and a passage of each."""

    tool: Literal["search"]
    query: str


class Read(_Action):
    """Reads a document by its id or address, one window of its text at a time; the first is 1."""

    tool: Literal["read"]
    document: str
    window: int


class Python(_Action):
    """Runs Python with its standard modules for mathematics, no files and no network; print what you want to see."""

    tool: Literal["python"]
    code: str


class Answer(_Action):
    """Ends with the answer to the question.

    answer is what was asked, alone: a number as a JSON number with every digit; a name as a string; yes or no as "yes"
    or "no". unit is the unit of a number in words, null where there is none. entity is the name of what the question
    describes without naming it, a list of names where it describes several, null where it names everything.
    """

    tool: Literal["answer"]
    answer: bool | float | str | list[str] | dict[str, float]
    unit: str | None
    entity: str | list[str] | None


Action = Search | Read | Python | Answer


class Step(BaseModel):
    """A step as a text."""

    thought: str
    action: Action


class LastStep(BaseModel):
    """The step that can only be the answer."""

    thought: str
    action: Answer


KINDS: Mapping[str, type[Action]] = {"search": Search, "read": Read, "python": Python, "answer": Answer}


def listed() -> list[str]:
    """A line for each tool: its name, its arguments and what it does."""
    lines = []
    for name, kind in KINDS.items():
        arguments = ", ".join(argument for argument in kind.model_fields if argument != "tool")
        lines.append(f"{name}({arguments}): {_said(kind)}")
    return lines


def offered(last: bool) -> list[dict[str, Any]]:
    """The tools as a server takes them; only the answer where it is the ``last`` step."""
    tools = []
    for name, kind in KINDS.items():
        if last and kind is not Answer:
            continue
        schema = json.loads(json.dumps(schema_of(kind)))
        del schema["properties"]["tool"]
        schema["required"].remove("tool")
        tools.append({"type": "function", "function": {"name": name, "description": _said(kind), "parameters": schema}})
    return tools


def from_text(parsed: Any) -> tuple[str, Action]:
    """(thought, action) of a step that satisfies the schema of `Step`. Raises ActionError where it is none."""
    try:
        step = Step.model_validate(parsed)
    except ValidationError as error:
        raise ActionError(_fault(error)) from None
    return step.thought, step.action


def from_tool(name: str, arguments: str) -> Action:
    """The action in a tool that a model called, ``arguments`` being JSON text. Raises ActionError where it is none."""
    kind = KINDS.get(name)
    if kind is None:
        raise ActionError(f"there is no tool '{name[:60]}': the tools are {', '.join(KINDS)}")
    try:
        given = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise ActionError(f"the arguments of {name} are no JSON") from None
    if not isinstance(given, dict):
        raise ActionError(f"the arguments of {name} are no JSON object")
    try:
        return kind.model_validate({**given, "tool": name})
    except ValidationError as error:
        raise ActionError(f"{name}: {_fault(error)}") from None


def arguments_of(action: Action) -> dict[str, Any]:
    """An action's arguments by name."""
    return action.model_dump(exclude={"tool"})


def _said(kind: type[BaseModel]) -> str:
    return " ".join((kind.__doc__ or "").split())


def _fault(error: ValidationError) -> str:
    problems: Sequence[Any] = error.errors(include_url=False, include_input=False)
    where = ".".join(str(part) for part in problems[0]["loc"])
    return f"{where}: {problems[0]['msg']}"[:200]
