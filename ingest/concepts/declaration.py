"""Concepts in ``ingest/concepts/<field>.yml``, read into checked, typed objects: from one of these a topic is made.

Whatever is wrong with a yml ends in one :class:`ingest.errors.TopicSourceError` that names file, concept, key and
remedy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ingest.errors import TopicSourceError
from ingest.ids import is_property_id
from ingest.topics import EntityId, ItemId, StatementFilter, TopicSource, read_yaml

CONCEPTS_DIR: Final = Path(__file__).parent
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_FIRST_STEPS: Final = 2
_MOST_REQUIRED: Final = 2
Kind = Literal["number", "category", "categories", "year", "date"]
Adjective = Literal["high", "large", "long", "late", "great", "old"]


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is no name in snake_case, such as elevation_m")
    return text


def _path(text: str) -> str:
    steps = text.split("/")
    if len(steps) > _FIRST_STEPS or not all(map(is_property_id, steps)):
        raise ValueError(f"{text!r} is no path; write a property such as P2046, or two as in P17/P30")
    return text


Name = Annotated[str, AfterValidator(_name)]
Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Attribute(_Strict):
    """What questions ask about a member. ``path`` and words are those of a topic's column (models/topics/README.md);
    ``label``: the properties' English labels; ``unit``: a Q-id of seeds/units.csv, ``unit_name`` the words for it."""

    name: Name
    path: Annotated[str, AfterValidator(_path)]
    label: Text
    kind: Kind
    phrase: Text
    phrase_plural: str | None = None
    article: Literal["the", "a", "an", ""] | None = None
    unit: ItemId | None = None
    unit_name: str | None = None
    adjective: Adjective | None = None
    integer: bool = False
    additive: bool = False
    volatile: bool = False
    scope: str | None = None
    member: str | None = None
    shared: str | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The properties of the path, one or two."""
        return tuple(self.path.split("/"))

    @property
    def is_category(self) -> bool:
        """Whether the value is a thing, or several."""
        return self.kind in ("category", "categories")

    @model_validator(mode="after")
    def _words_fit(self) -> Attribute:
        if self.kind != "number" and (self.unit or self.unit_name or self.additive or self.volatile or self.integer):
            raise ValueError("unit, unit_name, integer, additive and volatile go with the kind number; leave them out")
        if self.kind == "year" and not self.name.endswith("_year"):
            raise ValueError("the name of a year ends in _year; rename it")
        if self.is_category:
            for key in ("scope", "member"):
                words = getattr(self, key)
                if words is not None and "{value}" not in words:
                    raise ValueError(f"{key} says no value; put {{value}} into it, as in 'in {{value}}'")
        return self


class Declaration(_Strict):
    """A concept: who belongs to it, and what is asked about its members.

    ``classes`` and ``excluded_classes``: id -> English label. ``required``: attributes without which a member is not
    valid. ``is_current``: what has ended is not valid. ``labels``: names of ids that filters use.
    """

    field: Name
    concept: Text
    topic: Name
    singular: Text
    plural: Text
    description: Text
    label_article: Literal["the", "a", "an", ""] | None = None
    classes: Mapping[EntityId, str] = Field(min_length=1)
    excluded_classes: Mapping[EntityId, str] = Field(default_factory=dict)
    filters: tuple[StatementFilter, ...] = ()
    least_sitelinks: int = Field(0, ge=0)
    required: tuple[str, ...] = Field((), max_length=_MOST_REQUIRED)
    is_current: bool = False
    attributes: tuple[Attribute, ...] = Field(min_length=1)
    labels: Mapping[EntityId, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _hangs_together(self) -> Declaration:
        names = Counter(one.name for one in self.attributes)
        name, times = names.most_common(1)[0]
        if times > 1:
            raise ValueError(f"the attribute {name!r} is declared {times} times; keep one")
        unknown = [one for one in self.required if one not in names]
        if unknown:
            raise ValueError(f"required names {unknown[0]!r}, which is no attribute; use {', '.join(names)}")
        both = sorted(self.classes.keys() & self.excluded_classes.keys())
        if both:
            raise ValueError(f"{both[0]} is among classes and excluded_classes; keep one")
        return self

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name. Raises KeyError."""
        return {one.name: one for one in self.attributes}[name]

    def source(self) -> TopicSource:
        """The data need of the topic: what members are asked for, and what the filters look at."""
        hops: dict[str, set[str]] = {}
        properties = {one.property for one in self.filters}
        for attribute in self.attributes:
            first, *then = attribute.steps
            properties.add(first)
            if then:
                hops.setdefault(first, set()).update(then)
        return TopicSource(
            name=self.topic,
            classes=tuple(self.classes),
            excluded_classes=tuple(self.excluded_classes),
            filters=self.filters,
            least_sitelinks=self.least_sitelinks,
            properties=tuple(sorted(properties, key=_by_number)),
            hops={first: tuple(sorted(then, key=_by_number)) for first, then in sorted(hops.items())},
        )


