"""Asks one service by GET for bodies that parse, patiently and at the rate it allows."""

from __future__ import annotations

import datetime
import http.cookiejar
import random
import re
import time
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Generic, TypeVar

import requests
from pydantic import SecretStr
from requests.adapters import HTTPAdapter

from ingest.errors import NotFoundError, ServiceError
from ingest.http.attempt import LATER, Attempt, Failure, Received
from ingest.http.body import BodyError, UnknownError
from ingest.http.cache import Kept, ResponseCache
from ingest.http.rates import Rate, RateLimiter, shared_limiter
from ingest.http.retry_after import seconds_to_wait
from ingest.http.service import Patience, Service, address_of

T = TypeVar("T")

_PRODUCT: Final = "assay/0.1"
_REDIRECTS_FOLLOWED: Final = 5
_SHOWN_URL: Final = 240
_CONTACT: Final = re.compile(r"[!-~ ]*([!-~]+@[!-~]+\.[!-~]+|https?://[!-~]+)[!-~ ]*")


@dataclass(frozen=True)
class Fetched(Generic[T]):
    """A parsed answer: the URL asked (no secrets), and when it came from the service (UTC, without time zone)."""

    value: T
    url: str
    fetched_at: datetime.datetime
    is_from_cache: bool


class HttpClient:
    """One service's client; connections are reused. Use it as a context manager, in one thread.

    Args:
        service: who is asked.
        contact: an email address or URL (a name may stand before it) that the service can reach the user at; it goes
            into the user agent.
        cache: where answers are kept; None asks anew each time.
        patience: time-outs, attempts, deadline.
        secrets: headers such as an API key; sent to the service's own hosts, and told to nobody.
        rates: replaces the service's rates, where a key brings better ones.
        loopback: ``http://127.0.0.1:port`` to ask in the service's place; for tests.
        limiter, sleep, clock, now, jitter: replaced in tests.

    Raises:
        ServiceError: no contact, or an address that is not https.
    """

    def __init__(
        self,
        service: Service,
        contact: str,
        *,
        cache: ResponseCache | None = None,
        patience: Patience | None = None,
        secrets: Mapping[str, SecretStr] | None = None,
        rates: tuple[Rate, ...] | None = None,
        loopback: str | None = None,
        limiter: RateLimiter | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC),
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if not _CONTACT.fullmatch(contact):
            raise ServiceError(
                f"{service.name} must be told whom to reach; give an email address or a URL as the contact."
            )
        self.service = service
        self.patience = patience or Patience()
        self._address = address_of(service, loopback)
        self._cache = cache
        self._secrets = dict(secrets or {})
        self._limiter = limiter or shared_limiter(service.name, rates or service.rates)
        self._sleep, self._clock, self._now, self._jitter = sleep, clock, now, jitter
        self._session = _session(f"{_PRODUCT} ({contact})", trust_environment=loopback is None)
        self._attempt = Attempt(self._session, service, self.patience, clock)

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def __repr__(self) -> str:
        return f"HttpClient({self.service.name!r}, {self._address.home!r})"

    def url(self, path: str, parameters: Mapping[str, str] | None = None, *, host: str | None = None) -> str:
        """The URL that :meth:`get` asks; ``host`` is one of the service's other hosts."""
        home = self._address.home
        if host is not None and home == self.service.home.rstrip("/"):
            home = f"https://{host}"
        query = urllib.parse.urlencode(dict(parameters or {}), safe=",:;*", quote_via=urllib.parse.quote)
        return f"{home}{path}?{query}" if query else f"{home}{path}"

    def get(self, url: str, read: Callable[[bytes], T]) -> Fetched[T]:
        """The answer for a URL of this service, parsed by ``read``; kept answers that are fresh are not asked again.

        Args:
            url: what :meth:`url` gave.
            read: parses a body; raises BodyError or UnknownError. Only bodies it takes are kept.

        Raises:
            NotFoundError: the service does not know what was asked for.
            ServiceError: names service, URL, number of attempts, cause and remedy in one sentence.
        """
        if not self._address.admits(url):
            raise ServiceError(
                f"{self.service.name} is not asked at {self._shown(url)}: that is no address of its own."
            )
        kept = self._cache.get(url) if self._cache else None
        if kept is not None:
            try:
                return Fetched(read(kept.body), url, kept.fetched_at.replace(tzinfo=None), True)
            except (BodyError, UnknownError):
                pass  # kept by another version of the parser, or damaged: asked anew
        return self._asked(url, read)

    def _asked(self, url: str, read: Callable[[bytes], T]) -> Fetched[T]:
        started, attempt = self._clock(), 0
        while True:
            attempt += 1
            try:
                received, fetched_at = self._followed(url, started)
                value = read(received.body)
            except UnknownError as error:
                raise NotFoundError(self._sentence(url, Failure(str(error), again=False, mend=""), attempt)) from None
            except BodyError as error:
                longer = max((error.retry_after, received.retry_after), key=self._wait)
                failure = Failure(error.cause, again=error.again, retry_after=longer)
            except Failure as error:
                failure = error
            else:
                if self._cache is not None:
                    self._cache.put(url, Kept(fetched_at, received.body), self.service.keep_seconds)
                return Fetched(value, url, fetched_at.astimezone(datetime.UTC).replace(tzinfo=None), False)
            pause = self._pause(attempt, failure)
            if not failure.again or attempt >= self.patience.attempts or pause >= self._left(started):
                late = failure.again and attempt < self.patience.attempts
                kind = NotFoundError if failure.is_unknown else ServiceError
                raise kind(self._sentence(url, failure, attempt, pause if late else None)) from None
            self._sleep(pause)

    def _take_turn(self, left: float) -> None:
        """Wait until the service's rates allow one more request."""
        wait = self._limiter.reserve(within=max(left, 0.0))
        if wait >= left:
            raise Failure(f"its rates ask to wait {wait:.0f} s, beyond the deadline", again=False, mend=LATER)
        if wait > 0:
            self._sleep(wait)

    def _followed(self, url: str, started: float) -> tuple[Received, datetime.datetime]:
        """(body, when it was asked for), through redirects that stay with the service; each takes its turn."""
        for _ in range(_REDIRECTS_FOLLOWED + 1):
            self._take_turn(self._left(started))
            headers = {name: secret.get_secret_value() for name, secret in self._secrets.items()}
            seconds = max(min(self.patience.timeout, self._left(started)), 0.001)
            fetched_at = self._now()
            received = self._attempt.send(url, headers, seconds)
            if not received.location:
                return received, fetched_at
            url = self._target(url, received.location)
        raise Failure(f"it redirects more than {_REDIRECTS_FOLLOWED} times", again=False, mend="check the service")

    def _target(self, url: str, location: str) -> str:
        """Where a redirect leads. Raises Failure where that is not one of the service's own addresses."""
        try:
            target = urllib.parse.urljoin(url, location)
            parts = urllib.parse.urlsplit(target)
            where = f"{parts.scheme}://{parts.hostname}"
        except ValueError:
            target, where = "", "an address that is none"
        if not self._address.admits(target):
            raise Failure(
                f"it redirects to {where}, which is not on the service's list of hosts",
                again=False,
                mend="check the service",
            )
        return target

    def _left(self, started: float) -> float:
        return self.patience.deadline - (self._clock() - started)

    def _pause(self, attempt: int, failure: Failure) -> float:
        doubled = min(self.patience.pause * 2.0 ** (attempt - 1), self.patience.longest_pause)
        return max(doubled * (0.5 + 0.5 * self._jitter()), self._wait(failure.retry_after))

    def _wait(self, retry_after: str | None) -> float:
        """Seconds that a service asks to wait, 0 where it does not say."""
        return seconds_to_wait(retry_after, self._now()) or 0.0

    def _sentence(self, url: str, failure: Failure, attempt: int, late: float | None = None) -> str:
        tries = "1 attempt" if attempt == 1 else f"{attempt} attempts"
        told = failure.cause
        if late is not None:
            asked = "it asks to wait" if failure.retry_after else "the next pause would be"
            told += f", and {asked} {late:.0f} s, beyond the deadline of {self.patience.deadline:.0f} s"
        mend = f"; {failure.mend}" if failure.mend else "; check the identifier"
        return self._without_secrets(f"{self.service.name} failed on {self._shown(url)} after {tries}: {told}{mend}.")

    def _shown(self, url: str) -> str:
        return url if len(url) <= _SHOWN_URL else f"{url[:_SHOWN_URL]}..."

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets.values():
            value = secret.get_secret_value()
            for form in (value, urllib.parse.quote(value, safe="")):
                if form:
                    text = text.replace(form, "***")
        return text


def _session(user_agent: str, *, trust_environment: bool) -> requests.Session:
    """A session that sends no credentials of its own: no .netrc, no cookies kept."""
    session = requests.Session()
    session.trust_env = trust_environment  # proxies and certificate bundles
    session.auth = lambda request: request
    session.headers.update({"User-Agent": user_agent, "Accept": "application/json"})
    session.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
    adapter = HTTPAdapter(pool_connections=4, pool_maxsize=1)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session
