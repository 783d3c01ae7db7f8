"""What an elicitation asks: experiments of a setting, and the calls of each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from dagster_defs.errors import RunError
from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.elicit.answers import Predicates, Triples
from dagster_defs.steps.elicit.entities import Entity, EntitySet, read_set
from dagster_defs.steps.published import digest

# Setting -> the entity set that it asks about; a list of one's own has a name of its own.
SETTINGS: Final[Mapping[str, str]] = {
    "random": "random",
    "domains": "domains",
    "popularity": "popularity",
    "ranges": "ranges",
    "non_existing": "non_existing",
    "multiple_prompts": "random",
    "reasoning_effort": "random",
    "list": "",
}
EFFORTS: Final = ("low", "medium", "high")
SCALES: Final = (0.5, 1.0, 2.0)
# The limit on an answer, of which reasoning models take a part for what they think.
ANSWER_TOKENS: Final = 4096
# Of the two steps: how many predicates a call asks the values of, and how many are asked about at all.
PREDICATES_AT_ONCE, MOST_PREDICATES = 20, 100


@dataclass(frozen=True)
class Variant:
    """How triples are asked for. times: how often the request is stated. vocabulary: where predicates come from, None
    for the model's own words; only: from nowhere else. two_step: predicates first, then the objects of these."""

    times: int = 1
    vocabulary: str | None = None
    only: bool = False
    two_step: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its prompts."""
        return ("elicit_predicates", "elicit_objects") if self.two_step else ("elicit",)


VARIANTS: Final[Mapping[str, Variant]] = {
    "direct": Variant(),
    "direct_2x": Variant(times=2),
    "direct_3x": Variant(times=3),
    "wikidata": Variant(vocabulary="wikidata"),
    "wikidata_only": Variant(vocabulary="wikidata", only=True),
    "schemaorg": Variant(vocabulary="schemaorg"),
    "schemaorg_only": Variant(vocabulary="schemaorg", only=True),
    "two_step": Variant(two_step=True),
}


@dataclass(frozen=True)
class Experiment:
    """A model asked about entities in one way.

    prompt: a name in VARIANTS. reasoning_effort: in place of the model's own, None to leave that. scale: the number of
    triples told to the model is this times the number of the entity's reference triples, at least 1; None tells none.
    answer_tokens: the limit on each answer. seed: sent with every call.
    Raises RunError for a setting, prompt, scale, temperature or limit that there can't be.
    """

    spec: ModelSpec
    setting: str
    prompt: str
    asked: EntitySet
    reasoning_effort: str | None = None
    scale: float | None = None
    temperature: float = 0.0
    answer_tokens: int = ANSWER_TOKENS
    seed: int = 42

    def __post_init__(self) -> None:
        check_among("setting", self.setting, SETTINGS)
        check_among("prompt", self.prompt, VARIANTS)
        if self.scale is not None and not (self.scale > 0 and math.isfinite(self.scale)):
            raise RunError(f"A scale of the expected number is above 0, not {self.scale}.")
        if not self.temperature >= 0:
            raise RunError(f"An elicitation takes a temperature of 0 or more, not {self.temperature}.")
        if self.answer_tokens < 1:
            raise RunError(f"An elicitation takes at least 1 token an answer, not {self.answer_tokens}.")

    @cached_property
    def experiment_id(self) -> str:
        """Model, setting, prompt and a digest of everything that is asked; the same experiment always has the same."""
        told = [[one.entity_id, one.title, one.kind, self.expected(one)] for one in self.asked.entities]
        content = [
            self.spec.identity, self.setting, self.prompt, self.prompt_sha, self.asked.name, told,
            self.reasoning_effort, self.scale, self.temperature, self.answer_tokens, self.seed,
        ]  # fmt: skip
        return f"{self.spec.name}--{self.setting}--{self.prompt}--{digest(content)[:12]}"

    @property
    def variant(self) -> Variant:
        """How it asks."""
        return VARIANTS[self.prompt]

    @property
    def prompt_sha(self) -> str:
        """One digest for the files of its prompts."""
        return digest([load_prompt(name).sha for name in self.variant.files])

    @property
    def effort(self) -> str | None:
        """How much the model is told to reason, its own setting where the experiment has none."""
        return self.reasoning_effort or self.spec.reasoning_effort

    def expected(self, entity: Entity) -> int | None:
        """The number of triples that is told of an entity, None where none is."""
        return None if self.scale is None else max(1, round(entity.n_reference * self.scale))

    def parameters(self) -> str:
        """What it asks with, as JSON: everything that no other column of its landed row says."""
        given = {"temperature": self.temperature, "answer_tokens": self.answer_tokens}
        return json.dumps({**given, "model_parameters": dict(self.spec.parameters or {})}, sort_keys=True)

    def first_calls(self) -> list[Call]:
        """What is asked of each entity before anything is answered, in the order of the entities."""
        return [self._first(entity) for entity in self.asked.entities]

    def object_calls(self, entity: Entity, predicates: Sequence[str]) -> list[Call]:
        """The second of two steps: the objects of ``predicates``, some at a time."""
        pieces = (
            list(predicates[start : start + PREDICATES_AT_ONCE])
            for start in range(0, len(predicates), PREDICATES_AT_ONCE)
        )
        return [
            self._call("elicit_objects", Triples, title=entity.title, kind=entity.kind, predicates=piece)
            for piece in pieces
        ]

    def _first(self, entity: Entity) -> Call:
        values: dict[str, Any] = {"title": entity.title, "kind": entity.kind, "expected": self.expected(entity)}
        how = self.variant
        if how.two_step:
            return self._call("elicit_predicates", Predicates, **values)
        return self._call("elicit", Triples, **values, times=how.times, vocabulary=how.vocabulary, only=how.only)

    def _call(self, name: str, form: type[Triples | Predicates], **values: Any) -> Call:
        prompt = load_prompt(name)
        wanted: dict[str, Any] = {"temperature": self.temperature, "seed": self.seed}
        given = {key: value for key, value in wanted.items() if key not in (self.spec.parameters or {})}
        if self.reasoning_effort is not None:
            given["reasoning_effort"] = self.reasoning_effort
        return self.spec.call(
            prompt.render(**values),
            schema=schema_of(form),
            prompt_sha=prompt.sha,
            max_output_tokens=self.answer_tokens,
            **given,
        )


def experiments_of(
    setting: str,
    spec: ModelSpec,
    database: Path,
    *,
    set_name: str | None = None,
    n: int = 0,
    prompts: Iterable[str] = (),
    efforts: Iterable[str] = (),
    scales: Iterable[float] = (),
    **more: Any,
) -> list[Experiment]:
    """The experiments of a setting, over its entity set or the one called ``set_name``.

    n: the first so many entities, 0 for all. prompts, efforts, scales: in place of the setting's own; each combination
    is an experiment. more: temperature, answer_tokens and seed of each.
    Raises RunError where there is no such setting, set or prompt, or entities can't be asked about.
    """
    check_among("setting", setting, SETTINGS)
    asked = read_set(database, set_of(setting, set_name), n)
    every_prompt = tuple(prompts) or (tuple(VARIANTS) if setting == "multiple_prompts" else ("direct",))
    every_effort = tuple(efforts) or (EFFORTS if setting == "reasoning_effort" else (None,))
    every_scale = tuple(scales) or (SCALES if setting == "ranges" else (None,))
    return [
        Experiment(spec, setting, prompt, asked, effort, scale, **more)
        for prompt in every_prompt
        for effort in every_effort
        for scale in every_scale
    ]


def set_of(setting: str, set_name: str | None) -> str:
    """The entity set that is asked about. Raises RunError where the setting has none and none is named."""
    name = set_name or SETTINGS[setting]
    if not name:
        raise RunError(f"The setting '{setting}' asks about a set of yours: name it (--set).")
    return name


def check_among(what: str, name: str, known: Iterable[str]) -> None:
    """Raise RunError unless ``name`` is among ``known``."""
    if name not in known:
        raise RunError(f"There is no {what} '{name}': take one of {', '.join(known)}.")
