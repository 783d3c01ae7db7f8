"""The awkward things that real Wikidata has, each a statement of the sample (README.md there lists them)."""

from __future__ import annotations

import pyoxigraph as ox

from ingest.ids import to_iri
from tests.sample.stated import Statement, graph, members, names, statements, values

ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
FRANCE, JAPAN, SOMALIA, NAURU, SWITZERLAND = "Q142", "Q17", "Q1045", "Q697", "Q39"
CYPRUS, BULGARIA, SAN_MARINO, ANDORRA = "Q229", "Q219", "Q238", "Q228"
ACETONE, SODIUM_CHLORIDE = "pubchem:180", "pubchem:5234"


def by_value(dataset: str, subject: str, prop: str) -> dict[str, Statement]:
    return {statement.value: statement for statement in statements(dataset, subject, prop)}


def times(dataset: str, subject: str, prop: str) -> list[tuple[str, int, str]]:
    """(xsd:dateTime, precision, calendar Q-id) of each time."""
    query = f"""
        PREFIX wikibase: <http://wikiba.se/ontology#>
        SELECT ?t ?p ?c {{ <{to_iri(subject)}> <http://www.wikidata.org/prop/{prop}> ?s .
          ?s <http://www.wikidata.org/prop/statement/value/{prop}> ?v .
          ?v wikibase:timeValue ?t ; wikibase:timePrecision ?p ; wikibase:timeCalendarModel ?c }}"""
    found = graph(dataset).query(query)
    return sorted((row["t"].value, int(row["p"].value), row["c"].value.rpartition("/")[2]) for row in found)  # type: ignore[union-attr]


def test_deprecated_rank_with_a_reason_neodymium_1925() -> None:
    years = by_value("chemical_elements", "mendeleev:Nd", "P575")
    wrong, right = years["1925-01-01T00:00:00Z"], years["1885-01-01T00:00:00Z"]
    assert (wrong.rank, right.rank) == ("DeprecatedRank", "NormalRank")
    assert "P2241" in wrong.qualifiers


def test_deprecated_rank_with_a_reason_somalias_population() -> None:
    counted = {statement.rank: statement for statement in statements("countries", SOMALIA, "P1082")}
    assert counted["DeprecatedRank"].value == "10192317"
    assert counted["DeprecatedRank"].qualifiers == {"P585", "P2241"}
    assert 15_000_000 < float(counted["NormalRank"].value) < 25_000_000


def test_deprecated_rank_of_sulfurs_transition() -> None:
    points = by_value("chemical_elements", "mendeleev:S", "P2101")
    assert points["368.35"].rank == "DeprecatedRank"
    assert points["388.36"].rank == "PreferredRank"


def test_preferred_rank_and_another_unit_iron_on_two_scales() -> None:
    scales = by_value("chemical_elements", "mendeleev:Fe", "P1108")
    assert (scales["1.83"].rank, scales["1.83"].unit) == ("PreferredRank", None)
    assert (scales["10.64"].rank, scales["10.64"].unit) == ("NormalRank", "Q83327")


def test_preferred_rank_beside_a_normal_one_area_of_france() -> None:
    areas = by_value("countries", FRANCE, "P2046")
    assert areas["643801"].rank == "PreferredRank"
    assert areas["547030"].rank == "NormalRank"
    assert {area.unit for area in areas.values()} == {"Q712226"}


def test_several_values_with_a_point_in_time_population_of_france() -> None:
    counted = statements("countries", FRANCE, "P1082")
    assert [statement.qualifiers for statement in counted] == [{"P585"}, {"P585"}]
    assert {statement.rank for statement in counted} == {"NormalRank"}


def test_mixed_units_melting_point_of_acetone() -> None:
    points = {statement.unit: statement for statement in statements("chemical_compounds", ACETONE, "P2101")}
    assert (points["Q11579"].value, points["Q11579"].rank) == ("178.25", "PreferredRank")
    assert (points["Q42289"].value, points["Q42289"].rank) == ("-140", "NormalRank")


def test_mixed_units_density_of_elements_and_compounds() -> None:
    (iron,) = statements("chemical_elements", "mendeleev:Fe", "P2054")
    (acetone,) = statements("chemical_compounds", ACETONE, "P2054")
    assert (iron.unit, acetone.unit) == ("Q13147228", "Q844211")


