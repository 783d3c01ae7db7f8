"""A small entity set, a wiki, a search provider and a model, all on loopback; the model reads sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from pydantic import SecretStr

from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import Registry, Role
from dagster_defs.steps.reference.execute import Report, estimate, execute
from dagster_defs.steps.reference.plan import Corpus
from ingest.http.client import HttpClient
from ingest.http.rates import RateLimiter
from ingest.http.service import Patience as HttpPatience
from ingest.web.brave import BraveSearch
from ingest.wikipedia.client import SERVICE, WikipediaClient
from tests.brave import TOKEN, BraveServer
from tests.llm.conftest import KEY
from tests.llm.server import Fault, Request, Response, Server, as_json, completion
from tests.solve.bench import PATIENCE, model
from tests.wiki import WikiEntity, WikiPage, WikiServer

CONTACT = "tests@example.org"
Rows = list[dict[str, Any]]


def text_of(name: str, parts: int = 12) -> str:
    """An article of a known number of sentences, nine a section, each with a fact of its own."""
    sections = []
    for n in range(parts):
        facts = " ".join(f"{name} has the property number {n} of kind {m} with value v{n}x{m}." for m in range(9))
        sections.append((f"== Part {n} ==\n" if n else "") + facts)
    return "\n\n".join(sections)


def fenced(request: Request) -> list[str]:
    """The texts that a request fences: the entity and the piece."""
    return re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", request.body["messages"][1]["content"], re.DOTALL)


def read(request: Request) -> list[dict[str, str]]:
    """What a sound extractor says: a triple for each sentence that states a value."""
    _, text = fenced(request)
    quoted = '"sentence"' in request.body["messages"][0]["content"]
    found = []
    for sentence in re.findall(r"[^.\n]+\.", text):
        fact = re.search(r"^(.*?) has the (.+) with value (\S+)\.$", sentence.strip())
        if fact is not None:
            triple = {"subject": fact[1], "predicate": fact[2], "object": fact[3]}
            found.append(triple | ({"sentence": sentence.strip()} if quoted else {}))
    return found


def answer(triples: list[dict[str, str]], finish: str = "stop") -> Response:
    """An extractor's answer."""
    return as_json(completion(json.dumps({"triples": triples}), finish))


@dataclass
class Extractor:
    """Plays the extractor. faults: what to do instead where a piece's text holds a word."""

    faults: dict[str, Fault] = field(default_factory=dict)
    change: Callable[[list[dict[str, str]]], list[dict[str, str]]] = lambda triples: triples

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        for word, fault in self.faults.items():
            if word in fenced(request)[1]:
                return fault(request)
        return answer(self.change(read(request)))


@dataclass
class Desk:
    """Builds reference corpora, with a journal and a landing zone of its own."""

    folder: Path
    server: Server
    wiki: WikiServer
    brave: BraveServer
    lines: list[str] = field(default_factory=list)

    @property
    def database(self) -> Path:
        """The published entity set."""
        return self.folder / "assay.duckdb"

    @property
    def landing(self) -> Path:
        """Where rows land."""
        return self.folder / "landing"

    def publish(self, entities: list[tuple[str, str]], set_name: str = "random", characters: int | None = None) -> None:
        """Publish an entity set in place of those there."""
        with duckdb.connect(str(self.database)) as connection:
            connection.execute("create schema if not exists elicitation")
            connection.execute(
                "create or replace table elicitation.entities (set_name varchar, entity_id varchar, title varchar,"
                " n_characters bigint, ordinal bigint)"
            )
            for ordinal, (entity_id, title) in enumerate(entities):
                row = [set_name, entity_id, title, characters, ordinal]
                connection.execute("insert into elicitation.entities values (?, ?, ?, ?, ?)", row)

    def caller(self, caps: Caps | None = None) -> Caller:
        """One whose extractor the server plays."""
        spec = replace(model(self.server.url), max_output_tokens=3000)
        registry = Registry({"m": spec}, {Role.EXTRACTOR: "m"})
        keys = {"TEST_KEY": SecretStr(KEY)}
        return Caller(registry, self.folder / "journal.sqlite", keys, caps, patience=PATIENCE)

    def pages(self) -> WikipediaClient:
        """A client of the wiki."""
        return WikipediaClient(HttpClient(SERVICE, CONTACT, **self._options(self.wiki.home)))

    def provider(self) -> BraveSearch:
        """A client of the search provider."""
        return BraveSearch(SecretStr(TOKEN), CONTACT, **self._options(self.brave.home))

    def build(self, caps: Caps | None = None, web: bool = False, pages: bool = True, **wanted: Any) -> Report:
        """One reference corpus."""
        corpus = Corpus(**{"set_name": "random", **wanted})
        with self.caller(caps) as caller:
            return execute(
                corpus,
                self.database,
                self.landing,
                caller,
                self.pages() if pages else None,
                self.provider() if web else None,
                self.lines.append,
            )

    def estimate(self, web: bool = False, **wanted: Any) -> str:
        """What a corpus would take."""
        with self.caller() as caller:
            provider = self.provider() if web else None
            return estimate(Corpus(**{"set_name": "random", **wanted}), self.database, caller, self.pages(), provider)

    def landed(self, dataset: str) -> Rows:
        """All landed rows of a dataset, file after file."""
        paths = sorted((self.landing / dataset).glob("[!_]*.parquet"))
        return [row for path in paths for row in pq.read_table(path).to_pylist()]

    def _options(self, home: str) -> dict[str, Any]:
        return {
            "loopback": home,
            "limiter": RateLimiter(()),
            "sleep": lambda _: None,
            "patience": HttpPatience(attempts=2),
        }


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that plays a sound extractor."""
    with Server() as serving:
        serving.always = Extractor()
        yield serving


@pytest.fixture
def desk(tmp_path: Path, server: Server) -> Iterator[Desk]:
    """A set of six entities, of which two have an article that is read."""
    with WikiServer() as wiki, BraveServer() as brave:
        wiki.wiki.pages = {
            "Nile": WikiPage(text_of("Nile"), 1, 10, "Q3392"),
            "Amazon River": WikiPage(text_of("Amazon"), 2, 20, "Q3783"),
            "Mercury": WikiPage("Mercury may refer to many things. " * 90, 3, 30, "Q99", is_disambiguation=True),
            "Stub": WikiPage("Stub has the length with value 1.", 4, 40, "Q4"),
            "Charles de Gaulle": WikiPage(text_of("CDG"), 5, 50, "Q2"),
        }
        wiki.wiki.entities = {
            "Q3392": WikiEntity("Nile", 40),
            "Q3783": WikiEntity("Amazon River", 40),
            "Q4": WikiEntity("Stub", 3),
            "Q99": WikiEntity("Mercury", 1),
            "Q5": WikiEntity(None, 9),
        }
        made = Desk(tmp_path, server, wiki, brave)
        made.publish(
            [("Q3392", "the nile"), ("Q3783", "Amazon"), ("Q4", "Stub"), ("Q99", "Mercury"), ("Q5", "Nobody"),
             ("icao:LFPG", "Charles de Gaulle")]
        )  # fmt: skip
        yield made
