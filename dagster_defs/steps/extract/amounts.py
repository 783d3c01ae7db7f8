"""Amounts as a text states them: their digits kept, their scale words read, ranges and bounds told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final

from dagster_defs.steps.matching.numbers import decimal_of
from dagster_defs.steps.matching.texts import plain
from dagster_defs.steps.matching.units import ARITHMETIC, SCALES
from dagster_defs.steps.matching.words import spelled_numbers

# More digits than any source gives, and powers of ten that no quantity needs.
_MOST_DIGITS: Final = 30
_MOST_POWER: Final = 60
# Characters before and after an amount in which a sign or a bound may stand.
_NEAR: Final = 40

_DIGITS: Final = r"(?:\d{1,3}(?:[ '’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)"
_NUMBER: Final = re.compile(
    rf"(?<![\w.^])(?P<digits>{_DIGITS})"
    rf"(?:\s?(?:±|\+/-)\s?(?P<give>{_DIGITS}))?"
    r"(?:[eE](?P<exponent>[-+]?\d{1,3})(?!\w)|\s?[x×*·⋅]\s?10\s?\^\s?\(?(?P<power>[-+]?\d{1,3})\)?)?"
)
# Digits that are no amount: dates, times of day and fractions.
_DATE: Final = re.compile(r"(?<!\d)(?:\d{4}-\d\d-\d\d|\d+(?:[:/]\d+)+)")
_SCALE: Final = re.compile(
    r"[\s-]?(?P<scale>" + "|".join(sorted(SCALES, key=len, reverse=True)) + r")(?![^\W_])", re.IGNORECASE
)
_MONEY: Final = re.compile(r"(?P<unit>(?:US|[ACR])?[$€£¥₹₩₽]|\b[A-Z]{3})\s?-?$")
# After a sign of money a letter is a scale: $1.2b.
_LETTER: Final = re.compile(r"\s?(?P<scale>[kmbt])(?![^\W_])", re.IGNORECASE)
_LETTERS: Final = {"k": 3, "m": 6, "b": 9, "t": 12}
_SIGN: Final = re.compile(r"(?:\b(?:minus|negative)\s|(?<![\w)%°])-)(?:[$€£¥]\s?)?$", re.IGNORECASE)
# Ordinals, decades and powers; divisors of units, powers, and numbers in names ("bromine-82").
_NO_AMOUNT_AFTER: Final = re.compile(r"(?:st|nd|rd|th)\b|['’]?s\b|\^|_", re.IGNORECASE)
_NO_AMOUNT_BEFORE: Final = re.compile(r"(?:\bper\s|/\s?|[^\W\d_]-|\^[-+]?|\d[.,]|\bNo\.\s?|#)$", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"(?:\s?(?:[^\s\d,.;()-]{1,8}\s?)?(?:-|\bto\b|\bthrough\b)|\s?\bor\b)\s?(?:[$€£¥]\s?)?", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\bbetween\s[^\d]{0,20}$", re.IGNORECASE)
_BOUND: Final = re.compile(
    r"(?:[<>≤≥]|\b(?:(?:more|less|fewer|greater|higher|lower|larger|smaller|longer|shorter|older|younger) than"
    r"|at (?:least|most)|up to|as (?:many|much|high|low) as|upwards? of|over|under|above|below|beyond"
    r"|exceed(?:s|ed|ing)?|nearly|almost|minimum(?: of)?|maximum(?: of)?|not))\s?(?:or equal to\s?)?"
    r"(?:about |around |approximately |roughly |some |an estimated )?(?:(?:US|[ACR])?[$€£¥]\s?)?$",
    re.IGNORECASE,
)
_BOUND_AFTER: Final = re.compile(
    r"\s?\+(?!\s?[\d/])|[^\d.;,]{0,25}\b(?:or|and) (?:more|less|fewer|over|above|below|longer|higher)\b", re.IGNORECASE
)
# What may stand before the number of a value that is given by itself, and in brackets behind it.
_LEAD: Final = re.compile(
    r"(?>\s|(?:about|approximately|approx|around|roughly|circa|ca?|some|an?|estimated(?: at)?|est|total(?: of)?)\b\.?"
    r"|[~≈=+]|(?:US|[ACR])?[$€£¥₹₩₽]|(?-i:[A-Z]{3})\b)*+",
    re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
# Digits of a unit: km^2, m2, per 1,000.
_UNIT_DIGITS: Final = re.compile(r"\^-?\d|(?<=[a-z])-?[1-4]\b|(?:\bper |/)[\d,]+")


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount and where it stands in its text.

    value: its exponent is that of the last digit stated. give: how far it may be off to either side, as the text says
    or its scale word makes it; None where the digits themselves show it. is_open: an end of a range, or a bound.
    is_scaled: a scale word or a power of ten stands behind its digits. before, after: the text around it.
    """

    value: Decimal
    give: Decimal | None = None
    is_open: bool = False
    is_scaled: bool = False
    before: str = ""
    after: str = ""

    @property
    def texts(self) -> tuple[str, str | None, str | None]:
        """Amount, lower and upper bound in digits; no bounds where the amount's own digits show them."""
        if self.give is None:
            return in_digits(self.value), None, None
        lower, upper = ARITHMETIC.subtract(self.value, self.give), ARITHMETIC.add(self.value, self.give)
        return in_digits(self.value), in_digits(lower), in_digits(upper)

    @property
    def money(self) -> str | None:
        """The sign of money before it."""
        sign = _MONEY.search(self.before)
        return sign["unit"] if sign else None


def in_digits(value: Decimal) -> str:
    """A decimal without exponent, and zero without a sign."""
    text = f"{value:f}"
    return text if value else text.removeprefix("-")


