"""A launcher for the kill test: forks a run for each line it reads, so that a run starts in no time.

Prints the run's process number, and `done` once a run has come to its end.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from pydantic import SecretStr

from dagster_defs.llm.caller import Caller, OnReply
from dagster_defs.llm.calls import Call, Reply
from dagster_defs.llm.models import Registry
from dagster_defs.steps.solve.contexts import Setting
from dagster_defs.steps.solve.execute import execute
from dagster_defs.steps.solve.plan import Run
from dagster_defs.steps.solve.questions import QuestionSet
from tests.llm.conftest import KEY, QUICK
from tests.solve.bench import ALL, model, run_of

SAMPLES = 5
CONCURRENCY = 8


class Noting(Caller):
    """A caller that keeps what it was asked."""

    asked: tuple[Call, ...] = ()

    def ask_all(self, calls: Iterable[Call], on_reply: OnReply | None = None, *, label: str = "calls") -> list[Reply]:
        """The replies."""
        listed = list(calls)
        self.asked += tuple(listed)
        return super().ask_all(listed, on_reply, label=label)


def run_at(url: str) -> Run:
    """The run: answers and working tables of the whole small world, with the evidence at hand."""
    return run_of(model(url), Setting.ORACLE, ALL, samples=SAMPLES)


def agent_at(url: str) -> Run:
    """The run of an agent: what hides its entity, three times."""
    hidden = QuestionSet("deep_research", "all", types=("quantitative_modelling", "comparative_ranking"))
    return run_of(model(url), Setting.AGENT, hidden, samples=3)


RUNS = {"planned": run_at, "agent": agent_at}


def solve(url: str, database: Path, folder: Path, kind: str = "planned") -> tuple[Call, ...]:
    """Ask everything and land it in ``folder``; returns every call, the judge's too. kind: of `RUNS`."""
    models = {"m": model(url), "j": model(url, name="j", model_id="judge")}
    keys = {"TEST_KEY": SecretStr(KEY)}
    with Noting(
        Registry(models, {}), folder / "journal.sqlite", keys, patience=QUICK, concurrency=CONCURRENCY
    ) as caller:
        execute(RUNS[kind](url), database, folder / "landing", caller, models["j"])
        return caller.asked


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        address, kind, *paths = line.split()
        child = os.fork()
        if child == 0:
            solve(address, Path(paths[0]), Path(paths[1]), kind)
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print("done" if status == 0 else "killed", flush=True)
