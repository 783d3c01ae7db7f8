"""Pages of members: whatever their size, no row is lost and none is doubled; and text that queries are made of."""

from decimal import Decimal
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from towns import CITIES, endpoint

from ingest.errors import BindingError
from ingest.ids import BadEntityIdError, to_iri
from ingest.topics import StatementFilter
from ingest.wikidata import queries
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.members import list_members

# Ids that share beginnings, and of several sources, so that order and comparison are put to the test.
MEMBER = st.one_of(
    st.integers(1, 3000).map("Q{}".format),
    st.integers(1, 300).map("geonames:{}".format),
    st.text("aAbB0-_.~/", min_size=1, max_size=4).map(lambda text: f"typed:x{text}"),
)


def world(members: set[str]) -> EmbeddedEndpoint:
    """A store where every second member belongs to a subclass, and some to both."""
    lines = [
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .",
        f"<{to_iri('Q1549591')}> wdt:P279 <{to_iri('Q515')}> .",
    ]
    for number, member in enumerate(sorted(members)):
        classes = (["Q515"], ["Q1549591"], ["Q515", "Q1549591"])[number % 3]
        lines += [f"<{to_iri(member)}> wdt:P31 <{to_iri(one)}> ." for one in classes]
    return EmbeddedEndpoint([("world", "\n".join(lines).encode())])


@settings(deadline=None)
@given(st.sets(MEMBER, max_size=40), st.integers(1, 45))
def test_the_same_members_for_any_page_size(members: set[str], page_size: int) -> None:
    found = list_members(world(members), CITIES.filters, "Q515", page_size)
    assert len(found) == len(set(found))
    assert set(found) == members


@settings(deadline=None)
@given(st.sets(MEMBER, min_size=4, max_size=30), st.integers(1, 5), st.data())
def test_members_that_come_and_go_between_pages_leave_the_others_alone(
    members: set[str], page_size: int, data: st.DataObject
) -> None:
    """Offsets would shift here and lose or double a row; a page that starts after the last IRI cannot."""
    gone = data.draw(st.sampled_from(sorted(members)))
    at_page = data.draw(st.integers(1, 5))

    class Changing(EmbeddedEndpoint):
        pages = 0

        def select(self, query: queries.Query[queries.RowT]) -> list[queries.RowT]:
            self.pages += 1
            if self.pages == at_page:
                subject = pyoxigraph.NamedNode(to_iri(gone))
                store = self.load()
                for quad in list(store.quads_for_pattern(subject, None, None)):
                    store.remove(quad)
            return super().select(query)

    whole = world(members)
    found = list_members(Changing([("world", _dump(whole))]), CITIES.filters, "Q515", page_size)
    assert len(found) == len(set(found))
    assert members - {gone} <= set(found) <= members


def _dump(whole: EmbeddedEndpoint) -> bytes:
    dumped = whole.load().dump(format=pyoxigraph.RdfFormat.TURTLE, from_graph=pyoxigraph.DefaultGraph())
    assert dumped is not None
    return dumped


def test_members_can_be_left_out_by_class_and_by_pages_and_be_the_first_of_many() -> None:
    def found(**wanted: Any) -> list[str]:
        return list_members(endpoint(), (), "Q515", 2, **wanted)

    everyone = found()
    assert len(everyone) > 4
    assert found(most=3) == everyone[:3]
    assert found(least_sitelinks=300) == ["Q90"]
    assert found(least_sitelinks=301) == []
    # Paris and Berlin are big cities, and cities by that alone.
    assert found(excluded=("Q1549591",)) == [one for one in everyone if one not in ("Q90", "Q64")]
    assert found(excluded=("Q515", "Q1549591")) == []


@pytest.mark.parametrize("page_size", [1, 2, 3, 7, 8, 100])
def test_filters_keep_pages_apart(page_size: int) -> None:
    big = CITIES.model_copy(update={"filters": (StatementFilter(property="P1082", min=Decimal(1)),)})
    assert list_members(endpoint(), big.filters, "Q515", page_size) == ["Q220", "Q90"]


@pytest.mark.parametrize("bad", ["Q1 } UNION { ?a ?b ?c", "<http://evil>", "wd:Q1", "", "Q1\n"])
def test_nothing_but_ids_enters_a_query(bad: str) -> None:
    with pytest.raises(BadEntityIdError):
        queries.statements([bad], ["P31"])
    with pytest.raises(BadEntityIdError):
        queries.statements(["Q1"], [bad])
    with pytest.raises(BadEntityIdError):
        queries.members(bad, (), after="", limit=1)


def test_what_an_endpoint_gave_enters_a_query_only_as_an_iri() -> None:
    with pytest.raises(BindingError, match="in place of an IRI"):
        queries.nodes(["http://www.wikidata.org/value/a> } #"])


@settings(deadline=None)
@given(st.text())
def test_any_text_is_quoted(text: str) -> None:
    """The page's start is text from the endpoint: whatever it holds, it stays one string."""
    assert endpoint_of_nothing().select(queries.members("Q515", (), after=text, limit=1)) == []


def endpoint_of_nothing() -> EmbeddedEndpoint:
    return EmbeddedEndpoint([])


def test_queries_are_plain_sparql_with_a_name_and_a_digest() -> None:
    statements, qualifiers = queries.statements(["Q90", "geonames:2988507"], ["P1082", "P17", "P17"])
    assert str(statements) == f"statements of Q90 and 1 more ({statements.digest[:12]})"
    assert "FILTER(?claim IN (p:P17, p:P1082))" in statements.text
    assert "VALUES ?subject { wd:Q90 <https://sws.geonames.org/2988507/> }" in statements.text
    assert statements.digest != qualifiers.digest
    for query in (statements, qualifiers, *queries.names(["Q90"], "en"), queries.members("Q5", (), after="", limit=1)):
        assert not [line for line in query.text.splitlines() if line.lstrip().startswith("#")]
        assert "SERVICE" not in query.text
