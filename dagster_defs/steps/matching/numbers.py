"""A number read out of an answer, with its words and units, and compared with a gold value.

Everything is decimal, so that what is written is what is compared. An answer that leaves the number open (a range, two
different numbers, no number) gives none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from itertools import pairwise

from dagster_defs.steps.matching.texts import final_answer, plain, without_maths
from dagster_defs.steps.matching.units import ARITHMETIC, SCALES, Measure, Units, convert
from dagster_defs.steps.matching.words import spelled_numbers

# Two statements of one number ("1,234 km (767 mi)", "1.4 billion (1,412,345,678)") are each rounded; relative.
RESTATED = Decimal("0.01")
_MOST_DIGITS = 400
# Characters before a number in which its sign, its currency or a "not" may stand.
_NEAR = 40
# An answer that states more numbers settles on none of them.
_MOST_NUMBERS = 40

_DIGITS = r"(?:\d{1,3}(?:[ '’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<digits>{_DIGITS})"
    r"(?:(?:[eE](?P<exponent>[-+]?\d{1,4})(?![\w]))|\s?[x×*·⋅]\s?10\s?\^\s?\(?(?P<power>[-+]?\d{1,4})\)?"
    r"|(?P<bare>\^[-+]?\d{1,4}))?"
)
_SCALE = re.compile(
    r"[\s-]?(?P<scale>" + "|".join(sorted(SCALES, key=len, reverse=True)) + r"|k|K|[mM]{1,2}|[bB]|[tT])(?![^\W_])",
    re.IGNORECASE,
)
_SHORT_SCALES = {"k": 3, "m": 6, "mm": 6, "b": 9, "t": 12}
_SIGN = re.compile(r"(?:\b(?:minus|negative)\s?|(?:(?<![\w)%°])-|^- ))[$€£¥]?$", re.IGNORECASE)
_CURRENCY_BEFORE = re.compile(r"(?P<unit>(?:US|[ACR])?[$€£¥₹₩₽]|\b[A-Z]{3})\s?-?\s?$")
_ERA = re.compile(r"\s?(?:(?P<bc>b\.?\s?c\.?(?:\s?e\.?)?)|(?:a\.?d\.?|c\.?e\.?))(?![^\W_])", re.IGNORECASE)
_ORDINAL_OR_DECADE = re.compile(r"(?:st|nd|rd|th)\b|['’]?s\b(?<=0s|0'|'s|’s)", re.IGNORECASE)
_DATE_OR_TIME = re.compile(r"[/:]\d|-\d+-\d|\.\d|[eE][-+]?\d")
_NOISE = (
    re.compile(r"\bas of (?:the )?(?:(?:[A-Za-z]+ )?(?:\d{1,2},? )?(?:[A-Za-z]+ )?\d{4})\b", re.IGNORECASE),
    re.compile(r"\((?:[A-Za-z. ]*\s)?(?:1[5-9]|20)\d\d(?:\s(?:est(?:imate)?\.?|data|figures?|census))?\)"),
    re.compile(r"\bin (?:the year )?(?:1[5-9]|20)\d\d\b", re.IGNORECASE),
)
_FRACTION = re.compile(
    r"(?<![\w.,/])(?P<part>\d[\d,]*)\s?(?:/|(?P<of>(?:out )?of(?: (?:the|all|a total of))*)|in)\s?"
    r"(?P<whole>\d[\d,]*)(?![\w/]|[.,]\d)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s?(?:-|to|and|or|through|until)\s?[$€£¥]?\s?-?", re.IGNORECASE)
_RESTATES = re.compile(r"[(=≈~]|\bi\.?e\b|\bor (?:about|approximately|roughly|around)\b|\bequivalent", re.IGNORECASE)
_NOT = re.compile(r"(?:\bnot|n['’]t|\bnever)(?: \w+)?\s?$", re.IGNORECASE)
_BOUND = re.compile(
    r"(?:[<>≤≥]|\b(?:more|less|fewer|greater|higher|lower) than|\bat (?:least|most)|\bup to|\bover|\bunder|\babove"
    r"|\bbelow|\bbetween)\s?(?:or equal to\s?)?[$€£¥]?$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(r"\s?(?:\+(?!\s?/)|or (?:more|less|fewer))", re.IGNORECASE)
_SOUTH_OR_WEST = re.compile(r"\s?°\s?(?:s|w|south|west)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A number as written: `unit` None where none is named, `scaled` with a word like million, and where it stands."""

    value: Decimal
    unit: Measure | None = None
    scaled: bool = False
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class NumberGold:
    """What a number is compared with.

    value: in `unit` (in words, None for a count). tolerance: relative. difference: a span between two values, whose
    conversion between temperature scales leaves out the zero points.
    """

    value: Decimal
    unit: str | None = None
    tolerance: Decimal = Decimal(0)
    difference: bool = False


