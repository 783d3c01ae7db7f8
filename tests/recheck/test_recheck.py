"""A recheck over a real SPARQL server: what changed there is listed, question by question, and nothing else is."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyoxigraph
import pytest

from dagster_defs.errors import RunError
from dagster_defs.resources import PROJECT, building_in
from dagster_defs.steps.derivation import canonical
from dagster_defs.steps.recheck import rows
from dagster_defs.steps.recheck.compare import Change
from dagster_defs.steps.recheck.execute import Places, Report, recheck
from dagster_defs.steps.recheck.fetch import Fetching
from ingest.landing import Snapshot
from ingest.topics import load_topic_sources
from ingest.wikidata.endpoint import EmbeddedEndpoint, Endpoint
from ingest.wikidata.http_endpoint import HttpEndpoint, HttpSettings
from ingest.wikidata.sample import sample_files
from tests.conftest import rows_of
from tests.ingest.fault_proxy import FaultProxy, oxigraph, status

pytestmark = pytest.mark.e2e

TOPIC, OTHER = "mountains", "moons"
NEW_HEIGHT = "1234.5"
LATER = Snapshot("wikidata-2027-03-01", datetime.date(2027, 3, 1))
RAISE = """
prefix p: <http://www.wikidata.org/prop/> prefix psv: <http://www.wikidata.org/prop/statement/value/>
prefix ps: <http://www.wikidata.org/prop/statement/> prefix wikibase: <http://wikiba.se/ontology#>
delete {{ ?statement psv:P2044 ?node ; ps:P2044 ?amount }}
insert {{ ?statement psv:P2044 <urn:new> ; ps:P2044 {height} . <urn:new> wikibase:quantityAmount {height} ;
    wikibase:quantityUnit ?unit }}
where {{ <{mountain}> p:P2044 ?statement . ?statement psv:P2044 ?node ; ps:P2044 ?amount .
    ?node wikibase:quantityUnit ?unit }}
"""


@pytest.fixture(scope="module")
def con(published: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(published), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def asked(con: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    return rows_of(con, f"select * from questions.questions where topic = '{TOPIC}' order by question_id")


def using(con: duckdb.DuckDBPyConnection, questions: list[dict[str, Any]], entity_id: str, attribute: str) -> set[str]:
    """The questions whose evidence holds an attribute of an entity."""
    wanted = f"entity_id = '{entity_id}' and attribute = '{attribute}' and value is not null"
    return {
        question["question_id"]
        for question in questions
        if con.execute(f"select count(*) from ({question['evidence_sql']}) where {wanted}").fetchall() != [(0,)]
    }


@pytest.fixture(scope="module")
def mountain(con: duckdb.DuckDBPyConnection, asked: list[dict[str, Any]]) -> dict[str, Any]:
    """The mountain whose elevation a deep-research question asks for: entity_id and label."""
    for question in asked:
        if question["family"] == "deep_research":
            for row in rows_of(con, question["evidence_sql"]):
                if row["attribute"] == "elevation_m":
                    return {"entity_id": row["entity_id"], "label": row["entity"]}
    raise AssertionError("no deep-research question asks for the elevation of a mountain")


@pytest.fixture(scope="module")
def server(mountain: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The bundled sample on a query service, but for the elevation of that mountain."""
    from ingest.ids import to_iri

    documents = dict(sample_files())
    store = pyoxigraph.Store()
    store.load(documents["mountains.ttl.xz"], format=pyoxigraph.RdfFormat.TURTLE, lenient=True)
    before = len(store)
    store.update(RAISE.format(mountain=to_iri(mountain["entity_id"]), height=NEW_HEIGHT))
    assert len(store) == before + 2, "the node of the new elevation, beside the old one"
    documents["mountains.ttl.xz"] = store.dump(
        format=pyoxigraph.RdfFormat.TURTLE, from_graph=pyoxigraph.DefaultGraph()
    ) or b""  # fmt: skip
    with oxigraph(documents.values(), tmp_path_factory.mktemp("oxigraph")) as address:
        yield address


