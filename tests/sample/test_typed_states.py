"""States of the United States: neighbours agree with each other, areas add up, admissions are in order."""

from __future__ import annotations

from ingest.sample.build.typed_table import NONE, cells, read_table
from tests.sample.stated import by_label, members, statements, values

ROWS = {row["state"]: row for row in read_table("us_states")}
NEIGHBOURS = {name: set(cells(row["neighbours"])) - {NONE} for name, row in ROWS.items()}


def test_there_are_50_states() -> None:
    assert len(ROWS) == len(members("us_states", "Q35657")) == 50


def test_neighbours_are_mutual() -> None:
    for state, neighbours in NEIGHBOURS.items():
        assert state not in neighbours
        assert all(state in NEIGHBOURS[neighbour] for neighbour in neighbours), state
    assert [state for state, neighbours in NEIGHBOURS.items() if not neighbours] == ["Alaska", "Hawaii"]
    assert sorted(len(neighbours) for neighbours in NEIGHBOURS.values())[-2:] == [8, 8]


def test_areas_add_up_to_the_union() -> None:
    """3,796,742 square miles, 68 of them the District of Columbia (Census Bureau, 2010); each state is rounded."""
    assert abs(sum(int(row["area_sq_mi"]) for row in ROWS.values()) + 68 - 3_796_742) <= 5


def test_states_joined_in_this_order() -> None:
    admitted = [row["admitted"] for row in ROWS.values()]
    assert admitted == sorted(admitted)
    assert (admitted[0], admitted[-1]) == ("1787-12-07", "1959-08-21")


def test_highest_points_are_on_the_earth() -> None:
    heights = {name: int(row["highest_ft"]) for name, row in ROWS.items()}
    assert min(heights, key=heights.__getitem__) == "Florida"
    assert max(heights.values()) == 20310


def test_california_as_stated() -> None:
    (california,) = by_label("us_states", "California")
    assert values("us_states", california, "P2046") == ["163695"]
    assert [area.unit for area in statements("us_states", california, "P2046")] == ["Q232291"]
    assert values("us_states", california, "P610") == ["typed:mountain/mount-whitney"]
    (alaska,) = by_label("us_states", "Alaska")
    assert values("us_states", alaska, "P47") == ["novalue"]
