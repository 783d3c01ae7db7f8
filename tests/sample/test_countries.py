"""The countries of the sample against what is known of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import by_label, members, names, statements, values

COUNTRIES = "countries"


def country(label: str) -> str:
    (found,) = by_label(COUNTRIES, label)
    return found


def named(label: str, prop: str) -> list[str]:
    """English names of the things a country is linked to."""
    return sorted(names(COUNTRIES)[value][0] for value in values(COUNTRIES, country(label), prop))


@pytest.mark.parametrize(
    ("label", "q_id"), [("France", "Q142"), ("Ivory Coast", "Q1008"), ("Palestine", "Q219060"), ("Eswatini", "Q1050")]
)
def test_a_country_has_its_wikidata_id(label: str, q_id: str) -> None:
    assert country(label) == q_id
    assert q_id in members(COUNTRIES, "Q6256")


@pytest.mark.parametrize(
    ("label", "prop", "value", "unit"),
    [
        ("Russia", "P2046", 17_098_242, "Q712226"),
        ("Canada", "P5141", 202_080, "Q828224"),
        ("Nepal", "P2044", 2565, "Q11573"),
        ("Japan", "P2250", 85.2, "Q577"),
        ("Niger", "P4841", 6.55, None),
    ],
)
def test_a_figure_is_the_one_of_the_factbook(label: str, prop: str, value: float, unit: str | None) -> None:
    found = statements(COUNTRIES, country(label), prop)
    (one,) = [s for s in found if s.rank == "PreferredRank"] or found
    assert (float(one.value), one.unit) == (value, unit)


def test_money_is_in_dollars_of_a_stated_year() -> None:
    gdp = statements(COUNTRIES, country("Germany"), "P2131")
    assert {float(one.value) > 3e12 and one.unit == "Q4917" and one.qualifiers == {"P585"} for one in gdp} == {True}
    assert len(gdp) == 2


@pytest.mark.parametrize(
    ("label", "prop", "things"),
    [
        ("Switzerland", "P37", ["French", "German", "Italian", "Romansh"]),
        ("Switzerland", "P47", ["Austria", "France", "Germany", "Italy", "Liechtenstein"]),
        ("Switzerland", "P36", ["Bern"]),
        ("Burkina Faso", "P38", ["West African CFA franc"]),
        ("Russia", "P30", ["Europe"]),
        ("Russia", "P361", ["Eastern Europe"]),
        ("Turkey", "P30", ["Asia"]),
        ("Kenya", "P1622", ["left"]),
        ("United States", "P1622", ["right"]),
        ("Pakistan", "P610", ["K2"]),
        ("China", "P610", ["Mount Everest"]),
        ("Brazil", "P122", ["federal presidential republic"]),
    ],
)
def test_a_link_leads_where_it_should(label: str, prop: str, things: list[str]) -> None:
    assert named(label, prop) == things


@pytest.mark.parametrize(
    ("organisation", "count"),
    [
        ("African Union", 54),
        ("APEC", 19),
        ("Arab League", 22),
        ("ASEAN", 11),
        ("Commonwealth of Nations", 56),
        ("Council of Europe", 46),
        ("European Union", 27),
        ("G20", 19),
        ("NATO", 32),
        ("OECD", 38),
        ("Organisation of Islamic Cooperation", 57),
        ("SADC", 16),
    ],
)
def test_an_organisation_has_all_its_members(organisation: str, count: int) -> None:
    (wanted,) = by_label(COUNTRIES, organisation)
    assert sum(wanted in values(COUNTRIES, place, "P463") for place in members(COUNTRIES, "Q6256")) == count


def test_54_countries_drive_on_the_left() -> None:
    driving = [values(COUNTRIES, place, "P1622") for place in members(COUNTRIES, "Q6256")]
    assert (driving.count(["typed:side/left"]), driving.count(["typed:side/right"])) == (54, 141)


def test_45_countries_are_landlocked() -> None:
    landlocked = members(COUNTRIES, "Q123480")
    assert len(landlocked) == 45
    assert country("Bolivia") in landlocked
    assert all(values(COUNTRIES, place, "P5141") == ["novalue"] for place in landlocked)


def test_neighbours_are_mutual() -> None:
    borders = {place: set(values(COUNTRIES, place, "P47")) for place in members(COUNTRIES, "Q6256")}
    one_way = {(a, b) for a, others in borders.items() for b in others if b in borders and a not in borders[b]}
    assert one_way == set()


@pytest.mark.parametrize(
    ("label", "beginning"), [("Nigeria", "1960-10-01"), ("United States", "1776-07-04"), ("Italy", "1861-03-17")]
)
def test_independence_is_exact_to_the_day(label: str, beginning: str) -> None:
    found = statements(COUNTRIES, country(label), "P571")
    (one,) = [s for s in found if s.rank == "PreferredRank"] or found
    assert one.value.startswith(beginning)


def test_a_disputed_or_double_capital_is_left_out() -> None:
    assert [values(COUNTRIES, country(label), "P36") for label in ("Israel", "South Africa", "Palestine")] == [
        [],
        [],
        [],
    ]
