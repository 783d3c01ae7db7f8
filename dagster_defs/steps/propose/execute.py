"""One concept from its words or its declaration to landed rows and a folder to review."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from dagster_defs.llm.budget import Estimate
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import ModelSpec
from dagster_defs.llm.prompts import load_prompt
from dagster_defs.steps.asking import Spent
from dagster_defs.steps.propose import rows as landed
from dagster_defs.steps.propose.concept import Concept, concept_of, topic_name
from dagster_defs.steps.propose.describe import Coverage, Expected, coverages, expected
from dagster_defs.steps.propose.link import Linker, Searches
from dagster_defs.steps.propose.measure import Bar, Probe
from dagster_defs.steps.propose.propose import CHOOSE, PROPOSE, Proposer, choose_call, propose_call
from dagster_defs.steps.propose.refine import ACCEPTED, REFUSED, Iteration, Refined, refine
from dagster_defs.steps.propose.units import Units
from dagster_defs.steps.propose.write import Report, write
from dagster_defs.steps.published import digest
from ingest.concepts.declaration import Declaration

# The first proposal, and two more with what failed of those before.
ATTEMPTS: Final = 3
# Names that a proposal has to have told apart, at most: a class, filters with a value each, attributes of two steps.
_NAMES: Final = 25
Log = Callable[[str], None]


@dataclass(frozen=True)
class Places:
    """Where a proposal is landed and written, the published file that questions are estimated by, and the seeds."""

    landing: Path
    proposals: Path
    database: Path
    varying: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Asked:
    """A concept in words, and who is asked about it."""

    concept: str
    description: str
    spec: ModelSpec
    caller: Caller
    search: Searches
    units: Units


@dataclass
class Outcome:
    """What came of a concept. files: what was written, the report last."""

    proposal_id: str
    concept: str
    topic: str
    refined: Refined
    candidates: list[dict[str, Any]] = field(default_factory=list)
    spent: Spent | None = None
    coverages: Sequence[Coverage] = ()
    expected: Expected | None = None
    files: Sequence[Path] = ()

    def sentences(self) -> list[str]:
        """The outcome in lines that a person reads."""
        if not self.refined.is_accepted:
            return [f"Refused: {self.refined.reason}", f"See {self.files[-1]}."]
        final = self.refined.final
        low, high = final.interval
        turns = len(self.refined.iterations)
        lines = [
            f"{self.concept}: {final.n_results:,} entities, precision {final.precision:.3f} ({low:.3f} to {high:.3f})"
            f" after {turns} iteration{'s' if turns > 1 else ''}.",
            "Coverage: " + ", ".join(f"{one.attribute.name} {one.share:.0%}" for one in self.coverages) + ".",
        ]
        if self.expected is not None:
            lines.append(f"About {self.expected.total} questions are to be expected, by an estimate.")
        return [*lines, f"Nothing is adopted: review {self.files[-1].parent}, whose README.md says how."]


def from_declaration(declaration: Declaration, probe: Probe, places: Places, log: Log = lambda line: None) -> Outcome:
    """Refine a declared concept, write it down and land its rows. Raises IngestError where it can't be asked."""
    day = datetime.datetime.now(datetime.UTC)
    refined = refine(declaration, probe, log=log)
    found = Outcome(declared_id(declaration, probe, day.date()), declaration.concept, declaration.topic, refined)
    return _finish(found, refined.final.declaration, probe, places, day)


def declared_id(declaration: Declaration, probe: Probe, day: datetime.date) -> str:
    """The id of a declared concept's proposal: the same for the same need, asked of the same endpoint on one day."""
    content = [declaration.model_dump(mode="json"), probe.endpoint.name, _bar(probe.bar), day.isoformat()]
    return _id(declaration.topic, content)


def from_words(asked: Asked, probe: Probe, places: Places, log: Log = lambda line: None) -> Outcome:
    """Have a concept proposed, linked and refined, again with what failed until it is good enough or tries are used up.

    Raises IngestError where a service can't answer, RunError where a call can't be sent or a cap is reached; what was
    answered until then is in the journal, so that the same concept goes on from there.
    """
    proposer = Proposer(asked.spec, asked.caller, asked.concept, asked.description)
    topic = topic_name(asked.concept)
    day = datetime.datetime.now(datetime.UTC)
    content = [asked.concept, asked.description, asked.spec.name, probe.endpoint.name, _bar(probe.bar)]
    found = Outcome(
        _id(topic, [*content, day.date().isoformat()]), asked.concept, topic, Refined(), spent=proposer.spent
    )
    failures: list[str] = []
    for attempt in range(1, ATTEMPTS + 1):
        done = len(found.refined.iterations)
        if done >= probe.bar.iterations:
            break
        concept = _proposed(asked, proposer, probe, failures, attempt, found, places.varying)
        if concept.declaration is not None:
            rules = replace(probe.rules, constraints={**probe.rules.constraints, **concept.constraints})
            tried = refine(
                concept.declaration, replace(probe, rules=rules, measured={}), attempt=attempt, done=done, log=log
            )
            found.refined.iterations += tried.iterations
            found.refined.reason = tried.reason
            if tried.is_accepted:
                return _finish(found, tried.final.declaration, replace(probe, rules=rules), places, day, asked.spec)
        why = found.refined.reason if concept.declaration is not None else " ".join(concept.failures)
        log(f"{asked.concept}, try {attempt}: {why}")
        failures.append(" ".join(filter(None, [*concept.failures, why if concept.declaration is not None else ""])))
    if found.refined.reason is None or not found.refined.iterations:
        found.refined.reason = failures[-1] if failures else "There was no try left."
    last = found.refined.iterations[-1].measured.declaration if found.refined.iterations else None
    return _finish(found, last, probe, places, day, asked.spec)


