"""The serialiser: what a fact becomes in Wikidata's RDF, and that equal input gives equal bytes."""

from __future__ import annotations

import lzma
from pathlib import Path

import pyoxigraph as ox
import pytest

from ingest.sample.build.rdf import (
    DAY,
    NOVALUE,
    SOMEVALUE,
    Coordinate,
    Fact,
    Item,
    Quantity,
    Ref,
    Text,
    Time,
    redirect,
    to_turtle,
    write,
)

PREFIXES = """
PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wds: <http://www.wikidata.org/entity/statement/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/> PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/> PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/> PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX wdno: <http://www.wikidata.org/prop/novalue/> PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX wikibase: <http://wikiba.se/ontology#> PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX schema: <http://schema.org/>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#> PREFIX pr: <http://www.wikidata.org/prop/reference/>
"""


def store_of(items: list[Item], facts: list[Fact]) -> ox.Store:
    store = ox.Store()
    store.load(input=to_turtle(items, facts).encode(), format=ox.RdfFormat.TURTLE)
    return store


def rows(store: ox.Store, query: str) -> list[tuple[str, ...]]:
    found = store.query(PREFIXES + query)
    return sorted(tuple(term.value for term in row) for row in found)  # type: ignore[union-attr]


def test_a_quantity_keeps_amount_unit_and_bounds() -> None:
    store = store_of([], [Fact("Q142", "P2046", Quantity("643801.5", "Q712226", "643800", "643802"))])
    assert rows(
        store,
        "SELECT ?a ?u ?l ?h { wd:Q142 p:P2046/psv:P2046 ?v . ?v wikibase:quantityAmount ?a ; wikibase:quantityUnit ?u ;"
        " wikibase:quantityLowerBound ?l ; wikibase:quantityUpperBound ?h }",
    ) == [("643801.5", "http://www.wikidata.org/entity/Q712226", "643800", "643802")]


def test_a_pure_number_has_the_unit_q199() -> None:
    store = store_of([], [Fact("Q142", "P1082", Quantity("3"))])
    assert rows(store, "SELECT ?u { ?v wikibase:quantityUnit ?u }") == [("http://www.wikidata.org/entity/Q199",)]


@pytest.mark.parametrize("amount", ["1e5", "+3", "1,000", ".5", "05", ""])
def test_an_amount_that_is_no_plain_decimal_is_refused(amount: str) -> None:
    with pytest.raises(ValueError, match="is no plain decimal"):
        to_turtle([], [Fact("Q142", "P1082", Quantity(amount))])


@pytest.mark.parametrize(
    ("time", "written"),
    [
        (Time("1789-04-30", DAY), "1789-04-30T00:00:00Z"),
        (Time("1789"), "1789-01-01T00:00:00Z"),
        (Time("0301-09-03", DAY, "julian"), "0301-09-04T00:00:00Z"),
        (Time("-0480"), "-0479-01-01T00:00:00Z"),
        (Time("-0001"), "0000-01-01T00:00:00Z"),
        (Time("-0044-03-15", DAY, "julian"), "-0043-03-13T00:00:00Z"),
        (Time("1582-10-04", DAY, "julian"), "1582-10-14T00:00:00Z"),
    ],
)
def test_a_time_is_written_as_in_wikidatas_dumps(time: Time, written: str) -> None:
    store = store_of([], [Fact("Q142", "P571", time)])
    assert rows(store, "SELECT ?t ?p { ?v wikibase:timeValue ?t ; wikibase:timePrecision ?p }") == [
        (written, str(time.precision))
    ]
    assert rows(store, "SELECT ?t { wd:Q142 wdt:P571 ?t }") == [(written,)]


@pytest.mark.parametrize("time", [Time("0000"), Time("1789", DAY), Time("2023-02-29", DAY), Time("1789-13-01", DAY)])
def test_a_date_that_does_not_exist_is_refused(time: Time) -> None:
    with pytest.raises(ValueError, match="Time '"):
        to_turtle([], [Fact("Q142", "P571", time)])


def test_only_the_best_rank_is_truthy() -> None:
    facts = [
        Fact("Q142", "P1082", Quantity("1"), rank="deprecated"),
        Fact("Q142", "P1082", Quantity("2")),
        Fact("Q142", "P1082", Quantity("3"), rank="preferred"),
    ]
    store = store_of([], facts)
    assert rows(store, "SELECT ?v { wd:Q142 wdt:P1082 ?v }") == [("3",)]
    assert rows(store, "SELECT ?v { wd:Q142 p:P1082 ?s . ?s a wikibase:BestRank ; ps:P1082 ?v }") == [("3",)]
    ranks = rows(store, "SELECT ?v ?r { wd:Q142 p:P1082 ?s . ?s ps:P1082 ?v ; wikibase:rank ?r }")
    assert [rank.rpartition("#")[2] for _, rank in ranks] == ["DeprecatedRank", "NormalRank", "PreferredRank"]


def test_a_deprecated_value_alone_is_not_truthy() -> None:
    store = store_of([], [Fact("Q142", "P1082", Quantity("1"), rank="deprecated")])
    assert rows(store, "SELECT ?v { wd:Q142 wdt:P1082 ?v }") == []


def test_unknown_and_no_value_look_as_on_wikidata() -> None:
    store = store_of([], [Fact("Q142", "P36", NOVALUE), Fact("Q142", "P571", SOMEVALUE)])
    assert rows(store, "SELECT ?s { wd:Q142 p:P36 ?s . ?s a wdno:P36 }")
    assert rows(store, "SELECT ?x { wd:Q142 a wdno:P36 . wd:Q142 wdt:P571 ?x }") == [
        ("http://www.wikidata.org/.well-known/genid/Q142-P571-1",)
    ]


