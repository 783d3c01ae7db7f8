"""A web service on loopback that answers GET requests from a script, and misbehaves on request.

The faults are those of ``fault_proxy``; what a service says when all is well is set in ``ApiServer.pages``.
"""

import contextlib
import datetime
import gzip
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fault_proxy
import pyarrow.parquet as pq
from fault_proxy import Fault, FaultProxy, status

from ingest.http.cache import ResponseCache
from ingest.http.client import HttpClient
from ingest.http.rates import RateLimiter
from ingest.http.service import Patience, Service
from ingest.landing import Snapshot

ATTEMPTS = 3
CONTACT = "tests@example.org"
NOW = datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.UTC)
SNAPSHOT = Snapshot("test-2026-11-30", datetime.date(2026, 11, 30))
JSON = "application/json"
_BOMB = gzip.compress(b" " * (64 << 20))


class ApiServer(FaultProxy):
    """``pages``: path with query -> body, all under 200; anything else is a 404 with ``not_found`` as its body."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__("", _Handler)
        if tls is not None:
            # A client that turns away ends its own handshake, not the server's loop.
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.pages: dict[str, bytes] = {}
        self.not_found = b'{"message": "not known here"}'
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.connections: set[Any] = set()

    @property
    def home(self) -> str:
        """The address to ask."""
        return f"http://{self.host}"

    def reset(self) -> None:
        """No pages, no faults, nothing counted."""
        super().reset()
        self.pages, self.paths, self.headers, self.connections = {}, [], [], set()


class _Handler(fault_proxy.Handler):
    @property
    def proxy(self) -> ApiServer:
        server: ApiServer = self.server.proxy  # type: ignore[attr-defined]
        return server

    def do_GET(self) -> None:
        self.proxy.paths.append(self.path)
        self.proxy.headers.append(dict(self.headers))
        self.proxy.connections.add(self.client_address)
        fault = self.proxy.due()
        if fault is not None:
            self.close_connection = True
            with contextlib.suppress(ConnectionError):
                fault(self)
        elif self.path in self.proxy.pages:
            self.kept_alive(200, self.answer())
        else:
            self.kept_alive(404, self.proxy.not_found)

    def answer(self) -> bytes:
        """The page asked for; a fault that comes first may need one where there is none."""
        return self.proxy.pages.get(self.path, b'{"some": ["longer", "answer", "than", "nothing"]}')

    def kept_alive(self, code: int, body: bytes) -> None:
        """A whole answer on a connection that stays open."""
        self.send_response(code)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def oversize(handler: fault_proxy.Handler) -> None:
    """An answer of a stated length that nobody should read."""
    handler.head(200, 1 << 40, kind=JSON)


def bomb(handler: fault_proxy.Handler) -> None:
    """64 MiB of blanks in 64 KiB, of unstated length."""
    handler.head(200, None, kind=JSON, Content_Encoding="gzip")
    handler.wfile.write(_BOMB)


def damaged_gzip(handler: fault_proxy.Handler) -> None:
    """A packed answer with a bad byte."""
    body = bytearray(gzip.compress(handler.answer() * 50))
    body[len(body) // 2] ^= 0xFF
    handler.reply(200, bytes(body), kind=JSON, Content_Encoding="gzip")


def redirect(location: str, code: int = 302) -> Fault:
    """An answer that leads elsewhere."""
    return status(code, Location=location)


# Faults that pass: each is tried again, and ends in the sentence's cause where it lasts.
FAULTS: dict[str, tuple[Fault, str]] = {
    "429": (status(429), "HTTP 429 Too Many Requests"),
    "429 with Retry-After": (status(429, Retry_After="3"), "HTTP 429 Too Many Requests"),
    "500": (status(500, "boom"), "HTTP 500 Internal Server Error, saying 'boom'"),
    "502 as HTML": (status(502, "<html><title>Bad gateway</title></html>"), "HTTP 502 Bad Gateway, saying 'Bad ga"),
    "503": (status(503), "HTTP 503 Service Unavailable"),
    "504": (status(504), "HTTP 504 Gateway Timeout"),
    "silent": (fault_proxy.silent, "there was no answer within 1 s"),
    "trickle": (fault_proxy.trickle, "the answer was not complete after 1 s"),
    "cut": (fault_proxy.cut, "the connection was cut after "),
    "cut in a chunk": (fault_proxy.cut_in_a_chunk, "the connection was cut"),
    "cut without length": (fault_proxy.cut_without_length, "the answer broke off or was damaged after "),
    "damaged gzip": (damaged_gzip, "the answer could not be unpacked"),
    "hung up": (fault_proxy.hung_up, "the connection was cut or refused"),
    "empty": (fault_proxy.empty, "the answer was empty"),
    "web page": (fault_proxy.web_page, "the answer was a web page or XML titled 'Down for maintenance', not JSON"),
}
# Faults that last: asked once.
REFUSALS: dict[str, tuple[Fault, str]] = {
    "400": (status(400, '{"message": "no such field"}'), "HTTP 400 Bad Request, saying 'no such field'; mend what"),
    "401": (status(401), "HTTP 401 Unauthorized; check the API key"),
    "404": (status(404, '{"messages": ["none here"]}'), "HTTP 404 Not Found, saying 'none here'; check the identifier"),
    "oversize": (oversize, "the answer was longer than "),
    "bomb": (bomb, "the answer was longer than "),
    "redirect to another host": (redirect("https://example.org/x"), "it redirects to https://example.org, which is"),
    "redirect to another scheme": (redirect("ftp://127.0.0.1/x"), "it redirects to ftp://127.0.0.1, which is not on"),
    "redirect to nowhere": (status(302), "HTTP 302 Found; check the service"),
    "JSON of another kind": (status(200, '"hello"', JSON), "the answer was JSON, but not what was asked for"),
}
_SLOW = frozenset({"silent", "trickle"})


class Asking:
    """An HttpClient for a service that a test's server stands in for; its pauses are noted and not slept."""

    def __init__(self, server: ApiServer, service: Service, fault: str = "", **options: Any) -> None:
        self.pauses: list[float] = []
        # Short only where the fault is that nothing comes.
        seconds = 1.0 if fault in _SLOW else 20.0
        given: dict[str, Any] = {
            "patience": Patience(timeout=seconds, attempts=ATTEMPTS),
            "limiter": RateLimiter(()),
            "loopback": server.home,
            "sleep": self.pauses.append,
            "now": lambda: NOW,
            "jitter": lambda: 0.0,
            **options,
        }
        self.http = HttpClient(service, CONTACT, **given)

    def __enter__(self) -> HttpClient:
        return self.http.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.http.__exit__(*error)


@contextlib.contextmanager
def running() -> Iterator[ApiServer]:
    """A server for the tests of a module."""
    with ApiServer() as server:
        yield server


def cache_in(folder: Path) -> ResponseCache:
    """A cache of a test's own."""
    return ResponseCache(folder / "cache")


def landed_rows(landing: Path, source: str, dataset: str) -> list[dict[str, Any]]:
    """Every landed row of a dataset, in the order of the files' names."""
    rows: list[dict[str, Any]] = []
    for path in sorted((landing / source / dataset).glob("*/*.parquet")):
        rows += pq.ParquetFile(path).read().to_pylist()
    return rows


def files(landing: Path) -> dict[str, int]:
    """Name and time of change of each landed file."""
    return {str(p.relative_to(landing)): p.stat().st_mtime_ns for p in sorted(landing.rglob("*.parquet"))}