class Unclear(ValueError):
    """The answer leaves the number open; the message says why."""


def to_decimal(number: float | int | str | Decimal) -> Decimal | None:
    """The decimal that a number is written as, None for NaN, infinities and what no answer needs (400 digits)."""
    try:
        value = Decimal(repr(number) if isinstance(number, float) else str(number))
    except (InvalidOperation, ValueError):
        return None
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        return None
    return value


def canonical_text(number: float | int) -> str:
    """A JSON number without exponent and trailing zeros: 12.0 is "12"; '' for one that `to_decimal` leaves out."""
    value = to_decimal(number)
    text = "" if value is None else f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def numbers_match(value: Decimal, gold: Decimal, tolerance: Decimal) -> bool:
    """Whether |value - gold| <= tolerance * |gold|: the contract's relative tolerance, 0 for exactly equal."""
    distance = ARITHMETIC.abs(ARITHMETIC.subtract(value, gold))
    return distance <= ARITHMETIC.multiply(tolerance, ARITHMETIC.abs(gold))


def decimal_of(digits: str) -> Decimal | None:
    """A run of digits with separators as a number, None where the separators fit no way of writing one.

    A lone comma before three digits groups thousands ("1,234"), unless a zero leads ("0,123") or more than three digits
    precede it; before any other number of digits it is a decimal comma ("29,5").
    """
    if len(digits) > _MOST_DIGITS or not re.fullmatch(_DIGITS, digits):
        return None
    run = re.sub(r"(?<=\d)[ '’](?=\d{3})", "", digits)
    spaced = run != digits
    commas, dots = run.count(","), run.count(".")
    if commas and dots:
        mark = max(",.", key=run.rfind)
        other = "," if mark == "." else "."
        if run.count(mark) > 1 or spaced:
            return None
        head, tail = run.split(mark)
        return Decimal(f"{head.replace(other, '')}.{tail}") if _grouped(head, other) else None
    if commas + dots <= 1:
        if commas and not spaced and re.fullmatch(r"[1-9]\d{0,2},\d{3}", run):
            return Decimal(run.replace(",", ""))
        return Decimal(run.replace(",", "."))
    mark = "," if commas else "."
    grouped = _grouped(run, mark) or (mark == "," and re.fullmatch(r"[1-9]\d?(?:,\d\d)+,\d{3}", run))
    return Decimal(run.replace(mark, "")) if grouped and not spaced else None


def _grouped(run: str, mark: str) -> bool:
    return bool(re.fullmatch(rf"[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+", run))


def readings(text: str, units: Units, like: Measure | None = None) -> list[Reading]:
    """Every number that `text` (already plain) states, in order; a divisor of a unit ("per 1,000 people") is none.

    like: the unit asked for; it decides what letters mean ("5 m" is five million where people are asked for). Raises
    Unclear where digits stand in no way of writing a number (a date, a version, "1,2,3") or after "not".
    """
    found: list[Reading] = []
    numbers = [match for match in _NUMBER.finditer(text) if _is_statement(text, match)]
    if len(numbers) > _MOST_NUMBERS:
        raise Unclear("different numbers")
    for index, match in enumerate(numbers):
        until = numbers[index + 1].start() if index + 1 < len(numbers) else len(text)
        reading = _reading(text, match, until, units, like)
        if reading is not None:
            found.append(reading)
    return found


def _is_statement(text: str, match: re.Match[str]) -> bool:
    """Numbers inside names ("bromine-82") and units ("per 1,000", "km^2") state nothing."""
    before = text[max(0, match.start() - _NEAR) : match.start()]
    return not re.search(r"(?:\bper\s|[^\W\d_]\s?/\s?|[^\W\d_]-|\^[-+]?|[^\W\d_]\()$", before, re.IGNORECASE)


