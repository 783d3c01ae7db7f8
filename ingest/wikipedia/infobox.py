"""The fields of an article's infoboxes, read from its wikitext; pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec
import mwparserfromhell
from mwparserfromhell.nodes import Node, Tag, Template, Wikilink
from mwparserfromhell.wikicode import Wikicode

from ingest.wikipedia.plain import BROKEN, is_note, is_page, plain

# Boxes that are not called so.
_BOXES: Final = ("chembox", "drugbox", "geobox", "speciesbox", "starbox", "taxobox")
_BOX: Final = re.compile(
    rf"infobox\b.*|.*\binfobox|(?:automatic )?(?:{'|'.join(_BOXES)})\b.*", re.IGNORECASE | re.DOTALL
)
_FIRST_HEADING: Final = re.compile(r"^={2,6}[^=\n].*=[ \t]*$", re.MULTILINE)
# What stands before the first heading is shorter than this in any article that people wrote.
_MOST_CHARACTERS: Final = 200_000
_DEEPEST: Final = 4
# The parser's time grows with the square of what is opened and never closed: more of it than people forget is no box.
_MOST_UNCLOSED: Final = 100
_MARKS: Final = (
    re.compile(r"(\{\{)|\}\}"),
    re.compile(r"(\[\[)|\]\]"),
    re.compile(r"(<(?!br\b|hr\b|!|/)[a-z][^<>]*(?<!/)>)|</", re.IGNORECASE),
)
# Tags that people need not close. The parser looks for their end beyond that of the box, which it then takes for text.
_ITEMS: Final = ("li", "dt", "dd", "th", "td", "tr")


class InfoboxField(msgspec.Struct, frozen=True):
    """A field that has a value.

    position: from 1 on through all boxes of the article. template: the box, as it is called in the wikitext. plain:
    one item a line, None where something in the value is not understood. links: titles of the pages it links to, but
    for those that its references and notes link to.
    """

    position: int
    template: str
    field: str
    wikitext: str
    plain: str | None
    links: tuple[str, ...]


def parse_infoboxes(wikitext: str) -> list[InfoboxField]:
    """The fields of the boxes before the first heading, those of boxes within boxes after the field they stand in."""
    heading = _FIRST_HEADING.search(wikitext)
    lead = wikitext[: heading.start()] if heading else wikitext
    if not _might_have_a_box(lead) or not _is_readable(lead):
        return []
    code = mwparserfromhell.parse(_closed(lead), skip_style_tags=True)
    found: list[InfoboxField] = []
    for box in _boxes(code):
        for template, name, value in _fields(box, 1):
            text = _whole(value)
            if text:
                position = len(found) + 1
                found.append(InfoboxField(position, template, name, text, plain(value), tuple(_links(value))))
    return found


def _might_have_a_box(lead: str) -> bool:
    lower = lead.lower()
    return "infobox" in lower or any(name in lower for name in _BOXES)


def _is_readable(lead: str) -> bool:
    return len(lead) <= _MOST_CHARACTERS and all(_deepest(mark, lead) <= _MOST_UNCLOSED for mark in _MARKS)


def _deepest(mark: re.Pattern[str], text: str) -> int:
    """How many are open at once, at most; the first group is what opens."""
    depth = deepest = 0
    for match in mark.finditer(text):
        depth = depth + 1 if match[1] else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _closed(lead: str) -> str:
    """``lead`` with tags of items broken up where some were never closed, so that they are text to the parser."""
    for name in _ITEMS:
        opened = re.compile(rf"<(?={name}\b)", re.IGNORECASE)
        if len(opened.findall(lead)) > len(re.findall(rf"</{name}\b", lead, re.IGNORECASE)):
            lead = opened.sub(f"<{BROKEN}", lead)
    return lead


def _whole(code: Wikicode) -> str:
    """Wikitext as it was before tags were broken up."""
    return str(code).replace(BROKEN, "").strip()


def _boxes(code: Wikicode) -> Iterator[Template]:
    """The boxes that stand in no other box; one may stand in a template that only places it."""
    for template in code.filter_templates(recursive=False):
        if _is_box(template):
            yield template
        else:
            for parameter in template.params:
                yield from _boxes(parameter.value)


def _fields(box: Template, depth: int) -> Iterator[tuple[str, str, Wikicode]]:
    name = _name(box)
    for parameter in box.params:
        yield name, _whole(parameter.name), parameter.value
        if depth < _DEEPEST:
            for inner in parameter.value.filter_templates(recursive=False):
                if _is_box(inner):
                    yield from _fields(inner, depth + 1)


def _name(template: Template) -> str:
    without_comments = template.name.strip_code(normalize=False, collapse=False)
    return " ".join(without_comments.replace("_", " ").split())


def _is_box(template: Template) -> bool:
    return _BOX.fullmatch(_name(template)) is not None


def _links(value: Wikicode) -> Iterator[str]:
    seen = set()
    noted = {id(link) for note in value.ifilter(recursive=True, matches=is_note) for link in _links_of(note)}
    for link in value.ifilter(recursive=True, forcetype=Wikilink):
        title = " ".join(str(link.title).split("#")[0].replace("_", " ").split()).lstrip(":")
        if title and is_page(link) and title not in seen and id(link) not in noted:
            seen.add(title)
            yield title


def _links_of(note: Node) -> Iterator[Wikilink]:
    parts = [one.value for one in note.params] if isinstance(note, Template) else []
    if isinstance(note, Tag) and note.contents is not None:
        parts.append(note.contents)
    for part in parts:
        yield from part.ifilter(recursive=True, forcetype=Wikilink)
