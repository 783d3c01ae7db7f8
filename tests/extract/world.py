"""Landed articles of two topics, and a model on loopback that reads them sentence by sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
from pydantic import SecretStr

from dagster_defs.llm.budget import Caps
from dagster_defs.llm.caller import Caller
from dagster_defs.llm.models import ModelSpec, Registry, Role
from dagster_defs.steps.extract.execute import Report, estimate, execute
from dagster_defs.steps.extract.plan import Reading
from tests.llm.conftest import KEY
from tests.llm.server import Fault, Request, Response, Server, as_json, completion
from tests.solve.bench import PATIENCE, model

ROOT = Path(__file__).resolve().parents[2]
Rows = list[dict[str, Any]]
# topic, attribute, position, kind, path, hops, phrase, unit, is_multivalued, is_year
ATTRIBUTES = [
    ("countries", "area_km2", 3, "number", "P2046", 1, "area", "square kilometres", False, False),
    ("countries", "population", 4, "number", "P1082", 1, "population", "people", False, False),
    ("countries", "founded_year", 5, "number", "P571", 1, "year of foundation", "year", False, True),
    ("countries", "founded_on", 6, "date", "P571", 1, "date of foundation", None, False, False),
    ("countries", "continent", 7, "category", "P30", 1, "continent", None, False, False),
    ("countries", "borders", 8, "category", "P47", 1, "neighbouring country", None, True, False),
    ("countries", "code", 9, "category", "P297", 1, "country code", None, False, False),
    # What no text states as the property's value, or what is not asked for.
    ("countries", "neighbours", 10, "number", "P47", 1, "number of neighbours", "neighbours", False, False),
    ("countries", "latitude", 11, "number", "P625", 1, "latitude", "degrees", False, False),
    ("countries", "is_island", 12, "boolean", "P31", 1, "island", None, False, False),
    ("countries", "motto", 13, "text", "P1451", 1, "motto", None, False, False),
    ("countries", "capital_population", 14, "number", "P36/P1082", 2, "population of the capital", None, False, False),
    ("countries", "density", 15, "number", None, 1, "density", None, False, False),
    ("countries", "never", 16, "number", "P999", 1, "property without statements", None, False, False),
    ("rivers", "length_km", 3, "number", "P2043", 1, "length", "kilometres", False, False),
]
# subject_id, property_id, value_kind, value_entity, unit_id
STATEMENTS = [
    ("Q1", "P2046", "quantity", None, "Q712226"),
    ("Q2", "P2046", "quantity", None, "Q712226"),
    ("Q2", "P2046", "novalue", None, None),
    # Elsewhere areas are given in square miles, which is more often than the topic's own members have them at all.
    *((f"Q8{n}", "P2046", "quantity", None, "Q232291") for n in range(5)),
    ("Q1", "P1082", "quantity", None, None),
    ("Q1", "P571", "time", None, None),
    ("Q1", "P30", "entity", "Q15", None),
    ("Q1", "P47", "entity", "Q2", None),
    ("Q2", "P47", "entity", "Q1", None),
    ("Q1", "P297", "text", None, None),
    ("Q1", "P625", "coordinate", None, None),
    ("Q101", "P2043", "quantity", None, "Q828224"),
]
ENTITIES = [
    ("Q1", "Ourland", ["Republic of Ourland"]),
    ("Q2", "Theirland", ["Theirs"]),
    ("Q3", "Quietland", []),
    ("Q15", "Africa", ["African continent"]),
    ("Q46", "Europe", None),
    ("Q77", "Theirland", ["the film Theirland"]),
    ("Q901", "Mercury", []),
    ("Q902", "Mercury", []),
    ("Q101", "Long River", []),
]
Section = tuple[int, str | None, str]
Page = dict[str, Any]
# The English that the scripted extractor reads, by attribute.
_SENTENCE = {
    "area_km2": r"The area (?:of \w+ )?is (?P<value>[\d.,]+) (?P<unit>km²|square kilometres)\.",
    "population": r"In (?P<when>\d{4}),? \w+ had (?P<value>[\d.,]+(?: million| billion)?) (?P<unit>inhabitants)\.",
    "founded_on": r"It was founded on (?P<value>\d+ \w+ \d{4})\.",
    "continent": r"It lies in (?P<value>\w+)\.",
    "borders": r"It borders (?P<value>\w+)\.",
    "length_km": r"The river is (?P<value>[\d.,]+) (?P<unit>km) long\.",
}


def fenced(request: Request) -> list[str]:
    """The texts that a request fences: the entity, what it is, the attributes and the piece."""
    return re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", request.body["messages"][1]["content"], re.DOTALL)


def value(
    attribute: str, value: str, sentence: str, unit: str | None = None, when: str | None = None
) -> dict[str, Any]:
    """An element of an answer."""
    return {"attribute": attribute, "value": value, "unit": unit, "when": when, "sentence": sentence}


def read(request: Request) -> Rows:
    """What a sound extractor says: a value for each sentence that states one of the attributes asked for."""
    *_, listed, text = fenced(request)
    asked = {line.partition(":")[0] for line in listed.splitlines()}
    found = []
    for name in _SENTENCE.keys() & asked:
        for match in re.finditer(_SENTENCE[name], text):
            held = match.groupdict()
            found.append((match.start(), value(name, held["value"], match.group(), held.get("unit"), held.get("when"))))
    return [one for _, one in sorted(found, key=lambda one: one[0])]


def answer(values: Rows, finish: str = "stop") -> Response:
    """An extractor's answer."""
    return as_json(completion(json.dumps({"values": values}), finish))