def checked(
    endpoint: Endpoint, published: Path, folder: Path, *topics: str, silent: dict[str, str] | None = None
) -> Report:
    places = Places(PROJECT, published, folder / "recheck", folder / "landing")
    request = Fetching(load_topic_sources(PROJECT / "models"), endpoint, LATER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_DATA_DIR", str(folder))
        return recheck(
            places, request, topics=topics, said_again=lambda zone: silent or {}, within=building_in,
            log=lambda line: None,
        )  # fmt: skip


def http(address: str) -> HttpEndpoint:
    return HttpEndpoint(HttpSettings(url=address, user_agent="assay tests", timeout=60.0, attempts=1, deadline=60.0))


@pytest.fixture(scope="module")
def report(server: str, published: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return checked(http(server), published, tmp_path_factory.mktemp("changed"), TOPIC, OTHER)


@pytest.fixture(scope="module")
def changed(report: Report) -> dict[str, Change]:
    assert len({row.question_id for row in report.rows}) == len(report.rows), "one input changed"
    return {row.question_id: row for row in report.rows}


def test_exactly_the_questions_that_use_the_changed_fact_are_listed(
    con: duckdb.DuckDBPyConnection, asked: list[dict[str, Any]], mountain: dict[str, Any], changed: dict[str, Change]
) -> None:
    expected = using(con, asked, mountain["entity_id"], "elevation_m")
    assert len(expected) > 3
    assert changed.keys() == expected
    assert {row.status for row in changed.values()} == {"changed"}
    assert {(row.entity_id, row.attribute) for row in changed.values()} == {(mountain["entity_id"], "elevation_m")}


def test_inputs_are_told_with_what_they_were_and_since_when(
    con: duckdb.DuckDBPyConnection, mountain: dict[str, Any], report: Report, changed: dict[str, Change]
) -> None:
    wanted = [mountain["entity_id"]]
    ((height, fetched_at),) = con.execute(
        "select elevation_m, fetched_at from topics.mountains join facts.best_values on entity_id = subject_id"
        " where entity_id = ? and property_id = 'P2044'", wanted,
    ).fetchall()  # fmt: skip
    for row in changed.values():
        assert (float(row.old_value or 0), float(row.new_value or 0)) == (height, float(NEW_HEIGHT))
        assert row.old_as_of == fetched_at
        assert row.new_as_of is not None
        assert row.new_as_of >= report.recheck.checked_at > fetched_at


def test_answers_are_computed_again(
    published: Path, asked: list[dict[str, Any]], mountain: dict[str, Any], changed: dict[str, Change]
) -> None:
    with duckdb.connect() as other:
        other.execute(f"attach '{published}' as old (read_only); create schema topics; create schema questions")
        other.execute("create table questions.critical_values as from old.questions.critical_values")
        other.execute("create table topics.mountains as from old.topics.mountains")
        other.execute(
            "update topics.mountains set elevation_m = ? where entity_id = ?",
            [float(NEW_HEIGHT), mountain["entity_id"]],
        )
        moved = 0
        for question in asked:
            ((answer,),) = other.execute(question["gold_sql"]).fetchall()
            row = changed.get(question["question_id"])
            if question["gold_kind"] != "number":
                text = canonical(answer, tolerance=0) if question["gold_kind"] != "distribution" else None
                assert text is None or text == (row.new_answer if row else question["gold_answer"])
            elif row is None:
                assert answer == pytest.approx(question["gold_value"], rel=1e-9)
            else:
                gold, far = question["gold_value"], question["tolerance"] * abs(question["gold_value"])
                assert float(row.new_answer or "nan") == pytest.approx(float(answer), rel=1e-5)
                assert row.is_answer_changed is (abs(answer - gold) > 1e-9 * abs(gold))
                assert row.is_beyond_tolerance is (row.is_answer_changed and abs(answer - gold) > far)
                assert row.relative_change == pytest.approx((answer - gold) / abs(gold))
                moved += bool(row.is_beyond_tolerance)
        assert moved > 0


def test_terminal_lists_what_changed_by_how_much_since_when(
    mountain: dict[str, Any], report: Report, changed: dict[str, Change]
) -> None:
    first, clues, *lines = report.sentences()
    altered = [row for row in changed.values() if row.is_answer_changed]
    assert f"1 inputs are not as they were, {len(altered)} answers changed" in first
    assert clues.startswith("Clues of ")
    assert len(lines) == min(len(altered), 20) + (len(altered) > 20)
    numbers = [row for row in report.answers() if row.relative_change is not None]
    assert numbers == sorted(numbers, key=lambda row: -abs(row.relative_change or 0))
    assert any(f"elevation_m of {mountain['label']}: " in line and " since 20" in line for line in lines)


def test_rows_are_landed_as_dbt_reads_them(report: Report, tmp_path: Path) -> None:
    rows.prepare(tmp_path)
    rows.land(tmp_path, rows.CHANGES, report.recheck.recheck_id, report.rows)
    with duckdb.connect() as other:
        landed = f"read_parquet('{tmp_path}/changes/*.parquet', union_by_name = true)"
        found = rows_of(other, f"select * from {landed} order by question_id")
    assert [row["question_id"] for row in found] == [row.question_id for row in report.rows]
    assert set(found[0]) == set(Change.__struct_fields__)


def test_inputs_of_a_service_that_fails_are_errors_and_those_of_others_are_not(
    published: Path, asked: list[dict[str, Any]], mountain: dict[str, Any], tmp_path: Path
) -> None:
    copy = tmp_path / "assay.duckdb"
    shutil.copyfile(published, copy)
    with duckdb.connect(str(copy)) as con:
        con.execute(
            "update facts.best_values set source = 'pubchem', snapshot_id = 'pubchem-2026-11-30'"
            " where subject_id = ? and property_id = 'P2044'",
            [mountain["entity_id"]],
        )
        expected = using(con, asked, mountain["entity_id"], "elevation_m")
    why = "PubChem failed on a bad day."
    report = checked(EmbeddedEndpoint.from_sample(), copy, tmp_path, TOPIC, silent={"pubchem": why, "kev": why})
    assert {row.question_id for row in report.rows} == expected
    assert {(row.status, row.entity_id, row.error) for row in report.rows} == {("error", mountain["entity_id"], why)}
    assert {(row.is_answer_changed, row.new_value) for row in report.rows} == {(None, None)}
    assert f"Not asked again, pubchem: {why}" in report.sentences()


def test_sample_rechecks_against_itself_and_finds_nothing(published: Path, tmp_path: Path) -> None:
    report = checked(EmbeddedEndpoint.from_sample(), published, tmp_path, TOPIC, OTHER)
    assert report.rows == []
    assert not (tmp_path / "recheck/build").exists(), "nothing had to be built to see that"
    assert "0 inputs are not as they were, 0 answers changed" in report.sentences()[0]


def test_what_could_not_be_fetched_is_an_error_and_not_unchanged(
    server: str, published: Path, con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    with FaultProxy(server) as proxy:
        proxy.always = status(500, "boom")
        report = checked(http(proxy.url()), published, tmp_path, OTHER)
    attributes = con.execute(
        f"select question_id, unnest(attributes) from questions.questions where topic = '{OTHER}' order by all"
    ).fetchall()
    assert [(row.question_id, row.attribute) for row in report.rows] == attributes
    assert {(row.status, row.is_answer_changed, row.new_answer) for row in report.rows} == {("error", None, None)}
    assert all("HTTP 500" in str(row.error) for row in report.rows)
    first, second = report.sentences()
    assert first.startswith("0 of ")
    assert second.startswith(f"Not checked, {OTHER} (")


@pytest.mark.parametrize("topics", [("lackes",), ("mountains", "lackes")])
def test_unknown_topics_are_named(topics: tuple[str, ...], published: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="has no question about lackes: name topics"):
        checked(EmbeddedEndpoint([]), published, tmp_path, *topics)


def test_nothing_published_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"There is no .*nowhere.duckdb to recheck: run `make demo`"):
        checked(EmbeddedEndpoint([]), tmp_path / "nowhere.duckdb", tmp_path)
