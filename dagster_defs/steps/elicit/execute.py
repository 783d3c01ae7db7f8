"""One experiment from its entities to landed rows."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from dagster_defs.errors import RunError
from dagster_defs.llm.batch import BatchRoute
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call, Reply
from dagster_defs.steps.elicit.answers import (
    FAILED,
    OUTCOMES,
    Elicited,
    Read,
    combined,
    read_predicates,
    read_triples,
)
from dagster_defs.steps.elicit.entities import Entity
from dagster_defs.steps.elicit.plan import MOST_PREDICATES, Experiment
from dagster_defs.steps.elicitation_rows import SCHEMAS, land_rows

DIRECT, BATCH = ROUTES = ("direct", "batch")
Rows = list[dict[str, Any]]
Ask = Callable[[list[Call]], list[Reply]]
# Predicates of common length, to count with.
_PLACEHOLDERS: Final = tuple(f"predicate number {place}" for place in range(MOST_PREDICATES))
# Entities whose rows are held as Python's before they become Arrow's, which are a tenth as large.
_AT_ONCE: Final = 500


@dataclass(frozen=True)
class Report:
    """What an experiment came to: entities by outcome, triples, and what was spent on it, ever. cached: its replies
    that were in the journal before."""

    experiment_id: str
    outcomes: dict[str, int]
    triples: int
    truncated: int
    dollars: float
    cached: int

    def sentence(self) -> str:
        """What came of it in words, with the remedy where entities failed or most answers were too long."""
        entities = sum(self.outcomes.values())
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.items())
        short = f", {self.truncated:,} of them cut short" if self.truncated else ""
        again = " (run again to ask about the failed alone)" if self.outcomes.get(FAILED) else ""
        longer = self.outcomes.get("cut", 0) + self.truncated
        limit = "; most were cut at their limit: raise the tokens of an answer" if 2 * longer > entities else ""
        return (
            f"{self.experiment_id}: {self.triples:,} triples of {entities:,} entities: {outcomes}{short}{again};"
            f" ${self.dollars:,.4f} spent{limit}."
        )


def estimate(experiments: Sequence[Experiment], caller: Caller) -> str:
    """What the experiments would take together, in one sentence; nothing is asked.

    Of two steps the second is counted at most: where the predicates of an entity aren't in the journal yet, as if it
    had as many as are asked about.
    """
    first = caller.estimate(chain.from_iterable(one.first_calls() for one in experiments))
    stepped = [one for one in experiments if one.variant.two_step]
    entities = sum(len(one.asked.entities) for one in experiments)
    said = f"{_count(len(experiments), 'experiment')} over {entities:,} entities: {first.taking()}"
    if stepped:
        most = caller.estimate(chain.from_iterable(_objects_at_most(one, caller) for one in stepped))
        said += f"; then for the objects of two steps at most: {most.taking()}"
    return said + "."


def execute(
    experiment: Experiment,
    landing: Path,
    caller: Caller,
    log: Callable[[str], None] = lambda line: None,
    *,
    via: str = DIRECT,
    poll_s: float = 60.0,
) -> Report:
    """Ask about every entity and land the rows below ``landing`` (``data/landing/elicitation``), the experiment last.

    via: 'direct', or 'batch' for the Batch API, which is cheaper, takes up to a day a step and is looked at every
    ``poll_s`` seconds until it has ended. What the journal has is not asked again by either, and a batch that was
    submitted is found again: running again after a stop goes on from there. Raises RunError where a call cannot be
    sent, a cap is reached, or rows cannot be landed.
    """
    if via not in ROUTES:
        raise RunError(f"An elicitation goes by {' or '.join(ROUTES)}, not '{via}'.")
    started = datetime.datetime.now(datetime.UTC)
    log(estimate([experiment], caller))
    asker = _Asker(experiment, caller, via, poll_s)
    table = _Tables(experiment)
    for entity, elicited in _elicited(experiment, asker.ask):
        table.add(entity, elicited)
    land_rows(landing, "triples", experiment.experiment_id, table.triples())
    land_rows(landing, "elicitations", experiment.experiment_id, table.elicitations())
    land_rows(landing, "experiments", experiment.experiment_id, _experiment_row(experiment, started))
    return table.report(asker.cached)


def _objects_at_most(experiment: Experiment, caller: Caller) -> Iterator[Call]:
    """The calls for objects, of entities whose predicates are not known yet as many as there could be."""
    firsts = experiment.first_calls()
    known = caller.journal.get_many(call.key for call in firsts)
    for entity, call in zip(experiment.asked.entities, firsts, strict=True):
        reply = known.get(call.key)
        predicates = _PLACEHOLDERS if reply is None else read_predicates(reply).predicates
        yield from experiment.object_calls(entity, predicates[:MOST_PREDICATES])


class _Asker:
    """Asks by one of the routes, and counts what the journal had."""

    def __init__(self, experiment: Experiment, caller: Caller, via: str, poll_s: float) -> None:
        self._caller = caller
        self._label = experiment.experiment_id
        self._batches = BatchRoute(caller, poll_s=poll_s) if via == BATCH else None
        self.cached = 0

    def ask(self, calls: list[Call]) -> list[Reply]:
        """The replies to ``calls``, in their order."""
        self.cached += len(self._caller.journal.recorded(call.key for call in calls))
        if self._batches is not None:
            return self._batches.run(calls)
        return self._caller.ask_all(calls, label=self._label)


def _elicited(experiment: Experiment, ask: Ask) -> Iterator[tuple[Entity, Elicited]]:
    """What came of each entity, in their order."""
    entities = experiment.asked.entities
    first = ask(experiment.first_calls())
    if not experiment.variant.two_step:
        for entity, reply in zip(entities, first, strict=True):
            yield entity, combined([read_triples(reply, entity.title)], [reply])
        return
    steps = [read_predicates(reply) for reply in first]
    calls = [
        experiment.object_calls(entity, step.predicates[:MOST_PREDICATES])
        for entity, step in zip(entities, steps, strict=True)
    ]
    replies = iter(ask(list(chain.from_iterable(calls))))
    for entity, step, reply, wanted in zip(entities, steps, first, calls, strict=True):
        given = list(islice(replies, len(wanted)))
        reads: list[Read] = [step, *(read_triples(one, entity.title) for one in given)]
        over = len(step.predicates) - MOST_PREDICATES
        notes = [f"{over} predicates over {MOST_PREDICATES} were not asked about"] if over > 0 else []
        yield entity, combined(reads, [reply, *given], notes)


class _Tables:
    """The rows of an experiment, as they grow."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._rows: dict[str, Rows] = {"triples": [], "elicitations": []}
        self._pieces: dict[str, list[pa.Table]] = {"triples": [], "elicitations": []}
        self._outcomes: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._dollars = 0.0

    def add(self, entity: Entity, elicited: Elicited) -> None:
        """The rows of an entity."""
        key = {"experiment_id": self._experiment.experiment_id, "entity_id": entity.entity_id}
        self._rows["elicitations"].append(
            {**key, "title": entity.title, "expected": self._experiment.expected(entity), **_spent(elicited)}
        )
        self._rows["triples"] += [
            {**key, "ordinal": ordinal, **triple._asdict()} for ordinal, triple in enumerate(elicited.triples)
        ]
        self._outcomes[elicited.outcome] += 1
        self._counts["triples"] += len(elicited.triples)
        self._counts["truncated"] += elicited.truncated
        self._dollars += sum(reply.cost_usd or 0.0 for reply in elicited.replies)
        if len(self._rows["elicitations"]) >= _AT_ONCE:
            self._settle()

    def triples(self) -> pa.Table:
        """All rows of triples so far."""
        return self._table("triples")

    def elicitations(self) -> pa.Table:
        """All rows of elicitations so far."""
        return self._table("elicitations")

    def report(self, cached: int) -> Report:
        """What all of it comes to."""
        outcomes = {outcome: self._outcomes[outcome] for outcome in OUTCOMES if self._outcomes[outcome]}
        counts = self._counts
        return Report(
            self._experiment.experiment_id, outcomes, counts["triples"], counts["truncated"], self._dollars, cached
        )

    def _settle(self) -> None:
        for dataset, rows in self._rows.items():
            self._pieces[dataset].append(pa.Table.from_pylist(rows, SCHEMAS[dataset]))
            rows.clear()

    def _table(self, dataset: str) -> pa.Table:
        self._settle()
        return pa.concat_tables(self._pieces[dataset])


