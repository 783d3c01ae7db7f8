"""The closed loop: measure a concept's query, change one thing, until it is good enough or nothing helps."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from dagster_defs.steps.propose.adjust import Adjustment, adjustments
from dagster_defs.steps.propose.measure import MOST_MEMBERS, Measured, Probe
from ingest.concepts.declaration import Declaration

ACCEPTED: Final = "accepted"
ADJUSTED: Final = "adjusted"
REFUSED: Final = "refused"
# Valid results that an adjustment has to leave, as a share of those that there were at first.
_KEPT: Final = 0.5


@dataclass(frozen=True)
class Iteration:
    """One turn of the loop. number: over all tries of a concept, from 1; attempt: which proposal this is of, from 1.

    decision: accepted, adjusted or refused; adjustment: what is changed for the next, in words. tried: every adjustment
    that was executed, as (words, results, precision).
    """

    number: int
    attempt: int
    measured: Measured
    decision: str
    adjustment: str | None = None
    tried: Sequence[tuple[str, int, float]] = ()

    @property
    def tried_json(self) -> str:
        """What was tried, as a JSON list of objects."""
        return json.dumps(
            [{"adjustment": told, "n_results": n, "precision": round(share, 6)} for told, n, share in self.tried]
        )


@dataclass
class Refined:
    """What came of a concept: the turns, whether the last one is good enough, and why not where it isn't."""

    iterations: list[Iteration] = field(default_factory=list)
    reason: str | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether a topic can be made of it."""
        return self.reason is None and bool(self.iterations)

    @property
    def final(self) -> Measured:
        """The last measurement."""
        return self.iterations[-1].measured


def refine(
    declaration: Declaration,
    probe: Probe,
    *,
    attempt: int = 1,
    done: int = 0,
    log: Callable[[str], None] = lambda line: None,
) -> Refined:
    """Refine one concept with the iterations that are left after ``done``.

    Raises IngestError where the endpoint can't answer.
    """
    refined, bar = Refined(), probe.bar
    measured = first = probe.measure(declaration)
    for number in range(done + 1, bar.iterations + 1):
        log(f"{declaration.concept}, iteration {number}: {_told(measured)}.")
        if measured.passes(bar):
            refined.iterations.append(Iteration(number, attempt, measured, ACCEPTED))
            return refined
        if number == bar.iterations:
            refined.iterations.append(Iteration(number, attempt, measured, REFUSED))
            refined.reason = _reason(measured, probe, "the iterations are used up")
            break
        chosen, tried = _choose(measured, first, probe)
        if chosen is None:
            refined.iterations.append(Iteration(number, attempt, measured, REFUSED, tried=tried))
            refined.reason = _reason(measured, probe, "no adjustment helps")
            break
        refined.iterations.append(Iteration(number, attempt, measured, ADJUSTED, chosen[0].told, tried))
        measured = chosen[1]
    return refined


def _choose(
    measured: Measured, first: Measured, probe: Probe
) -> tuple[tuple[Adjustment, Measured] | None, list[tuple[str, int, float]]]:
    """(the adjustment that gains most with what it gives, None where none helps; all that were executed)."""
    bar = probe.bar
    wider = probe.wider(measured.declaration) if measured.n_results < bar.members else {}
    executed = [
        (one, probe.measure(one.declaration)) for one in adjustments(measured, bar, probe.rules.constraints, wider)
    ]
    tried = [(one.told, found.n_results, found.precision) for one, found in executed]
    helpful = [(one, found) for one, found in executed if _helps(found, measured, first, bar.members)]
    best = max(helpful, key=lambda pair: (pair[1].passes(bar), pair[1].precision, pair[1].valid), default=None)
    return best, tried


def _helps(found: Measured, measured: Measured, first: Measured, members: int) -> bool:
    """Whether an adjustment is one to take."""
    if found.n_results >= MOST_MEMBERS:
        return False
    if measured.n_results < members:
        # Too few: what counts is that there are more valid ones.
        return found.valid > measured.valid
    enough = found.n_results >= members and found.valid >= _KEPT * first.valid
    return enough and found.precision > measured.precision


def _told(measured: Measured) -> str:
    """A measurement in words."""
    low, high = measured.interval
    many = f"more than {MOST_MEMBERS - 1:,}" if measured.n_results >= MOST_MEMBERS else f"{measured.n_results:,}"
    return (
        f"{many} results, {measured.n_valid:,} of {len(measured.checked):,} checked are valid"
        f" ({measured.precision:.1%}, 95% interval {low:.1%} to {high:.1%})"
    )


def _reason(measured: Measured, probe: Probe, stuck: str) -> str:
    """Why a concept is refused, as a sentence."""
    bar = probe.bar
    name = measured.declaration.concept
    if measured.n_results == 0:
        return f"'{name}' has no result at {probe.endpoint.name}, and {stuck}."
    if measured.n_results < bar.members:
        return f"'{name}' has {measured.n_results} results, fewer than the {bar.members} that are needed, and {stuck}."
    if measured.n_results >= MOST_MEMBERS:
        return f"'{name}' has {MOST_MEMBERS:,} results or more: narrow it down by filters, or land a dump."
    causes = ", ".join(f"{cause} ({count})" for cause, count in measured.causes.most_common(3))
    return (
        f"Of {len(measured.checked):,} checked results of '{name}' {measured.n_valid:,} are valid"
        f" ({measured.precision:.1%} where {bar.precision:.1%} is needed), and {stuck}; the others fail by {causes}."
    )
