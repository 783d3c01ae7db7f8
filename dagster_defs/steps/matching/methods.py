"""Statistical questions: which columns, and which test. The computed value is not asked for.

Columns are a set: a correlation is symmetric, and [value, group] names both in any order. Tests are known by the names
in questions.method_names, which are data here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dagster_defs.steps.matching.texts import LONGEST, fold

# Words around a method's name that change nothing, and words that say which of several tests of one name is meant.
_FILLERS = frozenset(
    (
        "test", "tests", "testing", "method", "analysis", "of", "for", "a", "an", "by", "using", "with", "on", "in",
        "to", "and", "between", "statistic", "statistics", "coefficient", "statistical", "hypothesis", "two", "sided",
        "tailed", "sample", "samples", "group", "groups", "data", "p", "r", "rho", "value", "significance", "at", "5",
        "0", "05", "level", "alpha", "correlation", "scipy", "stats", "center", "centre", "centered", "centred",
        "median", "mean", "based", "equality", "homogeneity", "equal",
    )
)  # fmt: skip
_QUALIFIERS: Mapping[str, frozenset[str]] = {
    "independence": frozenset({"chi2_contingency"}),
    "association": frozenset({"chi2_contingency"}),
    "contingency": frozenset({"chi2_contingency"}),
    "table": frozenset({"chi2_contingency"}),
    "goodness": frozenset({"chisquare", "jarque_bera"}),
    "fit": frozenset({"chisquare", "jarque_bera"}),
    "uniformity": frozenset({"chisquare"}),
    "uniform": frozenset({"chisquare"}),
    "normality": frozenset({"jarque_bera"}),
    "normal": frozenset({"jarque_bera"}),
    "variance": frozenset({"levene", "f_oneway"}),
    "variances": frozenset({"levene", "f_oneway"}),
    "distribution": frozenset({"jarque_bera", "chisquare"}),
    "rank": frozenset({"spearmanr"}),
    "linear": frozenset({"pearsonr"}),
}
_CHI = re.compile(r"\b(?:chi|x)[ ^]*(?:2|squared?)\b")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a topic: its bare name, its phrase in questions, and the unit and kind of its values."""

    name: str
    phrase: str
    unit: str | None = None
    kind: str = "category"


@lru_cache(maxsize=1024)
def column_key(text: str) -> str:
    """A column's name as words: "topic.length_km", "Length (km)" and "length km" are one."""
    return fold(text[:LONGEST].rsplit(".", 1)[-1].replace("_", " "))


def column_of(text: str, listed: Sequence[Attribute]) -> str | None:
    """The attribute that `text` names, by its name or else by a phrase that no other attribute has; None for none."""
    key = column_key(text)
    named = [attribute.name for attribute in listed if column_key(attribute.name) == key]
    if not named:
        named = [attribute.name for attribute in listed if fold(attribute.phrase) in (key, fold(text))]
    return named[0] if len(named) == 1 else None


def columns_given(answer: object) -> list[str]:
    """Column names from a JSON array or from text that separates them."""
    if isinstance(answer, str):
        return [
            part.strip(" .`'\"") for part in re.split(r"[,;\n\[\]]|\band\b|\bvs\.?\b", answer) if part.strip(" .`'\"")
        ]
    if isinstance(answer, list | tuple):
        return [item for item in answer if isinstance(item, str)]
    return []


def match_columns(answer: object, gold: Sequence[str], listed: Sequence[Attribute]) -> bool:
    """Whether an answer names exactly the gold columns, in any order."""
    return {column_of(name, listed) for name in columns_given(answer)} == set(gold)


class Methods:
    """The tests of a benchmark and the names people use for them."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """`names`: (gold_method, name) as in questions.method_names; one name may stand for several tests."""
        known: dict[str, set[str]] = {}
        self.tests: frozenset[str] = frozenset()
        for test, name in names:
            self.tests |= {test}
            # A test's identifier is compared as it stands: "chisquare" is one test, "chi square" may be two.
            for form in _forms(name) if name != test else ():
                known.setdefault(form, set()).add(test)
        self._known = {form: frozenset(tests) for form, tests in known.items()}
        self._longest = max((form.count(" ") + 1 for form in known), default=0)

    def of(self, text: str) -> frozenset[str]:
        """The tests that `text` may mean: several for "chi-square test", none for two tests or an unknown one."""
        identifier = re.sub(r"^(?:scipy\.)?stats\.", "", text.strip(" `().").casefold())
        if identifier in self.tests:
            return frozenset({identifier})
        words = _method_key(text).split()
        meant, position = self.tests, 0
        found = False
        while position < len(words):
            length = next(
                (n for n in range(self._longest, 0, -1) if " ".join(words[position : position + n]) in self._known), 0
            )
            if length:
                meant &= self._known[" ".join(words[position : position + length])]
                found = True
            elif words[position] in _QUALIFIERS:
                meant &= _QUALIFIERS[words[position]]
            elif words[position] not in _FILLERS:
                return frozenset()
            position += length or 1
        return meant if found else frozenset()

    def match(self, text: object, gold: str) -> bool:
        """Whether `text` names the gold test."""
        return isinstance(text, str) and gold in self.of(text)


def _method_key(text: str) -> str:
    """A method's name as words, with one way of writing chi-squared and no possessive."""
    text = re.sub(r"['’]s?\b", "", text[:LONGEST].replace("_", " ").replace("χ", "chi"))
    return _CHI.sub("chi square", fold(text.replace("²", " squared").replace("chi2", "chi 2")))


def _forms(name: str) -> set[str]:
    """A name, and what is left of it without its last word where that says only that it is a test or correlation."""
    key = _method_key(name)
    forms = {key}
    while key.rpartition(" ")[2] in ("test", "coefficient", "correlation"):
        key = key.rpartition(" ")[0]
        # What is left has to be a name: "f", "g" and "linear" are none.
        if any(len(word) > 3 for word in key.split()) and key not in ("linear", "rank", "normality"):
            forms.add(key)
    return forms


def chance_level(n_columns: int, n_attributes: int, n_methods: int) -> float:
    """Probability that a guess of columns and method is right: 1 / (C(n_attributes, n_columns) * n_methods).

    The guess knows how many columns are asked for, draws that many of the listed attributes without order or
    repetition, and one of the tests, all equally likely. Raises ValueError where fewer attributes are listed than asked
    for, or there is no test.
    """
    if not 0 < n_columns <= n_attributes or n_methods < 1:
        raise ValueError(f"no guess of {n_columns} columns among {n_attributes} with {n_methods} tests")
    return 1 / (math.comb(n_attributes, n_columns) * n_methods)
