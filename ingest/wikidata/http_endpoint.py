"""SPARQL over HTTP, for query services that are often busy and sometimes answer half.

Every request is tried again after a pause that doubles, with jitter, until it succeeds, its attempts or its time are
used up, or the endpoint says that trying again is no use. Only an answer that is complete leaves this module.
"""

from __future__ import annotations

import datetime
import http.client
import math
import random
import re
import time
import urllib.error
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from SPARQLWrapper import JSON, POST, SPARQLExceptions, SPARQLWrapper

from ingest.errors import EndpointError
from ingest.http.retry_after import seconds_to_wait
from ingest.wikidata.queries import Query
from ingest.wikidata.results import NotResultsError, RowT, explain_body, parse_results

WIKIDATA_QUERY_SERVICE: Final = "https://query.wikidata.org/sparql"

_RETRIED_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_STATUS_OF: Final[dict[type[Exception], int]] = {
    SPARQLExceptions.QueryBadFormed: 400,
    SPARQLExceptions.Unauthorized: 401,
    SPARQLExceptions.EndPointNotFound: 404,
    SPARQLExceptions.URITooLong: 414,
    SPARQLExceptions.EndPointInternalError: 500,
}
_MEND: Final = {
    400: "mend the query",
    401: "check the user name and password in the endpoint's address",
    403: "name yourself in the user agent, as Wikimedia's policy asks, or ask the endpoint's owner for access",
    404: "check the endpoint's address",
    413: "ask for fewer entities at a time",
    414: "ask for fewer entities at a time",
}
_LATER: Final = "run again later, and the landing goes on where it stopped"
_ASKED_TO_WAIT: Final = re.compile(rb"retry in (\d+) seconds", re.IGNORECASE)
_CHUNK: Final = 1 << 16
_ERROR_BODY: Final = 1 << 16


@dataclass(frozen=True)
class HttpSettings:
    """How to talk to one endpoint. Times in seconds.

    ``url`` may hold ``user:password@`` for basic authentication. ``timeout`` is for one attempt from sending to the
    last byte; ``deadline`` for all attempts of one query with the pauses between them. Pause number n is
    ``pause * 2**n``, at most ``longest_pause``, times a random factor from 0.5 to 1; an endpoint's Retry-After
    lengthens it.
    """

    url: str = WIKIDATA_QUERY_SERVICE
    user_agent: str = "assay/0.1 (benchmark warehouse; SPARQLWrapper)"
    timeout: float = 75.0
    attempts: int = 6
    pause: float = 1.0
    longest_pause: float = 60.0
    deadline: float = 600.0


class _Failure(Exception):
    """One attempt failed. ``wait``: the pause the endpoint asks for; ``mend``: the end of the user's sentence."""

    def __init__(self, cause: str, *, again: bool = True, wait: float | None = None, mend: str = _LATER) -> None:
        super().__init__(cause)
        self.cause = cause
        self.again = again
        self.wait = wait
        self.mend = mend


