"""What the proposer is asked: a class, filters and attributes in words; and which of several entries a name means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Reply
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.asking import Spent, readable

PROPOSE: Final = "propose_topic"
CHOOSE: Final = "choose_candidate"
# The limits on a proposal, and on a number.
PROPOSE_TOKENS: Final = 2048
CHOOSE_TOKENS: Final = 512
# The first try is the model's likeliest answer; a further one is a little off it.
_RETRY_TEMPERATURE: Final = 0.5
MOST_FILTERS: Final = 4
MOST_ATTRIBUTES: Final = 8


class ProposedFilter(BaseModel):
    """What tells the things from others of their class, in words."""

    property: str
    values: list[str]
    least: float | None
    most: float | None


class ProposedAttribute(BaseModel):
    """What could be asked about a thing, in words."""

    name: str
    property: str
    then: str | None
    kind: Literal["number", "category", "categories", "year", "date"]
    phrase: str
    unit: str | None
    adjective: Literal["high", "large", "long", "late", "great", "old"] | None
    scope: str | None
    member: str | None
    is_required: bool


class Proposal(BaseModel):
    """A concept in the words by which Wikidata can be searched."""

    class_name: str
    singular: str
    plural: str
    description: str
    is_current: bool
    filters: list[ProposedFilter]
    attributes: list[ProposedAttribute]


class Choice(BaseModel):
    """Which of the listed entries is meant, from 1."""

    number: int


@dataclass
class Proposer:
    """Asks the model that has the role, about one concept."""

    spec: ModelSpec
    caller: Caller
    concept: str
    description: str
    spent: Spent = field(default_factory=Spent)

    def propose(self, failures: Sequence[str], attempt: int) -> Proposal | str:
        """A proposal, or why there is none, as a sentence. Raises what ``caller.ask_all`` raises."""
        reply = self._ask(propose_call(self.spec, self.concept, self.description, failures, attempt - 1))
        if not readable(reply):
            return f"The proposer's answer could not be used: {reply.error or reply.outcome.value}."
        return Proposal.model_validate(reply.parsed)

    def choose(self, role: str, surface: str, candidates: Sequence[str]) -> int | None:
        """The place, from 0, of the candidate that is meant; None where the answer is none of them."""
        reply = self._ask(choose_call(self.spec, self.concept, self.description, role, surface, candidates))
        if not readable(reply):
            return None
        number = int(reply.parsed["number"])
        return number - 1 if 1 <= number <= len(candidates) else None

    def _ask(self, call: Call) -> Reply:
        (reply,) = self.caller.ask_all([call], label=f"proposals for {self.concept}")
        self.spent.count(reply)
        return reply


Chooser = Callable[[str, str, Sequence[str]], int | None]


def propose_call(spec: ModelSpec, concept: str, description: str, failures: Sequence[str], sample: int) -> Call:
    """The call that proposes; ``failures``: what became of earlier tries; ``sample``: number of the try, from 0."""
    messages = load_prompt(PROPOSE).render(concept=concept, description=description, failures=list(failures))
    temperature = 0.0 if sample == 0 else _RETRY_TEMPERATURE
    return _call(spec, messages, Proposal, PROPOSE, PROPOSE_TOKENS, sample, temperature)


def choose_call(
    spec: ModelSpec, concept: str, description: str, role: str, surface: str, candidates: Sequence[str]
) -> Call:
    """The call that chooses; ``role``: what is sought, such as 'a class'."""
    messages = load_prompt(CHOOSE).render(
        concept=concept, description=description, role=role, surface=surface, candidates=list(candidates)
    )
    return _call(spec, messages, Choice, CHOOSE, CHOOSE_TOKENS, 0, 0.0)


def _call(
    spec: ModelSpec, messages: Any, form: type[BaseModel], prompt: str, tokens: int, sample: int, temperature: float
) -> Call:
    wanted: dict[str, Any] = {"temperature": temperature, "seed": sample}
    sampling = {name: value for name, value in wanted.items() if name not in (spec.parameters or {})}
    return spec.call(
        messages,
        schema=schema_of(form),
        sample=sample,
        prompt_sha=load_prompt(prompt).sha,
        max_output_tokens=tokens,
        **sampling,
    )
