"""Made-up topics, minted as the project mints them: the statistics are scipy's and the answers hold."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.steps.audit import audit
from tests.questions import engine
from tests.questions.recompute import recomputed, wide
from tests.questions.world import Topic, sample_topic, settle

TOPICS: dict[str, Topic] = {
    "places": sample_topic(1, 160),
    "farms": sample_topic(2, 70, offset=1e4),
    "mines": sample_topic(3, 35, offset=-500),
}


def minted(path: Path, topics: dict[str, Topic], threads: int) -> Path:
    with duckdb.connect(str(path)) as con:
        con.execute(f"set threads = {threads}")
        engine.load_seeds(con)
        settle(con, topics)
        engine.build(con)
    return path


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return minted(tmp_path_factory.mktemp("minted") / "assay.duckdb", TOPICS, threads=2)


@pytest.fixture(scope="module")
def con(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(database), read_only=True) as connection:
        yield connection


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    done = con.execute(sql)
    names = [column[0] for column in done.description]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]


def critical(con: duckdb.DuckDBPyConnection, method: str, df: tuple[int, ...]) -> float:
    """The 5% point that the SQL takes: the tabulated one at or below the degrees of freedom."""
    name = {"pearsonr": "t", "spearmanr": "t", "levene": "f", "f_oneway": "f"}.get(method, "chi2")
    df1, df2 = (*df, 0)[:2]
    ((point,),) = con.execute(
        "select max_by(critical, df2) from questions.critical_values where distribution = ? and df1 = ? and df2 <= ?",
        [name, int(df1), int(df2)],
    ).fetchall()
    return float(point)


@pytest.fixture(scope="module")
def tested(con: duckdb.DuckDBPyConnection) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Candidate tests, accepted or not, beside what scipy says of their evidence."""
    questions = rows(
        con,
        "select * from multi_entity.judged where operation = 'test' and margin is not null"
        " qualify row_number() over (partition by template_id, reason order by question_id) <= 8",
    )
    assert len(questions) > 150
    numbers = {name for name, meta in TOPICS["places"][1].items() if meta["kind"] == "number"}
    return [(q, recomputed(q, wide(con.execute(q["evidence_sql"]).fetchall(), numbers))) for q in questions]


def test_every_statistic_is_that_of_scipy(
    con: duckdb.DuckDBPyConnection, tested: list[tuple[dict[str, Any], dict[str, Any]]]
) -> None:
    for question, found in tested:
        point = critical(con, question["gold_method"], found["df"])
        above = (question["gold_answer"] == "yes") != (question["gold_method"] in ("jarque_bera", "chisquare"))
        statistic = point * (1 + question["margin"] * (1 if above else -1))
        assert statistic == pytest.approx(found["statistic"], rel=1e-9, abs=1e-9 * point), question["question"]


def test_every_answer_is_that_of_scipy(tested: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    for question, found in tested:
        rejected = found["p"] < 0.05
        yes = not rejected if question["gold_method"] in ("jarque_bera", "chisquare") else rejected
        assert question["gold_answer"] == ("yes" if yes else "no"), question["question"]


def test_a_test_is_turned_down_where_it_is_weak_or_hangs_on_the_method(
    tested: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    seen = defaultdict(int)
    for question, found in tested:
        if question["reason"] in ("missing_values", "degenerate"):
            continue
        n = question["entity_count"]
        weak = n < (30 if question["gold_method"] == "jarque_bera" else 20) or found.get("smallest", 5) < 5
        disagree = found.get("expected", 5) < 5 or (found["p"] < 0.05) != (found.get("other_p", found["p"]) < 0.05)
        reason = "low_power" if weak else "method_dependent" if disagree else None
        if reason is None:
            assert question["reason"] not in ("low_power", "method_dependent"), question["question"]
            assert (question["reason"] == "tie") == (question["margin"] < 0.05), question["question"]
        else:
            assert question["reason"] == reason, question["question"]
        seen[question["gold_method"], reason] += 1
    assert len({method for method, reason in seen if reason is None}) == 7
    assert {reason for _, reason in seen} == {"low_power", "method_dependent", None}


def test_the_audit_finds_no_fault(database: Path, con: duckdb.DuckDBPyConnection) -> None:
    report = audit(database, workers=1)
    assert report.faults == []
    ((questions, templates),) = con.execute(
        "select count(*), count(distinct template_id) from questions.questions"
    ).fetchall()
    assert report.counts["executed"] == report.counts["derived"] == questions > 500
    assert len(report.changed) == templates >= 25


def test_every_wording_is_filled_in(con: duckdb.DuckDBPyConnection) -> None:
    """Whatever wording the hash picks: all placeholders are known to the template, and none leaves a gap."""
    names = [
        name
        for (name,) in con.execute("select table_name from duckdb_columns() where column_name = 'words'").fetchall()
    ]
    listed = " union all by name ".join(f"select template_id, words from multi_entity.{name}" for name in names)
    text = engine.rendered("{{ render('wording.wording', 'candidates.words') }}")
    found = con.execute(
        f"select distinct wording.template_id, wording.wording_id, {text} as question from ({listed}) as candidates"
        " inner join seeds.wordings as wording on candidates.template_id = wording.template_id"
    ).fetchall()
    ((wordings,),) = con.execute("select count(*) from seeds.wordings").fetchall()
    assert len({(template, wording) for template, wording, _ in found}) == wordings
    faulty = [text for _, _, text in found if set("{}") & set(text) or "  " in text or " ?" in text or " ," in text]
    assert faulty == []


def test_hypotheticals_are_percent_changes_in_the_minority(con: duckdb.DuckDBPyConnection) -> None:
    slots = con.execute("select slots from questions.questions where type = 'hypothetical_scenarios'").fetchall()
    percent = ["percent" in json.loads(text)["change"] for (text,) in slots]
    assert 0 < sum(percent) <= len(percent) / 2


def test_the_order_of_rows_and_the_number_of_threads_do_not_show(
    con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """Two builds of the same facts give the same bytes."""
    mixed = {name: (table.sample(frac=1, random_state=7), meta) for name, (table, meta) in reversed(TOPICS.items())}
    again = minted(tmp_path / "again.duckdb", mixed, threads=1)
    with duckdb.connect(str(again), read_only=True) as other:
        for table in ("questions", "rejections"):
            sql = f"select cast({table} as varchar) from questions.{table} order by question_id"
            one, two = (connection.execute(sql).fetchall() for connection in (con, other))
            assert one == two, table
