"""Brave's search over HTTP: what is asked, what is read, and that neither key nor results are left anywhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_server import cache_in
from pydantic import SecretStr

from ingest.errors import ServiceError
from ingest.http.body import BodyError
from ingest.http.rates import RateLimiter
from ingest.http.service import Patience
from ingest.web.brave import SERVICE, BraveSearch, parse_results
from ingest.web.provider import SearchProvider, WebResult
from tests.brave import TOKEN, BraveServer, error, hit


@pytest.fixture
def server() -> Iterator[BraveServer]:
    """A server without results."""
    with BraveServer() as serving:
        yield serving


def brave(server: BraveServer, key: str = TOKEN, **options: Any) -> BraveSearch:
    given = {"limiter": RateLimiter(()), "loopback": server.home, "sleep": lambda _: None, **options}
    return BraveSearch(SecretStr(key), "tests@example.org", patience=Patience(attempts=2), **given)


def test_results_are_ranked_plain_and_each_once(server: BraveServer) -> None:
    server.results["Nile"] = [
        hit("https://a.example/1", "The <strong>Nile</strong>", "A river &amp; more.", "It is long.", "It is long."),
        hit("https://b.example/2", "Nile", "", "Only  a\nsnippet."),
        hit("https://a.example/1", "Again", "Twice."),
        hit("https://c.example/3", "Nothing said"),
    ]
    with brave(server) as provider:
        found = provider.search("Nile", 20)
    assert found == [
        WebResult(1, "The Nile", "https://a.example/1", ("A river & more.", "It is long.")),
        WebResult(2, "Nile", "https://b.example/2", ("Only a snippet.",)),
        WebResult(3, "Nothing said", "https://c.example/3", ()),
    ]
    asked = server.asked[0]
    assert (asked["q"], asked["count"], asked["result_filter"], asked["extra_snippets"]) == (
        "Nile",
        "20",
        "web",
        "true",
    )
    assert server.headers[0]["X-Subscription-Token"] == TOKEN
    assert "tests@example.org" in server.headers[0]["User-Agent"]


def test_nothing_found_is_no_error(server: BraveServer) -> None:
    with brave(server) as provider:
        assert provider.search("Vorrendale", 20) == []


def test_it_is_a_provider(server: BraveServer) -> None:
    provider: SearchProvider = brave(server)
    assert provider.name == "brave"


@pytest.mark.parametrize("count", [1, 20, 50])
def test_no_more_is_asked_for_than_the_service_gives(count: int, server: BraveServer) -> None:
    server.results["Nile"] = [hit(f"https://a.example/{n}", description="x") for n in range(60)]
    with brave(server) as provider:
        assert len(provider.search("Nile", count)) == min(count, 20)
    assert server.asked[0]["count"] == str(min(count, 20))


def test_a_long_query_loses_its_last_words(server: BraveServer) -> None:
    with brave(server) as provider:
        provider.search(" ".join(f"word{n}" for n in range(80)), 1)
        provider.search(" ".join("ü" * 60 for _ in range(10)), 1)
    assert [len(query["q"].split()) for query in server.asked] == [50, 6]
    assert all(len(query["q"]) <= 400 for query in server.asked)


def test_a_wrong_key_is_told_without_it(server: BraveServer, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = "BSA-wrong-key/+0123"
    with brave(server, wrong) as provider, pytest.raises(ServiceError) as raised:
        provider.search("Nile", 20)
    told = str(raised.value)
    assert "HTTP 422" in told
    assert "saying 'The provided subscription token is invalid.'" in told
    assert wrong not in told + repr(provider) + repr(vars(provider)) + provider.url("Nile", 20)
    assert wrong not in "".join(capfd.readouterr())


def test_a_key_that_the_service_repeats_is_hidden(server: BraveServer) -> None:
    server.first = [(403, error(403, "FORBIDDEN", f"Token {TOKEN} may not.")), (200, error(400, "BAD", TOKEN))]
    with brave(server) as provider:
        for _ in range(2):
            with pytest.raises(ServiceError) as raised:
                provider.search("Nile", 20)
            assert TOKEN not in str(raised.value)
            assert "***" in str(raised.value)


def test_a_key_that_no_header_can_hold_is_not_shown(server: BraveServer) -> None:
    with brave(server, "two\nlines") as provider, pytest.raises(ServiceError) as raised:
        provider.search("Nile", 20)
    assert "check the service, the proxy and the API key" in str(raised.value)
    assert "lines" not in str(raised.value)
    assert server.asked == []


def test_without_a_key_nothing_is_asked(server: BraveServer) -> None:
    with pytest.raises(ServiceError, match="needs a key: set BRAVE_API_KEY, or go without web results"):
        brave(server, "  ")


def test_no_answer_is_kept(server: BraveServer, tmp_path: Path) -> None:
    server.results["Nile"] = [hit("https://a.example/1", description="A river.")]
    assert SERVICE.keep_seconds == 0
    for _ in range(2):
        with brave(server, cache=cache_in(tmp_path)) as provider:
            assert len(provider.search("Nile", 20)) == 1
    assert len(server.asked) == 2
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_too_many_requests_are_waited_for(server: BraveServer) -> None:
    limited = error(429, "RATE_LIMITED", "Request rate limit exceeded for plan.")
    server.first = [(429, limited)]
    with brave(server) as provider:
        assert provider.search("Nile", 20) == []
        server.first = [(429, limited)] * 2
        with pytest.raises(ServiceError, match=r"after 2 attempts: HTTP 429 .* 'Request rate limit exceeded for plan"):
            provider.search("Nile", 20)


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'{"type": "suggest", "results": []}', b'{"type": "search", "web": {"results": [{}]}}']
)
def test_other_json_is_refused(body: bytes) -> None:
    with pytest.raises(BodyError) as raised:
        parse_results(body)
    assert not raised.value.again
