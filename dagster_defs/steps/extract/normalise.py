"""Values out of answers in the form of Wikidata's statements, as far as the text that was read bears them out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from dagster_defs.steps.extract.amounts import Amount, amounts, power_of, read_amount, scaled
from dagster_defs.steps.extract.names import Names
from dagster_defs.steps.extract.times import Time, read_time, times
from dagster_defs.steps.extract.units import ListedUnits
from dagster_defs.steps.matching.texts import fold
from dagster_defs.steps.matching.texts import plain as unmarked
from dagster_defs.steps.passages import plain

KEPT: Final = "kept"
UNGROUNDED: Final = "ungrounded"
UNPARSABLE: Final = "unparsable"
INEXACT: Final = "inexact"
UNKNOWN_ATTRIBUTE: Final = "unknown_attribute"
# Texts of infoboxes and articles are the English Wikipedia's.
LANGUAGE: Final = "en"
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n+")
ValueKind = Literal["entity", "quantity", "time", "text"]


@dataclass(frozen=True)
class Attribute:
    """What is asked for of each entity of a topic.

    kind: number, year, date or category. unit: of a number, in words. property_id: whose statement a value becomes,
    value_kind and unit_id: what that property's statements hold, and are mostly given in.
    """

    name: str
    phrase: str
    kind: str
    unit: str | None
    is_multivalued: bool
    property_id: str
    value_kind: ValueKind
    unit_id: str | None = None


@dataclass(frozen=True)
class Stated:
    """A value as the extractor gives it, and the sentence that it names as evidence."""

    value: str
    unit: str | None
    when: str | None
    sentence: str


@dataclass(frozen=True)
class Known:
    """What values are normalised by. values: property -> entities that it has as values somewhere."""

    units: ListedUnits
    names: Names
    values: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Normal:
    """A value as a statement holds it, or why it can be none.

    outcome: kept, ungrounded (its sentence is not in the passage, or the value not in its sentence), inexact (a range,
    a bound), unparsable, no_unit, unknown_unit, wrong_dimension, unknown_name, ambiguous_name or unknown_attribute.
    """

    outcome: str
    value_kind: str | None = None
    value_entity: str | None = None
    amount_text: str | None = None
    lower_text: str | None = None
    upper_text: str | None = None
    unit_id: str | None = None
    value_time: str | None = None
    time_precision: int | None = None
    calendar: str | None = None
    value_text: str | None = None
    value_lang: str | None = None
    point_in_time: str | None = None

    @property
    def identity(self) -> tuple[Any, ...]:
        """What tells values apart: all but when they held."""
        return tuple(value for name, value in vars(self).items() if name != "point_in_time")


def settle(stated: Stated, attribute: Attribute, heading: str, body: str, known: Known) -> Normal:
    """What a value of ``attribute`` comes to that was read in the passage ``body``, which stands under ``heading``."""
    whole = sentence_around(stated.sentence, body)
    if whole is None:
        return Normal(UNGROUNDED)
    settled = normalise(stated, attribute, known)
    if settled.outcome == KEPT and normalise(replace(stated, sentence=whole), attribute, known).outcome == INEXACT:
        # Only a part of the sentence was given, without its "more than".
        return Normal(INEXACT)
    if settled.outcome != KEPT or not stated.when:
        return settled
    return replace(settled, point_in_time=_point(stated.when, f"{heading}\n{body}"))


def normalise(stated: Stated, attribute: Attribute, known: Known) -> Normal:
    """A value as the statements of the attribute's property hold it, where its sentence holds the value."""
    if attribute.value_kind == "quantity":
        return _quantity(stated, attribute, known.units)
    if attribute.value_kind == "time":
        return _time(stated)
    words = fold(stated.value)
    if not words or f" {words} " not in f" {fold(stated.sentence)} ":
        return Normal(UNGROUNDED)
    if attribute.value_kind == "text":
        return Normal(KEPT, "text", value_text=" ".join(stated.value.split()), value_lang=LANGUAGE)
    found = known.names.of(stated.value, known.values.get(attribute.property_id, ()))
    if not found:
        return Normal("unknown_name" if found is None else "ambiguous_name")
    return Normal(KEPT, "entity", value_entity=found)


