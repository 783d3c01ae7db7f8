"""One run from question set to landed rows."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.embedding import Embedder
from dagster_defs.llm.models import ModelSpec
from dagster_defs.steps.agent.pages import PageReader
from dagster_defs.steps.matching import Verdict
from dagster_defs.steps.run_rows import land_rows
from dagster_defs.steps.solve import agents, rows
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.judge import judged
from dagster_defs.steps.solve.plan import Ask, Run, calls, pinned, plan
from dagster_defs.steps.solve.questions import Warehouse


@dataclass(frozen=True)
class Report:
    """What one run came to: answers by outcome, how many are right and how many unscored, and what was spent on it.

    limit: the options that let an answer be longer.
    """

    run_id: str
    outcomes: dict[str, int]
    correct: int
    unscored: int
    dollars: float
    cached: int
    limit: str = "--answer-tokens"

    def sentence(self) -> str:
        """What came of it in words, with the remedy where most answers were too long."""
        answers = sum(self.outcomes.values())
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in self.outcomes.items())
        unscored = f", {self.unscored:,} unscored (run again to ask them alone)" if self.unscored else ""
        cut = self.outcomes.get("cut", 0)
        longer = f"; most were cut at their limit: raise {self.limit}" if 2 * cut > answers else ""
        return f"{self.run_id}: {self.correct:,} of {answers:,} answers right{unscored}; {outcomes}{longer}."


def estimate(run: Run, database: Path, caller: Caller, embedder: Embedder | None = None) -> str:
    """What ``run`` would take, in one sentence; of an agent, what it takes at most.

    Raises RunError where the questions cannot be read, or an agent's code cannot be confined.
    """
    with Warehouse(database) as warehouse:
        run = pinned(run, warehouse)
        if run.setting is Setting.AGENT:
            return f"{run.run_id}: {agents.bound(run, agents.attempts(run, warehouse), caller)}"
        return _estimate(run, plan(run, warehouse, embedder), caller)


def execute(
    run: Run,
    database: Path,
    landing: Path,
    caller: Caller,
    judge: ModelSpec,
    embedder: Embedder | None = None,
    log: Callable[[str], None] = lambda line: None,
    reader: PageReader | None = None,
) -> Report:
    """Ask everything ``run`` asks and land its rows below ``landing`` (``data/landing/llm``), the run's own row last.

    reader: of pages of the web, for an agent; a run that has one says so by its ``live``. What the journal has is not
    asked again. Raises RunError where the questions cannot be read, a call cannot be sent, a cap is reached or an
    agent's code cannot be confined; what was answered until then is in the journal: asking again goes on from there.
    """
    started = datetime.datetime.now(datetime.UTC)
    with Warehouse(database) as warehouse:
        run = pinned(run, warehouse)
        if run.setting is Setting.AGENT:
            asked = agents.solve(run, agents.attempts(run, warehouse, reader), caller, log)
        else:
            asked = _asked(run, plan(run, warehouse, embedder), caller, log)
        asks, replies = asked.asks, asked.replies
        reference = warehouse.reference()
        verdicts = judged(
            rows.verdicts_of(asks, replies, warehouse, reference),
            asks,
            replies,
            judge,
            lambda words: caller.ask_all(words, label=f"{run.run_id} judge"),
        )
        entities = rows.entities_of(asks, replies, verdicts, warehouse)
        tables, tuples = rows.table_rows(run, asks, replies, warehouse, reference)
    landed = {
        "answers": rows.answer_rows(run, asks, replies),
        "verdicts": rows.verdict_rows(run, verdicts, entities),
        "tables": tables,
        "tuples": tuples,
        "steps": asked.steps,
        "runs": rows.run_row(run, asks, started),
    }
    for dataset, found in landed.items():
        land_rows(landing, dataset, run.run_id, rows.as_table(dataset, found))
    return _report(run, asked, verdicts.values())


def _report(run: Run, asked: agents.Asked, verdicts: Collection[Verdict]) -> Report:
    answered = [asked.replies[ask.call.key] for ask in asked.asks if not ask.is_table]
    return Report(
        run.run_id,
        dict(sorted(Counter(str(reply.outcome) for reply in answered).items())),
        sum(bool(verdict.correct) for verdict in verdicts),
        sum(not verdict.scored for verdict in verdicts),
        sum(reply.cost_usd or 0.0 for reply in asked.replies.values()),
        asked.cached,
        "--steps or --step-tokens" if run.setting is Setting.AGENT else "--answer-tokens",
    )


def _asked(run: Run, asks: list[Ask], caller: Caller, log: Callable[[str], None]) -> agents.Asked:
    """What is planned, asked at once."""
    log(_estimate(run, asks, caller))
    replies = {reply.key: reply for reply in caller.ask_all(calls(asks), label=run.run_id)}
    return agents.Asked(asks, replies, [], sum(reply.cached for reply in replies.values()))


def _estimate(run: Run, asks: Sequence[Ask], caller: Caller) -> str:
    questions = len({ask.question.question_id for ask in asks})
    return f"{run.run_id}: {caller.estimate(calls(asks), questions=questions).sentence()}"
