"""The topics of the domains: each row discovers its entities, by class or by identifier, and a row is all it takes."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from ingest.domains.discover import Discovery, discover
from ingest.domains.topics import DOMAINS, DomainTopic, load_domain_topics, read_row
from ingest.errors import TopicSourceError
from ingest.ids import to_iri
from ingest.wikidata.endpoint import EmbeddedEndpoint
from ingest.wikidata.queries import Query
from ingest.wikidata.results import RowT
from ingest.wikidata.sample import SAMPLE_DIR

SEED = Path(__file__).resolve().parents[2] / "seeds" / "domain_topics.csv"
WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
TOPICS = {one.topic: one for one in load_domain_topics(SEED)}
WORLD = b"""
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix schema: <http://schema.org/> . @prefix wikibase: <http://wikiba.se/ontology#> .
@prefix p: <http://www.wikidata.org/prop/> . @prefix psv: <http://www.wikidata.org/prop/statement/value/> .
wd:Q1 wdt:P31 wd:Q54050 ; wikibase:sitelinks 20 ; p:P2044 [ wikibase:rank wikibase:NormalRank ; psv:P2044 [
  wikibase:quantityAmount 200 ; wikibase:quantityUnit wd:Q11573 ] ] .
wd:Q2 wdt:P31 wd:Q54050 ; wikibase:sitelinks 19 ; p:P2044 [ wikibase:rank wikibase:NormalRank ; psv:P2044 [
  wikibase:quantityAmount 900 ; wikibase:quantityUnit wd:Q11573 ] ] .
wd:Q3 wdt:P31 wd:Q54050 ; wikibase:sitelinks 90 ; p:P2044 [ wikibase:rank wikibase:NormalRank ; psv:P2044 [
  wikibase:quantityAmount 900 ; wikibase:quantityUnit wd:Q3710 ] ] .
wd:Q4 wdt:P31 wd:Q8072 ; wikibase:sitelinks 50 . wd:Q5 wdt:P31 wd:Q8072 ; wikibase:sitelinks 50 ; wdt:P2044 1281 .
<https://en.wikipedia.org/wiki/Spl%C3%BCgen_Pass> schema:about wd:Q10 .
<https://en.wikipedia.org/wiki/Docker_(software)> schema:about wd:Q11 .
wd:Q20 wdt:P5531 "0000320193" . wd:Q21 wdt:P5531 "0000789019" . wd:Q22 wdt:P5531 "0000789019" .
wd:Q30 wdt:P662 "2244" ; wdt:P592 "CHEMBL25" . wd:Q31 wdt:P662 "3672" ; wdt:P592 "CHEMBL521", "CHEMBL522" .
wd:Q40 wdt:P352 "P00533" ; wdt:P638 "1M17", "1IVO" .
"""


class Recording(EmbeddedEndpoint):
    """The little world above, which remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__([("world", WORLD)], "world")
        self.asked: list[str] = []

    def select(self, query: Query[RowT]) -> list[RowT]:
        self.asked.append(query.text)
        return super().select(query)


@pytest.fixture(scope="module")
def world() -> Recording:
    return Recording()


@pytest.fixture(scope="module")
def sample() -> EmbeddedEndpoint:
    files = ("classes", "countries", "lakes", "mountains", "proteins", "rivers")
    return EmbeddedEndpoint.from_files([SAMPLE_DIR / "facts" / f"{one}.ttl.xz" for one in files], "sample")


def found(discovery: Discovery) -> dict[str, dict[str, str]]:
    return {one.entity_id: dict(one.identifiers) for one in discovery.members}


def test_the_five_domains_have_their_topics() -> None:
    counted = {domain: sum(one.domain == domain for one in TOPICS.values()) for domain in DOMAINS}
    assert counted == {"biochemistry": 20, "financial": 20, "geophysical": 39, "history": 20, "security": 20}


@pytest.mark.parametrize("name", TOPICS)
def test_every_topic_asks_queries_that_an_endpoint_takes(name: str) -> None:
    endpoint, topic = Recording(), TOPICS[name]
    discover(topic, endpoint, ciks=lambda: {one.name: "0000320193" for one in topic.entities})
    assert endpoint.asked, "nothing was asked"
    assert not any("SERVICE" in text or "regex" in text.lower() or "rdfs:label ?" in text for text in endpoint.asked)
    for class_id in topic.classes:
        assert any(f"VALUES ?class {{ wd:{class_id} }}" in text for text in endpoint.asked)


@pytest.mark.parametrize(
    ("name", "needed"),
    [("mountains", ["P2044"]), ("lakes", ["P2046"]), ("rivers", ["P2043"]), ("countries", ["P1082", "P2046"])],
)
def test_classes_discover_those_of_the_sample_that_have_what_is_needed(
    name: str, needed: list[str], sample: EmbeddedEndpoint
) -> None:
    topic = TOPICS[name]
    assert discover(topic, sample).members == (), "the sample does not say in how many wikis a page is"
    discovery = discover(topic.model_copy(update={"least_sitelinks": 0}), sample, page_size=50)
    store = sample.load()

    def subjects(prop: str, value: Any = None) -> Iterator[str]:
        quads = store.quads_for_pattern(None, pyoxigraph.NamedNode(f"{WDT}{prop}"), value)
        return (str(quad.subject) for quad in quads)

    expected = set(subjects("P31", pyoxigraph.NamedNode(f"{WD}{topic.classes[0]}")))
    for prop in needed:
        expected &= set(subjects(prop))
    assert {f"<{to_iri(one.entity_id)}>" for one in discovery.members} == expected
    assert len(expected) > 40


