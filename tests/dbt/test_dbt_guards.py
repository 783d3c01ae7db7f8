"""Each mistake in a topic, and a missing landing, ends dbt with one sentence: what is wrong, where, how to mend it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.dbt import scenario, topics
from tests.dbt.project import Project

Topic = tuple[str, str]

# What is wrong: (the file, a text in it, the text that replaces it, words of the sentence).
MISTAKES = {
    "unknown key of a column": (
        "countries.yml",
        "adjective: large",
        "adjectve: large",
        "Unknown key adjectve in the meta of the column area_km2",
    ),
    "unknown kind": (
        "countries.yml",
        "kind: number, path: P2046",
        "kind: numeric, path: P2046",
        "Unknown kind numeric of the column area_km2",
    ),
    "kind and type differ": (
        "countries.yml",
        "data_type: date\n",
        "data_type: varchar\n",
        "does not fit its kind date: use date",
    ),
    "unknown adjective": ("countries.yml", "adjective: large", "adjective: wide", "Unknown adjective wide"),
    "no phrase": ("countries.yml", "phrase: area, ", "", "No phrase for the column area_km2"),
    "unknown article": ("countries.yml", "phrase: area, ", "phrase: area, article: one, ", "Unknown article one"),
    "scope without value": ("countries.yml", "'in {value}'", "in Europe", "says no value: put {value} into it"),
    "scope without century": (
        "countries.yml",
        "'founded in the {century}'",
        "of old",
        "says no value: put {century} into it",
    ),
    "scope of a plain number": ("countries.yml", "additive: true}", "scope: 'of {century}'}", "makes no scope"),
    "member without value": ("countries.yml", "'are in {value}'", "are there", "says no value: put {value} into it"),
    "via no column": (
        "countries.yml",
        "phrase: area, ",
        "phrase: area, via: land, ",
        "names no column: land is not among",
    ),
    "date of no attribute": (
        "countries.yml",
        "name: population_as_of",
        "name: people_as_of",
        "is not selected in models/topics/countries.sql",
    ),
    "path that is none": ("countries.yml", "path: P2046", "path: area", "The path area of the column area_km2"),
    "hops beside a path": ("countries.yml", "path: P2046", "path: P2046, hops: 2", "are 2, but its path P2046 has 1"),
    "path not landed": ("countries.yml", "P1813, P2046, P2131", "P1813, P2131", "The property P2046 of the path P2046"),
    "column not selected": (
        "countries.yml",
        "- {name: latitude,",
        "- {name: lat,",
        "The column lat in models/topics/countries.yml is not selected",
    ),
    "unknown key of the model": (
        "countries.yml",
        "        topic:",
        "        topics:",
        "Unknown key topics in config.meta of countries",
    ),
    "unknown key of the source": (
        "countries.yml",
        "          properties:",
        "          props:",
        "Unknown key props in meta.source",
    ),
    "no plural": ("countries.yml", ", plural: countries}", "}", "has no meta.topic.plural"),
    "class not landed": (
        "countries.sql",
        "classes=['Q6256']",
        "classes=['Q3624078']",
        "The class Q3624078 in models/topics/countries.sql is not landed",
    ),
    "property not landed": (
        "countries.sql",
        "number('P2046')",
        "number('P2047')",
        "The property P2047 of the path P2047 in models/topics/countries.sql",
    ),
    "property of a source not landed": (
        "countries.sql",
        "number('P2046')",
        "number('first:epss')",
        "The property first:epss of the path first:epss in models/topics/countries.sql",
    ),
    "unit not listed": (
        "countries.sql",
        "number('P2046', unit='Q232291')",
        "number('P2046', unit='Q999')",
        "The unit Q999 of the path P2046 for the column area_sq_mi in models/topics/countries.sql is not listed",
    ),
    "unit of a filter not listed": (
        "countries.yml",
        "classes: [Q6256]",
        "classes: [Q6256]\n          filters: [{property: P1082, min: 1, unit: Q999}]",
        "The unit Q999 of the filter on P1082 in models/topics/countries.yml is not listed",
    ),
    "hop not followed": ("cities.sql", ", hops=['P17']", "", "add 'P17' to its hops"),
    "hop not landed": ("cities.yml", "P17: [P30, P2046]", "P17: [P30]", "add it to meta.source.hops.P17"),
}


def topic_name(mistake: str) -> str:
    return mistake.replace(" ", "_")


def spoilt(mistake: str) -> Topic:
    """The topic's SQL and yml with the mistake in it, under the mistake's name."""
    file, old, new, _ = MISTAKES[mistake]
    topic, suffix = file.split(".")
    sql, yml = {"countries": topics.COUNTRIES, "cities": topics.CITIES}[topic]
    assert old in (sql if suffix == "sql" else yml)
    if suffix == "sql":
        sql = sql.replace(old, new, 1)
    else:
        yml = yml.replace(old, new, 1)
    return sql, yml.replace(f"name: {topic}", f"name: {topic_name(mistake)}", 1)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the guard says of a project that has every mistake, each in a topic of its own, and a good topic."""
    lakes = (topics.CITIES_SQL, topics.CITIES_YML.replace("name: cities", "name: lakes"))
    others = {"countries": topics.COUNTRIES, "cities": topics.CITIES, "lakes": lakes}
    bad = {topic_name(mistake): spoilt(mistake) for mistake in MISTAKES}
    registered = ["lakes", "cities", "cities", *bad]
    project = Project.create(tmp_path_factory.mktemp("guards"), others | bad, registered)
    outcome = project.dbt("run-operation", "check_topics")
    assert not outcome.success
    return sentences(outcome.messages)