class HttpEndpoint:
    """A SPARQL 1.1 query service, asked by POST for SPARQL results JSON.

    Args:
        settings: address, patience and manners.
        sleep, clock, now, jitter: replaced in tests; ``now`` is for Retry-After dates, ``jitter`` gives [0, 1).

    Raises:
        EndpointError: the address is no http(s) URL.
    """

    def __init__(
        self,
        settings: HttpSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC),
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self._sleep = sleep
        self._clock = clock
        self._now = now
        self._jitter = jitter
        try:
            parts = urllib.parse.urlsplit(settings.url)
            host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
        except ValueError:
            parts, host = urllib.parse.urlsplit(""), None
        if parts.scheme not in ("http", "https") or not host:
            raise EndpointError(
                f"The SPARQL endpoint's address is no http(s) URL; write one such as {WIKIDATA_QUERY_SERVICE}."
            )
        self._user = urllib.parse.unquote(parts.username or "")
        self._password = urllib.parse.unquote(parts.password or "")
        self._url = urllib.parse.urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
        # Keys may stand in the user info and in the query string, so neither is ever shown.
        self._name = urllib.parse.urlunsplit((parts.scheme, host, parts.path, "", ""))

    @property
    def name(self) -> str:
        """The address without anything secret."""
        return self._name

    @property
    def parallel(self) -> int:
        """One: public query services ask for no more, and back-off would not hold between several."""
        return 1

    def __repr__(self) -> str:
        return f"HttpEndpoint({self._name!r})"

    def select(self, query: Query[RowT]) -> list[RowT]:
        """All rows of the answer, complete.

        Raises:
            EndpointError: names endpoint, query, number of attempts, cause and remedy in one sentence.
        """
        started = self._clock()
        attempt = 0
        while True:
            attempt += 1
            left = self.settings.deadline - (self._clock() - started)
            try:
                return parse_results(self._body(query, min(self.settings.timeout, left)), query.row)
            except NotResultsError as error:
                failure = _Failure(str(error))
            except _Failure as error:
                failure = error
            pause = self._pause(attempt, failure)
            left = self.settings.deadline - (self._clock() - started)
            if not failure.again or attempt >= self.settings.attempts or pause >= left:
                raise EndpointError(self._sentence(query, failure, attempt, pause, left)) from None
            self._sleep(pause)

    def _pause(self, attempt: int, failure: _Failure) -> float:
        doubled = min(self.settings.pause * 2.0 ** (attempt - 1), self.settings.longest_pause)
        return max(doubled * (0.5 + 0.5 * self._jitter()), failure.wait or 0.0)

    def _sentence(self, query: Query[Any], failure: _Failure, attempt: int, pause: float, left: float) -> str:
        tries = "1 attempt" if attempt == 1 else f"{attempt} attempts"
        patience = ""
        if failure.again and attempt < self.settings.attempts and pause >= left:
            asked = "it asks to wait" if failure.wait else "the next pause would be"
            patience = f", and {asked} {pause:.0f} s, beyond the deadline of {self.settings.deadline:.0f} s"
        told = f"{failure.cause}{patience}; {failure.mend}"
        return f"Endpoint {self._name} failed on query {query} after {tries}: {told}."

    def _body(self, query: Query[Any], timeout: float) -> bytes:
        """The body of one attempt under status 200. Raises _Failure."""
        give_up = self._clock() + timeout
        try:
            response = self._wrapper(query, timeout).query().response
            with response:
                return self._read(response, give_up, timeout)
        except SPARQLExceptions.SPARQLWrapperException as error:
            raise self._refused(_STATUS_OF.get(type(error), 500), _http_error(error), str(error).encode()) from error
        except urllib.error.HTTPError as error:
            with error:
                body = _error_body(error)
            raise self._refused(error.code, error, body) from error
        except urllib.error.URLError as error:
            raise _broken(error.reason, timeout) from error
        except (OSError, http.client.HTTPException) as error:
            raise _broken(error, timeout) from error

    def _wrapper(self, query: Query[Any], timeout: float) -> SPARQLWrapper:
        wrapper = SPARQLWrapper(self._url, returnFormat=JSON, agent=self.settings.user_agent)
        wrapper.setMethod(POST)
        wrapper.setOnlyConneg(True)
        wrapper.setQuery(query.text)
        # SPARQLWrapper takes whole seconds, and 0 for none at all.
        wrapper.setTimeout(max(1, math.ceil(timeout)))
        if self._user:
            wrapper.setCredentials(self._user, self._password)
        return wrapper

    def _read(self, response: http.client.HTTPResponse, give_up: float, timeout: float) -> bytes:
        """The whole body; the socket's own clock starts anew with each byte, so a trickle is timed here."""
        chunks = []
        while chunk := response.read1(_CHUNK):
            chunks.append(chunk)
            if self._clock() > give_up:
                raise _Failure(f"the answer was not complete after {timeout:.0f} s")
        body = b"".join(chunks)
        said = response.headers.get("Content-Length")
        if said is not None and said.isdecimal() and len(body) < int(said):
            raise _Failure(f"the connection was cut after {len(body)} of {said} bytes")
        return body

    def _refused(self, status: int, error: urllib.error.HTTPError | None, body: bytes) -> _Failure:
        """What an answer with an error status means."""
        reason = http.client.responses.get(status, "unknown status")
        cause = f"HTTP {status} {reason}"
        if b"java.util.concurrent.TimeoutException" in body:
            cause += f", {explain_body(body)}"
        elif status == 400 and b"MalformedQueryException" in body:
            cause += ", the endpoint could not parse the query"
        elif status in (403, 429) and not body.lstrip().startswith(b"<") and body.strip():
            said = body.strip().splitlines()[0][:160].decode("utf-8", "replace")
            cause += f", saying {self._without_secrets(said)!r}"
        wait = self._asked_wait(error, body)
        again = status in _RETRIED_STATUS
        mend = _LATER if again else _MEND.get(status, "check the endpoint")
        return _Failure(cause, again=again, wait=wait, mend=mend)

    def _without_secrets(self, text: str) -> str:
        for secret in (self._password, urllib.parse.quote(self._password, safe="")):
            if secret:
                text = text.replace(secret, "***")
        return text

    def _asked_wait(self, error: urllib.error.HTTPError | None, body: bytes) -> float | None:
        """Seconds to wait by Retry-After (seconds or an HTTP-date), else by what the error page says."""
        header = (error.headers.get("Retry-After") or "").strip() if error is not None and error.headers else ""
        if header:
            return seconds_to_wait(header, self._now())
        match = _ASKED_TO_WAIT.search(body)
        return float(match.group(1)) if match else None


def _http_error(error: Exception) -> urllib.error.HTTPError | None:
    """The HTTPError that SPARQLWrapper turned into one of its own, for the sake of its headers."""
    origin = error.__context__
    return origin if isinstance(origin, urllib.error.HTTPError) else None


def _error_body(error: urllib.error.HTTPError) -> bytes:
    """As much of an error's body as helps to explain it; it may be cut as well."""
    try:
        return error.read(_ERROR_BODY)
    except (OSError, http.client.HTTPException):
        return b""


def _broken(reason: object, timeout: float) -> _Failure:
    """A connection that could not be made or broke."""
    if isinstance(reason, TimeoutError):
        return _Failure(f"there was no answer within {timeout:.0f} s")
    if isinstance(reason, http.client.IncompleteRead):
        return _Failure(f"the connection was cut after {len(reason.partial)} bytes of a part of the answer")
    if isinstance(reason, http.client.RemoteDisconnected | ConnectionError):
        return _Failure("the connection was cut or refused")
    said = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return _Failure(f"the connection failed ({said})")
