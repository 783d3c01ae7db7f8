"""Articles and what was read in them: which stands beside what is recorded, what it fills, and what depends on that."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from itertools import count
from typing import Any

import pyarrow as pa
import pytest

from dagster_defs.steps.extract.rows import SCHEMAS, land_rows
from ingest.http.client import HttpClient
from ingest.http.rates import Rate
from ingest.wikipedia.client import SERVICE, WikipediaClient
from ingest.wikipedia.land import land_pages
from tests.dbt import scenario, topics
from tests.dbt.landed import item
from tests.dbt.project import Project
from tests.wiki import WikiPage, WikiServer

READ_AT = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
ARTICLE = WikiPage(
    "Italy is a “country” in\nEurope.\n\n== Land ==\nIt is long.",
    3,
    30,
    "Q38",
    wikitext="{{Infobox country|area=301,340}}",
)


def article(number: int, extraction: str, topic: str, entity: str, **more: Any) -> dict[str, Any]:
    return {
        "extraction_id": extraction, "topic": topic, "entity_id": entity, "title": entity, "outcome": "read",
        "source_url": f"https://wiki.test/{entity}", "extractor": "m", "n_passages": 1, "revision_id": number,
        "page_snapshot_id": "wikipedia-2026-12-01", "extracted_at": READ_AT, **more,
    }  # fmt: skip


class Texts:
    """What models read, collected article by article."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._count = count()

    def read(self, extraction: str, topic: str, entity: str, prop: str, **more: Any) -> None:
        """One value of an article."""
        of = self.rows.setdefault(extraction, {name: [] for name in SCHEMAS})
        known = [row for row in of["extracted_pages"] if row["entity_id"] == entity]
        page = known[0] if known else article(30, extraction, topic, entity)
        if not known:
            of["extracted_pages"].append(page)
        row = {
            "attribute": prop, "property_id": prop, "ordinal": next(self._count), "outcome": "kept",
            "sentence": f"It is said of {entity}.", "stated_value": "said", "request_hash": "r",
        }  # fmt: skip
        shared = {name: page[name] for name in SCHEMAS["extractions"].names if name in page and name != "outcome"}
        of["extractions"].append({**shared, **row, **more})

    def land(self, project: Project) -> None:
        """Land all of it."""
        for extraction, datasets in self.rows.items():
            for dataset, rows in datasets.items():
                table = pa.Table.from_pylist(
                    [dict.fromkeys(SCHEMAS[dataset].names) | row for row in rows], SCHEMAS[dataset]
                )
                land_rows(project.data_dir / "landing/extractions", dataset, extraction, table)


def texts() -> Texts:
    """Twelve values that are borne out and one that is not; two of which nothing is recorded; one that is not kept."""
    said = Texts()

    def area(entity: str, amount: str, **more: Any) -> None:
        unit = "Q712226"
        said.read("c1", "countries", entity, "P2046", value_kind="quantity", amount_text=amount, unit_id=unit, **more)

    def year(entity: str, value: str, precision: int = 9) -> None:
        time = {"value_kind": "time", "value_time": value, "time_precision": precision, "calendar": "julian"}
        said.read("c1", "countries", entity, "P571", **time)

    def thing(extraction: str, topic: str, entity: str, prop: str, value: str) -> None:
        said.read(extraction, topic, entity, prop, value_kind="entity", value_entity=value)

    # half a unit of the last digit as the text gives it, so that 644 thousand is as good as 643,801
    area("Q142", "644000", lower_text="643500", upper_text="644500")
    area("Q183", "357022")
    area("Q38", "302000")
    for entity, value in (("Q142", "0843"), ("Q183", "1871"), ("Q38", "-0753")):
        year(entity, f"{value}-00-00T00:00:00Z")
    thing("c1", "countries", "Q142", "P30", "Q46")
    thing("c1", "countries", "Q183", "P30", "Q46")
    thing("c1", "countries", "Q142", "P37", "Q150")
    thing("c1", "countries", "Q183", "P37", "Q188")
    thing("c1", "countries", "Q145", "P37", "Q1860")
    thing("t1", "cities", "Q90", "P17", "Q142")
    # quoted as a model quotes, not as the article breaks its lines
    said.read(
        "c1", "countries", "Q38", "P30", value_kind="entity", value_entity="Q46",
        sentence='Italy is a "country" in Europe.',
    )  # fmt: skip
    thing("t1", "cities", "Q220", "P17", "Q38")
    said.read("c1", "countries", "Q38", "P1082", value_kind="quantity", amount_text="59000000")
    said.read("c1", "countries", "Q145", "P2131", outcome="ungrounded")
    return said


