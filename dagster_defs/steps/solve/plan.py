"""What a run asks: every question in its setting, as calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

from pydantic import BaseModel

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.llm.calls import Call
from dagster_defs.llm.embedding import Embedder
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import Prompt, load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.names import DEEP_RESEARCH
from dagster_defs.steps.agent import actions
from dagster_defs.steps.agent.loop import Bounds
from dagster_defs.steps.matching import Attribute
from dagster_defs.steps.matching.verdicts import STATISTICAL_TYPES
from dagster_defs.steps.solve import forms
from dagster_defs.steps.solve.contexts import READING, Context, Contexts, Setting, room_for
from dagster_defs.steps.solve.questions import Question, QuestionSet, Warehouse

# The limit on an answer, kept free in the context, unless a run says otherwise.
ANSWER_TOKENS = 512


@dataclass(frozen=True)
class Run:
    """A model in a setting over a question set.

    samples: answers to each question, at least 1. ea_max_entities: the working table is asked of questions that consult
    at most so many entities; 0 asks none. answer_tokens, table_tokens: the limit on an answer and on a working table,
    kept free in the context. Of an agent alone, steps: how many it takes at most, step_tokens: the limit on what it
    writes in one, live: whether it reads pages of the web, too. snapshot_id: what the questions are from, as `pinned`
    found it: a run of other data is another run, and leaves the rows of the first as they are. articles: likewise a
    digest of the articles that are at hand; empty where fact sheets are all there is to read.
    """

    spec: ModelSpec
    setting: Setting
    questions: QuestionSet = field(default_factory=QuestionSet)
    samples: int = 3
    temperature: float = 0.0
    ea_max_entities: int = 100
    answer_tokens: int = ANSWER_TOKENS
    table_tokens: int = 4096
    steps: int = Bounds.steps
    step_tokens: int = Bounds.step_tokens
    live: bool = False
    snapshot_id: str = ""
    articles: str = ""

    def __post_init__(self) -> None:
        for name in ("samples", "answer_tokens", "table_tokens", "steps", "step_tokens"):
            if getattr(self, name) < 1:
                raise RunError(f"A run takes at least 1 as its '{name}', not {getattr(self, name)}.")
        for name in ("temperature", "ea_max_entities"):
            if not getattr(self, name) >= 0:
                raise RunError(f"A run takes at least 0 as its '{name}', not {getattr(self, name)}.")

    @cached_property
    def run_id(self) -> str:
        """Model, setting and a digest of everything else that the run is; the same run has the same id for ever."""
        content = [
            self.spec.model_id, self.spec.context_tokens, self.spec.max_output_tokens, dict(self.spec.parameters or {}),
            self.spec.reasoning_effort, self.questions.as_json(), self.samples, self.temperature, self.ea_max_entities,
            self.answer_tokens, self.table_tokens,
        ]  # fmt: skip
        if self.setting is Setting.AGENT:
            content += [asdict(self.bounds), self.live, self.spec.tools, prompt_sha(self), actions.listed()]
        if self.snapshot_id:
            content.append(self.snapshot_id)
        if self.articles:
            content.append(["articles", self.articles])
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.spec.name}--{self.setting}--{digest}"

    @property
    def bounds(self) -> Bounds:
        """How far an agent may go."""
        return Bounds(steps=self.steps, step_tokens=self.step_tokens)

    def sampling(self, sample: int) -> dict[str, float]:
        """Temperature and seed, where models.yml does not say that the model takes another or none."""
        wanted = {"temperature": self.temperature, "seed": self.questions.seed + sample}
        return {name: value for name, value in wanted.items() if name not in (self.spec.parameters or {})}


@dataclass(frozen=True)
class Ask:
    """One call of a run, and what it is about. is_table: it asks for the working table, not for the answer."""

    question: Question
    sample: int
    is_table: bool
    call: Call
    context: Context


def plan(run: Run, warehouse: Warehouse, embedder: Embedder | None = None) -> list[Ask]:
    """Every call of ``run``, answers before working tables.

    Raises RunError when the question set is empty, ValueError when the setting needs an embedder, and for an agent,
    whose calls hang on what came of those before.
    """
    if run.setting is Setting.AGENT:
        raise ValueError("what an agent asks cannot be planned")
    contexts = Contexts(warehouse, run.setting, estimated_tokens, embedder)
    questions = warehouse.choose(run.questions)
    answers = [ask for question in questions for ask in _answers(run, warehouse, contexts, question)]
    # To list what a question needs, in words, would give away what it hides.
    listed = [one for one in questions if one.entity_count <= run.ea_max_entities and not one.hidden]
    return answers + [ask for question in listed for ask in _tables(run, warehouse, contexts, question)]


def pinned(run: Run, warehouse: Warehouse) -> Run:
    """``run`` with an id that other texts or data of its questions would not have. Raises RunError for an empty set."""
    articles = warehouse.articles.digest() if run.setting in READING else ""
    questions = warehouse.pinned(run.questions)
    return replace(run, questions=questions, snapshot_id=warehouse.snapshot_id(), articles=articles)


def prompt_sha(run: Run) -> str:
    """One digest for the prompts of a run."""
    if run.setting is Setting.AGENT:
        names: tuple[str, ...] = ("agent", "agent_step")
    elif run.questions.family == DEEP_RESEARCH:
        names = ("solve_research",)
    else:
        names = ("solve", "solve_method", "solve_table")
    shas = [load_prompt(name).sha for name in names]
    return hashlib.sha256("".join(shas).encode()).hexdigest()


def _answers(run: Run, warehouse: Warehouse, contexts: Contexts, question: Question) -> list[Ask]:
    if question.hidden:
        return _asks(
            run, contexts, question, load_prompt("solve_research"), {"question": question.question}, forms.Research
        )
    if question.type in STATISTICAL_TYPES:
        listed = [column(attribute) for attribute in warehouse.attributes(question.topic)]
        values = {"question": question.question, "attributes": listed}
        return _asks(run, contexts, question, load_prompt("solve_method"), values, forms.Method)
    return _asks(run, contexts, question, load_prompt("solve"), {"question": question.question}, forms.Answer)


def _tables(run: Run, warehouse: Warehouse, contexts: Contexts, question: Question) -> list[Ask]:
    consulted = {fact.attribute for fact in warehouse.evidence(question)}
    listed = [column(one) for one in warehouse.attributes(question.topic) if one.name in consulted]
    values = {"question": question.question, "attributes": listed}
    return _asks(run, contexts, question, load_prompt("solve_table"), values, forms.Table)


def _asks(
    run: Run,
    contexts: Contexts,
    question: Question,
    prompt: Prompt,
    values: Mapping[str, object],
    form: type[BaseModel],
) -> list[Ask]:
    is_table = form is forms.Table
    limit = min(run.table_tokens if is_table else run.answer_tokens, run.spec.max_output_tokens)
    schema = schema_of(form)
    context = Context()
    if run.setting is not Setting.CLOSED_BOOK:
        # An empty document stands for what a prompt says only where there are documents: how to read them.
        bare = run.spec.call(prompt.render(**values, documents=[""]), schema=schema)
        context = contexts.of(question, room_for(run.spec.context_tokens, limit, estimated_tokens(bare)))
    messages = prompt.render(**values, documents=list(context.documents))
    return [
        Ask(
            question,
            sample,
            is_table,
            run.spec.call(
                messages,
                schema=schema,
                sample=sample,
                prompt_sha=prompt.sha,
                max_output_tokens=limit,
                **run.sampling(sample),
            ),
            context,
        )
        for sample in range(run.samples)
    ]


def column(attribute: Attribute) -> str:
    """A column of a topic as a prompt lists it."""
    return f"{attribute.name}: {attribute.phrase}" + (f" ({attribute.unit})" if attribute.unit else "")


def calls(asks: Sequence[Ask]) -> list[Call]:
    """The calls alone, in their order."""
    return [ask.call for ask in asks]
