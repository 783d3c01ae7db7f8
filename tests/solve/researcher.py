"""An agent that knows what each question of the demo hides, and which textbook's formula answers it.

Everything else it takes from what it is shown: it searches the first clue, then the name, reads the sheet for the
values, computes with the second implementation of the formulas, and answers with what python printed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.agent.world import as_text, turn
from tests.deep_research import formulas
from tests.deep_research.templates import sides, templates
from tests.llm.server import Request, Response
from tests.solve.scripts import Move, answer, compute, read, search, shown, value_of

_SOURCE = Path(str(formulas.__file__)).read_text()
_TEMPLATES = {template["id"]: template for template in templates()}
Row = Mapping[str, Any]


class Researcher:
    """Plays the model over questions, each a row with its text, template, unit, slots, and the names it hides."""

    def __init__(self, questions: Sequence[Row]) -> None:
        self._ways = {row["question"]: way(row) for row in questions}

    def __call__(self, request: Request) -> Response:
        """As the fault of a server."""
        text = request.body["messages"][1]["content"]
        moves = next(moves for question, moves in self._ways.items() if f"\n{question}\n" in text)
        place = min(turn(request), len(moves) - 1)
        return as_text([{}] * place + [moves[place](shown(request))])(request)


def way(row: Row) -> list[Move]:
    """All steps to the answer of a question."""
    names = row["names"]
    clue = re.split(r"[:;.]", row["question"])[1]
    moves = [search(clue)]
    for name in names:
        moves += [search(name), read(name, row["topic"])]
    moves.append(compute(lambda seen: code(row, seen[2::2])))
    moves.append(answer(names[0] if len(names) == 1 else names, row["gold_unit"]))
    return moves


def code(row: Row, sheets: Sequence[str]) -> str:
    """The formula of a question's template, with the values that stand on the sheets."""
    template = _TEMPLATES[row["template_id"]]
    values = [
        f"{side}{name}=number({value_of(wanted['attribute'], sheet)!r})"
        for side, sheet in zip(sides(template), sheets, strict=True)
        for name, wanted in template["inputs"].items()
    ]
    values += [f"{name}={value!r}" for name, value in row["slots"].get("given", {}).items()]
    return "\n".join(
        [
            _helpers(),
            "import datetime",
            "def number(text):",
            "    parts = text.split('-')",
            "    return datetime.date(*map(int, parts)).toordinal() if len(parts) == 3 else float(text)",
            f"formula = {_formula(row['template_id'])}",
            f"print(formula({', '.join(values)}))",
        ]
    )


def _helpers() -> str:
    """Constants and functions that the formulas share."""
    kept = [
        node
        for node in ast.parse(_SOURCE).body
        if isinstance(node, ast.Import | ast.Assign | ast.FunctionDef)
    ]  # fmt: skip
    return "\n".join(ast.unparse(node) for node in kept)


def _formula(template_id: str) -> str:
    """The source of one formula."""
    for node in ast.parse(_SOURCE).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == template_id:
                    return ast.unparse(value)
    raise KeyError(template_id)
