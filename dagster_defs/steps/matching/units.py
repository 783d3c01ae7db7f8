"""Units of measurement, read from words or symbols, and converted into one another.

The conversions are data: rows of seeds/units.csv. A unit becomes powers of base dimensions, a factor and an addend, so
that "people per square mile" and "g cm⁻³" need no rows of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal

from dagster_defs.steps.matching.unit_names import (
    OTHER_NAMES,
    POWERS_AFTER,
    POWERS_BEFORE,
    PREFIXED,
    PREFIXES,
    PURE_NAMES,
    WORDLIKE,
)

# Wide enough that a conversion there and back is exact after rounding to 15 digits; nothing traps.
ARITHMETIC = Context(prec=40, Emin=-999_999, Emax=999_999, traps=[])

SCALES: Mapping[str, Decimal] = {
    name: Decimal(10) ** power
    for power, names in {
        2: "hundred hundreds",
        3: "thousand thousands",
        5: "lakh lakhs",
        6: "million millions mio mln mn",
        7: "crore crores",
        9: "billion billions bln bn",
        12: "trillion trillions trn tn",
        15: "quadrillion quadrillions",
    }.items()
    for name in names.split()
}

_TOKEN = re.compile(
    r"\s*(?:(?P<power>\^[-+]?\d+|(?<=[a-zA-Z])-?[1-4](?![\d.,]*\w))|(?P<number>\d[\d,]*)"
    r"|(?P<sign>[/()·⋅*×])|(?P<word>(?:US|[ACR])\$|°?[^\W\d_]+|[°%‰$€£¥₹₩₽]))"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit: `dimensions` as (base dimension, exponent), and base value = factor * amount + addend.

    counted: it holds words that are no unit ("people"), which count as 1.
    """

    dimensions: tuple[tuple[str, int], ...]
    factor: Decimal
    addend: Decimal = Decimal(0)
    counted: bool = False

    @property
    def is_currency(self) -> bool:
        """Whether it is an amount of money."""
        return len(self.dimensions) == 1 and self.dimensions[0][0].startswith("currency_")


PURE = Measure((), Decimal(1))


def convert(value: Decimal, source: Measure, target: Measure, *, difference: bool = False) -> Decimal | None:
    """`value` of `source` in `target`, to 15 significant digits; None where they measure different things.

    difference: the value is a span, for which addends (the zero point of a temperature) don't count.
    """
    if source.dimensions != target.dimensions:
        return None
    base = ARITHMETIC.multiply(value, source.factor)
    if not difference:
        base = ARITHMETIC.subtract(ARITHMETIC.add(base, source.addend), target.addend)
    result = Context(prec=15, traps=[]).plus(ARITHMETIC.divide(base, target.factor))
    return result if result.is_finite() else None