def load_declarations(folder: Path = CONCEPTS_DIR, field: str | None = None) -> list[Declaration]:
    """The concepts of ``<folder>/*.yml`` in order of file, those of one ``field`` where that is given.

    Raises:
        TopicSourceError: a file that cannot be read, a malformed concept, a name used twice, or an unknown field.
    """
    found: list[Declaration] = []
    for path in sorted(folder.glob("*.yml")):
        found += read_concepts(path)
    for what in ("concept", "topic"):
        name, times = next(iter(Counter(getattr(one, what) for one in found).most_common(1)), ("", 0))
        if times > 1:
            raise TopicSourceError(f"{folder}: the {what} {name!r} is declared {times} times; rename or remove one.")
    fields = sorted({one.field for one in found})
    if field is not None and field not in fields:
        raise TopicSourceError(
            f"{folder} has no field {field!r}; name one of {', '.join(fields) or 'none'}, or add {field}.yml."
        )
    return [one for one in found if field in (None, one.field)]


def read_concepts(path: Path) -> list[Declaration]:
    """The concepts of one file. Raises TopicSourceError."""
    document = read_yaml(path)
    concepts = document.get("concepts") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(concepts, list) or not concepts:
        raise TopicSourceError(f"{path}: key concepts: is no list; start the file with 'field:' and 'concepts:'.")
    if document.get("field") != path.stem:
        raise TopicSourceError(f"{path}: key field: is {document.get('field')!r}; write field: {path.stem}.")
    extra = sorted(set(map(str, document)) - {"field", "concepts"})
    if extra:
        raise TopicSourceError(f"{path}: key {extra[0]} is not known; use field and concepts.")
    return [read_concept({**one, "field": path.stem} if isinstance(one, dict) else one, str(path)) for one in concepts]


def read_concept(content: Any, where: str) -> Declaration:
    """One concept. Raises TopicSourceError, which begins with ``where`` it stands."""
    if not isinstance(content, dict) or not isinstance(content.get("concept"), str):
        raise TopicSourceError(f"{where}: key concept is missing; give every concept the name that asks for it.")
    try:
        return Declaration.model_validate(content)
    except ValidationError as error:
        raise TopicSourceError(_sentence(where, content["concept"], error)) from error


def _sentence(where: str, concept: str, error: ValidationError) -> str:
    """The first problem pydantic found, as a sentence with its remedy."""
    first = error.errors(include_url=False)[0]
    key = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in first["loc"] if one != "[key]")[1:]
    kind, message = first["type"], first["msg"].removeprefix("Value error, ")
    at = f"{where}: key {key} of concept {concept}" if key else f"{where}: concept {concept}"
    if kind == "missing":
        return f"{at} is missing; add it."
    if kind == "extra_forbidden":
        return f"{at} is not known; use {', '.join(_known_keys(first['loc']))}."
    if kind == "value_error":
        return f"{at} is wrong: {message}."
    return f"{at} holds {first['input']!r}, which does not fit ({message}); mend it."


def _known_keys(location: Sequence[int | str]) -> list[str]:
    inner: Mapping[Any, type[BaseModel]] = {"filters": StatementFilter, "attributes": Attribute}
    return [key for key in inner.get(location[0], Declaration).model_fields if key != "field"]


def _by_number(property_id: str) -> tuple[int, str]:
    return len(property_id), property_id
