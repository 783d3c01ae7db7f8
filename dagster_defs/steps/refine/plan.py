"""What a refinement asks: a rewrite of each question, and of each that passes whether it still asks the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.refine.check import Original
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse

# The limit on a rewrite with its flags, and on the judge's word.
REFINE_TOKENS, CONFIRM_TOKENS = 512, 128
# The first try is the model's likeliest answer; what could not be read is tried again a little off it.
_RETRY_TEMPERATURE = 0.5


class Flag(BaseModel):
    """Whether a question has a fault, and in a few words which."""

    flagged: bool
    reason: str | None


class Refinement(BaseModel):
    """What the refiner says of a question."""

    unclear: Flag
    irrelevant: Flag
    loaded: Flag
    biased: Flag
    rewrite: str


class Confirmation(BaseModel):
    """What the judge says of a rewrite."""

    difference: str | None
    same: bool


@dataclass(frozen=True)
class Refining:
    """A refiner and a judge over a question set.

    clue_writer: who words the clues of deep-research questions before the refiner composes them; None for others.
    """

    refiner: ModelSpec
    judge: ModelSpec
    questions: QuestionSet = field(default_factory=QuestionSet)
    clue_writer: ModelSpec | None = None

    @property
    def refine_id(self) -> str:
        """Both models and a digest of everything else; the same refinement has the same id for ever."""
        models = filter(None, (self.refiner, self.judge, self.clue_writer))
        content = [self.questions.as_json(), *(spec.identity for spec in models)]
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.refiner.name}--{self.judge.name}--{digest}"


def refine_call(spec: ModelSpec, question: Question, sample: int = 0) -> Call:
    """A rewrite of ``question`` with its flags. sample: number of the try, from 0."""
    messages = load_prompt("refine").render(question=question.question)
    return asked(spec, "refine", messages, Refinement, REFINE_TOKENS, sample)


def confirm_call(spec: ModelSpec, question: Question, rewrite: str, sample: int = 0) -> Call:
    """Whether ``rewrite`` asks what ``question`` asks. sample: number of the try, from 0."""
    messages = load_prompt("confirm").render(original=question.question, rewrite=rewrite)
    return asked(spec, "confirm", messages, Confirmation, CONFIRM_TOKENS, sample)


def prompt_sha(*names: str) -> str:
    """One digest for the prompts of ``names``."""
    return hashlib.sha256("".join(load_prompt(name).sha for name in names).encode()).hexdigest()


def originals(questions: Sequence[Question], warehouse: Warehouse) -> dict[str, Original]:
    """Each question as the check needs it, by question_id."""
    scopes = warehouse.scopes()
    ids = {entity for one in questions for entity in (one.slots.get("entity_id"), one.slots.get("other_id")) if entity}
    labels = warehouse.labels(ids)
    return {one.question_id: _original(one, scopes.get(one.question_id), labels, warehouse) for one in questions}


def asked(
    spec: ModelSpec,
    prompt: str,
    messages: Sequence[Mapping[str, str]],
    form: type[BaseModel],
    limit: int,
    sample: int,
) -> Call:
    """A call by the ``prompt`` of that name: an answer in ``form`` of at most ``limit`` tokens. sample: the try."""
    wanted: dict[str, Any] = {"temperature": 0.0 if sample == 0 else _RETRY_TEMPERATURE, "seed": sample}
    sampling = {name: value for name, value in wanted.items() if name not in (spec.parameters or {})}
    return spec.call(
        messages,
        schema=schema_of(form),
        sample=sample,
        prompt_sha=load_prompt(prompt).sha,
        max_output_tokens=limit,
        **sampling,
    )


def _original(question: Question, scope: str | None, labels: Mapping[str, str], warehouse: Warehouse) -> Original:
    slots = question.slots
    attributes = {attribute.name: attribute for attribute in warehouse.attributes(question.topic)}
    own = [slots.get("attribute"), slots.get("other_attribute") or slots.get("group_attribute")]
    named = [attributes[name] for name in own if name in attributes]
    all_units = [attributes[name.partition(".")[2]].unit for name in question.attributes if "." in name]
    supposed = question.type == "hypothetical_scenarios"
    subject = labels.get(slots.get("entity_id", "")) or (slots.get("value") if supposed else None)
    other = labels.get(slots.get("other_id", "")) or slots.get("other_value")
    change = next(iter((slots.get("change") or {}).values()), None)
    return Original(
        question_id=question.question_id,
        text=question.question,
        type=question.type,
        operation=question.operation,
        gold_kind=question.gold_kind,
        answers=(question.gold_answer, *question.gold_aliases),
        gold_method=question.gold_method,
        names=tuple(slots.get("names") or slots.get("groups") or ()),
        subject=subject,
        other=other,
        value=None if supposed else slots.get("value"),
        scope=scope,
        phrases=tuple(attribute.phrase for attribute in named),
        unit=question.gold_unit if question.tolerance > 0 else None,
        units=tuple(unit for unit in (*all_units, question.gold_unit) if unit),
        change=None if change is None else float(change),
        threshold=slots.get("threshold"),
    )
