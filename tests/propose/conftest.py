"""A SPARQL server over the sample and some dirt, a wiki, and a proposer that a server plays by a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pydantic import SecretStr

from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import Registry, Role
from dagster_defs.steps.propose.execute import Asked, Outcome, Places, from_declaration, from_words
from dagster_defs.steps.propose.measure import Probe
from dagster_defs.steps.propose.units import Units
from ingest.concepts.declaration import Declaration
from ingest.http.client import HttpClient
from ingest.http.rates import RateLimiter
from ingest.http.service import Patience
from ingest.wikidata.endpoint import EmbeddedEndpoint, Endpoint
from ingest.wikidata.http_endpoint import HttpEndpoint, HttpSettings
from ingest.wikidata.sample import sample_files
from ingest.wikipedia.client import SERVICE, WikipediaClient
from tests.ingest.fault_proxy import oxigraph
from tests.llm.conftest import KEY
from tests.llm.server import Request, Response, Server, as_json, completion
from tests.propose import world
from tests.solve.bench import PATIENCE, model
from tests.wiki import WikiServer


@pytest.fixture(scope="session")
def sample() -> Endpoint:
    """The bundled sample, in this process."""
    return EmbeddedEndpoint.from_sample()


@pytest.fixture(scope="session")
def dirty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A SPARQL server over the sample's places and persons, with dirt among the lakes."""
    wanted = ("classes", "countries", "lakes", "laureates", "moons", "us_states", "rivers")
    documents = [turtle for name, turtle in sample_files() if Path(name).name.split(".")[0] in wanted]
    with oxigraph([*documents, world.dirty_lakes()], tmp_path_factory.mktemp("dirty")) as address:
        yield HttpEndpoint(HttpSettings(url=address, user_agent="assay tests", timeout=60.0, attempts=1))


@dataclass
class Script:
    """Plays the proposer: proposals in turn, the last for ever, and the number of a candidate."""

    proposals: list[str]
    number: int = 1
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Response | None:
        system, user = (str(message["content"]) for message in request.body["messages"])
        if "You say how a set" in system:
            self.asked.append(user)
            return as_json(completion(self.proposals.pop(0) if len(self.proposals) > 1 else self.proposals[0]))
        self.asked.append(user)
        return as_json(completion(json.dumps({"number": self.number})))


@dataclass
class Desk:
    """Makes topics of concepts, with a journal, a landing zone and a folder of its own."""

    folder: Path
    server: Server
    wiki: WikiServer
    endpoint: Endpoint
    lines: list[str] = field(default_factory=list)

    @property
    def places(self) -> Places:
        """Where all goes."""
        varying = frozenset({"P1128"})
        return Places(self.folder / "landing", self.folder / "proposals", self.folder / "assay.duckdb", varying)

    def search(self) -> WikipediaClient:
        """A client of the wiki."""
        patience = Patience(attempts=2)
        return WikipediaClient(
            HttpClient(
                SERVICE,
                "tests@example.org",
                loopback=self.wiki.home,
                limiter=RateLimiter(()),
                sleep=lambda _: None,
                patience=patience,
            )
        )

    def caller(self, caps: Caps | None = None) -> Caller:
        """One whose proposer the server plays."""
        spec = replace(model(self.server.url), max_output_tokens=3000)
        registry = Registry({"m": spec}, {Role.PROPOSER: "m"})
        return Caller(registry, self.folder / "journal.sqlite", {"TEST_KEY": SecretStr(KEY)}, caps, patience=PATIENCE)

    def propose(self, concept: str, script: Script, caps: Caps | None = None, **bar: Any) -> Outcome:
        """Have a concept proposed by a script, and refined."""
        self.server.always = script
        with self.caller(caps) as caller:
            spec = caller.registry.role(Role.PROPOSER)
            asked = Asked(concept, f"{concept} of the world.", spec, caller, self.search(), Units(world.UNITS))
            return from_words(asked, self.probe(**bar), self.places, self.lines.append)

    def declare(self, declaration: Declaration, **bar: Any) -> Outcome:
        """Refine a declared concept."""
        return from_declaration(declaration, self.probe(**bar), self.places, self.lines.append)

    def probe(self, **bar: Any) -> Probe:
        """What asks the endpoint."""
        return world.probe(self.endpoint, **bar)

    def landed(self, dataset: str) -> list[dict[str, Any]]:
        """All landed rows of a dataset, file after file."""
        paths = sorted((self.places.landing / dataset).glob("[!_]*.parquet"))
        return [row for path in paths for row in pq.read_table(path).to_pylist()]


@pytest.fixture
def desk(tmp_path: Path, dirty: Endpoint) -> Iterator[Desk]:
    """A desk whose wiki knows the sample's classes."""
    with Server() as server, WikiServer() as wiki:
        world.stock(wiki.wiki)
        yield Desk(tmp_path, server, wiki, dirty)