def _normal(text: str) -> str:
    text = re.sub(r"\b([A-Z])\.\s?([A-Z])\.", r"\1\2", text)
    text = re.sub(r"\b(sq|cu)\.", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(r"\bper[ -]cent\b", "percent", text, flags=re.IGNORECASE)
    text = re.sub(r"\bper[ -]mille?\b", "permille", text, flags=re.IGNORECASE)
    text = re.sub(r"° ([CFK])\b", r"°\1", re.sub(r"\b(sq)(k?m|mi|ft)\b", r"\1 \2", text))
    text = re.sub(r"(?<=eV)\s?/\s?c(?:\^?2)?(?![^\W_])", "", text)
    return re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", text.replace("µ", "μ"))


def _british(word: str) -> str:
    return re.sub(r"(met|lit)er(s?)$", r"\1re\2", word.casefold())


def _tokens(text: str) -> list[tuple[str, str]]:
    found, position = [], 0
    while match := _TOKEN.match(text, position):
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        position = match.end()
    return found


class Units:
    """The units that answers may be given in."""

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        """`rows`: unit_id, label, label_plural, symbol, dimension, factor, addend, base_unit, all as text."""
        self._asked: dict[str, Measure] = {}
        self._words: dict[str, list[Measure]] = {}
        self._symbols: dict[str, list[Measure]] = {"mol": [Measure((("amount", 1),), Decimal(1))]}
        self._words.update({"mole": self._symbols["mol"], "moles": self._symbols["mol"]})
        listed = [dict(row) for row in rows]
        labels = {row["unit_id"]: row["label"] for row in listed}
        compound = [row for row in listed if re.search(r" per |^square |^cubic ", row["label"]) and row["factor"]]
        simple = [row for row in listed if row not in compound]
        # Units whose base is itself a compound (hectare, litre, knot) wait until its parts are known.
        for row in sorted(simple, key=lambda row: bool(re.search(r" per |^square |^cubic ", labels[row["base_unit"]]))):
            self._add(row, labels[row["base_unit"]])
        for row in compound:
            measure = self.parse(row["label"])
            if measure and row["symbol"].isalpha():
                self._symbols.setdefault(row["symbol"], []).append(measure)
        self._add_other_names()
        self._add_prefixed()

    def _add(self, row: Mapping[str, str], base_label: str) -> None:
        if row["dimension"] == "ratio":
            base: Measure | None = PURE
        else:
            base = self.parse(base_label) if row["unit_id"] != row["base_unit"] else None
        base = base or Measure(((row["dimension"], 1),), Decimal(1))
        factor = ARITHMETIC.multiply(Decimal(row["factor"]), base.factor)
        measure = Measure(base.dimensions, factor, Decimal(row["addend"]))
        for name in {row["label"], row["label_plural"]} - {"", "1"}:
            self._words.setdefault(_british(_normal(name)), []).append(measure)
        if row["symbol"] != "1":
            self._symbols.setdefault(row["symbol"], []).append(measure)

    def _add_other_names(self) -> None:
        for label, multiplier, names in OTHER_NAMES:
            measure = self.parse(label)
            if measure is None:
                continue
            other = Measure(
                measure.dimensions, ARITHMETIC.multiply(measure.factor, Decimal(multiplier)), measure.addend
            )
            for name in names:
                is_word = len(name) > 2 and name.islower()
                known = (
                    self._words.setdefault(_british(_normal(name)), [])
                    if is_word
                    else self._symbols.setdefault(name, [])
                )
                if other not in known:
                    known.append(other)

    def _add_prefixed(self) -> None:
        for label, symbol in PREFIXED.items():
            for known in self._words.get(label, [])[:1]:
                for prefix, (letter, power) in PREFIXES.items():
                    factor = ARITHMETIC.multiply(known.factor, Decimal(10) ** power)
                    measure = [Measure(known.dimensions, factor)]
                    for name in (prefix + label, prefix + label + ("" if label == "hertz" else "s")):
                        self._words.setdefault(name, measure)
                    self._symbols.setdefault(letter + symbol, measure)

    def atom(
        self, tokens: Sequence[tuple[str, str]], start: int, like: Measure | None, symbols: bool
    ) -> tuple[Measure, int] | None:
        """The longest unit named by the words from `start`, and the number of words it took."""
        for length in (3, 2, 1):
            part = tokens[start : start + length]
            if len(part) < length or any(kind != "word" for kind, _ in part):
                continue
            name = " ".join(word for _, word in part)
            found = self._named(name, symbols)
            after = tokens[start + length][0] if start + length < len(tokens) else ""
            if not found or (name in WORDLIKE and after in ("word", "number")):
                continue
            fitting = [measure for measure in found if like and measure.dimensions == like.dimensions]
            return (fitting or found)[0], length
        return None

    def _named(self, name: str, symbols: bool) -> list[Measure]:
        """Units of this name; a symbol counts by its case, a longer one in any case where that is unambiguous."""
        word = _british(name)
        if word in PURE_NAMES:
            return [PURE]
        if (symbols or not name.isalpha()) and name in self._symbols:
            return self._symbols[name] + self._words.get(word, [])
        if word in self._words and (symbols or name not in WORDLIKE):
            return self._words[word]
        if symbols and len(name) > 1:
            close = [known for symbol, known in self._symbols.items() if symbol.casefold() == name.casefold()]
            return close[0] if len(close) == 1 else []
        return []

    def parse(self, text: str, like: Measure | None = None, *, symbols: bool = True) -> Measure | None:
        """The unit that `text` begins with ("km² in total", "people per square mile"), None where it begins otherwise.

        like: the unit asked for, which decides between units of one name. symbols: whether letters alone count ("m").
        """
        return _Parser(self, _tokens(_normal(text)), like, symbols).measure()

    def find(self, text: str, like: Measure | None = None) -> Measure | None:
        """The first unit anywhere in `text`, a field that holds little else ("current US dollars")."""
        words = text.split()
        for start in range(len(words)):
            measure = self.parse(" ".join(words[start:]), like)
            if measure is not None:
                return measure
        return None

    def asked(self, gold_unit: str) -> Measure:
        """A question's unit; words that name none ("athletes") are a count."""
        if gold_unit not in self._asked:
            self._asked[gold_unit] = self.parse(gold_unit) or Measure((), Decimal(1), counted=True)
        return self._asked[gold_unit]


class _Parser:
    """Reads one unit expression from the front of its tokens."""

    def __init__(self, units: Units, tokens: list[tuple[str, str]], like: Measure | None, symbols: bool) -> None:
        self.units, self.tokens, self.like, self.symbols = units, tokens, like, symbols
        self.at, self.side, self.power, self.grouped = 0, 1, 1, False
        self.found = self.counted = False
        self.dimensions: Counter[str] = Counter()
        self.factor = Decimal(1)
        self.addend = Decimal(0)

    def measure(self) -> Measure | None:
        """What was read, None where no unit was."""
        while self.at < len(self.tokens) and self._step():
            pass
        if not self.found:
            return None
        dimensions = tuple(sorted((name, power) for name, power in self.dimensions.items() if power))
        return Measure(dimensions, self.factor, self.addend, self.counted)

    def _step(self) -> bool:
        """Read on; False where the unit has ended."""
        kind, text = self.tokens[self.at]
        if kind == "sign":
            return self._sign(text)
        if kind == "number":
            return self._divisor(text)
        if kind == "power":
            return False
        return self._word(text)

    def _sign(self, text: str) -> bool:
        if text == "/":
            self.side = -1
        elif text == "(" and self.at and self.tokens[self.at - 1][1] == "/":
            self.grouped = True
        elif text == ")" and self.grouped:
            self.grouped = False
        elif text in "()" or not self.found:
            return False
        self.at += 1
        return True

    def _divisor(self, text: str) -> bool:
        value = Decimal(text.replace(",", ""))
        if self.side > 0 or not value or self.tokens[self.at - 1][1] not in ("/", "per"):
            return False
        self.factor = ARITHMETIC.divide(self.factor, value)
        self.found = self.counted = True
        self.at += 1
        return True

    def _word(self, text: str) -> bool:
        word = text.casefold()
        if word == "per":
            self.side = -1
        elif word in POWERS_BEFORE:
            self.power = POWERS_BEFORE[word]
        elif word in SCALES and not self.found and len(word) > 2:
            self.factor = ARITHMETIC.multiply(self.factor, SCALES[word])
        elif self._joins(word):
            pass
        elif atom := self.units.atom(self.tokens, self.at, self.like, self.symbols):
            self._take(*atom)
            return True
        else:
            return self._noun()
        self.at += 1
        return True

    def _joins(self, word: str) -> bool:
        """ "millions of dollars" and "watts per metre and kelvin"."""
        if word == "of":
            return self.at > 0 and self.tokens[self.at - 1][1].casefold() in SCALES
        after = self.units.atom(self.tokens, self.at + 1, None, self.symbols)
        return word == "and" and self.side < 0 and after is not None

    def _noun(self) -> bool:
        """A word that is no unit counts as 1 in "people per km²" and "per 1,000 people"; elsewhere the unit is over."""
        before = self.tokens[self.at - 1] if self.at else ("", "")
        after = [text for _, text in self.tokens[self.at + 1 : self.at + 4]]
        divided = self.side > 0 and not self.found and ("/" in after or "per" in after)
        counted = self.side < 0 and before[0] == "number"
        if not divided and not counted:
            return False
        self.counted = True
        self.at += 1
        return True

    def _take(self, atom: Measure, length: int) -> None:
        self.at += length
        exponent = self.power
        if self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "power" or text in POWERS_AFTER:
                exponent = POWERS_AFTER.get(text) or int(text.lstrip("^"))
                self.at += 1
        exponent *= self.side
        for name, power in atom.dimensions:
            self.dimensions[name] += power * exponent
        self.factor = ARITHMETIC.multiply(self.factor, ARITHMETIC.power(atom.factor, exponent))
        # A zero point has a meaning only for the unit by itself: 5 °C, not 5 J/°C.
        self.addend = atom.addend if not self.found and exponent == 1 else Decimal(0)
        self.found, self.power = True, 1
