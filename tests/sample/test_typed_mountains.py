"""Mountains: heights within reason, one preferred height, feet and metres side by side."""

from __future__ import annotations

from ingest.sample.build.mountains import CONTINENT_IDS, UNITS
from ingest.sample.build.typed_table import NONE, cells, country_id, read_table
from tests.sample.stated import members, statements, values

ROWS = read_table("mountains")
METRES = {"m": 1.0, "ft": 0.3048}


def test_every_mountain_is_there_once() -> None:
    assert len({row["mountain"] for row in ROWS}) == len(ROWS) == len(members("mountains", "Q8502")) >= 110


def test_heights_are_within_reason() -> None:
    for row in ROWS:
        elevation = float(row["elevation"]) * METRES[row["unit"]]
        assert 1000 <= elevation <= 8849, row
        assert not row["prominence"] or 300 <= float(row["prominence"]) * METRES[row["unit"]] <= elevation, row


def test_places_are_on_the_earth_and_on_their_continent() -> None:
    northern = {"Europe", "North America"}
    for row in ROWS:
        lat, lon = float(row["lat"]), float(row["lon"])
        assert -90 <= lat <= 90, row
        assert -180 <= lon <= 180, row
        assert not (row["continent"] in northern and lat < 0), row
        assert not (row["continent"] in ("North America", "South America") and lon > 0), row
        assert row["continent"] in ("", *CONTINENT_IDS), row
        assert all(country_id(code) for code in cells(row["countries"]) if code != NONE), row


def test_first_ascents_are_years() -> None:
    years = [int(row["first_ascent"]) for row in ROWS if row["first_ascent"] not in ("", NONE)]
    assert len(years) > 100
    assert min(years) > 1400
    assert max(years) <= 2000


def test_everest_has_one_height_that_counts() -> None:
    heights = {one.value: one.rank for one in statements("mountains", "typed:mountain/mount-everest", "P2044")}
    assert heights == {"8848.86": "PreferredRank", "8848": "DeprecatedRank"}


def test_mont_blanc_was_measured_again_and_again() -> None:
    heights = statements("mountains", "typed:mountain/mont-blanc", "P2044")
    assert len(heights) == 5
    assert all(height.qualifiers == {"P585"} for height in heights)
    assert [height.value for height in heights if height.rank == "PreferredRank"] == ["4805.59"]


def test_feet_and_metres_stand_side_by_side() -> None:
    units = {one.value: one.unit for one in statements("mountains", "typed:mountain/mount-fuji", "P2044")}
    assert units == {"3776": UNITS["m"], "12388": UNITS["ft"]}
    assert {one.unit for one in statements("mountains", "typed:mountain/denali", "P2044")} == {UNITS["ft"]}


def test_a_mountain_nobody_has_climbed_says_so() -> None:
    (ascent,) = statements("mountains", "typed:mountain/gangkhar-puensum", "P793")
    assert ascent.qualifiers == set()
    assert values("mountains", "typed:mountain/vinson-massif", "P17") == ["novalue"]
