"""A real server on loopback that speaks OpenAI's protocols: chat completions, embeddings, models, files and batches.

It misbehaves on request. `python -m tests.llm.server [port]` serves in a process of its own, for benchmarks.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import struct
import sys
import threading
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from tests.llm.batches import Batches

# Whatever a fault does, the server gives up on it after this long, so that no test hangs.
_LONGEST_S = 30.0


@dataclass(frozen=True)
class Request:
    """What came in. body: decoded JSON, or None."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes
    body: Any


@dataclass(frozen=True)
class Response:
    """What goes out. cut: end the connection after so many bytes of the content. delay_s: before the first byte."""

    content: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: int | None = None


# A fault answers in the server's stead; None drops the connection.
Fault = Callable[[Request], Response | None]


def as_json(value: Any, status: int = 200, **headers: str) -> Response:
    """A JSON answer; underscores in header names stand for dashes."""
    return Response(
        msgspec.json.encode(value), status, {name.replace("_", "-"): held for name, held in headers.items()}
    )


def completion(text: Any, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """The body of a chat completion; ``more`` replaces parts of it, usage=None leaves out the usage."""
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": usage,
    } | more
    return {name: value for name, value in body.items() if value is not None}


def says(text: Any, finish: str | None = "stop", **more: Any) -> Fault:
    """An answer of one's own."""
    return lambda _: as_json(completion(text, finish, **more))


def fails(status: int, message: str = "no", *, code: Any = None, param: Any = None, **headers: str) -> Fault:
    """An error as OpenAI writes it."""
    error = {"message": message, "type": "error", "code": code, "param": param}
    return lambda _: as_json({"error": error}, status, **headers)


def drops(_: Request) -> Response | None:
    """The connection ends without an answer."""
    return None


def cuts(request: Request) -> Response | None:
    """The connection ends in the middle of the answer."""
    return Response(msgspec.json.encode(completion("half")), cut=40)


def hangs(_: Request) -> Response | None:
    """No answer for as long as any test waits."""
    return Response(b"{}", delay_s=_LONGEST_S)


def echo(body: Mapping[str, Any]) -> str:
    """The default answer: a digest of what was asked, as the JSON of a solver."""
    text = "\n".join(str(message["content"]) for message in body["messages"])
    return f'{{"answer": "{hashlib.sha256(text.encode()).hexdigest()[:12]}", "unit": null}}'


class Server:
    """Serves in a thread of its own; use as a context manager.

    faults: taken one a chat request from the front. always: done to every chat request once they are used up. answer:
    text for a chat request's body. latency_s: before each chat answer. requests: all that came in, in order.
    """

    def __init__(self, port: int = 0, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.answer: Callable[[Mapping[str, Any]], str] = echo
        self.latency_s = 0.0
        self.requests: list[Request] = []
        self.keep_requests = True
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections: set[_Connection] = set()
        self.batches = Batches(lambda body: completion(self.answer(body)))
        self._lock = threading.Lock()
        self._loop = loop or asyncio.new_event_loop()
        self._ready = threading.Event()
        self._port = port
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        """The address that models.yml would name."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def chats(self) -> list[Request]:
        """The chat requests that came in."""
        return [request for request in self.requests if request.path == "/v1/chat/completions"]

    def respond(self, request: Request) -> Response | None:
        """The answer to a request."""
        with self._lock:
            if self.keep_requests:
                self.requests.append(request)
            if request.path == "/v1/chat/completions":
                fault = self.faults.pop(0) if self.faults else self.always
                if fault is not None:
                    return fault(request)
        if request.path == "/v1/chat/completions":
            return Response(msgspec.json.encode(completion(self.answer(request.body))), delay_s=self.latency_s)
        if request.path == "/v1/embeddings":
            return as_json(embeddings(request.body))
        if request.path == "/v1/models":
            return as_json({"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "us"}]})
        with self._lock:
            found = self.batches.respond(request.method, request.path, request.headers, request.content, request.body)
        if found is None:
            return as_json({"error": {"message": f"no {request.path} here"}}, 404)
        status, value = found
        return Response(value) if isinstance(value, bytes) else as_json(value, status)

    def __enter__(self) -> Server:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def serve_forever(self) -> None:
        """Serve in this thread."""
        self._run()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        listening = self._loop.run_until_complete(
            self._loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port)
        )
        self._port = listening.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            listening.close()
            for connection in list(self.connections):
                connection.transport.abort()
            self._loop.run_until_complete(asyncio.sleep(0.01))
            self._loop.close()


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with Content-Length and chunked bodies, kept alive."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.buffer = bytearray()
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._next()

    def _next(self) -> None:
        if self.busy or (end := self.buffer.find(b"\r\n\r\n")) < 0:
            return
        first, *lines = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        read = _body(self.buffer, end + 4, headers)
        if read is None:
            return
        content, position = read
        del self.buffer[:position]
        method, path, _ = first.split(" ")
        body = None
        with contextlib.suppress(msgspec.DecodeError):
            body = msgspec.json.decode(content) if content else None
        self.busy = True
        self.server.in_flight += 1
        self.server.most_in_flight = max(self.server.most_in_flight, self.server.in_flight)
        response = self.server.respond(Request(method, path, headers, content, body))
        if response is not None and response.delay_s:
            asyncio.get_running_loop().call_later(response.delay_s, self._send, response)
        else:
            self._send(response)

    def _send(self, response: Response | None) -> None:
        self.busy = False
        self.server.in_flight -= 1
        if self.transport.is_closing():
            return
        if response is None:
            self.transport.abort()
            return
        names = {"Content-Type": "application/json", "Content-Length": str(len(response.content)), **response.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
        content = response.content if response.cut is None else response.content[: response.cut]
        self.transport.write(f"HTTP/1.1 {response.status} said\r\n{head}\r\n".encode("latin-1") + content)
        if response.cut is not None:
            self.transport.close()
            return
        self._next()


def _body(buffer: bytearray, start: int, headers: Mapping[str, str]) -> tuple[bytes, int] | None:
    """A request's content and where it ends, None while it is incomplete."""
    if headers.get("transfer-encoding") != "chunked":
        end = start + int(headers.get("content-length", "0"))
        return (bytes(buffer[start:end]), end) if len(buffer) >= end else None
    parts, position = [], start
    while (line := buffer.find(b"\r\n", position)) >= 0:
        size = int(buffer[position:line], 16)
        position = line + 2 + size + 2
        if len(buffer) < position:
            return None
        if size == 0:
            return b"".join(parts), position
        parts.append(bytes(buffer[line + 2 : line + 2 + size]))
    return None


def embeddings(body: Mapping[str, Any]) -> dict[str, Any]:
    """Vectors of 8 numbers that depend on the text alone."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = []
    for index, text in enumerate(texts):
        vector = [byte / 255 for byte in hashlib.sha256(str(text).encode()).digest()[:8]]
        packed: Any = vector
        if body.get("encoding_format") == "base64":
            packed = b64encode(struct.pack("<8f", *vector)).decode()
        data.append({"object": "embedding", "index": index, "embedding": packed})
    tokens = sum(len(str(text)) // 4 + 1 for text in texts)
    return {
        "object": "list",
        "model": body["model"],
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


if __name__ == "__main__":
    alone = Server(int(sys.argv[1]) if len(sys.argv) > 1 else 8099, _loop())
    alone.keep_requests = False
    print(alone.url, flush=True)
    alone.serve_forever()