def test_qualifiers_have_simple_and_full_values() -> None:
    fact = Fact("Q142", "P1082", Quantity("7"), qualifiers=(("P585", Time("2019")), ("P459", Ref("Q1"))))
    store = store_of([], [fact])
    assert rows(
        store,
        "SELECT ?q ?p { wd:Q142 p:P1082 ?s . ?s pq:P459 ?q ; pqv:P585 ?t . ?t wikibase:timePrecision ?p }",
    ) == [("http://www.wikidata.org/entity/Q1", "9")]


def test_a_statement_is_derived_from_its_source_and_its_page() -> None:
    store = store_of([], [Fact("Q142", "P30", Ref("Q46"), source="natural_earth", url="https://example.org/a")])
    sources = rows(store, "SELECT ?u { wd:Q142 p:P30/prov:wasDerivedFrom/pr:P854 ?u }")
    assert ("https://example.org/a",) in sources
    assert len(sources) == 2


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(ValueError, match=r"which sources\.py does not list"):
        to_turtle([], [Fact("Q142", "P30", Ref("Q46"), source="hearsay")])


def test_names_of_an_item() -> None:
    item = Item(
        "Q142",
        "France",
        description='a "country"',
        aliases=("FR", "France"),
        classes=("Q6256",),
        wikipedia="France",
        sitelinks=3,
        other_labels={"de": "Frankreich"},
    )
    store = store_of([item], [])
    assert rows(store, "SELECT ?l { wd:Q142 rdfs:label ?l }") == [("France",), ("Frankreich",)]
    assert rows(store, "SELECT ?d { wd:Q142 schema:description ?d }") == [('a "country"',)]
    assert rows(store, "SELECT ?a { wd:Q142 skos:altLabel ?a }") == [("FR",)]
    assert rows(store, "SELECT ?c ?n { wd:Q142 wdt:P31 ?c ; wikibase:sitelinks ?n }") == [
        ("http://www.wikidata.org/entity/Q6256", "3")
    ]
    assert rows(store, "SELECT ?p { ?p schema:about wd:Q142 ; schema:isPartOf <https://en.wikipedia.org/> }") == [
        ("https://en.wikipedia.org/wiki/France",)
    ]


def test_an_item_without_an_english_name_has_none() -> None:
    store = store_of([Item("typed:a/b", None, other_labels={"sq": "Maja"})], [])
    assert rows(store, "SELECT ?l { ?x rdfs:label ?l FILTER(LANG(?l) = 'en') }") == []
    assert rows(store, "SELECT ?l { ?x rdfs:label ?l FILTER(LANG(?l) = 'sq') }") == [("Maja",)]


def test_a_redirect_says_only_what_it_leads_to() -> None:
    store = store_of([], [redirect("Q20", "Q19", "typed")])
    assert rows(store, "SELECT ?x ?y { ?x ?p ?y }") == [
        ("http://www.wikidata.org/entity/Q20", "http://www.wikidata.org/entity/Q19")
    ]


def test_two_items_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="Two different items have the id Q142"):
        to_turtle([Item("Q142", "France"), Item("Q142", "Frankreich")], [])


def test_entities_that_would_share_statement_names_are_refused() -> None:
    facts = [Fact("typed:a/b", "P30", Ref("Q46")), Fact("typed:a-b", "P30", Ref("Q46"))]
    with pytest.raises(ValueError, match="would share statement names"):
        to_turtle([], facts)


def test_coordinates_and_texts() -> None:
    store = store_of(
        [], [Fact("Q142", "P625", Coordinate(46.5, -2.25)), Fact("Q142", "P1448", Text("Fr\\ance\n", "fr"))]
    )
    assert rows(store, "SELECT ?x { wd:Q142 wdt:P625 ?x }") == [("Point(-2.25 46.5)",)]
    assert rows(store, "SELECT ?a ?o { ?v wikibase:geoLatitude ?a ; wikibase:geoLongitude ?o }") == [("46.5", "-2.25")]
    assert rows(store, "SELECT ?x { wd:Q142 wdt:P1448 ?x FILTER(LANG(?x) = 'fr') }") == [("Fr\\ance\n",)]


def test_equal_input_gives_equal_bytes_in_any_order_of_items(tmp_path: Path) -> None:
    items = [Item("Q142", "France"), Item("Q183", "Germany")]
    facts = [Fact("Q142", "P47", Ref("Q183")), Fact("Q183", "P47", Ref("Q142"))]
    write(tmp_path / "a.ttl.xz", items, facts)
    write(tmp_path / "b.ttl.xz", items[::-1], [*facts[::-1], facts[0]])
    assert (tmp_path / "a.ttl.xz").read_bytes() == (tmp_path / "b.ttl.xz").read_bytes()
    assert lzma.decompress((tmp_path / "a.ttl.xz").read_bytes()).decode() == to_turtle(items, facts)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.ttl.xz", "b.ttl.xz"]


def test_a_source_s_own_property_has_its_own_iri_in_every_role() -> None:
    turtle = to_turtle([], [Fact("cve:CVE-2014-0160", "first:epss", Quantity("0.9"), source="first_epss")])
    for role in ("p", "ps", "psv", "wdt"):
        assert f"<urn:assay:prop:{role}:first:epss>" in turtle
    assert "wds:cve-CVE-2014-0160-first-epss-1" in turtle


def test_a_source_s_own_property_is_no_qualifier() -> None:
    fact = Fact("Q142", "P1082", Quantity("7"), qualifiers=(("first:epss", Quantity("1")),))
    with pytest.raises(ValueError, match="first:epss can be neither a qualifier"):
        to_turtle([], [fact])
