"""The compounds of the sample against what is known of some."""

from __future__ import annotations

import pytest

from ingest.ids import to_iri
from tests.sample.stated import by_label, graph, members, names, statements, values

COMPOUNDS = "chemical_compounds"


def best(label: str, prop: str) -> tuple[float, str | None]:
    """Value and unit of the best statement of a compound."""
    (compound,) = by_label(COMPOUNDS, label)
    found = statements(COMPOUNDS, compound, prop)
    (one,) = [s for s in found if s.rank == "PreferredRank"] or found
    return float(one.value), one.unit


def test_there_are_some_750_compounds_with_a_name_of_their_own() -> None:
    found = members(COMPOUNDS, "Q11173")
    assert 700 <= len(found) <= 800
    labels = [names(COMPOUNDS)[compound] for compound in found]
    assert all(len(texts) == 1 for texts in labels)
    assert len({texts[0] for texts in labels}) == len(found)


@pytest.mark.parametrize(
    ("label", "prop", "value", "unit"),
    [
        ("water", "P2102", 373.12, "Q11579"),
        ("water", "P2076", 647.1, "Q11579"),
        ("water", "P2077", 22.06e6, "Q44395"),
        ("water", "P2116", 40650, "Q13035094"),
        ("ethanol", "P2101", 159.0, "Q11579"),
        ("ethanol", "P2102", 351.4, "Q11579"),
        ("ethanol", "P2054", 789, "Q844211"),
        ("ethanol", "P2067", 46.069, "Q483261"),
        ("ethanol", "P2128", 285.15, "Q11579"),
        ("methane", "P2102", 111.65, "Q11579"),
        ("methane", "P3078", -74534, "Q13035094"),
        ("methane", "P2202", 4.4, "Q11229"),
        ("ammonia", "P2201", 1.47, "Q40603"),
        ("benzene", "P1109", 1.5011, None),
        ("carbon dioxide", "P3078", -393474, "Q13035094"),
        ("sulfur dioxide", "P3071", 248.2, "Q20966455"),
        ("sodium chloride", "P2101", 1073.85, "Q11579"),
        ("naphthalene", "P2101", 353.4, "Q11579"),
    ],
)
def test_a_constant_is_the_one_in_the_handbooks(label: str, prop: str, value: float, unit: str | None) -> None:
    found, found_unit = best(label, prop)
    assert found == pytest.approx(value, rel=0.003)
    assert found_unit == unit


def test_a_formula_has_its_elements_with_their_numbers() -> None:
    (ethanol,) = by_label(COMPOUNDS, "ethanol")
    assert values(COMPOUNDS, ethanol, "P274") == ["C2H6O"]
    assert values(COMPOUNDS, ethanol, "P527") == ["mendeleev:C", "mendeleev:H", "mendeleev:O"]
    assert values(COMPOUNDS, ethanol, "P231") == ["64-17-5"]
    assert ethanol == "pubchem:702"


def test_hydrocarbons_hold_carbon_and_hydrogen_alone() -> None:
    found = members(COMPOUNDS, "Q43648")
    assert by_label(COMPOUNDS, "benzene")[0] in found
    assert all(values(COMPOUNDS, compound, "P527") == ["mendeleev:C", "mendeleev:H"] for compound in found)


def test_points_of_a_compound_are_in_order() -> None:
    """Melting below boiling below critical, flash point below boiling, lower limit below upper."""
    query = """
        PREFIX wdt: <http://www.wikidata.org/prop/direct/>
        SELECT ?x ?low ?high { ?x wdt:%s ?low ; wdt:%s ?high FILTER(?low >= ?high) }"""
    for low, high in (("P2101", "P2076"), ("P2102", "P2076"), ("P2128", "P2102"), ("P2202", "P2203")):
        wrong = {row["x"].value for row in graph(COMPOUNDS).query(query % (low, high))}  # type: ignore[union-attr]
        assert wrong == set(), f"{low} is not below {high}"


def test_what_two_tables_contradict_is_left_out() -> None:
    """The critical temperatures of cyclohexane differ by 21 K between the two tables."""
    (cyclohexane,) = by_label(COMPOUNDS, "cyclohexane")
    assert values(COMPOUNDS, cyclohexane, "P2076") == []


def test_ids_are_pubchems() -> None:
    assert all(
        to_iri(compound).startswith("http://rdf.ncbi.nlm.nih.gov/pubchem/") for compound in members(COMPOUNDS, "Q11173")
    )
