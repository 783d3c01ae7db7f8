"""The rows of ``seeds/domain_topics.csv``, read into checked, typed objects. A new topic is one row there."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ingest.errors import TopicSourceError
from ingest.topics import EntityId, StatementFilter, WikidataPropertyId

DOMAINS: Final = ("biochemistry", "financial", "geophysical", "history", "security")
SERVICES: Final = ("chembl", "edgar", "nvd", "pubchem", "rcsb", "uniprot")
# What the entities of a list are, where not values of an identifier property.
ENWIKI: Final = "enwiki"
TICKER: Final = "ticker"
# A join whose identifiers stand in the list itself, since Wikidata has no property for them.
LISTED: Final = "cpe"
_PROPERTY: Final = re.compile(r"P[1-9][0-9]*")
_FILTER: Final = re.compile(r"(P[1-9][0-9]*)(?:(<=|>=)([0-9]+(?:\.[0-9]+)?)(?:/(Q[1-9][0-9]*))?)?")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Join(_Strict):
    """A service, and the property whose value is an entity's identifier there; ``cpe`` where the list has it."""

    property: str = Field(pattern=rf"^({_PROPERTY.pattern}|{LISTED})$")
    service: Literal["chembl", "edgar", "nvd", "pubchem", "rcsb", "uniprot"]


class Listed(_Strict):
    """An entity of a list: what identifies it, and its identifier at a service, where the list gives one."""

    name: str = Field(min_length=1)
    identifier: str | None = None


class DomainTopic(_Strict):
    """How one topic's entities are discovered, and which identifiers join them to services.

    ``classes``: members are P31/P279* of any. ``present``: properties they must have; ``filters``: quantities within
    bounds. ``listed_by`` and ``entities`` are those of a list.
    """

    domain: Literal["biochemistry", "financial", "geophysical", "history", "security"]
    topic: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    singular: str = Field(min_length=1)
    plural: str = Field(min_length=1)
    classes: tuple[EntityId, ...] = ()
    present: tuple[WikidataPropertyId, ...] = ()
    filters: tuple[StatementFilter, ...] = ()
    least_sitelinks: int = Field(20, ge=0)
    listed_by: str | None = Field(None, pattern=rf"^({_PROPERTY.pattern}|{ENWIKI}|{TICKER})$")
    entities: tuple[Listed, ...] = ()
    joins: tuple[Join, ...] = ()

    @model_validator(mode="after")
    def _found_one_way(self) -> DomainTopic:
        if bool(self.classes) == bool(self.entities) or bool(self.entities) != (self.listed_by is not None):
            raise ValueError("a topic has either classes, or entities and listed_by; give one of the two")
        named = {one.property for one in self.joins}
        if LISTED in named and any(one.identifier is None for one in self.entities):
            raise ValueError(f"a join by {LISTED} needs <entity>=<identifier> for every entity of the list")
        if self.listed_by == TICKER and not any(one.service == "edgar" for one in self.joins):
            raise ValueError("tickers are resolved by EDGAR; give a join such as P5531:edgar")
        return self


def load_domain_topics(path: Path, topics: Sequence[str] | None = None) -> list[DomainTopic]:
    """The topics of the seed, in its order.

    Args:
        path: ``seeds/domain_topics.csv``.
        topics: names of topics or domains wanted; None takes all.

    Raises:
        TopicSourceError: the file cannot be read, a row is malformed, or a name is unknown.
    """
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            rows = list(csv.DictReader(handle))
    except (OSError, UnicodeDecodeError) as error:
        raise TopicSourceError(f"{path} cannot be read ({error}); make it a readable UTF-8 file.") from error
    found = [read_row(row, f"{path}, line {number}") for number, row in enumerate(rows, 2)]
    if topics is None:
        return found
    missing = sorted(set(topics) - {one.topic for one in found} - {one.domain for one in found})
    if missing:
        raise TopicSourceError(
            f"{path} has no topic or domain {missing[0]!r}; add a row, or name one of its topics or of "
            f"{', '.join(DOMAINS)}."
        )
    return [one for one in found if one.topic in topics or one.domain in topics]


def read_row(row: dict[str, str], where: str) -> DomainTopic:
    """One row as a topic. Raises TopicSourceError, which begins with ``where`` it stands."""
    try:
        present, filters = _filters(row["filters"])
        return DomainTopic.model_validate(
            {
                **{name: row[name] for name in ("domain", "topic", "singular", "plural", "least_sitelinks")},
                "classes": row["classes"].split(),
                "present": present,
                "filters": filters,
                "listed_by": row["listed_by"] or None,
                "entities": [_listed(text) for text in row["entities"].split()],
                "joins": [
                    dict(zip(("property", "service"), one.split(":"), strict=True)) for one in row["joins"].split()
                ],
            }
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        column = first["loc"][0] if first["loc"] else "classes"
        said = str(first["msg"]).removeprefix("Value error, ")
        raise TopicSourceError(f"{where}: column {column} is wrong ({said}); mend that row.") from error
    except (KeyError, ValueError, AttributeError) as error:
        raise TopicSourceError(f"{where}: the row cannot be read ({error}); mend that row.") from error


def _filters(text: str) -> tuple[list[str], list[StatementFilter]]:
    """(properties that must be there, quantities within bounds) of a cell such as ``P625 P2044>=200/Q11573``."""
    present, bounds = [], []
    for one in text.split():
        parts = _FILTER.fullmatch(one)
        if parts is None:
            raise ValueError(f"{one!r} is no filter such as P2044 or P2044>=200/Q11573")
        prop, sign, bound, unit = parts.groups()
        if sign is None:
            present.append(prop)
        else:
            limit = {"min" if sign == ">=" else "max": Decimal(bound)}
            bounds.append(StatementFilter(property=prop, unit=unit, **limit))
    return present, bounds


def _listed(text: str) -> Listed:
    name, equals, identifier = text.partition("=")
    return Listed(name=name, identifier=identifier if equals else None)
