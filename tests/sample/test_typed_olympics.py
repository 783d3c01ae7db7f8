"""Olympic Games: counts that must add up, medal tables in order, and well-known values."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest

from ingest.sample.build.olympics import PLACES
from ingest.sample.build.typed_table import read_table
from tests.sample.stated import statements, values

SEASONS = {"summer_olympics": 30, "winter_olympics": 24}


@pytest.mark.parametrize(("table", "editions"), SEASONS.items())
def test_every_edition_held_is_there_once(table: str, editions: int) -> None:
    rows = read_table(table)
    assert len({row["games"] for row in rows}) == len(rows) == editions
    assert all(before["end"] < after["start"] for before, after in pairwise(rows))
    for row in rows:
        year = int(row["games"].split()[0])
        assert date.fromisoformat(row["start"]).year == (2021 if (table, year) == ("summer_olympics", 2020) else year)
        assert 0 < (date.fromisoformat(row["end"]) - date.fromisoformat(row["start"])).days < 200, row


@pytest.mark.parametrize("table", SEASONS)
def test_women_and_men_are_the_athletes(table: str) -> None:
    for row in read_table(table):
        assert bool(row["women"]) == bool(row["men"])
        if row["women"]:
            assert int(row["women"]) + int(row["men"]) == int(row["athletes"]), row
        assert 10 < int(row["nations"]) < 210
        assert int(row["nations"]) < int(row["athletes"])
        assert int(row["events"]) > int(row["sports"] or 0)


@pytest.mark.parametrize("table", SEASONS)
def test_golds_fall_from_place_to_place(table: str) -> None:
    for row in read_table(table):
        golds = [int(row[f"{place}_golds"]) for place in PLACES if row[f"{place}_golds"]]
        assert golds == sorted(golds, reverse=True), row
        assert sum(golds) <= int(row["events"]) * 1.2, row
        nations = [row[place] for place in PLACES if row[place]]
        assert len(nations) == len(set(nations)), row


def test_moscow_1980() -> None:
    games = "typed:games/1980-summer-olympics"
    assert values("olympics", games, "P1132") == ["5179"]
    assert values("olympics", games, "P17") == ["Q159"]
    ranked = {one.value: one for one in statements("olympics", games, "P1346")}
    assert set(ranked) == {"typed:delegation/soviet-union", "typed:delegation/east-germany", "Q219"}
    assert ranked["typed:delegation/soviet-union"].rank == "PreferredRank"
    assert ranked["Q219"].qualifiers == {"P1352", "P1355"}


def test_a_host_city_is_the_cities_topics_own() -> None:
    assert values("olympics", "typed:games/2024-summer-olympics", "P276") == ["geonames:2988507"]
    assert values("olympics", "typed:games/1932-winter-olympics", "P276") == ["typed:city/lake-placid"]