def test_identifiers_join_those_of_the_sample(sample: EmbeddedEndpoint) -> None:
    discovery = discover(TOPICS["kinases"], sample)
    assert found(discovery)["uniprot:P00533"] == {"uniprot": "P00533"}
    assert "Q13131" in discovery.missing
    assert "uniprot:P00533 (rcsb)" in discovery.unjoined
    asked = {one.name for one in TOPICS["kinases"].entities}
    assert {one["uniprot"] for one in found(discovery).values()} | set(discovery.missing) == asked


def test_a_bound_has_its_unit_and_pages_in_enough_wikis_are_asked_for(world: Recording) -> None:
    assert found(discover(TOPICS["hills"], world)) == {"Q1": {}}
    assert found(discover(TOPICS["volcanoes"], world)) == {"Q5": {}}


def test_pages_are_addresses_and_not_looked_for_by_name(world: Recording) -> None:
    passes = discover(TOPICS["passes"], world)
    assert (found(passes), len(passes.missing)) == ({"Q10": {}}, len(TOPICS["passes"].entities) - 1)
    containers = discover(TOPICS["container_platforms"], world)
    assert found(containers) == {"Q11": {"nvd": "cpe:2.3:a:docker:docker"}}


def test_tickers_are_resolved_by_the_sec_and_shared_identifiers_join_nothing(world: Recording) -> None:
    row = TOPICS["enterprise_software"]
    topic = row.model_copy(
        update={"entities": tuple(one for one in row.entities if one.name in ("MSFT", "CRM", "ADBE"))}
    )
    listed = {"CRM": "0000320193", "MSFT": "0000789019"}
    discovery = discover(topic, world, ciks=lambda: listed)
    assert found(discovery) == {"Q20": {"edgar": "0000320193"}}
    assert sorted(discovery.missing) == ["ADBE", "MSFT"]


def test_a_compound_with_two_identifiers_is_not_guessed_at_but_a_protein_has_structures(world: Recording) -> None:
    compounds = discover(TOPICS["analgesics"], world)
    assert found(compounds) == {"Q30": {"pubchem": "2244", "chembl": "CHEMBL25"}, "Q31": {"pubchem": "3672"}}
    assert compounds.unjoined == ("Q31 (chembl)",)
    assert found(discover(TOPICS["kinases"], world)) == {"Q40": {"uniprot": "P00533", "rcsb": "1IVO"}}


def test_a_draw_depends_on_nothing_but_the_ids(sample: EmbeddedEndpoint) -> None:
    topic = TOPICS["mountains"].model_copy(update={"least_sitelinks": 0})
    drawn = [one.entity_id for one in discover(topic, sample, most=20, page_size=7).members]
    assert len(drawn) == 20
    assert drawn == [one.entity_id for one in discover(topic, sample, most=20).members]
    assert set(drawn) < {one.entity_id for one in discover(topic, sample, most=40).members}


def test_a_new_topic_is_one_row(world: Recording, tmp_path: Path) -> None:
    seed = tmp_path / "domain_topics.csv"
    row = "geophysical,alpine_passes,alpine pass,alpine passes,list,,,0,enwiki,Splügen_Pass Nowhere_Pass,,unchecked\n"
    seed.write_text(SEED.read_text() + row)
    (topic,) = load_domain_topics(seed, ["alpine_passes"])
    discovery = discover(topic, world)
    assert (found(discovery), discovery.missing) == ({"Q10": {}}, ("Nowhere_Pass",))


def given(**changes: str) -> dict[str, str]:
    with SEED.open(newline="") as handle:
        (row,) = (one for one in csv.DictReader(handle) if one["topic"] == "hills")
    return row | changes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"domain": "astrology"}, "column domain is wrong"),
        ({"classes": "Q54O50"}, "column classes is wrong"),
        ({"classes": ""}, "either classes, or entities and listed_by"),
        ({"entities": "A B"}, "either classes, or entities and listed_by"),
        ({"filters": "P2044>200"}, "'P2044>200' is no filter such as P2044 or P2044>=200/Q11573"),
        ({"least_sitelinks": "many"}, "column least_sitelinks is wrong"),
        ({"joins": "P662:chemspider"}, "column joins is wrong"),
        ({"joins": "P662"}, "the row cannot be read"),
        ({"classes": "", "listed_by": "ticker", "entities": "MSFT"}, "tickers are resolved by EDGAR"),
        ({"classes": "", "listed_by": "enwiki", "entities": "BIND", "joins": "cpe:nvd"}, "<entity>=<identifier>"),
    ],
)
def test_a_bad_row_is_told_with_its_line_and_column(changes: dict[str, str], said: str) -> None:
    with pytest.raises(TopicSourceError, match=r"^seed, line 7: ") as raised:
        read_row(given(**changes), "seed, line 7")
    assert said in str(raised.value)


def test_topics_are_chosen_by_name_or_by_domain(tmp_path: Path) -> None:
    assert [one.topic for one in load_domain_topics(SEED, ["hills"])] == ["hills"]
    assert len(load_domain_topics(SEED, ["security", "hills"])) == 21
    with pytest.raises(TopicSourceError, match="has no topic or domain 'hillz'"):
        load_domain_topics(SEED, ["hillz"])
    with pytest.raises(TopicSourceError, match="cannot be read"):
        load_domain_topics(tmp_path / "none.csv")


def test_topic_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        TOPICS["hills"].topic = "plains"  # type: ignore[misc]
    assert isinstance(TOPICS["hills"], DomainTopic)
