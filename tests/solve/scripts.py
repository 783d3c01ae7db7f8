"""Agents that a server plays: what each does in a step, which may hang on what it was shown before."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.agent.world import as_calls, as_text, turn
from tests.llm.server import Fault, Request, Response
from tests.solve import tongue, world
from tests.solve.world import Gold

# What an agent does, from what it was shown after each step before.
Move = Callable[[Sequence[str]], Mapping[str, Any]]
_FENCED = re.compile(r"<data-([0-9a-f]{16})>\n(.*)\n</data-\1>", re.DOTALL)


def search(query: str) -> Move:
    """Looks for documents."""
    return lambda seen: {"tool": "search", "query": query}


def read(title: str, topic: str = "") -> Move:
    """Reads the first document with this title, and of this topic, that the last search found."""

    def move(seen: Sequence[str]) -> Mapping[str, Any]:
        found = re.findall(r"^\[(\S+)\] (.+)$", seen[-1], re.MULTILINE)
        return {
            "tool": "read",
            "document": next(name for name, shown in found if shown == title and name.startswith(topic)),
            "window": 1,
        }

    return move


def compute(code: Callable[[Sequence[str]], str]) -> Move:
    """Runs what ``code`` makes of what was shown."""
    return lambda seen: {"tool": "python", "code": code(seen)}


def answer(entity: Any, unit: str | None) -> Move:
    """Answers with the number that python printed last."""
    return lambda seen: {"tool": "answer", "answer": float(seen[-1]), "unit": unit, "entity": entity}


def says(value: Any, unit: str | None = None, entity: Any = None) -> Move:
    """Answers so."""
    return lambda seen: {"tool": "answer", "answer": value, "unit": unit, "entity": entity}


def value_of(attribute: str, sheet: str) -> str:
    """The value on a sheet, without its unit."""
    (line,) = re.findall(rf"^- .* \({attribute}\): (.+)$", sheet, re.MULTILINE)
    found: str = line.split(" ")[0]
    return found


def density_of_peru(seen: Sequence[str]) -> str:
    """People a square kilometre, from the sheet that was read last."""
    return f"print({value_of('population', seen[-1])} / {value_of('area_km2', seen[-1])})"


def lengths_of_two(seen: Sequence[str]) -> str:
    """The length on the sheet read second last, in percent of that on the last."""
    return f"print(100 * {value_of('length_km', seen[1])} / {value_of('length_km', seen[3])})"


PERU: tuple[Move, ...] = (
    search("shares border with Bolivia, official language Quechua"),
    read("Peru"),
    compute(density_of_peru),
    answer("Peru", "people per square kilometre"),
)
RIVERS: tuple[Move, ...] = (
    search("basin country Nigeria"),
    read("Niger"),
    search("basin country India"),
    read("Ganges"),
    compute(lengths_of_two),
    answer(["Niger", "Ganges"], "percent"),
)


def tells(gold: Gold) -> tuple[Move, ...]:
    """The gold at once, in the form that an agent is asked for."""
    if gold.method:
        lines = f"columns: {', '.join(gold.columns)}\nmethod: {gold.method}\nanswer: {gold.answer}"
        return (says(lines),)
    given = json.loads(tongue.right(gold, "answer"))
    return (says(given["answer"], given["unit"]),)


def knows(gold: Gold) -> tuple[Move, ...]:
    """The right way to every question of the small world."""
    return {"q034": PERU, "q035": RIVERS}.get(gold.question_id) or tells(gold)


@dataclass
class Scripted:
    """Plays an agent that goes the way ``way`` has for its question, as texts or as calls of tools.

    faults: question_id -> what the server does instead, in every step.
    """

    way: Callable[[Gold], Sequence[Move]] = knows
    native: bool = False
    faults: dict[str, Fault] = field(default_factory=dict)

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        gold = asked(request)
        if gold.question_id in self.faults:
            return self.faults[gold.question_id](request)
        moves = self.way(gold)
        place = min(turn(request), len(moves) - 1)
        script: list[Mapping[str, Any] | str] = [{}] * place + [moves[place](shown(request))]
        return (as_calls if self.native else as_text)(script)(request)


def asked(request: Request) -> Gold:
    """The question that an agent works on."""
    text = request.body["messages"][1]["content"]
    return next(gold for gold in world.questions() if f"\n{gold.question}\n" in text)


def shown(request: Request) -> list[str]:
    """What an agent was shown after each of its steps."""
    texts = [message["content"] for message in request.body["messages"][2:] if message["role"] in ("user", "tool")]
    return [found[2] if (found := _FENCED.search(text)) else text for text in texts]
