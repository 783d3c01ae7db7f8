"""Entity sets drawn live, lists that users give, and made-up names, over a wiki on loopback."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from dagster_defs.errors import RunError
from dagster_defs.steps.reference.draw import Draw, Listed, draw, read_list, search_names, take_list
from ingest.errors import ServiceError
from tests.reference.conftest import Desk
from tests.wiki import WikiEntity, WikiPage

DAY = dt.date(2026, 11, 30)
LONG = "A fact. " * 300


def stock(desk: Desk, n: int) -> None:
    """A wiki in which every fifth page passes: others are short, disambiguate, have few statements or no item."""
    desk.wiki.wiki.pages, desk.wiki.wiki.entities = {}, {}
    for number in range(n):
        kind = number % 5
        item = None if kind == 4 else f"Q{number + 1}"
        text = "short" if kind == 1 else LONG
        desk.wiki.wiki.pages[f"P{number}"] = WikiPage(text, number + 1, 1, item, is_disambiguation=kind == 2)
        if item:
            desk.wiki.wiki.entities[item] = WikiEntity(f"P{number}", 9 if kind == 3 else 10)


def test_a_draw_goes_on_until_enough_pass(desk: Desk) -> None:
    stock(desk, 400)
    drawn = draw(Draw("random", 15, day=DAY), desk.pages(), desk.landing, desk.lines.append)
    rows = desk.landed("candidates")
    assert (drawn.drawn, drawn.passed) == (100, 20)
    assert drawn.sentences() == [f"{drawn.list_id}: 100 titles looked up, 20 entities are usable."]
    assert [row["ordinal"] for row in rows] == list(range(100))
    assert {row["set_name"] for row in rows} == {"random"}
    told = [
        (
            row["title"],
            row["entity_id"],
            row["n_characters"],
            row["n_statements"],
            row["is_disambiguation"],
            row["views"],
        )
        for row in rows[:5]
    ]
    assert told == [
        ("P0", "Q1", len(LONG.strip()), 10, False, None),
        ("P1", "Q2", 5, 10, False, None),
        ("P2", "Q3", None, None, True, None),
        ("P3", "Q4", None, 9, False, None),
        ("P4", None, None, None, False, None),
    ]
    texts = [query for query in desk.wiki.wiki.asked if "extracts" in query.get("prop", "")]
    assert {title for query in texts for title in query["titles"].split("|")} == {
        f"P{number}" for number in range(100) if number % 5 in (0, 1)
    }, "texts are fetched only of what passes the other filters"


def test_popularity_is_told_by_views_of_the_last_whole_year(desk: Desk) -> None:
    stock(desk, 100)
    desk.wiki.wiki.views = {"P0": {"202501": 7, "202512": 8, "202601": 90}}
    draw(Draw("popularity", 5, views=True, day=DAY), desk.pages(), desk.landing)
    views = {row["title"]: row["views"] for row in desk.landed("candidates")}
    assert views["P0"] == 15
    assert {title for title, found in views.items() if found is not None} == {
        f"P{number}" for number in range(0, 50, 5)
    }
    assert {found for title, found in views.items() if title != "P0" and found is not None} == {0}


def test_a_draw_that_broke_off_goes_on_the_same_day(desk: Desk) -> None:
    stock(desk, 300)
    wanted = Draw("random", 25, day=DAY)
    answered = desk.wiki.wiki.answer

    def down_after(path: str) -> tuple[int, bytes]:
        return answered(path) if len(desk.wiki.wiki.asked) < 40 else (503, b"")

    desk.wiki.wiki.answer = down_after  # type: ignore[method-assign]
    with pytest.raises(ServiceError, match="HTTP 503"):
        draw(wanted, desk.pages(), desk.landing)
    landed = len(desk.landed("candidates"))
    assert landed in (50, 100)
    desk.wiki.wiki.answer = answered  # type: ignore[method-assign]
    drawn = draw(wanted, desk.pages(), desk.landing)
    titles = [row["title"] for row in desk.landed("candidates")]
    assert (drawn.passed, drawn.drawn) == (30, 150)
    assert len(titles) == len(set(titles)) == 150
    asked = len(desk.wiki.wiki.asked)
    assert draw(wanted, desk.pages(), desk.landing) == drawn
    assert len(desk.wiki.wiki.asked) == asked
    assert Draw("random", 25, day=DAY + dt.timedelta(1)).list_id != wanted.list_id


def test_a_wiki_that_has_no_more_ends_the_draw(desk: Desk) -> None:
    stock(desk, 60)
    drawn = draw(Draw("random", 500, day=DAY), desk.pages(), desk.landing)
    assert (drawn.drawn, drawn.passed) == (60, 12)
    assert "12 entities of the 500 that were wanted are usable" in drawn.sentences()[0]
    with pytest.raises(RunError, match="1 or more entities, not 0"):
        Draw("random", 0)


def listed(folder: Path, content: Any) -> Path:
    path = folder / "list.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def test_a_list_is_resolved_when_live(desk: Desk) -> None:
    desk.wiki.wiki.pages["The Nile"] = WikiPage(to="Nile")
    content = [{"title": "The Nile", "length": 5, "domain": "Geography"}, "Mercury", "Nowhere", {"title": "Stub"}]
    taken = take_list(listed(desk.folder, content), "mine", desk.landing, desk.pages())
    rows = desk.landed("candidates")
    assert [(row["title"], row["entity_id"], row["domain"], row["is_disambiguation"]) for row in rows] == [
        ("Nile", "Q3392", "Geography", False),
        ("Mercury", "Q99", None, True),
        ("Nowhere", None, None, False),
        ("Stub", "Q4", None, False),
    ]
    assert rows[0]["n_characters"] > 2000, "the article's own length, not the list's"
    assert (rows[0]["n_statements"], rows[3]["n_characters"]) == (40, 33)
    assert (taken.drawn, taken.passed) == (4, 2)
    asked = len(desk.wiki.wiki.asked)
    take_list(listed(desk.folder, content), "mine", desk.landing, desk.pages())
    assert len(desk.wiki.wiki.asked) == asked, "what has landed is not asked again"


def test_a_list_lands_without_the_network(desk: Desk) -> None:
    content = [{"title": "Albert Einstein", "length": 5974}, {"title": "Marie Curie", "length": 4801}]
    taken = take_list(listed(desk.folder, b"\xef\xbb\xbf" + json.dumps(content).encode()), "mine", desk.landing, None)
    rows = desk.landed("candidates")
    assert [(row["title"], row["entity_id"], row["n_characters"], row["ordinal"]) for row in rows] == [
        ("Albert Einstein", None, 5974, 0),
        ("Marie Curie", None, 4801, 1),
    ]
    assert {row["list_id"] for row in rows} == {taken.list_id}
    assert desk.wiki.wiki.asked == []


def test_lists_of_many_entries_land_block_by_block(desk: Desk) -> None:
    take_list(listed(desk.folder, [f"T{n}" for n in range(120)]), "mine", desk.landing, None)
    assert [row["title"] for row in desk.landed("candidates")] == [f"T{n}" for n in range(120)]
    assert [row["ordinal"] for row in desk.landed("candidates")] == list(range(120))


def test_both_forms_of_a_list_are_read(tmp_path: Path) -> None:
    assert read_list(listed(tmp_path, ["A", {"title": " B ", "length": 3, "extra": 1}])) == [
        Listed("A"),
        Listed("B", 3),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is no JSON"),
        (b"\xff", "is no JSON"),
        ({"title": "A"}, "holds no list of entities"),
        ([], "holds no list of entities"),
        (["A", {"name": "B"}], "Entry 2 of .* has no title"),
        (["A", 5], "Entry 2 of .* has no title"),
        (["A", " "], "Entry 2 of .* has no title"),
        ([{"title": "A", "length": "long"}], "Entry 1 of .* has a length that is no number"),
        (["A", "B", "A"], "gives 'A' 2 times: leave it in once"),
    ],
)
def test_an_odd_list_is_named_in_one_sentence(content: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=said):
        read_list(listed(tmp_path, content))
    with pytest.raises(RunError, match=r"Cannot read .*: No such file"):
        read_list(tmp_path / "nowhere")


def test_made_up_names_are_searched_for_once(desk: Desk) -> None:
    desk.wiki.wiki.entities = {"Q1": WikiEntity(label="Quellmar"), "Q2": WikiEntity(label="Quellmar Bay")}
    names = ["Vorrendale", "quellmar", *(f"Name {n}" for n in range(70))]
    found = search_names(names, desk.pages(), "https://www.wikidata.org", desk.landing)
    assert found["quellmar"] == 1
    assert sum(found.values()) == 1
    rows = desk.landed("searched_names")
    assert {row["name"]: row["n_found"] for row in rows} == found
    assert {row["endpoint"] for row in rows} == {"https://www.wikidata.org"}
    assert len({row["search_id"] for row in rows}) == 1
    asked = len(desk.wiki.wiki.asked)
    assert search_names(reversed(names), desk.pages(), "https://www.wikidata.org", desk.landing) == found
    assert len(desk.wiki.wiki.asked) == asked == 72
