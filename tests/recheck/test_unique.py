"""Clues counted by SPARQL over the bundled sample: a second opinion on what SQL says of the warehouse."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.resources import PROJECT
from dagster_defs.steps.recheck import rows
from dagster_defs.steps.recheck.compare import Recheck
from dagster_defs.steps.recheck.unique import Match, count_matches, query_of
from ingest.errors import EndpointError
from ingest.topics import TopicSource, load_topic_sources
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.queries import Chain, Query, Year, satisfying
from ingest.wikidata.results import RowT
from tests.conftest import rows_of

TOPICS = {source.name: source for source in load_topic_sources(PROJECT / "models")}
ASKED = Recheck("2026-11-30T12-00-00", "sample", datetime.datetime(2026, 11, 30, 12))
QUERY = """\
SELECT (COUNT(DISTINCT ?entity) AS ?count) WHERE {
  VALUES ?class0 { wd:Q6256 }
  ?entity wdt:P31/wdt:P279* ?class0 .
  ?entity wdt:P47 ?between1 .
  ?between1 wdt:P38 wd:Q131309 .
  VALUES ?class12 { wd:Q6256 }
  ?between1 wdt:P31/wdt:P279* ?class12 .
  FILTER(?between1 != ?entity)
  FILTER(?entity != wd:Q131309)
  ?between2 wdt:P17 ?entity .
  VALUES ?class21 { wd:Q8502 }
  ?between2 wdt:P31/wdt:P279* ?class21 .
  ?between2 <urn:assay:prop:wdt:nvd:weakness> wd:Q5 .
  FILTER(?between2 != ?entity)
  ?entity wdt:P571 ?date3 .
  FILTER(YEAR(?date3) = 1956)
}
"""


def without_layout(text: str) -> list[str]:
    """The lines that hold something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def test_clues_are_one_query() -> None:
    source = TopicSource(name="countries", classes=("Q6256",), properties=("P47",))
    mountains = TopicSource(name="mountains", classes=("Q8502",), properties=("P17",))
    clues = [
        Chain("forward P47 countries", "forward P38 countries", "Q131309", True),
        Chain("reverse P17 mountains", "forward nvd:weakness", "Q5", False),
        Year("P571", 1956),
    ]
    query = satisfying(source, clues, {"countries": source, "mountains": mountains})
    assert without_layout(query.text[query.text.index("SELECT") :]) == without_layout(QUERY)


@pytest.mark.parametrize(
    ("clue", "reason"),
    [
        ({"kind": "value", "of": "number", "attribute": "density_kg_m3"}, "density_kg_m3, which is not looked up"),
        (
            {"kind": "value", "of": "year", "attribute": "ascent", "date_property_id": None},
            "ascent, which is not looked up",
        ),
    ],
)
def test_a_clue_that_no_query_is_made_of_is_named(clue: dict[str, Any], reason: str) -> None:
    with pytest.raises(Exception, match=reason):
        query_of("countries", [clue], TOPICS)


class Silent:
    """An endpoint that answers nothing."""

    name = "silent"
    parallel = 2

    def select(self, query: Query[RowT]) -> list[RowT]:
        raise EndpointError("it is down.")


@pytest.mark.e2e
class TestPublished:
    """Over the demo's questions."""

    @pytest.fixture(scope="class")
    def sample(self) -> EmbeddedEndpoint:
        return EmbeddedEndpoint.from_sample()

    @pytest.fixture(scope="class")
    def traces(self, published: Path) -> dict[str, tuple[str, list[dict[str, Any]]]]:
        with duckdb.connect(str(published), read_only=True) as con:
            found = rows_of(
                con,
                "select question_id, question.topic, cast(clues as varchar) as clues from questions.traces"
                " join questions.questions as question using (question_id)",
            )
        return {row["question_id"]: (row["topic"], json.loads(row["clues"])) for row in found}

    @pytest.fixture(scope="class")
    def matches(self, published: Path, sample: EmbeddedEndpoint) -> list[Match]:
        return list(count_matches(published, sample, TOPICS, TOPICS, ASKED))

    def test_clues_leave_one_entity_by_sparql_too(self, matches: list[Match], traces: dict[str, Any]) -> None:
        assert len(matches) == len(traces)
        counted = Counter(match.n_match for match in matches)
        assert set(counted) <= {1, None}, counted
        assert counted[1] >= 250
        assert all((match.reason is None) == (match.n_match is not None) for match in matches)

    def test_fewer_clues_leave_as_many_as_the_warehouse_says(
        self, sample: EmbeddedEndpoint, traces: dict[str, tuple[str, list[dict[str, Any]]]]
    ) -> None:
        tried = 0
        for topic, clues in sorted(traces.values(), key=repr)[::12]:
            first, second = [clue for clue in clues if clue["side"] == 1][:2]
            for asked, left in (([first], first["n_left"]), ([first, second], second["n_left"])):
                found = int(sample.select(query_of(topic, asked, TOPICS))[0].count.value)
                # The warehouse counts what is of any topic.
                assert 1 <= found <= left, (topic, asked)
                tried += 1
        assert tried > 50

    def test_a_silent_endpoint_is_no_count(self, published: Path, tmp_path: Path) -> None:
        found = list(count_matches(published, Silent(), TOPICS, ["countries"], ASKED))
        assert {match.n_match for match in found} == {None}
        reasons = Counter(match.reason for match in found if "is not looked up" not in str(match.reason))
        assert reasons["silent did not answer: it is down."] == reasons.total() > 0
        path = rows.land(tmp_path, rows.MATCHES, ASKED.recheck_id, found)
        with duckdb.connect() as con:
            landed = rows_of(con, f"select * from read_parquet('{path}')")
        assert [row["question_id"] for row in landed] == [match.question_id for match in found]
