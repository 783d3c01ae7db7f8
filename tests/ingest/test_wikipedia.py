"""Wikipedia's and Wikidata's APIs over HTTP: batches, continuation, redirects, what is missing, and views."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from api_server import Asking, cache_in
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import ServiceError
from ingest.http.body import BodyError
from ingest.land_rows import LandingReport
from ingest.wikipedia.client import SERVICE, WikipediaClient
from ingest.wikipedia.entities import Entity, parse_entities, parse_search
from ingest.wikipedia.pages import Article, parse_query
from ingest.wikipedia.views import parse_views
from tests.wiki import MAXLAG, WikiEntity, WikiPage, WikiServer

NILE = WikiPage("The Nile is a river.\n\n== Course ==\nIt flows north.", 7, 70, "Q3392")
PAGES = {
    "Nile": NILE,
    "The Nile": WikiPage(to="Nile"),
    "Mercury": WikiPage("Mercury may refer to:", 8, 80, "Q6", is_disambiguation=True),
    "AC/DC": WikiPage("A band.", 9, 90, "Q27593"),
    "Été": WikiPage("Summer.", 10, 91),
}


@pytest.fixture
def wiki() -> Iterator[WikiServer]:
    """A wiki of a few pages."""
    with WikiServer() as serving:
        serving.wiki.pages.update(PAGES)
        yield serving


def articles(server: WikiServer, titles: list[str], version: int = 2, **options: Any) -> list[Article]:
    with Asking(server, SERVICE) as http:
        return list(WikipediaClient(http, format_version=version).articles(titles, **options))


@pytest.mark.parametrize("version", [1, 2])
def test_every_title_has_its_article_or_says_why_not(wiki: WikiServer, version: int) -> None:
    titles = ["Nile", "the_Nile", "Mercury", "Nowhere", "<b>", "", "Nile|Mercury", "AC/DC", "Été", "Nile"]
    found = articles(wiki, titles, version)
    assert [one.asked for one in found] == titles
    assert [one.outcome for one in found] == [
        "found", "found", "disambiguation", "missing", "invalid", "invalid", "invalid", "found", "found", "found",
    ]  # fmt: skip
    nile = found[0]
    assert (nile.title, nile.text, nile.characters) == ("Nile", NILE.text, len(NILE.text))
    assert (nile.page_id, nile.revision_id, nile.item_id) == (7, 70, "Q3392")
    assert nile.url == "https://en.wikipedia.org/wiki/Nile"
    assert (found[1].title, found[1].text, found[1].item_id) == ("Nile", NILE.text, "Q3392")
    assert (found[3].url, found[3].text, found[3].item_id) == ("https://en.wikipedia.org/wiki/Nowhere", "", None)
    assert [found[7].text, found[8].text] == ["A band.", "Summer."]


@pytest.mark.parametrize("version", [1, 2])
def test_texts_are_asked_for_until_the_last_has_come(wiki: WikiServer, version: int) -> None:
    wiki.wiki.pages = {f"P{n}": WikiPage(f"text {n}", n + 1, n + 500, f"Q{n + 1}") for n in range(120)}
    found = articles(wiki, [f"P{n}" for n in range(120)], version)
    assert [one.text for one in found] == [f"text {n}" for n in range(120)]
    assert [one.item_id for one in found] == [f"Q{n + 1}" for n in range(120)]
    batches = {query["titles"] for query in wiki.wiki.asked}
    assert [len(batch.split("|")) for batch in sorted(batches, key=len, reverse=True)] == [50, 50, 20]
    assert len(wiki.wiki.asked) == 120
    assert {(query["maxlag"], query["exlimit"], query["explaintext"]) for query in wiki.wiki.asked} == {("5", "1", "1")}


def test_without_texts_fifty_pages_are_one_request(wiki: WikiServer) -> None:
    wiki.wiki.pages = {f"P{n}": WikiPage("text", n + 1) for n in range(60)}
    found = articles(wiki, [f"P{n}" for n in range(60)], text=False)
    assert {(one.outcome, one.text) for one in found} == {("found", "")}
    assert len(wiki.wiki.asked) == 2


def test_articles_come_as_they_are_taken(wiki: WikiServer) -> None:
    """Ten thousand pages are never held at once: the second batch is not asked for before the first is used up."""
    taken = []

    def titles() -> Iterator[str]:
        for n in range(10_000):
            taken.append(n)
            yield f"P{n}"

    wiki.wiki.pages = {f"P{n}": WikiPage("text", n + 1) for n in range(10_000)}
    with Asking(wiki, SERVICE) as http:
        assert len(list(islice(WikipediaClient(http).articles(titles()), 50))) == 50
    assert len(taken) == 51
    assert len(wiki.wiki.asked) == 50


def test_long_titles_are_asked_for_in_addresses_that_servers_take(wiki: WikiServer) -> None:
    titles = [f"{n:02d}{'ü' * 120}" for n in range(50)]
    assert {one.outcome for one in articles(wiki, titles)} == {"missing"}
    assert len(wiki.wiki.asked) > 5
    assert max(len(query["titles"].encode()) for query in wiki.wiki.asked) < 4_000


def test_lag_is_waited_for_and_then_told(wiki: WikiServer) -> None:
    lagging = (200, json.dumps(MAXLAG).encode())
    wiki.wiki.first = [lagging, lagging]
    asking = Asking(wiki, SERVICE)
    with asking as http:
        assert [one.text for one in WikipediaClient(http).articles(["Nile"])] == [NILE.text]
    assert asking.pauses == [5.0, 5.0]
    wiki.wiki.first = [lagging] * 3
    with pytest.raises(ServiceError, match=r"after 3 attempts: the answer was the error 'maxlag: Waiting for 10\.0"):
        articles(wiki, ["Nile"])


@pytest.mark.parametrize(
    ("code", "again"),
    [("ratelimited", True), ("internal_api_error_DBQueryError", True), ("readonly", True), ("badvalue", False)],
)
def test_an_error_under_success_is_tried_again_where_it_passes(wiki: WikiServer, code: str, again: bool) -> None:
    wiki.wiki.first = [(200, json.dumps({"error": {"code": code, "info": "why\nso"}}).encode())]
    if again:
        assert articles(wiki, ["Nile"])[0].outcome == "found"
    else:
        with pytest.raises(ServiceError, match=rf"after 1 attempt: the answer was the error '{code}: why so'"):
            articles(wiki, ["Nile"])


def test_an_answer_that_goes_on_for_ever_is_ended(wiki: WikiServer) -> None:
    round_and_round = {"continue": {"excontinue": 1, "continue": "||"}, "query": {"pages": []}}
    wiki.wiki.first = [(200, json.dumps(round_and_round).encode())] * 501
    with pytest.raises(ServiceError, match=r"goes on answering .* without end; check the service"):
        articles(wiki, ["Nile"])


@pytest.mark.parametrize(
    "body",
    [b"{}", b"[]", b'{"query-continue": {"search": {"sroffset": 1}}, "query": {}}', b'{"entities": {}, "success": 1}'],
)
def test_other_json_is_no_answer_to_a_query(body: bytes) -> None:
    with pytest.raises(BodyError) as raised:
        parse_query(body)
    assert not raised.value.again


def test_a_page_that_the_answer_lacks_is_told(wiki: WikiServer) -> None:
    wiki.wiki.first = [(200, b'{"batchcomplete": true, "query": {"pages": [{"title": "Amazon", "ns": 0}]}}')]
    with pytest.raises(ServiceError, match="the answer lacks the page 'Nile'"):
        articles(wiki, ["Nile"])


def test_redirects_in_a_circle_are_no_article() -> None:
    steps = [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}]
    answer = parse_query(json.dumps({"query": {"redirects": steps}, "batchcomplete": True}).encode())
    assert answer.article("A").outcome == "missing"


def test_titles_of_other_wikis_are_missing() -> None:
    answer = parse_query(b'{"batchcomplete": "", "query": {"interwiki": [{"title": "fr:Nil", "iw": "fr"}]}}')
    assert answer.article("fr:Nil").outcome == "missing"


def test_random_titles_go_on_until_there_are_enough(wiki: WikiServer) -> None:
    wiki.wiki.pages = {f"P{n}": WikiPage(to="P0" if n == 3 else None) for n in range(1300)}
    with Asking(wiki, SERVICE) as http:
        client = WikipediaClient(http)
        found = list(client.random_titles(1200))
        assert (len(found), len(set(found))) == (1200, 1200)
        assert "P3" not in found
        assert [query["rnlimit"] for query in wiki.wiki.asked] == ["500"] * 3
        assert len(list(client.random_titles(5000))) == 1299
        assert list(islice(client.random_titles(7), 2)) == ["P0", "P1"]


@pytest.mark.parametrize("version", [1, 2])
def test_entities_have_titles_and_statements(wiki: WikiServer, version: int) -> None:
    known = {"Q3392": WikiEntity("Nile", 30), "Q5": WikiEntity(None, 0), "Q9": WikiEntity(to="Q3392")}
    wiki.wiki.entities = known | {f"Q{n}": WikiEntity(f"P{n}", 1) for n in range(100, 160)}
    with Asking(wiki, SERVICE) as http:
        client = WikipediaClient(http, format_version=version)
        found = {one.asked: one for one in client.entities(["Q3392", "Q5", "Q9", "Q404"])}
        assert found == {
            "Q3392": Entity("Q3392", "Q3392", "Nile", 30),
            "Q5": Entity("Q5", "Q5", None, 0),
            "Q9": Entity("Q9", "Q3392", "Nile", 30),
            "Q404": Entity("Q404", None, None, 0),
        }
        assert client.titles_of(["Q5", "Q9"]) == {"Q9": "Nile"}
        assert len(client.titles_of(wiki.wiki.entities)) == 62
    assert max(len(query["ids"].split("|")) for query in wiki.wiki.asked) == 50


def test_what_is_no_q_id_is_not_asked(wiki: WikiServer) -> None:
    with Asking(wiki, SERVICE) as http, pytest.raises(ServiceError, match="'icao:LFPG' is no Q-id; write one such as"):
        list(WikipediaClient(http).entities(["Q1", "icao:LFPG"]))
    assert wiki.wiki.asked == []


def test_an_entity_that_the_answer_lacks_is_told() -> None:
    with pytest.raises(BodyError, match="the answer lacks Q2, which was asked for"):
        parse_entities(b'{"entities": {"Q1": {"id": "Q1"}}, "success": 1}', ["Q1", "Q2"])


def test_only_exact_names_count(wiki: WikiServer) -> None:
    wiki.wiki.entities = {
        "Q1": WikiEntity(label="Quellmar"),
        "Q2": WikiEntity(label="Quellmar River"),
        "Q3": WikiEntity(label="Lake", aliases=("QUELLMAR",)),
        **{f"Q{n}": WikiEntity(label=f"Quellmar {n}") for n in range(10, 130)},
        "Q900": WikiEntity(label="quellmar"),
    }
    with Asking(wiki, SERVICE) as http:
        client = WikipediaClient(http)
        assert client.exact_matches("Quellmar") == 3
        assert len(wiki.wiki.asked) == 3
        assert client.exact_matches("Vorrendale") == 0
    assert parse_search(b'{"search": [{"id": "Q1", "label": "A  b"}], "search-continue": 7}', "a b") == ({"Q1"}, 7)


def test_views_are_those_of_the_year(wiki: WikiServer) -> None:
    wiki.wiki.views = {"AC/DC": {"202412": 1, "202501": 10, "202512": 20, "202601": 400}}
    with Asking(wiki, SERVICE) as http:
        client = WikipediaClient(http)
        assert client.views("AC/DC", 2025) == 30
        assert client.views("Nobody reads this", 2025) == 0
    assert wiki.wiki.asked[0]["path"].endswith("/all-access/user/AC%2FDC/monthly/2025010100/2026010100")


def test_a_404_that_is_no_word_of_the_service_is_an_error(wiki: WikiServer) -> None:
    wiki.wiki.first = [(404, b"<html><title>Moved</title></html>")]
    with Asking(wiki, SERVICE) as http, pytest.raises(ServiceError, match="HTTP 404 Not Found, saying 'Moved'"):
        WikipediaClient(http).views("Nile", 2025)


def test_views_of_another_page_are_refused() -> None:
    body = b'{"items": [{"article": "Amazon", "timestamp": "2025010100", "views": 3}]}'
    with pytest.raises(BodyError, match="the answer was about 'Amazon', which nobody asked for"):
        parse_views(body, "Nile", 2025)


def test_requests_name_a_contact_and_go_by_the_published_rate() -> None:
    assert SERVICE.hosts == {"en.wikipedia.org", "www.wikidata.org", "wikimedia.org"}
    assert [(rate.count, rate.seconds) for rate in SERVICE.rates] == [(200, 60)]


KEYS = st.sampled_from(["query", "pages", "title", "error", "code", "continue", "missing", "batchcomplete", "1"])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
)


@given(ANY_JSON)
def test_any_json_is_an_answer_or_a_body_error(value: Any) -> None:
    said = "the answer"
    try:
        assert isinstance(parse_query(json.dumps(value).encode()).pages, dict)
    except BodyError as error:
        said = error.cause
    assert said.startswith("the answer")


FAULTS_PATH = (
    "/w/api.php?format=json&formatversion=2&maxlag=5&action=query&redirects=1&inprop=url"
    "&ppprop=disambiguation%7Cwikibase_item&prop=info%7Cpageprops%7Cextracts&explaintext=1&exsectionformat=wiki"
    "&exlimit=1&titles=Nile"
)
FAULTS_BODY = json.dumps(
    {"batchcomplete": True, "query": {"pages": [{"pageid": 7, "ns": 0, "title": "Nile", "extract": NILE.text}]}}
).encode()


def kept(http: Any, to: Path) -> LandingReport:
    """Keep an article as rows are landed, for the tests of what every source rides out."""
    rows = [{"title": one.title, "text": one.text} for one in WikipediaClient(http).articles(["Nile"])]
    folder = to / "wikipedia" / "articles" / "test"
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "nile.parquet")
    return LandingReport("test")


def test_an_answer_is_kept_for_a_day(wiki: WikiServer, tmp_path: Path) -> None:
    for _ in range(2):
        with Asking(wiki, SERVICE, cache=cache_in(tmp_path)) as http:
            assert next(WikipediaClient(http).articles(["Nile"])).text == NILE.text
    assert len(wiki.wiki.asked) == 1
