"""Answers into rows: shapes that a query service sends, one by one."""

import json
from typing import Any

import msgspec
import pytest

from ingest import ids
from ingest.wikidata import bindings
from ingest.wikidata.results import (
    Member,
    Named,
    NodePart,
    NotResultsError,
    Qualified,
    Stated,
    Term,
    explain_body,
    parse_results,
)

WD = "http://www.wikidata.org/entity/"
PROP = "http://www.wikidata.org/prop/"
ONTOLOGY = "http://wikiba.se/ontology#"
XSD = "http://www.w3.org/2001/XMLSchema#"


def uri(text: str) -> Term:
    return Term("uri", text)


def literal(text: str, datatype: str | None = None, lang: str | None = None) -> Term:
    return Term("literal", text, datatype, lang)


def stated(value: Term | None, node: str | None = None, prop: str = "P1") -> Stated:
    return Stated(
        uri(f"{WD}Q1"), uri(f"{PROP}{prop}"), uri(f"{WD}statement/Q1-a"), uri(f"{ONTOLOGY}NormalRank"), value,
        uri(node) if node else None,
    )  # fmt: skip


def landed(
    value: Term | None, node: str | None = None, parts: dict[str, bindings.Value] | None = None
) -> dict[str, Any]:
    """The filled value columns of one statement."""
    rows, incomplete = bindings.statement_rows([stated(value, node)], [], parts or {}, {})
    assert incomplete == []
    row = dict(zip(bindings.STATEMENT_COLUMNS, rows[0], strict=True))
    return {name: row[name] for name in bindings.Value._fields if row[name] is not None}


def node(**parts: str) -> dict[str, bindings.Value]:
    return bindings.node_values(
        [NodePart(uri("v:1"), uri(ONTOLOGY + name), literal(text)) for name, text in parts.items()]
    )


