"""Articles land in batches, go on where they were cut off, and hold only what is about the entity."""

import datetime
import email.utils
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import ATTEMPTS, NOW, Asking, cache_in, landed_rows
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import ServiceError
from ingest.wikipedia.client import SERVICE, WikipediaClient
from ingest.wikipedia.infobox import parse_infoboxes
from ingest.wikipedia.land import SCHEMAS, PagesReport, land_pages, prepare
from ingest.wikipedia.sections import split
from tests.wiki import MAXLAG, Answered, WikiPage, WikiServer

DAY = datetime.date(2026, 6, 1)
BOX = (
    "{{Infobox lake\n| area = {{convert|82,103|km2|sqmi}}<ref>x</ref>\n| inflow = [[Nile|the Nile]]<br />[[Kagera]]\n}}"
)
ERIE = WikiPage("A lake.\n\n== Name ==\nAfter a people.\n\n=== Spelling ===\nVaried.", 7, 70, "Q1", wikitext=BOX)
# Of links, templates, references, comments and items.
MARKS = (
    "[[", "]]", "{{", "}}", "<ref>", "</ref>", "<ref/>", "<!--", "-->", "<small>", "</small>", "<br>", "<li>", "</li>",
    "<ul>", "</ul>", "<td>",
)  # fmt: skip
_LAGGED = json.dumps(MAXLAG).encode()
_DATE = email.utils.format_datetime(NOW + datetime.timedelta(seconds=90), usegmt=True)
# How the service puts requests off, and the seconds to wait; 5 where it names none but says that it lags.
WAITS: list[tuple[Answered, float]] = [
    ((429, b"slow down", {"Retry-After": "7"}), 7.0),
    ((503, b"<html><title>Busy</title></html>", {"Retry-After": "11"}), 11.0),
    ((503, b"", {"Retry-After": _DATE}), 90.0),
    ((200, _LAGGED), 5.0),
    ((200, _LAGGED, {"Retry-After": "12"}), 12.0),
    ((200, _LAGGED, {"Retry-After": "soon"}), 5.0),
]


@pytest.fixture
def wiki() -> Iterator[WikiServer]:
    """A wiki of a lake, and of pages that are not about one."""
    with WikiServer() as serving:
        serving.wiki.pages.update(
            {
                "Erie": ERIE,
                "Lake Erie": WikiPage(to="Erie"),
                "Mercury": WikiPage("May refer to:", 8, 80, "Q2", is_disambiguation=True),
                "Town": WikiPage("A town.", 9, 90, "Q99", wikitext=BOX),
            }
        )
        yield serving


def land(
    server: WikiServer, landing: Path, entities: list[tuple[str, str | None]], version: int = 2, views: bool = False
) -> PagesReport:
    with Asking(server, SERVICE, cache=cache_in(landing)) as http:
        client = WikipediaClient(http, format_version=version)
        return land_pages("lakes", entities, client, landing, DAY, views=views)


@pytest.mark.parametrize("has_slots", [True, False])
@pytest.mark.parametrize("version", [1, 2])
def test_an_entity_has_its_own_article_or_says_why_not(
    wiki: WikiServer, tmp_path: Path, version: int, has_slots: bool
) -> None:
    wiki.wiki.has_slots = has_slots
    wiki.wiki.views["Erie"] = {"202412": 5, "202501": 7, "202512": 8}
    asked = [("Q1", "lake_Erie"), ("Q2", "Mercury"), ("Q3", "Nowhere"), ("Q4", "<b>"), ("Q5", "Town"), ("Q6", None)]
    report = land(wiki, tmp_path, asked, version, views=True)
    assert report.outcomes == {
        "found": 1, "disambiguation": 1, "missing": 1, "invalid": 1, "another": 1, "untitled": 1
    }  # fmt: skip
    pages = landed_rows(tmp_path, "wikipedia", "pages")
    assert [page["entity_id"] for page in pages] == [entity for entity, _ in asked]
    erie = pages[0]
    assert (erie["asked_title"], erie["title"], erie["item_id"]) == ("lake_Erie", "Erie", "Q1")
    assert (erie["revision_id"], erie["revision_timestamp"], erie["views"]) == (70, "2026-05-04T03:02:01Z", 15)
    assert (erie["source_url"], erie["snapshot_id"]) == (
        "https://en.wikipedia.org/wiki/Erie",
        "wikipedia-2026-06-01",
    )
    assert {page["views"] for page in pages[1:]} == {None}
    sections = landed_rows(tmp_path, "wikipedia", "sections")
    assert [(one["entity_id"], one["level"], one["heading"], one["text"]) for one in sections] == [
        ("Q1", 1, None, "A lake."),
        ("Q1", 2, "Name", "After a people."),
        ("Q1", 3, "Spelling", "Varied."),
    ]
    fields = landed_rows(tmp_path, "wikipedia", "infobox_fields")
    assert [(one["field"], one["value_plain"], one["links"]) for one in fields] == [
        ("area", "82,103 km2", []),
        ("inflow", "the Nile\nKagera", ["Nile", "Kagera"]),
    ]


