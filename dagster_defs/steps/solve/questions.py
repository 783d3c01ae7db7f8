"""Which questions a run asks, read from the published database."""

from __future__ import annotations

import datetime
import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from dagster_defs.errors import RunError
from dagster_defs.names import WORDINGS
from dagster_defs.steps.history import base_of
from dagster_defs.steps.matching import Attribute, Fact, Hidden, Methods, Reference, Units
from dagster_defs.steps.solve.articles import Articles

_COLUMNS = (
    "question_id", "type", "topic", "question", "attributes", "operation", "slots", "density", "entity_count",
    "evidence_sql",
    "gold_kind", "gold_value", "gold_answer", "gold_aliases", "gold_unit", "tolerance", "gold_columns", "gold_method",
    "snapshot_id",
)  # fmt: skip

MINTED, REFINED = WORDINGS
_LISTS = ("types", "topics", "densities", "categories")


@dataclass(frozen=True)
class QuestionSet:
    """Which questions: a family, a split, some types, topics, density tiers and categories (empty: all), and how many.

    wording: 'minted' asks the text of the question, 'refined' its newest accepted rewrite where it has one. texts: a
    digest of the rewritten texts as `Warehouse.pinned` found them, since a later refinement asks others.

    n 0 asks all. A smaller number is drawn evenly over the types, by hash of ``seed`` and question, so a larger set
    holds a smaller one and neither depends on the order of rows.
    """

    family: str = "multi_entity"
    split: str = "test"
    types: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    densities: tuple[str, ...] = ()
    n: int = 0
    seed: int = 0
    wording: str = MINTED
    texts: str = ""
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.wording not in WORDINGS:
            raise RunError(f"A question set is asked in a wording of {' or '.join(WORDINGS)}, not '{self.wording}'.")
        if self.n < 0:
            raise RunError(f"A question set has 0 (all) or more questions, not {self.n}.")

    def as_json(self) -> str:
        """The set in one line, keys sorted; what is listed stands sorted and once, so that one set has one text."""
        content = asdict(self) | {name: sorted(set(getattr(self, name))) for name in _LISTS}
        # Runs had their ids before there were other wordings, and a filter by category.
        if self.wording == MINTED:
            del content["wording"]
        for name in ("texts", "categories"):
            if not content[name]:
                del content[name]
        return json.dumps(content, sort_keys=True)


@dataclass(frozen=True)
class Question:
    """A row of questions.questions, of which a run needs these columns. evidence: its tuples, when they are read."""

    question_id: str
    type: str
    topic: str
    question: str
    attributes: tuple[str, ...]
    operation: str
    slots: dict[str, Any]
    density: str
    entity_count: int
    evidence_sql: str
    gold_kind: str
    gold_value: float | None
    gold_answer: str
    gold_aliases: tuple[str, ...]
    gold_unit: str | None
    tolerance: float
    gold_columns: tuple[str, ...]
    gold_method: str | None
    snapshot_id: str

    @property
    def hidden(self) -> tuple[str, ...]:
        """The entity_ids of what it describes without naming it, in the order of its text; none where all is named."""
        return tuple(self.slots.get("entity_ids", ()))


