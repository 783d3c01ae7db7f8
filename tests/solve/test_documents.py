"""Fact sheets hold every fact and say what they are; chunks keep every word, in order, under their headings."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_defs.llm.budget import estimated_tokens
from dagster_defs.steps.chunks import Chunk, Document, chunks
from dagster_defs.steps.matching import Attribute, Fact
from dagster_defs.steps.solve.documents import fact_sheet, shown
from dagster_defs.steps.solve.questions import Warehouse
from tests.solve import world

WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyzäßé漢", min_size=1, max_size=9), min_size=1, max_size=40)
SECTIONS = st.lists(
    st.tuples(st.integers(1, 3), st.lists(WORDS, min_size=1, max_size=6)), min_size=1, max_size=5
)  # (level of the heading, lines of words)


def words(text: str) -> int:
    return len(text.split())


def sheet(warehouse: Warehouse, topic: str, entity_id: str) -> Document:
    facts = warehouse.facts(topic)[entity_id]
    attributes = {attribute.name: attribute for attribute in warehouse.attributes(topic)}
    return fact_sheet(facts[0].entity, facts, attributes, topic, world.AS_OF.isoformat())


def document_of(sections: list[tuple[int, list[list[str]]]]) -> Document:
    lines = ["# Thing", "first line"]
    for number, (level, texts) in enumerate(sections):
        lines += [f"{'#' * (level + 1)} Heading{number}", *(" ".join(text) for text in texts)]
    return Document("Thing", "\n".join(lines) + "\n")


def test_sheet_says_what_it_is_and_of_which_day(warehouse: Warehouse) -> None:
    text = sheet(warehouse, "countries", "typed:countries/India").text
    assert text.splitlines()[0] == "# India"
    assert "Fact sheet made from recorded facts (countries, as of 2026-11-02)." in text


def test_sheet_has_every_fact_of_its_entity_and_no_other(warehouse: Warehouse) -> None:
    for topic in ("countries", "rivers", "elements", "stars"):
        phrases = {attribute.name: attribute for attribute in warehouse.attributes(topic)}
        for entity_id, facts in warehouse.facts(topic).items():
            text = sheet(warehouse, topic, entity_id).text
            lines = dict(re.findall(r"^- .+ \((\w+)\): (.+)$", text, re.MULTILINE))
            assert set(lines) == {fact.attribute for fact in facts}
            for name, line in lines.items():
                unit = phrases[name].unit
                values = [shown(fact, phrases) for fact in facts if fact.attribute == name]
                assert line == "; ".join(values) + (f" {unit}" if unit else "")


def test_sheet_writes_numbers_as_people_do(warehouse: Warehouse) -> None:
    text = sheet(warehouse, "countries", "typed:countries/India").text
    assert "- population (population): 1400000000 people" in text
    assert "- official language (languages): English; Hindi" in text
    assert "- date of foundation (founded): 1947-08-15" in text
    assert "- length (length_km): 2525.5 kilometres" in sheet(warehouse, "rivers", "typed:rivers/Ganges").text


def test_sheets_of_one_label_are_two(warehouse: Warehouse) -> None:
    texas = sheet(warehouse, "rivers", "typed:rivers/Colorado#Texas").text
    utah = sheet(warehouse, "rivers", "typed:rivers/Colorado#Utah").text
    assert "1387" in texas
    assert "2330" not in texas
    assert "2330" in utah


def test_text_that_looks_like_a_number_keeps_its_ending() -> None:
    version = {"version": Attribute("version", "version", None, "category")}
    assert shown(Fact("x", "version", "2.0"), version) == "2.0"
    assert shown(Fact("x", "unknown", "2.0"), version) == "2.0"


def holds_everything(document: Document, found: list[Chunk], size: int, count: object) -> None:
    """The promises that hold for any document of sections with text, whatever counts its tokens."""
    body = [line for line in document.text.splitlines() if not line.startswith("#")]
    assert [word for piece in found for word in piece.text.split()] == [word for line in body for word in line.split()]
    assert [piece.ordinal for piece in found] == list(range(len(found)))
    assert {piece.title for piece in found} == {document.title}
    assert all(count(piece.shown) <= size for piece in found)  # type: ignore[operator]
    kept = {part for piece in found for part in piece.heading.split(" > ")}
    assert kept == {document.title, *re.findall(r"^#+ (.+)$", document.text, re.MULTILINE)}
    assert all(piece.heading.split(" > ")[0] == document.title for piece in found)


@settings(deadline=None, max_examples=150)
@given(sections=SECTIONS, size=st.integers(40, 300))
def test_chunks_keep_words_headings_and_order_within_bytes(
    sections: list[tuple[int, list[list[str]]]], size: int
) -> None:
    document = document_of(sections)
    holds_everything(document, chunks(document, size, estimated_tokens), size, estimated_tokens)


@settings(deadline=None, max_examples=150)
@given(sections=SECTIONS, size=st.integers(12, 60))
def test_chunks_keep_words_headings_and_order_within_words(
    sections: list[tuple[int, list[list[str]]]], size: int
) -> None:
    document = document_of(sections)
    holds_everything(document, chunks(document, size, words), size, words)


def test_headings_nest_and_stand_over_each_piece() -> None:
    document = Document("Nile", "# Nile\nlead\n## Course\nalpha beta\n### Delta\ngamma\n## Names\ndelta\n")
    assert [(piece.heading, piece.text) for piece in chunks(document, 100, words)] == [
        ("Nile", "lead"),
        ("Nile > Course", "alpha beta"),
        ("Nile > Course > Delta", "gamma"),
        ("Nile > Names", "delta"),
    ]
    assert chunks(document, 100, words)[1].shown == "Nile > Course\nalpha beta"


def test_document_without_a_title_line_still_names_its_title() -> None:
    document = Document("Nile", "lead\n## Course\nalpha\n### Delta\nbeta\n## Names\ngamma\n")
    assert [piece.heading for piece in chunks(document, 100, words)] == [
        "Nile",
        "Nile > Course",
        "Nile > Course > Delta",
        "Nile > Names",
    ]


def test_long_line_is_cut_between_words() -> None:
    line = " ".join(f"word{number}" for number in range(100))
    found = chunks(Document("T", line), 12, words)
    assert len(found) > 9
    assert " ".join(piece.text.replace("\n", " ") for piece in found) == line
    assert all(re.fullmatch(r"word\d+(\s+word\d+)*", piece.text) for piece in found)


def test_lines_are_not_cut_where_they_fit() -> None:
    lines = [f"line {number} has five words" for number in range(20)]
    for piece in chunks(Document("T", "\n".join(lines)), 20, words):
        assert set(piece.text.splitlines()) <= set(lines)


def test_no_room_under_a_heading_is_said() -> None:
    with pytest.raises(ValueError, match="leave no room under the heading 'A long title'"):
        chunks(Document("A long title", "text"), 4, words)


def test_empty_document_has_no_chunks() -> None:
    assert chunks(Document("T", "# T\n\n"), 10, words) == []
