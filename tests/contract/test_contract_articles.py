"""Real wikitext goes through the reader of infoboxes, and real plain text through the one of sections.

What is expected was read off the payloads by eye.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ingest.wikipedia.infobox import parse_infoboxes
from ingest.wikipedia.pages import parse_query
from ingest.wikipedia.sections import Section, split

EXPORT = "mediawiki-export-xml/wdtk_sample-daily-dump-20140220.xml"
_EXPORTED = "{http://www.mediawiki.org/xml/export-0.8/}"
# The recorded wikitext, its box and the fields of the box that have no value.
BOXES = [
    ("wptools_parse.json", "Infobox writer", ["caption", "movement"]),
    ("wptools_parse_109.json", "Infobox Région viticole", ["similaire", "saison", "superficietotale"]),
    ("wptools_parse_infobox.json", "Infobox album", ["venue"]),
]
CALLS = "mediawiki/barrust_requests_1.jsonl"


def wikitext_of(payloads: Path, name: str) -> str:
    """The wikitext of a recorded answer to action=parse."""
    wikitext = json.loads((payloads / "mediawiki" / name).read_bytes())["parse"]["wikitext"]
    return wikitext if isinstance(wikitext, str) else str(wikitext["*"])


def between_fields(wikitext: str) -> list[str]:
    """What stands before, between and after the names and values that are read in a box, up to the end of the box."""
    at, between = wikitext.index("{{Infobox"), []
    for one in parse_infoboxes(wikitext):
        for told in (one.field, one.wikitext):
            begins = wikitext.index(told, at)
            between.append(wikitext[at:begins])
            at = begins + len(told)
    return [*between, wikitext[at : wikitext.index("}}", at) + 2]]


def end_of(wikitext: str) -> int:
    """Where the box ends."""
    told = sum(len(one.field) + len(one.wikitext) for one in parse_infoboxes(wikitext))
    return wikitext.index("{{Infobox") + told + sum(map(len, between_fields(wikitext)))


def sections_of(payloads: Path, title: str) -> tuple[str, list[Section]]:
    """(plain text, its sections) of the recorded answer that has the whole text of a page."""
    for line in (payloads / CALLS).read_text().splitlines():
        recorded = json.loads(line)
        asked = dict(map(tuple, recorded["request"]))
        if (asked.get("titles"), asked.get("prop"), "explaintext" in asked) == (title, "extracts|revisions", True):
            text = parse_query(json.dumps(recorded["response"]).encode()).article(title).text
            return text, split(text)
    raise AssertionError(f"no call brought the text of {title}")


def test_exported_pages_have_no_infobox_though_one_speaks_of_them(payloads: Path) -> None:
    exported = ElementTree.parse(payloads / EXPORT).iter(f"{_EXPORTED}revision")
    texts = [(one.findtext(f"{_EXPORTED}model"), one.findtext(f"{_EXPORTED}text") or "") for one in exported]
    assert [model for model, _ in texts] == ["wikibase-item"] * 5 + ["wikitext"] * 2
    assert [parse_infoboxes(text) for _, text in texts] == [[]] * 7
    talk = [text for model, text in texts if model == "wikitext"]
    # Its lead has a {{Box}}, which is none; the word stands in a later section.
    assert all("{{Box|" in text.split("\n== ")[0] and "infoboxes" in text for text in talk)


def test_headings_of_an_exported_page(payloads: Path) -> None:
    pages = list(ElementTree.parse(payloads / EXPORT).iter(f"{_EXPORTED}page"))
    texts = [one.findtext(f"{_EXPORTED}text") or "" for one in pages[1].iter(f"{_EXPORTED}revision")]
    found = split(texts[1])
    assert [(one.level, one.heading) for one in found] == [
        (1, None),
        (2, "Wikipedia Watchlists"),
        (2, "What's the plan for heavy data?"),
        (2, "Same Wikipedia link in two different Wikidata items?"),
        (2, "Thought on the automated move function"),
        (2, "Deleted item still in search results"),
    ]
    assert found[0].text.startswith("__NEWSECTIONLINK__\n{{Shortcut|WD:DEV}}\n{{Box|")
    assert found[0].text.endswith("<!-- Please write under this line! -->")


def test_the_box_of_a_writer(payloads: Path) -> None:
    found = parse_infoboxes(wikitext_of(payloads, "wptools_parse.json"))
    assert {one.template for one in found} == {"Infobox writer"}
    # caption and movement are empty; a height in a template of its own is not understood.
    assert [(one.position, one.field, one.plain) for one in found] == [
        (1, "name", "Douglas Adams"),
        (2, "image", "Douglas adams portrait cropped.jpg"),
        (3, "birth_name", "Douglas Noel Adams"),
        (4, "birth_date", "1952-03-11"),
        (5, "birth_place", "Cambridge, England"),
        (6, "height", None),
        (7, "death_date", "2001-05-11"),
        (8, "death_place", "Montecito, California, U.S."),
        (9, "resting_place", "Highgate Cemetery, London, England"),
        (10, "alma_mater", "St John's College, Cambridge"),
        (11, "occupation", "Writer"),
        (12, "genre", "Science fiction, comedy, satire"),
        (13, "website", "douglasadams.com/"),
    ]
    assert {one.field: one.links for one in found if one.links} == {
        "birth_place": ("Cambridge",),
        "death_place": ("Montecito, California",),
        "resting_place": ("Highgate Cemetery",),
        "alma_mater": ("St John's College, Cambridge",),
    }
    assert found[5].wikitext == "{{height|ft=6|in=5}}"


def test_the_box_of_a_region_in_french_whose_references_have_links_of_their_own(payloads: Path) -> None:
    fields = {one.field: one for one in parse_infoboxes(wikitext_of(payloads, "wptools_parse_109.json"))}
    assert {one.template for one in fields.values()} == {"Infobox Région viticole"}
    assert len(fields) == 21
    assert (fields["typeappellation"].plain, fields["typeappellation"].links) == (
        "AOC-AOP",
        ("appellation d'origine contrôlée", "appellation d'origine protégée"),
    )
    assert (fields["sol"].plain, fields["sol"].links) == (
        "argilo-siliceux et gravelo-siliceux",
        ("argile", "silice", "Grave (terrain)"),
    )
    assert fields["superficieplantée"].plain == "28 hectares"
    assert fields["légende"].plain == "Vignoble de l'AOC orléans-cléry à Mareau-aux-Prés."
    # Templates of the French wiki, with figures in them.
    unread = {"pays", "jourssoleil", "cépages", "volproduction", "densité", "rendement"}
    assert {name for name, one in fields.items() if one.plain is None} == unread


def test_infoboxes_of_real_wikitext(payloads: Path) -> None:
    body = json.loads((payloads / "mediawiki/wptools_parse_infobox.json").read_bytes())
    wikitext = body["parse"]["wikitext"]
    fields = {one.field: one for one in parse_infoboxes(wikitext if isinstance(wikitext, str) else wikitext["*"])}
    assert {one.template for one in fields.values()} == {"Infobox album"}
    assert (fields["studio"].plain, fields["studio"].links) == (
        "Van Gelder Studio, Hackensack",
        ("Van Gelder Studio", "Hackensack, New Jersey"),
    )
    assert (fields["genre"].plain, fields["length"].plain) == ("Hard bop", "42:50")
    assert fields["label"].plain == "Blue Note\nBLP 1577"
    assert "venue" not in fields


@pytest.mark.parametrize(("name", "template", "empty"), BOXES)
def test_of_a_real_box_nothing_but_empty_fields_is_left_out(
    name: str, template: str, empty: list[str], payloads: Path
) -> None:
    head, *rest = between_fields(wikitext_of(payloads, name))
    assert re.sub(r"<!--.*?-->|[\s|]", " ", head).split() == f"{{{{{template}".split()
    assert [word for part in rest for word in re.split(r"[\s|=]+", part) if word] == [*empty, "}}"]


@pytest.mark.parametrize("name", [name for name, *_ in BOXES])
def test_a_real_text_that_was_cut_has_the_whole_box_or_none(name: str, payloads: Path) -> None:
    wikitext = wikitext_of(payloads, name)
    whole = parse_infoboxes(wikitext)
    ends = end_of(wikitext)
    for cut in range(0, ends + 200, 23):
        assert parse_infoboxes(wikitext[:cut]) == (whole if cut >= ends else []), cut


@pytest.mark.parametrize(("name", "marks"), [(BOXES[0][0], 10), (BOXES[1][0], 48), (BOXES[2][0], 16)])
def test_a_lost_mark_of_a_link_or_reference_of_a_real_box_costs_its_own_value_alone(
    name: str, marks: int, payloads: Path
) -> None:
    wikitext = wikitext_of(payloads, name)
    whole = {one.field: one for one in parse_infoboxes(wikitext)}
    box = wikitext[: end_of(wikitext)]
    found = list(re.finditer(r"\[\[|\]\]|<ref[^>]*[^>/]>|</ref>", box))
    assert len(found) == marks
    for mark in found:
        damaged = {one.field: one for one in parse_infoboxes(wikitext[: mark.start()] + wikitext[mark.end() :])}
        changed = [one for field, one in whole.items() if damaged[field].wikitext != one.wikitext]
        assert len(changed) <= 1
        for one in whole.values():
            if one not in changed:
                assert (damaged[one.field].plain, damaged[one.field].links) == (one.plain, one.links)
        read = [one.plain for one in damaged.values() if one.plain is not None]
        assert [text for text in read if re.search(r"\[\[|\]\]|</?ref", text)] == []


def test_a_text_that_ends_in_a_heading(payloads: Path) -> None:
    assert sections_of(payloads, "Castos")[1] == [
        Section(0, 1, None, "Archmaester Castos is an archmaester at the Citadel in Oldtown."),
        Section(1, 2, "References and Notes", ""),
    ]


def test_the_sections_of_a_long_text(payloads: Path) -> None:
    _, found = sections_of(payloads, "Arya Stark")
    assert [(one.level, one.heading) for one in found] == [
        (1, None),
        (2, "Appearance and Character"),
        (2, "History"),
        (2, "Recent Events"),
        (3, "A Game of Thrones"),
        (3, "A Clash of Kings"),
        (3, "A Storm of Swords"),
        (3, "A Feast for Crows"),
        (3, "A Dance with Dragons"),
        (3, "The Winds of Winter"),
        (2, "Arya and Death"),
        (2, "Quotes by Arya"),
        (2, "Quotes about Arya"),
        (2, "Family"),
        (2, "References and Notes"),
        (2, "External Links"),
    ]
    assert found[0].text.startswith("Arya Stark is the third child and second daughter of Lord Eddard Stark")
    assert found[0].text.endswith("the Rhoynar warrior-queen of the same name.")
    assert found[11].text == (
        "– after the killing of Chiswyck\n\n– Gendry and Arya\n\n– Gendry and Arya\n\n"
        "- regarding Needle and her recently acquired possessions"
    )
    assert [one.ordinal for one in found if not one.text] == [3, 13, 14]


def test_an_equals_sign_in_a_formula_is_no_heading(payloads: Path) -> None:
    text, found = sections_of(payloads, "Area")
    # Formulas are laid out over several lines, so that 23 of them hold nothing but the sign.
    assert len(re.findall(r"(?m)^ +=$", text)) == 23
    assert sum(len(re.findall(r"(?m)^ *=$", one.text)) for one in found) == 23
    assert [(one.level, one.heading) for one in found[:7]] == [
        (1, None),
        (2, "Formal definition"),
        (2, "Units"),
        (3, "Conversions"),
        (4, "Non-Metric units"),
        (3, "Other units including historical"),
        (2, "History"),
    ]
    assert (len(found), found[-1]) == (34, Section(33, 2, "External links", ""))
    assert found[4].text.startswith("In non-metric units, the conversion between two square units is the square")
    assert found[4].text.endswith("1 square mile = 2.589988110336 square kilometres")


@pytest.mark.parametrize(("title", "sections"), [("Arya Stark", 16), ("Castos", 2), ("Area", 34), ("Jon Snow", 15)])
def test_no_word_of_a_real_text_is_lost(title: str, sections: int, payloads: Path) -> None:
    text, found = sections_of(payloads, title)
    told = [f"{'=' * one.level} {one.heading} {'=' * one.level} {one.text}" for one in found[1:]]
    assert " ".join([found[0].text, *told]).split() == text.split()
    assert len(found) == sections
