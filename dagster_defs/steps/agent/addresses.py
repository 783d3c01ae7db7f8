"""Connections to public addresses alone.

A name is resolved once for each connection, every address that it has must be public, and the connection goes to the
address that was looked at: a name that resolves to something else the next time changes nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Collection
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError
from urllib3.util.connection import create_connection

Resolve = Callable[[str, int], list[str]]
# IPv6 addresses that carry an IPv4 address which a gateway may send on to: NAT64 and 6to4.
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class PrivateAddressError(OSError):
    """A host's name stands for an address that is not public."""


def resolved(host: str, port: int) -> list[str]:
    """The addresses of ``host``, as the system resolves it. Raises OSError where it has none."""
    return list(dict.fromkeys(str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def is_public(address: str) -> bool:
    """Whether ``address`` is one of the public internet, and carries no other within it."""
    try:
        found = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast and not found.is_reserved and not found.is_unspecified


def checked(host: str, port: int, resolve: Resolve, exempt: Collection[tuple[str, int]]) -> list[str]:
    """The addresses of ``host``. Raises PrivateAddressError unless each is public or, with its port, ``exempt``."""
    found = resolve(host, port)
    for address in found:
        if not is_public(address) and (address, port) not in exempt:
            raise PrivateAddressError(f"{host} is at {address}, which is no public address")
    if not found:
        raise OSError(f"{host} has no address")
    return found


def adapter(resolve: Resolve, exempt: Collection[tuple[str, int]]) -> HTTPAdapter:
    """A transport for requests that connects to checked addresses alone; certificates are those of the host's name."""

    def connect(connection: Any) -> socket.socket:
        refused: OSError | None = None
        for address in checked(connection.host, connection.port, resolve, exempt):
            try:
                return create_connection(
                    (address, connection.port),
                    connection.timeout,
                    source_address=connection.source_address,
                    socket_options=connection.socket_options,
                )
            except TimeoutError as error:
                said = f"{connection.host} took no connection in time"
                raise ConnectTimeoutError(connection, said) from error
            except OSError as error:
                refused = error
        raise NewConnectionError(connection, f"{connection.host} took no connection: {refused}") from refused

    class _Http(HTTPConnection):
        _new_conn = connect

    class _Https(HTTPSConnection):
        _new_conn = connect

    class _HttpPool(HTTPConnectionPool):
        ConnectionCls = _Http

    class _HttpsPool(HTTPSConnectionPool):
        ConnectionCls = _Https

    class _Adapter(HTTPAdapter):
        def init_poolmanager(self, *positional: Any, **named: Any) -> None:
            super().init_poolmanager(*positional, **named)
            manager: PoolManager = self.poolmanager
            manager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}

    return _Adapter(max_retries=0)
