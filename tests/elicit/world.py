"""A small published database of entity sets, and a model on loopback that knows some of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
from pydantic import SecretStr

from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import ModelSpec, Registry
from dagster_defs.steps.elicit.execute import Report, execute
from dagster_defs.steps.elicit.plan import Experiment, experiments_of
from tests.llm.conftest import KEY
from tests.llm.server import Fault, Request, Response, Server, as_json, completion
from tests.report.world import create
from tests.solve.bench import PATIENCE, model

SNAPSHOT = "sample-1"
# Set -> its entities in order: id, title, topic, number of reference triples.
SETS: dict[str, list[tuple[str, str | None, str | None, int | None]]] = {
    "random": [
        ("Q41179", "Mekong", "rivers", 9),
        ("Q556", "hydrogen", "chemical_elements", 3),
        ("Q419", "Peru", "countries", 0),
        ("Q3392", "Nile", "rivers", None),
    ],
    "domains": [("Q3392", "Nile", "rivers", 5)],
    "popularity": [("Q419", "Peru", None, 5)],
    "ranges": [("Q41179", "Mekong", "rivers", 9), ("Q419", "Peru", "countries", 0)],
    "non_existing": [("name:1", "Ovrenica", "rivers", 0), ("name:2", "Tallimere", "lakes", 0)],
    "untitled": [("Q1", "universe", None, 0), ("Q2", None, None, 0)],
}
KNOWN: dict[str, list[tuple[Any, Any, Any]]] = {
    "Mekong": [("Mekong", "length", "4,350 km"), ("Mekong", "mouth", "South China Sea"), ("Mekong", "source", "Tibet")],
    "hydrogen": [("hydrogen", "atomic number", 1), ("hydrogen", "is metal", False)],
    "Peru": [("Peru", "capital", "Lima")],
    "Nile": [("Nile", "continent", "Africa"), ("Nile", "continent", "Africa")],
}


def write(path: Path, sets: Mapping[str, Any] = SETS) -> Path:
    """The database."""
    with duckdb.connect(str(path)) as connection:
        create(connection, "elicitation.entities", "elicited_entities")
        connection.execute("create schema provenance")
        connection.execute("create table provenance.snapshots (snapshot_id varchar, is_current boolean)")
        connection.execute(f"insert into provenance.snapshots values ('old', false), ('{SNAPSHOT}', true)")
        rows = [
            [name, entity_id, title, topic, n_reference, place]
            for name, entities in sets.items()
            for place, (entity_id, title, topic, n_reference) in enumerate(entities)
        ]
        # Written backwards: the order of a set is that of its ordinals.
        for row in reversed(rows):
            connection.execute(
                "insert into elicitation.entities (set_name, entity_id, title, topic, n_reference, ordinal)"
                " values (?, ?, ?, ?, ?, ?)",
                row,
            )
    return path


def fenced(body: Mapping[str, Any]) -> list[str]:
    """The texts that a request fences."""
    return re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", body["messages"][1]["content"], re.DOTALL)


def kind_of(body: Mapping[str, Any]) -> str:
    """triples, predicates or objects: what a request asks for."""
    system = body["messages"][0]["content"]
    if system.startswith("You list"):
        return "predicates"
    return "objects" if "The predicates are given." in system else "triples"


def told(triples: list[tuple[Any, Any, Any]]) -> str:
    """Triples as a model writes them."""
    return json.dumps({"triples": [dict(zip(("subject", "predicate", "object"), one, strict=True)) for one in triples]})


@dataclass
class Knower:
    """A model that says what it knows of an entity by its title.

    faults: (what is asked for, title) -> what the server does instead, on the direct route.
    """

    known: dict[str, list[tuple[Any, Any, Any]]] = field(default_factory=lambda: dict(KNOWN))
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)

    def say(self, body: Mapping[str, Any]) -> str:
        """The answer to a request."""
        texts = fenced(body)
        triples = self.known.get(texts[0], [])
        if kind_of(body) == "predicates":
            return json.dumps({"predicates": [predicate for _, predicate, _ in triples]})
        if kind_of(body) == "objects":
            wanted = texts[-1].split("\n")
            return told([triple for triple in triples if triple[1] in wanted])
        return told(triples)

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        fault = self.faults.get((kind_of(request.body), fenced(request.body)[0]))
        return fault(request) if fault else as_json(completion(self.say(request.body)))


@dataclass
class Desk:
    """Elicits from a model that a server plays, with a journal and a landing zone of its own."""

    database: Path
    folder: Path
    server: Server
    lines: list[str] = field(default_factory=list)

    @property
    def spec(self) -> ModelSpec:
        """The model."""
        return model(self.server.url)

    @property
    def landing(self) -> Path:
        """Where rows land."""
        return self.folder / "landing"

    def play(self, knower: Knower) -> None:
        """Let the server play another model, on both routes."""
        self.server.always, self.server.answer = knower, knower.say

    def experiment(self, setting: str = "random", prompt: str = "direct", **more: Any) -> Experiment:
        """One over the small world."""
        return experiments_of(setting, self.spec, self.database, prompts=[prompt], **more)[0]

    def caller(self, caps: Caps | None = None) -> Caller:
        """One that asks the server."""
        keys = {"TEST_KEY": SecretStr(KEY)}
        return Caller(Registry({"m": self.spec}, {}), self.folder / "journal.sqlite", keys, caps, patience=PATIENCE)

    def execute(self, experiment: Experiment, caps: Caps | None = None, via: str = "direct") -> Report:
        """One execution."""
        with self.caller(caps) as caller:
            return execute(experiment, self.landing, caller, self.lines.append, via=via, poll_s=0.01)

    def landed(self, dataset: str, experiment_id: str) -> list[dict[str, Any]]:
        """The landed rows of an experiment."""
        rows: list[dict[str, Any]] = pq.read_table(self.landing / dataset / f"{experiment_id}.parquet").to_pylist()
        return rows

    def outcomes(self, experiment: Experiment) -> dict[str, dict[str, Any]]:
        """The landed row of each entity, by its title."""
        return {row["title"]: row for row in self.landed("elicitations", experiment.experiment_id)}