def _spent(elicited: Elicited) -> dict[str, Any]:
    """What an entity came to and took, over all its calls; its text is that of all answers."""
    replies = elicited.replies
    costs = [reply.cost_usd for reply in replies]
    return {
        "outcome": elicited.outcome,
        "answer_text": "\n".join(reply.text for reply in replies),
        "finish_reason": replies[-1].finish_reason,
        "error": elicited.error,
        "truncated": elicited.truncated,
        "n_triples": len(elicited.triples),
        "n_calls": len(replies),
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "completion_tokens": sum(reply.completion_tokens for reply in replies),
        "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
        "latency_s": sum(reply.latency_s for reply in replies),
        "request_hashes": json.dumps([reply.key for reply in replies]),
    }


def _experiment_row(experiment: Experiment, started: datetime.datetime) -> pa.Table:
    """The row that closes an experiment; ``started`` is UTC."""
    row: Mapping[str, Any] = {
        "experiment_id": experiment.experiment_id,
        "model": experiment.spec.name,
        "base_model": experiment.spec.base_model,
        "model_id": experiment.spec.model_id,
        "setting": experiment.setting,
        "prompt": experiment.prompt,
        "set_name": experiment.asked.name,
        "reasoning_effort": experiment.effort,
        "origin": "model",
        "parameters": experiment.parameters(),
        "entities_sha": experiment.asked.sha,
        "prompt_sha": experiment.prompt_sha,
        "snapshot_id": experiment.asked.snapshot_id,
        "scale": experiment.scale,
        "n_entities": len(experiment.asked.entities),
        "seed": experiment.seed,
        "started_at": started,
    }
    return pa.Table.from_pylist([row], SCHEMAS["experiments"])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
