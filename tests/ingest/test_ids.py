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
