"""The audit passes a sound database, and finds each way in which a gold answer can be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from scipy import stats

from dagster_defs.steps.audit import AuditReport, audit

CONTINENTS = ("Asia", "Africa", "Europe", "Asia")
LANDS = [
    (
        f"q{i}",
        f"Land {i}",
        1.5 * ((i * 37) % 41) + 0.25,
        float((i * 11) % 40),
        CONTINENTS[i % 4],
        ["en", "fr", "de"][: 1 + i % 3],
    )
    for i in range(40)
]
# far out on one side: a linear correlation, and none of the ranks
LANDS.append(("q40", "Land 40", 900.0, 800.0, "Europe", ["en"]))
BEST = "select label as answer from topics.lands order by area desc limit 1"
SUM = "select sum(area) as answer from topics.lands"
AREAS = {row[0]: row[2] for row in LANDS}
TOTAL = sum(AREAS.values())
SIZES = {name: sum(row[4] == name for row in LANDS) for name in set(CONTINENTS)}


def evidence(*attributes: str, where: str = "true") -> str:
    """The tuples of single-valued attributes of lands."""
    return "\nunion all\n".join(
        f"select entity_id, label as entity, '{name}' as attribute, cast({name} as varchar) as value, null as via"
        f" from topics.lands where {where}"
        for name in attributes
    )


def question(question_id: str, operation: str, gold_sql: str, answer: object, **changes: Any) -> dict[str, Any]:
    """A row of questions.questions about the areas of all lands; `changes` says what is different."""
    is_number = isinstance(answer, int | float) and not isinstance(answer, bool)
    kind = "boolean" if isinstance(answer, bool) else "number" if is_number else "entity"
    return {
        "question_id": question_id, "family": "multi_entity", "template_id": operation, "topic": "lands",
        "operation": operation, "slots": json.dumps({"attribute": "area"}), "attributes": ["lands.area"],
        "entity_count": len(LANDS), "gold_sql": gold_sql, "evidence_sql": evidence("area"), "gold_kind": kind,
        "gold_value": answer if is_number else None, "gold_columns": None, "gold_method": None, "tolerance": 0.0,
        "gold_answer": f"{answer:g}" if is_number else {True: "yes", False: "no"}.get(answer, answer),
    } | changes  # fmt: skip


def correlated(question_id: str, method: str, answer: bool) -> dict[str, Any]:
    sql = f"select {str(answer).lower()} and count(*) > 0 as answer from topics.lands"
    columns = ["area", "height"]
    changes = {"attributes": [f"lands.{c}" for c in columns], "evidence_sql": evidence(*columns), "slots": "{}"}
    return question(question_id, "test", sql, answer, gold_method=method, gold_columns=columns, **changes)


def distribution(question_id: str, counts: dict[str, int], order: str) -> dict[str, Any]:
    sql = (
        f"select to_json(map_from_entries(list((continent, n) order by continent {order}))) as answer"
        " from (select continent, count(*) as n from topics.lands group by continent)"
    )
    text = json.dumps(dict(sorted(counts.items())))
    return question(question_id, "distribution", sql, text, gold_kind="distribution", **about("continent"))


def about(attribute: str, **changes: Any) -> dict[str, Any]:
    """What a question about all values of another attribute says differently."""
    return {
        "slots": json.dumps({"attribute": attribute, **changes}), "attributes": [f"lands.{attribute}"],
        "evidence_sql": evidence(attribute),
    }  # fmt: skip


def sound() -> list[dict[str, Any]]:
    pair = "label in ('Land 1', 'Land 2')"
    one, other = (f"(select area from topics.lands where label = 'Land {n}')" for n in (1, 2))
    change = {"attribute": "area", "entity_id": "q1", "other_id": "q2", "change": {"percent": 50}}
    spoken = f"select entity_id, label as entity, unnest(languages) as value from topics.lands where {pair}"
    shared = f"select value from ({spoken}) group by value having count(*) = 2"
    listed = {"entity_count": 2, "evidence_sql": f"select *, 'languages' as attribute, null as via from ({spoken})"}
    asian = "select count(*) filter (where continent = 'Asia') as answer from topics.lands"
    rows = [
        question("max", "max", BEST, "Land 40"),
        question("count", "count", asian, SIZES["Asia"], **about("continent", value="Asia")),
        question(
            "shared", "shared_value", f"select count(*) > 0 as answer from ({shared})", True,
            **about("languages") | listed,
        ),
        question(
            "exceed", "would_exceed", f"select {one} * (1 + 50 / 100) > {other} as answer",
            AREAS["q1"] * 1.5 > AREAS["q2"],
            slots=json.dumps(change), entity_count=2, evidence_sql=evidence("area", where=pair),
        ),
        correlated("pearsonr", "pearsonr", True),
        correlated("spearmanr", "spearmanr", False),
        distribution("sorted", SIZES, "asc"),
        distribution("unsorted", SIZES, "desc"),
    ]  # fmt: skip
    for n in range(20, 41):
        where = f"entity_id in (select 'q' || range from range({n}))"
        total = sum(AREAS[f"q{i}"] for i in range(n))
        sql = f"select sum(area) as answer from topics.lands where {where}"
        rows.append(
            question(
                f"sum{n}", "sum", sql, total, tolerance=0.01, entity_count=n, evidence_sql=evidence("area", where=where)
            )
        )
    return rows


def unsound() -> list[tuple[str, dict[str, Any]]]:
    """Corrupted questions, each with the check that finds it."""
    without_one = evidence("area", where="entity_id <> 'q3'")
    other_value = evidence("area").replace("cast(area as varchar)", "cast(area + 1 as varchar)")
    other_entity = evidence("area").replace("select entity_id,", "select 'x' || entity_id as entity_id,")
    wrong_size = SIZES | {"Asia": SIZES["Asia"] - 1, "Europe": SIZES["Europe"] + 1}
    return [
        ("gold_sql", question("a wrong entity", "max", BEST, "Land 39")),
        ("gold_sql", question("a wrong number", "sum", SUM, TOTAL + 1, tolerance=0.01)),
        ("gold_sql", question("a number in other words", "sum", SUM, TOTAL, gold_answer=f"{TOTAL:.3f}0")),
        ("gold_sql", question("no such table", "max", "select label as answer from topics.seas", "Land 40")),
        ("gold_sql", question("two rows", "max", BEST.replace("limit 1", "limit 2"), "Land 40")),
        ("gold_sql", question("another column", "max", BEST.replace("as answer", ""), "Land 40")),
        ("gold_sql", question("nothing", "max", "select null as answer", "Land 40")),
        ("gold_sql", question("a number for yes", "shared_value", "select 1 as answer", True)),
        ("gold_sql", question("yes for a number", "count", "select true as answer", 1)),
        ("gold_sql", distribution("a wrong share", wrong_size, "asc")),
        ("entity_count", question("a missing entity", "max", BEST, "Land 40", evidence_sql=without_one)),
        ("entity_count", question("a wrong count", "max", BEST, "Land 40", entity_count=40)),
        ("evidence", question("a wrong value", "max", BEST, "Land 40", evidence_sql=other_value)),
        ("evidence", question("an unknown entity", "max", BEST, "Land 40", evidence_sql=other_entity)),
        ("evidence_sql", question("no evidence", "max", BEST, "Land 40", evidence_sql="select 1")),
        ("derivation", question("a wrong operation", "min", BEST, "Land 40")),
        ("derivation", question("an unknown operation", "mode", BEST, "Land 40")),
        ("derivation", correlated("a wrong test", "spearmanr", True)),
        ("derivation", question("a wrong slot", "max", BEST, "Land 40", slots='{"attribute": "height"}')),
    ]  # fmt: skip


def literal() -> list[dict[str, Any]]:
    """A template whose queries repeat the answer instead of asking for it."""
    return [
        question(f"literal{n}", "sum", f"select {TOTAL!r} as answer", TOTAL, tolerance=0.01, template_id="literal")
        for n in range(24)
    ]


def written(path: Path, questions: list[dict[str, Any]]) -> Path:
    with duckdb.connect(str(path)) as con:
        con.execute("""
            create schema topics;
            create schema questions;
            create table topics.lands (
                entity_id varchar, label varchar, area double, height double, continent varchar, languages varchar[]
            );
            create table topics.catalog (topic varchar, attribute varchar, kind varchar);
            insert into topics.catalog values
                ('lands', 'area', 'number'), ('lands', 'height', 'number'), ('lands', 'continent', 'category'),
                ('lands', 'languages', 'category');
            create table questions.questions (
                question_id varchar, family varchar, template_id varchar, topic varchar, operation varchar, slots json,
                attributes varchar[], entity_count integer, gold_sql varchar, evidence_sql varchar, gold_kind varchar,
                gold_value double, gold_columns varchar[], gold_method varchar, tolerance double, gold_answer varchar
            )
        """)
        con.executemany("insert into topics.lands values (?, ?, ?, ?, ?, ?)", LANDS)
        con.execute("""
            create table topics.entity_attributes as
                select 'lands' as topic, entity_id, 'area' as attribute, area as value_num, null::varchar as value_text,
                    null::date as value_date
                from topics.lands
                union all select 'lands', entity_id, 'height', height, null, null from topics.lands
                union all select 'lands', entity_id, 'continent', null, continent, null from topics.lands
                union all select 'lands', entity_id, 'languages', null, unnest(languages), null from topics.lands
        """)
        for row in questions:
            marks = ", ".join("?" for _ in row)
            con.execute(f"insert into questions.questions ({', '.join(row)}) values ({marks})", list(row.values()))
    return path


def test_the_two_correlations_differ_here() -> None:
    x, y = [row[2] for row in LANDS], [row[3] for row in LANDS]
    assert stats.pearsonr(x, y).pvalue < 0.05 < stats.spearmanr(x, y).pvalue


def test_a_sound_database_passes(tmp_path: Path) -> None:
    report = audit(written(tmp_path / "sound.duckdb", sound()), workers=2)
    assert report.faults == []
    assert report.counts == {"executed": len(sound()), "derived": len(sound())}
    moved, asked = report.changed["sum"]
    assert moved == asked == 21


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    questions = [*sound(), *(broken for _, broken in unsound()), *literal()]
    return audit(written(tmp_path_factory.mktemp("audit") / "unsound.duckdb", questions), workers=1)


@pytest.mark.parametrize(("check", "name"), [(check, broken["question_id"]) for check, broken in unsound()])
def test_each_corruption_is_found(report: AuditReport, check: str, name: str) -> None:
    found = [(fault.check, fault.detail) for fault in report.faults if fault.question_id == name]
    assert [kind for kind, _ in found] == [check]
    assert found[0][1]


def test_a_template_that_repeats_its_answers_is_found(report: AuditReport) -> None:
    assert [fault.question_id for fault in report.faults if fault.check == "redrawn"] == ["literal"]


def test_nothing_else_is_found(report: AuditReport) -> None:
    assert {fault.question_id for fault in report.faults} == {broken["question_id"] for _, broken in unsound()} | {
        "literal"
    }


def formula(question_id: str, **changes: Any) -> dict[str, Any]:
    """A deep-research question about one land."""
    sql = "select 100 * max(area) filter (where entity_id = 'q1') as answer from topics.lands"
    given = {"family": "deep_research", "entity_count": 1, "evidence_sql": evidence("area", where="entity_id = 'q1'")}
    return question(question_id, "formula", sql, 100 * AREAS["q1"], **given | changes)


def test_a_formula_is_run_again_and_its_inputs_are_the_topics_own(tmp_path: Path) -> None:
    elsewhere = evidence("area", where="entity_id = 'q1'").replace("cast(area as varchar)", "'3.5'")
    asked = [
        formula("sound"),
        formula("another gold", gold_value=1.0, gold_answer="1"),
        formula("foreign input", evidence_sql=elsewhere),
        formula("one too many", evidence_sql=evidence("area", where="entity_id in ('q1', 'q2')")),
    ]
    report = audit(written(tmp_path / "formula.duckdb", asked), workers=1)
    assert {(fault.question_id, fault.check) for fault in report.faults} == {
        ("another gold", "gold_sql"), ("foreign input", "evidence"), ("one too many", "entity_count"),
    }  # fmt: skip
    assert report.counts == {"executed": 4, "evidence": 3}
