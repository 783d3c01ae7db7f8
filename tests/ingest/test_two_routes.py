"""SPARQL and entity JSON are two routes into one landing schema: the same entities land the same rows by both."""

import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest.landing import Landing, Snapshot
from ingest.topics import load_topic_sources
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.land import land
from ingest.wikidata.land_dump import land_dump

FIXTURES = Path(__file__).parent / "fixtures"
DUMP = FIXTURES / "two_routes.json"
RDF = FIXTURES / "two_routes.ttl"
SNAPSHOT = Snapshot("wikidata-2026-11-30", datetime.date(2026, 11, 30))
CLASSES = ["Q5", "Q6256"]
ROUTE_COLUMNS = ("request_hash", "fetched_at", "snapshot_id")  # they say how and when a row came, not what it says

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def by_json(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    landed = land_dump(DUMP, Landing(tmp_path_factory.mktemp("json"), "wikidata"), SNAPSHOT)
    return {name: _rows(path) for name, path in landed.files.items()}


@pytest.fixture(scope="module")
def by_sparql(by_json: Rows, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    properties = sorted({row["property_id"] for row in by_json["statements"]})
    return _land_by_sparql(tmp_path_factory.mktemp("sparql"), properties)


def test_both_routes_land_the_same_statements(by_json: Rows, by_sparql: Rows) -> None:
    left = {row["statement_id"]: row for row in by_json["statements"]}
    right = {row["statement_id"]: row for row in by_sparql["statements"]}
    assert len(left) == len(by_json["statements"]) == 34
    assert left.keys() == right.keys()
    for statement in left:
        assert left[statement] == right[statement]


def test_both_routes_land_the_same_entities_and_instances(by_json: Rows, by_sparql: Rows) -> None:
    right = {row["entity_id"]: row for row in by_sparql["entities"]}
    assert len(by_json["entities"]) == 5
    for row in by_json["entities"]:
        assert row == right[row["entity_id"]]
    assert _unordered(by_json["instances"]) == _unordered(by_sparql["instances"])


def test_the_rows_hold_what_wikidata_says(by_json: Rows) -> None:
    rows = {row["statement_id"]: row for row in by_json["statements"]}
    population = rows["Q4115189-05"]
    assert (population["amount_text"], population["unit_id"], population["rank"]) == ("1750", None, "preferred")
    assert (population["reference_count"], population["source_url"]) == (2, "https://example.org/c")
    assert json.loads(population["qualifiers"]) == {
        "P459": [{"kind": "entity", "value": "Q39825"}],
        "P585": [{"kind": "time", "value": "2020-06-00T00:00:00Z", "precision": 10, "calendar": "gregorian"}],
    }
    area = rows["Q4115189-07"]
    assert [area[name] for name in ("amount_text", "lower_text", "upper_text", "unit_id")] == [
        "2.5", "2.45", "2.55", "Q712226",
    ]  # fmt: skip
    ides = rows["Q4115189-11"]
    assert (ides["value_time"], ides["time_precision"], ides["calendar"]) == ("-0044-03-15T00:00:00Z", 11, "julian")
    kinds = [rows[f"Q4115189-{number}"]["value_kind"] for number in (10, 18, 19, 20, 21, 22, 28)]
    assert kinds == ["time", "somevalue", "novalue", "somevalue", "coordinate", "text", "entity"]
    assert rows["Q4115189-22"]["value_text"] == "Côte d'Ivoire & 50% (test) a+b.svg"
    assert (rows["Q4115189-24"]["value_text"], rows["Q4115189-24"]["value_lang"]) == ("Wikidata-Spielwiese „neu“", "de")
    assert (rows["Q4115189-21"]["latitude"], rows["Q4115189-21"]["longitude"]) == (51.5, -0.125)
    assert json.loads(rows["Q4115189-17"]["qualifiers"])["P582"] == [{"kind": "novalue"}]


def test_a_narrower_need_lands_the_same_by_both_routes(tmp_path: Path) -> None:
    properties = ["P1082", "P31"]
    by_sparql = _land_by_sparql(tmp_path, properties)
    zone = Landing(tmp_path / "json", "wikidata")
    landed = land_dump(DUMP, zone, SNAPSHOT, properties=properties, classes=CLASSES)
    assert landed.rows["statements"] == 7
    for name in ("instances", "statements"):
        assert _unordered(_rows(landed.files[name])) == _unordered(by_sparql[name])


def _land_by_sparql(folder: Path, properties: list[str]) -> Rows:
    """The fixture's members of CLASSES, landed by the SPARQL route from its RDF."""
    topics = folder / "models" / "topics"
    topics.mkdir(parents=True)
    source = json.dumps({"classes": CLASSES, "properties": properties})  # JSON is YAML
    (topics / "sandboxes.yml").write_text(
        f"models:\n  - name: sandboxes\n    config:\n      meta:\n        source: {source}\n"
    )
    land(load_topic_sources(folder / "models"), EmbeddedEndpoint.from_files([RDF]), folder / "landing", SNAPSHOT)
    datasets = ("entities", "instances", "statements")
    return {
        name: [row for path in sorted(folder.glob(f"landing/wikidata/{name}/*/*.parquet")) for row in _rows(path)]
        for name in datasets
    }


def _rows(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).drop_columns(list(ROUTE_COLUMNS)).to_pylist()


def _unordered(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)
