"""A question as words: their plain forms, its numbers, its names and its dates."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

from dagster_defs.steps.refine.vocabulary import FUNCTION

# Words that a sentence begins with, and no name goes on with.
_BEGINNERS = FUNCTION | {"give", "going", "take"}
_SAME = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "−": "-", "\u00a0": " ", "\u202f": " "})
_WORD = re.compile(r"[^\W_]+(?:(?:(?<=\d)[.,](?=\d)|['-]|(?<=[A-Z])\.(?=[A-Z]))[^\W_]+)*")
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w%.,])-)?(?P<digits>\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s?(?P<share>%|per ?cent\b)|[ -](?P<scale>thousand|million|billion|trillion)\b|(?P<place>st|nd|rd|th)\b)?",
    re.IGNORECASE,
)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
# What the minted text says of the day of values that change: "as of 2026", "(values as of 30 November 2026)".
_AS_OF = re.compile(r"\bas of ((?:\d{1,2} [A-Z][a-z]+ |[A-Z][a-z]+ )?\d{4})\b")
_AUXILIARY = (
    "is are was were do does did has have had can could would will should may might must am shall isn't aren't wasn't"
    " weren't don't doesn't didn't hasn't haven't hadn't can't couldn't wouldn't won't shouldn't"
)
_ASKS_YES_NO = re.compile(rf"(?:^|[,:;(] ?(?:then |and |so )?)(?:{'|'.join(_AUXILIARY.split())})\b", re.IGNORECASE)
_ASKS_OPENLY = re.compile(
    r"(?:^|[,:;] ?(?:then |and |so )?|^(?:by|of|in|over|for|out of|to|from|with|at|on|among) )"
    r"(?:which|what|who|whose|whom|how)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\bor\b", re.IGNORECASE)


def tidy(text: str) -> str:
    """``text`` with one kind of apostrophe, dash and space, letters composed."""
    return unicodedata.normalize("NFC", text).translate(_SAME)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without what its number or tense adds; only to be compared with other stems."""
    word = word.casefold().removesuffix("'s").removesuffix("'")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("sses", "shes", "ches", "xes", "zes"):
        if word.endswith(ending):
            return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> list[str]:
    """The stems of a text's words, in order."""
    return [stem(word) for word in _WORD.findall(tidy(text))]


@dataclass(frozen=True)
class Token:
    """A word as written, where it stands, and whether a sentence begins with it."""

    text: str
    start: int
    is_first: bool

    @property
    def is_name(self) -> bool:
        """Whether capitals say that it is a name; the first word of a sentence has one anyway."""
        return not self.is_first and any(letter.isupper() for letter in self.text)


@dataclass(frozen=True)
class Text:
    """One question, taken apart."""

    raw: str

    @cached_property
    def tidy(self) -> str:
        """The text with one kind of apostrophe, dash and space."""
        return tidy(self.raw)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its words; "wouldn't" is two."""
        found: list[Token] = []
        for match in _WORD.finditer(self.tidy):
            word, before = match[0], self.tidy[: match.start()]
            first = not found or bool(re.search(r"[?!:]\s*$|(?<=[a-z]{2}|\d\d)\.\s+$", before))
            # A point after a single letter ends a name's initial or a sentence: "group C. What", "C. V. Raman".
            first = first or (word.casefold() in _BEGINNERS and bool(re.search(r"\.\s+$", before)))
            if word.casefold().endswith("n't"):
                found.append(Token(word[:-3], match.start(), first))
                found.append(Token("n't", match.end() - 3, False))
            elif word.casefold().startswith("non-"):
                found.append(Token("non", match.start(), first))
                found.append(Token(word[4:], match.start() + 4, False))
            else:
                found.append(Token(word, match.start(), first))
        return tuple(found)

    @cached_property
    def lower(self) -> tuple[str, ...]:
        """Its words in small letters, without a possessive's ending."""
        return tuple(token.text.casefold().removesuffix("'s") for token in self.tokens)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Its words' stems."""
        return tuple(stem(token.text) for token in self.tokens)

    @cached_property
    def numbers(self) -> Counter[tuple[str, Decimal]]:
        """(kind, value) of each number written in digits: plain, %, or a place such as 19th."""
        found: Counter[tuple[str, Decimal]] = Counter()
        for match in _NUMBER.finditer(self.tidy):
            value = Decimal(match["digits"].replace(",", "")) * _SCALES.get((match["scale"] or "").lower(), 1)
            kind = "%" if match["share"] else "place" if match["place"] else "plain"
            found[kind, (-value if match["sign"] else value).normalize()] += 1
        return found

    @cached_property
    def names(self) -> Counter[str]:
        """Words with capitals that are not just first in their sentence."""
        return Counter(token.text.removesuffix("'s") for token in self.tokens if token.is_name)

    @cached_property
    def name_runs(self) -> tuple[str, ...]:
        """Names of several words, as they stand: "1994 Winter Olympics"."""
        runs: list[list[Token]] = [[]]
        for token in self.tokens:
            joined = runs[-1] and not self.tidy[runs[-1][-1].start + len(runs[-1][-1].text) : token.start].strip(" .")
            # A name may begin with a year, and go on with any number.
            number = token.text.isdigit() and not token.is_first and (bool(joined) or len(token.text) == 4)
            if token.is_name or number:
                if runs[-1] and not joined:
                    runs.append([])
                runs[-1].append(token)
            elif runs[-1]:
                runs.append([])
        return tuple(
            self.tidy[run[0].start : run[-1].start + len(run[-1].text)].removesuffix("'s")
            for run in runs
            if len(run) > 1 and any(token.is_name for token in run)
        )

    @cached_property
    def dates(self) -> tuple[str, ...]:
        """The days or years that its values are of."""
        return tuple(_AS_OF.findall(self.tidy))

    @property
    def is_choice(self) -> bool:
        """Whether it offers one thing or another."""
        return bool(_CHOICE.search(self.tidy))

    @property
    def asks_yes_no(self) -> bool:
        """Whether it can be answered by yes or no, as far as its form goes."""
        return bool(_ASKS_YES_NO.search(self.tidy)) and not _ASKS_OPENLY.search(self.tidy)

    def find(self, words: str) -> int:
        """Index of the first token of ``words``, in any number or tense; -1 where they are not."""
        return next(iter(self.places(words)), -1)

    def places(self, words: str) -> list[int]:
        """Every such index."""
        wanted: Sequence[str] = stems(words)
        length = len(wanted)
        if not length:
            return []
        return [i for i in range(len(self.stems) - length + 1) if list(self.stems[i : i + length]) == wanted]

    def holds(self, words: str) -> bool:
        """Whether ``words`` stand in it as they are, as whole words."""
        return bool(re.search(rf"(?<!\w){re.escape(tidy(words))}(?!\w)", self.tidy))

    def says(self, words: str) -> bool:
        """`holds`, whatever the case."""
        return bool(re.search(rf"(?<!\w){re.escape(tidy(words))}(?!\w)", self.tidy, re.IGNORECASE))


__all__ = ["Text", "Token", "stem", "stems", "tidy"]
