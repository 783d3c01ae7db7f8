"""What a model's requests go out on: the openai package's address and headers, and the aiohttp below its transport.

The package settles once where a request goes and what it says of itself. Built anew for each request, in the package,
in httpx and again in aiohttp, these took three quarters of the processor time of a call.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
import httpx2
from multidict import CIMultiDict
from openai import AsyncOpenAI
from yarl import URL


@dataclass(frozen=True)
class Answer:
    """What a server sent. Names in ``headers`` are found in any case; ``content`` is unpacked."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Line:
    """Posts JSON to one path of a server, over the session of its loop. Use it in that loop.

    connect_s, read_s: seconds to connect, and between two pieces of an answer.
    """

    def __init__(
        self, api: AsyncOpenAI, path: str, session: aiohttp.ClientSession, *, connect_s: float, read_s: float
    ) -> None:
        self._session = session
        self._url = URL(f"{str(api.base_url).rstrip('/')}{path}")
        self._proxy = proxy_of(self._url)
        self._timeout = aiohttp.ClientTimeout(connect=read_s, sock_connect=connect_s, sock_read=read_s)
        said = {**api.default_headers, **api.auth_headers, "Content-Type": "application/json"}
        # What is to be left out stands among them as a mark that is no text.
        self._headers = CIMultiDict({name: value for name, value in said.items() if isinstance(value, str)})

    async def post(self, content: bytes) -> Answer:
        """The answer, whatever its status. Raises aiohttp.ClientError or OSError where none came, or only a part."""
        async with self._session.post(
            self._url, data=content, headers=self._headers, timeout=self._timeout, proxy=self._proxy
        ) as response:
            return Answer(response.status, response.headers, await response.read())


def new_session() -> aiohttp.ClientSession:
    """A session that leaves the bound on connections to the pools, trusts whom openai's clients trust, and keeps no
    cookies. Call it in the loop it is for, and close it there."""
    connector = aiohttp.TCPConnector(limit=0, ssl=httpx2.create_ssl_context())
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())


def proxy_of(url: URL) -> str | None:
    """The proxy that the environment names for ``url``, as openai's clients read it (HTTP_PROXY, NO_PROXY ...)."""
    if url.host is None or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(url.scheme) or proxies.get("all")
    return found if found is None or "://" in found else f"http://{found}"
