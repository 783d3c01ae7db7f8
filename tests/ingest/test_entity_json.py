"""Entity JSON in all the shapes Wikidata has served it in, decoded and turned into landing rows."""

import datetime
import json
from typing import Any

import pytest

from ingest.landing import SCHEMAS
from ingest.wikidata.entity_json import ApiError, EntityDecoder, EntityJsonError
from ingest.wikidata.entity_rows import Report, RowBuffer

CONSTANTS = {
    "source": "wikidata",
    "request_hash": "h",
    "fetched_at": datetime.datetime(2026, 11, 30),
    "snapshot_id": "s",
}


def land(document: Any, **options: Any) -> tuple[dict[str, list[dict[str, Any]]], Report]:
    """Rows by dataset, and the report, of a document given as Python data."""
    report = Report()
    buffer = RowBuffer(report, options.get("properties"), options.get("classes"))
    decoder = EntityDecoder(options.get("language", "en"), options.get("read"))
    for entity in decoder.documents(json.dumps(document).encode()):
        buffer.add(entity)
    return {name: table.to_pylist() for name, table in buffer.take(CONSTANTS, SCHEMAS).items()}, report


def item(claims: Any, **more: Any) -> dict[str, Any]:
    return {"type": "item", "id": "Q4115189", "labels": {}, "claims": claims, **more}


def claim(value: Any, kind: str = "string", **more: Any) -> dict[str, Any]:
    snak = {"snaktype": "value", "property": "P1", "datavalue": {"value": value, "type": kind}}
    return {"mainsnak": snak, "type": "statement", "id": "Q4115189$1", "rank": "normal", **more}


def entity_claim(target: str, rank: str = "normal") -> dict[str, Any]:
    return claim({"entity-type": "item", "numeric-id": int(target[1:]), "id": target}, "wikibase-entityid", rank=rank)


def test_php_writes_empty_maps_as_lists() -> None:
    empty = claim("x", qualifiers=[], references=[{"snaks": []}])
    rows, report = land(item({"P1": [empty]}, labels=[], descriptions=[], aliases=[], sitelinks=[]))
    assert rows["entities"][0]["label"] is None
    assert rows["entities"][0]["aliases"] == []
    assert rows["entities"][0]["sitelinks"] == 0
    assert (rows["statements"][0]["qualifiers"], rows["statements"][0]["reference_count"]) == (None, 1)
    assert land(item([]))[0]["statements"] == []
    assert report.unreadable.total() == 0


def test_dumps_before_2016_name_entities_by_number_and_statements_in_lower_case() -> None:
    old = claim({"entity-type": "item", "numeric-id": 5}, "wikibase-entityid", id="q4115189$AB-1")
    prop = claim({"entity-type": "property", "numeric-id": 31}, "wikibase-entityid", id="q4115189$AB-2")
    rows, _ = land(item({"P1": [old, prop]}))
    assert [row["value_entity"] for row in rows["statements"]] == ["Q5", "P31"]
    assert [row["statement_id"] for row in rows["statements"]] == ["q4115189-AB-1", "q4115189-AB-2"]


def test_claims_in_a_list_say_their_property_themselves() -> None:
    bare = {"mainsnak": {"snaktype": "value", "property": "P2", "datavalue": {"value": "x", "type": "string"}}}
    lost = {"mainsnak": {"snaktype": "value", "datavalue": {"value": "y", "type": "string"}}}
    rows, report = land(item([bare, bare, lost]))
    found = [(row["property_id"], row["statement_id"], row["rank"]) for row in rows["statements"]]
    assert found == [("P2", "Q4115189-P2-1", "normal"), ("P2", "Q4115189-P2-2", "normal")]
    assert report.unreadable == {"no property, the statement does not say its property": 1}


