"""One attempt at one request: a whole body of bounded length, a redirect, or why there is neither."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import requests
import urllib3

from ingest.http.body import explained
from ingest.http.service import Patience, Service

RETRIED_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
LATER: Final = "run again later, and the landing goes on where it stopped"
_MEND: Final = {
    400: "mend what is asked for",
    401: "check the API key",
    403: "name yourself in the contact, or ask the service's owner for access",
    404: "check the identifier",
    414: "ask for less at a time",
}
_CHUNK: Final = 1 << 16
_ERROR_BODY: Final = 1 << 16


class Failure(Exception):
    """One attempt failed.

    ``is_unknown``: the service does not know what was asked for; ``retry_after``: the header; ``mend``: the end of the
    user's sentence.
    """

    def __init__(
        self,
        cause: str,
        *,
        again: bool,
        is_unknown: bool = False,
        retry_after: str | None = None,
        mend: str = LATER,
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.again = again
        self.is_unknown = is_unknown
        self.retry_after = retry_after
        self.mend = mend


@dataclass(frozen=True)
class Received:
    """What came: ``body`` in whole under status 200, or ``location``, the target of a redirect.

    ``retry_after``: the header, which stands beside a status of success where the body is an error.
    """

    body: bytes = b""
    location: str = ""
    retry_after: str | None = None


@dataclass(frozen=True)
class Attempt:
    """Sends one GET request; never follows a redirect by itself."""

    session: requests.Session
    service: Service
    patience: Patience
    clock: Callable[[], float]

    def send(self, url: str, headers: Mapping[str, str], seconds: float) -> Received:
        """Ask for ``url``, giving up ``seconds`` from now.

        Raises:
            Failure: no whole answer under a status of success, and whether to try again.
        """
        give_up = self.clock() + seconds
        patience = (min(self.patience.connect_timeout, seconds), seconds)
        try:
            with self.session.get(
                url, headers=dict(headers), stream=True, timeout=patience, allow_redirects=False
            ) as response:
                if response.status_code in REDIRECTS and (location := response.headers.get("Location")):
                    return Received(location=location)
                if response.status_code != 200:
                    raise self._refused(response, give_up, seconds)
                body = self._read(response, self.service.max_bytes, give_up, seconds)
                return Received(body=body, retry_after=response.headers.get("Retry-After"))
        except ValueError as error:
            # requests looks at a redirect's target even where it is told not to follow.
            raise Failure(
                "an address or a header makes no sense",
                again=False,
                mend="check the service, the proxy and the API key",
            ) from error
        except (requests.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException, OSError) as error:
            raise _broken(error, seconds) from error

    def _read(self, response: requests.Response, most: int, give_up: float, seconds: float) -> bytes:
        """The whole body, unpacked; the socket's own clock starts anew with each byte, so a trickle is timed here."""
        said = response.headers.get("Content-Length", "")
        if said.isdecimal() and int(said) > most:
            raise _oversize(most)
        chunks, length = [], 0
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            chunks.append(chunk)
            length += len(chunk)
            if length > most:
                raise _oversize(most)
            if self.clock() > give_up:
                raise Failure(f"the answer was not complete after {seconds:.0f} s", again=True)
        return b"".join(chunks)

    def _refused(self, response: requests.Response, give_up: float, seconds: float) -> Failure:
        """What an answer with an error status means."""
        status = response.status_code
        try:
            body = self._read(response, _ERROR_BODY, give_up, seconds)
        except (Failure, urllib3.exceptions.HTTPError, OSError):
            body = b""
        said = explained(body)
        cause = f"HTTP {status} {http.client.responses.get(status, 'unknown status')}"
        cause += f", saying {said!r}" if said else ""
        again = status in RETRIED_STATUSES or status in self.service.busy_statuses
        mend = LATER if again else _MEND.get(status, "check the service")
        unknown = status == 404 and body.lstrip().startswith(self.service.unknown_starts)
        asked = response.headers.get("Retry-After")
        return Failure(cause, again=again, is_unknown=unknown, retry_after=asked, mend=mend)


def _oversize(most: int) -> Failure:
    return Failure(
        f"the answer was longer than {most} bytes", again=False, mend="ask for less at a time, or raise max_bytes"
    )


def _broken(error: Exception, seconds: float) -> Failure:
    """A connection that could not be made or broke."""
    reasons = list(_reasons(error))
    if any(
        isinstance(reason, TimeoutError | requests.Timeout | urllib3.exceptions.ReadTimeoutError) for reason in reasons
    ):
        return Failure(f"there was no answer within {seconds:.0f} s", again=True)
    for reason in reasons:
        if isinstance(reason, requests.exceptions.SSLError | urllib3.exceptions.SSLError):
            return Failure(
                "no safe connection could be made (TLS failed)", again=False, mend="check certificates and the clock"
            )
        if isinstance(reason, urllib3.exceptions.NameResolutionError):
            return Failure("its host's name could not be resolved", again=True, mend="check the network connection")
        if isinstance(reason, urllib3.exceptions.DecodeError):
            return Failure("the answer could not be unpacked", again=True)
        if isinstance(reason, http.client.IncompleteRead):
            return Failure(f"the connection was cut after {_length(reason.partial)} bytes", again=True)
    return Failure("the connection was cut or refused", again=True)


def _length(partial: object) -> int:
    """urllib3 counts what came where http.client keeps it."""
    return partial if isinstance(partial, int) else len(partial) if isinstance(partial, bytes) else 0


def _reasons(error: BaseException | None) -> list[BaseException]:
    """An error, the errors that it carries, and those that it came from."""
    found: list[BaseException] = []
    queue = [error]
    while queue:
        one = queue.pop(0)
        if not isinstance(one, BaseException) or one in found:
            continue
        found.append(one)
        queue += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
    return found
