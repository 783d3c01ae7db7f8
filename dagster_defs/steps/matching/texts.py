"""Text as a model writes it, brought down to plain characters, and names brought down to what tells them apart."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# More is prose whose answer stands at its end or nowhere; a bound keeps every pattern fast on hostile text.
LONGEST = 8_000

_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPTS = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_VULGAR = re.compile("(\\d*) ?([¼-¾⅐-⅞])")
_MINUS_SIGN = re.compile(r"−\s?(?=[\d.$€£])")
_DASHES = re.compile("[‐‑‒–—―−﹣－]")
_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_LATEX = (
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|operatorname)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\boxed\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\(?:approx|sim)\b"), "≈"),
    (re.compile(r"\\pm\b"), "±"),
    (re.compile(r"\\[,;:! ]"), " "),
    (re.compile(r"\\([%$&_#])"), r"\1"),
    (re.compile(r"\\[()\[\]]"), " "),
    (re.compile(r"(?<=\d)\{,\}(?=\d)"), ","),
    (re.compile(r"\^\s*\{\s*([-+]?\d+)\s*\}"), r"^\1"),
)
_MATHS = re.compile(r"\$([^$\n]*(?:[\\^]|\d\s*)[^$\n]*)\$")
_POWER = re.compile(r"(?<=\d)\*\*(?=[-+]?\d)")
_BOLD = re.compile(r"(?<![\w)*])(\*{2,3})(?=[^\s*])(.+?)(?<=\S)\1(?![\w*])")
_EMPHASIS = re.compile(r"(?<![\w)*])(\*)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])")
_UNDERLINED = re.compile(r"(?<!\w)(_{1,2})(?=\S)([^_\n]+?)(?<=\S)\1(?!\w)")
_MARKER = re.compile(
    r"(?:^|(?<=[\s*_#]))(?:final |correct |short |my )?answer(?: to (?:the|this|your) question)?"
    r"(?: is| would be|\**\s*[:=])\**[:\s]*(?:that )?(?=\S)",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """`text` in NFKC, without markup: superscripts as ^n, all dashes '-', LaTeX and Markdown emphasis undone.

    Text beyond `LONGEST` characters is cut at the front, since an answer that is explained stands at the end.
    """
    text = _INVISIBLE.sub("", text[-LONGEST:])
    text = _SUPERSCRIPTS.sub(lambda found: "^" + found.group().translate(_SUPERSCRIPT), text)
    # Before NFKC, which makes "31⁄2" of "3½".
    text = _VULGAR.sub(lambda found: f"{int(found[1] or 0) + unicodedata.numeric(found[2]):.12g}", text)
    text = unicodedata.normalize("NFKC", _MINUS_SIGN.sub("-", text)).replace("⁄", "/")
    text = _BLANKS.sub(" ", _DASHES.sub("-", text))
    if "\\" in text or "{" in text:
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
    text = _POWER.sub("^", text)
    text = _EMPHASIS.sub(r"\2", _BOLD.sub(r"\2", text))
    text = _UNDERLINED.sub(r"\2", text.replace("`", ""))
    return text.strip()


def exactly(text: str) -> str:
    """`text` without case and outer blanks, in NFKC: for names that differ by nothing that `fold` keeps."""
    return unicodedata.normalize("NFKC", text[:LONGEST]).strip().casefold()


def without_maths(text: str) -> str:
    """`text` without the dollar signs that fence a formula ($1.2 × 10^9$); a price keeps its own."""
    return _MATHS.sub(r"\1", text)


def final_answer(text: str) -> str:
    """What follows the last "answer:" or "the answer is", where one stands in `text`, else all of it."""
    ends = [found.end() for found in _MARKER.finditer(text)]
    return text[ends[-1] if ends else 0 :].strip()


_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h"})
_GREEK_NAMES = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
_GREEK = dict(zip("αβγδεζηθικλμνξοπρςστυφχψω", _GREEK_NAMES, strict=True))
_LONE_GREEK = re.compile(r"(?<![^\W\d_])[α-ω](?![^\W\d_])")
_PRIMES = re.compile(r"′|(?<=\))['’](?![^\W\d_])")
_APOSTROPHES = re.compile(r"['’‘`´ʼʻʹ]")
_MINUS = re.compile(r"(?<=[\w)*+])-+(?=\s|$|[).,;:!?\"])")
_PUNCTUATION = re.compile(r"[^\w\s]|_")


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """`text` as words that tell names apart: no case, accents, articles, punctuation or doubled blanks.

    Charge signs, stars and primes are words ("Sigma(b)*-" is "sigma b star minus"), since particles differ by nothing
    else. A text of punctuation alone folds to ''.
    """
    text = _BLANKS.sub(" ", _DASHES.sub("-", unicodedata.normalize("NFKC", _INVISIBLE.sub("", text[:LONGEST]))))
    decomposed = unicodedata.normalize("NFD", text.casefold())
    text = unicodedata.normalize("NFC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))
    text = _LONE_GREEK.sub(lambda found: _GREEK[found.group()], text.translate(_LETTERS))
    text = _PRIMES.sub(" prime ", text)
    text = _MINUS.sub(lambda found: " minus" * len(found.group()), _APOSTROPHES.sub("", text))
    for sign, word in (("&", " and "), ("+", " plus "), ("*", " star ")):
        text = text.replace(sign, word)
    words = _PUNCTUATION.sub(" ", text).split()
    kept = [word for word in words if word != "the"]
    if len(kept) > 1 and kept[0] in ("a", "an"):
        kept = kept[1:]
    return " ".join(kept or words)
