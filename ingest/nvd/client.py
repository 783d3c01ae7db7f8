"""The NVD's CVE API 2.0."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final, TypedDict

from pydantic import SecretStr

from ingest.errors import ServiceError
from ingest.http.client import Fetched, HttpClient
from ingest.http.rates import Rate
from ingest.http.service import DAY, Service
from ingest.nvd.cves import Page, parse_cve, parse_page

PAGE_SIZE: Final = 2000  # the most that the NVD gives
_PATH: Final = "/rest/json/cves/2.0"
_RATES_WITH_KEY: Final = (Rate(50, 30),)
SERVICE: Final = Service(
    name="NVD",
    home="https://services.nvd.nist.gov",
    rates=(Rate(5, 30),),
    rates_from="https://nvd.nist.gov/developers/start-here",
    keep_seconds=DAY,
    max_bytes=128 << 20,
    # Above its limit the NVD's firewall answers 403.
    busy_statuses=frozenset({403}),
)


class Access(TypedDict):
    """What a key changes in an HttpClient of ``SERVICE``."""

    secrets: Mapping[str, SecretStr]
    rates: tuple[Rate, ...]


def access(api_key: SecretStr | None) -> Access:
    """Options of ``HttpClient(SERVICE, contact, **access(key))``: the key goes into a header, never into a URL."""
    if api_key is None or not api_key.get_secret_value():
        return Access(secrets={}, rates=SERVICE.rates)
    return Access(secrets={"apiKey": api_key}, rates=_RATES_WITH_KEY)


class NvdClient:
    """Asks for CVEs.

    Args:
        http: a client of ``SERVICE``.
    """

    def __init__(self, http: HttpClient) -> None:
        self.http = http

    def cve_url(self, cve_id: str) -> str:
        """The request for one CVE."""
        return self.http.url(_PATH, {"cveId": cve_id})

    def product_url(self, match_string: str, start: int = 0, size: int = PAGE_SIZE) -> str:
        """The request for a page of the CVEs that name what a CPE match string stands for."""
        parameters = {"virtualMatchString": match_string, "resultsPerPage": str(size), "startIndex": str(start)}
        return self.http.url(_PATH, parameters)

    def cve(self, cve_id: str) -> Fetched[Page]:
        """One CVE. Raises ServiceError, NotFoundError."""
        return self.http.get(self.cve_url(cve_id), partial(parse_cve, asked=cve_id))

    def product(self, match_string: str, size: int = PAGE_SIZE) -> Fetched[Page]:
        """All CVEs of a product, page by page, as one.

        Raises:
            ServiceError: a page failed, or the NVD changed its mind about their number in between.
        """
        first = self.http.get(self.product_url(match_string, 0, size), parse_page)
        whole = first.value
        while len(whole.cves) < whole.total:
            url = self.product_url(match_string, len(whole.cves), size)
            page = self.http.get(url, parse_page).value
            if page.total != whole.total or not page.cves:
                raise ServiceError(
                    f"{SERVICE.name} counted {whole.total} CVEs of {match_string}, then {page.total} with "
                    f"{len(page.cves)} on {url}; run again when it has been updated."
                )
            whole = Page(
                whole.total, 0, whole.cves + page.cves, whole.scores + page.scores, whole.matches + page.matches
            )
        return Fetched(whole, first.url, first.fetched_at, first.is_from_cache)
