"""Deep-research questions taken apart, and whether their clues in other words still say the same of the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dagster_defs.errors import RunError
from dagster_defs.steps.refine import vocabulary as known
from dagster_defs.steps.refine.check import Finding, Original, Reason, check
from dagster_defs.steps.refine.words import Text
from dagster_defs.steps.solve.questions import Question, Warehouse

# What opens the second step of a clue: "a country THAT pays in the Libyan dinar".
_SECOND_STEP = re.compile(r" (?:that|which|who|whom|whose|where|whence) ")
# It opens within so many words behind what it is about: "a sector to which".
_BEHIND = 2
_OPENERS = frozenset(["that", "which", "who", "whom", "whose", "where", "whence"])


@dataclass(frozen=True)
class Puzzle:
    """A deep-research question in its parts.

    beginning, task: what stands before and after the clues. groups: the clues to each thing that is hidden. hidden:
    names that would give one away, of the things themselves and of whatever a recorded statement links them to.
    """

    question_id: str
    text: str
    beginning: str
    groups: tuple[tuple[str, ...], ...]
    task: str
    unit: str | None
    hidden: tuple[str, ...]

    @property
    def clues(self) -> tuple[str, ...]:
        """All clues, in their order."""
        return tuple(clue for group in self.groups for clue in group)


def puzzles(questions: Iterable[Question], warehouse: Warehouse) -> dict[str, Puzzle]:
    """Each question taken apart, by question_id. Raises RunError where one does not hold its own clues."""
    wanted = {one.question_id: one for one in questions}
    return {
        question_id: taken_apart(wanted[question_id], groups, hidden)
        for question_id, groups, hidden in warehouse.clues(list(wanted))
    }


def taken_apart(question: Question, groups: Sequence[Sequence[str]], hidden: Iterable[str]) -> Puzzle:
    """``question`` in its parts. Raises RunError where it does not hold its clues."""
    places = list(_places(groups, question.question))
    lost = next((clue for clue, start in places if start < 0), None)
    if lost is not None:
        raise RunError(f"{question.question_id} does not hold its clue '{lost}': build the warehouse again.")
    first, last = min(start for _, start in places), max(start + len(clue) for clue, start in places)
    return Puzzle(
        question.question_id,
        question.question,
        question.question[:first].strip(),
        tuple(tuple(group) for group in groups),
        question.question[last:].lstrip(" .;"),
        question.gold_unit if question.tolerance > 0 else None,
        # A name of two letters is found in every other sentence.
        tuple(sorted({name for name in hidden if len(name) > 2})),
    )


def check_clue(clue: str, rewrite: str, hidden: Iterable[str] = ()) -> list[Finding]:
    """Everything that speaks against ``rewrite`` of ``clue``, the gravest first; it may be the clue as it was."""
    if rewrite == clue:
        return []
    original = Original("", clue, "", "formula", "entity", tuple(hidden), is_question=False)
    return [*check(original, rewrite), *_steps(clue, rewrite)]


def check_composed(
    puzzle: Puzzle, clues: tuple[tuple[str, ...], ...], rewrite: str, taken: Mapping[str, str] | None = None
) -> list[Finding]:
    """Everything that speaks against ``rewrite``, composed of ``clues``, standing for the question."""
    original = Original(
        puzzle.question_id, puzzle.text, "", "formula", "entity", puzzle.hidden, unit=puzzle.unit, is_question=False
    )
    return [*check(original, rewrite, taken), *_whole(clues, rewrite)]


def _places(groups: Sequence[Sequence[str]], text: str) -> Iterator[tuple[str, int]]:
    """Each clue and where it stands, -1 where it does not; those of one thing behind those of the one before."""
    lowered, begin = text.lower(), 0
    for group in groups:
        found = [(clue, lowered.find(clue.lower(), begin)) for clue in group]
        begin = max((start + len(clue) for clue, start in found if start >= 0), default=begin)
        yield from found


def _whole(groups: Sequence[Sequence[str]], rewrite: str) -> Iterator[Finding]:
    """Every clue to the letter, those of one thing before those of the other, and one question at the end."""
    places = list(_places(groups, rewrite))
    for clue, start in places:
        if start < 0:
            behind = " behind those to the first" if len(groups) > 1 and clue in groups[-1] else ""
            yield Finding(Reason.CLUE, f"'{clue}' does not stand in it as it was given{behind}")
    if rewrite.count("?") != 1:
        yield Finding(Reason.FORM, "it does not ask one question")
    elif rewrite.find("?") < max(start for _, start in places):
        yield Finding(Reason.FORM, "a clue stands after the question")


def _steps(clue: str, rewrite: str) -> Iterator[Finding]:
    """The thing in between comes first, and right behind it the clause that says what is known of it."""
    parts = _SECOND_STEP.split(clue, maxsplit=1)
    if len(parts) < 2:
        return
    head, tail = (_content(part) for part in parts)
    text = Text(rewrite)
    # The last word of the first step is the thing in between.
    between = [
        place
        for place, one in enumerate(text.stems)
        if one == head[-1] and _OPENERS & set(text.lower[place + 1 : place + 1 + _BEHIND])
    ]
    if not between:
        yield Finding(Reason.FLATTENED, f"what is known of the thing in between does not stand behind '{head[-1]}'")
        return
    only_first, only_second = set(head) - set(tail), set(tail) - set(head)
    early = [one for one in text.stems[: between[0]] if one in only_second]
    late = [one for one in text.stems[between[0] + 1 :] if one in only_first]
    if early or late:
        yield Finding(Reason.FLATTENED, f"'{(early or late)[0]}' has changed from one step to the other")


def _content(text: str) -> list[str]:
    words = Text(text)
    return [one for word, one in zip(words.lower, words.stems, strict=True) if word not in known.FUNCTION]


__all__ = ["Puzzle", "check_clue", "check_composed", "puzzles", "taken_apart"]
