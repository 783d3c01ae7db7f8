"""Real answers of Wikidata's search and of wbgetentities go through the parsers of candidates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.http.body import BodyError
from ingest.wikidata.constraints import NONE, read_constraints
from ingest.wikipedia.search import Hit, parse_candidates, parse_hits

API = "wikidata-api"
ERRORS = ("wdtk_error-maxlag.json", "wdtk_error-spam-filter.json", "wdtk_error.json", "wdtk_wbgetentities-bogus.json")


def test_a_search_for_items_keeps_label_description_and_match(payloads: Path) -> None:
    hits = parse_hits((payloads / API / "wdtk_wbsearchentities-abc.json").read_bytes())
    assert [one.entity_id for one in hits] == [
        "Q169889", "Q286874", "Q781365", "Q287076", "Q304330", "Q1057802", "Q26298",
    ]  # fmt: skip
    assert hits[0] == Hit(
        "Q169889", "American Broadcasting Company", "American broadcast television network", "ABC", "alias"
    )
    assert {one.by for one in hits} == {"alias", "label"}


def test_a_search_for_properties_is_read_alike(payloads: Path) -> None:
    hits = parse_hits((payloads / API / "wdqs_testwikidata_w_apiphp_38cf0a.json").read_bytes())
    assert hits[0] == Hit("P423", "QueryTestProperty1579679951479", "", "QueryTestProperty1579679951479", "label")


def test_entities_become_candidates(payloads: Path) -> None:
    read = 0
    for path in sorted((payloads / API).glob("*.json")):
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict) or not isinstance(content.get("entities"), dict):
            continue
        asked = list(content["entities"])
        candidates = parse_candidates(path.read_bytes(), asked, "en")
        missing = [one for one in asked if "missing" in content["entities"][one]]
        assert len(candidates) == len(asked) - len(missing), path.name
        assert all(one.constraints == NONE for one in candidates), "no recorded property has constraints"
        read += len(candidates)
    assert read > 10


def test_a_redirect_gives_the_id_and_the_classes_it_leads_to(payloads: Path) -> None:
    body = (payloads / API / "wdtk_wbgetentities-Q32063953.json").read_bytes()
    (found,) = parse_candidates(body, list(json.loads(body)["entities"]), "en")
    assert (found.entity_id, found.label, found.sitelinks) == ("Q1040", "Karlsruhe", 106)
    assert found.classes[-2:] == ("Q515", "Q22865")


def test_a_property_has_its_datatype(payloads: Path) -> None:
    body = (payloads / API / "wptools_labels_wanted.json").read_bytes()
    found = {one.entity_id: one for one in parse_candidates(body, list(json.loads(body)["entities"]), "en")}
    assert (found["P31"].label, found["P31"].datatype) == ("instance of", "wikibase-item")
    assert (found["Q5"].label, found["Q5"].datatype) == ("human", None)


def test_a_propertys_json_without_constraints_expects_nothing(payloads: Path) -> None:
    content = json.loads((payloads / API / "wikibase-sdk_P3035.json").read_bytes())
    assert (content["id"], content["datatype"]) == ("P3035", "external-id")
    assert read_constraints(content["claims"].get("P2302", [])) == NONE


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_under_a_status_of_success_is_told(name: str, payloads: Path) -> None:
    body = (payloads / API / name).read_bytes()
    for parse in (parse_hits, lambda body: parse_candidates(body, ["Q1"], "en")):
        with pytest.raises(BodyError):
            parse(body)
