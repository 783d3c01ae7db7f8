"""What is written for a reviewer: SQL and yml as a person writes them, and a report that hides nothing."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.propose.describe import expected
from dagster_defs.steps.propose.write import flow, scalar, topic_sql, topic_yml
from ingest.topics import StatementFilter, read_topic_file
from tests.propose import world
from tests.propose.conftest import Desk

EVERYTHING = world.concept(
    filters=[
        {"property": "P166", "values": ["Q185667", "Q38104"]},
        {"property": "P2044", "present": True, "unit": "Q11573"},
        {"property": "P576", "absent": True},
        {"property": "P1082", "min": "1000", "max": "2.5e6"},
        {"property": "P2048", "max": "0.5", "unit": "Q11573"},
    ],
    excluded_classes={"Q4167410": "Wikimedia disambiguation page"},
    least_sitelinks=2,
)


def test_the_sql_keeps_to_the_topics_members() -> None:
    assert topic_sql(EVERYTHING) == (
        """select
    entity_id,
    label,
    {{ number('P2046', unit='Q712226') }} as area_km2,
    {{ categories('P205') }} as countries,
    {{ category('P1552') }} as water,
    {{ categories('P205/P30') }} as continents
from {{ topic_facts(classes=['Q23397'], hops=['P205'], least_sitelinks=2) }}
group by entity_id, label
having {{ has_any_of('P166', ['Q185667', 'Q38104']) }}
    and {{ has_value('P2044', unit='Q11573') }}
    and not {{ has_value('P576') }}
    and {{ has_amount('P1082', least=1000, most=2500000) }}
    and {{ has_amount('P2048', most=0.5, unit='Q11573') }}
    and not {{ has_any_of('P31', ['Q4167410']) }}
