"""Recorded answers of the query service, and recorded failures, go through the parser of SPARQL results."""

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from ingest import ids
from ingest.wikidata import values
from ingest.wikidata.bindings import member_ids
from ingest.wikidata.results import Member, NotResultsError, Term, explain_body, parse_results

Row = dict[str, Term]

# Rows, and the values of one variable of the first row.
DOCUMENTS = {
    "staedtl_0c142f7_body.de.json": (400, "cityLabel", "Leipzig"),
    "staedtl_0c142f7_body.json": (400, "cityLabel", "Leipzig"),
    "staedtl_319e3d4_body.de.json": (280, "cityLabel", "Köln"),
    "wdqs_tuples-query.json": (2, "cause", "http://www.wikidata.org/entity/Q1347065"),
    "wikibase-sdk_no_datatype_sparql_results.json": (1, "year", "1937"),
    "wikibase-sdk_results_with_labels_descriptions_and_aliases.json": (50, "pseudonyme", "11"),
    "wikibase-sdk_single_var_sparql_results.json": (5, "genre", "http://www.wikidata.org/entity/Q112983"),
    "wikibase-sdk_sparql_results_with_optional_values.json": (1, "label", "Tarzan"),
}
LISTS = {"qald10_responses.jsonl", "spinach_results.jsonl"}
TIMED_OUT = "the query ran into the endpoint's time limit (java.util.concurrent.TimeoutException)"
FAILURES = {
    "covid19-open-data_issue258_429_0s.html": (
        "the answer was a web page or XML titled 'Error 429 Too Many Requests - Please retry in 0 seconds.', "
        "not SPARQL results JSON"
    ),
    "malformed_query_exception.txt": "the endpoint failed while answering (org.openrdf.query.MalformedQueryException)",
    "osm-search_issue4_truncated_timeout.txt": TIMED_OUT,
    "timeout_exception_head.txt": TIMED_OUT,
    "wikimedia_scripted_requests_blocked.txt": (
        "the answer was no SPARQL results JSON but "
        "'Scripted requests from your IP have been blocked, please contact noc@wikimedia.o'"
    ),
}


def read(body: bytes) -> list[Row]:
    """The rows of an answer with whatever variables it announces, each optional."""
    try:
        variables = json.loads(body)["head"]["vars"]
    except (ValueError, KeyError):
        variables = []
    fields = [(f"v{number}", Term | None, None) for number in range(len(variables))]
    names = {f"v{number}": name for number, name in enumerate(variables)}
    struct = msgspec.defstruct("Answer", fields, rename=names)
    rows = parse_results(body, struct)
    found = [{name: getattr(row, place) for place, name in names.items()} for row in rows]
    return [{name: term for name, term in row.items() if term is not None} for row in found]


def test_every_file_is_named_here(payloads: Path) -> None:
    assert {path.name for path in (payloads / "wdqs-sparql").iterdir()} == {*DOCUMENTS, *LISTS}
    assert {path.name for path in (payloads / "wdqs-errors").iterdir()} == set(FAILURES)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_answer_is_read_whole(name: str, payloads: Path) -> None:
    body = (payloads / "wdqs-sparql" / name).read_bytes()
    rows = read(body)
    count, variable, value = DOCUMENTS[name]
    assert (len(rows), rows[0][variable].value) == (count, value)
    plain = json.loads(body)["results"]["bindings"]
    assert [{key: term.value for key, term in row.items()} for row in rows] == [
        {key: term["value"] for key, term in row.items()} for row in plain
    ]


def test_towns_keep_numbers_languages_files_and_what_is_absent(payloads: Path) -> None:
    rows = read((payloads / "wdqs-sparql" / "staedtl_0c142f7_body.de.json").read_bytes())
    leipzig = rows[0]
    assert ids.to_id(leipzig["country"].value) == "Q183"
    assert (leipzig["cityLabel"].lang, leipzig["stateLabels"].lang) == ("de", None)
    assert (leipzig["inhabitants"].value, leipzig["inhabitants"].datatype) == (
        "601866",
        "http://www.w3.org/2001/XMLSchema#decimal",
    )
    assert values.text_from_iri(leipzig["locationMap"].value) == "Saxony L (City).svg"
    films = read((payloads / "wdqs-sparql" / "wikibase-sdk_sparql_results_with_optional_values.json").read_bytes())
    assert "genre" not in films[0]


