"""Live pages over real connections: which hosts and addresses are asked, and what is read of a page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from dagster_defs.steps.agent.actions import Read
from dagster_defs.steps.agent.addresses import is_public
from dagster_defs.steps.agent.documents import Index
from dagster_defs.steps.agent.pages import PageError, PageReader
from dagster_defs.steps.agent.tools import Toolbox
from tests.agent.world import DOCUMENTS

PAGE = (
    "<!doctype html><html><head><title>Cobalt &amp; co</title><style>p {}</style></head><body><nav>Menu</nav>"
    "<h1>Cobalt</h1><p>A <b>metal</b>.<br>Hard.</p><script>alert(1)</script>"
    "<table><tr><th>Mass</th><td>58.9&nbsp;g</td></tr></table><footer>Imprint</footer></body></html>"
)


class _Handler(BaseHTTPRequestHandler):
    """Pages by path; what was asked is kept on the server."""

    def do_GET(self) -> None:
        server: Any = self.server
        server.asked.append((self.headers["Host"], self.path, dict(self.headers)))
        status, headers, body = server.pages.get(self.path, (404, {}, "no"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def web() -> Iterator[Any]:
    """A server on loopback."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.asked, server.pages = [], {"/page": (200, {"Set-Cookie": "a=b"}, PAGE)}
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Names:
    """Resolves names as a test says, and keeps what was asked; a list of answers is given one after the other."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = names
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answers = self.names[host.split(".")[0]]
        return answers.pop(0) if len(answers) > 1 else answers[0]


def reader(web: Any, names: Names, *hosts: str) -> PageReader:
    """One that may ask the loopback server as if it were public."""
    port = web.server_address[1]
    return PageReader(hosts or ("wiki.example",), "tests@example.org", resolve=names, exempt=[("127.0.0.1", port)])


def url(web: Any, path: str = "/page", host: str = "wiki.example") -> str:
    """An address at the loopback server, under a name of its own."""
    return f"http://{host}:{web.server_address[1]}{path}"


def test_a_page_is_read_as_text(web: Any) -> None:
    page = reader(web, Names(wiki=[["127.0.0.1"]])).read(url(web))
    assert page.title == "Cobalt & co"
    assert page.text == "Cobalt\nA metal.\nHard.\n| Mass | 58.9 g"
    host, _, headers = web.asked[0]
    assert host.startswith("wiki.example:")
    assert headers["User-Agent"] == "assay/0.1 (tests@example.org)"
    assert "Cookie" not in headers


def test_plain_text_and_json_are_read_as_they_are(web: Any) -> None:
    web.pages["/t"] = (200, {}, '{"mass": "<58.9"}')
    assert reader(web, Names(wiki=[["127.0.0.1"]])).read(url(web, "/t")).text == '{"mass": "<58.9"}'


def test_cookies_are_not_sent_back(web: Any) -> None:
    asking = reader(web, Names(wiki=[["127.0.0.1"]]))
    for _ in range(2):
        asking.read(url(web))
    assert all("Cookie" not in headers for _, _, headers in web.asked)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://wiki.example/page", "over https, at the usual port"),
        ("https://wiki.example:8443/page", "over https, at the usual port"),
        ("ftp://wiki.example/page", "over https, at the usual port"),
        ("file:///etc/passwd", "over https, at the usual port"),
        ("https://user:word@wiki.example/", "over https, at the usual port"),
        ("https://other.example/page", "other.example is not on the list of hosts (wiki.example)"),
        ("https://wiki.example.evil.example/", "is not on the list of hosts"),
        ("https://127.0.0.1/", "is not on the list of hosts"),
        ("https://[::1/", "is no address"),
    ],
)
def test_what_may_not_be_asked_is_not(web: Any, address: str, said: str) -> None:
    names = Names()
    with pytest.raises(PageError) as caught:
        reader(web, names).read(address)
    assert said in str(caught.value)
    assert (names.asked, web.asked) == ([], [])


def test_hosts_below_a_name_are_asked_where_it_begins_with_a_dot(web: Any) -> None:
    asking = reader(web, Names(en=[["127.0.0.1"]]), ".wiki.example")
    assert asking.read(url(web, host="en.wiki.example")).title
    with pytest.raises(PageError, match="not on the list"):
        asking.read(url(web, host="enwiki.example"))


@pytest.mark.parametrize(
    "address", ["127.0.0.2", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:10.0.0.1"]
)
def test_a_name_of_a_private_address_is_refused_before_anything_is_sent(web: Any, address: str) -> None:
    with pytest.raises(PageError, match=f"wiki.example is at {address}, which is no public address"):
        reader(web, Names(wiki=[[address]])).read(url(web))
    assert web.asked == []


def test_one_private_address_among_several_is_enough(web: Any) -> None:
    with pytest.raises(PageError, match="no public address"):
        reader(web, Names(wiki=[["127.0.0.1", "10.0.0.1"]])).read(url(web))
    assert web.asked == []


def test_the_address_that_was_looked_at_is_the_one_connected_to(web: Any) -> None:
    """A name that turns private after the first look: each connection looks once, and goes where it looked."""
    names = Names(wiki=[["127.0.0.1"], ["10.0.0.1"]])
    asking = reader(web, names)
    assert asking.read(url(web)).title
    assert names.asked == ["wiki.example"]
    asking._session().close()
    with pytest.raises(PageError, match=r"10\.0\.0\.1, which is no public address"):
        asking.read(url(web))
    assert len(web.asked) == 1


def test_redirects_are_followed_within_the_list_and_checked_again(web: Any) -> None:
    web.pages["/old"] = (301, {"Location": "/page"}, "")
    web.pages["/out"] = (302, {"Location": "https://other.example/"}, "")
    web.pages["/in"] = (302, {"Location": url(web, "/page", "inner.example")}, "")
    web.pages["/round"] = (302, {"Location": "/round"}, "")
    asking = reader(web, Names(wiki=[["127.0.0.1"]], inner=[["192.168.1.1"]]), "wiki.example", "inner.example")
    assert asking.read(url(web, "/old")).url == url(web)
    with pytest.raises(PageError, match=r"other\.example is not on the list of hosts"):
        asking.read(url(web, "/out"))
    with pytest.raises(PageError, match=r"inner\.example is at 192\.168\.1\.1"):
        asking.read(url(web, "/in"))
    with pytest.raises(PageError, match="redirects more than 5 times"):
        asking.read(url(web, "/round"))


def test_a_page_that_is_missing_or_too_long_is_said(web: Any) -> None:
    web.pages["/long"] = (200, {}, "x" * 5000)
    names, port = Names(wiki=[["127.0.0.1"]]), web.server_address[1]
    asking = PageReader(["wiki.example"], "t@example.org", max_bytes=4000, resolve=names, exempt=[("127.0.0.1", port)])
    with pytest.raises(PageError, match="HTTP 404 Not Found"):
        asking.read(url(web, "/none"))
    with pytest.raises(PageError, match="longer than 4000 bytes"):
        asking.read(url(web, "/long"))


def test_a_host_without_an_address_or_a_server_is_said() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(PageError, match="cannot be read"):
        PageReader(["wiki.example"], "t@example.org", resolve=unknown).read("https://wiki.example/")
    with pytest.raises(PageError, match="cannot be read"):
        PageReader(["wiki.example"], "t@example.org", resolve=Names(wiki=[[]])).read("https://wiki.example/")


def test_the_tool_reads_landed_documents_first_and_live_pages_once(web: Any) -> None:
    toolbox = Toolbox(Index(DOCUMENTS), reader(web, Names(wiki=[["127.0.0.1"]])))
    assert "58.933" in toolbox.run(Read(tool="read", document="https://example.org/cobalt", window=1)).text
    for _ in range(2):
        seen = toolbox.run(Read(tool="read", document=url(web), window=1))
        assert seen.text.startswith("Cobalt & co (window 1 of 1)\n\nCobalt\nA metal.")
    assert len(web.asked) == 1
    refused = toolbox.run(Read(tool="read", document="https://169.254.169.254/latest", window=1))
    assert refused.failed
    assert "is not on the list of hosts" in refused.text


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("0.0.0.0", False),
        ("100.64.0.1", False),
        ("172.16.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("fd00::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("2002:7f00:1::", False),
        ("::ffff:8.8.8.8", True),
        ("not an address", False),
    ],
)
def test_public_addresses_are_told_from_others(address: str, expected: bool) -> None:
    assert is_public(address) is expected