def test_a_landing_that_was_cut_short_goes_on_and_asks_for_nothing_twice(wiki: WikiServer, tmp_path: Path) -> None:
    wiki.wiki.pages = {f"P{n}": WikiPage(f"text {n}", n + 1, n + 500, f"Q{n + 1}") for n in range(120)}
    entities: list[tuple[str, str | None]] = [(f"Q{n + 1}", f"P{n}") for n in range(120)]
    answer, given = wiki.wiki.answer, []

    def failing(path: str) -> tuple[int, bytes]:
        given.append(path)
        return answer(path) if len(given) <= 70 else (400, b"{}")

    wiki.wiki.answer = failing  # type: ignore[method-assign]
    with pytest.raises(ServiceError):
        land(wiki, tmp_path, entities)
    assert len(landed_rows(tmp_path, "wikipedia", "pages")) == 50
    assert landed_rows(tmp_path, "wikipedia", "snapshots") == []
    wiki.wiki.answer = answer  # type: ignore[method-assign]
    report = land(wiki, tmp_path, entities)
    assert (report.kept, report.outcomes) == (1, {"found": 120})
    assert len(wiki.wiki.asked) == 120
    assert len({json.dumps(query) for query in wiki.wiki.asked}) == 120
    (snapshot,) = landed_rows(tmp_path, "wikipedia", "snapshots")
    assert (snapshot["topic"], snapshot["files"], snapshot["row_count"]) == ("lakes", 3, 120)
    assert land(wiki, tmp_path, entities).kept == 3
    assert len(wiki.wiki.asked) == 120


def test_batches_of_other_entities_are_removed(wiki: WikiServer, tmp_path: Path) -> None:
    land(wiki, tmp_path, [("Q1", "Erie"), ("Q3", "Nowhere")])
    land(wiki, tmp_path, [("Q1", "Erie")])
    assert [page["entity_id"] for page in landed_rows(tmp_path, "wikipedia", "pages")] == ["Q1"]
    assert len(landed_rows(tmp_path, "wikipedia", "sections")) == 3


@pytest.mark.parametrize("fault", [(200, _LAGGED), (429, b"slow down"), (500, b""), (200, b'{"qu')])
def test_faults_that_pass_are_waited_for(wiki: WikiServer, tmp_path: Path, fault: tuple[int, bytes]) -> None:
    wiki.wiki.first = [fault]
    assert land(wiki, tmp_path, [("Q1", "Erie")]).outcomes == {"found": 1}


def test_every_wait_that_the_service_asks_for_is_honoured(wiki: WikiServer, tmp_path: Path) -> None:
    wiki.wiki.pages = {f"P{n}": WikiPage(f"text {n}", n + 1, n + 500, f"Q{n + 1}", wikitext=BOX) for n in range(300)}
    wiki.wiki.views = {f"P{n}": {"202503": n} for n in range(0, 300, 2)}
    entities: list[tuple[str, str | None]] = [(f"Q{n + 1}", f"P{n}") for n in range(300)]
    land(wiki, tmp_path / "whole", entities, views=True)
    needed = list(wiki.wiki.asked)
    wiki.wiki.asked.clear()
    chance, waits, number = random.Random(20260602), list[float](), 0
    for query in needed:
        number += 1
        # One bad answer, or two to the same request; a third would end the landing.
        for _ in range(chance.choice((0, 0, 0, 0, 0, 1, ATTEMPTS - 1))):
            # Page views are no part of the API that tells of lag.
            wiki.wiki.faults[number], seconds = chance.choice(WAITS if "action" in query else WAITS[:3])
            waits.append(seconds)
            number += 1
    asking = Asking(wiki, SERVICE, cache=cache_in(tmp_path))
    with asking as http:
        report = land_pages("lakes", entities, WikipediaClient(http), tmp_path / "put off", DAY, views=True)
    assert report.outcomes == {"found": 300}
    assert asking.pauses == waits
    assert all(fault in wiki.wiki.faults.values() for fault, _ in WAITS)
    assert [query for number, query in enumerate(wiki.wiki.asked, 1) if number not in wiki.wiki.faults] == needed
    for dataset in SCHEMAS:
        whole, put_off = (
            [row | {"fetched_at": None} for row in landed_rows(tmp_path / folder, "wikipedia", dataset)]
            for folder in ("whole", "put off")
        )
        assert whole == put_off


def test_datasets_have_their_columns_before_anything_was_landed(tmp_path: Path) -> None:
    prepare(tmp_path)
    prepare(tmp_path)
    assert {path.parts[-3] for path in tmp_path.glob("wikipedia/*/*/*.parquet")} == {*SCHEMAS, "snapshots"}
    assert landed_rows(tmp_path, "wikipedia", "pages") == []


