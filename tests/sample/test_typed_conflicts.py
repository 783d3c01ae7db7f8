"""Wars, battles and sieges: spans in order, battles within their wars, and days in the calendar of their time."""

from __future__ import annotations

from ingest.sample.build.conflicts import GREGORIAN_REFORM, KINDS, TABLES
from ingest.sample.build.typed_table import cells, country_id, read_table
from tests.sample.stated import members, statements, values

ROWS = [row for table in TABLES for row in read_table(table)]
BY_NAME = {row["conflict"]: row for row in ROWS}


def year(cell: str) -> int:
    return int(cell[: 5 if cell.startswith("-") else 4])


def test_every_conflict_is_there_once() -> None:
    assert len(BY_NAME) == len(ROWS) >= 120
    assert {row["kind"] for row in ROWS} == set(KINDS)
    assert sum(len(members("conflicts", class_id)) for class_id in KINDS.values()) == len(ROWS)


def test_spans_are_in_order_and_never_cross_the_year_0() -> None:
    for row in ROWS:
        start, end = year(row["start"]), year(row["end"])
        assert start <= end, row
        assert start * end > 0, row
        assert end - start <= 120, row
        assert len(row["start"]) == len(row["end"]), row
        if start == end and row["start"].count("-") == 2:
            assert row["start"] <= row["end"], row


def test_tables_are_sorted_by_their_beginning() -> None:
    for table in TABLES:
        years = [year(row["start"]) for row in read_table(table)]
        assert years == sorted(years), table


def test_a_battle_lies_within_its_war() -> None:
    for row in ROWS:
        war = BY_NAME.get(row["war"])
        if war is not None:
            assert year(war["start"]) <= year(row["start"]) <= year(row["end"]) <= year(war["end"]), row


def test_only_days_name_their_calendar_and_old_days_are_julian() -> None:
    for row in ROWS:
        has_day = row["start"].removeprefix("-").count("-") == 2
        assert bool(row["calendar"]) == has_day, row
        if has_day and year(row["start"]) <= GREGORIAN_REFORM:
            assert row["calendar"] == "julian", row


def test_nobody_fights_on_both_sides_and_a_victor_has_fought() -> None:
    for row in ROWS:
        sides = [set(cells(row["side_a"])), set(cells(row["side_b"]))]
        assert not sides[0] & sides[1], row
        assert bool(sides[0]) == bool(sides[1]), row
        assert row["victor"] in ("", "a", "b"), row
        assert sides[0] or not row["victor"], row
        assert all(country_id(code) for code in cells(row["countries"])), row


def test_cannae_was_216_years_before_the_common_era() -> None:
    battle = "typed:conflict/battle-of-cannae"
    # The XSD year 0 is 1 BCE.
    assert values("conflicts", battle, "P580") == ["-0215-01-01T00:00:00Z"]
    assert values("conflicts", battle, "P1346") == ["typed:polity/carthage"]
    assert values("conflicts", battle, "P361") == ["typed:conflict/second-punic-war"]


def test_hastings_was_fought_on_a_julian_day() -> None:
    assert BY_NAME["Battle of Hastings"]["start"] == "1066-10-14"
    # RDF gives a day of the Julian calendar under its Gregorian name.
    assert values("conflicts", "typed:conflict/battle-of-hastings", "P580") == ["1066-10-20T00:00:00Z"]


def test_belligerents_are_several() -> None:
    powers = statements("conflicts", "typed:conflict/battle-of-leipzig", "P710")
    assert {power.value.rpartition("/")[2] for power in powers} == {"russia", "austria", "prussia", "sweden", "france"}
