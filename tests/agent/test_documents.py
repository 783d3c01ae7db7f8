"""Finding documents by words, ids and addresses, and reading them window by window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.agent.actions import Read, Search
from dagster_defs.steps.agent.documents import Document, Index, one_line, windows
from dagster_defs.steps.agent.tools import WINDOW, Toolbox
from tests.agent.world import DOCUMENTS


def ids(index: Index, query: str, n: int = 5) -> list[str]:
    """The ids that a search gives."""
    return [hit.document.document_id for hit in index.search(query, n)]


def test_documents_are_found_by_their_words_the_best_first() -> None:
    index = Index(DOCUMENTS)
    assert len(index) == 4
    assert ids(index, "molar mass nickel") == ["d2", "d1"]
    assert ids(index, "goblin kobold") == ["d3"]
    assert ids(index, "COBALT", 1) == ["d1"]
    assert ids(index, "nothing like this") == []
    assert ids(index, "") == []
    assert ids(index, "?!") == []


def test_what_is_called_exactly_so_comes_first() -> None:
    others = [Document(f"o{n}", f"Other {n}", "", "Peru Peru Peru") for n in range(9)]
    index = Index([*others, Document("p", "Perú", "", "A country, of which others speak more."), *DOCUMENTS])
    assert ids(index, "peru") == ["p", "o0", "o1", "o2", "o3"]
    assert ids(index, "Peru!", 1) == ["p"]
    assert index.search("peru", 1)[0].passage.startswith("A country")
    assert ids(index, "peru other")[0].startswith("o")


def test_words_are_found_without_their_accents() -> None:
    index = Index([Document("a", "Curaçao", "", "An island."), Document("b", "Other", "", "Elsewhere.")])
    assert ids(index, "curacao") == ["a"]


def test_a_document_comes_once_with_its_best_passage() -> None:
    text = "filler words here. " * 200 + "The needle is silver. " + "more filler follows. " * 200
    hits = Index([Document("long", "Long", "", text), Document("b", "Other", "", "filler")]).search("needle silver", 5)
    assert [hit.document.document_id for hit in hits] == ["long"]
    assert "needle is silver" in hits[0].passage


def test_documents_are_found_by_address_whatever_its_form() -> None:
    index = Index(DOCUMENTS)
    for name in ("d1", " d1 ", "http://example.org/cobalt/", "https://www.example.org/cobalt#mass"):
        found = index.find(name)
        assert found is not None
        assert found.document_id == "d1"
    assert index.find("") is None
    assert index.find("https://example.org/other") is None


def test_nothing_is_found_among_no_documents_or_empty_ones() -> None:
    assert Index([]).search("x", 3) == []
    assert Index([Document("a", "", "", "")]).search("x", 3) == []


def test_an_id_stands_for_one_document() -> None:
    with pytest.raises(ValueError, match="'a' stands for two documents"):
        Index([Document("a", "", "", "x"), Document("a", "", "", "y")])


@given(st.text(alphabet="ab .\n", max_size=300), st.integers(4, 50))
def test_windows_hold_all_of_a_text_and_are_no_longer_than_they_may_be(text: str, size: int) -> None:
    pieces = windows(text, size)
    assert all(0 < len(piece) <= size for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_windows_end_at_sentences_where_they_can() -> None:
    assert windows("One two three. Four five six. Seven.", 20) == ["One two three.", "Four five six.", "Seven."]


def test_reading_goes_window_by_window() -> None:
    text = "\n".join(f"Line {n} of a long document." for n in range(400))
    toolbox = Toolbox(Index([Document("long", "Long", "", text)]))
    first = toolbox.run(Read(tool="read", document="long", window=1)).text
    last = toolbox.run(Read(tool="read", document="long", window=4)).text
    assert first.startswith("Long (window 1 of 4)\n\nLine 0 of")
    assert len(first) <= WINDOW + 40
    assert last.endswith("Line 399 of a long document.")


def test_a_search_shows_id_title_address_and_passage() -> None:
    toolbox = Toolbox(Index(DOCUMENTS))
    shown = toolbox.run(Search(tool="search", query="nickel")).text
    assert shown == "[d2] Nickel <https://example.org/nickel>\n  Nickel is a metal. Its molar mass is 58.693 g/mol."


def test_one_line_is_cut_with_a_sign() -> None:
    assert one_line("a\n b", 10) == "a b"
    assert one_line("abcdef", 4) == "abc…"
