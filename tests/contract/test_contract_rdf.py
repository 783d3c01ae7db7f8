"""Recorded RDF is loaded into the embedded endpoint and asked with our own queries, then held against entity JSON."""

import datetime
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pyoxigraph
import pytest

from ingest.landing import SCHEMAS, Snapshot
from ingest.topics import load_topic_sources
from ingest.wikidata.dump import read_entities
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.entity_json import EntityDecoder
from ingest.wikidata.entity_rows import Report, RowBuffer
from ingest.wikidata.land import land

PROP = "http://www.wikidata.org/prop/"
SNAPSHOT = Snapshot("wikidata-2026-11-30", datetime.date(2026, 11, 30))
Landed = Callable[[Path], list[dict[str, Any]]]
ENTITY = "http://www.wikidata.org/entity/"
# Statements, by value kind, and those of another rank than normal.
FILES: dict[str, tuple[dict[str, int], dict[str, int]]] = {
    "wdqs_L4082-munged.ttl": ({"text": 13, "entity": 7}, {}),
    "wdqs_Q24628793.ttl": ({"entity": 24, "text": 10, "time": 1}, {}),
    "wdqs_Q42-borked.ttl": ({"text": 1}, {}),
    "wdqs_Q42-munged.ttl": (
        {"text": 189, "entity": 52, "time": 2, "quantity": 1},
        {"preferred": 4, "deprecated": 1},
    ),
    "wdqs_Q42.ttl": ({"text": 243, "entity": 60, "quantity": 2, "time": 2}, {"preferred": 4, "deprecated": 1}),
    "wdqs_lexeme_dump.ttl": ({"entity": 3, "text": 1}, {}),
    "wdqs_tool_test.ttl": ({}, {}),  # of test.wikidata.org in 2015: other IRIs, so nothing in it is Wikidata's
    "wdqs_triples_small_2022.nt": (
        {"entity": 106, "text": 63, "time": 8, "quantity": 3, "novalue": 1, "somevalue": 1},
        {"deprecated": 2},
    ),
}
VALUE_COLUMNS = (
    "value_kind", "value_entity", "amount_text", "lower_text", "upper_text", "unit_id", "value_time",
    "time_precision", "calendar", "value_text", "value_lang", "latitude", "longitude",
)  # fmt: skip


@pytest.fixture
def statements_of(tmp_path: Path) -> Landed:
    """Lands all statements in a file of RDF, by making everything that has any a member of one class."""

    def land_file(path: Path) -> list[dict[str, Any]]:
        subjects, properties = set(), set()
        for quad in pyoxigraph.parse(path.read_bytes(), format=pyoxigraph.RdfFormat.TURTLE):
            local = quad.predicate.value.removeprefix(PROP)
            if isinstance(quad.subject, pyoxigraph.NamedNode) and local[:1] == "P" and local[1:].isdecimal():
                subjects.add(quad.subject.value.removeprefix(ENTITY))
                properties.add(local)
        if not subjects:
            return []
        members = "".join(f"<{ENTITY}{one}> <{PROP}direct/P31> <{ENTITY}Q35120> .\n" for one in sorted(subjects))
        endpoint = EmbeddedEndpoint([(path.name, path.read_bytes()), ("members", members.encode())])
        topics = tmp_path / "models" / "topics"
        topics.mkdir(parents=True)
        source = json.dumps({"classes": ["Q35120"], "properties": sorted(properties)})  # JSON is YAML
        (topics / "all.yml").write_text(f"models:\n  - name: all\n    config:\n      meta:\n        source: {source}\n")
        report = land(load_topic_sources(topics.parent), endpoint, tmp_path / "landing", SNAPSHOT)
        assert report.notes == []
        files = (tmp_path / "landing" / "wikidata" / "statements").rglob("*.parquet")
        rows = {row["statement_id"]: row for file in files for row in pq.read_table(file).to_pylist()}
        return [row for row in rows.values() if row["subject_id"] in subjects]

    return land_file


def json_statements(path: Path) -> dict[str, dict[str, Any]]:
    report = Report()
    buffer = RowBuffer(report)
    for entity in read_entities(path, EntityDecoder(), report):
        buffer.add(entity)
    constants = {"fetched_at": datetime.datetime(2026, 11, 30)}
    rows = buffer.take(constants, SCHEMAS)["statements"].to_pylist()
    return {row["statement_id"].lower(): row for row in rows}


def test_every_file_is_named_here(payloads: Path) -> None:
    assert {path.name for path in (payloads / "wikidata-rdf").iterdir()} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_recorded_rdf_gives_its_statements(name: str, payloads: Path, statements_of: Landed) -> None:
    rows = statements_of(payloads / "wikidata-rdf" / name)
    kinds, ranks = FILES[name]
    assert Counter(row["value_kind"] for row in rows) == kinds
    assert Counter(row["rank"] for row in rows if row["rank"] != "normal") == ranks