@pytest.fixture(scope="module")
def wiki() -> Iterator[WikiServer]:
    with WikiServer() as serving:
        serving.wiki.pages["Italy"] = ARTICLE
        yield serving


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory, wiki: WikiServer) -> Project:
    """The scenario's facts with articles and what was read in them."""
    project = Project.create(tmp_path_factory.mktemp("read"), {"countries": topics.COUNTRIES, "cities": topics.CITIES})
    landing = scenario.landing()
    for entity, label in {"Q220": "Rome", "Q2634": "Naples", "Q279": "Modena"}.items():
        landing.entity(entity, label, scenario.CITY)
    landing.statement("Q2634", "P17", item("Q38"))
    landing.write(project.data_dir)
    said = texts()
    # who has nothing to be compared with is not believed; nor does an older reading, or a failed one, stand
    other = {"extractor": "n"}
    said.read("t2", "cities", "Q279", "P17", value_kind="entity", value_entity="Q38", **other)
    said.rows["t2"]["extracted_pages"][0].update(other)
    said.read("c0", "countries", "Q142", "P30", value_kind="entity", value_entity="Q15")
    older = {"extracted_at": READ_AT - dt.timedelta(days=1)}
    for rows in said.rows["c0"].values():
        rows[0].update(older)
    said.rows["c9"] = {
        "extracted_pages": [
            article(9, "c9", "countries", "Q38", outcome="failed", extracted_at=READ_AT + dt.timedelta(days=1))
        ],
        "extractions": [],
    }
    said.land(project)
    with HttpClient(SERVICE, "me@example.org", rates=(Rate(1_000_000, 1),), loopback=wiki.home) as http:
        day = dt.date(2026, 12, 1)
        client = WikipediaClient(http)
        for topic in ("countries", "peninsulas"):
            land_pages(topic, [("Q38", "Italy"), ("Q183", "Nowhere")], client, project.data_dir / "landing", day)
    outcome = project.dbt("build")
    assert outcome.success, outcome.messages
    return project


def test_an_entity_has_one_article_whatever_its_topics(read: Project) -> None:
    assert read.rows("select entity_id, title, outcome, revision_id from documents.pages") == [
        ("Q183", "Nowhere", "missing", None), ("Q38", "Italy", "found", 30),
    ]  # fmt: skip
    assert read.rows("select entity_id, ordinal, heading, text from documents.sections") == [
        ("Q38", 0, None, "Italy is a “country” in\nEurope."), ("Q38", 1, "Land", "It is long."),
    ]  # fmt: skip
    assert read.rows("select entity_id, field, value_plain from documents.infobox_fields") == [
        ("Q38", "area", "301,340")
    ]


def test_what_was_read_is_compared_with_what_is_recorded(read: Project) -> None:
    verdicts = dict(
        read.rows("select subject_id || ' ' || property_id, verdict from facts.text_agreement where extractor = 'm'")
    )
    silent = {"Q38 P30", "Q220 P17"}
    assert {key for key, verdict in verdicts.items() if verdict == "silent"} == silent
    assert verdicts["Q38 P2046"] == "conflicts"
    assert {verdicts[key] for key in set(verdicts) - silent - {"Q38 P2046"}} == {"agrees"}
    trust = "select distinct extractor, agreement, is_trusted, by_property from facts.text_trust order by extractor"
    assert read.rows(trust) == [
        ("m", pytest.approx(12 / 13), True, False), ("n", None, False, False),
    ]  # fmt: skip


def test_a_sentence_is_looked_for_in_the_article_that_was_read(read: Project) -> None:
    assert read.rows(
        "select property_id, is_in_article from documents.quotes join documents.extractions using (statement_id)"
        " where quotes.entity_id = 'Q38' order by 1"
    ) == [("P1082", False), ("P2046", False), ("P30", True), ("P571", False)]
    assert read.rows("select distinct entity_id from documents.quotes") == [("Q38",)], "of no other an article is there"


def test_an_article_s_word_is_used_only_where_nothing_is_recorded_and_its_reader_is_believed(read: Project) -> None:
    reasons = read.rows(
        "select subject_id, property_id, reason from facts.value_choices join facts.statements using (statement_id,"
        " subject_id, property_id) where source = 'wikipedia' and reason <> 'behind_record' order by all"
    )
    assert reasons == [("Q220", "P17", "chosen"), ("Q279", "P17", "not_trusted"), ("Q38", "P30", "chosen")]
    assert read.rows("select count(*) from facts.statements where source = 'wikipedia'") == [(16,)]
    assert read.rows("select entity_id, property_id, attribute, extractor, sentence, agreement from facts.fills") == [
        ("Q220", "P17", "P17", "m", "It is said of Q220.", pytest.approx(12 / 13)),
        ("Q38", "P30", "P30", "m", 'Italy is a "country" in Europe.', pytest.approx(12 / 13)),
    ]
    assert read.rows("select continent from topics.countries where entity_id = 'Q38'") == [("Europe",)]
    assert read.rows("select country from topics.cities where entity_id in ('Q220', 'Q279') order by 1") == [
        ("Italy",), (None,),
    ]  # fmt: skip
    assert read.rows(
        "select distinct choice_reason, (source = 'wikipedia') from facts.best_values where subject_id = 'Q38'"
        " and property_id in ('P30', 'P37') order by 1"
    ) == [("filled_from_text", True), ("only_statement", False)]


def test_whatever_depends_on_a_fill_is_marked(read: Project) -> None:
    continent, country = (
        read.rows(f"select statement_id from facts.fills where property_id = '{prop}'")[0][0] for prop in ("P30", "P17")
    )
    marked = read.rows("select topic, entity_id, attribute, statement_id from documents.filled_attributes")
    of = {(topic, entity, attribute) for topic, entity, attribute, statement in marked if statement == continent}
    # Naples is in Italy by record, Rome by an article; a computed column may come from anything that its topic consults
    assert of == {
        ("countries", "Q38", "continent"), ("countries", "Q38", "is_european"),
        ("cities", "Q220", "country_continent"), ("cities", "Q2634", "country_continent"),
    }  # fmt: skip
    of = {(topic, entity, attribute) for topic, entity, attribute, statement in marked if statement == country}
    assert of == {("cities", "Q220", name) for name in ("country", "country_continent", "country_area_km2")}