VALUES = [
    (uri(f"{WD}Q5"), {"value_kind": "entity", "value_entity": "Q5"}),
    (uri(f"{WD}P5"), {"value_kind": "entity", "value_entity": "P5"}),
    (uri("https://sws.geonames.org/1/"), {"value_kind": "entity", "value_entity": "geonames:1"}),
    (uri("http://www.wikidata.org/.well-known/genid/1f"), {"value_kind": "somevalue"}),
    (Term("bnode", "t284055162"), {"value_kind": "somevalue"}),
    (uri("https://example.org/"), {"value_kind": "text", "value_text": "https://example.org/"}),
    (
        uri("http://commons.wikimedia.org/wiki/Special:FilePath/A%20b.svg"),
        {"value_kind": "text", "value_text": "A b.svg"},
    ),
    (literal("x"), {"value_kind": "text", "value_text": "x"}),
    (literal("x", lang="de"), {"value_kind": "text", "value_text": "x", "value_lang": "de"}),
    (literal("+1.50", XSD + "decimal"), {"value_kind": "quantity", "amount_text": "1.5"}),
    (Term("typed-literal", "7", XSD + "integer"), {"value_kind": "quantity", "amount_text": "7"}),
    (literal("2000-01-01T00:00:00Z", XSD + "dateTime"), {"value_kind": "time", "value_text": "2000-01-01T00:00:00Z"}),
    (
        literal("Point(-1.5 50)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
        {"value_kind": "coordinate", "latitude": 50.0, "longitude": -1.5},
    ),
    (
        literal("<http://www.wikidata.org/entity/Q405> Point(1 2)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
        {"value_kind": "coordinate", "latitude": 2.0, "longitude": 1.0},
    ),
    (
        literal("Polygon(1 2)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
        {"value_kind": "text", "value_text": "Polygon(1 2)"},
    ),
    (
        literal("Point(a b)", "http://www.opengis.net/ont/geosparql#wktLiteral"),
        {"value_kind": "text", "value_text": "Point(a b)"},
    ),
    (literal("true", XSD + "boolean"), {"value_kind": "text", "value_text": "true"}),
]


@pytest.mark.parametrize(("term", "expected"), VALUES)
def test_each_kind_of_value(term: Term, expected: dict[str, Any]) -> None:
    assert landed(term) == expected


def test_a_node_gives_unit_and_bounds() -> None:
    parts = node(
        quantityAmount="+30.0", quantityUnit=f"{WD}Q11573", quantityLowerBound="+29.95", quantityUpperBound="+30.05"
    )
    assert landed(literal("30", XSD + "decimal"), "v:1", parts) == {
        "value_kind": "quantity", "amount_text": "30", "lower_text": "29.95", "upper_text": "30.05",
        "unit_id": "Q11573",
    }  # fmt: skip
    unitless = node(quantityAmount="+30", quantityUnit=f"{WD}Q199")
    assert "unit_id" not in landed(literal("30", XSD + "decimal"), "v:1", unitless)


def test_a_node_gives_precision_and_calendar() -> None:
    parts = node(timeValue="1900-01-01T00:00:00Z", timePrecision="8", timeCalendarModel=f"{WD}Q1985727")
    assert landed(literal("1900-01-01T00:00:00Z", XSD + "dateTime"), "v:1", parts) == {
        "value_kind": "time", "value_time": "1900-00-00T00:00:00Z", "time_precision": 8, "calendar": "gregorian",
    }  # fmt: skip


def test_a_time_that_wikidata_could_not_convert_keeps_its_text() -> None:
    parts = node(timeValue="+1500-02-30T00:00:00Z", timePrecision="11", timeCalendarModel=f"{WD}Q1985727")
    assert landed(literal("+1500-02-30T00:00:00Z"), "v:1", parts) == {
        "value_kind": "time", "time_precision": 11, "calendar": "gregorian", "value_text": "+1500-02-30T00:00:00Z",
    }  # fmt: skip


def test_a_node_of_a_place_or_one_that_is_gone_changes_nothing() -> None:
    assert node(geoLatitude="1.5") == {}
    assert landed(literal("5", XSD + "decimal"), "v:2") == {"value_kind": "quantity", "amount_text": "5"}


def test_qualifiers_stand_once_and_in_a_fixed_order() -> None:
    parts = {**node(quantityAmount="+3", quantityUnit=f"{WD}Q11573")}
    iri = uri(f"{WD}statement/Q1-a")
    pq, pqv = f"{PROP}qualifier/", f"{PROP}qualifier/value/"
    rows = [
        Qualified(iri, uri(f"{pq}P9"), uri(f"{WD}Q2")),
        Qualified(iri, uri(f"{pq}P9"), uri(f"{WD}Q10")),
        Qualified(iri, uri(f"{pq}P2"), literal("3", XSD + "decimal")),
        Qualified(iri, uri(f"{pqv}P2"), uri("v:1")),
        Qualified(iri, uri(f"{pq}P2"), uri("http://www.wikidata.org/.well-known/genid/2")),
        Qualified(iri, uri(f"{pq}P3"), literal("4", XSD + "decimal")),
        Qualified(iri, uri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), uri(f"{PROP}novalue/P4")),
    ]
    for order in (rows, rows[::-1]):
        landed_rows, _ = bindings.statement_rows([stated(uri(f"{WD}Q5"))], order, parts, {})
        assert json.loads(dict(zip(bindings.STATEMENT_COLUMNS, landed_rows[0], strict=True))["qualifiers"]) == {
            "P2": [{"kind": "quantity", "amount": "3", "unit": "Q11573"}, {"kind": "somevalue"}],
            "P3": [{"kind": "quantity", "amount": "4", "unit": None}],
            "P4": [{"kind": "novalue"}],
            "P9": [{"kind": "entity", "value": "Q10"}, {"kind": "entity", "value": "Q2"}],
        }


def test_no_value_of_the_statement_itself_is_no_qualifier() -> None:
    iri = uri(f"{WD}statement/Q1-a")
    kind = uri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    both = [Qualified(iri, kind, uri(f"{PROP}novalue/P1")), Qualified(iri, kind, uri(f"{PROP}novalue/P7"))]
    rows, _ = bindings.statement_rows([stated(None)], both, {}, {})
    row = dict(zip(bindings.STATEMENT_COLUMNS, rows[0], strict=True))
    assert (row["value_kind"], row["qualifiers"]) == ("novalue", '{"P7":[{"kind":"novalue"}]}')


def test_names_of_an_unasked_entity_are_passed_over() -> None:
    label = uri("http://www.w3.org/2000/01/rdf-schema#label")
    names = [Named(uri(f"{WD}Q{number}"), label, literal(f"n{number}", lang="en")) for number in (1, 2)]
    rows = bindings.entity_rows(["Q1"], names, [], [], "en", {})
    assert [row[:3] for row in rows] == [("Q1", "n1", "en")]


def body(*rows: dict[str, dict[str, str]]) -> bytes:
    return json.dumps({"head": {"vars": ["entity"]}, "results": {"bindings": list(rows)}}).encode()


ROW = {"entity": {"type": "uri", "value": f"{WD}Q1"}}
TRACE = b"\njava.util.concurrent.TimeoutException\n\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"


def test_a_whole_answer_is_read() -> None:
    assert parse_results(body(ROW), Member) == [Member(uri(f"{WD}Q1"))]
    assert parse_results(body(), Member) == []
    lines = [{"entity": {"type": "literal", "value": "x", "xml:lang": "en", "datatype": "d", "its:dir": "ltr"}}]
    assert parse_results(body(*lines), Member) == [Member(Term("literal", "x", "d", "en"))]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (b"", "the answer was empty"),
        (b"  \n", "the answer was empty"),
        (body(ROW)[:-10], f"the answer broke off after {len(body(ROW)) - 10} bytes"),
        (body(ROW)[:40] + TRACE, "the query ran into the endpoint's time limit"),
        (body(ROW) + TRACE, "the query ran into the endpoint's time limit"),
        (body(ROW) + body(ROW), "the answer was damaged JSON"),
        (
            b"java.lang.OutOfMemoryError: heap\n",
            r"the endpoint failed while answering \(java\.lang\.OutOfMemoryError\)",
        ),
        (
            b"<html><title>Busy</title></html>",
            "the answer was a web page or XML titled 'Busy', not SPARQL results JSON",
        ),
        (b"<?xml version='1.0'?><sparql/>", "the answer was a web page or XML, not SPARQL results JSON"),
        (b"Too busy", "the answer was no SPARQL results JSON but 'Too busy'"),
        (b'{"head":{},"boolean":true}', "not the results that were asked for"),
        (b'{"error":"x"}', "not the results that were asked for"),
        (b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"a"}}]}}', "were asked for"),
        (body({"entity": {"type": "triple", "value": "x"}}), "not the results that were asked for"),
        (body({"entity": {"type": "uri"}}), "not the results that were asked for"),
        (b"[]", "not the results that were asked for"),
        (b'{"head":{"vars":["\xff"]}}', "the answer was damaged JSON"),
    ],
)
def test_anything_else_is_no_answer(text: bytes, cause: str) -> None:
    with pytest.raises(NotResultsError, match=cause):
        parse_results(text, Member)