def estimate(concept: str, description: str, spec: ModelSpec, caller: Caller) -> str:
    """What a concept would take at most, in one sentence; nothing is asked."""
    listed = [
        *(propose_call(spec, concept, description, ["x" * 400] * n, n) for n in range(ATTEMPTS)),
        *(
            choose_call(spec, concept, description, f"a class {n}", concept, ["x" * 100] * 7)
            for n in range(ATTEMPTS * _NAMES)
        ),
    ]
    taken: Estimate = caller.estimate(listed)
    return f"{concept}: at most {taken.taking()}, and some 15 queries of the endpoint for each adjustment tried."


def _proposed(
    asked: Asked,
    proposer: Proposer,
    probe: Probe,
    failures: Sequence[str],
    attempt: int,
    found: Outcome,
    varying: frozenset[str],
) -> Concept:
    """One proposal, linked; its candidates are added to the outcome."""
    proposal = proposer.propose(failures, attempt)
    if isinstance(proposal, str):
        return Concept(failures=[proposal])
    linker = Linker(asked.search, probe.endpoint, proposer.choose, probe.language)
    concept = concept_of(asked.concept, found.topic, proposal, linker, asked.units, varying)
    found.candidates += [row for one in linker.linked for row in one.rows(attempt)]
    return concept


def _finish(
    found: Outcome,
    declaration: Declaration | None,
    probe: Probe,
    places: Places,
    day: datetime.datetime,
    spec: ModelSpec | None = None,
) -> Outcome:
    """Describe, write down and land an outcome."""
    if found.refined.iterations:
        found.coverages = coverages(found.refined.final, probe)
    if found.refined.is_accepted:
        found.expected = expected(found.coverages, places.database)
    report = Report(
        found.concept,
        found.topic,
        found.refined,
        found.coverages,
        found.expected,
        probe.endpoint.name,
        day.date(),
        spec.name if spec is not None else None,
        places.varying,
    )
    found.files = write(places.proposals, report)
    landed.land(places.landing, found.proposal_id, _rows(found, declaration, probe, day, spec))
    return found


def _rows(
    found: Outcome, declaration: Declaration | None, probe: Probe, day: datetime.datetime, spec: ModelSpec | None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    final = _measured(found.refined.iterations[-1]) if found.refined.iterations else {}
    spent = found.spent or Spent()
    return {
        "proposals": [
            {
                "concept": found.concept,
                "topic": found.topic,
                "field": declaration.field if declaration is not None else None,
                "model": spec.name if spec is not None else None,
                "endpoint": probe.endpoint.name,
                "outcome": ACCEPTED if found.refined.is_accepted else REFUSED,
                "reason": found.refined.reason,
                "n_iterations": len(found.refined.iterations),
                **final,
                "threshold": probe.bar.precision,
                "n_expected": found.expected.total if found.expected is not None else None,
                "declaration": declaration.model_dump_json(exclude_defaults=True) if declaration is not None else None,
                "prompt_sha": ",".join(load_prompt(one).sha for one in (PROPOSE, CHOOSE)) if spec is not None else None,
                "prompt_tokens": spent.prompt_tokens,
                "completion_tokens": spent.completion_tokens,
                "cost_usd": spent.cost_usd,
                "proposed_at": day,
            }
        ],
        "proposed_candidates": found.candidates,
        "proposed_iterations": [_iteration(one) for one in found.refined.iterations],
        "proposed_attributes": [
            {
                "attribute": one.attribute.name,
                "position": place,
                **{key: getattr(one.attribute, key) for key in ("path", "label", "kind", "unit")},
                "is_required": declaration is not None and one.attribute.name in declaration.required,
                "n_checked": one.n_checked,
                "n_known": one.n_known,
                "n_values": one.n_values,
                "coverage": one.share,
            }
            for place, one in enumerate(found.coverages)
        ],
    }


def _iteration(one: Iteration) -> dict[str, Any]:
    classes = [
        {"class_id": name, "label": one.measured.labels.get(name), "n_checked": count, "n_valid": good}
        for name, (count, good) in one.measured.classes.items()
    ]
    return {
        "iteration": one.number,
        "attempt": one.attempt,
        "query": one.measured.query,
        **_measured(one),
        "causes": json.dumps(dict(one.measured.causes.most_common())),
        "classes": json.dumps(classes),
        "decision": one.decision,
        "adjustment": one.adjustment,
        "tried": one.tried_json,
    }


def _measured(one: Iteration) -> dict[str, Any]:
    low, high = one.measured.interval
    return {
        "n_results": one.measured.n_results,
        "n_checked": len(one.measured.checked),
        "n_valid": one.measured.n_valid,
        "precision": one.measured.precision,
        "precision_low": low,
        "precision_high": high,
    }


def _bar(bar: Bar) -> list[Any]:
    return [bar.precision, bar.members, bar.iterations, bar.sample, bar.seed]


def _id(topic: str, content: Any) -> str:
    return f"{topic}--{digest(content)[:12]}"
