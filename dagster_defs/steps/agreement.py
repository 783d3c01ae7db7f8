"""How far annotators, or a judge and people, agree: raw agreement, Cohen's kappa, Krippendorff's alpha."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

Label = Hashable | None


def _pairs(first: Sequence[Label], second: Sequence[Label]) -> list[tuple[Hashable, Hashable]]:
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels stand against {len(second)}")
    return [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]


def raw_agreement(first: Sequence[Label], second: Sequence[Label]) -> float:
    """Share of items, labelled by both (None is no label), that got the same label; NaN where there are none.

    Raises ValueError where the sequences differ in length.
    """
    pairs = _pairs(first, second)
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else math.nan


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> float:
    """Cohen's kappa of two annotators over the items labelled by both (None is no label).

    kappa = (p_o - p_e) / (1 - p_e), p_o the share of agreement and p_e the share expected from each annotator's own
    frequencies (Cohen 1960, A coefficient of agreement for nominal scales). NaN where no item has both labels or all
    have one and the same, since then nothing could disagree. Raises ValueError where the sequences differ in length.
    """
    pairs = _pairs(first, second)
    n = len(pairs)
    ours, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    # In whole numbers, so that "exactly as expected" is exactly 0.
    agreed = sum(a == b for a, b in pairs) * n
    expected = sum(count * theirs[label] for label, count in ours.items())
    return (agreed - expected) / (n * n - expected) if n * n != expected else math.nan


def krippendorff_alpha(ratings: Sequence[Sequence[Label]]) -> float:
    """Krippendorff's alpha for nominal labels: one sequence per annotator, all over the same items, None for no label.

    alpha = 1 - (n - 1) * sum_{c<>k} o_ck / sum_{c<>k} n_c n_k, where a unit of m labels adds 1 / (m - 1) to the
    coincidence o_ck for each of its ordered pairs of labels, and items with fewer than two labels drop out
    (Krippendorff 2011, Computing Krippendorff's alpha-reliability, section C). NaN where no two labels can be paired or
    all are one and the same. Raises ValueError where the sequences differ in length.
    """
    if len({len(labels) for labels in ratings}) > 1:
        raise ValueError(f"annotators labelled {sorted({len(labels) for labels in ratings})} items")
    totals: Counter[Hashable] = Counter()
    disagreed = 0.0
    for item in zip(*ratings, strict=True):
        counts = Counter(label for label in item if label is not None)
        m = counts.total()
        if m < 2:
            continue
        totals += counts
        disagreed += (m * m - sum(count * count for count in counts.values())) / (m - 1)
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    return 1 - (n - 1) * disagreed / expected if expected else math.nan