def test_a_property_alone_has_no_statements_to_land(payloads: Path, statements_of: Landed) -> None:
    path = payloads / "wikidata-api" / "wdqs_testwikidata_wiki_specialentitydata_p423ttl_fe741c.ttl"
    assert statements_of(path) == []


def test_douglas_adams_is_read_from_rdf(payloads: Path, statements_of: Landed) -> None:
    rows = {row["statement_id"]: row for row in statements_of(payloads / "wikidata-rdf" / "wdqs_Q42.ttl")}
    born = rows["q42-D8404CDA-25E4-4334-AF13-A3290BCD9C0F"]
    shown = ("property_id", "value_time", "time_precision", "calendar", "reference_count")
    assert [born[name] for name in shown] == ["P569", "1952-03-11T00:00:00Z", 11, "gregorian", 14]
    height = rows["Q42-b0bf3caf-481c-356b-03a2-e61174b8e6da"]
    assert (height["amount_text"], height["unit_id"]) == ("1.96", "Q11573")
    erdos = rows["Q42-bf7e1294-4f0f-3511-ab5f-81f47f5c98cb"]
    assert (erdos["amount_text"], erdos["unit_id"], erdos["rank"]) == ("10", None, "deprecated")
    assert erdos["source_url"] == "https://github.com/rchurchley/erdos-bacon-sabbath/issues/16"
    assert json.loads(erdos["qualifiers"] or "") == {
        "P3680": [{"kind": "somevalue"}],
        "P585": [{"kind": "time", "value": "2017-04-13T00:00:00Z", "precision": 11, "calendar": "gregorian"}],
    }
    stone = rows["Q42-db1ba2ba-47b9-3650-e6c4-db683abf788c"]
    assert (stone["value_text"], stone["rank"]) == ("Douglas Adams' gravestone.jpg", "preferred")


def test_a_slice_of_the_2022_dump_keeps_formulas_and_values_without_their_nodes(
    payloads: Path, statements_of: Landed
) -> None:
    rows = statements_of(payloads / "wikidata-rdf" / "wdqs_triples_small_2022.nt")
    (formula,) = {text for row in rows for text in _qualifier_texts(row, "P2534")}
    assert formula == "2^{607}-1"
    times = [row for row in rows if row["value_kind"] == "time"]
    assert {row["value_time"] for row in times} == {
        None
    }  # their value nodes are not in the slice: no precision, no date
    assert "1866-09-20T00:00:00Z" in {row["value_text"] for row in times}
    assert {row["property_id"] for row in rows if row["value_kind"] == "novalue"} == {"P364"}


# Q42 as JSON (2017 and before) and as RDF (2020 and 2023). Number of statements they share by id, and how many of those
# have another value, having been edited in between: an occupation replaced, the home page moved to https, catalogues
# renumbered. All others are equal in every column.
EDITED = {
    ("wptools_wikidata.json", "wdqs_Q42.ttl"): (104, 6),
    ("wptools_wikidata.json", "wdqs_Q42-munged.ttl"): (110, 6),
    ("wdtk_wbgetentities-Douglas-Adams.json", "wdqs_Q42.ttl"): (56, 12),
    ("wdtk_wbgetentities-Douglas-Adams.json", "wdqs_Q42-munged.ttl"): (56, 12),
}


@pytest.mark.parametrize(("answer", "rdf"), EDITED)
def test_rdf_and_json_of_one_item_agree_on_what_nobody_edited(
    answer: str, rdf: str, payloads: Path, statements_of: Landed
) -> None:
    by_json = json_statements(payloads / "wikidata-api" / answer)
    by_rdf = {row["statement_id"].lower(): row for row in statements_of(payloads / "wikidata-rdf" / rdf)}
    shared = by_json.keys() & by_rdf.keys()
    edited = {
        statement
        for statement in shared
        if [by_json[statement][name] for name in VALUE_COLUMNS] != [by_rdf[statement][name] for name in VALUE_COLUMNS]
    }
    assert (len(shared), len(edited)) == EDITED[answer, rdf]
    assert {by_json[one]["value_kind"] for one in edited} <= {"entity", "text"}
    assert all(by_json[one]["value_kind"] == by_rdf[one]["value_kind"] for one in edited)
    home_pages = [one for one in shared if by_json[one]["property_id"] == "P856"]
    assert all(by_json[one]["value_text"] == "http://www.douglasadams.com/" for one in home_pages)
    assert all(by_rdf[one]["value_text"] == "https://douglasadams.com/" for one in home_pages)


def _qualifier_texts(row: dict[str, Any], prop: str) -> list[str]:
    return [one["value"] for one in json.loads(row["qualifiers"] or "{}").get(prop, ())]
