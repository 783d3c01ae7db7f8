"""Sheets are blinded, the same questions for each annotator in an order of their own, and never overwritten."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import duckdb
import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.review import rows as landing
from dagster_defs.steps.review.fields import ANSWERS, QUESTIONS, Kind
from dagster_defs.steps.review.items import gold_text
from dagster_defs.steps.review.sheets import Written, write_sheets
from tests.report import world as report_world
from tests.review import world


def write(
    database: Path, folder: Path, kind: Kind = QUESTIONS, n: int = 20, seed: int = 0, annotators: int = 2
) -> Written:
    return write_sheets(database, folder / "landing", folder / "review", kind, n, seed, annotators)


def test_each_annotator_has_the_same_questions_in_another_order(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path, annotators=3)
    assert [path.name for path in written.files] == ["a.csv", "a.html", "b.csv", "b.html", "c.csv", "c.html"]
    tables = [world.table(path) for path in written.files[::2]]
    orders = [[row["item"] for row in table] for table in tables]
    assert len({tuple(order) for order in orders}) == 3
    assert len({frozenset(order) for order in orders}) == 1
    assert len(set(orders[0])) == written.items == 20
    assert {row["sheet"] for row in tables[1]} == {f"{written.sheet_id}-b"}
    assert all(path.read_text().find(item) > 0 for path in written.files for item in orders[0])


def test_a_form_shows_its_questions_in_the_order_of_the_table(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path)
    form = written.files[1].read_text()
    places = [form.index(f'data-item="{row["item"]}"') for row in world.table(written.files[0])]
    assert places == sorted(places)


def test_the_same_seed_writes_the_same_sheet_elsewhere(database: Path, tmp_path: Path) -> None:
    one, other = write(database, tmp_path / "one"), write(database, tmp_path / "other")
    assert one.sheet_id == other.sheet_id
    assert [path.read_bytes() for path in one.files] == [path.read_bytes() for path in other.files]
    assert write(database, tmp_path / "one", seed=1).sheet_id != one.sheet_id
    assert write(database, tmp_path / "one", n=21).sheet_id != one.sheet_id


def test_a_row_shows_question_gold_and_evidence(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path, n=90)
    by_question = {row["question"]: row for row in world.table(written.files[0])}
    row = by_question["Question 2: what is the greatest depth of the lakes of group 2, in metres?"]
    assert row["facts_as_of"] == "2026-11-30"
    assert int(row["evidence_count"]) > 300
    facts = row["evidence"].split("\n")
    assert len(facts) == 12
    assert facts[0] == "Lake 1 | greatest depth (metres) | 1"


def test_the_landed_sheet_knows_what_each_item_is(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path)
    rows = landing.landed(tmp_path / "landing", "sheets", written.sheet_id)
    by_item = {row["item"]: row for row in world.table(written.files[0])}
    assert set(by_item) == {row["item"] for row in rows}
    for row in rows:
        assert by_item[row["item"]]["question"] == row["question"]
        assert row["question_id"].startswith("q0")
        assert row["run_id"] is row["sample"] is None
        assert row["written_at"].tzinfo == dt.UTC or row["written_at"].utcoffset() == dt.timedelta(0)


@pytest.mark.parametrize("kind", [QUESTIONS, ANSWERS], ids=lambda kind: kind.name)
def test_nothing_tells_what_an_annotator_must_not_know(kind: Kind, tmp_path: Path) -> None:
    database = world.published(tmp_path / "assay.duckdb", world.hidden_questions(), runs=True)
    with duckdb.connect(str(database)) as connection:
        for table in ("runs.answers", "runs.verdicts", "runs.runs"):
            connection.execute(f"update {table} set run_id = '{world.HIDDEN}' || run_id")
        connection.execute(f"update runs.answers set model = '{world.HIDDEN}', setting = '{world.HIDDEN}'")
        connection.execute(f"update runs.verdicts set detail = '{world.HIDDEN}'")
        connection.execute("update runs.answers set answer_text = 'said: ' || sample where answer_text is not null")
    written = write(database, tmp_path, kind, n=30)
    for path in written.files:
        text = path.read_text()
        assert world.HIDDEN not in text
        assert not any(word in text for word in ("superlative", "aggregation", "river-70b", "oracle", "closed_book"))
        other = "b" if path.stem == "a" else "a"
        assert f"{written.sheet_id}-{other}" not in text


def test_answers_are_shown_as_they_are(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path, ANSWERS, n=40)
    with duckdb.connect(str(database), read_only=True) as connection:
        said = {text for (text,) in connection.execute("select answer_text from runs.answers").fetchall()}
    rows = world.table(written.files[0])
    assert {row["answer"] for row in rows} <= said
    assert list(rows[0])[-2:] == ["verdict", "note"]
    landed = landing.landed(tmp_path / "landing", "sheets", written.sheet_id)
    assert {row["run_id"] for row in landed} == {report_world.run_id(model, s) for model, _, s, *_ in report_world.RUNS}


def test_a_script_in_a_question_stays_text(database: Path, tmp_path: Path) -> None:
    form = write(database, tmp_path, n=90).files[1].read_text()
    assert report_world.SCRIPT not in form
    assert "&lt;script&gt;" in form


def test_a_sheet_that_someone_filled_in_is_not_overwritten(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path)
    sheet = written.files[0]
    assert write(database, tmp_path) == written
    sheet.write_bytes(sheet.read_bytes() + b" ")
    changed = sheet.read_bytes()
    with pytest.raises(RunError, match="was changed since it was written"):
        write(database, tmp_path)
    assert sheet.read_bytes() == changed


@pytest.mark.parametrize(("n", "annotators"), [(0, 2), (-1, 2), (5, 0), (5, 21)])
def test_numbers_out_of_range_are_refused(n: int, annotators: int, database: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="A sheet needs at least one question, and 1 to 20 annotators"):
        write(database, tmp_path, n=n, annotators=annotators)
    assert list(tmp_path.iterdir()) == []


def test_more_than_there_are_gives_all(database: Path, tmp_path: Path) -> None:
    written = write(database, tmp_path, n=500)
    assert written.items == written.available == 90


def test_without_a_database_or_judged_answers_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run `make demo` or `make build` first"):
        write(tmp_path / "none.duckdb", tmp_path)
    database = world.published(tmp_path / "assay.duckdb", report_world.questions())
    with pytest.raises(RunError, match=r"There is no answer in .* that a judge had to settle"):
        write(database, tmp_path, ANSWERS)
    (tmp_path / "text.duckdb").write_text("not a database")
    with pytest.raises(RunError, match=r"text\.duckdb cannot be read"):
        write(tmp_path / "text.duckdb", tmp_path)


@pytest.mark.parametrize(
    ("gold", "kind", "unit", "method", "text"),
    [
        ("292.9", "number", "kilojoules per mole", None, "292.9 kilojoules per mole"),
        ("yes", "boolean", None, None, "yes"),
        ('{"Asia": 1, "Europe": 3}', "distribution", None, None, "Asia: 1; Europe: 3"),
        ('["a", "b"]', "list", None, None, "a; b"),
        ("no", "boolean", None, "pearsonr", "no (test: pearsonr, of year of birth and death year)"),
    ],
)
def test_gold_reads_as_people_write(gold: str, kind: str, unit: str | None, method: str | None, text: str) -> None:
    row = {"gold_answer": gold, "gold_kind": kind, "gold_unit": unit, "gold_method": method}
    phrases = {"birth_year": "year of birth"}
    assert gold_text({**row, "gold_columns": ["birth_year", "death_year"]}, phrases) == text
