"""The airports of the sample against what is known of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import graph, members, names, statements, values

FOOT = "Q3710"


@pytest.mark.parametrize(("airport", "feet"), [("icao:KJFK", 13), ("icao:EGLL", 83), ("icao:KDEN", 5434)])
def test_elevations_stand_in_feet_as_aviation_publishes_them(airport: str, feet: int) -> None:
    (elevation,) = statements("airports", airport, "P2044")
    assert float(elevation.value) == pytest.approx(feet, abs=1)
    assert elevation.unit == FOOT


def test_elevations_come_in_feet_here_and_in_metres_for_mountains() -> None:
    unit = "http://wikiba.se/ontology#quantityUnit"
    airports = {
        quad.object.value
        for quad in graph("airports").quads_for_pattern(None, None, None)
        if quad.predicate.value == unit
    }
    mountains = {
        quad.object.value
        for quad in graph("mountains").quads_for_pattern(None, None, None)
        if quad.predicate.value == unit
    }
    assert airports == {f"http://www.wikidata.org/entity/{FOOT}"}
    assert "http://www.wikidata.org/entity/Q11573" in mountains


def test_heathrow_serves_the_london_of_the_united_kingdom() -> None:
    assert values("airports", "icao:EGLL", "P931") == ["geonames:2643743"]
    assert values("airports", "icao:EGLL", "P17") == ["Q145"]


def test_an_airport_answers_to_its_iata_code() -> None:
    aliases = names("airports", "http://www.w3.org/2004/02/skos/core#altLabel")
    assert aliases["icao:KJFK"] == ["JFK"]


def test_no_elevation_is_zero_since_the_source_writes_zero_for_unknown() -> None:
    for airport in members("airports", "Q1248784"):
        assert "0" not in values("airports", airport, "P2044")
