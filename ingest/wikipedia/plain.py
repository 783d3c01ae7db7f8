"""Wikitext as a reader sees it, where all of it is understood; pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from mwparserfromhell.nodes import Comment, ExternalLink, Heading, HTMLEntity, Tag, Template, Text, Wikilink
from mwparserfromhell.nodes.extras import Parameter
from mwparserfromhell.wikicode import Wikicode

_NO_PAGE: Final = re.compile(r"\s*(?:file|image|category|media)\s*:.*", re.IGNORECASE | re.DOTALL)
_APOSTROPHES: Final = re.compile(r"'{2,5}")
# Stands in the tags that were broken up before the parser saw them.
BROKEN: Final = "\ufdd0"
# Marks of tables, templates, links, comments and tags that the parser took for text: they were never closed, or opened.
_MARKS: Final = re.compile(rf"\{{\||\{{\{{|\}}\}}|\[\[|\]\]|<!--|-->|</?[a-z]|{BROKEN}", re.IGNORECASE)
# A value stands at the start of a line, where these mark an item of a list.
_ITEM: Final = re.compile(r"\s*[*#:;]+")
_NUMBER: Final = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")
_DROPPED_TAGS: Final = frozenset({"ref", "references", "noinclude", "templatestyles", "hr"})
_READ_TAGS: Final = frozenset(
    {
        "abbr", "b", "bdi", "big", "center", "cite", "code", "div", "em", "font", "i", "li", "nowiki", "ol", "p", "s",
        "small", "span", "strong", "sub", "sup", "time", "u", "ul", "var", "dd", "dt",
    }
)  # fmt: skip
_BREAKS: Final = frozenset({"br", "div", "li", "p", "dd", "dt", "ul", "ol"})
_RANGES: Final[Mapping[str, str]] = {"-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "by": " by "}
_TWO_UNITS: Final = frozenset({("ft", "in"), ("lb", "oz"), ("st", "lb"), ("yd", "ft"), ("mi", "yd")})


class _NotUnderstoodError(Exception):
    """Something in a value has no plain text that is known."""


def plain(code: Wikicode) -> str | None:
    """The text of a value, one item a line, without references and comments; None where it is not all understood.

    A template's figures are given as they were written, never computed.
    """
    try:
        text = _text(code)
    except (_NotUnderstoodError, RecursionError):
        return None
    if _ITEM.match(str(code)):
        text = _ITEM.sub("", text, count=1)
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line) or None


def is_page(link: Wikilink) -> bool:
    """Whether a link is to a page to read, and not a picture or a category."""
    return _NO_PAGE.fullmatch(str(link.title)) is None


def is_note(node: object) -> bool:
    """Whether a node is a reference, a note or a mark, of which a value's text has nothing."""
    match node:
        case Tag():
            return _called(node.tag) in _DROPPED_TAGS
        case Template():
            return _READERS.get(_called(node.name)) is _nothing
    return False


def _text(code: Wikicode) -> str:
    return _APOSTROPHES.sub("", "".join(_node(node) for node in code.nodes))


def _node(node: object) -> str:
    match node:
        case Text():
            if _MARKS.search(node.value):
                raise _NotUnderstoodError
            return str(node.value)
        case Comment():
            return ""
        case HTMLEntity():
            return str(node.normalize())
        case Wikilink():
            return _text(node.text if node.text is not None else node.title).lstrip(":") if is_page(node) else ""
        case ExternalLink():
            return _text(node.title if node.title is not None else node.url)
        case Heading():
            return f"\n{_text(node.title)}\n"
        case Tag():
            return _tag(node)
        case Template():
            return _template(node)
    raise _NotUnderstoodError


def _tag(tag: Tag) -> str:
    name = str(tag.tag).strip().lower()
    if name in _DROPPED_TAGS:
        return ""
    if name == "br":
        return "\n"
    if name not in _READ_TAGS:
        raise _NotUnderstoodError
    inner = _text(tag.contents) if tag.contents is not None else ""
    if name == "sup":
        return f"^{inner}" if inner else ""
    return f"\n{inner}" + ("" if tag.wiki_markup else "\n") if name in _BREAKS else inner


