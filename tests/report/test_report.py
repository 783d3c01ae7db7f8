"""The written page: what it holds, how large it grows, and what stops it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.report import payload, write_report
from dagster_defs.steps.report.data import EVIDENCE_ROWS, read_report
from dagster_defs.steps.report.page import _script, render
from dagster_defs.steps.report.tables import boards, labelled_runs
from ingest.errors import IngestError
from tests.report import world


class Elements(HTMLParser):
    """The elements of a page, and its visible text outside scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._hidden = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data


def unpacked(page: Path, name: str) -> Any:
    """The JSON in one of the page's packed blocks."""
    found = re.search(rf'<script type="application/gzip" id="{name}">([^<]*)</script>', page.read_text())
    assert found, name
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def details(page: Path) -> dict[str, dict[str, Any]]:
    """What every question's row unfolds, by its id, with its evidence in place."""
    index = unpacked(page, "index")
    found = {}
    for number in range(-(-len(index["id"]) // index["size"])):
        part = unpacked(page, f"part-{number}")
        for place, unfolded in enumerate(part["questions"]):
            listed = part["evidence"][unfolded["evidence"]] if unfolded["evidence"] >= 0 else None
            found[index["id"][number * index["size"] + place]] = unfolded | {"evidence": listed}
    return found


def query(database: Path, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query on a database."""
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_every_question_unfolds_its_own_sql_and_the_first_of_its_evidence(database: Path, page: Path) -> None:
    found = details(page)
    asked = query(database, "select question_id, gold_sql, evidence_sql from questions.questions")
    assert len(found) == len(asked) == 90
    for question_id, gold_sql, evidence_sql in asked:
        unfolded = found[question_id]
        assert (unfolded["gold_sql"], unfolded["evidence_sql"]) == (gold_sql, evidence_sql)
        rows = [[entity, attribute, str(value)] for _, entity, attribute, value, _ in query(database, evidence_sql)]
        assert unfolded["evidence"] == {"total": len(rows), "tuples": rows[:EVIDENCE_ROWS]}
    assert {unfolded["evidence"]["total"] for unfolded in found.values()} == {4, 40, 400}


def test_every_answer_stands_at_its_question_with_its_verdict(database: Path, page: Path) -> None:
    labels = [run["label"] for run in unpacked(page, "index")["runs"]]
    assert labels[0] == "river-70b, oracle"
    told = query(
        database,
        "select question_id, model, setting, sample, outcome, if(not scored, '-', if(correct, '1', '0'))"
        " from runs.answers join runs.verdicts using (run_id, question_id, sample)",
    )
    expected = {
        (question, f"{model}, {setting.replace('_', ' ')}", sample): (outcome, verdict)
        for question, model, setting, sample, outcome, verdict in told
    }
    found = {
        (question, labels[run], sample): (outcome, verdict)
        for question, unfolded in details(page).items()
        for run, sample, outcome, verdict, *_ in unfolded["answers"]
    }
    assert found == expected
    assert len(found) == 90 * 5 * 2


def test_page_loads_nothing_and_runs_its_own_scripts_alone(page: Path) -> None:
    tags = Elements(page.read_text()).tags
    scripts = [attributes for tag, attributes in tags if tag == "script"]
    assert [s.get("type") for s in scripts] == ["application/json", "application/gzip", "application/gzip", None, None]
    loaded = [
        value for _, attributes in tags for name, value in attributes.items() if name in ("src", "srcset", "href")
    ]
    assert all(value is not None and value.startswith(("#", "data:,")) for value in loaded)
    (policy,) = [a["content"] for tag, a in tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.count("'sha256-") == 2
    assert "unsafe-eval" not in policy


def test_text_of_the_data_is_text_on_the_page(page: Path, database: Path) -> None:
    assert any(world.SCRIPT in question for question in unpacked(page, "index")["question"])
    assert world.SCRIPT not in page.read_text()
    elements = Elements(page.read_text())
    assert "facts <b>hold</b>" in elements.text
    assert not {"b", "i", "img"} & {tag for tag, _ in elements.tags}


def test_names_of_models_and_types_cannot_leave_their_place(database: Path, quality: Path) -> None:
    report = read_report(database, quality)
    breaking = "</script><script>alert(1)</script>"

    def renamed(table: str, column: str) -> list[dict[str, Any]]:
        return [dict(row) | {column: f"{row[column]}{breaking}"} for row in report.tables[table]]

    changed = {"scores.leaderboard": renamed("scores.leaderboard", "model")}
    changed |= {"questions.questions": renamed("questions.questions", "type")}
    changed |= {"scores.by_model": renamed("scores.by_model", "slice")}
    before, after = (
        Elements(render(shown, "/* none */"))
        for shown in (report, replace(report, tables={**report.tables, **changed}))
    )
    assert [tag for tag, _ in after.tags if tag == "script"] == [tag for tag, _ in before.tags if tag == "script"]
    assert f"river-70b{breaking}" in after.text


def test_script_that_would_end_early_is_refused() -> None:
    for text in ("a = '</SCRIPT>'", "a = '<!-- '", "a = '<script>'"):
        with pytest.raises(ValueError, match="end it early"):
            _script(text)


def test_leaderboard_names_intervals_ties_costs_and_pairs_tuned_with_base(page: Path) -> None:
    text = re.sub(r"\s+", " ", Elements(page.read_text()).text)
    assert "1 river-70b oracle 91.2 85.2–97.2" in text
    assert "tuned from river-8b" in text
    assert "river-8b-tunedriver-8brag 45.268.4 +23.2 0.008" in text
    assert "$0.031" in text
    assert "no price" in text
    assert "5 models" not in text
    assert "Multi-entity, both splits; 90 questions drawn evenly over the types" in text


def test_page_without_a_run_says_how_to_get_one(bare_page: Path) -> None:
    text = re.sub(r"\s+", " ", Elements(bare_page.read_text()).text)
    assert "No model has been assayed yet: make demo-models" in text
    assert "No verdicts of the gates lie beside the database" in text
    assert "Outcomes" not in text
    assert "Runs right" not in text


def test_rejections_are_counted_and_explained(page: Path) -> None:
    text = re.sub(r"\s+", " ", Elements(page.read_text()).text)
    assert "38 candidates were turned down" in text
    assert re.search(r"low power ?· ?· ?30 ?30", text)
    assert "under 30 for normality, or under 5 in a group." in text


def test_what_people_found_stands_on_the_page(page: Path) -> None:
    written = page.read_text().partition('<section id="review"')[2].partition("</section>")[0]
    section = " ".join(re.sub(r"<[^>]+>", " ", written).split())
    assert "all 39 1 94.9 83.1–98.7 97.4 86.8–99.6" in section
    assert section.index("all 39") < section.index("superlative")
    assert "valid 40 90.0 0.61" in section
    assert "Withdrawn from exports: other (1), stale data (1)." in section


def test_page_without_a_review_says_how_to_get_one(bare_page: Path) -> None:
    assert "Nobody has reviewed these questions yet" in Elements(bare_page.read_text()).text


def test_same_data_give_the_same_bytes(database: Path, page: Path, quality: Path, cache: Path, tmp_path: Path) -> None:
    again = write_report(database, tmp_path / "again.html", quality, cache)
    assert again.read_bytes() == page.read_bytes()


def test_database_from_before_any_run_will_do(tmp_path: Path, cache: Path) -> None:
    database = world.write(tmp_path / "assay.duckdb", world.questions(12), runs=False)
    with duckdb.connect(str(database)) as connection:
        connection.execute("drop schema runs cascade; drop schema scores cascade; drop table questions.rejections")
    page = write_report(database, tmp_path / "page.html", tmp_path, cache)
    assert len(details(page)) == 12


def test_evidence_that_cannot_be_run_or_reads_a_file_is_left_out_alone(tmp_path: Path, quality: Path) -> None:
    outside = tmp_path / "secret.csv"
    outside.write_text("entity,attribute,value\na,b,c\n")
    questions = world.questions(6)
    questions[2]["evidence_sql"] = "select nonsense from nowhere"
    questions[3]["evidence_sql"] = f"select * from read_csv('{outside}')"
    questions[4]["evidence_sql"] += " ;\n"
    questions[5]["evidence_sql"] += " -- a remark"
    report = read_report(world.write(tmp_path / "assay.duckdb", questions), quality)
    kept = {row["question_id"] for row in report.questions if row["evidence_sql"] in report.evidence}
    assert kept == {"q00000", "q00001", "q00004", "q00005"}
    assert report.evidence[questions[5]["evidence_sql"]].total == 400


@pytest.mark.parametrize("broken", ["no database", "no questions", "verdict", "full"])
def test_page_that_cannot_be_written_leaves_the_old_one(
    broken: str, database: Path, quality: Path, cache: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page" / "index.html"
    page.parent.mkdir()
    page.write_text("old")
    gates = tmp_path / "quality"
    gates.mkdir()
    if broken == "no database":
        database = tmp_path / "none.duckdb"
    elif broken == "no questions":
        database = tmp_path / "empty.duckdb"
        duckdb.connect(str(database)).close()
    elif broken == "verdict":
        (gates / "facts.json").write_text('{"room": ')
    else:
        # a folder in the page's place: it can't be replaced by a file
        page.unlink()
        page.mkdir()
        (page / "kept").write_text("old")
    with pytest.raises((RunError, IngestError)):
        write_report(database, page, gates, cache)
    assert (page / "kept" if broken == "full" else page).read_text() == "old"
    assert [path.name for path in page.parent.iterdir()] == ["index.html"]


def test_page_of_5500_questions_with_20_tuples_each_stays_below_15_mb(tmp_path: Path, cache: Path) -> None:
    questions = world.questions(5500)
    for number, question in enumerate(questions):
        # values that nothing can make smaller than they are
        question["evidence_sql"] = (
            f"select entity_id, label as entity, 'depth_m' as attribute, md5(label || '{number}') as value, null as via"
            f"\nfrom topics.lakes\nwhere depth_m <> {50 + number}"
        )
    database = world.write(tmp_path / "assay.duckdb", questions, samples=1)
    page = write_report(database, tmp_path / "page.html", tmp_path, cache)
    assert page.stat().st_size < 15_000_000
    index = unpacked(page, "index")
    assert len(index["id"]) == 5500
    (*_, last) = details(page).values()
    assert len(last["evidence"]["tuples"]) == 20
    assert len(last["answers"]) == 5


def test_answers_give_way_first_and_evidence_after_them(database: Path, quality: Path) -> None:
    report = read_report(database, quality)
    long = replace(
        report, answers=[row | {"parsed": None, "answer_text": row["question_id"] * 80} for row in report.answers]
    )
    runs = labelled_runs(report)
    whole = payload.pack(long, runs)
    assert (whole.answer_chars, whole.evidence_rows) == (400, 20)
    cut = payload.pack(long, runs, budget=whole.size - 1)
    assert cut.answer_chars < 400
    assert cut.evidence_rows == 20
    least = payload.pack(long, runs, budget=1)
    assert (least.answer_chars, least.evidence_rows) == (0, 0)
    assert least.size < cut.size < whole.size


def test_page_says_what_was_left_out(database: Path, quality: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload.pack, "__defaults__", (1,))
    text = Elements(render(read_report(database, quality), "")).text
    assert "left out; they stand in runs.answers" in text
    assert "The tuples of the evidence are too many for this page" in text


def test_runs_of_different_question_sets_stand_apart(database: Path, quality: Path) -> None:
    report = read_report(database, quality)
    listed = [dict(row) for row in report.tables["scores.leaderboard"]]
    changed = {"question_set": '{"topics": ["bright_stars"]}', "n_questions_wanted": 30, "is_current": False}
    other = listed[0] | {"run_id": "river-70b--oracle--ffff"} | changed
    both = replace(report, tables={**report.tables, "scores.leaderboard": [*listed, other]})
    runs = labelled_runs(both)
    assert sorted(run["label"] for run in runs if run["model"] == "river-70b") == [
        "river-70b, oracle (0123456789ab)",
        "river-70b, oracle (ffff)",
        "river-70b, rag",
    ]
    found = boards(both, runs)
    assert [len(board["runs"]) for board in found] == [5, 1]
    assert found[1]["title"].startswith("multi-entity, both splits; 30 questions; topics: bright stars")
    assert found[1]["note"] == f"Asked of an earlier snapshot, {other['snapshot_id']}."
    of_variant = other | {"snapshot_id": "sample-1+counterfactual-2"}
    varied = replace(both, tables={**both.tables, "scores.leaderboard": [of_variant]})
    (board,) = boards(varied, labelled_runs(varied))
    assert board["note"] == "Asked of the variant counterfactual-2 of sample-1."
    narrow = {"densities": ["low"], "wording": "refined", "texts": "0123456789ab"}
    worded = replace(both, tables={**both.tables, "scores.leaderboard": [other | {"question_set": json.dumps(narrow)}]})
    (board,) = boards(worded, labelled_runs(worded))
    assert board["title"].endswith("; 30 questions; densities: low; refined wording 0123456789ab")
    ids = [chart["id"] for board in found for chart in board["charts"]]
    assert len(ids) == len(set(ids)) == 2


@given(st.lists(st.sampled_from("10-"), max_size=9))
def test_question_is_right_when_more_than_half_of_its_scored_samples_are(verdicts: Sequence[str]) -> None:
    scored = [verdict == "1" for verdict in verdicts if verdict != "-"]
    expected = " " if not verdicts else "-" if not scored else "1" if sum(scored) / len(scored) > 0.5 else "0"
    assert payload.majority(verdicts) == expected


@pytest.mark.parametrize(
    ("parsed", "text", "said"),
    [
        ('{"answer": 292.9, "unit": "kilojoules per mole"}', "x", "292.9 kilojoules per mole"),
        ('{"answer": "Peru", "unit": null}', "x", "Peru"),
        ('{"answer": ["Peru", "Chad"], "unit": null}', "x", '["Peru", "Chad"]'),
        ('{"answer": {"é": 3}}', "x", '{"é": 3}'),
        ('{"columns": ["a", "b"], "method": "pearsonr", "answer": "yes"}', "x", "yes; pearsonr; a, b"),
        ('{"columns": null, "method": null, "answer": "no"}', "x", "no"),
        ("[1, 2]", "x", "[1, 2]"),
        ('"Lima"', "x", "Lima"),
        (None, "I can't say.", "I can't say."),
        (None, None, ""),
    ],
)
def test_answer_reads_as_a_person_would_write_it(parsed: str | None, text: str | None, said: str) -> None:
    assert payload.said({"parsed": parsed, "answer_text": text}) == said
