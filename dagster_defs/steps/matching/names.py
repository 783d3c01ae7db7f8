"""Whether an answer names an entity or a category, says yes or no, or holds a list or a distribution.

Names are compared folded (see `texts.fold`). A sentence counts where it starts with the one name it settles on; an
answer that puts several candidates forward never does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dagster_defs.steps.matching.texts import exactly, final_answer, fold, plain

# An alias this short ("In", "CO") is too often a word; it counts only as the whole answer.
SHORT = 3

_LEAD_IN = re.compile(
    r"(?:(?:so|thus|therefore|hence|overall|ok(?:ay)?|sure|based on [^,]{1,80}),? )?"
    r"(?:i (?:think|believe|would say|am (?:fairly |quite )?(?:sure|confident))(?: that)? )?"
    r"(?:(?:it|this|that) (?:is|was|would be|must be|should be) |it's |that's )?"
    r"(?:most likely |probably |likely )?",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:not|nor|neither|or|but|however|actually|wait|correction|alternatively|unless|instead|also|n['’]t)\b",
    re.IGNORECASE,
)
# What may follow a name that has been settled on: brackets, a figure, "with ...", another sentence.
_BREAK = re.compile(r"\s\(|,? (?=with |at |having )|:\s(?=.*\d)| - (?=.*\d)|[.!;]\s|,\s(?=with |at |having )|\n")
_SENTENCE = 4

_YES = frozenset(("yes", "true", "y", "yep", "yeah", "correct", "affirmative"))
_NO = frozenset(("no", "false", "n", "nope", "incorrect", "negative"))


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Whether the name was given. mentioned: it stands in the answer. rivalled: so does another candidate."""

    correct: bool
    detail: str
    mentioned: bool = False
    rivalled: bool = False


def match_name(answer: str, gold: str, aliases: Sequence[str] = (), rivals: Sequence[str] = ()) -> NameMatch:
    """Whether `answer` settles on `gold` or one of its other forms.

    rivals: names of other candidates; an answer that holds one beside the gold name is wrong.
    """
    forms = _forms((gold, *aliases))
    others = _forms(rivals) - forms
    text = plain(answer)
    if any(fold(rival) in forms and exactly(rival) != exactly(gold) for rival in rivals):
        # San Jose or San José: only the letters as they stand tell them apart.
        same = exactly(final_answer(text).rstrip(".")) == exactly(gold)
        return NameMatch(same, "the name to the letter" if same else "not the name to the letter", mentioned=same)
    segment = final_answer(text)
    if _same(segment, gold, forms) or _same(answer, gold, forms):
        return NameMatch(True, "the name itself", mentioned=True)
    told = forms - {form for form in _forms(aliases) if len(form) <= SHORT} | _forms((gold,))
    mentioned, rivalled = mentions(fold(text), told, others)
    if rivalled:
        detail = "several candidates" if mentioned else "another candidate"
        return NameMatch(False, detail, mentioned, rivalled)
    start = _LEAD_IN.match(segment)
    segment = segment[start.end() :] if start else segment
    if _same(segment, gold, forms):
        return NameMatch(True, "the name after a lead-in", mentioned=True)
    for head, rest in _heads(segment):
        if fold(head) in told:
            settled = _HEDGE.search(rest) is None
            return NameMatch(settled, "the name, explained" if settled else "a hedged name", mentioned=True)
    return NameMatch(False, "the name among other words" if mentioned else "another name", mentioned)


def _forms(names: Sequence[str]) -> set[str]:
    return {form for form in map(fold, names) if form}


def _same(text: str, gold: str, forms: set[str]) -> bool:
    folded = fold(text)
    if not folded:
        # Names without a letter ("♭") fold to nothing and are compared as they stand.
        return not forms and text.strip() == gold.strip()
    return folded in forms or (_members(gold) is not None and _members(text) == _members(gold))


def _members(name: str) -> list[str] | None:
    """The sorted parts of an enumeration ("carbon, hydrogen and oxygen"), None for other names."""
    if "," not in name:
        return None
    parts = [fold(part) for part in re.split(r",\s*(?:and\s+)?|\s+and\s+", name.strip(" .")) if part.strip()]
    return sorted(parts) if len(parts) > 2 else None


def _heads(segment: str) -> Iterator[tuple[str, str]]:
    """Ways of parting an answer into a name and its explanation."""
    for mark in _BREAK.finditer(segment):
        rest = segment[mark.end() :]
        # Short sentences and lines after a name are further names as often as not.
        if mark.group()[0] in ".!;\n" and len(rest.split("\n")[0].split()) < _SENTENCE:
            continue
        yield segment[: mark.start()], rest


def mentions(folded: str, names: set[str], rivals: set[str]) -> tuple[bool, bool]:
    """Whether a text of folded words holds one of `names`, and one of `rivals`; the longest name at a place counts.

    So "Equatorial Guinea" is no mention of Guinea where both are candidates.
    """
    words = folded.split()
    longest = max((name.count(" ") + 1 for name in names | rivals), default=0)
    found, position = [False, False], 0
    while position < len(words):
        for length in range(min(longest, len(words) - position), 0, -1):
            part = " ".join(words[position : position + length])
            if part in names or part in rivals:
                found[0] |= part in names
                found[1] |= part in rivals
                position += length - 1
                break
        position += 1
    return found[0], found[1]


def read_boolean(answer: object) -> bool | None:
    """Yes or no as an answer says it: a JSON boolean, a word for it, or a sentence that begins with one.

    None where it says neither or both.
    """
    if isinstance(answer, bool):
        return answer
    if not isinstance(answer, str):
        return None
    words = fold(final_answer(plain(answer))).split()
    words = words[2:] if words[:2] == ["it", "is"] else words
    if not words or words[0] not in _YES | _NO:
        return None
    said = words[0] in _YES
    opposite = _NO if said else _YES
    # "Yes, there is no ..." says yes; "yes and no", "no/yes" and "no ... so yes" say nothing.
    following = [word for word in words[1:3] if word not in ("and", "or")][:1]
    both = set(following) & opposite and (len(words) == 2 or words[1] in ("and", "or"))
    if both or (not said and "yes" in words):
        return None
    return said