@dataclass
class Extractor:
    """Plays the extractor. faults: what to do instead where a piece holds a word. change: of what it says."""

    faults: dict[str, Fault] = field(default_factory=dict)
    change: Callable[[Rows], Rows] = lambda values: values

    def __call__(self, request: Request) -> Response | None:
        """As the fault of a server."""
        for word, fault in self.faults.items():
            if word in fenced(request)[-1]:
                return fault(request)
        return answer(self.change(read(request)))


def article(name: str, parts: int = 6) -> list[Section]:
    """An article whose lead and third section state values, among sentences that state none."""
    filler = [" ".join(f"Sentence {n} of part {part} tells nothing." for n in range(12)) for part in range(parts)]
    lead = f"{name} is a country. The area of {name} is 31,153 km². It lies in Africa. {filler[0]}"
    sections: list[Section] = [(0, None, lead)]
    for part in range(1, parts):
        stated = ""
        if part == 3:
            stated = f"In 2020, {name} had 1.4 million inhabitants. It was founded on 1 July 1867. "
        sections.append((2, f"Part {part}", stated + filler[part]))
        if part == 1:
            sections.append((3, "Neighbours", "It borders Theirland. It borders Mercury. It borders Nowhere."))
    return sections


@dataclass
class Desk:
    """Reads landed articles, with a database, a journal and a landing zone of its own."""

    folder: Path
    server: Server
    lines: list[str] = field(default_factory=list)
    spec_changes: dict[str, Any] = field(default_factory=dict)

    @property
    def database(self) -> Path:
        """The published database."""
        return self.folder / "assay.duckdb"

    @property
    def landing(self) -> Path:
        """Where rows land."""
        return self.folder / "landing"

    def publish(self) -> None:
        """A database with topics and facts, and no article."""
        with duckdb.connect(str(self.database)) as connection:
            for schema in ("topics", "facts", "documents"):
                connection.execute(f"create schema {schema}")
            connection.execute(
                f"create table facts.units as from read_csv('{ROOT}/seeds/units.csv', all_varchar = true)"
            )
            connection.execute(
                "create table facts.statements (subject_id varchar, property_id varchar, value_kind varchar,"
                " value_entity varchar, unit_id varchar)"
            )
            connection.executemany("insert into facts.statements values (?, ?, ?, ?, ?)", STATEMENTS)
            connection.execute("create table facts.entities (entity_id varchar, label varchar, aliases varchar[])")
            connection.executemany("insert into facts.entities values (?, ?, ?)", ENTITIES)
            connection.execute("create table topics.topic_meta (topic varchar, singular varchar)")
            connection.executemany(
                "insert into topics.topic_meta values (?, ?)",
                [("countries", "country"), ("rivers", "river"), ("lakes", "lake")],
            )
            connection.execute(
                "create table topics.attribute_meta (topic varchar, attribute varchar, position integer, kind varchar,"
                " path varchar, hops integer, phrase varchar, unit varchar, is_multivalued boolean, is_year boolean)"
            )
            connection.executemany(f"insert into topics.attribute_meta values ({'?, ' * 9}?)", ATTRIBUTES)
            for topic in ("countries", "rivers", "lakes"):
                connection.execute(f"create table topics.{topic} (entity_id varchar, label varchar)")
            self._documents(connection)

    @staticmethod
    def _documents(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(
            "create table documents.pages (entity_id varchar, title varchar, url varchar, outcome varchar,"
            " page_id bigint, revision_id bigint, fetched_at timestamp, snapshot_id varchar)"
        )
        connection.execute(
            "create table documents.sections (entity_id varchar, ordinal integer, level integer, heading varchar,"
            " text varchar)"
        )
        connection.execute(
            "create table documents.infobox_fields (entity_id varchar, position integer, template varchar,"
            " field varchar, value_wikitext varchar, value_plain varchar, links varchar[])"
        )

    def land(
        self,
        topic: str,
        entity_id: str,
        label: str,
        sections: Sequence[Section],
        fields: Sequence[tuple[str, str | None]] = (),
        outcome: str = "found",
        revision: int = 1,
    ) -> None:
        """Publish an article of a member of a topic, in place of one that was there."""
        url = f"https://en.wikipedia.org/wiki/{label.replace(' ', '_')}"
        with duckdb.connect(str(self.database)) as connection:
            for table in ("pages", "sections", "infobox_fields"):
                connection.execute(f"delete from documents.{table} where entity_id = ?", [entity_id])
            connection.execute(f"delete from topics.{topic} where entity_id = ?", [entity_id])
            connection.execute(f"insert into topics.{topic} values (?, ?)", [entity_id, label])
            page = [entity_id, label, url, outcome, 7, revision, "2026-12-01", "pages-1"]
            connection.execute("insert into documents.pages values (?, ?, ?, ?, ?, ?, ?, ?)", page)
            for ordinal, section in enumerate(sections):
                connection.execute(
                    "insert into documents.sections values (?, ?, ?, ?, ?)", [entity_id, ordinal, *section]
                )
            for position, (name, held) in enumerate(fields):
                box = [entity_id, position, "Infobox country", name, held or "", held, []]
                connection.execute("insert into documents.infobox_fields values (?, ?, ?, ?, ?, ?, ?)", box)

    def spec(self) -> ModelSpec:
        """The extractor that the server plays."""
        return replace(model(self.server.url), **{"max_output_tokens": 3000, **self.spec_changes})

    def caller(self, caps: Caps | None = None) -> Caller:
        """One whose extractor the server plays."""
        registry = Registry({"m": self.spec()}, {Role.EXTRACTOR: "m"})
        keys = {"TEST_KEY": SecretStr(KEY)}
        return Caller(registry, self.folder / "journal.sqlite", keys, caps, patience=PATIENCE)

    def read(self, caps: Caps | None = None, **wanted: Any) -> Report:
        """One execution."""
        with self.caller(caps) as caller:
            return execute(Reading(**wanted), self.database, self.landing, caller, self.lines.append)

    def estimate(self, **wanted: Any) -> str:
        """What reading would take."""
        with self.caller() as caller:
            return estimate(Reading(**wanted), self.database, caller)

    def landed(self, dataset: str) -> Rows:
        """All landed rows of a dataset, file after file."""
        paths = sorted((self.landing / dataset).glob("[!_]*.parquet"))
        return [row for path in paths for row in pq.read_table(path).to_pylist()]
