"""One evaluation of an experiment, from its published triples to landed verdicts."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Reply
from dagster_defs.llm.embedding import Embedder
from dagster_defs.steps.asking import Maker, ask_readable, readable
from dagster_defs.steps.elicitation_rows import SCHEMAS, land_rows
from dagster_defs.steps.judge.matters import Matter, matters_of
from dagster_defs.steps.judge.plan import DIRECTIONS, ENTAILMENT, ERROR, Judging
from dagster_defs.steps.judge.texts import Elicited

Row = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """What an evaluation came to: sampled triples by direction and verdict, who decided, and what was spent on it."""

    evaluation_id: str
    verdicts: dict[str, dict[str, int]]
    methods: dict[str, int]
    dollars: float
    cached: int

    def sentence(self) -> str:
        """What came of it in words."""
        told = []
        for direction, counts in self.verdicts.items():
            scored = sum(counts.values()) - counts.get(ERROR, 0)
            share = f"{counts.get(ENTAILMENT, 0) / scored:.3f}" if scored else "unknown"
            errors = f", {counts[ERROR]:,} without a verdict (run again to ask them alone)" if counts.get(ERROR) else ""
            told.append(f"{direction} {share} over {scored:,} triples{errors}")
        methods = ", ".join(f"{count:,} by {method}" for method, count in sorted(self.methods.items()))
        return f"{self.evaluation_id}: {'; '.join(told) or 'nothing to judge'} ({methods or 'none'})."


def estimate(judging: Judging, experiments: Sequence[str], database: Path, caller: Caller, embedder: Embedder) -> str:
    """What judging would take, in one sentence; no model is asked."""
    with Elicited(database) as source:
        matters = [one for name in experiments for one in matters_of(judging, name, source, embedder)]
        calls = [one.make(0) for one in matters if one.make is not None]
        calls += [judging.entail_call(one.triple, [one.passage]) for one in source.examples()]
    known = len(matters) - sum(one.make is not None for one in matters)
    return (
        f"{len(matters):,} sampled triples of {len(experiments):,} experiments, {known:,} of them decided without the"
        f" judge: {caller.estimate(calls).taking()}."
    )


def execute(
    judging: Judging,
    experiment_id: str,
    database: Path,
    landing: Path,
    caller: Caller,
    embedder: Embedder,
) -> Report:
    """Judge a sample of an experiment in both directions, and land it below ``landing`` (``data/landing/elicitation``).

    What words or similarity decide is not asked. A verdict that could not be had is 'error', and is asked again alone
    when it is judged again. Raises RunError where the file cannot be read, a call cannot be sent or a cap is reached;
    what was answered until then is in the journal: judging again goes on from there.
    """
    started = datetime.datetime.now(datetime.UTC)
    with Elicited(database) as source:
        sha = source.reference_sha(experiment_id)
        evaluation_id = judging.evaluation_id(experiment_id, sha)
        matters = matters_of(judging, experiment_id, source, embedder)
    wanted = {_key(one): one.make for one in matters if one.make is not None}
    replies = ask_readable(caller, wanted, f"{evaluation_id} judge")
    rows = [_row(evaluation_id, experiment_id, one, replies.get(_key(one))) for one in matters]
    land_rows(landing, "verdicts", evaluation_id, pa.Table.from_pylist(rows, SCHEMAS["verdicts"]))
    closing = {
        "evaluation_id": evaluation_id,
        "experiment_id": experiment_id,
        "judge": judging.judge.name,
        "judge_id": judging.judge_id,
        "embedder": judging.embedder,
        "prompt_sha": judging.prompt_sha,
        "reference_sha": sha,
        "sample_size": judging.sample_size,
        "seed": judging.seed,
        "n_passages": judging.n_passages,
        "threshold": judging.threshold,
        "evaluated_at": started,
    }
    land_rows(landing, "evaluations", evaluation_id, pa.Table.from_pylist([closing], SCHEMAS["evaluations"]))
    return _report(evaluation_id, rows, list(replies.values()))


def calibrate(judging: Judging, database: Path, landing: Path, caller: Caller) -> str:
    """Ask the judge for the examples whose verdict is known and land its answers; says how they went."""
    started = datetime.datetime.now(datetime.UTC)
    with Elicited(database) as source:
        examples = source.examples()
    wanted: dict[str, Maker] = {
        one.example_id: partial(judging.entail_call, one.triple, [one.passage]) for one in examples
    }
    replies = ask_readable(caller, wanted, f"{judging.judge.name} examples")
    rows = [
        {
            "judge_id": judging.judge_id,
            "judge": judging.judge.name,
            "example_id": one.example_id,
            "verdict": _verdict(replies[one.example_id]),
            "error": _error(replies[one.example_id]),
            "request_hash": replies[one.example_id].key,
            "judged_at": started,
        }
        for one in examples
    ]
    land_rows(landing, "judge_answers", judging.judge_id, pa.Table.from_pylist(rows, SCHEMAS["judge_answers"]))
    unread = sum(row["verdict"] == ERROR for row in rows)
    return f"{judging.judge.name} gave a verdict of {len(rows) - unread} of {len(rows)} examples."


def _key(matter: Matter) -> str:
    return f"{matter.direction} {matter.triple.triple_id}"


def _row(evaluation_id: str, experiment_id: str, matter: Matter, reply: Reply | None) -> Row:
    """The landed row of a triple; without a call there is no reply, and it was decided before."""
    return {
        "evaluation_id": evaluation_id,
        "experiment_id": experiment_id,
        "direction": matter.direction,
        "triple_id": matter.triple.triple_id,
        "entity_id": matter.triple.entity_id,
        "verdict": ENTAILMENT if reply is None else _verdict(reply),
        "method": matter.method,
        "matched_id": matter.matched,
        "passages": json.dumps(matter.shown),
        "error": None if reply is None else _error(reply),
        "request_hash": None if reply is None else reply.key,
        "prompt_tokens": 0 if reply is None else reply.prompt_tokens,
        "completion_tokens": 0 if reply is None else reply.completion_tokens,
        "cost_usd": 0.0 if reply is None else reply.cost_usd,
    }


def _verdict(reply: Reply) -> str:
    return str(reply.parsed["verdict"]) if readable(reply) else ERROR


def _error(reply: Reply) -> str | None:
    return None if readable(reply) else f"the judge's answer is {reply.outcome}"


def _report(evaluation_id: str, rows: Sequence[Row], replies: Sequence[Reply]) -> Report:
    verdicts = {
        direction: dict(Counter(str(row["verdict"]) for row in rows if row["direction"] == direction))
        for direction in DIRECTIONS
    }
    return Report(
        evaluation_id,
        {direction: counts for direction, counts in verdicts.items() if counts},
        dict(Counter(str(row["method"]) for row in rows)),
        sum(reply.cost_usd or 0.0 for reply in replies),
        sum(reply.cached for reply in replies),
    )