def test_an_api_answer_may_hold_missing_entities_and_redirects() -> None:
    answer = {
        "entities": {
            "-1": {"site": "dewiki", "title": "1234567890", "missing": ""},
            "Q99999999999": {"id": "Q99999999999", "missing": True},
            "Q32063953": {
                "type": "item", "id": "Q1040", "redirects": {"from": "Q32063953", "to": "Q1040"},
                "labels": {"en": {"language": "en", "value": "Karlsruhe"}},
            },
        },
        "success": 1,
    }  # fmt: skip
    rows, report = land(answer)
    assert [(row["entity_id"], row["label"], row["redirect_to"]) for row in rows["entities"]] == [
        ("Q32063953", None, "Q1040"),
        ("Q1040", "Karlsruhe", None),
    ]
    assert rows["entities"][1]["sitelinks"] is None
    assert (report.entities, report.missing, report.redirects) == (1, 2, 1)


def test_a_redirect_may_stand_alone() -> None:
    rows, report = land({"entity": "Q32063953", "redirect": "Q1040"})
    assert [(row["entity_id"], row["redirect_to"]) for row in rows["entities"]] == [("Q32063953", "Q1040")]
    assert (report.entities, report.redirects) == (0, 1)


def test_an_error_answer_is_told_as_the_api_told_it() -> None:
    with pytest.raises(ApiError, match=r"error no-such-entity: Could not find such an entity \(Invalid id: bogus\)"):
        land({"error": {"code": "no-such-entity", "info": "Could not find such an entity (Invalid id: bogus)"}})


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b'{"batchcomplete":"","query":{}}', "it is JSON, but no entity"),
        (b'{"type":"item","id":"Q42","labels":{"en":{"lang', "input data was truncated"),
        (b"dummy error", "JSON is malformed"),
        (b'{"type":"item","id":"Q42"} trailing', "JSON is malformed: trailing characters"),
        (b'"Q42"', "expected `object`, got `str`"),
        (b"[1]", "expected `object`, got `int`"),
        (b"", "input data was truncated"),
    ],
)
def test_what_is_no_entity_is_said_to_be_none(body: bytes, cause: str) -> None:
    with pytest.raises(EntityJsonError) as raised:
        EntityDecoder().documents(body)
    assert cause in str(raised.value)


def test_properties_land_their_label_and_other_types_are_counted() -> None:
    rows, report = land(
        [
            {"type": "property", "id": "P31", "datatype": "wikibase-item", "claims": {"P1": [claim("x")]},
             "labels": {"en": {"language": "en", "value": "instance of"}}},
            {"type": "lexeme", "id": "L7", "lemmas": {}, "lexicalCategory": "Q1084", "claims": []},
            {"type": "mediainfo", "id": "M89", "labels": {}, "statements": []},
        ]
    )  # fmt: skip
    assert [(row["entity_id"], row["label"]) for row in rows["entities"]] == [("P31", "instance of")]
    assert rows["statements"] == []
    assert report.label_only == {"property": 1}
    assert report.skipped == {"lexeme": 1, "mediainfo": 1}


def test_a_data_type_not_known_yet_lands_by_its_value_and_is_counted() -> None:
    new = claim("G major")
    new["mainsnak"]["datatype"] = "musical-key"
    rows, report = land(item({"P1": [new, new]}))
    assert [row["value_text"] for row in rows["statements"]] == ["G major", "G major"]
    assert report.unknown_datatypes == {"musical-key": 2}


def test_a_value_of_unknown_type_is_counted_and_takes_nothing_with_it() -> None:
    strange = claim({"shape": "round"}, "shape", id="Q4115189$2")
    number = claim(7, "count", id="Q4115189$3")
    broken = claim({"amount": 5, "unit": "1"}, "quantity", id="Q4115189$4")
    lacking = claim({"unit": "1"}, "quantity", id="Q4115189$5")
    qualified = claim("y", id="Q4115189$6", qualifiers={"P2": [strange["mainsnak"], claim("z")["mainsnak"]]})
    rows, report = land(item({"P1": [claim("x"), strange, number, broken, lacking], "P3": [qualified]}))
    assert [row["statement_id"] for row in rows["statements"]] == ["Q4115189-1", "Q4115189-6"]
    assert rows["statements"][1]["qualifiers"] == '{"P2":[{"kind":"text","value":"z"}]}'
    assert sorted(report.unreadable) == [
        "P1, expected `str | null`, got `int` - at `$.mainsnak.datavalue.value.amount`",
        "P1, value of type quantity lacks its parts",
        "P1, value of unknown type count",
        "P1, value of unknown type shape",
        "P2 as qualifier, value of unknown type shape",
    ]
    assert report.unreadable.total() == 5