def _reading(text: str, match: re.Match[str], until: int, units: Units, like: Measure | None) -> Reading | None:
    before, end = text[max(0, match.start() - _NEAR) : match.start()], match.end()
    if _ORDINAL_OR_DECADE.match(text, end):
        return None
    value = decimal_of(match["digits"])
    if value is None or _DATE_OR_TIME.match(text, end):
        raise Unclear(f"{match.group()!r} is not a number written in one way")
    if _NOT.search(before):
        raise Unclear("a number after 'not'")
    value = _powered(value, match)
    start, negative = match.start(), False
    sign = _SIGN.search(before)
    # "- 12" on one of several lines is an item of a list.
    if sign and not (sign.group().startswith("- ") and "\n" in text):
        negative, start = True, match.start() - len(before) + sign.start()
    scale, end = _scale(text, end, like)
    era = _ERA.match(text, end)
    if era:
        negative, end = negative or era["bc"] is not None, era.end()
    unit = units.parse(text[end:until], like, symbols=_takes_symbols(like))
    prefix = _CURRENCY_BEFORE.search(before)
    if unit is None and prefix:
        unit = units.parse(prefix["unit"], like)
        unit = unit if unit and unit.is_currency else None
    negative = (
        negative or bool(_SOUTH_OR_WEST.match(text, end)) or bool(re.match(r"[^,.;]{0,20}below zero", text[end:]))
    )
    value = ARITHMETIC.multiply(value, scale)
    return Reading(-value if negative else value, unit, scale != 1, start, end)


def _powered(value: Decimal, match: re.Match[str]) -> Decimal:
    if match["bare"]:
        power = int(match["bare"][1:])
        return ARITHMETIC.power(value, power) if abs(power) <= _MOST_DIGITS else Decimal("NaN")
    return value.scaleb(int(match["exponent"] or match["power"] or 0), ARITHMETIC)


def _takes_symbols(like: Measure | None) -> bool:
    """A count has no unit, so that single letters after it are something else ("5 m" people)."""
    return like is not None and bool(like.dimensions)


def _scale(text: str, end: int, like: Measure | None) -> tuple[Decimal, int]:
    """The product of the scale words from `end` ("hundred thousand"), and where they end."""
    scale = Decimal(1)
    while match := _SCALE.match(text, end):
        word = match["scale"]
        power = _SHORT_SCALES.get(word.casefold()) if word.casefold() not in SCALES else None
        # Letters are scales for counts and money; elsewhere they are units (300 K, 5 m, 3 t).
        if power is not None and like is not None and like.dimensions and not like.is_currency:
            break
        scale = ARITHMETIC.multiply(scale, SCALES[word.casefold()] if power is None else Decimal(10) ** power)
        end = match.end()
        if power is not None:
            break
    return scale, end


def read_number(
    answer: object, unit: str | None = None, *, units: Units, gold_unit: str | None = None, exact: bool = True,
    difference: bool = False,
) -> Decimal:  # fmt: skip
    """The number that an answer states, in `gold_unit`.

    answer: a JSON number, or text. unit: the answer's own field for it, which may hold a scale ("million people"); what
    the text itself names goes first. exact: "more than 12" is no answer, where otherwise it is read as 12. Raises
    Unclear where the answer leaves the number open or measures something else.
    """
    like = units.asked(gold_unit) if gold_unit else None
    if isinstance(answer, bool) or not isinstance(answer, int | float | str | Decimal):
        raise Unclear("no number")
    if isinstance(answer, str):
        text = final_answer(without_maths(plain(answer)))
        candidates = _candidates(text, units, like, exact)
    else:
        value = to_decimal(answer)
        if value is None:
            raise Unclear("a number out of range")
        candidates = [Reading(value)]
    field = plain(unit) if isinstance(unit, str) else ""
    stated = [_with_field(reading, field, units, like) for reading in candidates]
    rounded = not exact or len({reading.unit for reading in stated}) > 1
    return _one([_asked(reading, like, difference) for reading in stated], RESTATED if rounded else Decimal(0))


def _one(values: Sequence[Decimal], tolerance: Decimal) -> Decimal:
    first = values[0]
    if any(not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS for value in values):
        raise Unclear("a number out of range")
    if any(not numbers_match(value, first, tolerance) for value in values[1:]):
        raise Unclear("different numbers")
    return first


