"""Filled sheets come in whole or not at all, and a wrong cell is named with its line, column and accepted values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.review import rows as landing
from dagster_defs.steps.review.csv_text import guarded
from dagster_defs.steps.review.fields import QUESTIONS, contradiction
from dagster_defs.steps.review.imports import import_sheets
from dagster_defs.steps.review.sheets import Written, write_sheets
from tests.review import world
from tests.review.world import FINE

WRONG = FINE | {"gold": "wrong", "error_category": "stale data"}


@pytest.fixture
def written(database: Path, tmp_path: Path) -> Written:
    return write_sheets(database, tmp_path / "landing", tmp_path / "review", QUESTIONS, 8, 0, 2)


def first(cells: Mapping[str, str]) -> world.Filler:
    """A filler for the first row alone."""
    return lambda number, _: cells if number == 0 else {}


def test_labels_land_as_they_were_given(written: Written, tmp_path: Path) -> None:
    note = 'Vänern; "big", =not small\nsecond line ½'
    one = world.fill(written.files[0], lambda n, _: (FINE | {"note": note}, WRONG, {})[min(n, 2)])
    two = world.fill(written.files[2], lambda n, _: FINE | {"entity": " Unsure ", "clarity": "CLEAR"})
    done = import_sheets([one, two], tmp_path / "landing")
    assert [(d.annotator, d.labelled, d.items) for d in done] == [("a", 2, 8), ("b", 8, 8)]
    labels = landing.landed(tmp_path / "landing", "labels", f"{written.sheet_id}--a")
    by_item = {row["item"]: row for row in labels}
    items = [row["item"] for row in world.table(one)]
    fine, wrong = by_item[items[0]], by_item[items[1]]
    assert (fine["entity"], fine["clarity"], fine["gold"], fine["error_category"]) == ("right", "clear", "right", None)
    assert fine["note"] == note
    assert (wrong["gold"], wrong["error_category"], wrong["note"]) == ("wrong", "stale data", None)
    assert wrong["annotator"] == "a"
    others = landing.landed(tmp_path / "landing", "labels", f"{written.sheet_id}--b")
    assert {(row["entity"], row["clarity"]) for row in others} == {("unsure", "clear")}


@settings(deadline=None, max_examples=60)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=60))
def test_any_note_comes_in_unchanged(database: Path, tmp_path_factory: pytest.TempPathFactory, note: str) -> None:
    # one sheet for every note
    folder = tmp_path_factory.getbasetemp() / "notes"
    sheet = write_sheets(database, folder / "landing", folder / "review", QUESTIONS, 1, 0, 1)
    filled = world.fill(sheet.files[0], lambda *_: FINE | {"note": guarded(note)})
    import_sheets([filled], folder / "landing")
    (label,) = landing.landed(folder / "landing", "labels", f"{sheet.sheet_id}--a")
    assert label["note"] == note


def test_a_file_speaks_for_the_rows_it_holds(written: Written, tmp_path: Path) -> None:
    land = tmp_path / "landing"
    import_sheets([world.fill(written.files[0], lambda n, _: FINE if n < 4 else {})], land)
    filled = world.fill(written.files[0], lambda n, _: {0: {}, 1: WRONG}.get(n, FINE))
    lines = filled.read_text().splitlines(keepends=True)
    rows = world.table(filled)
    # evidence takes several lines, so rows are cut off by writing the table anew
    del lines
    filled.write_text("sheet,item," + ",".join(QUESTIONS.columns) + "\n" + "".join(
        ",".join(row[name] for name in ("sheet", "item", *QUESTIONS.columns)) + "\n" for row in rows[:2]
    ))  # fmt: skip
    (done,) = import_sheets([filled], land)
    labels = {row["item"]: row for row in landing.landed(land, "labels", f"{written.sheet_id}--a")}
    assert done.labelled == len(labels) == 3
    assert rows[0]["item"] not in labels
    assert labels[rows[1]["item"]]["gold"] == "wrong"
    assert labels[rows[2]["item"]]["gold"] == "right"


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (FINE | {"entity": "maybe"}, "column entity: “maybe” is none of right, wrong, unsure."),
        (FINE | {"clarity": ""}, "column clarity: it is empty though the row is filled in; it takes clear, unclear."),
        (FINE | {"gold": "wrong"}, "column error_category: something is wrong, so it needs one of stale data, hallu"),
        (FINE | {"error_category": "other"}, "column error_category: nothing is wrong, so it has to be empty."),
        (WRONG | {"error_category": "old"}, "column error_category: “old” is none of stale data, hallucination, flat"),
        ({"note": "hm"}, "column entity: the row has a note but no verdict; it takes right, wrong, unsure."),
        (FINE | {"item": "bcd"}, "column item: “bcd” is no item of the sheet q-"),
        (FINE | {"sheet": "q-bcd"}, "column sheet: “q-bcd” is no sheet's name."),
        (FINE | {"sheet": "q-bcd-a"}, "column sheet: no sheet q-bcd was written by this warehouse"),
    ],
)
def test_a_wrong_cell_is_named(cells: Mapping[str, str], said: str, database: Path, tmp_path: Path) -> None:
    sheet = write_sheets(database, tmp_path / "landing", tmp_path / "review", QUESTIONS, 1, 0, 1)
    filled = world.fill(sheet.files[0], first(cells))
    with pytest.raises(RunError) as caught:
        import_sheets([filled], tmp_path / "landing")
    assert str(caught.value).startswith(f"{filled}, line 2, {said}")
    assert "\n" not in str(caught.value)
    assert landing.names(tmp_path / "landing", "labels") == []


def test_rows_that_do_not_fit_together_are_refused(written: Written, tmp_path: Path) -> None:
    items = [row["item"] for row in world.table(written.files[0])]
    twice = world.fill(written.files[0], lambda n, _: FINE | {"item": items[0]} if n == 1 else FINE)
    with pytest.raises(RunError, match=f"column item: {items[0]} is on line 2 already"):
        import_sheets([twice], tmp_path / "landing")
    mixed = world.fill(written.files[0], lambda n, _: {"sheet": f"{written.sheet_id}-b"} if n == 3 else FINE)
    with pytest.raises(RunError, match="is not the sheet of the rows above"):
        import_sheets([mixed], tmp_path / "landing")
    text = "sheet,item,remark," + ",".join(QUESTIONS.columns)
    mixed.write_text(f"{text}\n{written.sheet_id}-a,{items[0]},mine,right,clear,right,,\n")
    with pytest.raises(RunError, match="line 2, column remark: a sheet has no such column; put remarks into note"):
        import_sheets([mixed], tmp_path / "landing")
    mixed.write_text(f"{text}\n")
    with pytest.raises(RunError, match="has no row below its head"):
        import_sheets([mixed], tmp_path / "landing")


def test_one_wrong_file_keeps_all_out(written: Written, tmp_path: Path) -> None:
    good = world.fill(written.files[0], lambda *_: FINE)
    bad = world.fill(written.files[2], lambda *_: FINE | {"gold": "?"})
    with pytest.raises(RunError, match="column gold"):
        import_sheets([good, bad], tmp_path / "landing")
    assert landing.names(tmp_path / "landing", "labels") == []
    with pytest.raises(RunError, match="are the same annotator's sheet"):
        import_sheets([good, good], tmp_path / "landing")


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in {
    "entity": ("right", "wrong", "unsure"), "clarity": ("clear", "unclear"), "gold": ("right", "wrong", "unsure"),
    "error_category": ("", "other"),
}.items()}))  # fmt: skip
def test_a_fault_and_only_a_fault_or_a_doubt_has_a_category(row: dict[str, str]) -> None:
    faulty = row["entity"] == "wrong" or row["clarity"] == "unclear" or row["gold"] == "wrong"
    unsure = not faulty and "unsure" in row.values()
    allowed = bool(row["error_category"]) if faulty else unsure or not row["error_category"]
    assert (contradiction(QUESTIONS, row) is None) == allowed


def test_prepared_folders_hold_tables_without_rows(tmp_path: Path) -> None:
    landing.prepare(tmp_path)
    for dataset, schema in landing.SCHEMAS.items():
        file = tmp_path / dataset / "_schema.parquet"
        assert pq.read_schema(file).equals(schema)
        assert pq.read_table(file).num_rows == 0
        assert landing.names(tmp_path, dataset) == []
        pq.write_table(pq.read_table(file).drop_columns(["item"]), file)
    landing.prepare(tmp_path)
    assert all(pq.read_schema(tmp_path / d / "_schema.parquet").equals(s) for d, s in landing.SCHEMAS.items())
