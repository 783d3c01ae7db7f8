"""How distinct a set of questions is, in words and in meaning."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_WORD = re.compile(r"\w+|[^\w\s]")
_ORDER = 4
Gram = tuple[str, ...]
Grams = Counter[Gram]
_Top = tuple[int, int, int]


def mean_dissimilarity(vectors: npt.ArrayLike) -> float:
    """The mean of 1 - cosine over all pairs of rows, which are of length 1; raises ValueError for fewer than two.

    All cosines together are the squared length of the sum of the rows, less the rows themselves.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if len(rows) < 2:
        raise ValueError("the dissimilarity of pairs needs two vectors at least")
    n = len(rows)
    cosines = float((rows.sum(axis=0) ** 2).sum() - (rows**2).sum())
    return 1 - cosines / (n * (n - 1))


def self_bleu(texts: Sequence[str]) -> float:
    """Self-BLEU-4: the mean BLEU of each text with all others as references, from 0 to 1; lower is more diverse.

    Zhu et al., Texygen, SIGIR 2018, over BLEU of Papineni et al., ACL 2002. Words are runs of letters and digits in
    lower case, and punctuation marks. A precision without a match counts as 0.1 matches (method 1 of Chen and Cherry,
    WMT 2014), of an n-gram that a text is too short for as 0.1 in 1. Raises ValueError for fewer than two texts.
    """
    if len(texts) < 2:
        raise ValueError("Self-BLEU needs two texts at least")
    words = [_WORD.findall(text.lower()) for text in texts]
    grams = [[_grams(found, size) for found in words] for size in range(1, _ORDER + 1)]
    tops = [_tops(counted) for counted in grams]
    lengths = Counter(len(found) for found in words)
    return sum(_bleu(i, grams, tops, lengths) for i in range(len(texts))) / len(texts)


def _bleu(i: int, grams: list[list[Grams]], tops: list[dict[Gram, _Top]], lengths: Counter[int]) -> float:
    """BLEU of text ``i`` against all others."""
    logs = 0.0
    for size, (counted, top) in enumerate(zip(grams, tops, strict=True), 1):
        matched = sum(min(count, _elsewhere(top[gram], i)) for gram, count in counted[i].items())
        # Without a single word in common there is nothing to smooth.
        if size == 1 and not matched:
            return 0.0
        logs += math.log((matched or 0.1) / max(1, counted[i].total()))
    length = grams[0][i].total()
    others = [other for other, count in lengths.items() if count > (other == length)]
    nearest = min(others, key=lambda other: (abs(other - length), other))
    return math.exp(logs / _ORDER) * math.exp(min(0.0, 1 - nearest / length))


def _grams(words: Sequence[str], size: int) -> Grams:
    return Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def _tops(counted: Sequence[Grams]) -> dict[Gram, _Top]:
    """For each n-gram how often it is in the text that has it most, which that is, and how often in the next."""
    tops: dict[Gram, _Top] = {}
    for i, grams in enumerate(counted):
        for gram, count in grams.items():
            most, where, next_most = tops.get(gram, (0, -1, 0))
            tops[gram] = (count, i, most) if count > most else (most, where, max(next_most, count))
    return tops


def _elsewhere(top: _Top, i: int) -> int:
    """How often an n-gram is in the text other than ``i`` that has it most."""
    most, where, next_most = top
    return next_most if where == i else most
