"""The HTTP route against a real SPARQL server, through a proxy that does what query services do on bad days."""

import datetime
import email.utils
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fault_proxy
import pyarrow.parquet as pq
import pytest
from fault_proxy import Fault, FaultProxy, oxigraph, status
from towns import CITIES, SNAPSHOT, TOWNS, endpoint, files, landed

from ingest.errors import EndpointError
from ingest.topics import load_topic_sources
from ingest.wikidata import queries
from ingest.wikidata.endpoint import EmbeddedEndpoint, Endpoint, HttpEndpoint, HttpSettings
from ingest.wikidata.land import land, sample_snapshot
from ingest.wikidata.sample import sample_files

PROJECT = Path(__file__).resolve().parent.parent.parent
HOW_ASKED = ("fetched_at",)
ATTEMPTS = 4
NOW = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.UTC)

FAULTS: dict[str, tuple[Fault, str]] = {
    "429": (status(429), "HTTP 429 Too Many Requests"),
    "429 with Retry-After": (status(429, Retry_After="3"), "HTTP 429 Too Many Requests"),
    "429 as HTML": (fault_proxy.too_many_as_html, "HTTP 429 Too Many Requests"),
    "429 with a reason": (
        status(429, "Scripted requests from your IP have been blocked"),
        "HTTP 429 Too Many Requests, saying 'Scripted requests from your IP have been blocked'",
    ),
    "500": (status(500, "boom"), "HTTP 500 Internal Server Error"),
    "500 by time-out": (
        status(500, fault_proxy.STACK_TRACE),
        "HTTP 500 Internal Server Error, the query ran into the endpoint's time limit",
    ),
    "502": (status(502, "<html>bad gateway</html>"), "HTTP 502 Bad Gateway"),
    "503": (status(503), "HTTP 503 Service Unavailable"),
    "504": (status(504), "HTTP 504 Gateway Timeout"),
    "time-out under 200": (fault_proxy.timed_out, "the query ran into the endpoint's time limit"),
    "cut": (fault_proxy.cut, "the connection was cut after "),
    "cut without length": (fault_proxy.cut_without_length, "the answer broke off after "),
    "cut in a chunk": (fault_proxy.cut_in_a_chunk, "the connection was cut after "),
    "empty": (fault_proxy.empty, "the answer was empty"),
    "hung up": (fault_proxy.hung_up, "the connection was cut or refused"),
    "silent": (fault_proxy.silent, "there was no answer within 1 s"),
    "trickle": (fault_proxy.trickle, "the answer was not complete after 1 s"),
    "web page": (fault_proxy.web_page, "the answer was a web page or XML titled 'Down for maintenance'"),
    "XML": (fault_proxy.as_xml, "the answer was a web page or XML, not SPARQL results JSON"),
    "ASK": (fault_proxy.ask_answer, "the answer was JSON, but not the results that were asked for"),
}
REFUSALS: dict[str, tuple[Fault, str]] = {
    "400": (status(400, "org.openrdf.query.MalformedQueryException: ..."), "could not parse the query; mend the query"),
    "401": (status(401), "HTTP 401 Unauthorized; check the user name and password"),
    "403": (status(403, "See the User-Agent policy"), "saying 'See the User-Agent policy'; name yourself"),
    "404": (status(404), "HTTP 404 Not Found; check the endpoint's address"),
    "413": (status(413), "; ask for fewer entities at a time"),
    "414": (status(414), "; ask for fewer entities at a time"),
    "308": (status(308), "HTTP 308 Permanent Redirect; check the endpoint"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with oxigraph([TOWNS.read_bytes()], tmp_path_factory.mktemp("oxigraph")) as address:
        yield address


@pytest.fixture(scope="module")
def shared_proxy(server: str) -> Iterator[FaultProxy]:
    with FaultProxy(server) as running:
        yield running


@pytest.fixture
def proxy(shared_proxy: FaultProxy) -> FaultProxy:
    shared_proxy.reset()
    return shared_proxy


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    landing = tmp_path_factory.mktemp("embedded")
    land([CITIES], endpoint(), landing, SNAPSHOT)
    return _rows(landing)


class Asking:
    """An HttpEndpoint whose pauses are noted and not slept."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.pauses: list[float] = []
        given = {"timeout": 20.0, "attempts": ATTEMPTS, **settings}
        self.endpoint: Endpoint = HttpEndpoint(
            HttpSettings(url=url, user_agent="assay-tests/1", **given),
            sleep=self.pauses.append,
            now=lambda: NOW,
            jitter=lambda: 0.0,
        )


def _rows(landing: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: landed(landing, name, without=HOW_ASKED) for name in ("instances", "statements", "entities")}


def _patience(name: str) -> float:
    """Seconds for one attempt: short where the fault is that nothing comes."""
    return 1.0 if name in ("silent", "trickle") else 20.0


def test_both_routes_land_identical_rows(
    proxy: FaultProxy, embedded: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    asking = Asking(proxy.url())
    land([CITIES], asking.endpoint, tmp_path, SNAPSHOT)
    assert _rows(tmp_path) == embedded
    assert asking.pauses == []
    assert proxy.user_agents == {"assay-tests/1"}


@pytest.mark.parametrize("name", FAULTS)
def test_a_passing_fault_is_ridden_out(
    name: str, proxy: FaultProxy, embedded: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    proxy.faults = [FAULTS[name][0]]
    proxy.after = 2
    asking = Asking(proxy.url(), timeout=_patience(name))
    land([CITIES], asking.endpoint, tmp_path, SNAPSHOT)
    assert _rows(tmp_path) == embedded
    waited = {"429 with Retry-After": 3.0, "429 as HTML": 7.0}.get(name, 0.5)
    assert asking.pauses == [waited]


@pytest.mark.parametrize("name", FAULTS)
def test_a_lasting_fault_ends_in_one_clear_sentence(name: str, proxy: FaultProxy, tmp_path: Path) -> None:
    proxy.always, cause = FAULTS[name]
    asking = Asking(proxy.url(), timeout=_patience(name))
    with pytest.raises(EndpointError) as raised:
        land([CITIES], asking.endpoint, tmp_path, SNAPSHOT)
    query = queries.members("Q515", (), after="", limit=5000)
    told = str(raised.value)
    assert told.startswith(
        f"Endpoint http://{proxy.host}/query failed on query members of Q515 ({query.digest[:12]}) after 4 attempts: "
        f"{cause}"
    )
    assert told.endswith("; run again later, and the landing goes on where it stopped.")
    assert "\n" not in told
    assert proxy.requests == ATTEMPTS
    assert asking.pauses[-1] > asking.pauses[0] or name in ("429 with Retry-After", "429 as HTML")
    assert files(tmp_path) == {}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_not_tried_again(name: str, proxy: FaultProxy, tmp_path: Path) -> None:
    proxy.always, cause = REFUSALS[name]
    with pytest.raises(EndpointError) as raised:
        land([CITIES], Asking(proxy.url()).endpoint, tmp_path, SNAPSHOT)
    assert " after 1 attempt: " in str(raised.value)
    assert cause in str(raised.value)
    assert proxy.requests == 1
    assert files(tmp_path) == {}


def test_a_run_that_failed_halfway_goes_on_where_it_stopped(
    proxy: FaultProxy, embedded: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    proxy.after, proxy.always = 3, fault_proxy.timed_out
    with pytest.raises(EndpointError, match="time limit"):
        land([CITIES], Asking(proxy.url()).endpoint, tmp_path, SNAPSHOT)
    before = files(tmp_path)
    assert [name.split("/")[1] for name in before] == ["instances"], "three of a batch's four answers land nothing"
    for path in tmp_path.rglob("*.parquet"):
        pq.ParquetFile(path).read()
    proxy.reset()
    report = land([CITIES], Asking(proxy.url()).endpoint, tmp_path, SNAPSHOT)
    assert report.files_skipped == 1
    assert before.items() <= files(tmp_path).items()
    assert _rows(tmp_path) == embedded


def test_pauses_double_up_to_the_longest(proxy: FaultProxy) -> None:
    proxy.always = status(503)
    asking = Asking(proxy.url(), attempts=6, pause=1.0, longest_pause=5.0)
    with pytest.raises(EndpointError, match="after 6 attempts"):
        asking.endpoint.select(queries.targets(["Q90"]))
    assert asking.pauses == [0.5, 1.0, 2.0, 2.5, 2.5]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("12", 12.0),
        (email.utils.format_datetime(NOW + datetime.timedelta(seconds=40), usegmt=True), 40.0),
        (email.utils.format_datetime(NOW - datetime.timedelta(seconds=40), usegmt=True), 0.5),
        ("Mon, 30 Nov 2026 12:00:09 -0000", 9.0),
        ("soon", 0.5),
        ("0", 0.5),
    ],
)
@pytest.mark.parametrize("code", [429, 500, 503])
def test_retry_after_is_honoured(code: int, header: str, seconds: float, proxy: FaultProxy) -> None:
    proxy.faults = [status(code, Retry_After=header)]
    asking = Asking(proxy.url())
    asking.endpoint.select(queries.targets(["Q90"]))
    assert asking.pauses == [seconds]


def test_the_deadline_ends_waiting(proxy: FaultProxy) -> None:
    proxy.always = status(429, Retry_After="3600")
    asking = Asking(proxy.url(), deadline=60.0)
    with pytest.raises(EndpointError, match="and it asks to wait 3600 s, beyond the deadline of 60 s; run again later"):
        asking.endpoint.select(queries.targets(["Q90"]))
    assert (asking.pauses, proxy.requests) == ([], 1)


def test_secrets_are_sent_and_never_told(proxy: FaultProxy, tmp_path: Path) -> None:
    password = "s3cr&t/word"
    userinfo = f"gate:{urllib.parse.quote(password, safe='')}@"
    asking = Asking(f"{proxy.url(userinfo)}?key=t0ken")
    report = land([CITIES], asking.endpoint, tmp_path, SNAPSHOT)
    assert proxy.authorizations == {"Basic Z2F0ZTpzM2NyJnQvd29yZA=="}
    assert {row["endpoint"] for row in landed(tmp_path, "snapshots")} == {f"http://{proxy.host}/query"}
    proxy.always = status(403, f"gate:{password} may not enter")
    with pytest.raises(EndpointError) as raised:
        asking.endpoint.select(queries.targets(["Q90"]))
    for told in (str(raised.value), repr(raised.value), repr(asking.endpoint), report.summary()):
        assert not any(secret in told for secret in (password, "s3cr", "t0ken"))


def test_nobody_listens() -> None:
    with FaultProxy("http://127.0.0.1:9/") as gone:
        url = gone.url()
    with pytest.raises(EndpointError, match="after 4 attempts: the connection was cut or refused; run again later"):
        Asking(url).endpoint.select(queries.targets(["Q90"]))


def test_no_such_host() -> None:
    with pytest.raises(EndpointError, match=r"Endpoint http://nowhere\.invalid/sparql .* the connection failed \(.+\)"):
        Asking("http://user:pw@nowhere.invalid/sparql").endpoint.select(queries.targets(["Q90"]))


@pytest.mark.parametrize("url", ["", "sample", "ftp://example.org/", "http://", "http://[::1", "file:///etc/hosts"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(EndpointError, match="is no http"):
        HttpEndpoint(HttpSettings(url=url))


def test_a_malformed_query_is_told_by_the_real_server(server: str) -> None:
    bad = queries.Query("nonsense", "SELECT ?x WHERE {", queries.results.Member)
    with pytest.raises(EndpointError, match=r"failed on query nonsense .* after 1 attempt: HTTP 400 Bad Request"):
        Asking(server).endpoint.select(bad)
    with pytest.raises(EndpointError, match="Endpoint towns could not answer query nonsense"):
        endpoint().select(bad)


@pytest.mark.parametrize("form", ["ASK { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"])
def test_only_select_is_answered(form: str) -> None:
    with pytest.raises(EndpointError, match="it is no SELECT query"):
        endpoint().select(queries.Query("odd", form, queries.results.Member))


def test_the_whole_sample_lands_identically_over_http(tmp_path: Path) -> None:
    topics = load_topic_sources(PROJECT / "models")
    snapshot = sample_snapshot()
    land(topics, EmbeddedEndpoint.from_sample(), tmp_path / "embedded", snapshot)
    with oxigraph((content for _, content in sample_files()), tmp_path) as address:
        asking = Asking(address, timeout=120.0)
        report = land(topics, asking.endpoint, tmp_path / "http", snapshot)
    assert report.total("statements") > 50_000
    assert asking.pauses == []
    for dataset in ("instances", "statements", "entities"):
        left = sorted((tmp_path / "embedded").glob(f"wikidata/{dataset}/*/*.parquet"))
        right = sorted((tmp_path / "http").glob(f"wikidata/{dataset}/*/*.parquet"))
        assert [path.name for path in left] == [path.name for path in right]
        for one, other in zip(left, right, strict=True):
            tables = [pq.ParquetFile(path).read().drop_columns(["fetched_at"]) for path in (one, other)]
            assert tables[0].equals(tables[1]), one.name