"""
    )


def test_the_yml_reads_back_as_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "great_lakes.yml"
    path.write_text(topic_yml(EVERYTHING))
    (source,) = read_topic_file(path)
    assert source == EVERYTHING.source()
    assert source.filters[3] == StatementFilter(property="P1082", min=Decimal(1000), max=Decimal(2_500_000))
    (model,) = yaml.safe_load(path.read_text())["models"]
    assert model["description"] == "One row per great lake. Lakes and lagoons of the World Factbook."
    assert model["config"]["meta"]["topic"] == {
        "singular": "great lake", "plural": "great lakes", "label_article": None,
    }  # fmt: skip
    columns = {one["name"]: one for one in model["columns"]}
    assert columns["area_km2"]["config"]["meta"] == {
        "kind": "number", "path": "P2046", "phrase": "surface area", "unit": "square kilometres",
        "adjective": "large", "additive": True,
    }  # fmt: skip
    assert (columns["countries"]["data_type"], columns["water"]["data_type"]) == ("varchar[]", "varchar")


def test_a_value_that_varies_is_followed_by_its_date_and_a_hop_says_by_which_way() -> None:
    population = {
        "name": "population", "path": "P1082", "label": "population", "kind": "number", "phrase": "population",
        "unit_name": "people", "integer": True, "volatile": True,
    }  # fmt: skip
    country = {"name": "country", "path": "P17", "label": "country", "kind": "category", "phrase": "country"}
    size = {"name": "country_area_km2", "path": "P17/P2046", "label": "country / area", "kind": "number",
            "unit": "Q712226", "phrase": "area of its country"}  # fmt: skip
    wanted = world.concept(attributes=[population, country, size], required=[])
    assert "{{ as_of('P1082') }} as population_as_of" in topic_sql(wanted)
    columns = {one["name"]: one for one in yaml.safe_load(topic_yml(wanted))["models"][0]["columns"]}
    assert columns["population_as_of"]["config"]["meta"] == {"kind": "as_of"}
    assert columns["country_area_km2"]["config"]["meta"]["via"] == "country"
    assert columns["population"]["config"]["meta"]["unit"] == "people"


@given(st.text())
def test_any_text_is_one_scalar(text: str) -> None:
    written = scalar(text)
    assert "\n" not in written
    if yaml_can_hold(text):
        assert yaml.safe_load(f"key: {written}") == {"key": text}
        assert yaml.safe_load(f"{{key: {flow(text)}}}") == {"key": text}


def yaml_can_hold(text: str) -> bool:
    """PyYAML reads no control characters and no lone surrogates, however they are written."""
    return all(letter.isprintable() for letter in text)


def test_the_report_tells_precision_coverage_samples_and_how_to_adopt(desk: Desk) -> None:
    outcome = desk.declare(world.concept())
    report = outcome.files[-1].read_text()
    assert report.startswith("# great lakes: a topic to review\n")
    assert "132 of 132 checked results are valid, of 132 in all: 100.0%" in report
    assert f"cp {outcome.files[0]}" in report
    assert "`    - great_lakes` at the end of vars: topics:" in report
    assert "| area_km2 | P2046 | area | number | 132 | 1.000 | 108 |" in report
    assert "| continents | P205/P30 | basin country / continent | categories | 132 | 1.000 | " in report
    assert "| Aby Lagoon | 780 Q712226 | Ivory Coast | salt water | Africa |" in report
    assert "No estimate: no topic is published yet" in report
    assert "SELECT DISTINCT ?entity" in report
    assert report.count("| adjusted |") == len(outcome.refined.iterations) - 1
    rows = {row["attribute"]: row for row in desk.landed("proposed_attributes")}
    assert (rows["area_km2"]["coverage"], rows["area_km2"]["is_required"]) == (1.0, True)
    assert rows["continents"]["n_values"] > 1


def test_a_refusal_leaves_no_topic_of_an_earlier_day_behind(desk: Desk) -> None:
    accepted = desk.declare(world.concept())
    assert all(path.exists() for path in accepted.files)
    refused = desk.declare(world.concept(), members=1000)
    assert "fewer than the 1000 that are needed" in str(refused.refined.reason)
    assert [path.name for path in accepted.files[0].parent.iterdir()] == ["README.md"]


def test_questions_are_estimated_by_what_built_topics_gave(desk: Desk) -> None:
    with duckdb.connect(str(desk.places.database)) as connection:
        connection.execute("create schema topics; create schema questions")
        connection.execute("create table topics.catalog (topic varchar, kind varchar, coverage double)")
        connection.execute("create table questions.questions (topic varchar, type varchar, family varchar)")
        built = {"a": (4, 10), "b": (4, 20), "c": (5, 30), "d": (3, 40), "e": (5, 50), "far": (9, 900)}
        for topic, (attributes, questions) in built.items():
            connection.execute("insert into topics.catalog select ?, 'number', 0.9 from range(?)", [topic, attributes])
            connection.execute("insert into topics.catalog values (?, 'text', 1), (?, 'number', 0.1)", [topic, topic])
            connection.execute(
                "insert into questions.questions select ?, 'superlative', 'multi_entity' from range(?)",
                [topic, questions],
            )
    outcome = desk.declare(world.concept())
    assert outcome.expected is not None
    # Of four attributes, as of those of the five nearest.
    assert (outcome.expected.by_type, outcome.expected.total) == ({"superlative": 30}, 30)
    assert outcome.expected.topics == ["a", "b", "c", "d", "e"]
    # From the five others: 40 for a's 10, then b, c, d and e, and 30 for the 900.
    off = [30 / 10, 20 / 20, 10 / 30, 10 / 40, 20 / 50, 870 / 900]
    assert outcome.expected.error == pytest.approx(sum(off) / 6)
    report = outcome.files[-1].read_text()
    assert "About 30. This is an estimate and no count" in report
    assert "are off by 99% on average" in report
    assert expected([], desk.folder / "nowhere.duckdb") is None


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain words", "plain words"),
        ("in {value}", "'in {value}'"),
        ("a: b", "'a: b'"),
        ("yes", "'yes'"),
        ("it's: so", '"it\'s: so"'),
        (True, "true"),
        (None, "null"),
        (5, "5"),
    ],
)
def test_scalars_are_plain_where_they_may_be(value: Any, written: str) -> None:
    assert scalar(value) == written