class _Given:
    """A template's parameters as text."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self.listed = [_text(one.value).strip() for one in template.params if not one.showkey]

    def named(self, *names: str) -> str | None:
        """The value of the first of these that is given."""
        found = (one for name in names if (one := self._parameter(name)) is not None)
        return next((_text(one.value).strip() for one in found), None)

    def only(self, *names: str) -> None:
        """Refuse parameters that change the text in ways that are not known here."""
        for one in self.template.params:
            if one.showkey and str(one.name).strip() not in names:
                raise _NotUnderstoodError

    def at(self, number: int) -> str:
        """The parameter of that number, from 1 on, also where it is written with its number."""
        one = self._parameter(str(number))
        if one is None:
            raise _NotUnderstoodError
        return _text(one.value).strip()

    def _parameter(self, name: str) -> Parameter | None:
        return next((one for one in self.template.params if str(one.name).strip() == name), None)


def _first(given: _Given) -> str:
    return given.at(1)


def _second(given: _Given) -> str:
    return given.at(2)


def _items(given: _Given) -> str:
    return "\n" + "\n".join(given.listed) + "\n"


def _block(given: _Given) -> str:
    # Lines of a list that is a parameter: the first mark stands at its start.
    return "\n" + re.sub(r"(?m)^\s*\*+\s*", "", given.at(1)) + "\n"


def _nothing(given: _Given) -> str:
    return ""


def _convert(given: _Given) -> str:
    """The figure that was written, not what it is converted to."""
    match given.listed:
        case [low, between, high, unit, *_] if _is_number(low, high) and between in _RANGES and _is_unit(unit):
            return f"{low}{_RANGES[between]}{high} {unit}"
        case [high, unit, low, small, *_] if _is_number(high, low) and (unit, small) in _TWO_UNITS:
            return f"{high} {unit} {low} {small}"
        case [_, _, third, _, *_] if _is_number(third):
            raise _NotUnderstoodError
        case [number, unit, *_] if _is_number(number) and _is_unit(unit):
            return f"{number} {unit}"
    raise _NotUnderstoodError


def _is_number(*texts: str) -> bool:
    return all(_NUMBER.fullmatch(text) for text in texts)


def _is_unit(text: str) -> bool:
    return bool(text) and text not in _RANGES and not _is_number(text) and text[0] not in "+±x×*"


def _val(given: _Given) -> str:
    given.only("u", "ul", "e", "fmt")
    match given.listed:
        case [number]:
            text = number
        case [number, error] if _is_number(error):
            text = f"{number}±{error}"
        case [number, above, below] if _is_number(above, below):
            text = f"{number} +{above.lstrip('+')} −{below.lstrip('-−')}"
        case _:
            raise _NotUnderstoodError
    power, unit = given.named("e"), given.named("u", "ul")
    if power:
        text = f"({text})×10^{power}" if len(given.listed) > 1 else f"{text}×10^{power}"
    return f"{text} {unit}" if unit else text


def _date(given: _Given) -> str:
    """A day, month or year as ISO 8601 has it."""
    return _iso(given.listed, 3)


def _date_of_death(given: _Given) -> str:
    # The day of birth follows.
    return _iso(given.listed[: 3 if len(given.listed) > 3 else len(given.listed)], 3)


def _iso(parts: list[str], most: int) -> str:
    if not 1 <= len(parts) <= most or not all(re.fullmatch(r"\d{1,4}", part, re.ASCII) for part in parts):
        raise _NotUnderstoodError
    year, *rest = map(int, parts)
    if not all(1 <= number <= most for number, most in zip(rest, (12, 31), strict=False)):
        raise _NotUnderstoodError
    return "-".join([f"{year:04d}", *(f"{number:02d}" for number in rest)])


def _duration(given: _Given) -> str:
    hours, minutes, seconds = (given.named(name) or "" for name in "hms")
    parts = [hours, minutes, seconds] if hours else [minutes, seconds]
    if not any(parts):
        parts = given.listed
    if not 2 <= len(parts) <= 3 or not all(re.fullmatch(r"\d{1,3}", part, re.ASCII) for part in parts):
        raise _NotUnderstoodError
    return ":".join([parts[0], *(part.zfill(2) for part in parts[1:])])


def _circa(given: _Given) -> str:
    given.only()
    return f"c. {'–'.join(given.listed)}"


_Reader = Callable[[_Given], str]
_READERS: Final[Mapping[str, _Reader]] = {
    **dict.fromkeys(("nowrap", "nobr", "no wrap", "small", "smaller", "big", "larger", "nobold", "url"), _first),
    **dict.fromkeys(("flag", "flagcountry", "flagu"), _first),
    **dict.fromkeys(("lang", "langr"), _second),
    **dict.fromkeys(("ubl", "unbulleted list", "ublist", "hlist", "flowlist"), _items),
    **dict.fromkeys(("flatlist", "plainlist", "plain list"), _block),
    **dict.fromkeys(("convert", "cvt"), _convert),
    "val": _val,
    **dict.fromkeys(("start date", "end date", "birth date", "death date", "dts"), _date),
    **dict.fromkeys(("start date and age", "birth date and age", "birth-date", "bda"), _date),
    **dict.fromkeys(("death date and age", "dda"), _date_of_death),
    "duration": _duration,
    **dict.fromkeys(("circa", "c."), _circa),
    **dict.fromkeys(
        ("sfn", "sfnp", "efn", "refn", "r", "rp", "cn", "citation needed", "fact", "notetag", "ref", "reflist",
         "increase", "decrease", "steady", "flagicon", "snf", "cite web", "cite book", "cite journal", "cite news"),
        _nothing,
    ),
    **dict.fromkeys(("nbsp", "sp"), lambda given: " "),
    **dict.fromkeys(("ndash", "en dash"), lambda given: "–"),
    **dict.fromkeys(("snd", "spaced ndash", "spnd"), lambda given: " – "),
}  # fmt: skip


def _called(name: Wikicode) -> str:
    return " ".join(str(name).replace("_", " ").split()).lower()


def _template(template: Template) -> str:
    name = " ".join(_text(template.name).replace("_", " ").split()).lower()
    if name.startswith("formatnum:") and not template.params:
        return name.removeprefix("formatnum:").strip()
    reader = _READERS.get(name)
    if reader is None:
        raise _NotUnderstoodError
    if reader is _nothing:
        return ""
    return reader(_Given(template))