def scaled(amount: Amount, power: int) -> Amount | None:
    """So many powers of ten more, as coarse as its last digit where that is left of the point; None out of range."""
    if abs(power) > _MOST_POWER:
        return None
    value = amount.value.scaleb(power, ARITHMETIC)
    give = None if amount.give is None else amount.give.scaleb(power, ARITHMETIC)
    exponent = value.as_tuple().exponent
    if give is None and isinstance(exponent, int) and exponent > 0:
        give = Decimal(5).scaleb(exponent - 1)
    return replace(amount, value=value, give=give)


def read_amount(text: str) -> Amount | str:
    """The amount that a value given by itself states, or ``inexact`` for a range or bound, else ``unparsable``."""
    whole = plain(text)
    found = amounts(_BRACKETS.sub("", whole).strip() or whole)
    if any(one.is_open for one in found):
        return "inexact"
    if len(found) != 1 or not _LEAD.fullmatch(found[0].before):
        return "unparsable"
    rest = found[0].after
    more = any(word in SCALES or word == "half" for word in re.findall(r"[a-z]+", rest.casefold()))
    return "unparsable" if more or re.search(r"\d", _UNIT_DIGITS.sub("", rest)) else found[0]


def power_of(words: str) -> tuple[int, str]:
    """(power of ten, the rest) of a unit that begins with a scale, such as "billion US dollars"."""
    power, end = _power(words.strip(), 0, is_money=False)
    rest = words.strip()[end:]
    return power, re.sub(r"^\s*of\b", "", rest).strip()


def amounts(text: str) -> list[Amount]:
    """Every amount that ``text``, already plain, states in digits or in words."""
    return [*_in_digits(_DATE.sub(lambda date: "_" * len(date.group()), text)), *_in_words(text)]


def _in_digits(text: str) -> Iterator[Amount]:
    found: list[tuple[int, int, Amount]] = []
    for match in _NUMBER.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        sign = _SIGN.search(before)
        if _NO_AMOUNT_AFTER.match(text, match.end()) or (sign is None and _NO_AMOUNT_BEFORE.search(before)):
            continue
        value, give = decimal_of(match["digits"]), decimal_of(match["give"] or "0")
        if value is None or give is None or len(value.as_tuple().digits) > _MOST_DIGITS:
            continue
        start = match.start() - len(before) + sign.start() if sign else match.start()
        front = text[:start]
        power, end = _power(text, match.end(), is_money=bool(_MONEY.search(before)))
        is_open = bool(_BOUND.search(front[-_NEAR:]) or _BOUND_AFTER.match(text[end : end + _NEAR]))
        signed = value.copy_negate() if sign else value
        # The sign of money of a negative amount stands behind the minus.
        money = re.search(r"[$€£¥]\s?$", before) if sign else None
        power += int(match["exponent"] or match["power"] or 0)
        front += money.group() if money else ""
        bare = Amount(signed, give if match["give"] else None, is_open, power != 0, front, text[end:])
        made = scaled(bare, power)
        if made is not None:
            found.append((start, end, made))
    for place, (_, _, made) in enumerate(found):
        near = [one[:2] for one in found[max(0, place - 1) : place + 2]]
        yield replace(made, is_open=made.is_open or _is_range(text, near))


def _power(text: str, end: int, *, is_money: bool) -> tuple[int, int]:
    """(power of ten of the scale words from ``end``, where they end)."""
    power = 0
    while match := _SCALE.match(text, end):
        power, end = power + SCALES[match["scale"].casefold()].adjusted(), match.end()
    if not power and is_money and (letter := _LETTER.match(text, end)):
        return _LETTERS[letter["scale"].casefold()], letter.end()
    return power, end


def _is_range(text: str, marks: Sequence[tuple[int, int]]) -> bool:
    """Whether two neighbours are the ends of a range ("100-200 km", "between 5 and 6")."""
    for (start, end), (following, _) in pairwise(marks):
        between = text[end:following]
        spread = _BETWEEN.search(text[max(0, start - _NEAR) : start]) and re.search(r"\band\b", between)
        if spread or _RANGE.fullmatch(between):
            return True
    return False


def _in_words(text: str) -> Iterator[Amount]:
    if re.match(r"\W*(?:none|no|not)\b", text, re.IGNORECASE):
        return
    for value, rest in spelled_numbers(text):
        before, said = _apart(text[: len(text) - len(rest)])
        # The scale word of "1.4 million" is no number of its own.
        if rest == "fraction" or not said or said[0].casefold() in SCALES:
            continue
        # Thousands that are all zeros were said as a word: it is as coarse as what is said before that.
        zeros = 0
        while value and value % Decimal(1000) ** (zeros + 1) == 0:
            zeros += 1
        is_open = bool(_BOUND.search(before[-_NEAR:]) or _BOUND_AFTER.match(rest))
        bare = Amount(value.scaleb(-3 * zeros, ARITHMETIC), None, is_open, zeros > 0, before, rest)
        # Without the zeros behind the point that scaling down leaves.
        whole = replace(bare, value=Decimal(int(bare.value))) if bare.value == int(bare.value) else bare
        made = scaled(whole, 3 * zeros)
        if made is not None:
            yield made


def _apart(text: str) -> tuple[str, list[str]]:
    """The words before the number words at the end of ``text``, and these."""
    words, said = text.split(" "), list[str]()
    while words and _is_number_word(words[-1]):
        said.insert(0, words.pop().strip(",-").split("-")[0])
    while said and said[0] == "and":
        said.pop(0)
    return " ".join(words), said


def _is_number_word(word: str) -> bool:
    bare = word.strip(",-").casefold()
    return bare in ("and", "point", "minus", "negative", "") or next(spelled_numbers(bare), None) is not None
