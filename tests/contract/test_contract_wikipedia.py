"""Real answers of MediaWiki's and Wikidata's action API and of the page views go through the parsers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.http.body import BodyError
from ingest.wikipedia.entities import Entity, parse_entities, parse_search
from ingest.wikipedia.pages import parse_query
from ingest.wikipedia.views import parse_views

# Recorded answers to other calls than action=query: none may be taken for pages.
NO_QUERIES = {
    "wptools_parse.json", "wptools_parse_109.json", "wptools_parse_infobox.json", "wptools_rest.json",
    "wptools_rest_html.html", "wptools_rest_summary.json",
}  # fmt: skip
QUERIES = {
    "wptools_category_cmcontinue.json", "wptools_disambiguation.json", "wptools_query.json",
    "wptools_querymore_blcontinue.json", "wptools_random_query.json",
}  # fmt: skip
CALLS = "barrust_requests_1.jsonl"


def calls(payloads: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    """(parameters, body) of each recorded call of format version 1."""
    for line in (payloads / "mediawiki" / CALLS).read_text().splitlines():
        recorded = json.loads(line)
        yield dict(map(tuple, recorded["request"])), json.dumps(recorded["response"]).encode()


def test_every_file_is_named_here(payloads: Path) -> None:
    assert {path.name for path in (payloads / "mediawiki").iterdir()} == {CALLS, *QUERIES, *NO_QUERIES}
    assert len(list((payloads / "wikimedia-pageviews").iterdir())) == 1


def test_calls_of_version_1_give_every_page_under_its_title(payloads: Path) -> None:
    read = refused = 0
    for _, body in calls(payloads):
        plain = json.loads(body)
        if not isinstance(plain, dict) or "query" not in plain or "query-continue" in plain:
            with pytest.raises(BodyError) as raised:
                parse_query(body)
            assert not raised.value.again
            refused += 1
            continue
        answer = parse_query(body)
        assert set(answer.pages) == {page["title"] for page in plain["query"].get("pages", {}).values()}
        assert answer.further.keys() == plain.get("continue", {}).keys()
        read += 1
    assert (read, refused) == (70, 4)


def test_whole_texts_of_version_1_have_headings_revisions_and_redirects(payloads: Path) -> None:
    found = {}
    for parameters, body in calls(payloads):
        if parameters.get("prop") in ("extracts|revisions", "info|pageprops"):
            answer = parse_query(body)
            title = str(parameters.get("titles") or next(iter(answer.pages)))
            found[title, parameters["prop"]] = answer.article(title)
    castos = found["Castos", "extracts|revisions"]
    assert (castos.outcome, castos.page_id, castos.revision_id) == ("found", 6182, 152611)
    assert castos.text.endswith("== References and Notes ==")
    assert found["Arya Stark", "extracts|revisions"].characters > 15_000
    arya = found["arya", "info|pageprops"]
    assert (arya.title, arya.outcome, arya.page_id) == ("Arya Stark", "found", 1635)
    outcomes = {title: article.outcome for (title, prop), article in found.items() if prop == "info|pageprops"}
    assert set(outcomes.values()) == {"found", "disambiguation"}
    assert {title for title, outcome in outcomes.items() if outcome == "disambiguation"} == {
        "Bush",
        "Oasis (disambiguation)",
        "castor",
    }


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_answers_of_version_2(name: str, payloads: Path) -> None:
    answer = parse_query((payloads / "mediawiki" / name).read_bytes())
    assert answer.further
    if name == "wptools_query.json":
        adams = answer.article("Douglas Adams")
        assert (adams.outcome, adams.item_id, adams.revision_id) == ("found", "Q42", 841482403)
        assert adams.url == "https://en.wikipedia.org/wiki/Douglas_Adams"
    if name == "wptools_disambiguation.json":
        page = answer.article("Douglas Adams (disambiguation)")
        assert (page.outcome, page.item_id) == ("disambiguation", "Q5301194")
    if name == "wptools_random_query.json":
        assert answer.random == ["RANDOM TEST TITLE"]


@pytest.mark.parametrize("name", sorted(NO_QUERIES))
def test_answers_to_other_calls_are_no_pages(name: str, payloads: Path) -> None:
    with pytest.raises(BodyError):
        parse_query((payloads / "mediawiki" / name).read_bytes())


def test_missing_pages_in_both_versions(payloads: Path) -> None:
    old = parse_query((payloads / "wikidata-api/wdtk_query-Not_Found_twice.json").read_bytes())
    assert [old.article(title).outcome for title in ("File:Not Found", "File:Not Found Either")] == ["missing"] * 2
    new = parse_query((payloads / "wikidata-api/wdqs_testwikidata_w_apiphp_e6dbe6.json").read_bytes())
    assert (new.article("Q1").outcome, new.article("Q106376").revision_id) == ("missing", 270062)
    latest = parse_query((payloads / "wikidata-api/wdqs_latest_revision_response.json").read_bytes())
    assert (latest.article("Q3").revision_id, latest.further["rvcontinue"]) == (1539723790, "20211207034305|1539723569")


@pytest.mark.parametrize(
    ("name", "again", "said"),
    [
        ("wdtk_error-maxlag.json", True, "maxlag: Waiting for 10.64.16.27: 2 seconds lagged"),
        ("wdtk_error.json", False, "no-such-entity"),
        ("wdtk_error-spam-filter.json", False, "failed-save"),
        ("wdtk_wbgetentities-bogus.json", False, "no-such-entity: Could not find such an entity (Invalid id: bogus)"),
    ],
)
def test_errors_under_success(name: str, again: bool, said: str, payloads: Path) -> None:
    body = (payloads / "wikidata-api" / name).read_bytes()
    for parse in (parse_query, lambda body: parse_entities(body, []), lambda body: parse_search(body, "x")):
        with pytest.raises(BodyError) as raised:
            parse(body)
        assert said in raised.value.cause
        assert raised.value.again is again
        assert raised.value.retry_after == ("5" if again else None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wdtk_wbgetentities-Douglas-Adams.json", Entity("Q42", "Q42", "Douglas Adams", 74)),
        ("wdtk_wbgetentities-Q32063953.json", Entity("Q32063953", "Q1040", "Karlsruhe", 173)),
        ("wdtk_wbgetentities-virtual-Test.jpg.json", Entity("M4215516", None, None, 0)),
        ("wikibase-sdk_wbgetentities_response.json", Entity("Q3235026", "Q3235026", None, 4)),
    ],
)
def test_entities(name: str, expected: Entity, payloads: Path) -> None:
    assert parse_entities((payloads / "wikidata-api" / name).read_bytes(), [expected.asked]) == [expected]


def test_search_finds_labels_and_aliases(payloads: Path) -> None:
    body = (payloads / "wikidata-api/wdtk_wbsearchentities-abc.json").read_bytes()
    exact, further = parse_search(body, "abc")
    assert (len(exact), further) == (7, 7)
    assert {"Q169889", "Q286874"} < exact
    assert parse_search(body, "Abacavir") == ({"Q304330"}, 7)
    assert parse_search(body, "abcd") == (set(), 7)


def test_page_views(payloads: Path) -> None:
    body = (payloads / "wikimedia-pageviews/per-article_Dan_Castellaneta_monthly.json").read_bytes()
    months = [item["views"] for item in json.loads(body)["items"]]
    assert len(months) == 9
    assert parse_views(body, "Dan Castellaneta", 2020) == sum(months) == 468291
    assert parse_views(body, "Dan Castellaneta", 2019) == 0
