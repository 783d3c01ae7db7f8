"""Executes a concept's query and measures it: how many results, of which kinds, and the share that is valid."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from dagster_defs.errors import RunError
from dagster_defs.steps.propose.check import INTERNAL, Checked, Rules, check, looked_at
from ingest.concepts.declaration import Declaration
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.look import names_of, of_classes, statements_of
from ingest.wikidata.members import first_queries, members_of_class

# A class with more members than this is for a dump, and no concept is as wide as that by intent.
MOST_MEMBERS: Final = 100_000
_SUBCLASS_OF: Final = "P279"


@dataclass(frozen=True)
class Bar:
    """When a concept is good enough, and when to stop trying.

    precision: least share of valid results. members: least number of results. iterations: queries that are decided on.
    sample: results that are checked at most, drawn by a hash with ``seed``. Raises RunError for what makes no sense.
    """

    precision: float = 0.98
    members: int = 20
    iterations: int = 8
    sample: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.precision <= 1:
            raise RunError(f"A precision is a share from 0 to 1, not {self.precision}.")
        if min(self.members, self.iterations, self.sample) < 1:
            raise RunError("A concept needs 1 or more members, iterations, and results that are checked.")


@dataclass(frozen=True)
class Measured:
    """What a query came to. n_results: members, as far as MOST_MEMBERS. checked: the sample. labels: of the direct
    classes of the results."""

    declaration: Declaration
    query: str
    n_results: int
    checked: Sequence[Checked]
    labels: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def n_valid(self) -> int:
        """Results of the sample that are valid."""
        return sum(not one.causes for one in self.checked)

    @property
    def precision(self) -> float:
        """The share of the sample that is valid; 0 where there is none."""
        return self.n_valid / len(self.checked) if self.checked else 0.0

    @property
    def valid(self) -> float:
        """About how many of all results are valid."""
        return self.precision * self.n_results

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the precision; (0, 1) where nothing was checked."""
        if not self.checked:
            return 0.0, 1.0
        from scipy.stats import binomtest

        found = binomtest(self.n_valid, len(self.checked)).proportion_ci(confidence_level=0.95, method="wilson")
        return float(found.low), float(found.high)

    @property
    def causes(self) -> Counter[str]:
        """Cause -> results of the sample that are not valid by it; one may have several."""
        return Counter(cause for one in self.checked for cause in one.causes)

    @property
    def classes(self) -> dict[str, tuple[int, int]]:
        """Direct class -> (results of the sample in it, valid ones among them), the commonest first."""
        every = Counter(name for one in self.checked for name in one.classes)
        good = Counter(name for one in self.checked if not one.causes for name in one.classes)
        return {name: (count, good[name]) for name, count in every.most_common()}

    def passes(self, bar: Bar) -> bool:
        """Whether this is good enough."""
        return bar.members <= self.n_results < MOST_MEMBERS and self.precision >= bar.precision


@dataclass
class Probe:
    """Asks the endpoint what a concept's query gives."""

    endpoint: Endpoint
    rules: Rules
    bar: Bar = field(default_factory=Bar)
    language: str = "en"
    page_size: int = 5000
    batch_size: int = 500
    measured: dict[str, Measured] = field(default_factory=dict)

    def measure(self, declaration: Declaration) -> Measured:
        """Execute the query and check its results; the same need is asked once.

        Raises IngestError where the endpoint can't answer.
        """
        source = declaration.source()
        query = "\n".join(one.text for one in first_queries(source, self.page_size))
        key = repr((query, declaration.attributes, declaration.required, declaration.is_current))
        if key not in self.measured:
            members: set[str] = set()
            for class_id in source.classes:
                members.update(members_of_class(source, class_id, self.endpoint, self.page_size, most=MOST_MEMBERS))
            checked = self._checked(declaration, self._drawn(members))
            seen = {name for one in checked for name in one.classes}
            names = names_of(self.endpoint, sorted(seen), self.language, self.batch_size)
            labels = {**INTERNAL, **{one: str(row["label"]) for one, row in names.items() if row["label"]}}
            self.measured[key] = Measured(declaration, query, len(members), checked, labels)
        return self.measured[key]

    def wider(self, declaration: Declaration) -> dict[str, str]:
        """The classes above those of a concept, with their labels."""
        rows = statements_of(self.endpoint, list(declaration.classes), [_SUBCLASS_OF], self.batch_size)
        above = {row["value_entity"] for row in rows if row["value_entity"] and row["rank"] != "deprecated"}
        names = names_of(self.endpoint, sorted(above - declaration.classes.keys()), self.language, self.batch_size)
        return {one: str(row["label"]) for one, row in names.items() if row["label"]}

    def _drawn(self, members: set[str]) -> list[str]:
        """At most so many members as are checked, in the order of their ids."""

        def drawn_by(entity: str) -> bytes:
            return hashlib.sha256(f"{self.bar.seed}:{entity}".encode()).digest()

        return sorted(sorted(members, key=drawn_by)[: self.bar.sample])

    def _checked(self, declaration: Declaration, entities: list[str]) -> list[Checked]:
        rows = list(statements_of(self.endpoint, entities, looked_at(declaration), self.batch_size))
        reached: dict[str, set[str]] = {}
        for row in rows:
            if row["value_entity"]:
                reached.setdefault(row["property_id"], set()).add(row["value_entity"])
        wanted = {
            *entities,
            *(one for attribute in declaration.attributes for one in reached.get(attribute.steps[0], ())),
        }
        names = names_of(self.endpoint, sorted(wanted), self.language, self.batch_size)
        misfits: dict[str, set[str]] = {}
        for attribute in declaration.attributes:
            expected, values = self.rules.of(attribute.steps[0]).value, reached.get(attribute.steps[0], set())
            if expected is not None and values and attribute.is_category:
                fitting = of_classes(self.endpoint, values, expected.classes, expected.path, self.batch_size)
                misfits[attribute.name] = values - fitting
        return check(declaration, entities, rows, names, self.rules, misfits)
