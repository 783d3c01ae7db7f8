"""Wikidata's search and entities as candidates, over a MediaWiki-shaped server; and constraints out of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from ingest.errors import ServiceError
from ingest.http.body import BodyError
from ingest.http.client import HttpClient
from ingest.http.rates import RateLimiter
from ingest.http.service import Patience
from ingest.wikidata.constraints import NONE, Constraints, Types, read_constraints
from ingest.wikipedia.client import SERVICE, WikipediaClient
from ingest.wikipedia.search import Candidate, Hit, parse_candidates, parse_hits
from tests.propose.world import allowed_units, snak, types
from tests.wiki import MAXLAG, WikiEntity, WikiServer

VOLCANO = WikiEntity(label="volcano", aliases=("fire mountain",), description="rupture", classes=("Q1",), sitelinks=3)
HEIGHT = WikiEntity(label="height", datatype="quantity", constraints=tuple(allowed_units("Q11573", None)))


@pytest.fixture
def wiki() -> Iterator[WikiServer]:
    with WikiServer() as serving:
        serving.wiki.entities = {"Q8072": VOLCANO, "P2048": HEIGHT, "Q9": WikiEntity(label="volcano ash")}
        yield serving


def client(wiki: WikiServer, version: int = 2) -> WikipediaClient:
    patience = Patience(attempts=2)
    http = HttpClient(
        SERVICE, "tests@example.org", loopback=wiki.home, limiter=RateLimiter(()), sleep=lambda _: None,
        patience=patience,
    )  # fmt: skip
    return WikipediaClient(http, format_version=version)


def test_a_search_keeps_what_matched(wiki: WikiServer) -> None:
    asked = client(wiki)
    assert asked.search("fire mountain", "item", "en") == [Hit("Q8072", "volcano", "rupture", "fire mountain", "alias")]
    assert [one.entity_id for one in asked.search("volcano", "item", "en")] == ["Q8072", "Q9"]
    assert [one.entity_id for one in asked.search("volcano", "item", "en", 1)] == ["Q8072"]
    assert [one.entity_id for one in asked.search("height", "property", "en")] == ["P2048"]
    assert asked.search("unicorn", "item", "en") == []
    assert {one["maxlag"] for one in wiki.wiki.asked} == {"5"}


@pytest.mark.parametrize("version", [1, 2])
def test_candidates_have_classes_pages_datatype_and_constraints(version: int, wiki: WikiServer) -> None:
    wiki.wiki.entities["Q7"] = WikiEntity(to="Q8072")
    found = {one.entity_id: one for one in client(wiki, version).candidates(["Q8072", "P2048", "Q404"], "en")}
    assert found["Q8072"] == Candidate("Q8072", "volcano", "rupture", ("Q1",), 3)
    assert found["P2048"].datatype == "quantity"
    assert found["P2048"].constraints == Constraints(units=("Q11573", None))
    assert "Q404" not in found
    assert [one.entity_id for one in client(wiki, version).candidates(["Q7"], "en")] == ["Q8072"]


def test_a_lagging_service_is_asked_again_and_what_is_no_id_is_not_asked(wiki: WikiServer) -> None:
    wiki.wiki.first = [(200, json.dumps(MAXLAG).encode())]
    assert client(wiki).search("volcano", "item", "en")
    with pytest.raises(ServiceError, match="'cik:1' is no Q-id or P-id; write one such as Q42"):
        list(client(wiki).candidates(["cik:1"], "en"))


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"query": {}}', b'{"search": [{}]}', b'{"search": ['])
def test_what_is_no_search_result_is_an_error(body: bytes) -> None:
    with pytest.raises(BodyError):
        parse_hits(body)


@pytest.mark.parametrize("body", [b"{}", b'{"entities": {}}', b'{"entities": {"Q1": 5}}', b'{"entities": {"Q1": {'])
def test_what_lacks_an_entity_is_an_error(body: bytes) -> None:
    with pytest.raises(BodyError):
        parse_candidates(body, ["Q1"], "en")


def stated(kind: str, **qualifiers: Any) -> dict[str, Any]:
    return {"rank": "normal", "mainsnak": snak(kind), "qualifiers": qualifiers}


def bound(amount: str) -> dict[str, Any]:
    return {"snaktype": "value", "datavalue": {"type": "quantity", "value": {"amount": amount, "unit": "1"}}}


def test_every_constraint_is_read() -> None:
    found = read_constraints(
        [
            *types("Q21503250", "Q5", "Q95074"),
            *types("Q21510865", "Q515", relation="Q30208840"),
            *allowed_units("Q11573"),
            stated("Q19474404"),
            stated("Q21510860", P2313=[bound("+0")], P2312=[bound("+8848.9")]),
            stated("Q52004125", P2305=[snak("Q29934200")]),
        ]
    )
    assert found == Constraints(
        Types(("Q5", "Q95074")), Types(("Q515",), "either"), ("Q11573",), True, Decimal(0), Decimal("8848.9")
    )


@pytest.mark.parametrize(
    "statement",
    [
        {},
        {"mainsnak": {"snaktype": "novalue"}},
        {**stated("Q19474404"), "rank": "deprecated"},
        stated("Q21503250"),
        stated("Q21510865", P2308=[snak(None)]),
        stated("Q21514353", P2305=[]),
        stated("Q21510860", P2313=[{"snaktype": "somevalue"}], P2312=[bound("many")]),
        {"mainsnak": snak("Q21503250"), "qualifiers": []},
    ],
)
def test_what_says_nothing_constrains_nothing(statement: dict[str, Any]) -> None:
    assert read_constraints([statement]) == NONE


def test_an_old_body_gives_numbers_in_place_of_ids() -> None:
    old = {"datavalue": {"value": {"entity-type": "item", "numeric-id": 19474404}}}
    assert read_constraints([{"mainsnak": old}]).is_single
