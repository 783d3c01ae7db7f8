"""The whole way on loopback: from a concept in words to questions that say what they owe to an article."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.ids import to_iri
from ingest.wikidata.sample import sample_files
from tests.conftest import Checkout, Outcome, copy_project, keep_topics
from tests.ingest.fault_proxy import oxigraph
from tests.llm.server import Request, Response, Server, as_json, completion
from tests.propose import world
from tests.propose.conftest import Script
from tests.wiki import WikiPage, WikiServer

pytestmark = pytest.mark.e2e

TOPIC = "waters"
# About as few as the gates let through.
TOPICS = (
    "countries", "lakes", "rivers", "mountains", "chemical_elements", "chemical_compounds", "companies",
    "historical_conflicts", "physics_laureates", "proteins", "vulnerabilities", "software_products", "us_presidents",
)  # fmt: skip
# Of two lakes the articles say otherwise than what is recorded.
WRONG = 2
COVERS = re.compile(r"It covers (?P<value>[\d,.]+) (?P<unit>square kilometres)\.")


@dataclass
class Lake:
    """A lake of the sample. area: None where none is recorded."""

    entity_id: str
    label: str
    title: str
    area: float | None
    said: str


def lakes(project: Checkout) -> list[Lake]:
    """The sample's lakes, with what an article of each would say."""
    rows = project.rows("select entity_id, label, area_km2 from topics.lakes order by area_km2 is null, entity_id")
    made = []
    for number, row in enumerate(rows):
        area = row["area_km2"]
        said = 1000 + number if area is None else area * (3 if number < WRONG else 1)
        made.append(Lake(row["entity_id"], row["label"], f"{row['label']} ({number})", area, f"{said:,.10g}"))
    return made


def sitelinks(found: list[Lake]) -> bytes:
    """What Wikidata says of their articles, as Turtle."""
    lines = ["@prefix schema: <http://schema.org/> ."]
    for number, lake in enumerate(found):
        title = json.dumps(lake.title, ensure_ascii=False)
        about = f"schema:about <{to_iri(lake.entity_id)}>"
        lines.append(
            f"<https://en.wikipedia.org/wiki/Lake_{number}> a schema:Article ; {about} ;"
            f" schema:isPartOf <https://en.wikipedia.org/> ; schema:name {title}@en ."
        )
    return "\n".join(lines).encode()


def play(request: Request) -> Response | None:
    """The proposer of a concept, and an extractor that finds what a passage says of an area."""
    system, user = (str(message["content"]) for message in request.body["messages"])
    if '{"values": [{"attribute"' not in system:
        water = world.attribute_of("water", "has characteristic", "category", scope="of {value}", member="hold {value}")
        return Script([world.proposal_of("lake", [world.area_of(), water])])(request)
    text = re.findall(r"<data-[0-9a-f]+>\n(.*?)\n</data-", user, re.DOTALL)[-1]
    values = [
        {"attribute": "area_km2", **match.groupdict(), "when": None, "sentence": match.group()}
        for match in COVERS.finditer(text)
    ]
    return as_json(completion(json.dumps({"values": values})))


@dataclass
class Way:
    """The copy that went the whole way."""

    project: Checkout
    server: Server
    wiki: WikiServer
    environment: dict[str, str]
    found: list[Lake]

    @property
    def filled(self) -> list[Lake]:
        """Those of whose area nothing is recorded."""
        return [lake for lake in self.found if lake.area is None]

    def run(self, command: str) -> Outcome:
        """One command, asking the loopback servers; it must succeed."""
        outcome = self.project.run(command, **self.environment)
        assert outcome.code == 0, outcome.err
        return outcome


