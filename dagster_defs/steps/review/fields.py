"""What a reviewer is asked: the fields of each kind of sheet, with the values that they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# The annotator whose sheet settles what the others disagree on.
THIRD: Final = "third"
STALE: Final = "stale data"


@dataclass(frozen=True)
class Choice:
    """A value, and what it stands for in the form."""

    value: str
    text: str


@dataclass(frozen=True)
class Field:
    """A column to be filled in with one of some values; `ask` is its question, `hint` what it means."""

    name: str
    ask: str
    hint: str
    choices: tuple[Choice, ...]
    # The values that say that something is wrong, and so ask for an error category.
    faults: frozenset[str] = frozenset()

    @property
    def values(self) -> tuple[str, ...]:
        """The accepted values."""
        return tuple(choice.value for choice in self.choices)


@dataclass(frozen=True)
class Kind:
    """A kind of sheet: `verdicts` are all to be given, `error_category` where one of them finds a fault."""

    name: str
    letter: str
    title: str
    thing: str
    verdicts: tuple[Field, ...]
    error_category: Field | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to be filled in, in the order of the sheet."""
        cause = (self.error_category.name,) if self.error_category else ()
        return (*(field.name for field in self.verdicts), *cause, "note")


_RIGHT: Final = Choice("right", "Right")
_WRONG: Final = Choice("wrong", "Wrong")
_UNSURE: Final = Choice("unsure", "Not sure")

QUESTIONS: Final = Kind(
    "questions",
    "q",
    "Review of questions",
    "question",
    (
        Field(
            "entity",
            "Are these the right entities?",
            "Whether the evidence is about what the question asks about.",
            (_RIGHT, _WRONG, _UNSURE),
            frozenset({"wrong"}),
        ),
        Field(
            "clarity",
            "Is the question clear?",
            "Clear: it can be read in one way only.",
            (Choice("clear", "Clear"), Choice("unclear", "Unclear")),
            frozenset({"unclear"}),
        ),
        Field(
            "gold",
            "Is the answer right?",
            "By the facts of the date given, to the stated unit.",
            (_RIGHT, _WRONG, _UNSURE),
            frozenset({"wrong"}),
        ),
    ),
    Field(
        "error_category",
        "What is wrong?",
        "Only where something is wrong or unclear; the main cause.",
        (
            Choice(STALE, "Stale data: true once, not at the date given"),
            Choice("hallucination", "Hallucination: states what no source says"),
            Choice("flattened hop", "Flattened hop: ascribes to one thing what belongs to a related one"),
            Choice("ambiguous", "Ambiguous: fits more than one entity or reading"),
            Choice("wrong entity", "Wrong entity"),
            Choice("other", "Other: say what in the note"),
        ),
    ),
)
ANSWERS: Final = Kind(
    "answers",
    "a",
    "Review of answers",
    "answer",
    (
        Field(
            "verdict",
            "Is the answer right?",
            "Right: it says the same as the gold answer, in whatever words.",
            (_RIGHT, _WRONG),
        ),
    ),
    None,
)
KINDS: Final[Mapping[str, Kind]] = {kind.name: kind for kind in (QUESTIONS, ANSWERS)}


def contradiction(kind: Kind, given: Mapping[str, str]) -> tuple[str, str] | None:
    """The column in which a row with every verdict contradicts itself, and what it should hold; None where it doesn't.

    A fault needs an error category; a row without fault or doubt can't have one.
    """
    if kind.error_category is None:
        return None
    cause = kind.error_category
    faulty = any(given[field.name] in field.faults for field in kind.verdicts)
    unsure = any(given[field.name] == _UNSURE.value for field in kind.verdicts)
    if faulty and not given.get(cause.name):
        return cause.name, f"something is wrong, so it needs one of {', '.join(cause.values)}"
    if given.get(cause.name) and not faulty and not unsure:
        return cause.name, "nothing is wrong, so it has to be empty"
    return None
