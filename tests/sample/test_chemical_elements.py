"""The elements of the sample against what is known of some."""

from __future__ import annotations

import pytest

from tests.sample.stated import by_label, members, names, statements, values

ELEMENTS = "chemical_elements"


def best(symbol: str, prop: str) -> tuple[float, str | None]:
    """Value and unit of the best statement of an element."""
    found = [s for s in statements(ELEMENTS, f"mendeleev:{symbol}", prop) if s.rank != "DeprecatedRank"]
    preferred = [s for s in found if s.rank == "PreferredRank"]
    (one,) = preferred or found
    return float(one.value), one.unit


def test_there_are_118_elements_with_a_name_each() -> None:
    found = members(ELEMENTS, "Q11344")
    assert len(found) == 118
    assert all(len(names(ELEMENTS)[element]) == 1 for element in found)
    assert sorted(int(values(ELEMENTS, element, "P1086")[0]) for element in found) == list(range(1, 119))


@pytest.mark.parametrize(
    ("symbol", "prop", "value", "unit"),
    [
        ("Fe", "P2101", 1811, "Q11579"),
        ("Fe", "P2102", 3134, "Q11579"),
        ("Fe", "P2054", 7.87, "Q13147228"),
        ("Au", "P2067", 196.9666, "Q483261"),
        ("W", "P2101", 3687, "Q11579"),
        ("Hg", "P2101", 234.32, "Q11579"),
        ("He", "P2102", 4.222, "Q11579"),
        ("F", "P1108", 3.98, None),
        ("H", "P2260", 13.5984, "Q83327"),
        ("Cs", "P2260", 3.8939, "Q83327"),
        ("Cu", "P2068", 401, "Q1463969"),
        ("Al", "P2056", 897, "Q3085309"),
        ("O", "P6274", 461000, "Q21091747"),
        ("Os", "P2054", 22.59, "Q13147228"),
        ("Na", "P2066", 2.64, "Q752197"),
        ("C", "P2113", 4098, "Q11579"),
        ("Sn", "P2101", 505.08, "Q11579"),
        ("Cl", "P2120", 99, "Q192274"),
    ],
)
def test_a_constant_is_the_one_in_the_handbooks(symbol: str, prop: str, value: float, unit: str | None) -> None:
    found, found_unit = best(symbol, prop)
    assert found == pytest.approx(value, rel=0.005)
    assert found_unit == unit


@pytest.mark.parametrize(
    ("symbol", "year"),
    [("Na", 1807), ("Ra", 1898), ("Ge", 1886), ("Nd", 1885), ("Rn", 1900), ("Se", 1817), ("Nh", 2004), ("Be", 1798)],
)
def test_a_year_of_discovery_is_the_accepted_one(symbol: str, year: int) -> None:
    years = [s for s in statements(ELEMENTS, f"mendeleev:{symbol}", "P575") if s.rank != "DeprecatedRank"]
    assert [int(statement.value[:4]) for statement in years] == [year]


def test_discoverers_have_their_usual_names() -> None:
    who = {discoverer for element in members(ELEMENTS, "Q11344") for discoverer in values(ELEMENTS, element, "P61")}
    known = {names(ELEMENTS)[key][0] for key in who if not key.startswith("http")}
    assert {"Humphry Davy", "Marie Curie", "Marguerite Perey", "Gustav Kirchhoff", "RIKEN"} <= known
    assert values(ELEMENTS, "mendeleev:Ra", "P61") == values(ELEMENTS, "mendeleev:Po", "P61")


def test_a_doubtful_heat_is_left_out() -> None:
    assert values(ELEMENTS, "mendeleev:K", "P2066") == values(ELEMENTS, "mendeleev:K", "P2116") == []


def test_where_davy_found_sodium_is_in_the_united_kingdom() -> None:
    assert values(ELEMENTS, "mendeleev:Na", "P189") == ["Q21"]
    assert values("countries", "Q21", "P17") == ["Q145"]


def test_british_spellings_are_aliases() -> None:
    assert by_label(ELEMENTS, "sulfur") == ["mendeleev:S"]
    aliases = names(ELEMENTS, "http://www.w3.org/2004/02/skos/core#altLabel")
    assert {"sulphur", "S"} <= set(aliases["mendeleev:S"])


def test_tin_has_ten_natural_isotopes() -> None:
    assert len(values(ELEMENTS, "mendeleev:Sn", "P527")) == 10
