"""What a judgement is: who judges how large a sample by which passages, and the calls of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from dagster_defs.errors import RunError
from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.judge.texts import Triple
from dagster_defs.steps.published import digest

ENTAILMENT, CONTRADICTION, NEUTRAL, ERROR = "entailment", "contradiction", "neutral", "error"
PRECISION, RECALL = DIRECTIONS = ("precision", "recall")
EXACT, EMBEDDING, JUDGE = "exact", "embedding", "judge"
# The word that a verdict is, with what servers put around it.
_TOKENS = 64
# The first try is the model's likeliest answer; what could not be read is tried again a little off it.
_RETRY_TEMPERATURE = 0.5


class Verdict(BaseModel):
    """What a judge says."""

    verdict: Literal["entailment", "contradiction", "neutral"]


@dataclass(frozen=True)
class Judging:
    """How experiments are judged.

    sample_size: triples drawn in each direction, 0 for all. seed: of the draw. n_passages: how many of the most similar
    passages the judge sees of a triple. n_triples: how many of the most similar elicited triples it sees of a fact.
    threshold: cosine similarity from which two triples that share a predicate or an object count as one without the
    judge; above 1 for never. Raises RunError for numbers that there can't be.
    """

    judge: ModelSpec
    embedder: str
    sample_size: int = 500
    seed: int = 42
    n_passages: int = 10
    n_triples: int = 30
    threshold: float = 0.99

    def __post_init__(self) -> None:
        for name, least in (("sample_size", 0), ("n_passages", 1), ("n_triples", 1)):
            if getattr(self, name) < least:
                raise RunError(f"A judgement takes {least} or more as its '{name}', not {getattr(self, name)}.")
        if not self.threshold > 0:
            raise RunError(f"A judgement takes a threshold above 0, not {self.threshold}.")

    @property
    def prompt_sha(self) -> str:
        """One digest for its prompts."""
        return digest([load_prompt(name).sha for name in ("entail", "cover")])

    @property
    def judge_id(self) -> str:
        """What a verdict hangs on besides its triple: the judge as it is asked, and the prompts."""
        return digest([self.judge.identity, self.prompt_sha])[:16]

    def evaluation_id(self, experiment_id: str, reference_sha: str) -> str:
        """The experiment, the judge's name and a digest of everything else that the evaluation is."""
        content = [
            experiment_id, reference_sha, self.judge_id, self.embedder, self.sample_size, self.seed, self.n_passages,
            self.n_triples, self.threshold,
        ]  # fmt: skip
        return f"{experiment_id}--{self.judge.name}--{digest(content)[:12]}"

    def drawn(self, triple_ids: Sequence[str]) -> list[str]:
        """The sample: those of ``triple_ids`` whose digest with the seed is smallest, in the order of these digests.

        A larger sample holds every smaller one of the same seed, and nothing but ids and seed has a part in it.
        """
        placed = sorted(triple_ids, key=lambda one: (hashlib.sha256(f"{self.seed}/{one}".encode()).digest(), one))
        return placed[: self.sample_size or None]

    def entail_call(self, triple: Triple, passages: Sequence[str], sample: int = 0) -> Call:
        """Whether ``passages`` bear out an elicited triple. sample: number of the try, from 0."""
        values = {**triple.words(), "passages": list(passages)}
        return self._call("entail", values, sample)

    def cover_call(self, fact: Triple, sources: Sequence[str], triples: Sequence[Triple], sample: int = 0) -> Call:
        """Whether elicited ``triples`` hold a reference triple. sample: number of the try, from 0."""
        listed = [one.line for one in triples]
        return self._call("cover", {**fact.words(), "sources": list(sources), "triples": listed}, sample)

    def _call(self, name: str, values: dict[str, Any], sample: int) -> Call:
        prompt = load_prompt(name)
        wanted = {"temperature": _RETRY_TEMPERATURE if sample else 0.0, "seed": sample}
        own = self.judge.parameters or {}
        return self.judge.call(
            prompt.render(**values),
            schema=schema_of(Verdict),
            sample=sample,
            prompt_sha=prompt.sha,
            # A judge that reasons before its word needs the room that models.yml gives it.
            max_output_tokens=_TOKENS if self.judge.reasoning_effort is None else None,
            **{key: value for key, value in wanted.items() if key not in own},
        )
