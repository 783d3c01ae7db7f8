"""Whether clues that leave one entity of the warehouse leave one at an endpoint: counted there by SPARQL."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import md5
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from dagster_defs.steps.recheck.compare import Recheck
from ingest.errors import IngestError
from ingest.topics import TopicSource
from ingest.wikidata.endpoint import Endpoint
from ingest.wikidata.queries import Chain, Query, Year, satisfying
from ingest.wikidata.results import Counted


class Match(msgspec.Struct, frozen=True):
    """How many entities all clues of a question are true of at an endpoint, the worse of two sides.

    ``n_match`` is NULL where it was not counted, and ``reason`` says why. ``clues_md5``: of the clues that were
    counted, as questions.traces has them.
    """

    recheck_id: str
    question_id: str
    n_match: int | None
    reason: str | None
    clues_md5: str
    endpoint: str
    checked_at: datetime.datetime


class _NotAskable(Exception):
    """A clue that no query is made of; the text says which."""


def count_matches(
    published: Path, endpoint: Endpoint, topics: Mapping[str, TopicSource], asked: Collection[str], recheck: Recheck
) -> Iterator[Match]:
    """A row for each published deep-research question of the topics ``asked``.

    An endpoint that cannot answer makes rows that say so. Raises duckdb.Error where the published file has no traces.
    """
    with duckdb.connect(str(published), read_only=True) as con:
        rows = con.execute(
            "select question_id, question.topic, cast(traces.clues as varchar) from questions.traces"
            " join questions.questions as question using (question_id)"
            " where question.topic in (select unnest(?)) order by question_id",
            [sorted(asked)],
        ).fetchall()

    def counted(row: tuple[str, str, str]) -> Match:
        question_id, topic, clues = row
        n_match, reason = None, None
        try:
            queries = [query_of(topic, side, topics) for side in _sides(clues)]
            n_match = max(int(endpoint.select(query)[0].count.value) for query in queries)
        except _NotAskable as error:
            reason = str(error)
        except IngestError as error:
            reason = f"{endpoint.name} did not answer: {error}"
        digest = md5(clues.encode(), usedforsecurity=False).hexdigest()
        return Match(
            recheck.recheck_id, question_id, n_match, reason, digest, recheck.endpoint, recheck.checked_at
        )  # fmt: skip

    with ThreadPoolExecutor(max(1, endpoint.parallel)) as pool:
        yield from pool.map(counted, rows)


def query_of(topic: str, clues: list[dict[str, Any]], topics: Mapping[str, TopicSource]) -> Query[Counted]:
    """The query for one side's clues. Raises _NotAskable where one of them can't be looked up."""
    try:
        return satisfying(topics[topic], [_asked(clue) for clue in clues], topics)
    except KeyError as error:
        raise _NotAskable(f"models/topics has no {error.args[0]} any more") from error


def _sides(clues: str) -> list[list[dict[str, Any]]]:
    told: list[dict[str, Any]] = json.loads(clues)
    return [[clue for clue in told if clue["side"] == side] for side in sorted({clue["side"] for clue in told})]


def _asked(clue: Mapping[str, Any]) -> Chain | Year:
    if clue["kind"] == "chain":
        first, second = clue["links"]
        return Chain(first, second, clue["end_id"], " also " in clue["says"])
    if clue["of"] == "year" and clue["date_property_id"] is not None:
        return Year(clue["date_property_id"], int(clue["value"]))
    # Rounded, in a unit of its own, or made of several statements: no endpoint has it as it is said.
    raise _NotAskable(f"a clue gives {clue['attribute']}, which is not looked up")
