"""What is judged, and by what: an experiment's triples, the reference of its entities, and their passages."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import duckdb

from dagster_defs.errors import RunError

_COLUMNS = "triple_id, entity_id, subject, predicate, object, predicate_words, object_words"


@dataclass(frozen=True)
class Triple:
    """An elicited or a reference triple.

    predicate_words, object_words: both in plain words, as the warehouse compares them. sentence: where a source says
    so, None for elicited ones.
    """

    triple_id: str
    entity_id: str
    subject: str
    predicate: str
    object: str
    predicate_words: str
    object_words: str
    sentence: str | None = None

    def words(self) -> dict[str, str]:
        """Its parts by their names."""
        return {"subject": self.subject, "predicate": self.predicate, "object": self.object}

    @property
    def line(self) -> str:
        """The triple on one line."""
        return f"{self.subject} | {self.predicate} | {self.object}"

    @property
    def query(self) -> str:
        """What is looked for in passages."""
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True)
class Passage:
    """A piece of what is known of an entity."""

    passage_id: str
    text: str


@dataclass(frozen=True)
class Example:
    """A triple and a passage whose verdict is known."""

    example_id: str
    triple: Triple
    passage: str


class Elicited:
    """The published file, read for judging. Close it, or use it as a context manager.

    Raises RunError where there is none, or it has no elicitation.
    """

    def __init__(self, database: Path) -> None:
        if not database.exists():
            raise RunError(f"There is no {database} to take triples from: run `make demo` or `make build` first.")
        self._database = database
        try:
            self._connection = duckdb.connect(str(database), read_only=True)
            self._connection.execute("from elicitation.matches limit 0")
        except duckdb.Error as error:
            raise RunError(f"{database} cannot be read: {str(error).splitlines()[0]}") from error

    def __enter__(self) -> Elicited:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def experiments(self, models: Sequence[str] = (), settings: Sequence[str] = ()) -> list[str]:
        """The experiments of these models and settings, or of all. Raises RunError where there are none.

        Those on made-up entities are left out: what is said of what there is not has no reference to be judged by.
        """
        found = self._connection.execute(
            "select experiment_id from elicitation.experiments where set_name <> 'non_existing'"
            " and (len($1) = 0 or list_contains($1, model)) and (len($2) = 0 or list_contains($2, setting))"
            " order by experiment_id",
            [list(models), list(settings)],
        ).fetchall()
        if not found:
            told = f" of {', '.join([*models, *settings])}" if models or settings else ""
            raise RunError(f"{self._database} has no elicited triples{told} to judge: run `make elicit` first.")
        return [experiment_id for (experiment_id,) in found]

    def triple_ids(self, experiment_id: str) -> list[str]:
        """The experiment's triples, each once, on entities that something is known of.

        Of who has no passage, as a title on a list that nobody knows, nothing could ever be borne out.
        """
        return self._column(
            "select triple_id from elicitation.triples where experiment_id = ? and not is_duplicate"
            " and entity_id in (select entity_id from elicitation.passages) order by 1",
            [experiment_id],
        )

    def reference_ids(self, experiment_id: str) -> list[str]:
        """The reference triples of the entities of which an answer came."""
        return self._column(
            "select triple_id from elicitation.reference_triples where entity_id in (select entity_id from"
            " elicitation.elicitations where experiment_id = ? and outcome <> 'failed') order by 1",
            [experiment_id],
        )

    def sampled(self, experiment_id: str, triple_ids: Sequence[str]) -> list[Triple]:
        """Elicited triples of the experiment by id, in the order of ``triple_ids``."""
        found = self._triples(
            f"select {_COLUMNS}, null from elicitation.triples"
            " where experiment_id = $1 and list_contains($2, triple_id)",
            [experiment_id, list(triple_ids)],
        )
        known = {one.triple_id: one for one in found}
        return [known[triple_id] for triple_id in triple_ids]

    def facts(self, triple_ids: Sequence[str]) -> list[Triple]:
        """Reference triples by id, in the order of ``triple_ids``."""
        found = self._triples(
            f"select {_COLUMNS}, sentence from elicitation.reference_triples where list_contains($1, triple_id)",
            [list(triple_ids)],
        )
        known = {one.triple_id: one for one in found}
        return [known[triple_id] for triple_id in triple_ids]

    def elicited(self, experiment_id: str, entity_ids: Sequence[str]) -> dict[str, list[Triple]]:
        """The experiment's triples by entity, in the order of the answers."""
        return _grouped(
            self._triples(
                f"select {_COLUMNS}, null from elicitation.triples where experiment_id = $1 and not is_duplicate"
                " and list_contains($2, entity_id) order by entity_id, ordinal",
                [experiment_id, list(entity_ids)],
            )
        )

    def reference(self, entity_ids: Sequence[str]) -> dict[str, list[Triple]]:
        """Reference triples by entity."""
        return _grouped(
            self._triples(
                f"select {_COLUMNS}, sentence from elicitation.reference_triples where list_contains($1, entity_id)"
                " order by entity_id, triple_id",
                [list(entity_ids)],
            )
        )

    def passages(self, entity_ids: Sequence[str]) -> dict[str, list[Passage]]:
        """Passages by entity, in the order of their texts."""
        found: dict[str, list[Passage]] = defaultdict(list)
        for entity_id, *passage in self._connection.execute(
            "select entity_id, passage_id, text from elicitation.passages where list_contains($1, entity_id)"
            " order by entity_id, source, ordinal",
            [list(entity_ids)],
        ).fetchall():
            found[entity_id].append(Passage(*passage))
        return found

    def matches(self, experiment_id: str) -> tuple[dict[str, str], dict[str, str]]:
        """Reference triple by elicited triple, and the other way round, where both say the same word for word."""
        rows = self._connection.execute(
            "select triple_id, reference_id from elicitation.matches where experiment_id = ? order by 1, 2 desc",
            [experiment_id],
        ).fetchall()
        return dict(rows), {reference_id: triple_id for triple_id, reference_id in reversed(rows)}

    def reference_sha(self, experiment_id: str) -> str:
        """SHA-256 over what the experiment's entities are judged by: each triple and passage with its text."""
        digest = hashlib.sha256()
        cursor = self._connection.execute(
            "with asked as (select entity_id from elicitation.elicitations where experiment_id = $1) "
            "select triple_id, predicate || '|' || object from elicitation.reference_triples"
            " where entity_id in (from asked) union all select passage_id, text from elicitation.passages"
            " where entity_id in (from asked) order by all",
            [experiment_id],
        )
        while rows := cursor.fetchmany(10_000):
            for key, text in rows:
                digest.update(f"{key} {text}\n".encode())
        return digest.hexdigest()

    def examples(self) -> list[Example]:
        """The examples whose verdict is known."""
        rows = self._connection.execute(
            "select example_id, subject, predicate, object, passage from elicitation.judge_examples order by 1"
        ).fetchall()
        return [
            Example(example_id, Triple(example_id, "", subject, predicate, object_, "", ""), passage)
            for example_id, subject, predicate, object_, passage in rows
        ]

    def _column(self, query: str, parameters: Sequence[object]) -> list[str]:
        return [value for (value,) in self._connection.execute(query, list(parameters)).fetchall()]

    def _triples(self, query: str, parameters: Sequence[object]) -> list[Triple]:
        return [Triple(*row) for row in self._connection.execute(query, list(parameters)).fetchall()]


def _grouped(triples: Iterable[Triple]) -> dict[str, list[Triple]]:
    found: dict[str, list[Triple]] = defaultdict(list)
    for one in triples:
        found[one.entity_id].append(one)
    return found
