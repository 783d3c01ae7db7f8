"""Articles as documents: the infobox, the lead and the sections under their headings, and no heading that is none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dagster_defs.steps.articles import as_document, first, heading_of
from dagster_defs.steps.passages import cut

SECTIONS = [(0, None, "Lead."), (2, "A", "a"), (3, "Below A", "aa"), (2, "B", "b"), (4, "Deep", "d"), (2, "C", "c")]


def test_the_first_sections_keep_what_stands_below_them() -> None:
    assert first(SECTIONS, 0) == SECTIONS
    assert first(SECTIONS, 1) == SECTIONS[:3]
    assert first(SECTIONS, 2) == SECTIONS[:5]
    assert first(SECTIONS, 9) == SECTIONS
    assert first([(0, None, "Lead.")], 1) == [(0, None, "Lead.")]
    assert first([(3, "Low", "l"), (3, "Lower", "m")], 1) == [(3, "Low", "l")]


def test_headings_nest_and_the_lead_stands_under_the_title_alone() -> None:
    fields = [("area", "5 km²"), ("towns", "One\n\nTwo "), ("empty", " \n ")]
    chunks = cut(as_document("Our\nLand", fields, SECTIONS), 512)
    assert [(chunk.heading, chunk.text) for chunk in chunks] == [
        ("Our Land > Infobox", "area: 5 km²\ntowns: One; Two"),
        ("Our Land", "Lead."),
        ("Our Land > A", "a"),
        ("Our Land > A > Below A", "aa"),
        ("Our Land > B", "b"),
        ("Our Land > B > Deep", "d"),
        ("Our Land > C", "c"),
    ]
    assert [heading_of("Our Land", chunk.heading) for chunk in chunks[:4]] == ["Infobox", None, "A", "A > Below A"]


def test_a_heading_without_text_leaves_no_passage_and_a_long_title_is_cut() -> None:
    assert cut(as_document("Ourland", [], [(2, "Empty", "")]), 512) == []
    title = "Long title " * 40
    found = cut(as_document(title, [], [(0, None, "Lead.")]), 64)
    assert found[-1].text.endswith("Lead.")
    assert {heading_of(as_document(title, [], []).title, chunk.heading) for chunk in found} == {None}


@given(st.text("ab#= \n", max_size=200), st.text("ab#= \n", max_size=50))
def test_no_line_of_a_text_becomes_a_heading(text: str, value: str) -> None:
    found = cut(as_document("T", [("# field", value)], [(0, None, text), (2, "S", text)]), 512)
    assert {chunk.heading for chunk in found} <= {"T", "T > Infobox", "T > S"}
    said = "".join(" ".join(chunk.text.split()) for chunk in found if chunk.heading == "T > S")
    assert said.replace(" ", "") == "".join(text.split())