def test_every_cut_of_an_answer_is_noticed() -> None:
    whole = body(ROW, ROW)
    for length in range(len(whole)):
        with pytest.raises(NotResultsError):
            parse_results(whole[:length], Member)


def test_causes_fit_a_sentence() -> None:
    assert "\n" not in explain_body(b"<title>a\n b</title>" * 50)
    assert len(explain_body(b"x\ny" * 500)) < 200


def test_statement_rows_keep_ids_that_are_wikidatas() -> None:
    rows, _ = bindings.statement_rows([stated(uri(f"{WD}Q5"))], [], {}, {})
    assert rows[0][0] == "Q1-a"
    assert ids.to_id(f"{WD}Q5") == "Q5"


def origin(*references: str) -> tuple[str, str]:
    """(source, source_url) of a statement with these references."""
    urls = {f"{ids.SOURCE_IRI}nvd": "https://nvd.nist.gov/", "r:1": "https://nvd.nist.gov/vuln/detail/CVE-2014-0160"}
    rows = [msgspec.structs.replace(stated(literal("x")), reference=uri(one)) for one in references]
    (row,), _ = bindings.statement_rows(rows, [], {}, urls)
    cells = dict(zip(bindings.STATEMENT_COLUMNS, row, strict=True))
    return cells["source"], cells["source_url"]


def test_a_page_about_the_fact_stands_before_the_front_page_of_its_source() -> None:
    assert origin(f"{ids.SOURCE_IRI}nvd", "r:1") == ("nvd", "https://nvd.nist.gov/vuln/detail/CVE-2014-0160")
    assert origin(f"{ids.SOURCE_IRI}nvd") == ("nvd", "https://nvd.nist.gov/")


def test_a_source_s_own_property_is_landed_under_its_id() -> None:
    claim = uri(ids.property_iri("p", "first:epss"))
    (row,), _ = bindings.statement_rows([msgspec.structs.replace(stated(literal("0.9")), claim=claim)], [], {}, {})
    assert dict(zip(bindings.STATEMENT_COLUMNS, row, strict=True))["property_id"] == "first:epss"