def test_a_blank_node_is_no_member(payloads: Path) -> None:
    rows = read((payloads / "wdqs-sparql" / "wikibase-sdk_single_var_sparql_results.json").read_bytes())
    assert [row["genre"].type for row in rows].count("bnode") == 1
    assert member_ids(Member(row["genre"]) for row in rows) == ["Q112983", "Q185598", "Q3879286", "Q1473346"]


def test_select_and_ask_answers_are_told_apart(payloads: Path) -> None:
    seen: Counter[str] = Counter()
    with (payloads / "wdqs-sparql" / "qald10_responses.jsonl").open(encoding="utf-8") as file:
        for line in file:
            (answer,) = json.loads(line)["responses"]
            body = json.dumps(answer).encode()
            if "boolean" in answer:
                with pytest.raises(NotResultsError, match="not the results that were asked for"):
                    read(body)
                seen["ASK"] += 1
            else:
                rows = read(body)
                seen["SELECT"] += 1
                seen["rows"] += len(rows)
                _count_terms(rows, seen)
    assert seen == {
        "ASK": 39, "SELECT": 200, "rows": 292,
        "uri": 193, "integer": 61, "dateTime": 22, "decimal": 9, "text in a language": 4, "text": 2, "wktLiteral": 1,
    }  # fmt: skip


def test_answers_of_2024_are_read(payloads: Path) -> None:
    seen: Counter[str] = Counter()
    with (payloads / "wdqs-sparql" / "spinach_results.jsonl").open(encoding="utf-8") as file:
        for line in file:
            bindings = json.loads(line)["bindings"]
            body = json.dumps(
                {"head": {"vars": sorted({key for row in bindings for key in row})}, "results": {"bindings": bindings}}
            )
            rows = read(body.encode())
            seen["rows"] += len(rows)
            _count_terms(rows, seen)
    assert seen == {
        "rows": 2489, "uri": 2633, "text in a language": 1456, "integer": 299, "text": 289, "dateTime": 114,
        "decimal": 45, "date": 2, "wktLiteral": 2,
    }  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_no_answer_and_its_cause_is_named(name: str, payloads: Path) -> None:
    body = (payloads / "wdqs-errors" / name).read_bytes()
    with pytest.raises(NotResultsError) as raised:
        read(body)
    assert str(raised.value) == FAILURES[name]


@pytest.mark.parametrize("name", ["osm-search_issue4_truncated_timeout.txt", "timeout_exception_head.txt"])
def test_a_stack_trace_after_a_whole_or_half_answer_is_found(name: str, payloads: Path) -> None:
    answer = (payloads / "wdqs-sparql" / "wdqs_tuples-query.json").read_bytes()
    failure = (payloads / "wdqs-errors" / name).read_bytes()
    for body in (answer + failure, answer[:-40] + failure):
        with pytest.raises(NotResultsError, match="time limit"):
            read(body)
    assert explain_body(answer[:-40]) == f"the answer broke off after {len(answer) - 40} bytes"


def _count_terms(rows: list[Row], seen: Counter[str]) -> None:
    """Count terms by type, and check that every entity IRI is one that ids can read back."""
    for row in rows:
        for term in row.values():
            if term.type == "uri":
                seen["uri"] += 1
                entity = ids.to_id(term.value)
                assert entity is None or ids.to_iri(entity) == term.value
                assert entity is not None or not term.value.startswith(f"{ids.WIKIDATA_ENTITY}Q")
            elif term.datatype is not None:
                seen[term.datatype.rsplit("#", 1)[1]] += 1
            else:
                seen["text in a language" if term.lang else "text"] += 1