class Warehouse:
    """The published database, read-only. Close it, or use it as a context manager. articles: what is landed of them.

    Raises RunError when there is no database yet, or it is no such database.
    """

    def __init__(self, database: Path) -> None:
        if not database.exists():
            raise RunError(f"There is no {database} to take questions from: run `make demo` or `make build` first.")
        try:
            self._connection = duckdb.connect(str(database), read_only=True)
            self._catalog = self._read_catalog()
            self.articles = Articles(self._connection, self.snapshot_id())
        except duckdb.Error as error:
            raise RunError(f"{database} cannot be read: {str(error).splitlines()[0]}") from error

    def __enter__(self) -> Warehouse:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def choose(self, wanted: QuestionSet) -> list[Question]:
        """The questions of a set, in an order that depends on the set alone. Raises RunError when it is empty."""
        kept = self._connection.execute(
            "select question_id, type from questions.questions where family = $family and $split in ('all', split)"
            " and (len($types) = 0 or list_contains($types, type))"
            " and (len($topics) = 0 or list_contains($topics, topic))"
            " and (len($densities) = 0 or list_contains($densities, density))"
            " and (len($categories) = 0 or list_contains($categories, category))",
            {
                "family": wanted.family,
                "split": wanted.split,
                **{name: list(getattr(wanted, name)) for name in _LISTS},
            },
        ).fetchall()
        if not kept:
            raise RunError(f"No question is of the set {wanted.as_json()}: {self._there(wanted)}.")
        drawn = sorted(kept, key=lambda row: _draw(wanted.seed, row[0]))
        # Most of what a question holds is read only of those that are asked.
        rows = self._connection.execute(
            f"select {', '.join(_COLUMNS)} from questions.questions where list_contains($1, question_id)"
            " order by list_position($1, question_id)",
            [_evenly(drawn)[: wanted.n or None]],
        ).fetchall()
        chosen = [_question(dict(zip(_COLUMNS, row, strict=True))) for row in rows]
        return self._refined(chosen) if wanted.wording == REFINED else chosen

    def pinned(self, wanted: QuestionSet) -> QuestionSet:
        """``wanted`` as it stands now: refined with a digest of the texts it asks. Raises what `choose` does."""
        if wanted.wording != REFINED:
            return wanted
        texts = sorted((one.question_id, one.question) for one in self.choose(wanted))
        return replace(wanted, texts=hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:12])

    def evidence(self, question: Question) -> list[Fact]:
        """Every tuple that the question consults, in a fixed order. Raises RunError where its evidence_sql fails."""
        return [fact for _, fact in self.consulted(question)]

    def consulted(self, question: Question) -> list[tuple[str, Fact]]:
        """`evidence` with the entity_id of each tuple, since entities of one topic may share a label."""
        try:
            rows = self._connection.execute(question.evidence_sql).fetchall()
        except duckdb.Error as error:
            raise RunError(f"The evidence_sql of {question.question_id} fails: {str(error).splitlines()[0]}") from error
        names = [column[0] for column in self._connection.description or []]
        places = [names.index(name) for name in ("entity", "attribute", "value", "entity_id")]
        found = sorted(tuple(row[place] for place in places) for row in rows)
        return [(entity_id, Fact(*values)) for *values, entity_id in found]

    def attributes(self, topic: str) -> list[Attribute]:
        """The attributes of a topic, by name."""
        return self._catalog[topic]

    def facts(self, topic: str) -> dict[str, list[Fact]]:
        """Every fact of a topic by the entity_id of its entity, entities and attributes sorted."""
        rows = self._connection.execute(
            "select entity_id, label, attribute,"
            " coalesce(value_text, cast(value_num as varchar), cast(value_date as varchar))"
            " from topics.entity_attributes where topic = ? order by all",
            [topic],
        ).fetchall()
        found: dict[str, list[Fact]] = defaultdict(list)
        for entity_id, *values in rows:
            found[entity_id].append(Fact(*values))
        return dict(found)

    def aliases(self, topic: str) -> dict[str, tuple[str, ...]]:
        """Other names of a topic's entities, by label; those that share it share their names."""
        rows = self._connection.execute(
            "select distinct label, unnest(aliases) from facts.entities where entity_id in"
            " (select entity_id from topics.entity_attributes where topic = ?) order by all",
            [topic],
        ).fetchall()
        found: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for label, alias in rows:
            found[label] += (alias,)
        return dict(found)

    def hidden(self, question: Question) -> list[Hidden]:
        """What ``question`` describes without naming it, in the order of its text."""
        rows = self._connection.execute(
            "select entity_id, label, aliases from facts.entities where list_contains(?, entity_id)",
            [list(question.hidden)],
        ).fetchall()
        known = {entity_id: Hidden(label, tuple(aliases or ())) for entity_id, label, aliases in rows}
        return [known[entity_id] for entity_id in question.hidden]

    def topics(self) -> list[str]:
        """Every topic that has entities, by name."""
        found = self._connection.execute(
            "select distinct topic from topics.entity_attributes order by topic"
        ).fetchall()
        return [topic for (topic,) in found]

    def names(self, topic: str) -> list[str]:
        """The labels of a topic's entities."""
        found = self._connection.execute(
            "select distinct label from topics.entity_attributes where topic = ? order by label", [topic]
        ).fetchall()
        return [label for (label,) in found]

    def links(self) -> dict[tuple[str, str], dict[str, list[str]]]:
        """(entity_id, label) -> property -> labels of the entities that it links to, of every entity with a link."""
        rows = self._connection.execute(
            "select best.subject_id, subject.label, property.label, value.label from facts.best_values as best"
            " join facts.entities as subject on best.subject_id = subject.entity_id"
            " join facts.entities as value on best.value_entity = value.entity_id"
            " join facts.vocabulary as property on best.property_id = property.id and property.kind = 'property'"
            " where subject.label is not null and value.label is not null group by all order by all"
        ).fetchall()
        found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for entity_id, label, name, value in rows:
            found[entity_id, label][name].append(value)
        return found

    def sources(self, question: Question) -> dict[tuple[str, str], str]:
        """(entity_id, attribute) -> address of the source of a consulted value, where the evidence names one."""
        consulted = self._connection.execute(question.evidence_sql)
        names = [column[0] for column in consulted.description or []]
        if "source_url" not in names:
            return {}
        rows = [dict(zip(names, row, strict=True)) for row in consulted.fetchall()]
        return {(row["entity_id"], row["attribute"]): row["source_url"] for row in rows if row["source_url"]}

    def scopes(self) -> dict[str, str]:
        """The filter in words of every question that has one, by question_id."""
        return dict(
            self._connection.execute(
                "select question_id, scope from questions.questions where scope is not null"
            ).fetchall()
        )

    def labels(self, entity_ids: Iterable[str]) -> dict[str, str]:
        """The label of each entity, by entity_id."""
        return dict(
            self._connection.execute(
                "select entity_id, label from facts.entities where list_contains(?, entity_id)", [sorted(entity_ids)]
            ).fetchall()
        )

    def clues(self, question_ids: Sequence[str]) -> list[tuple[str, list[list[str]], list[str]]]:
        """(question_id, clues to each hidden entity, names that would give one away) of deep-research questions.

        The names are those of the entities and of whatever a statement links them to.
        """
        rows = self._connection.execute(
            "with asked as (select question_id, clues, entity_ids from questions.deep_research"
            " where list_contains($1, question_id)),"
            " hidden as (select question_id, unnest(entity_ids) as entity_id from asked),"
            " around as (from hidden union"
            " select question_id, value_entity from hidden join facts.statements on subject_id = entity_id"
            " where value_entity is not null union"
            " select question_id, subject_id from hidden join facts.statements on value_entity = entity_id),"
            " names as (select question_id, unnest([label] || coalesce(aliases, [])) as name"
            " from around join facts.entities using (entity_id))"
            " select question_id, any_value(clues), list(distinct name) filter (where name is not null)"
            " from asked left join names using (question_id) group by question_id"
            " order by list_position($1, question_id)",
            [list(question_ids)],
        ).fetchall()
        return [(question_id, json.loads(clues), names or []) for question_id, clues, names in rows]

    def texts(self) -> list[tuple[str, str]]:
        """(question_id, text) of every question of any family, and of its other wordings where there are any."""
        found = self._connection.execute("select question_id, question from questions.questions").fetchall()
        if self._has_wordings():
            found += self._connection.execute("select question_id, question from runs.question_wordings").fetchall()
        return found

    def snapshot_id(self) -> str:
        """What the questions are from, empty where there are none."""
        rows = self._connection.execute("select max(snapshot_id) from questions.questions").fetchall()
        return rows[0][0] or ""

    def as_of(self, snapshot_id: str) -> datetime.date:
        """The day that a snapshot's facts are of; a variant's are of its base's."""
        rows = self._connection.execute(
            "select max(as_of) from provenance.snapshots where snapshot_id = ?", [base_of(snapshot_id)]
        ).fetchall()
        day: datetime.date = rows[0][0]
        return day

    def reference(self) -> Reference:
        """Units and names of tests, as matching needs them."""
        columns = [
            name for (name,) in self._connection.execute("select column_name from (describe facts.units)").fetchall()
        ]
        units = self._connection.execute("select * from facts.units").fetchall()
        methods = self._connection.execute("select gold_method, name from questions.method_names").fetchall()
        rows = [{c: "" if v is None else str(v) for c, v in zip(columns, row, strict=True)} for row in units]
        return Reference(Units(rows), Methods(methods))

    def _refined(self, questions: list[Question]) -> list[Question]:
        """The questions in their newest wording. Raises RunError where the database knows none."""
        if not self._has_wordings():
            raise RunError("The published database has no table of wordings: run `make score`, then ask again.")
        newest = dict(
            self._connection.execute(
                "select question_id, max_by(question, wording) from runs.question_wordings group by question_id"
            ).fetchall()
        )
        return [replace(one, question=newest.get(one.question_id, one.question)) for one in questions]

    def _there(self, wanted: QuestionSet) -> str:
        """Which topics a family has in a split, since each topic is on one side."""
        topics = self._connection.execute(
            "select distinct topic from questions.questions where family = $1 and $2 in ('all', split) order by topic",
            [wanted.family, wanted.split],
        ).fetchall()
        if not topics:
            return "look at questions.questions for what there is"
        return f"with split {wanted.split} there are the topics {', '.join(topic for (topic,) in topics)}"

    def _has_wordings(self) -> bool:
        known = (
            "select 1 from information_schema.tables where (table_schema, table_name) = ('runs', 'question_wordings')"
        )
        return bool(self._connection.execute(known).fetchall())

    def _read_catalog(self) -> dict[str, list[Attribute]]:
        rows = self._connection.execute(
            "select topic, attribute, phrase, unit, kind from topics.catalog order by topic, attribute"
        ).fetchall()
        found: dict[str, list[Attribute]] = defaultdict(list)
        for topic, *attribute in rows:
            found[topic].append(Attribute(*attribute))
        return dict(found)


def _question(row: dict[str, Any]) -> Question:
    lists = {name: tuple(row[name] or ()) for name in ("attributes", "gold_aliases", "gold_columns")}
    return Question(**{**row, **lists, "slots": json.loads(row["slots"])})


def _draw(seed: int, question_id: str) -> str:
    return hashlib.sha256(f"{seed} {question_id}".encode()).hexdigest()


def _evenly(rows: list[tuple[str, str]]) -> list[str]:
    """The ids of (id, type): the first of every type, then the second of every type, and so on."""
    by_type: dict[str, list[str]] = defaultdict(list)
    for question_id, kind in rows:
        by_type[kind].append(question_id)
    rounds = itertools.zip_longest(*(by_type[name] for name in sorted(by_type)))
    return [question_id for one_round in rounds for question_id in one_round if question_id is not None]
