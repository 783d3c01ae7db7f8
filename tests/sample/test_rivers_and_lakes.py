"""The rivers and lakes of the sample against what the Factbook says of some."""

from __future__ import annotations

from tests.sample.stated import by_label, names, statements, values

CAPS = {"Q159", "Q227", "Q232", "Q794", "Q874"}  # Russia, Azerbaijan, Kazakhstan, Iran, Turkmenistan


def test_the_nile_is_6650_km_long() -> None:
    (length,) = statements("rivers", "factbook:river/nile", "P2043")
    assert (length.value, length.unit) == ("6650", "Q828224")


def test_the_factbook_disagrees_about_the_amazon_and_its_world_page_is_preferred() -> None:
    ranks = {length.value: length.rank for length in statements("rivers", "factbook:river/amazon", "P2043")}
    assert ranks == {"6400": "NormalRank", "6436": "PreferredRank"}


def test_the_danube_flows_through_ten_countries_under_six_other_names() -> None:
    assert len(values("rivers", "factbook:river/danube", "P205")) == 10
    assert len(names("rivers", "http://www.w3.org/2004/02/skos/core#altLabel")["factbook:river/danube"]) == 6


def test_two_rivers_are_called_red() -> None:
    assert len(by_label("rivers", "Red River")) == 2


def test_the_caspian_sea_is_the_largest_lake_and_salt() -> None:
    (area,) = statements("lakes", "factbook:lake/caspian-sea", "P2046")
    assert (area.value, area.unit) == ("374000", "Q712226")
    assert set(values("lakes", "factbook:lake/caspian-sea", "P205")) == CAPS
    assert values("lakes", "factbook:lake/caspian-sea", "P1552") == ["factbook:water/salt"]


def test_a_great_lake_has_its_whole_area_and_not_one_country_s_part() -> None:
    assert values("lakes", "factbook:lake/lake-superior", "P2046") == ["82100"]
    assert values("lakes", "factbook:lake/lake-erie", "P2046") == []


def test_an_area_that_varies_by_season_is_left_out() -> None:
    assert by_label("lakes", "Lake Chad")
    assert values("lakes", "factbook:lake/lake-chad", "P2046") == []