def sentences(messages: str) -> list[str]:
    """The guard's sentences in dbt's message: what stands between dbt's heading and its stack of macros."""
    heading = r"^.*Compilation Error in .*\n"
    return [
        line.strip()
        for line in re.split(heading, messages, maxsplit=1, flags=re.MULTILINE)[1].splitlines()
        if line[2:3] > ">"
    ]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_topic_is_one_sentence(said: list[str], mistake: str) -> None:
    name = topic_name(mistake)
    topic = MISTAKES[mistake][0].split(".")[0]
    about = [line for line in said if re.search(rf"\b{name}\b", line)]
    assert len(about) == 1
    assert MISTAKES[mistake][3].replace(topic, name) in about[0]
    assert about[0].endswith(".")
    assert f"models/topics/{name}." in about[0]


def test_nothing_is_said_of_a_good_topic(said: list[str]) -> None:
    assert not [line for line in said if "lakes" in line]


def test_a_topic_nobody_registered_prints_the_missing_line(said: list[str]) -> None:
    assert said[0] == (
        "The topic countries (models/topics/countries.sql) is not registered: "
        "add the line '    - countries' under vars: topics: in dbt_project.yml."
    )


def test_a_topic_registered_twice_is_named(said: list[str]) -> None:
    assert said[1] == (
        "The topic cities is registered twice: leave one line '- cities' under vars: topics: in dbt_project.yml."
    )


def test_a_registered_topic_without_a_model_is_named(tmp_path: Path) -> None:
    project = Project.create(tmp_path, {"countries": topics.COUNTRIES}, registered=["countries", "lakes"])
    outcome = project.dbt("run-operation", "check_topics")
    assert not outcome.success
    assert "'lakes'" in outcome.messages


def test_a_missing_landing_stops_a_run_and_an_unlisted_unit_its_topic(tmp_path: Path) -> None:
    sql, yml = topics.COUNTRIES
    # A unit that Jinja writes is known to no guard before the model runs.
    sql = "{% set unit = 'Q999' %}" + sql.replace("'Q232291'", "unit")
    project = Project.create(tmp_path, {"countries": (sql, yml)})
    [missing] = sentences(project.dbt("run").messages)
    assert missing.startswith("No landed file in")
    assert "run the ingest first" in missing
    scenario.landing().write(project.data_dir)
    outcome = project.dbt("build", "--select", "+countries", "--exclude-resource-type", "test")
    assert not outcome.success
    said = "The unit Q999 of the path P2046 in models/topics/countries.sql is not listed: add it to seeds/units.csv"
    assert f"{said} or use a listed one." in outcome.messages
