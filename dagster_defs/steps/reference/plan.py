"""Which corpus is wanted, of which entities, and the call that reads one piece of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from dagster_defs.errors import RunError
from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.llm.structured import schema_of
from dagster_defs.steps.passages import sampling
from dagster_defs.steps.published import digest as digest_of
from dagster_defs.steps.published import reading

WIKIPEDIA: Final = "wikipedia"
WEB: Final = "web"
PROMPT: Final = "extract_triples"
# The limit on the triples of one piece of text.
EXTRACT_TOKENS: Final = 2048
_ENTITIES: Final = (
    "select entity_id, title, n_characters from elicitation.entities where set_name = ? order by ordinal, entity_id"
)


class WebTriple(BaseModel):
    """A fact of a text whose words may not be kept."""

    subject: str
    predicate: str
    object: str


class Triple(WebTriple):
    """A fact, and the sentence that states it."""

    sentence: str


class Extraction(BaseModel):
    """All facts of a text."""

    triples: list[Triple]


class WebExtraction(BaseModel):
    """All facts of a text whose words may not be kept."""

    triples: list[WebTriple]


@dataclass(frozen=True)
class Corpus:
    """A reference corpus: of the first ``n`` entities of a set (0: all).

    passage_tokens: the longest passage, as tokens are estimated from bytes; what an embedding model reads in whole.
    web_results: at most so many for an entity, where a provider is given. least_characters: shorter articles are not
    read. Raises RunError for a number that makes no sense.
    """

    set_name: str
    n: int = 0
    passage_tokens: int = 256
    web_results: int = 20
    least_characters: int = 2000

    def __post_init__(self) -> None:
        if self.n < 0 or self.web_results < 1 or self.least_characters < 0:
            raise RunError(
                "A reference corpus has 0 (all) or more entities, 1 or more web results, and no limit below 0."
            )
        if self.passage_tokens < 64:
            raise RunError(f"A passage needs room for 64 tokens or more, not {self.passage_tokens}.")


@dataclass(frozen=True)
class Entity:
    """An entity of a set. n_characters: of its article, where that is known."""

    entity_id: str
    title: str
    n_characters: int | None = None


def choose(database: Path, wanted: Corpus) -> list[Entity]:
    """The entities of a published set, in its order.

    Raises RunError when the file can't be read, or has no such set.
    """
    with reading(database, "entities") as connection:
        rows = connection.execute(_ENTITIES, [wanted.set_name]).fetchall()
        sets = [] if rows else connection.execute("select distinct set_name from elicitation.entities").fetchall()
    if not rows:
        named = ", ".join(sorted(name for (name,) in sets)) or "none"
        raise RunError(f"There is no entity set '{wanted.set_name}' in {database}: it has {named}.")
    return [Entity(*row) for row in rows][: wanted.n or None]


def reference_id(wanted: Corpus, entities: Sequence[Entity], sources: Sequence[str], extractor: ModelSpec) -> str:
    """The set's name and a digest of what is read and how; the same corpus has the same id for ever.

    sources: names of article source and search provider.
    """
    content = [
        {name: value for name, value in asdict(wanted).items() if name != "n"},
        [[one.entity_id, one.title] for one in entities],
        sorted(sources),
        [extractor.name, extractor.model_id, extractor.max_output_tokens, dict(extractor.parameters or {})],
        extractor.reasoning_effort,
        prompt_sha(),
    ]
    return f"{name_of(wanted.set_name)}--{digest(content)}"


def name_of(set_name: str) -> str:
    """A set's name as a file can bear it."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", set_name).strip("-._")[:80] or "set"


def digest(content: Any) -> str:
    """12 hexadecimal digits of plain data."""
    return digest_of(content)[:12]


def prompt_sha() -> str:
    """The digest of the prompt."""
    return load_prompt(PROMPT).sha


def extract_call(spec: ModelSpec, entity: str, text: str, *, quoted: bool, sample: int = 0) -> Call:
    """The triples of one piece of ``text`` about ``entity``.

    quoted: whether sentences are asked for; an answer is kept in the journal, so no text may come back in it that may
    not be kept. sample: number of the try, from 0.
    """
    messages = load_prompt(PROMPT).render(entity=entity, text=text, quoted=quoted)
    return spec.call(
        messages,
        schema=schema_of(Extraction if quoted else WebExtraction),
        sample=sample,
        prompt_sha=prompt_sha(),
        max_output_tokens=EXTRACT_TOKENS,
        **sampling(spec, sample),
    )