@given(st.lists(st.sampled_from(["== A ==", "=== B ===", "== x", "=", "====", "text", "", " a = b "]), max_size=12))
def test_no_line_of_a_text_is_lost_between_sections(lines: list[str]) -> None:
    parts = split("\n".join(lines))
    assert [part.ordinal for part in parts] == list(range(len(parts)))
    told = [f"{'=' * part.level} {part.heading} {'=' * part.level}\n{part.text}" for part in parts[1:]]
    kept = "\n".join([parts[0].text, *told])
    assert "".join(kept.split()) == "".join("".join(lines).split())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{{val|1.5|0.3|u=m}}", "1.5±0.3 m"),
        ("{{convert|3|to|5|km|mi}}", "3 to 5 km"),
        ("{{convert|5|ft|3|in|m}}", "5 ft 3 in"),
        ("{{start date|1957|9|15}}", "1957-09-15"),
        ("{{birth date and age|1952|3|11|df=y}}", "1952-03-11"),
        ("{{start date|15|September|1957}}", None),
        ("{{ubl|[[A]]|{{nowrap|B c}}}}", "A\nB c"),
        ("{{plainlist|\n* A\n* [[B|b]]\n}}", "A\nb"),
        ("''x''<!-- y --> 10<sup>3</sup>&nbsp;m", "x 10^3 m"),
        ("[[File:Lake.jpg|thumb]]", None),
        ("{{coord|1|2}} N", None),
        ("<math>x</math>", None),
        ("* A\n* B", "A\nB"),
        ("#A<br>#B", "A\n#B"),
        ("&#35;1", "#1"),
        ("5 < 6, &lt;b>", "5 < 6, <b>"),
        ("<ul><li>A</li><li>B</li></ul>", "A\nB"),
        ("<ul><li>A<li>B</ul>", None),
    ],
)
def test_values_are_read_where_all_of_them_is_understood(value: str, expected: str | None) -> None:
    (found,) = parse_infoboxes(f"{{{{Infobox x|a={value}}}}}")
    assert (found.wikitext, found.plain) == (value, expected)


@pytest.mark.parametrize(
    "value",
    [
        "1<ref>x", "1</ref>", "<small>1", "1</small>", "1<br", "[[Nile", "Nile]]", "1 <!-- x", "1 --> x", "<math>x",
        "<li>A", "<li>A<li>B", "<LI>A</LI> <LI>B", "{{ubl|<li>A|B}}", "<dd>A", "<td>A", "<ref>a</ref>1<ref>b",
    ],
)  # fmt: skip
def test_a_value_with_marks_that_are_never_closed_is_kept_but_not_read_and_costs_no_other_field(value: str) -> None:
    found = parse_infoboxes(f"{{{{Infobox x\n| a = {value}\n| b = 2\n}}}}\nX is an x.")
    assert [(one.field, one.wikitext, one.plain) for one in found] == [("a", value, None), ("b", "2", "2")]


@given(st.lists(st.sampled_from([*MARKS, "A", "12", " ", "\n"]), max_size=12).map("".join))
def test_no_mark_of_markup_is_read_as_text(value: str) -> None:
    wikitext = f"{{{{Infobox x|a={value}|b=2}}}}"
    for one in parse_infoboxes(wikitext):
        assert one.wikitext in wikitext
        assert one.plain is None or [mark for mark in MARKS if mark in one.plain] == []


@pytest.mark.parametrize(
    "value",
    [
        "[[Nile|x]] and [[Kagera]]<ref>[[Ministry]], {{cite web|publisher=[[Press]]}}</ref>",
        "[[Nile]]{{efn|Of the [[Ministry]]}}, [[Kagera#Course|b]]",
        "{{ubl|[[Nile]]{{sfn|[[Press]]}}|{{nowrap|[[Kagera]]<ref name=a/>}}}}",
        "[[Nile]]<ref>[[Kagera]]</ref> [[Kagera]]",
    ],
)
def test_links_of_a_value_are_not_those_of_its_references(value: str) -> None:
    (found,) = parse_infoboxes(f"{{{{Infobox x|a={value}}}}}")
    assert found.links == ("Nile", "Kagera")


@pytest.mark.parametrize(
    "hostile",
    [
        "{{infobox x|" * 90_000,
        "}}" * 9_000 + "{{infobox x|" * 9_000,
        "{{infobox a|b=" * 2_000 + "}}" * 2_000,
        "{{infobox|a=<b>" * 13_000,
        "infobox [[" * 100_000,
    ],
)
def test_hostile_wikitext_costs_no_time(hostile: str) -> None:
    started = time.monotonic()
    assert parse_infoboxes(hostile) == []
    assert time.monotonic() - started < 5
