"""What the loopback server says in the place of a model: the gold in many forms, or something else on request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tests.llm.server import Fault, Request, Response, as_json, completion
from tests.solve import world
from tests.solve.world import Gold

METHOD_FORMS = {
    "jarque_bera": ("jarque_bera", "Shapiro-Wilk test", "a test of normality (Jarque–Bera)"),
    "chisquare": ("chisquare", "chi-square goodness of fit", "Chi-Squared Goodness-of-Fit Test"),
    "pearsonr": ("pearsonr", "Pearson's r", "Pearson correlation coefficient"),
    "spearmanr": ("spearmanr", "Spearman's rho", "Spearman rank correlation"),
    "levene": ("levene", "Levene's test", "Brown-Forsythe test"),
    "chi2_contingency": ("chi2_contingency", "chi-squared test of independence", "Chi-Square Test of Independence"),
    "f_oneway": ("f_oneway", "ANOVA", "one-way ANOVA"),
}
SCALES = {"billion": 1e9, "million": 1e6}
FORMS = 4
Kind = str


def kind_of(request: Request) -> Kind:
    """answer, method, table or judge: what a request asks for."""
    system = request.body["messages"][0]["content"]
    starts = {"You compare": "judge", "You plan": "method", "You collect": "table", "You answer": "answer"}
    return next(kind for start, kind in starts.items() if system.startswith(start))


def gold_of(request: Request) -> Gold:
    """The question that a request asks, or that its answer is judged by."""
    asked = re.findall(r"^Question: (.+)$", request.body["messages"][1]["content"], re.MULTILINE)
    return next(gold for gold in world.questions() if gold.question == asked[-1])


def right(gold: Gold, kind: Kind, form: int = 0) -> str:
    """A right reply in one of `FORMS` forms."""
    if kind == "judge":
        return '{"same": true}'
    value = {"method": _method, "table": _table, "answer": _answer}[kind](gold, form)
    text = json.dumps(value, ensure_ascii=False)
    if form == 2:
        return f"```json\n{text}\n```"
    return f"Let me think.\n\n{text}\n" if form == 3 else text


def wrong(gold: Gold, kind: Kind) -> str:
    """A readable reply that is wrong."""
    if kind == "judge":
        return '{"same": false}'
    if kind == "method":
        return json.dumps({"columns": [*gold.columns, "label"], "method": "t-test", "answer": _other(gold.answer)})
    if kind == "table":
        return json.dumps({"tuples": [{"entity": "Atlantis", "attribute": gold.attributes[0], "value": "1"}]})
    if gold.kind == "number":
        return json.dumps({"answer": (gold.value or 0) * 1.5 + 1, "unit": gold.unit})
    answers: Mapping[str, Any] = {"boolean": _other(gold.answer), "distribution": {"Asia": 99}}
    return json.dumps({"answer": answers.get(gold.kind, "Atlantis"), "unit": None})


@dataclass
class Tongue:
    """Answers every request with `say`, except what `faults` has for a question's answer.

    faults: question_id -> what the server does instead. judged: how a judge replies.
    """

    say: Callable[[Gold, Kind], str] = right
    faults: dict[str, Fault] = field(default_factory=dict)
    judged: Fault | None = None

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        kind, gold = kind_of(request), gold_of(request)
        if kind == "judge" and self.judged is not None:
            return self.judged(request)
        if kind in ("answer", "method") and gold.question_id in self.faults:
            return self.faults[gold.question_id](request)
        return as_json(completion(self.say(gold, kind)))


def _other(answer: str) -> str:
    return "no" if answer == "yes" else "yes"


def _method(gold: Gold, form: int) -> dict[str, Any]:
    names = METHOD_FORMS[gold.method or ""]
    columns = [gold.columns, gold.columns[::-1], [f"{gold.topic}.{name}" for name in gold.columns]][form % 3]
    return {"columns": list(columns), "method": names[form % len(names)], "answer": gold.answer}


def _answer(gold: Gold, form: int) -> dict[str, Any]:
    if gold.kind == "number":
        return {"answer": _number(gold.value or 0.0, form), "unit": gold.unit}
    if gold.kind == "boolean":
        return {"answer": (gold.answer, f"{gold.answer.title()}.", gold.answer == "yes", gold.answer.upper())[form],
                "unit": None}  # fmt: skip
    if gold.kind == "distribution":
        return {"answer": json.loads(gold.answer), "unit": None}
    names = (gold.answer, f"It is {gold.answer}.", gold.aliases[0] if gold.aliases else gold.answer.upper(),
             f"**{gold.answer}**")  # fmt: skip
    return {"answer": names[form], "unit": None}


def _number(value: float, form: int) -> float | str:
    if form == 1:
        return f"{value:,.10g}"
    for name, scale in SCALES.items():
        if form == 2 and value >= scale:
            return f"{value / scale:.12g} {name}"
    return f"{value:.12g}" if form == 3 else value


def _table(gold: Gold, form: int) -> dict[str, Any]:
    """The evidence itself, with numbers and names in another form now and then."""
    rows = []
    for topic, name, attribute, _kind, number, text, date in world.attribute_rows():
        label = name.partition("#")[0]
        if topic != gold.topic or attribute not in gold.attributes or (gold.names and label not in gold.names):
            continue
        value = text or (date.isoformat() if date else f"{number:,.12g}" if form == 1 else f"{number:.12g}")
        entity = _renamed().get(name, label) if form == 2 else label.upper() if form == 3 else label
        rows.append({"entity": entity, "attribute": attribute, "value": value})
    return {"tuples": rows}


@lru_cache
def _renamed() -> dict[str, str]:
    """Other names, of entities that share none."""
    return {name: aliases[0] for name, aliases in world.ALIASES.items() if "#" not in name}
