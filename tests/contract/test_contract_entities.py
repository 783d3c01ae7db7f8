"""Every recorded entity document and API answer goes through the entity JSON reader."""

import datetime
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ingest.landing import SCHEMAS
from ingest.wikidata import values
from ingest.wikidata.dump import DumpError, read_entities
from ingest.wikidata.entity_json import ApiError, EntityDecoder, EntityJsonError, Statement, Value
from ingest.wikidata.entity_rows import Report, RowBuffer

CONSTANTS = {
    "source": "wikidata",
    "request_hash": "",
    "fetched_at": datetime.datetime(2026, 11, 30),
    "snapshot_id": "s",
}

# Entities landed, statements landed, references, statements with qualifiers.
DUMPS = {
    "opentapioca_Q30264236.json": (1, 9, 11, 0),
    "opentapioca_Q31.json": (1, 432, 213, 251),
    "opentapioca_Q62653454.json": (1, 6, 0, 1),
    "opentapioca_dump_sample_01.json": (4, 1558, 1012, 953),
    "opentapioca_dump_sample_02.json": (9, 2013, 858, 1019),
    "opentapioca_dump_sample_03.json": (19, 2369, 948, 876),
    "opentapioca_dump_sample_04.json": (25, 1298, 670, 224),
    "opentapioca_recentchanges_stream_01.jsonl": (165, 2053, 935, 382),
    "opentapioca_recentchanges_stream_02.jsonl": (157, 2075, 1014, 315),
    "opentapioca_recentchanges_stream_03.jsonl": (51, 790, 484, 144),
    "wdtk_sample-dump-20150815.json": (101, 119, 24, 7),
}
# Entities landed, statements landed, and whatever else the report counts.
ANSWERS: dict[str, tuple[int, int, dict[str, int]]] = {
    "wdqs_testwikidata_w_apiphp_04c378.json": (1, 1, {}),
    "wdqs_testwikidata_w_apiphp_664940.json": (1, 0, {"property": 1}),
    "wdqs_testwikidata_w_apiphp_68fe3e.json": (1, 1, {}),
    "wdtk_wbgetentites-Oliver-Kahn.json": (1, 35, {}),
    "wdtk_wbgetentities-1234567890-missing.json": (0, 0, {"missing": 1}),
    "wdtk_wbgetentities-Douglas-Adams.json": (1, 74, {}),
    "wdtk_wbgetentities-Q1.json": (1, 16, {}),
    "wdtk_wbgetentities-Q32063953.json": (1, 173, {"redirects": 1}),
    "wdtk_wbgetentities-titles.json": (0, 0, {"mediainfo": 2}),
    "wdtk_wbgetentities-virtual-Test.jpg.json": (0, 0, {"missing": 1}),
    "wikibase-sdk_M56656949.json": (0, 0, {"mediainfo": 1}),
    "wikibase-sdk_P3035.json": (1, 0, {"property": 1}),
    "wikibase-sdk_Q217447.json": (1, 25, {}),
    "wikibase-sdk_Q22002395.json": (1, 12, {}),
    "wikibase-sdk_Q4115189.json": (1, 6, {}),
    "wikibase-sdk_Q571.json": (1, 185, {}),
    "wikibase-sdk_Q646148.json": (1, 60, {}),
    "wikibase-sdk_empty_values.json": (1, 3, {}),
    "wikibase-sdk_wbgetentities_response.json": (1, 4, {}),
    "wptools_labels_1.json": (50, 0, {"property": 30}),
    "wptools_labels_3.json": (47, 0, {"property": 34}),
    "wptools_labels_wanted.json": (2, 0, {"property": 1}),
    "wptools_wikidata.json": (1, 127, {}),
    "wptools_wikidata_novalue_snak.json": (1, 2, {}),
}
ERRORS = {
    "wdtk_error-maxlag.json": "error maxlag: Waiting for 10.64.16.27: 2 seconds lagged",
    "wdtk_error-spam-filter.json": "error failed-save: The save has failed.",
    "wdtk_error.json": "error no-such-entity: Could not find such an entity (Invalid id: Q0)",
    "wdtk_wbgetentities-bogus.json": "error no-such-entity: Could not find such an entity (Invalid id: bogus)",
}
# Answers to other calls: none of them may be taken for an entity.
OTHERS = {
    "wdqs_latest_revision_response.json", "wdqs_recent_changes.json", "wdqs_testwikidata_w_apiphp_38cf0a.json",
    "wdqs_testwikidata_w_apiphp_551fda.json", "wdqs_testwikidata_w_apiphp_60d7d8.txt",
    "wdqs_testwikidata_w_apiphp_7d4dc9.json", "wdqs_testwikidata_w_apiphp_874c8e.json",
    "wdqs_testwikidata_w_apiphp_a36d1d.json", "wdqs_testwikidata_w_apiphp_ac227e.json",
    "wdqs_testwikidata_w_apiphp_e6dbe6.json", "wdqs_testwikidata_wiki_specialentitydata_p423ttl_fe741c.ttl",
    "wdtk_query-Cat.jpg.json", "wdtk_query-Not_Found_twice.json", "wdtk_wbsearchentities-abc.json",
    "wikibase-sdk_old_claim_format.json",
}  # fmt: skip


