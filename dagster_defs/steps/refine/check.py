"""Whether a rewrite can still have the original's answer, as far as words can tell; meaning is the judge's business.

The check is closed: every word that the rewrite drops or adds has to be known to change nothing (`vocabulary`). It may
refuse a harmless rewrite; it must not let a changed one pass.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

from dagster_defs.steps.refine import vocabulary as known
from dagster_defs.steps.refine.words import Text, stem, stems, tidy

# A rewrite may be this many times shorter or longer than the original, and this many letters more.
_SHORTER, _LONGER, _MORE = 3, 2, 60
# Below this share of known words a text is in no language that can be checked.
_KNOWN_SHARE = 0.6
_LOOK_BACK = 6
# Words of a class whose presence is compared as a whole.
_CLASSED = frozenset[str]().union(*known.DIRECTIONS.values(), *known.NEGATIONS.values(), *known.OPERATIONS.values())
_MARKS = '*`_#{}[]|<>~\\"'


class Reason(StrEnum):
    """Why a rewrite is refused."""

    LAYOUT = "layout"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    LENGTH = "length"
    FORM = "form"
    LANGUAGE = "language"
    NAME = "name"
    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    CLUE = "clue"
    FLATTENED = "flattened"
    SCOPE = "scope"
    ATTRIBUTE = "attribute"
    OPERATION = "operation"
    POLARITY = "polarity"
    ROLES = "roles"
    ADDED = "added"
    ANSWER = "answer"
    MEANING = "meaning"


@dataclass(frozen=True)
class Finding:
    """One reason to refuse a rewrite, and what was seen."""

    reason: Reason
    detail: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


@dataclass(frozen=True)
class Original:
    """A question as the check needs it.

    question_id: tells its own texts from those of others. answers: the gold answer and its other names. names: what has
    to stand in a rewrite to the letter, where it stands in the text. subject, other: what a supposed change is made to,
    and what it is held against. value: whose share is asked. scope: the filter in words. phrases: the attributes in
    words, in the question's order. unit: of the answer, None where the text need not name it. units: words of any unit
    that may stand in it. change, threshold: numbers of a supposed change. is_question: not a statement, nor a question
    with statements before it.
    """

    question_id: str
    text: str
    type: str
    operation: str
    gold_kind: str
    answers: tuple[str, ...] = ()
    gold_method: str | None = None
    names: tuple[str, ...] = ()
    subject: str | None = None
    other: str | None = None
    value: str | None = None
    scope: str | None = None
    phrases: tuple[str, ...] = ()
    unit: str | None = None
    units: tuple[str, ...] = ()
    change: float | None = None
    threshold: float | None = None
    is_question: bool = True

    @cached_property
    def words(self) -> Text:
        """The text, taken apart."""
        return Text(self.text)

    @cached_property
    def kept(self) -> Set[str]:
        """Stems of what filters, of what is asked about and of what is counted: no filler, even where it looks so."""
        given = [*filter(None, (self.scope, self.value, self.subject, self.other)), *self.phrases, *self.names]
        return {one for text in given for one in stems(text)} - {stem(word) for word in known.FUNCTION}

    @cached_property
    def free(self) -> Set[str]:
        """Words that may come and go."""
        more = known.TESTING if self.operation == "test" else known.BESIDE.get(self.operation, frozenset())
        if self.type == "hypothetical_scenarios":
            more |= known.SUPPOSING
        if not self.is_question:
            more |= known.TELLING
        if len(self.names) == 2 or (self.operation == "test" and self.gold_method != "jarque_bera"):
            more |= known.TWO
        return known.FUNCTION | known.FILLER | more


def check(original: Original, rewrite: str, taken: Mapping[str, str] | None = None) -> list[Finding]:
    """Everything that speaks against ``rewrite``, the gravest first; an empty list lets it pass.

    taken: question_id by text, as `plain` gives it, of every text that a question has already.
    """
    broken = list(_layout(original, rewrite))
    if broken:
        return broken
    text = Text(rewrite)
    if plain(rewrite) == plain(original.text):
        return [Finding(Reason.UNCHANGED, "it is the original")]
    if (taken or {}).get(plain(rewrite), original.question_id) != original.question_id:
        return [Finding(Reason.DUPLICATE, "another question has this text")]
    foreign = list(_language(original, text))
    found = [*_length(original, text), *foreign, *_names(original, text), *_numbers(original, text)]
    if not foreign:
        found += [finding for part in _PARTS for finding in part(original, text)]
    found += _answer(original, text)
    order = list(Reason)
    return sorted(dict.fromkeys(found), key=lambda finding: order.index(finding.reason))


def plain(text: str) -> str:
    """A text as two that read alike have it: small letters and digits alone."""
    return "".join(letter for letter in tidy(text).casefold() if letter.isalnum() or letter in "%-.")


def _layout(original: Original, rewrite: str) -> Iterator[Finding]:
    if not rewrite.strip():
        yield Finding(Reason.LAYOUT, "it is empty")
    elif any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for letter in rewrite):
        yield Finding(Reason.LAYOUT, "it is more than one plain line")
    elif rewrite != rewrite.strip() or "  " in rewrite:
        yield Finding(Reason.LAYOUT, "it has stray spaces")
    elif any(letter in rewrite and letter not in original.text for letter in _MARKS):
        yield Finding(Reason.LAYOUT, "it has marks of a format")


def _length(original: Original, text: Text) -> Iterator[Finding]:
    most = _LONGER * len(original.text) + _MORE
    if not len(original.text) <= _SHORTER * len(text.raw) or len(text.raw) > most:
        yield Finding(Reason.LENGTH, f"{len(text.raw)} letters instead of {len(original.text)}")


def _language(original: Original, text: Text) -> Iterator[Finding]:
    ours = set(original.words.stems)
    common = original.free | _CLASSED | known.NUMBER_WORDS
    heard = [token.text.casefold() in common or one in ours for token, one in zip(text.tokens, text.stems, strict=True)]
    strange = {letter for letter in text.tidy if letter.isalpha() and not letter.isascii()} - set(original.words.tidy)
    if not heard or sum(heard) < _KNOWN_SHARE * len(heard):
        yield Finding(Reason.LANGUAGE, "most of it is not the original's English")
    elif any("LATIN" not in unicodedata.name(letter, "") for letter in strange):
        yield Finding(Reason.LANGUAGE, f"letters of another script: {''.join(sorted(strange))}")


def _form(original: Original, text: Text) -> Iterator[Finding]:
    if not original.is_question:
        return
    if text.raw.count("?") != 1 or not text.raw.endswith("?"):
        yield Finding(Reason.FORM, "it is not one question")
    yes_no = text.asks_yes_no
    if original.gold_kind == "boolean" and not yes_no:
        yield Finding(Reason.FORM, "yes or no does not answer it")
    if original.gold_kind != "boolean" and yes_no and not (text.is_choice and len(original.names) == 2):
        yield Finding(Reason.FORM, "yes or no answers it")
    degree = [word for word in text.lower if word in known.SUPERLATIVES]
    if original.type == "superlative" and not degree:
        yield Finding(Reason.OPERATION, "it asks for no superlative")


def _names(original: Original, text: Text) -> Iterator[Finding]:
    ours, theirs = original.words.names, text.names
    for lost in ours - theirs:
        # It may have come to stand first, where capitals say nothing.
        if not any(token.is_first and token.text.removesuffix("'s") == lost for token in text.tokens):
            yield Finding(Reason.NAME, f"'{lost}' is lost")
    for gained in theirs - ours:
        if not any(token.is_first and token.text.removesuffix("'s") == gained for token in original.words.tokens):
            yield Finding(Reason.NAME, f"'{gained}' is gained")
    whole = [*original.names, *filter(None, (original.subject, original.other, original.value))]
    for name in dict.fromkeys([*whole, *original.words.name_runs]):
        if original.words.holds(name) and not text.holds(name):
            yield Finding(Reason.NAME, f"'{name}' does not stand in it as it is written")


def _numbers(original: Original, text: Text) -> Iterator[Finding]:
    ours, theirs = original.words.numbers, text.numbers
    for kind, value in ours - theirs:
        yield Finding(Reason.NUMBER, f"{_shown(kind, value)} is lost")
    for kind, value in theirs - ours:
        yield Finding(Reason.NUMBER, f"{_shown(kind, value)} is gained")
    for day in original.words.dates:
        if not text.holds(day):
            yield Finding(Reason.DATE, f"the day of its values, {day}, is lost")


def _shown(kind: str, value: Decimal) -> str:
    return f"{value:f}{ {'%': '%', 'place': 'th'}.get(kind, '') }"


def _unit(original: Original, text: Text) -> Iterator[Finding]:
    if original.unit is not None and original.unit not in text.raw:
        yield Finding(Reason.UNIT, f"'{original.unit}' does not stand in it")


def _content(original: Original, text: Text) -> Iterator[Finding]:
    """Words that were lost or added, and bear on the answer for all that is known."""
    there, here = set(text.stems), set(original.words.stems)
    scope, units = set(stems(original.scope or "")), {one for unit in original.units for one in stems(unit)}
    phrases = {one for phrase in original.phrases for one in stems(phrase)}
    for token, word, one in zip(original.words.tokens, original.words.lower, original.words.stems, strict=True):
        spared = word in original.free or word in _CLASSED
        if (
            one in there
            or token.is_name
            or word[0].isdigit()
            or (spared and one not in original.kept)
            or word in known.FUNCTION
        ):
            continue
        reason = Reason.SCOPE
        if word in known.NUMBER_WORDS:
            reason = Reason.NUMBER
        elif one in units:
            reason = Reason.UNIT
        elif one in phrases and one not in scope:
            reason = Reason.ATTRIBUTE
        yield Finding(reason, f"'{token.text}' is lost")
    for phrase in original.phrases:
        if len(text.places(phrase)) < (often := len(original.words.places(phrase))) and often > 1:
            yield Finding(Reason.ATTRIBUTE, f"'{phrase}' does not stand in it {often} times")
    for token, word, one in zip(text.tokens, text.lower, text.stems, strict=True):
        if word in original.free or one in here or word in _CLASSED or token.is_name or word[0].isdigit():
            continue
        yield Finding(Reason.NUMBER if word in known.NUMBER_WORDS else Reason.ADDED, f"'{token.text}' is added")


def _polarity(original: Original, text: Text) -> Iterator[Finding]:
    for name, words in known.NEGATIONS.items():
        ours, theirs = (sum(word in words for word in one.lower) for one in (original.words, text))
        if ours != theirs:
            yield Finding(Reason.POLARITY, f"'{name}' stands in it {theirs} times instead of {ours}")
    for name, words in known.DIRECTIONS.items():
        if original.operation == "range":
            words = words - known.OPERATIONS["range"]
        ours, theirs = (_says(one, words, original.kept) for one in (original.words, text))
        if ours != theirs:
            yield Finding(Reason.POLARITY, f"the sense of '{name}' is {'gained' if theirs else 'lost'}")


def _says(text: Text, words: Set[str], kept: Set[str]) -> bool:
    """Whether one of ``words`` stands in ``text`` other than in what is kept to the letter."""
    return any(word in words and one not in kept for word, one in zip(text.lower, text.stems, strict=True))


def _operation(original: Original, text: Text) -> Iterator[Finding]:
    must, may = known.operations_of(original.operation, original.gold_method)
    for name, words in known.OPERATIONS.items():
        if name not in must:
            words = words - original.free
        ours, theirs = (_says(one, words, original.kept) for one in (original.words, text))
        if ours == theirs or (name in may and name not in must):
            continue
        if theirs and name in must:
            continue
        yield Finding(Reason.OPERATION, f"the sense of '{name}' is {'gained' if theirs else 'lost'}")


def _roles(original: Original, text: Text) -> Iterator[Finding]:
    """What is changed and what it is held against, of what a share is taken, what is averaged over which groups."""
    if original.type == "hypothetical_scenarios":
        yield from _supposed(original, text)
    if original.operation == "share" and original.scope and original.value:
        yield from _order(original, text, original.scope, original.value)
    if original.gold_method == "f_oneway" and len(original.phrases) == 2:
        yield from _order(original, text, *original.phrases)


def _order(original: Original, text: Text, one: str, other: str) -> Iterator[Finding]:
    ours, theirs = ((words.find(one), words.find(other)) for words in (original.words, text))
    if min(ours) < 0:
        return
    if min(theirs) < 0 or (ours[0] < ours[1]) != (theirs[0] < theirs[1]):
        yield Finding(Reason.ROLES, f"'{one}' and '{other}' do not stand in it in their order")


def _supposed(original: Original, text: Text) -> Iterator[Finding]:
    if original.other is not None and original.subject is not None:
        first, second = text.places(original.subject), text.places(original.other)
        held = [i for i, word in enumerate(text.lower) if word in known.COMPARING]
        counts = len(original.words.places(original.subject)), len(original.words.places(original.other))
        if (len(first), len(second)) != counts:
            yield Finding(Reason.ROLES, f"'{original.subject}' or '{original.other}' stands in it too often or seldom")
        # The last mention of the other counts: a filter may name it before.
        elif first and second and not (first[0] < second[-1] and held and held[-1] < second[-1]):
            yield Finding(Reason.ROLES, f"it is not '{original.subject}' that is held against '{original.other}'")
    for number in filter(None, (original.change, original.threshold)):
        ours, theirs = (sorted(_parts_of(words, abs(number))) for words in (original.words, text))
        if ours != theirs:
            yield Finding(Reason.ROLES, f"{abs(number):,g} is not the change or the bound that it was")


def _parts_of(text: Text, number: float) -> list[str]:
    """What each mention of ``number`` is: a change, a bound, or neither."""
    wanted, found = Decimal(str(number)).normalize(), []
    for place, token in enumerate(text.tokens):
        if not token.text[0].isdigit() or wanted not in {value for _, value in Text(token.text).numbers}:
            continue
        after = text.lower[place + 1 : place + 2]
        before = text.lower[max(0, place - _LOOK_BACK) : place][::-1]
        nearest = next((word for word in before if word in known.COMPARING or word in known.CHANGING), "")
        if after and after[0] in known.MORE:
            found.append("change")
        else:
            found.append("bound" if nearest in known.COMPARING else "change" if nearest else "neither")
    return found


def _answer(original: Original, text: Text) -> Iterator[Finding]:
    if original.gold_kind in ("boolean", "number"):
        given = [original.answers[0]] if original.answers and original.gold_kind == "number" else []
    else:
        given = [name for answer in original.answers for name in _said(answer)]
    for name in given:
        if text.says(name) and not original.words.says(name):
            yield Finding(Reason.ANSWER, f"it says '{name}', which is of the answer")


def _said(answer: str) -> list[str]:
    """The names in an answer: itself, or the categories of a distribution."""
    try:
        value = json.loads(answer)
    except ValueError:
        return [answer]
    return list(value) if isinstance(value, dict) else [answer]


_PARTS: tuple[Callable[[Original, Text], Iterator[Finding]], ...] = (
    _form, _unit, _content, _polarity, _operation, _roles,
)  # fmt: skip

__all__ = ["Finding", "Original", "Reason", "check", "plain"]
