"""Numbers spelled out in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_SMALL_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_SMALL = {word: number for number, word in enumerate(_SMALL_WORDS)}
_TENS_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {word: number * 10 for number, word in enumerate(_TENS_WORDS, start=2)}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ANY = "|".join([*_SMALL, *_TENS, *_LARGE, "hundred"])
_DIGIT = "|".join(_SMALL_WORDS[:10])
_RUN = re.compile(
    rf"(?<![\w-])(?:(?P<sign>minus|negative) )?"
    rf"(?P<run>(?:{_ANY})(?:(?:[ -]|,? and )(?:{_ANY}))*(?: point(?: (?:{_DIGIT}))+)?)(?![\w-])",
    re.IGNORECASE,
)
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
}
_PARTS |= {f"{word}s": parts for word, parts in _PARTS.items() if word != "halves"} | {"tenth": 10, "tenths": 10}
_PART = re.compile(rf"[ -](?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True))})\b", re.IGNORECASE)
# "one" as a pronoun: no count.
_PRONOUN = re.compile(r"(?:\b(?:no|the|this|that|which|any|each|every|not)|n['’]t) $", re.IGNORECASE)
_NONE = re.compile(r"(?:none|no \w+)\.?", re.IGNORECASE)


def spelled_numbers(text: str) -> Iterator[tuple[Decimal, str]]:
    """Each number spelled out in `text`, with the text after it; "none" by itself is 0.

    After "two thirds" and "a half" stands the word "fraction", since that is their unit.
    """
    text = re.sub(
        r"\b(?:an?|(?<!one )(?<!a )(?=half\b)) ?(?=(?:half|third|quarter|fifth|tenth)\b)",
        "one ",
        text,
        flags=re.IGNORECASE,
    )
    if _NONE.fullmatch(text.strip()) and text.strip(" .").casefold() not in (
        "no one",
        "no idea",
        "no answer",
        "no data",
    ):
        yield Decimal(0), ""
        return
    for match in _RUN.finditer(text):
        run = match["run"].casefold()
        if run == "one" and (
            _PRONOUN.search(text[: match.start()]) or re.match(r" (?:of|that|which|with)\b", text[match.end() :])
        ):
            continue
        value = _value(run)
        part = _PART.match(text, match.end())
        if value is not None and part:
            yield value / _PARTS[part["part"].casefold()], "fraction"
        elif value is not None:
            yield (-value if match["sign"] else value), text[match.end() :]


def _value(run: str) -> Decimal | None:
    """The number, None where the words don't make one ("two three")."""
    whole, _, decimals = run.partition(" point ")
    words = [word for word in re.split(r"[ ,-]+", whole) if word not in ("and", "")]
    total, group, room = 0, 0, 10**15
    last = 1000
    for word in words:
        if word in _LARGE:
            if _LARGE[word] >= room:
                return None
            total, room = total + (group or 1) * _LARGE[word], _LARGE[word]
            group, last = 0, 1000
        elif word == "hundred":
            if (group and last >= 100) or group > 99:
                return None
            group, last = (group or 1) * 100, 100
        else:
            part = _TENS.get(word, _SMALL.get(word, 0))
            fits = not group or last == 100 or (last == 20 and 0 < part < 10)
            if not fits:
                return None
            group, last = group + part, 20 if word in _TENS else 1
    value = Decimal(total + group)
    digits = "".join(str(_SMALL[word]) for word in decimals.split())
    return value + Decimal(f"0.{digits}") if digits else value
