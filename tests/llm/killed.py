"""A launcher for the kill test: forks a run for each line it reads, so that a run starts in no time.

Prints the run's process number, and `done` once a run has come to its end.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pydantic import SecretStr

from dagster_defs.llm.caller import Caller
from dagster_defs.llm.calls import Call
from dagster_defs.llm.models import Registry, Role
from tests.llm.conftest import KEY, QUICK, ask_of, spec_of

CALLS = 400


def calls_of(url: str) -> list[Call]:
    """The calls of the run."""
    return [ask_of(spec_of(url), f"question {n}") for n in range(CALLS)]


def run(url: str, folder: Path) -> None:
    """Ask everything, and write the table down."""
    spec = spec_of(url)
    registry = Registry({spec.name: spec}, dict.fromkeys(Role, spec.name))
    with Caller(
        registry, folder / "journal.sqlite", {"TEST_KEY": SecretStr(KEY)}, patience=QUICK, concurrency=8
    ) as caller:
        replies = caller.ask_all(calls_of(url))
    rows = [[r.key, r.outcome, r.text, r.parsed, r.prompt_tokens, r.completion_tokens, r.cost_usd] for r in replies]
    (folder / "table.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        address, where = line.split()
        child = os.fork()
        if child == 0:
            run(address, Path(where))
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print("done" if status == 0 else "killed", flush=True)
