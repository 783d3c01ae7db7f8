"""Wikipedia and Wikidata as their APIs answer, for every asset that asks them."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

from dagster_defs.errors import RunError
from dagster_defs.resources import Settings

if TYPE_CHECKING:
    from ingest.http.client import HttpClient
    from ingest.wikipedia.client import WikipediaClient


def is_live(settings: Settings) -> bool:
    """Whether the APIs can be asked: the sample alone has none."""
    return settings.endpoint != "sample"


def contact_of(settings: Settings) -> str:
    """Who is calling. Raises RunError where nobody said."""
    if not settings.contact:
        raise RunError("Services ask who is calling: set ASSAY_CONTACT to an e-mail address or URL, then run again.")
    return settings.contact


def wikimedia_http(stack: ExitStack, settings: Settings) -> "HttpClient":
    """A client of Wikimedia's services, with kept answers, closed by ``stack``."""
    from ingest.http.cache import ResponseCache
    from ingest.http.client import HttpClient
    from ingest.http.rates import Rate
    from ingest.wikipedia.client import SERVICE

    elsewhere = settings.wikimedia or None
    client = HttpClient(
        SERVICE,
        contact_of(settings),
        cache=None if elsewhere else ResponseCache(settings.cache / "http"),
        # A server of this machine's own has no limit to keep to.
        rates=(Rate(1_000_000, 1),) if elsewhere else None,
        loopback=elsewhere,
    )
    return stack.enter_context(client)


def wikipedia(stack: ExitStack, settings: Settings) -> "WikipediaClient":
    """Articles and entities, asked politely."""
    from ingest.wikipedia.client import WikipediaClient

    return WikipediaClient(wikimedia_http(stack, settings))