def test_unknown_values_who_found_gold_and_when() -> None:
    for prop in ("P61", "P575"):
        (value,) = values("chemical_elements", "mendeleev:Au", prop)
        assert value.startswith("http://www.wikidata.org/.well-known/genid/")


def test_no_value_capital_of_nauru_and_coast_of_switzerland() -> None:
    assert values("countries", NAURU, "P36") == ["novalue"]
    assert values("countries", SWITZERLAND, "P5141") == ["novalue"]


def test_several_values_of_equal_rank() -> None:
    assert len(values("chemical_elements", "mendeleev:Cl", "P1121")) == 5
    assert len(values("countries", SWITZERLAND, "P37")) == 4
    assert values("countries", CYPRUS, "P30") == ["Q46", "Q48"]


def test_sources_that_contradict_each_other_boiling_point_of_salt() -> None:
    points = by_value("chemical_compounds", SODIUM_CHLORIDE, "P2102")
    assert {value: point.rank for value, point in points.items()} == {"1686.15": "NormalRank", "1738.15": "NormalRank"}


def test_years_before_the_common_era() -> None:
    """RDF counts astronomically: 660 BCE is -0659."""
    assert ("-0659-01-01T00:00:00Z", 9, "Q1985786") in times("countries", JAPAN, "P571")
    assert ("-0549-01-01T00:00:00Z", 9, "Q1985786") in times("countries", "Q794", "P571")
    assert ("-0320-01-01T00:00:00Z", 9, "Q1985786") in times("countries", "Q399", "P571")
    assert ("-0220-01-01T00:00:00Z", 9, "Q1985786") in times("countries", "Q148", "P571")


def test_a_julian_day_is_written_in_the_gregorian_calendar() -> None:
    """San Marino: 3 September 301 by the calendar of the time."""
    assert times("countries", SAN_MARINO, "P571") == [("0301-09-04T00:00:00Z", 11, "Q1985786")]


def test_a_year_stays_a_year() -> None:
    assert times("countries", ANDORRA, "P571") == [("1278-01-01T00:00:00Z", 9, "Q1985786")]


def test_a_value_that_has_ended_currency_of_bulgaria() -> None:
    money = by_value("countries", BULGARIA, "P38")
    assert (money["iso4217:EUR"].rank, money["iso4217:EUR"].qualifiers) == ("PreferredRank", {"P580"})
    assert (money["iso4217:BGN"].rank, money["iso4217:BGN"].qualifiers) == ("NormalRank", {"P582"})


def test_uncertainty_as_bounds() -> None:
    (weight,) = statements("chemical_elements", "mendeleev:Fe", "P2067")
    assert (weight.value, weight.lower, weight.upper) == ("55.845", "55.843", "55.847")
    first = next(s for s in statements("chemical_elements", "mendeleev:H", "P2260") if s.rank == "PreferredRank")
    assert first.lower is not None
    assert float(first.lower) < float(first.value)


def test_no_english_label_the_summit_of_albania() -> None:
    (summit,) = values("countries", "Q222", "P610")
    assert values("countries", "Q221", "P610") == [summit]
    assert summit not in names("countries")
    label = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    labels = {quad.object for quad in graph("countries").quads_for_pattern(ox.NamedNode(to_iri(summit)), label, None)}
    assert labels == {ox.Literal("Golem Korab", language="mk"), ox.Literal("Maja e Korabit", language="sq")}


def test_an_alias_of_two_entities() -> None:
    aliases = names("countries", ALIAS)
    assert {entity for entity, texts in aliases.items() if "S.L." in texts} == {"Q1044", "Q760"}
    assert {entity for entity, texts in aliases.items() if "Ang." in texts} == {"Q916", "Q25228"}


def test_a_redirect() -> None:
    same_as = ox.NamedNode("http://www.w3.org/2002/07/owl#sameAs")
    (quad,) = graph("countries").quads_for_pattern(None, same_as, None)
    assert (quad.subject.value, quad.object.value) == (to_iri("Q32063953"), to_iri("Q1040"))
    assert names("countries")["Q1040"] == ["Karlsruhe"]


def test_the_two_groups_of_places_are_apart() -> None:
    assert len(members("countries", "Q6256")) == 195
    assert "Q223" in members("countries", "Q161243")  # Greenland
    assert members("countries", "Q15634554") == {"Q1246", "Q865"}  # Kosovo, Taiwan
