"""What a reviewer wants to know of a concept: how often each attribute has a value, some rows, how many questions."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dagster_defs.steps.propose.check import Checked, best, is_usable, shown_values
from dagster_defs.steps.propose.measure import Measured, Probe
from dagster_defs.steps.published import reading
from ingest.concepts.declaration import Attribute
from ingest.wikidata.look import names_of, statements_of

SAMPLE_ROWS: Final = 5
# An attribute that fewer of the entities have hardly makes a question.
_COVERED: Final = 0.5
# Built topics that an estimate goes by.
_NEAREST: Final = 5
_ATTRIBUTES: Final = "select topic, count(*) from topics.catalog where coverage >= ? and kind != 'text' group by topic"
_QUESTIONS: Final = "select topic, type, count(*) from questions.questions where family = 'multi_entity' group by all"


@dataclass(frozen=True)
class Coverage:
    """How many of the checked results have a value of an attribute, and how many distinct values there are.

    shown: entity -> its value, as a person reads it.
    """

    attribute: Attribute
    n_checked: int
    shown: Mapping[str, str]

    @property
    def n_known(self) -> int:
        """Results with a value."""
        return len(self.shown)

    @property
    def n_values(self) -> int:
        """Distinct values."""
        return len(set(self.shown.values()))

    @property
    def share(self) -> float:
        """The share of results with a value; 0 where nothing was checked."""
        return self.n_known / self.n_checked if self.n_checked else 0.0


@dataclass(frozen=True)
class Expected:
    """An estimate of the questions by type. topics: built topics that it goes by. error: by how much such an estimate
    of a built topic's total, from the others, is off on average, relative to it; None where there are too few."""

    by_type: Mapping[str, int]
    topics: Sequence[str]
    error: float | None

    @property
    def total(self) -> int:
        """Over all types."""
        return sum(self.by_type.values())


def coverages(measured: Measured, probe: Probe) -> list[Coverage]:
    """The coverage of each attribute, in their order; a second step is looked up here. Raises IngestError."""
    found = []
    for attribute in measured.declaration.attributes:
        if len(attribute.steps) > 1:
            shown = _second_step(attribute, measured.checked, probe)
        else:
            name = attribute.name
            shown = {one.entity_id: one.shown[name] for one in measured.checked if name in one.known}
        found.append(Coverage(attribute, len(measured.checked), shown))
    return found


def _second_step(attribute: Attribute, checked: Sequence[Checked], probe: Probe) -> dict[str, str]:
    targets = sorted({one for result in checked for one in result.reached.get(attribute.name, ())})
    stated: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in statements_of(probe.endpoint, targets, [attribute.steps[1]], probe.batch_size):
        if row["rank"] != "deprecated":
            stated[row["subject_id"]].append(row)
    usable = {
        target: [row for row in best(rows) if is_usable(attribute.kind, row, probe.rules)]
        for target, rows in stated.items()
    }
    things = {row["value_entity"] for rows in usable.values() for row in rows if row["value_entity"]}
    names = names_of(probe.endpoint, sorted(things), probe.language, probe.batch_size)
    shown = {}
    for result in checked:
        rows = [row for one in result.reached.get(attribute.name, ()) for row in usable.get(one, ())]
        if rows:
            shown[result.entity_id] = shown_values(rows, names)
    return shown


def sample_rows(measured: Measured, covered: Sequence[Coverage]) -> list[list[str]]:
    """The first valid results, by id: label, then a value for each attribute, '' where there is none."""
    valid = [one for one in measured.checked if not one.causes][:SAMPLE_ROWS]
    return [[one.label or "", *(each.shown.get(one.entity_id, "") for each in covered)] for one in valid]


def expected(covered: Sequence[Coverage], database: Path) -> Expected | None:
    """About how many questions of each type a build would mint; None where no built topic can be gone by.

    An estimate: of each type, the median over the built topics with the nearest number of attributes that half the
    entities have. Raises RunError where the published file is there and can't be read.
    """
    if not database.exists():
        return None
    with reading(database, "questions") as connection:
        attributes: dict[str, int] = dict(connection.execute(_ATTRIBUTES, [_COVERED]).fetchall())
        counted = connection.execute(_QUESTIONS).fetchall()
    built: dict[str, Counter[str]] = defaultdict(Counter)
    for topic, kind, count in counted:
        if topic in attributes:
            built[topic][kind] += count
    if not built:
        return None
    own = sum(one.share >= _COVERED for one in covered)
    off = []
    for topic, counts in built.items():
        others = {name: those for name, those in built.items() if name != topic}
        guess = sum(_medians(_nearest(others, attributes, attributes[topic]), others).values())
        off.append(abs(guess - counts.total()) / counts.total())
    topics = _nearest(built, attributes, own)
    return Expected(_medians(topics, built), topics, statistics.mean(off) if len(built) > _NEAREST else None)


def _nearest(built: Mapping[str, Counter[str]], attributes: Mapping[str, int], own: int) -> list[str]:
    """The topics whose number of attributes is nearest to ``own``."""
    return sorted(sorted(built, key=lambda topic: (abs(attributes[topic] - own), topic))[:_NEAREST])


def _medians(topics: Sequence[str], built: Mapping[str, Counter[str]]) -> dict[str, int]:
    """Type -> the median number of questions over ``topics``."""
    kinds = sorted({kind for topic in topics for kind in built[topic]})
    return {kind: round(statistics.median(built[topic][kind] for topic in topics)) for kind in kinds}
