"""From asking to scores with a model whose right and wrong triples are known, and a judge that can be wrong."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from pydantic import SecretStr

from dagster_defs.errors import RunError
from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import Registry, Role
from dagster_defs.steps.elicit.execute import execute as elicit
from dagster_defs.steps.elicit.plan import experiments_of
from dagster_defs.steps.judge.execute import Report, calibrate, estimate
from dagster_defs.steps.judge.execute import execute as judge
from dagster_defs.steps.judge.plan import Judging
from dagster_defs.steps.judge.texts import Elicited
from tests.elicit.world import Knower
from tests.elicitation import world
from tests.elicitation.project import ElicitationProject
from tests.llm.conftest import KEY
from tests.llm.server import Request, Response, Server, as_json, completion, fails
from tests.solve.bench import PATIENCE, FakeEmbedder, model

# What the scripted model tells: right, right in other words, wrong, and what nothing is recorded of.
KNOWN: dict[str, list[tuple[Any, Any, Any]]] = {
    "Peru": [("Peru", "capital", "Lima"), ("Peru", "area", "about 1.29 million square kilometres")],
    "Ghana": [("Ghana", "capital", "Kumasi"), ("Ghana", "anthem", "God Bless Our Homeland")],
    "Japan": [("Japan", "area", "377,973.89 square kilometres")],
    "Fiji": [],
}
# Of the elicited triples: 2 word for word, 1 borne out, 1 contradicted, 1 left open. Of eight facts: 2 word for word, 1
# covered, 1 contradicted, 4 not mentioned.
PRECISION, RECALL = 3 / 5, 3 / 8


@dataclass
class Judge:
    """Judges the statements above as a careful reader would; ``says`` replaces its word on one."""

    says: dict[str, str] = field(default_factory=dict)
    seen: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        system, user = (message["content"] for message in request.body["messages"])
        texts = re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", user, re.DOTALL)
        if "what passages say" in system:
            statement, shown = texts[-1], texts[:-1]
        else:
            facts = re.search(r"The fact:\n<data-[0-9a-f]+>\n(.*?)\n</data-", user, re.DOTALL)
            assert facts is not None
            statement, shown = facts[1], texts
        self.seen.append({"statement": statement, "shown": shown, "system": system})
        return as_json(completion(json.dumps({"verdict": self.says.get(statement, self.read(statement, shown))})))

    def read(self, statement: str, shown: list[str]) -> str:
        """A careful reader's word."""
        if statement == "Peru | area | about 1.29 million square kilometres":
            return "entailment" if any("1285216" in one for one in shown) else "neutral"
        if statement == "Peru | area | 1285216 square kilometres":
            return "entailment" if any("1.29 million" in one for one in shown) else "neutral"
        if statement in ("Ghana | capital | Kumasi", "Ghana | capital | Accra"):
            return "contradiction" if any("Accra" in one or "Kumasi" in one for one in shown) else "neutral"
        return "neutral"


@dataclass
class Bench:
    """A published file with what the scripted model told, and a server that plays the model and its judge."""

    database: Path
    experiment_id: str
    folder: Path
    server: Server
    judge: Judge = field(default_factory=Judge)

    def play(self, request: Request) -> Response | None:
        """As the fault of a server: the judge where something is to be decided, else the model."""
        decides = request.body["messages"][0]["content"].startswith("You decide")
        return self.judge(request) if decides else Knower(known=KNOWN)(request)

    @property
    def landing(self) -> Path:
        """Where verdicts land."""
        return self.folder / "landing"

    def judging(self, **more: Any) -> Judging:
        """How it is judged."""
        return Judging(model(self.server.url), "words", **more)

    def verdicts(self, **more: Any) -> Report:
        """Judge it."""
        with caller_of(self.server, self.folder) as caller:
            return judge(self.judging(**more), self.experiment_id, self.database, self.landing, caller, FakeEmbedder())


def caller_of(server: Server, folder: Path) -> Caller:
    """One with a journal in ``folder``, whose models a server plays."""
    spec = model(server.url)
    registry = Registry({spec.name: spec}, dict.fromkeys(Role, spec.name))
    keys = {str(spec.key_variable): SecretStr(KEY)}
    return Caller(registry, folder / "journal.sqlite", keys, Caps(), patience=PATIENCE)


def published(project: ElicitationProject) -> Path:
    """A copy of what is built, as publishing makes one."""
    copy = project.folder / "published.duckdb"
    with duckdb.connect(str(project.database)) as connection:
        connection.execute("create schema if not exists provenance")
        connection.execute(
            "create or replace table provenance.snapshots as select 'now' as snapshot_id, true as is_current"
        )
        connection.execute("checkpoint")
    copy.write_bytes(project.database.read_bytes())
    return copy


