"""Cells of the typed tables become values, and a cell that cannot is refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.sample.build import typed_table
from ingest.sample.build.model import NOVALUE, SOMEVALUE, Item, Ref, Time
from ingest.sample.build.typed_table import (
    Names,
    cells,
    country_id,
    date_or_none,
    date_value,
    read_table,
    slug,
    typed_id,
)


@pytest.mark.parametrize(
    ("name", "local"),
    [
        ("Marie Curie", "marie-curie"),
        ("Ryōji Noyori", "ryoji-noyori"),
        ("Jacobus Henricus van 't Hoff", "jacobus-henricus-van-t-hoff"),
        ("Heike Kamerlingh Onnes", "heike-kamerlingh-onnes"),
        ("Gunnbjørn Fjeld", "gunnbjorn-fjeld"),
        ("Mexican–American War", "mexican-american-war"),
        ("Aoraki / Mount Cook", "aoraki-mount-cook"),
    ],
)
def test_a_name_becomes_an_id(name: str, local: str) -> None:
    assert slug(name) == local


def test_a_name_without_latin_letters_makes_no_id() -> None:
    with pytest.raises(ValueError, match="write it in Latin letters"):
        slug("富士山")


@pytest.mark.parametrize(
    ("cell", "time"),
    [
        ("1789-04-30", Time("1789-04-30", 11)),
        ("2015-06", Time("2015-06", 10)),
        ("1985", Time("1985", 9)),
        ("-0216", Time("-0216", 9)),
    ],
)
def test_a_date_has_the_precision_it_is_written_in(cell: str, time: Time) -> None:
    assert date_value(cell) == time


@pytest.mark.parametrize("cell", ["30 April 1789", "89", "1789/04/30", ""])
def test_what_is_no_date_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="is no date"):
        date_value(cell)


def test_unknown_none_and_empty_are_three_things() -> None:
    assert date_or_none("unknown") is SOMEVALUE
    assert date_or_none("none") is NOVALUE
    assert date_or_none("") is None


def test_a_list_cell_is_split() -> None:
    assert cells("NP; CN") == ["NP", "CN"]
    assert cells("") == []


def test_countries_stand_by_the_ids_of_natural_earth() -> None:
    assert country_id("FR") == "Q142"
    assert country_id("NO") == "Q20"
    with pytest.raises(ValueError, match="'XX' is no ISO 3166-1 alpha-2 code"):
        country_id("XX")


def test_two_names_may_not_make_one_id() -> None:
    names = Names()
    assert names.typed("person", "J. J. Thomson") == Ref(typed_id("person", "J. J. Thomson"))
    with pytest.raises(ValueError, match="write one of them differently"):
        names.add(Item(typed_id("person", "J. J. Thomson"), "J.J. Thomson"))


def test_a_row_with_a_missing_cell_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "games.csv").write_text("games,city\n1896 Summer Olympics\n", encoding="utf-8")
    monkeypatch.setattr(typed_table, "TABLES", tmp_path)
    with pytest.raises(ValueError, match=r"games\.csv, line 2: a row needs 2 cells"):
        read_table("games")
