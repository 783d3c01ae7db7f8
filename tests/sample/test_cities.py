"""The cities of the sample against what is known of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import by_label, members, names, statements, values

TOKYO, NEW_YORK = "geonames:1850147", "geonames:5128581"


def test_tokyo_is_in_japan_on_the_35th_parallel() -> None:
    assert values("cities", TOKYO, "P17") == ["Q17"]
    assert values("cities", TOKYO, "P421") == ["tz:Asia/Tokyo"]
    (place,) = values("cities", TOKYO, "P625")
    longitude, latitude = (float(part) for part in place.removeprefix("Point(").removesuffix(")").split())
    assert (latitude, longitude) == (pytest.approx(35.69, abs=0.02), pytest.approx(139.69, abs=0.02))


def test_a_population_says_as_of_when() -> None:
    (population,) = statements("cities", NEW_YORK, "P1082")
    assert population.value == "8804190"  # the census of 2020
    assert population.qualifiers == {"P585"}


def test_every_city_has_100_000_inhabitants_and_one_country() -> None:
    cities = members("cities", "Q515")
    assert 3_000 <= len(cities) <= 7_000
    for city in cities:
        (population,) = values("cities", city, "P1082")
        assert int(population) >= 100_000
        assert len(values("cities", city, "P17")) == 1


@pytest.mark.parametrize("borough", ["Brooklyn", "Manhattan", "Islington", "Kreuzberg", "Pudong", "Kowloon"])
def test_parts_of_a_city_are_no_cities(borough: str) -> None:
    assert by_label("cities", borough) == []


def test_cities_of_one_name_are_kept_apart() -> None:
    countries = {value for city in by_label("cities", "London") for value in values("cities", city, "P17")}
    assert countries == {"Q145", "Q16"}


def test_an_alias_can_be_shared_by_two_cities() -> None:
    aliases = names("cities", "http://www.w3.org/2004/02/skos/core#altLabel")
    holders = [city for city, known in aliases.items() if "Cordoba" in known]
    assert len(holders) >= 2


def test_a_city_of_the_united_states_knows_its_state() -> None:
    (chicago,) = by_label("cities", "Chicago")
    assert [names("cities")[state] for state in values("cities", chicago, "P131")] == [["Illinois"]]