@dataclass(frozen=True)
class Told:
    """A room in which the scripted model told what it knows, and the id of that."""

    project: ElicitationProject
    experiment_id: str
    database: Path


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Asked over the wire, landed, built and published; nothing is judged."""
    project = ElicitationProject.create(tmp_path_factory.mktemp("told") / "room")
    project.prepare()
    project.know(**world.facts())
    project.build()
    with Server() as server:
        server.always = Knower(known=KNOWN)
        (experiment,) = experiments_of("random", model(server.url), published(project))
        with caller_of(server, project.folder) as caller:
            elicit(experiment, project.landing, caller)
    project.build()
    return Told(project, experiment.experiment_id, published(project))


@pytest.fixture
def bench(told: Told, tmp_path: Path) -> Iterator[Bench]:
    """One with a landing zone and a journal of its own."""
    with Server() as server:
        found = Bench(told.database, told.experiment_id, tmp_path, server)
        server.always = found.play
        yield found


def test_precision_recall_and_f1_are_those_counted_by_hand(told: Told, bench: Bench) -> None:
    bench.judge.says["Ghana | anthem | God Bless Our Homeland"] = "maybe"
    assert bench.verdicts().verdicts["precision"]["error"] == 1
    shutil.copytree(bench.landing, told.project.landing, dirs_exist_ok=True)
    told.project.build()
    scores = "select precision, recall, n_error, precision_with_errors from elicitation.scores where slice = 'all'"
    # a triple without a verdict is outside the denominator, with the other one beside it
    assert told.project.rows(scores) == [(pytest.approx(3 / 4), pytest.approx(RECALL), 1, pytest.approx(3 / 5))]

    bench.judge.says.clear()
    report = bench.verdicts()
    assert report.methods == {"exact": 4, "judge": 9}
    shutil.copytree(bench.landing, told.project.landing, dirs_exist_ok=True)
    told.project.build()
    assert told.project.rows(scores) == [(pytest.approx(PRECISION), pytest.approx(RECALL), 0, pytest.approx(PRECISION))]
    assert told.project.rows("select f1 from elicitation.scores where slice = 'all'") == [
        (pytest.approx(2 * PRECISION * RECALL / (PRECISION + RECALL)),)
    ]
    assert told.project.rows(
        "select direction, n, n_entailment, n_contradiction, n_neutral, n_exact, n_judged from elicitation.results"
        " where slice_kind = 'overall' order by 1"
    ) == [("precision", 5, 3, 1, 1, 2, 3), ("recall", 8, 3, 1, 4, 2, 6)]
    # what a reader saw of Ghana's capital is on record: all that the warehouse says of it
    assert told.project.rows(
        "select passage.text from elicitation.verdicts as verdict join elicitation.triples using (triple_id)"
        " join elicitation.passages as passage on contains(cast(verdict.passages as varchar), passage.passage_id)"
        " where object = 'Kumasi' order by 1"
    ) == [("Ghana - area: 238533 square kilometres",), ("Ghana - capital: Accra",)]


def test_judging_again_asks_nothing_and_gives_the_same(bench: Bench) -> None:
    first = bench.verdicts()
    asked = len(bench.server.requests)
    again = bench.verdicts()
    assert len(bench.server.requests) == asked
    assert (again.evaluation_id, again.verdicts, again.cached) == (first.evaluation_id, first.verdicts, 9)
    # a smaller sample is part of the larger one, so that it costs nothing either
    small = bench.verdicts(sample_size=2)
    assert len(bench.server.requests) == asked
    assert small.evaluation_id != first.evaluation_id
    assert sum(small.methods.values()) == 4


def test_a_verdict_that_could_not_be_had_is_asked_again_alone(bench: Bench) -> None:
    anthem = "Ghana | anthem | God Bless Our Homeland"
    bench.judge.says[anthem] = "maybe"
    assert bench.verdicts().verdicts["precision"]["error"] == 1
    bench.judge.says.clear()
    seen = len(bench.judge.seen)
    assert "error" not in bench.verdicts().verdicts["precision"]
    assert [one["statement"] for one in bench.judge.seen[seen:]] == [anthem]


def test_a_server_that_is_down_leaves_errors_and_no_verdict(bench: Bench) -> None:
    bench.server.always = fails(500, "down")
    assert bench.verdicts().verdicts["precision"] == {"entailment": 2, "error": 3}


def test_nothing_that_is_judged_reaches_the_judge_unfenced(bench: Bench) -> None:
    bench.verdicts()
    words = [word for listed in KNOWN.values() for _, _, word in listed if " " in str(word)]
    assert len(bench.judge.seen) == 9
    for one in bench.judge.seen:
        assert not any(word in one["system"] for word in words)


def test_an_estimate_sends_nothing(bench: Bench) -> None:
    with caller_of(bench.server, bench.folder) as caller:
        said = estimate(bench.judging(), [bench.experiment_id], bench.database, caller, FakeEmbedder())
    assert said.startswith("13 sampled triples of 1 experiments, 4 of them decided without the judge: 75 calls")
    assert bench.server.requests == []


def test_the_judge_is_asked_for_the_examples(bench: Bench) -> None:
    with caller_of(bench.server, bench.folder) as caller:
        said = calibrate(bench.judging(), bench.database, bench.landing, caller)
    assert said == "m gave a verdict of 66 of 66 examples."
    (file,) = (bench.landing / "judge_answers").glob("*.parquet")
    # this judge leaves open what it does not know
    assert {row["verdict"] for row in pq.read_table(file).to_pylist()} == {"neutral"}


def test_there_is_nothing_to_judge_of_who_was_not_asked(bench: Bench) -> None:
    with (
        Elicited(bench.database) as source,
        pytest.raises(RunError, match="has no elicited triples of gpt to judge: run `make elicit` first"),
    ):
        source.experiments(["gpt"])


def test_an_evaluation_is_told_by_all_that_it_hangs_on(bench: Bench) -> None:
    one, other = bench.judging(), bench.judging(n_passages=9)
    assert len({one.evaluation_id("x", "r"), other.evaluation_id("x", "r"), one.evaluation_id("x", "s")}) == 3
    assert KEY not in one.evaluation_id("x", "r")


def test_landed_verdicts_say_who_decided(bench: Bench) -> None:
    report = bench.verdicts()
    rows = pq.read_table(bench.landing / "verdicts" / f"{report.evaluation_id}.parquet").to_pylist()
    assert all((row["method"] == "judge") == (row["request_hash"] is not None) for row in rows)
    assert all((row["matched_id"] is not None) == (row["method"] != "judge") for row in rows)
