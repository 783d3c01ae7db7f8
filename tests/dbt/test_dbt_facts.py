"""The facts room: which statements, entities and values come out of which landed rows."""

import datetime as dt

import pytest

from tests.dbt.project import Project


def reasons(built: Project, subject: str, prop: str) -> dict[str, str]:
    """Last part of the statement id -> reason."""
    rows = built.rows(
        "select statement_id, reason from facts.value_choices "
        f"where subject_id = '{subject}' and property_id = '{prop}'"
    )
    return {statement.rsplit("-", 1)[1]: reason for statement, reason in rows}


def test_only_the_complete_snapshot_landed_last_is_read(built: Project) -> None:
    assert built.rows("select distinct snapshot_id from facts.entities") == [("sample-000000000001",)]
    assert built.rows("select distinct snapshot_id from facts.statements where source not in ('pubchem', 'edgar')") == [
        ("sample-000000000001",)
    ]
    assert set(built.rows("select snapshot_id, is_current from provenance.snapshots")) == {
        ("sample-0000000000ff", False),
        ("sample-000000000001", True),
        ("sample-ffffffffffff", False),
    }


def test_what_a_service_says_stands_beside_it_with_unit_address_and_time(built: Project) -> None:
    assert built.rows(
        "select value_num, unit_id, value_canonical, unit_canonical, rounding_canonical, source, source_url,"
        " fetched_at, snapshot_id from facts.best_values where property_id = 'pubchem:molecular-weight'"
    ) == [
        (46.07, "Q483261", 46.07, "Q483261", pytest.approx(0.005), "pubchem", "https://pubchem.test/702",
         dt.datetime(2026, 11, 30, 12), "pubchem-2026-11-30"),
    ]  # fmt: skip
    assert built.rows(
        "select amount_text, reason from facts.statements join facts.value_choices using (statement_id)"
        " where statements.property_id = 'sec:net-income-loss' order by amount_text"
    ) == [("100", "deprecated"), ("101", "superseded"), ("110", "chosen")]


def test_entities_have_names_or_none_and_no_redirects(built: Project) -> None:
    entities = dict(built.rows("select entity_id, label from facts.entities"))
    assert entities["Q142"] == "France"
    assert entities["Q39"] is None
    assert entities["Q801"] == "Israel"
    assert not {"Q1001", "Q1002", "Q1003", "Q1004", "Q1005"} & set(entities)
    assert built.rows("select aliases, classes from facts.entities where entity_id = 'Q90'") == [
        (["City of Light"], ["Q515"])
    ]


def test_redirects_are_followed_to_the_end(built: Project) -> None:
    assert built.rows("select entity_id, target_id from facts.redirects order by 1") == [
        ("Q1001", "Q46"),
        ("Q1002", "Q46"),
        ("Q1005", "Q142"),
    ]
    assert built.rows(
        "select value_entity from facts.best_values where subject_id = 'Q183' and property_id = 'P30'"
    ) == [("Q46",)]
    assert built.rows(
        "select value_entity from facts.best_values where subject_id = 'Q142' and property_id = 'P37'"
    ) == [("Q150",)]


@pytest.mark.parametrize(
    ("subject", "prop", "expected"),
    [
        ("Q142", "P1082", {"0": "superseded", "1": "chosen", "2": "superseded", "3": "undated"}),
        ("Q183", "P1082", {"0": "chosen", "1": "outranked", "2": "deprecated"}),
        ("Q38", "P1082", {"0": "somevalue", "1": "superseded"}),
        ("Q183", "P2046", {"0": "duplicate", "1": "chosen"}),
        ("Q38", "P2046", {"0": "chosen", "1": "unknown_unit"}),
        ("Q145", "P2046", {"0": "wrong_dimension", "1": "unparsable_number"}),
        ("Q142", "P2131", {"0": "chosen", "1": "chosen"}),
        ("Q183", "P37", {"0": "chosen", "1": "ended"}),
        ("Q145", "P37", {"0": "chosen", "1": "chosen"}),
        ("Q145", "P47", {"0": "novalue"}),
        ("Q183", "P1813", {"0": "empty_value"}),
        ("Q183", "P625", {"0": "empty_value"}),
        ("Q145", "P571", {"0": "unparsable_date"}),
    ],
)
def test_value_choice(built: Project, subject: str, prop: str, expected: dict[str, str]) -> None:
    assert reasons(built, subject, prop) == expected


@pytest.mark.parametrize(
    ("subject", "prop", "expected"),
    [
        ("Q142", "P2046", ("only_statement", 0)),
        ("Q142", "P1082", ("latest_point_in_time", 3)),
        ("Q183", "P1082", ("preferred_rank", 2)),
        ("Q183", "P37", ("not_ended", 1)),
        ("Q145", "P30", ("one_of_several", 0)),
        ("Q38", "P2046", ("only_one_left", 1)),
    ],
)
def test_a_best_value_says_why_it_stands(built: Project, subject: str, prop: str, expected: tuple[str, int]) -> None:
    rows = built.rows(
        "select distinct choice_reason, alternatives from facts.best_values "
        f"where subject_id = '{subject}' and property_id = '{prop}'"
    )
    assert rows == [expected]


def test_units_nobody_listed_are_reported(built: Project) -> None:
    assert built.rows("select unit_id, property_id, reason, statements from facts.unknown_units order by 1") == [
        ("Q11570", "P2046", "wrong_dimension", 1),
        ("Q424242", "P2046", "unknown_unit", 1),
    ]


def test_a_julian_day_keeps_its_own_year_and_gets_its_gregorian_date(built: Project) -> None:
    rows = built.rows(
        "select value_time, value_year, value_date from facts.best_values "
        "where subject_id = 'Q142' and property_id = 'P571'"
    )
    assert rows == [("0843-08-10T00:00:00Z", 843, dt.date(843, 8, 14))]


def test_a_year_never_becomes_a_day_and_a_bce_day_has_no_date(built: Project) -> None:
    rows = built.rows(
        "select subject_id, value_year, value_date from facts.best_values where property_id = 'P571' order by 1"
    )
    assert rows[1:] == [("Q183", 1871, None), ("Q38", -753, None)]


def test_descriptions_are_stored_as_comments(built: Project) -> None:
    tables = built.rows("select comment from duckdb_tables() where schema_name = 'facts' and table_name = 'statements'")
    assert tables[0][0].startswith("One row per landed statement")
    bare = built.rows(
        "select table_name, column_name from duckdb_columns() "
        "where schema_name in ('facts', 'provenance', 'topics') and comment is null"
    )
    assert bare == []


def test_every_model_is_a_table(built: Project) -> None:
    assert built.rows("select view_name from duckdb_views() where not internal") == []