def read(path: Path) -> tuple[dict[str, list[dict[str, Any]]], Report]:
    report = Report()
    buffer = RowBuffer(report)
    for entity in read_entities(path, EntityDecoder(), report):
        buffer.add(entity)
    return {name: table.to_pylist() for name, table in buffer.take(CONSTANTS, SCHEMAS).items()}, report


def plainly(path: Path) -> list[dict[str, Any]]:
    """The entities of a document by the json module alone, as a second opinion."""
    text = path.read_text(encoding="utf-8")
    try:
        found = json.loads(text)
    except ValueError:
        found = [json.loads(line) for line in text.splitlines()]
    if isinstance(found, dict):
        found = [*found["entities"].values()] if "entities" in found else [found.get("entity", found)]
    return [one for one in found if one.get("type") == "item"]


def statements_of(path: Path) -> Counter[tuple[str, str, str, str]]:
    return Counter(
        (str(claim["id"]).replace("$", "-"), prop, claim["rank"], claim["mainsnak"]["snaktype"])
        for entity in plainly(path)
        for prop, claims in (entity.get("claims") or {}).items()
        for claim in claims
    )


def test_every_file_is_named_here(payloads: Path) -> None:
    assert {path.name for path in (payloads / "wikidata-entities-json").iterdir()} == set(DUMPS)
    assert {path.name for path in (payloads / "wikidata-api").iterdir()} == {*ANSWERS, *ERRORS, *OTHERS}


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_lands_all_of_its_statements(name: str, payloads: Path) -> None:
    path = payloads / "wikidata-entities-json" / name
    rows, report = read(path)
    statements = rows["statements"]
    references = sum(row["reference_count"] for row in statements)
    qualified = sum(row["qualifiers"] is not None for row in statements)
    assert (report.entities, len(statements), references, qualified) == DUMPS[name]
    assert report.unreadable.total() + report.unknown_datatypes.total() + report.unreadable_times.total() == 0
    assert _without_kinds(statements) == statements_of(path)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_api_answer_lands_its_items_and_counts_the_rest(name: str, payloads: Path) -> None:
    path = payloads / "wikidata-api" / name
    rows, report = read(path)
    counted = {**report.skipped, **report.label_only, "missing": report.missing, "redirects": report.redirects}
    assert (report.entities, len(rows["statements"]), {kind: n for kind, n in counted.items() if n}) == ANSWERS[name]
    assert report.unreadable.total() + report.unknown_datatypes.total() == 0
    assert _without_kinds(rows["statements"]) == statements_of(path)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_answer_is_an_error(name: str, payloads: Path) -> None:
    with pytest.raises(ApiError) as raised:
        read(payloads / "wikidata-api" / name)
    assert ERRORS[name] in str(raised.value)


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_what_is_no_entity_document_lands_nothing(name: str, payloads: Path) -> None:
    path = payloads / "wikidata-api" / name
    with pytest.raises(EntityJsonError):
        EntityDecoder().documents(path.read_bytes())
    with pytest.raises(DumpError, match="is no whole entity"):
        read(path)


def test_douglas_adams_was_born_on_11_march_1952_in_any_year_of_the_answer(payloads: Path) -> None:
    for name, references in (("wdtk_wbgetentities-Douglas-Adams.json", (2, 2)), ("wptools_wikidata.json", (6, 8))):
        rows, _ = read(payloads / "wikidata-api" / name)
        assert (rows["entities"][0]["entity_id"], rows["entities"][0]["label"]) == ("Q42", "Douglas Adams")
        assert rows["entities"][0]["wikipedia_title"] == "Douglas Adams"
        dates = [row for row in rows["statements"] if row["property_id"] in ("P569", "P570")]
        assert {(row["property_id"], row["value_time"], row["time_precision"], row["calendar"]) for row in dates} == {
            ("P569", "1952-03-11T00:00:00Z", 11, "gregorian"),
            ("P570", "2001-05-11T00:00:00Z", 11, "gregorian"),
        }
        assert tuple(row["reference_count"] for row in sorted(dates, key=lambda row: row["property_id"])) == references
    born = next(row for row in dates if row["property_id"] == "P569")
    assert born["source_url"] == "http://data.bnf.fr/ark:/12148/cb11888092r"


