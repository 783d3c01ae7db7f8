"""What data a topic needs: ``meta.source`` of ``models/topics/*.yml``, read into checked, typed objects.

Whatever is wrong with a yml ends in one :class:`ingest.errors.TopicSourceError` that names file, key and remedy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ingest.errors import TopicSourceError
from ingest.ids import BadEntityIdError, is_property_id, to_iri

_WIKIDATA_PROPERTY: Final = re.compile(r"P[1-9][0-9]*")
_ITEM: Final = re.compile(r"Q[1-9][0-9]*")
_EXAMPLE: Final = "{classes: [Q6256], properties: [P1082]}"


def _property_id(text: str) -> str:
    if not is_property_id(text):
        raise ValueError(f"{text!r} is no property id; write one such as P1082")
    return text


def _wikidata_property_id(text: str) -> str:
    if not _WIKIDATA_PROPERTY.fullmatch(text):
        raise ValueError(f"{text!r} is no property of Wikidata; filter by one such as P1082")
    return text


def _item_id(text: str) -> str:
    if not _ITEM.fullmatch(text):
        raise ValueError(f"{text!r} is no Wikidata item id; write one such as Q6256")
    return text


def _entity_id(text: str) -> str:
    try:
        to_iri(text)
    except BadEntityIdError as error:
        raise ValueError(str(error).rstrip(".")) from error
    return text


PropertyId = Annotated[str, AfterValidator(_property_id)]
WikidataPropertyId = Annotated[str, AfterValidator(_wikidata_property_id)]
ItemId = Annotated[str, AfterValidator(_item_id)]
EntityId = Annotated[str, AfterValidator(_entity_id)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StatementFilter(_Strict):
    """Keeps members with a fitting statement: a quantity inside ``min`` and ``max`` (inclusive, as the number stands
    in the statement; ``unit`` restricts it to one unit, None takes any), one of the entities in ``values``, any value
    where ``present`` (with ``unit``: a quantity in that unit), or, where ``absent``, no value of the best rank."""

    property: WikidataPropertyId
    min: Decimal | None = None
    max: Decimal | None = None
    unit: ItemId | None = None
    values: tuple[EntityId, ...] = ()
    present: bool = False
    absent: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> StatementFilter:
        is_numeric = self.min is not None or self.max is not None
        if [is_numeric, bool(self.values), self.present, self.absent].count(True) != 1:
            raise ValueError("a filter needs either min and/or max, or values, or present or absent; give one of them")
        if self.unit is not None and (self.values or self.absent):
            raise ValueError("unit goes with min and max, and with present; leave it out beside values and absent")
        if not all(bound is None or bound.is_finite() for bound in (self.min, self.max)):
            raise ValueError("min and max are plain numbers; write them as such")
        return self


class TopicSource(_Strict):
    """The data need of one topic.

    ``classes``: members are P31/P279* of any of these. ``excluded_classes``: members whose P31 is directly one of these
    are left out. ``filters``: all must hold. ``least_sitelinks``: members have pages in so many wikis. ``properties``:
    landed for every member, P31 always beside them. ``hops``: property -> properties landed for the entities that it
    leads to.
    """

    name: str
    classes: tuple[EntityId, ...] = Field(min_length=1)
    excluded_classes: tuple[EntityId, ...] = ()
    filters: tuple[StatementFilter, ...] = ()
    least_sitelinks: int = Field(0, ge=0)
    properties: tuple[PropertyId, ...] = Field(min_length=1)
    hops: Mapping[PropertyId, tuple[PropertyId, ...]] = Field(default_factory=dict)

    @property
    def own_properties(self) -> tuple[str, ...]:
        """Properties to land for the members themselves: the stated ones, those hopped over, and P31."""
        return tuple(sorted({*self.properties, *self.hops, "P31"}, key=lambda one: (len(one), one)))


def load_topic_sources(models_dir: Path, topics: Sequence[str] | None = None) -> list[TopicSource]:
    """The data needs stated in ``<models_dir>/topics/*.yml``, in order of topic name.

    Args:
        models_dir: dbt's ``models`` folder.
        topics: names of the topics wanted; None takes all.

    Raises:
        TopicSourceError: a folder or file that cannot be read, a malformed yml, a bad key, or an unknown topic.
    """
    folder = models_dir / "topics"
    if not folder.is_dir():
        raise TopicSourceError(f"There is no folder {folder}; point the ingest at dbt's models folder.")
    found: dict[str, TopicSource] = {}
    for path in sorted(folder.glob("*.yml")):
        for source in read_topic_file(path):
            if source.name in found:
                raise TopicSourceError(f"{path}: a topic {source.name!r} is described twice; keep one of them.")
            found[source.name] = source
    if topics is None:
        return [found[name] for name in sorted(found)]
    missing = sorted(set(topics) - set(found))
    if missing:
        known = ", ".join(sorted(found)) or "none"
        raise TopicSourceError(
            f"{folder} describes no topic {missing[0]!r}; add its yml with meta.source, or name one of: {known}."
        )
    return [found[name] for name in sorted(set(topics))]


def read_topic_file(path: Path) -> list[TopicSource]:
    """The data needs of the models that one yml describes. Models without a ``meta.source`` are an error."""
    document = read_yaml(path)
    models = document.get("models") if isinstance(document, dict) else None
    if not isinstance(models, list) or not models:
        raise TopicSourceError(f"{path}: key models: is no list; start the file with 'models:' and '- name:'.")
    return [_topic_source(path, model) for model in models]


# The safe loader of libyaml, where PyYAML was built with it: seven times the speed over two dozen files.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> Any:
    """What a yml holds. Raises TopicSourceError, with the line, for what cannot be read."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, UnicodeDecodeError) as error:
        raise TopicSourceError(f"{path} cannot be read ({error}); make it a readable UTF-8 file.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        problem = getattr(error, "problem", None) or "it does not parse"
        raise TopicSourceError(f"{path} is no valid YAML at {where}: {problem}; mend that line.") from error


def _topic_source(path: Path, model: Any) -> TopicSource:
    if not isinstance(model, dict) or not isinstance(model.get("name"), str):
        raise TopicSourceError(f"{path}: key models[].name is missing; give every model the name of its table.")
    name = model["name"]
    node: Any = model
    for number, key in enumerate(keys := ("config", "meta", "source")):
        node = node.get(key)
        where = f"key {'.'.join(keys[: number + 1])} of model {name}"
        if node is None:
            raise TopicSourceError(f"{path}: {where} is missing; add config.meta.source, for example {_EXAMPLE}.")
        if not isinstance(node, dict):
            raise TopicSourceError(f"{path}: {where} must hold keys, not {node!r}; for example {_EXAMPLE}.")
    if "name" in node:
        raise TopicSourceError(f"{path}: key config.meta.source.name of model {name} is not known; leave it out.")
    try:
        return TopicSource.model_validate({**node, "name": name})
    except ValidationError as error:
        raise TopicSourceError(_sentence(path, name, error)) from error


def _sentence(path: Path, name: str, error: ValidationError) -> str:
    """The first problem pydantic found, as a sentence with its remedy."""
    first = error.errors(include_url=False)[0]
    key = "config.meta.source" + "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"] if part != "[key]"
    )
    kind, message = first["type"], first["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:] if not message.startswith("'") else message
    if kind == "missing":
        detail = f"is missing; add it, for example {_EXAMPLE}"
    elif kind == "too_short":
        detail = f"is empty; list at least one id, for example {_EXAMPLE}"
    elif kind == "extra_forbidden":
        detail = f"is not known; use {', '.join(_known_keys(first['loc']))}"
    elif kind == "value_error":
        detail = f"is wrong: {message}"
    else:
        detail = f"holds {first['input']!r}, which does not fit ({message}); for example {_EXAMPLE}"
    return f"{path}: key {key} of model {name} {detail}."


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    fields = StatementFilter.model_fields if location[0] == "filters" else TopicSource.model_fields
    return [field for field in fields if field != "name"]