def _candidates(text: str, units: Units, like: Measure | None, exact: bool) -> list[Reading]:
    """The numbers an answer states: one, or one and its restatements. Raises Unclear otherwise."""
    fraction = _fraction(text, like)
    if fraction is not None:
        return [fraction]
    cleaned = text
    for noise in _NOISE:
        cleaned = noise.sub(" ", cleaned)
    if not re.search(r"\d", cleaned):
        cleaned = text
    cleaned = re.sub(r"\s?(?:±|\+/-)\s?[\d.,]+", "", cleaned)
    found = readings(cleaned, units, like)
    if not found and not re.search(r"\d", cleaned):
        found = [
            Reading(value, units.parse(rest, like, symbols=_takes_symbols(like)))
            for value, rest in spelled_numbers(cleaned)
        ]
        if len({reading.value for reading in found}) > 1:
            raise Unclear("different numbers")
        found = found[:1]
    if not found:
        raise Unclear("no number")
    _check_bounds(cleaned, found, exact)
    for one, other in pairwise(found):
        between = cleaned[one.end : other.start]
        same = one.value == other.value and one.unit == other.unit
        if _RANGE.fullmatch(between) or not (same or _RESTATES.search(between)):
            raise Unclear("different numbers")
    return found


def _check_bounds(text: str, found: Sequence[Reading], exact: bool) -> None:
    for reading in found if exact else ():
        if not reading.end:
            continue
        if _BOUND.search(text[max(0, reading.start - _NEAR) : reading.start].rstrip()) or _BOUND_AFTER.match(
            text, reading.end
        ):
            raise Unclear("a bound, not a number")


def _fraction(text: str, like: Measure | None) -> Reading | None:
    """ "12 of 54", "12/54" and "1 in 21": a share where a share is asked for, else a count of 12."""
    matches = list(_FRACTION.finditer(text))
    numbers = _NUMBER.findall(text)
    if len(matches) != 1 or len(numbers) != 2:
        return None
    match = matches[0]
    part, whole = decimal_of(match["part"].rstrip(",")), decimal_of(match["whole"].rstrip(","))
    if part is None or whole is None or not whole:
        return None
    if like is not None and not like.dimensions and not like.counted:
        share = Context(prec=30).divide(part, whole)
        return Reading(ARITHMETIC.divide(share, like.factor), like)
    return Reading(part) if match["of"] and (like is None or like.counted) else None


def _with_field(reading: Reading, field: str, units: Units, like: Measure | None) -> Reading:
    """The reading with what the answer's unit field adds."""
    if not field or reading.unit is not None:
        return reading
    scale, end = _scale(field, 0, like)
    rest = field[end:]
    # {"answer": "1.4 billion", "unit": "billion people"} says billion twice and means it once.
    scale = Decimal(1) if reading.scaled else scale
    unit = units.find(rest, like) if _takes_symbols(like) else units.parse(rest, like, symbols=False)
    value = ARITHMETIC.multiply(reading.value, scale)
    if unit is None and _takes_symbols(like) and rest.strip():
        raise Unclear(f"unit {field[:40]!r} is unknown")
    return Reading(value, unit)


def _asked(reading: Reading, like: Measure | None, difference: bool) -> Decimal:
    """The reading in the unit asked for. Raises Unclear where it measures something else."""
    unit = reading.unit
    if unit is None:
        return reading.value
    if like is None or (like.counted and not like.dimensions and like.factor == 1):
        if unit.dimensions or unit.factor != 1:
            raise Unclear("a measurement, not a count")
        return reading.value
    value = convert(reading.value, unit, like, difference=difference)
    if value is None:
        raise Unclear("a unit of something else")
    return value


def match_number(answer: object, unit: str | None, gold: NumberGold, units: Units) -> tuple[bool, str]:
    """Whether an answer states the gold number within its tolerance, and what was read or why nothing was."""
    try:
        value = read_number(
            answer, unit, units=units, gold_unit=gold.unit, exact=gold.tolerance == 0, difference=gold.difference
        )
    except Unclear as error:
        return False, str(error)
    return numbers_match(value, gold.value, gold.tolerance), f"read {value:.15g}"