@pytest.fixture(scope="module")
def way(demo: tuple[Checkout, Outcome], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    """From the concept to questions that say which of their values an article gave."""
    project = copy_project(tmp_path_factory.mktemp("way") / "assay")
    keep_topics(project, *TOPICS)
    found = lakes(demo[0])
    documents = [turtle for _, turtle in sample_files()]
    with (
        Server() as server,
        WikiServer() as wiki,
        oxigraph([*documents, sitelinks(found)], tmp_path_factory.mktemp("sparql")) as endpoint,
    ):
        world.stock(wiki.wiki)
        for number, lake in enumerate(found):
            text = f"{lake.label} is a lake.\n\n== Size ==\nIt covers {lake.said} square kilometres."
            wiki.wiki.pages[lake.title] = WikiPage(text, number + 1, 100 + number, lake.entity_id)
        server.always = play
        models = project.root / "dagster_defs/llm/models.yml"
        entry = f"\n  scripted:\n    model_id: m\n    base_url: {server.url}\n    context_tokens: 8192\n"
        entry += "    max_output_tokens: 2048\n"
        models.write_text(re.sub(r"(?m)^(  (?:proposer|extractor): ).*$", r"\1scripted", models.read_text()) + entry)
        environment = {
            "ASSAY_ENDPOINT": endpoint, "ASSAY_WIKIMEDIA": wiki.home, "ASSAY_CONTACT": "tests@example.org",
        }  # fmt: skip
        made = Way(project, server, wiki, environment, found)
        proposed = made.run(f"topic {TOPIC.title()} --description Lakes.")
        assert "Waters: 137 entities, precision 1.000" in proposed.out
        assert "proposed by scripted" in (project.data / f"proposals/{TOPIC}/README.md").read_text()
        for ending in ("sql", "yml"):
            shutil.copy(project.data / f"proposals/{TOPIC}/{TOPIC}.{ending}", project.root / "models/topics")
        keep_topics(project, *TOPICS, TOPIC)
        made.run("build")
        made.run(f"pages --topics {TOPIC}")
        made.run(f"extract --topics {TOPIC}")
        made.run("build")
        yield made


def test_every_article_is_landed_and_read(way: Way) -> None:
    n = len(way.found)
    assert way.project.rows("select outcome, count(*) as n from documents.pages group by 1") == [
        {"outcome": "found", "n": n}
    ]
    assert way.project.rows("select count(*) as n from documents.sections where heading = 'Size'") == [{"n": n}]
    assert way.project.rows("select outcome, count(*) as n from documents.extractions group by 1") == [
        {"outcome": "kept", "n": n}
    ]
    assert way.project.rows("select verdict, count(*) as n from facts.text_agreement group by 1 order by 1") == [
        {"verdict": "agrees", "n": n - WRONG - len(way.filled)},
        {"verdict": "conflicts", "n": WRONG},
        {"verdict": "silent", "n": len(way.filled)},
    ]


def test_what_nobody_recorded_is_filled_and_nothing_else_changes(way: Way) -> None:
    areas = {row["entity_id"]: row["area_km2"] for row in way.project.rows(f"select * from topics.{TOPIC}")}
    for lake in way.found:
        assert areas[lake.entity_id] == (lake.area if lake.area is not None else float(lake.said.replace(",", "")))
    filled = way.project.rows("select entity_id, sentence, extractor, agreement from facts.fills")
    assert {row["entity_id"] for row in filled} == {lake.entity_id for lake in way.filled}
    said = {lake.entity_id: f"It covers {lake.said} square kilometres." for lake in way.filled}
    assert {row["entity_id"]: row["sentence"] for row in filled} == said
    assert {row["extractor"] for row in filled} == {"scripted"}
    assert all(0.98 < row["agreement"] < 1 for row in filled)


def test_every_question_says_how_many_of_its_values_an_article_gave(way: Way) -> None:
    asked = way.project.rows(
        "select question_id, topic, attributes, scope, entity_count, n_fills, evidence_sql, gold_answer"
        f" from questions.questions where topic in ('lakes', '{TOPIC}')"
    )
    assert {row["topic"] for row in asked} == {"lakes", TOPIC}, "a topic of the same lakes owes them as much"
    filled = {lake.entity_id for lake in way.filled}
    for row in asked:
        consulted = way.project.rows(row["evidence_sql"])
        of = {one["entity_id"] for one in consulted if one["attribute"] == "area_km2"} & filled
        assert row["n_fills"] >= len(of), row
        if not row["n_fills"]:
            assert not of
    assert {bool(row["n_fills"]) for row in asked} == {True, False}
    elsewhere = f"topic not in ('lakes', '{TOPIC}')"
    assert way.project.rows(f"select max(n_fills) as n from questions.questions where {elsewhere}") == [{"n": 0}]
    counted = "select question_id, count(*) as n from questions.question_fills group by 1 order by 1"
    listed = "select question_id, n_fills as n from questions.questions where n_fills > 0 order by 1"
    assert way.project.rows(counted) == way.project.rows(listed)


def test_reading_again_asks_for_nothing(way: Way) -> None:
    calls = len(way.server.requests)
    way.run(f"extract --topics {TOPIC}")
    assert len(way.server.requests) == calls


def corrupt(file: Path, column: str, value: object) -> None:
    """Give a column of a landed file one value in every row."""
    rows = pq.read_table(file)
    place = rows.column_names.index(column)
    kind = rows.schema.field(column).type
    pq.write_table(rows.set_column(place, column, pa.array([value] * rows.num_rows, kind)), file)


@pytest.mark.parametrize(
    ("landed", "column", "value", "command", "gate"),
    [
        ("wikipedia/sections/*", "text", "Lost.", "score", "documents"),
        ("extractions/extracted_pages", "n_values", 0, "build", "extractions"),
    ],
)
def test_what_was_read_and_is_not_in_the_article_stops_at_a_gate(
    way: Way, landed: str, column: str, value: object, command: str, gate: str
) -> None:
    file = min((way.project.data / "landing").glob(f"{landed}/{TOPIC}*.parquet"))
    whole, before = file.read_bytes(), way.project.published.read_bytes()
    corrupt(file, column, value)
    try:
        outcome = way.project.run(command, **way.environment)
    finally:
        file.write_bytes(whole)
    assert outcome.code == 1
    assert f"The {gate} gate stopped the run and nothing was published" in outcome.err
    assert way.project.published.read_bytes() == before
