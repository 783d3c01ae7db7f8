"""Lists compared as sets, and distributions compared category by category."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from dagster_defs.steps.matching.numbers import Unclear, canonical_text, read_number, to_decimal
from dagster_defs.steps.matching.texts import final_answer, fold, plain
from dagster_defs.steps.matching.units import Units

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_PAIR = re.compile(
    r"\s*[-*•|]?\s*[\"']?(?P<name>[^\n]*?[^\s:=|\"'-])[\"']?\s*(?:[:=|]|->|→|\s-\s|\()\s*(?P<count>\d[\d, ]*?)\)?"
    r"(?:\s+[a-z]+)?\s*\|?\s*"
)


def json_in(text: str) -> object:
    """The JSON object or array that `text` is or holds, None where it holds none."""
    for opening, closing in (("{", "}"), ("[", "]")):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            try:
                found: object = json.loads(text[start : end + 1])
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict | list):
                return found
    return None


def list_of(answer: object) -> list[str] | None:
    """The items of a list as text: a JSON array, lines, or parts between semicolons or commas; None for no list."""
    if isinstance(answer, str):
        found = json_in(answer)
        if isinstance(found, list):
            return list_of(found)
        text = final_answer(plain(answer)).strip(" .")
        for mark in (r"\n+", r";\s*(?:and\s+)?", r",\s*(?:and\s+)?|\s+and\s+"):
            parts = [_BULLET.sub("", part).strip(" .,") for part in re.split(mark, text)]
            if len(parts) > 1:
                break
        return [part for part in parts if part]
    if isinstance(answer, list | tuple):
        return [_text(item) for item in answer if isinstance(item, str | int | float)]
    return None


def _text(item: str | float) -> str:
    """An item as a canonical text would say it: 12.0 is 12."""
    if isinstance(item, bool):
        return "yes" if item else "no"
    return item if isinstance(item, str) else canonical_text(item)


def keys_of(items: Iterable[str]) -> dict[str, str]:
    """Each item's key for comparison: folded, or as it stands where two items would fold into one."""
    listed = list(dict.fromkeys(items))
    folded = [fold(item) for item in listed]
    return {
        item: key if key and folded.count(key) == 1 else item.strip() for item, key in zip(listed, folded, strict=True)
    }


def match_list(answer: object, gold: Iterable[str]) -> bool:
    """Whether an answer holds exactly the gold list's items, in any order and however often."""
    items = list_of(answer)
    keys = keys_of(gold)
    known = set(keys.values())
    return items is not None and {item.strip() if item.strip() in known else fold(item) for item in items} == known


def distribution_of(answer: object, units: Units) -> dict[str, Decimal] | None:
    """Category to count: a JSON object, an array of pairs or of objects with a name and a count, or "A: 3, B: 4".

    None where the answer is nothing of the kind, or gives one category two counts.
    """
    if isinstance(answer, str):
        found = json_in(answer)
        return distribution_of(found, units) if found is not None else _from_text(answer)
    if isinstance(answer, list | tuple):
        pairs = [_pair(item) for item in answer]
    elif isinstance(answer, Mapping):
        if len(answer) == 1 and isinstance(inner := next(iter(answer.values())), Mapping | list):
            return distribution_of(inner, units)
        pairs = list(answer.items())
    else:
        return None
    counts: dict[str, Decimal] = {}
    for pair in pairs:
        if pair is None:
            return None
        try:
            count = read_number(pair[1], units=units)
        except Unclear:
            return None
        if counts.setdefault(str(pair[0]), count) != count:
            return None
    return counts or None


def _pair(item: object) -> tuple[str, object] | None:
    if isinstance(item, Mapping):
        item = list(item.values())
    if not isinstance(item, list | tuple) or len(item) != 2:
        return None
    name, count = item
    if isinstance(name, int | float) and isinstance(count, str):
        name, count = count, name
    return (_text(name), count) if isinstance(name, str | int | float) else None


def _from_text(text: str) -> dict[str, Decimal] | None:
    """ "A: 3, B: 4" or one pair a line; lines that are no pair may only introduce."""
    text = final_answer(plain(text)).strip(" .")
    lines = [line for line in text.split("\n") if line.strip()]
    parts = lines if len(lines) > 1 else re.split(r"(?<=[\d)])\s*[;,]\s*(?:and\s+)?|(?<=[\d)])\s+and\s+", text)
    counts: dict[str, Decimal] = {}
    for part in parts:
        match = _PAIR.fullmatch(_BULLET.sub("", part).strip(" .,;"))
        if match is None:
            if counts:
                return None
            continue
        count = Decimal(re.sub(r"\D", "", match["count"]))
        if counts.setdefault(match["name"].strip(), count) != count:
            return None
    return counts or None


def match_distribution(answer: object, gold: Mapping[str, float], units: Units) -> bool:
    """Whether every category has its count; a category the gold lacks may be there with a count of 0."""
    counts = distribution_of(answer, units)
    if counts is None:
        return False
    keys = keys_of(gold)
    wanted = {keys[name]: to_decimal(count) for name, count in gold.items()}
    given: dict[str, Decimal] = {}
    for name, count in counts.items():
        key = name.strip() if name.strip() in wanted else fold(name)
        if given.setdefault(key, count) != count:
            return False
    return {key: count for key, count in given.items() if count or key in wanted} == wanted
