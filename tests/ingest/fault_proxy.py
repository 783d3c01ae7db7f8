"""A real SPARQL server on loopback, and a proxy before it that misbehaves on request."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

STACK_TRACE = (
    "SPARQL-QUERY: queryStr=SELECT ...\njava.util.concurrent.TimeoutException\n"
    "\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"
    "\tat com.bigdata.rdf.sail.webapp.BigdataServlet.submitApiTask(BigdataServlet.java:292)\n"
)
TOO_MANY = (
    "<html>\n<head>\n<title>Error 429 Too Many Requests - Please retry in 7 seconds.</title>\n</head>\n"
    "<body><h2>HTTP ERROR 429</h2>\n</body>\n</html>\n"
)
RESULTS = "application/sparql-results+json"
_READY_SECONDS = 60.0

Fault = Callable[["Handler"], None]


@contextlib.contextmanager
def oxigraph(documents: Iterable[bytes], folder: Path) -> Iterator[str]:
    """`oxigraph serve`, in memory, over Turtle documents; gives the address of its query service."""
    binary = shutil.which("oxigraph", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert binary is not None, "the oxigraph package of the dev requirements brings this program"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        bind = f"127.0.0.1:{probe.getsockname()[1]}"
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen([binary, "serve", "--bind", bind], stdout=log, stderr=log)
        try:
            _wait_for(f"http://{bind}/", server)
            for document in documents:
                headers = {"Content-Type": "text/turtle"}
                load = urllib.request.Request(f"http://{bind}/store?default", document, headers, method="POST")
                urllib.request.urlopen(load, timeout=_READY_SECONDS).close()
            yield f"http://{bind}/query"
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                # It waits for whoever is still connected.
                server.kill()
                server.wait()


def _wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + _READY_SECONDS
    while time.monotonic() < give_up and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=1).close()
        except urllib.error.HTTPError as error:
            error.close()
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("oxigraph did not start")


class FaultProxy:
    """Passes queries on to ``upstream``, unless a fault is due; use as a context manager.

    ``faults`` are taken one a request from the front; once they are used up, ``always`` (if set) is done to each
    request, or it is passed on. ``after`` requests are passed on before any fault. ``requests`` counts them all.
    """

    def __init__(self, upstream: str, handler: type[BaseHTTPRequestHandler] | None = None) -> None:
        self.upstream = upstream
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.after = 0
        self.requests = 0
        self.user_agents: set[str] = set()
        self.authorizations: set[str | None] = set()
        self.stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler or Handler)
        self._server.proxy = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def host(self) -> str:
        """Host and port that the proxy listens on."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def url(self, userinfo: str = "") -> str:
        """The address to send queries to."""
        return f"http://{userinfo}{self.host}/query"

    def reset(self) -> None:
        """No faults, nothing counted."""
        self.faults, self.always, self.after, self.requests = [], None, 0, 0
        self.user_agents, self.authorizations = set(), set()

    def due(self) -> Fault | None:
        """The fault for the request that just came in."""
        self.requests += 1
        if self.requests <= self.after:
            return None
        return self.faults.pop(0) if self.faults else self.always

    def __enter__(self) -> "FaultProxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def proxy(self) -> FaultProxy:
        proxy: FaultProxy = self.server.proxy  # type: ignore[attr-defined]
        return proxy

    def do_POST(self) -> None:
        self.query = self.rfile.read(int(self.headers["Content-Length"]))
        self.close_connection = True
        self.proxy.user_agents.add(self.headers["User-Agent"])
        self.proxy.authorizations.add(self.headers["Authorization"])
        fault = self.proxy.due()
        if fault is None:
            self.reply(200, self.answer())
        else:
            with contextlib.suppress(ConnectionError):
                fault(self)

    def answer(self) -> bytes:
        """What the server behind the proxy says."""
        headers = {name: self.headers[name] for name in ("Content-Type", "Accept")}
        request = urllib.request.Request(self.proxy.upstream, self.query, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            body: bytes = response.read()
        return body

    def reply(self, status: int, body: bytes, *, kind: str = RESULTS, **headers: str) -> None:
        """One whole answer; underscores in header names stand for dashes."""
        self.head(status, len(body), kind=kind, **headers)
        self.wfile.write(body)

    def head(self, status: int, length: int | None, *, kind: str = RESULTS, **headers: str) -> None:
        """Status line and headers; without a length the body ends with the connection."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the tests' output clean."""


def status(code: int, body: str = "", kind: str = "text/plain", **headers: str) -> Fault:
    """An answer with an error status."""
    return lambda handler: handler.reply(code, body.encode(), kind=kind, **headers)


def too_many_as_html(handler: Handler) -> None:
    """What Wikidata's query service says in front of Blazegraph's limits."""
    handler.reply(429, TOO_MANY.encode(), kind="text/html;charset=utf-8")


def timed_out(handler: Handler) -> None:
    """Half an answer under status 200, then the stack trace of the query that ran too long."""
    body = handler.answer()
    handler.reply(200, body[: len(body) // 2] + STACK_TRACE.encode())


def cut(handler: Handler) -> None:
    """The connection ends in the middle of an answer of stated length."""
    body = handler.answer()
    handler.head(200, len(body))
    handler.wfile.write(body[: len(body) // 2])


def cut_without_length(handler: Handler) -> None:
    """The connection ends in the middle of an answer whose length nobody stated."""
    body = handler.answer()
    handler.head(200, None)
    handler.wfile.write(body[: len(body) // 2])


def cut_in_a_chunk(handler: Handler) -> None:
    """The connection ends in the middle of a chunk."""
    body = handler.answer()
    handler.head(200, None, Transfer_Encoding="chunked")
    handler.wfile.write(f"{len(body):x}\r\n".encode() + body[: len(body) // 2])


def empty(handler: Handler) -> None:
    """Status 200 and nothing else."""
    handler.reply(200, b"")


def hung_up(handler: Handler) -> None:
    """The connection is closed without a word."""


def silent(handler: Handler) -> None:
    """No word, and the connection stays open."""
    handler.proxy.stopped.wait(30)


def trickle(handler: Handler) -> None:
    """An answer that comes byte by byte, each in time, all of it far too late."""
    body = handler.answer()
    handler.head(200, len(body))
    for number in range(len(body)):
        handler.wfile.write(body[number : number + 1])
        handler.wfile.flush()
        if handler.proxy.stopped.wait(0.05):
            return


def web_page(handler: Handler) -> None:
    """A page for people, under status 200."""
    handler.reply(
        200, b"<!DOCTYPE html><html><head><title>Down for maintenance</title></head></html>", kind="text/html"
    )


def as_xml(handler: Handler) -> None:
    """Results, but in XML."""
    body = b'<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><results/></sparql>'
    handler.reply(200, body, kind="application/sparql-results+xml")


def ask_answer(handler: Handler) -> None:
    """SPARQL results JSON, but of another kind of query."""
    handler.reply(200, b'{"head":{},"boolean":true}')