def test_a_time_that_names_no_date_keeps_its_text() -> None:
    time = {
        "time": "+1998-02-30T00:00:00Z",
        "precision": 11,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }
    rows, report = land(item({"P569": [claim(time, "time")]}))
    row = rows["statements"][0]
    assert (row["value_kind"], row["value_time"], row["value_text"]) == ("time", None, "+1998-02-30T00:00:00Z")
    assert report.unreadable_times == {"P569": 1}


def test_bounds_left_out_by_newer_dumps_are_null() -> None:
    metre = "http://www.wikidata.org/entity/Q11573"
    bare = claim({"amount": "+3.10", "unit": metre}, "quantity")
    null = claim({"amount": "+3", "unit": "1", "upperBound": None, "lowerBound": None}, "quantity")
    rows, _ = land(item({"P1": [bare, null]}))
    names = ("amount_text", "lower_text", "upper_text", "unit_id")
    assert [[row[name] for name in names] for row in rows["statements"]] == [
        ["3.1", None, None, "Q11573"],
        ["3", None, None, None],
    ]


def test_labels_come_in_the_asked_language_else_in_the_one_for_all() -> None:
    labels = {"de": {"language": "de", "value": "Stadt"}, "mul": {"language": "mul", "value": "CITY"}}
    entity = item({}, labels=labels, sitelinks={"dewiki": {"site": "dewiki", "title": "Stadt (DE)"}})
    names = ("label", "label_lang", "wikipedia_title")
    found = {
        lang: [land(entity, language=lang)[0]["entities"][0][name] for name in names] for lang in ("de", "en", "mul")
    }
    assert found == {"de": ["Stadt", "de", "Stadt (DE)"], "en": ["CITY", "mul", None], "mul": ["CITY", "mul", None]}


def test_properties_that_are_not_wanted_are_not_landed() -> None:
    claims = {"P31": [entity_claim("Q5")], "P1": [claim("x")], "P2": [claim("y")]}
    for read in (None, ["P1", "P31"]):
        rows, _ = land(item(claims), properties=["P1"], read=read)
        assert [row["property_id"] for row in rows["statements"]] == ["P1"]
        assert [row["class_id"] for row in rows["instances"]] == ["Q5"]


def test_instances_follow_the_best_rank_and_the_classes_asked_for() -> None:
    claims = {"P31": [entity_claim("Q6256", "preferred"), entity_claim("Q515"), entity_claim("Q5", "deprecated")]}
    assert [row["class_id"] for row in land(item(claims))[0]["instances"]] == ["Q6256"]
    member, _ = land(item(claims), classes={"Q56061": ["Q56061", "Q6256"], "Q515": ["Q515"]})
    assert [row["class_id"] for row in member["instances"]] == ["Q56061"]
    assert len(member["statements"]) == 3
    stranger, _ = land(item(claims), classes={"Q515": ["Q515"]})
    assert (stranger["instances"], stranger["statements"]) == ([], [])
    assert len(stranger["entities"]) == 1


def test_the_report_is_told_in_sentences() -> None:
    report = Report(entities=2, statements=3, missing=1)
    report.skipped["lexeme"] += 4
    assert report.lines() == [
        "Landed: 2 entities, 3 statements.",
        "Entities reported missing by the source: 1.",
        "Entities not landed, being of type lexeme: 4.",
    ]