def test_belgium_has_its_populations_ranked_dated_and_without_unit(payloads: Path) -> None:
    rows, _ = read(payloads / "wikidata-entities-json" / "opentapioca_Q31.json")
    populations = [row for row in rows["statements"] if row["property_id"] == "P1082"]
    assert {row["unit_id"] for row in populations} == {None}
    (preferred,) = (row for row in populations if row["rank"] == "preferred")
    assert preferred["amount_text"] == "11150516"
    assert json.loads(preferred["qualifiers"]) == {
        "P585": [{"kind": "time", "value": "2014-01-01T00:00:00Z", "precision": 11, "calendar": "gregorian"}]
    }
    in_1960 = next(row for row in populations if row["amount_text"] == "9153489")
    assert '"value":"1960-00-00T00:00:00Z","precision":9' in in_1960["qualifiers"]
    (area,) = (row for row in rows["statements"] if row["property_id"] == "P2046")
    assert [area[name] for name in ("amount_text", "lower_text", "upper_text", "unit_id")] == [
        "30528", "30527", "30529", "Q712226",
    ]  # fmt: skip
    assert Counter(row["rank"] for row in rows["statements"]) == {"normal": 426, "preferred": 6}
    assert Counter(row["value_kind"] for row in rows["statements"]) == {
        "entity": 154, "quantity": 153, "text": 118, "coordinate": 5, "time": 1, "somevalue": 1,
    }  # fmt: skip


def test_dates_keep_calendar_and_precision(payloads: Path) -> None:
    found = {}
    for name in ("opentapioca_dump_sample_03.json", "opentapioca_recentchanges_stream_01.jsonl"):
        rows, _ = read(payloads / "wikidata-entities-json" / name)
        found |= {
            (row["subject_id"], row["property_id"]): (row["value_time"], row["time_precision"], row["calendar"])
            for row in rows["statements"]
            if row["value_kind"] == "time"
        }
    assert found["Q1711", "P1249"] == ("0993-07-03T00:00:00Z", 11, "julian")
    assert found["Q891", "P571"] == ("1221-00-00T00:00:00Z", 9, "julian")
    assert found["Q48343622", "P569"] == ("2000-00-00T00:00:00Z", 7, "gregorian")
    assert not [key for key, (time, _, calendar) in found.items() if time is None or calendar is None]


def test_values_of_every_kind_are_where_they_should_be(payloads: Path) -> None:
    folder = payloads / "wikidata-api"
    empty = read(folder / "wikibase-sdk_empty_values.json")[0]["statements"]
    assert sorted((row["value_kind"], row["value_text"]) for row in empty) == [
        ("novalue", None), ("somevalue", None), ("text", "bacasable"),
    ]  # fmt: skip
    (dissolved,) = (
        row
        for row in read(folder / "wptools_wikidata_novalue_snak.json")[0]["statements"]
        if row["property_id"] == "P576"
    )
    assert dissolved["value_kind"] == "novalue"
    (score,) = (
        row for row in read(folder / "wikibase-sdk_Q4115189.json")[0]["statements"] if row["property_id"] == "P6604"
    )
    assert score["value_text"] == "\\relative { c d e f g e }"
    (amount,) = read(folder / "wdqs_testwikidata_w_apiphp_04c378.json")[0]["statements"]
    assert (amount["amount_text"], amount["unit_id"], amount["lower_text"]) == ("-991390970807655179", None, None)
    redirect, karlsruhe = read(folder / "wdtk_wbgetentities-Q32063953.json")[0]["entities"]
    assert (redirect["entity_id"], redirect["redirect_to"]) == ("Q32063953", "Q1040")
    assert (karlsruhe["entity_id"], karlsruhe["label"]) == ("Q1040", "Karlsruhe")


def test_claims_of_the_oldest_format_name_their_entities_by_number(payloads: Path) -> None:
    claims = json.loads((payloads / "wikidata-api" / "wikibase-sdk_old_claim_format.json").read_text())
    found: list[Statement] = [EntityDecoder().statement(json.dumps(claim).encode()) for claim in claims]
    targets = []
    for statement in found:
        assert statement.mainsnak.datavalue is not None
        assert isinstance(statement.mainsnak.datavalue.value, Value)
        targets.append(statement.mainsnak.datavalue.value.entity_id())
    assert targets == ["Q123", "P123"]
    old, _ = read(payloads / "wikidata-entities-json" / "wdtk_sample-dump-20150815.json")
    universe = next(row for row in old["statements"] if row["subject_id"] == "Q1")
    assert (universe["value_entity"], universe["statement_id"]) == (
        "Q1454986",
        "q1-0479EB23-FC5B-4EEC-9529-CEE21D6C6FA9",
    )
    long_years = [row for row in old["statements"] if row["qualifiers"] and '"kind":"time"' in row["qualifiers"]]
    assert '"P580":[{"kind":"time","value":"1917-12-06T00:00:00Z","precision":11' in "".join(
        row["qualifiers"] for row in long_years
    )


def test_old_padded_years_read_like_new_ones() -> None:
    assert values.time_from_json("+00000001917-12-06T00:00:00Z", 11, "gregorian")[0] == "1917-12-06T00:00:00Z"


def _without_kinds(rows: list[dict[str, Any]]) -> Counter[tuple[str, str, str, str]]:
    kinds = {"somevalue": "somevalue", "novalue": "novalue"}
    return Counter(
        (row["statement_id"], row["property_id"], row["rank"], kinds.get(row["value_kind"], "value")) for row in rows
    )