def sentence_around(sentence: str, passage: str) -> str | None:
    """The whole sentence of a passage in which a sentence, or a part of one, stands, cut neither in a word nor in a
    number; None where it stands nowhere. Ends of lines are ends of sentences, and those in ``sentence`` are spaces."""
    wanted = plain(sentence)
    if not re.search(r"\w", wanted):
        return None
    start = r"(?<!\w)(?<!\d[.,])(?<![-−+])" if re.match(r"[\w.]", wanted) else ""
    end = r"(?!\w)(?![.,]\d)" if re.match(r"\w", wanted[-1]) else ""
    pattern = r"\s".join(map(re.escape, wanted.split(" ")))
    text = "\n".join(map(plain, passage.splitlines()))
    found = re.search(start + pattern + end, text)
    if found is None:
        return None
    begins = [mark.end() for mark in _SENTENCE_END.finditer(text, 0, found.start())]
    ends = _SENTENCE_END.search(text, found.end() - 1)
    return text[begins[-1] if begins else 0 : ends.start() if ends else len(text)]


def _quantity(stated: Stated, attribute: Attribute, units: ListedUnits) -> Normal:
    read = read_amount(stated.value)
    if isinstance(read, str):
        return Normal(read if _said(stated) else UNGROUNDED)
    power, words = power_of(stated.unit or "")
    # {"value": "1.4 billion", "unit": "billion people"} says billion twice and means it once.
    amount = scaled(read, 0 if read.is_scaled else power)
    if amount is None:
        return Normal(UNPARSABLE)
    like = attribute.unit_id
    unit = _unit_of(read, like, units) or (units.named(words, like) if words else None)
    same = [one for one in amounts(unmarked(stated.sentence)) if one.value == amount.value]
    fitting = [(one, said) for one in same if _agrees(unit, said := _unit_of(one, like, units), units)]
    if not fitting:
        return Normal(UNGROUNDED)
    closed = [(one, said) for one, said in fitting if not one.is_open]
    if not closed:
        return Normal(INEXACT)
    # How coarse it is, the sentence knows better than who wrote its digits out.
    amount, said = closed[0]
    named = bool(words or _words(read.after) or read.money)
    unit = unit if unit or named else said
    outcome = _fault(unit, named, like, units)
    if outcome is not None:
        return Normal(outcome)
    amount_text, lower_text, upper_text = amount.texts
    return Normal(KEPT, "quantity", amount_text=amount_text, lower_text=lower_text, upper_text=upper_text, unit_id=unit)


def _fault(unit: str | None, named: bool, like: str | None, units: ListedUnits) -> str | None:
    """What is wrong with the unit of a quantity that is mostly given in ``like``; None where nothing is."""
    if like is None:
        # Words that are no unit count things: people, votes.
        return "wrong_dimension" if unit is not None else None
    if unit is None:
        return "unknown_unit" if named else "no_unit"
    return None if units.dimensions[unit] == units.dimensions.get(like) else "wrong_dimension"


def _unit_of(amount: Amount, like: str | None, units: ListedUnits) -> str | None:
    """The unit that stands behind an amount, or the sign of money before it."""
    return units.begins(amount.after, like) or (units.named(amount.money, like) if amount.money else None)


def _agrees(stated: str | None, said: str | None, units: ListedUnits) -> bool:
    """Whether a sentence says nothing else of an amount's unit than the value."""
    return stated is None or said is None or units.is_same(stated, said)


def _words(after: str) -> str:
    """What follows a value's number, without what stands in brackets."""
    return re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", after).strip(" .,;:")


def _time(stated: Stated) -> Normal:
    read = read_time(stated.value)
    if isinstance(read, str):
        return Normal(read if _said(stated) else UNGROUNDED)
    same = [one for one in times(stated.sentence) if read.holds(one)]
    if not same:
        return Normal(UNGROUNDED)
    if all(one.is_bound for one in same):
        return Normal(INEXACT)
    return Normal(KEPT, "time", value_time=read.text, time_precision=read.precision, calendar=read.calendar)


def _said(stated: Stated) -> bool:
    """Whether a value stands in its sentence word by word."""
    words = fold(stated.value)
    return bool(words) and f" {words} " in f" {fold(stated.sentence)} "


def _point(when: str, passage: str) -> str | None:
    """When a value held, where the passage says so."""
    read = read_time(when)
    if not isinstance(read, Time) or not any(read.holds(one) for one in times(passage)):
        return None
    return read.text
