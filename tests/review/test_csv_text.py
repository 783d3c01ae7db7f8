"""Sheets as CSV: nothing is lost on the way through a spreadsheet, and nothing in them runs there."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dagster_defs.errors import RunError
from dagster_defs.steps.review.csv_text import guarded, read_csv, unguarded, write_csv

COLUMNS = ("sheet", "item", "note")
# No NUL, which no CSV has, and no lone surrogate, which no file has.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40) | st.text(
    "'=+-@ ,;\t\r\n\"a", max_size=8
)
FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@sum(a)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    "'=1",
    "''+1",
    '=HYPERLINK("http://x")',
]


def normal(text: str) -> str:
    """A text with the line ends that a reader gets."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(TEXTS)
@example("'")
@example("'\x85=")
@example("' =")
def test_a_guard_is_taken_off_again(text: str) -> None:
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=1", "it's", "'tis", "Lake 3", "½", "1.5"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert guarded(text) == unguarded(text) == text


def test_no_cell_of_a_sheet_begins_like_a_formula(tmp_path: Path) -> None:
    data = write_csv(["note"], [{"note": text} for text in FORMULAS])
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))[1:]
    assert [row[0][0] for row in rows] == ["'"] * len(FORMULAS)


@given(st.lists(TEXTS, max_size=5))
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, notes: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "sheet.csv"
    path.write_bytes(write_csv(COLUMNS, [{"sheet": "s", "item": str(i), "note": note} for i, note in enumerate(notes)]))
    lines = read_csv(path, COLUMNS)
    assert [unguarded(line.cells["note"]) for line in lines] == [normal(note) for note in notes]


# Separator, encoding, line ends, quoting: as Excel (comma, semicolon, Unicode text), LibreOffice and Numbers save.
SAVED = [
    (",", "utf-8-sig", "\r\n", csv.QUOTE_MINIMAL),
    (";", "utf-8-sig", "\r\n", csv.QUOTE_MINIMAL),
    ("\t", "utf-16", "\r\n", csv.QUOTE_MINIMAL),
    ("\t", "utf-8", "\n", csv.QUOTE_MINIMAL),
    (",", "utf-8", "\n", csv.QUOTE_MINIMAL),
    (";", "utf-8", "\n", csv.QUOTE_ALL),
    (",", "utf-8", "\r", csv.QUOTE_ALL),
]


@given(st.sampled_from(SAVED), st.lists(TEXTS, min_size=1, max_size=4), st.booleans(), st.integers(0, 3))
def test_whatever_a_spreadsheet_saves_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    saved: tuple[str, str, str, int],
    notes: list[str],
    told: bool,
    empty_rows: int,
) -> None:
    separator, encoding, line_end, quoting = saved
    text = io.StringIO(newline="")
    if told and encoding.startswith("utf-8") and line_end != "\r":
        text.write(f"sep={separator}{line_end}")
    writer = csv.writer(text, delimiter=separator, lineterminator=line_end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow(["Item", " NOTE ", "sheet"])
    # the writer leaves a carriage return unquoted where it doesn't end its lines; spreadsheets don't
    writer.writerows([[f"i{i}", normal(guarded(note)), "s"] for i, note in enumerate(notes)])
    writer.writerows([["", "", ""]] * empty_rows)
    path = tmp_path_factory.mktemp("csv") / "sheet.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    lines = read_csv(path, COLUMNS)
    assert [(line.cells["item"], unguarded(line.cells["note"])) for line in lines] == [
        (f"i{i}", normal(note)) for i, note in enumerate(notes)
    ]


def test_a_row_knows_the_line_it_begins_on(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text('sep=;\nsheet;item;note\ns;one;"two\nlines"\n\n;;\ns;two;x\n')
    assert [(line.number, line.cells["item"]) for line in read_csv(path, COLUMNS)] == [(3, "one"), (7, "two")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "line 1: the head lacks the column sheet"),
        (b"sheet,item\ns,i\n", "line 1: the head lacks the column note; it takes the columns sheet, item, note"),
        (b"sheet|item|note\n", "line 1: the head lacks the column"),
        (b"sheet,item,note,note\n", "line 1: the column note is there twice"),
        (b"sheet,item,note\ns,i,caf\xe9\n", "line 2: it is not UTF-8; save it as"),
        (b"sheet,item,note\ns,i,a\0b\n", "is no CSV file"),
        (b"PK\x03\x04\x14\0\x06", "is no CSV file"),
        (b'sheet,item,note\ns,i,"open\n', "line 2: it cannot be read as CSV"),
        (b'sheet,item,note\ns,i,ok\ns,i,"a"b\n', "line 3: it cannot be read as CSV"),
        (b"sheet,item,note\ns,i,a,b\n", "line 2: cell 4 has a text but no column name above it"),
        (b"sheet,item,note\ns,i," + b"a" * 200_000 + b"\n", "line 2: it cannot be read as CSV (field larger"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(data)
    with pytest.raises(RunError) as caught:
        read_csv(path, COLUMNS)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be read: No such file"):
        read_csv(tmp_path / "none.csv", COLUMNS)
