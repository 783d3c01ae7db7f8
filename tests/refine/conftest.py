"""The small world with scopes, and a server on loopback that plays the refiner and the judge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from pydantic import SecretStr

from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import Registry
from dagster_defs.steps.refine.execute import Report, execute
from dagster_defs.steps.refine.plan import Refining
from dagster_defs.steps.solve.questions import QuestionSet
from tests.llm.conftest import KEY
from tests.llm.server import Fault, Request, Response, Server, as_json, completion
from tests.solve import world
from tests.solve.bench import PATIENCE, model

PERU = "Do Peru and Bolivia share a language?"
GHANA = "Do Ghana and Jordan share a language?"
MEKONG = "Would the Mekong exceed 4,400 kilometres if it grew by 100 kilometres?"
LONGEST = "Which river is the longest?"
# What a sound refiner says of them.
REWRITES = {
    PERU: "Is there a language that Peru and Bolivia share?",
    GHANA: "Is there a language that Ghana and Jordan share?",
    MEKONG: "If the Mekong grew by 100 kilometres, would it exceed 4,400 kilometres?",
    LONGEST: "Among rivers, which one is the longest?",
}
NO_FLAG = {"flagged": False, "reason": None}


def kind_of(request: Request) -> str:
    """refine or confirm: what a request asks for."""
    return "refine" if request.body["messages"][0]["content"].startswith("You edit") else "confirm"


def fenced(request: Request) -> list[str]:
    """The texts that a request fences."""
    return re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", request.body["messages"][1]["content"], re.DOTALL)


def refinement(rewrite: str, **flags: Any) -> str:
    """A refiner's answer."""
    said = {name: flags.get(name, NO_FLAG) for name in ("unclear", "irrelevant", "loaded", "biased")}
    return json.dumps({**said, "rewrite": rewrite}, ensure_ascii=False)


@dataclass
class Roles:
    """Plays the refiner, by what it rewrites each question to, and a judge that agrees.

    flags: question -> what the refiner finds wrong. faults: (kind, question) -> what the server does instead.
    """

    rewrites: dict[str, str] = field(default_factory=lambda: dict(REWRITES))
    flags: dict[str, dict[str, Any]] = field(default_factory=dict)
    same: bool = True
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        kind, question = kind_of(request), fenced(request)[0]
        if (kind, question) in self.faults:
            return self.faults[kind, question](request)
        if kind == "confirm":
            word = {"difference": None if self.same else "it is narrower", "same": self.same}
            return as_json(completion(json.dumps(word)))
        return as_json(completion(refinement(self.rewrites.get(question, question), **self.flags.get(question, {}))))


@dataclass
class Desk:
    """Refines with models that a server plays, with a journal and a landing zone of its own."""

    database: Path
    folder: Path
    server: Server
    lines: list[str] = field(default_factory=list)

    def refining(self, **wanted: Any) -> Refining:
        """Two models over the small world's questions."""
        refiner, judge = model(self.server.url), model(self.server.url, name="j", model_id="judge")
        return Refining(refiner, judge, QuestionSet(**{"split": "all", **wanted}))

    def caller(self, caps: Caps | None = None) -> Caller:
        """One that asks the server."""
        refining = self.refining()
        models = {"m": refining.refiner, "j": refining.judge}
        return Caller(
            Registry(models, {}), self.folder / "journal.sqlite", {"TEST_KEY": SecretStr(KEY)}, caps, patience=PATIENCE
        )

    def refine(self, caps: Caps | None = None, **wanted: Any) -> Report:
        """One refinement."""
        with self.caller(caps) as caller:
            return execute(self.refining(**wanted), self.database, self.folder, caller, self.lines.append)

    def rows(self, **wanted: Any) -> dict[str, dict[str, Any]]:
        """What it landed, by the question's text."""
        path = self.folder / "refinements" / f"{self.refining(**wanted).refine_id}.parquet"
        return {row["original"]: row for row in pq.read_table(path).to_pylist()}

    def asked(self, kind: str) -> list[str]:
        """The questions that the server was asked for, in order."""
        return [fenced(request)[0] for request in self.server.chats if kind_of(request) == kind]


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, with scopes, published. Read it, never write to it."""
    path = world.write(tmp_path_factory.mktemp("world") / "assay.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute("alter table questions.questions add column scope varchar")
    return path


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that plays sound models."""
    with Server() as serving:
        serving.always = Roles()
        yield serving


@pytest.fixture
def desk(database: Path, tmp_path: Path, server: Server) -> Desk:
    """One over the small world."""
    return Desk(database, tmp_path, server)
