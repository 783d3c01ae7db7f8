"""What is known of a service, and how patiently it is asked."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass
from typing import Final

from ingest.errors import ServiceError
from ingest.http.rates import Rate

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
DAY: Final = 86_400


@dataclass(frozen=True)
class Service:
    """A web service as it describes itself.

    Attributes:
        name: what errors call it.
        home: scheme and host that paths are added to; https always.
        rates: how often it may be asked, by what ``rates_from`` (a URL) says.
        other_hosts: hosts beside home's that it may redirect to or is asked at as well.
        keep_seconds: how long an answer counts as fresh.
        max_bytes: the longest answer that is read, unpacked.
        busy_statuses: HTTP statuses by which it says "too often" beside the usual ones.
        unknown_starts: what the body of a 404 begins with where the service itself does not know the thing; any other
            404 means that the service is not where it was.
    """

    name: str
    home: str
    rates: tuple[Rate, ...]
    rates_from: str
    other_hosts: frozenset[str] = frozenset()
    keep_seconds: int = DAY
    max_bytes: int = 64 << 20
    busy_statuses: frozenset[int] = frozenset()
    unknown_starts: tuple[bytes, ...] = (b"{",)

    @property
    def hosts(self) -> frozenset[str]:
        """Every host it may be asked at."""
        return self.other_hosts | {urllib.parse.urlsplit(self.home).hostname or ""}


@dataclass(frozen=True)
class Patience:
    """How long to try. Times in seconds.

    ``connect_timeout`` is for the connection, ``timeout`` for one request from sending to the last byte, ``deadline``
    for all attempts of one request with the pauses between them. Pause number n is ``pause * 2**n``, at most
    ``longest_pause``, times a random factor from 0.5 to 1; a service's Retry-After lengthens it.
    """

    connect_timeout: float = 10.0
    timeout: float = 60.0
    attempts: int = 6
    pause: float = 1.0
    longest_pause: float = 60.0
    deadline: float = 600.0


@dataclass(frozen=True)
class Address:
    """Where requests go, and where redirects may lead: (scheme, host, port) of the service, or of a test's server."""

    home: str
    allowed: frozenset[tuple[str, str, int | None]]

    def admits(self, url: str) -> bool:
        """Whether ``url`` is the service's own, under its scheme."""
        origin = _origin(url)
        return origin is not None and origin in self.allowed


def address_of(service: Service, loopback: str | None = None) -> Address:
    """The service's own address, always https; ``loopback`` (``http://127.0.0.1:port``) stands in for it in tests.

    Raises:
        ServiceError: the service's address is not https, or ``loopback`` is not this machine's.
    """
    if loopback is not None:
        origin = _origin(loopback)
        if origin is None or origin[1] not in _LOOPBACK:
            raise ServiceError(f"{service.name} cannot be asked at {loopback}: plain http is for this machine alone.")
        return Address(loopback.rstrip("/"), frozenset({origin}))
    origin = _origin(service.home)
    if origin is None or origin[0] != "https":
        raise ServiceError(f"{service.name} cannot be asked at {service.home}: write its address with https://.")
    return Address(service.home.rstrip("/"), frozenset(("https", host, None) for host in service.hosts))


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """(scheme, host, port where it is not the scheme's own) of an http(s) URL without user info; None for others."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        return None
    usual = {"http": 80, "https": 443}[parts.scheme]
    return parts.scheme, parts.hostname, None if port == usual else port
