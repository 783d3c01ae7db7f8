"""Reads live pages of a few hosts, as text."""

from __future__ import annotations

import http.cookiejar
import threading
import time
import urllib.parse
from collections.abc import Collection
from dataclasses import dataclass
from html.parser import HTMLParser

import requests

from dagster_defs.steps.agent.addresses import PrivateAddressError, Resolve, adapter, resolved
from ingest.http.attempt import Attempt, Failure
from ingest.http.rates import Rate, shared_limiter
from ingest.http.service import Patience, Service

# Whose pages an agent may read: encyclopedia, and the services that facts are landed from.
HOSTS = (
    ".wikipedia.org", "www.wikidata.org", "pubchem.ncbi.nlm.nih.gov", "rest.uniprot.org", "data.rcsb.org",
    "www.ebi.ac.uk", "data.sec.gov", "www.sec.gov", "services.nvd.nist.gov", "api.first.org", "www.cisa.gov",
)  # fmt: skip
_REDIRECTS = 5
_SCRIPTS = frozenset({"script", "style", "noscript", "template", "svg", "head", "nav", "footer"})
_BLOCKS = frozenset(
    {
        "article", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "li", "main", "ol", "p", "pre", "section", "table", "tr", "ul",
    }
)  # fmt: skip
_PATIENCE = Patience(connect_timeout=10.0, timeout=30.0)
# What no host minds.
_RATES = (Rate(2, 1.0),)


class PageError(Exception):
    """A page cannot be read; one sentence that says why, fit to show to a model."""


@dataclass(frozen=True)
class Page:
    """A page's title, empty where it has none, and its text; url: where redirects led."""

    url: str
    title: str
    text: str


class PageReader:
    """Reads pages of ``hosts`` over https, by GET, without cookies or credentials; safe to use from several threads.

    hosts: names; one that begins with a dot stands for every host below it. contact: an email address or URL that goes
    into the user agent. max_bytes: the longest page that is read, unpacked. No proxy is used, as it would resolve names
    itself. resolve, exempt: for tests, how names are resolved, and (address, port) pairs that count as public and may
    be asked by plain http.
    """

    def __init__(
        self,
        hosts: Collection[str],
        contact: str,
        *,
        max_bytes: int = 8 << 20,
        resolve: Resolve = resolved,
        exempt: Collection[tuple[str, int]] = (),
    ) -> None:
        self._hosts = frozenset(host.casefold() for host in hosts)
        self._exempt_ports = {port for _, port in exempt}
        self._service = Service("a page", "https://", _RATES, "", max_bytes=max_bytes)
        self._local = threading.local()
        self._agent = f"assay/0.1 ({contact})"
        self._resolve, self._exempt = resolve, frozenset(exempt)

    def read(self, url: str) -> Page:
        """The page at ``url``. Raises PageError where the host is not on the list, is not public, or gives no page."""
        for _ in range(_REDIRECTS + 1):
            host = self._host(url)
            wait = shared_limiter(f"pages of {host}", _RATES).reserve()
            time.sleep(wait)
            try:
                received = Attempt(self._session(), self._service, _PATIENCE, time.monotonic).send(
                    url, {}, _PATIENCE.timeout
                )
            except Failure as error:
                raise PageError(f"{_shown(url)} cannot be read: {_cause(error)}.") from error
            if not received.location:
                return _page(url, received.body)
            url = urllib.parse.urljoin(url, received.location)
        raise PageError(f"{_shown(url)} cannot be read: it redirects more than {_REDIRECTS} times.")

    def _host(self, url: str) -> str:
        """The host of ``url``. Raises PageError unless it may be asked."""
        try:
            parts = urllib.parse.urlsplit(url)
            host, port = (parts.hostname or "").casefold(), parts.port
        except ValueError:
            raise PageError(f"{_shown(url)} is no address.") from None
        plain = parts.scheme == "http" and port in self._exempt_ports
        usual = parts.scheme == "https" and (port in (None, 443) or port in self._exempt_ports)
        if not (plain or usual) or parts.username is not None or parts.password is not None:
            raise PageError(f"{_shown(url)} is not read: pages are read over https, at the usual port.")
        if host not in self._hosts and not any(host.endswith(name) for name in self._hosts if name.startswith(".")):
            allowed = ", ".join(sorted(self._hosts))
            raise PageError(f"{_shown(url)} is not read: {host or 'its host'} is not on the list of hosts ({allowed}).")
        return host

    def _session(self) -> requests.Session:
        """This thread's session."""
        if not hasattr(self._local, "session"):
            session = requests.Session()
            session.trust_env = False
            session.headers.update({"User-Agent": self._agent, "Accept": "text/html, text/plain, application/json"})
            session.cookies.set_policy(http.cookiejar.DefaultCookiePolicy(allowed_domains=[]))
            session.mount("https://", adapter(self._resolve, self._exempt))
            session.mount("http://", adapter(self._resolve, self._exempt))
            self._local.session = session
        found: requests.Session = self._local.session
        return found


def _page(url: str, body: bytes) -> Page:
    text = body.decode("utf-8", "replace")
    if "<" not in text[:1000] or text.lstrip()[:1] in "{[":
        return Page(url, "", text.strip())
    reader = _Text()
    reader.feed(text)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).splitlines())
    return Page(url, " ".join("".join(reader.titles).split()), "\n".join(line for line in lines if line))


class _Text(HTMLParser):
    """What a reader sees of a page: cells apart, blocks on lines of their own, scripts and navigation left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.titles: list[str] = []
        self._hidden: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        self._in_title = tag == "title" and not self.titles
        if tag in _SCRIPTS:
            self._hidden.append(tag)
        elif tag in _BLOCKS:
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        self._in_title = False
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        if self._in_title:
            self.titles.append(data)
        elif not self._hidden:
            self.parts.append(data)


def _cause(error: Failure) -> str:
    """What stopped a request, the refused address where that was it."""
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if isinstance(one, PrivateAddressError):
            return str(one)
        if one is not None and one not in seen:
            seen.append(one)
            queue += [one.__cause__, one.__context__, *(held for held in one.args if isinstance(held, BaseException))]
            queue.append(getattr(one, "reason", None) if isinstance(getattr(one, "reason", None), Exception) else None)
    return error.cause


def _shown(url: str) -> str:
    return url if len(url) <= 120 else url[:119] + "…"
