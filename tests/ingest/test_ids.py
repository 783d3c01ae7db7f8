"""Entity ids and IRIs are two spellings of one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import ids

LOCAL = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._~/-]|%[0-9A-F]{2}){0,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("entity_id", "iri"),
    [
        ("Q142", "http://www.wikidata.org/entity/Q142"),
        ("P17", "http://www.wikidata.org/entity/P17"),
        ("L7-F1", "http://www.wikidata.org/entity/L7-F1"),
        ("geonames:2988507", "https://sws.geonames.org/2988507/"),
        ("cik:320193", "https://www.sec.gov/cgi-bin/browse-edgar?CIK=320193"),
        ("pubchem:2244", "http://rdf.ncbi.nlm.nih.gov/pubchem/compound/CID2244"),
        ("iso639:fra", "urn:iso:std:iso:639:-3:fra"),
        ("typed:battle/cannae", "urn:assay:typed:battle/cannae"),
    ],
)
def test_each_id_has_its_source_own_iri(entity_id: str, iri: str) -> None:
    assert ids.to_iri(entity_id) == iri
    assert ids.to_id(iri) == entity_id


@given(st.sampled_from(sorted(ids.CURIES)), LOCAL)
def test_every_prefix_reads_back(prefix: str, local: str) -> None:
    entity_id = f"{prefix}:{local}"
    assert ids.to_id(ids.to_iri(entity_id)) == entity_id


@pytest.mark.parametrize(
    "entity_id",
    [
        "",
        "Q",
        "Q0",
        "q42",
        "Q42 ",
        "42",
        "nobody:1",
        "geonames:",
        "geonames:1 2",
        "typed:a>b",
        "typed:a%",
        "typed:a%4g",
    ],
)
def test_what_is_no_id_is_refused(entity_id: str) -> None:
    with pytest.raises(ids.BadEntityIdError):
        ids.to_iri(entity_id)


@pytest.mark.parametrize(
    "iri",
    [
        "http://www.wikidata.org/entity/statement/Q42-F078E5B3",
        "http://www.wikidata.org/.well-known/genid/abc",
        "https://en.wikipedia.org/wiki/Paris",
        "https://sws.geonames.org/",
        "https://sws.geonames.org/1",
        "",
    ],
)
def test_an_iri_of_something_else_has_no_id(iri: str) -> None:
    assert ids.to_id(iri) is None


def test_the_table_is_sorted_and_no_prefix_hides_another() -> None:
    assert list(ids.CURIES) == sorted(ids.CURIES)
    heads = [template.split("{}")[0] for template in ids.CURIES.values()]
    assert not [(a, b) for a in heads for b in heads if a != b and b.startswith(a)]


def test_statement_ids_are_the_local_names_of_their_nodes() -> None:
    assert ids.statement_id("http://www.wikidata.org/entity/statement/Q42-F078") == "Q42-F078"
    assert ids.statement_id("urn:other:1") == "urn:other:1"


@pytest.mark.parametrize(
    ("entity_id", "iri"),
    [
        ("uniprot:P01308", "http://purl.uniprot.org/uniprot/P01308"),
        ("cve:CVE-2014-0160", "https://www.cve.org/CVERecord?id=CVE-2014-0160"),
        ("cwe:79", "https://cwe.mitre.org/data/definitions/79.html"),
        ("cpe:apache:log4j", "urn:cpe:apache:log4j"),
    ],
)
def test_proteins_and_vulnerabilities_have_their_source_own_iri(entity_id: str, iri: str) -> None:
    assert ids.to_iri(entity_id) == iri
    assert ids.to_id(iri) == entity_id


@pytest.mark.parametrize("property_id", ["P31", "P2067", "first:epss", "uniprot:disulfide-bonds", "cisa:kev-due-date"])
def test_a_property_is_wikidata_s_or_its_source_s(property_id: str) -> None:
    assert ids.is_property_id(property_id)


@pytest.mark.parametrize(
    "text", ["", "P0", "Q31", "epss", "nobody:epss", "first:", "first:EPSS", "first:a/b", "first:a-"]
)
def test_what_is_no_property_is_refused(text: str) -> None:
    assert not ids.is_property_id(text)
    with pytest.raises(ids.BadEntityIdError):
        ids.property_iri("ps", text)


def test_a_source_s_property_has_an_iri_in_each_role_and_reads_back() -> None:
    assert ids.property_iri("ps", "first:epss") == "urn:assay:prop:ps:first:epss"
    assert ids.claimed_property(ids.property_iri("p", "first:epss")) == "first:epss"
    assert ids.claimed_property("http://www.wikidata.org/prop/P2067") == "P2067"


def test_a_property_of_wikidata_is_named_by_the_usual_prefixes() -> None:
    with pytest.raises(ids.BadEntityIdError, match="'P31' is no property of chembl, cisa, first, nvd, pubchem, rcsb"):
        ids.property_iri("p", "P31")


@pytest.mark.parametrize(
    "iri", ["http://www.wikidata.org/prop/direct/P31", "urn:assay:prop:ps:first:epss", "urn:assay:prop:p:Q5", "x"]
)
def test_what_leads_to_no_statement_is_no_claim(iri: str) -> None:
    with pytest.raises(ids.BadEntityIdError, match="leads to no statement"):
        ids.claimed_property(iri)
