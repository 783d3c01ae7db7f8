"""Wikipedia's articles of the topics' entities, landed; and what a model reads in them."""

import datetime
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    Config,
    MaterializeResult,
    MetadataValue,
    multi_asset,
)
from pydantic import Field

from dagster_defs.assets.runs import Spending, caps, registry, served, teller
from dagster_defs.assets.wikimedia import is_live, wikipedia
from dagster_defs.errors import RunError
from dagster_defs.llm.models import Role
from dagster_defs.names import EXTRACT_STEP, PAGES_STEP
from dagster_defs.resources import Settings, Warehouse, load_keys

if TYPE_CHECKING:
    from dagster_defs.steps.extract.plan import Reading
    from dagster_defs.steps.pages import Titled

PAGES = {
    AssetKey(["landed_wikipedia", "pages"]): "One row per entity of a topic: what came of asking for its article.",
    AssetKey(["landed_wikipedia", "sections"]): "One row per section of an article, as plain text.",
    AssetKey(["landed_wikipedia", "infobox_fields"]): "One row per field of an article's infoboxes.",
    AssetKey(["landed_wikipedia", "snapshots"]): "One row per topic whose articles are landed whole.",
}
EXTRACTED = {
    AssetKey(["landed_extractions", "extractions"]): "One row per value of an attribute that was read in an article.",
    AssetKey(["landed_extractions", "extracted_pages"]): "One row per article: what came of reading it.",
}


class PagesConfig(Config):
    """Whose articles are landed."""

    topics: list[str] = Field([], description="Topics; empty for all.")
    n: int = Field(0, description="Entities of a topic, those with most sitelinks first; 0 for all.")
    views: bool = Field(False, description="Whether page views of the year before are asked for, a request each.")


class ExtractConfig(Spending):
    """Which articles are read."""

    topics: list[str] = Field([], description="Topics; empty for all whose articles are landed.")
    n: int = Field(0, description="Entities of a topic; 0 for all.")
    sections: int = Field(0, description="Sections of an article, besides infobox and lead; 0 for the whole article.")


def pages_asset(settings: Settings) -> AssetsDefinition:
    """The landed articles."""

    @multi_asset(specs=_specs(PAGES), name=PAGES_STEP, can_subset=False)
    def pages_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: PagesConfig
    ) -> Iterator[MaterializeResult[None]]:
        # Imported here: HTTP and Parquet libraries are no part of loading the definitions.
        from dagster_defs.steps.pages import titled
        from ingest.wikipedia.land import land_pages

        outcomes: dict[str, dict[str, int]] = {}
        chosen = _chosen(settings, config)
        today = datetime.datetime.now(datetime.UTC).date()
        with ExitStack() as stack:
            client = wikipedia(stack, settings)
            for topic, entities in chosen.items():
                report = land_pages(
                    topic, titled(entities, client), client, settings.landing, today,
                    views=config.views, log=context.log.info,
                )  # fmt: skip
                teller(context)(report.sentence())
                outcomes[topic] = dict(report.outcomes)
        for key in PAGES:
            yield MaterializeResult(asset_key=key, metadata={"outcomes": MetadataValue.json(outcomes)})

    return pages_room


def extract_asset(settings: Settings) -> AssetsDefinition:
    """The landed values that a model read in articles."""

    @multi_asset(specs=_specs(EXTRACTED), name=EXTRACT_STEP, can_subset=False)
    def extract_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: ExtractConfig
    ) -> Iterator[MaterializeResult[None]]:
        from dagster_defs.llm.caller import Caller
        from dagster_defs.steps.extract.execute import execute

        say = teller(context)
        with ExitStack() as stack:
            models = served(stack, registry(), {registry().role(Role.EXTRACTOR).name})
            caller = Caller(
                models, settings.journal, load_keys(models), caps(config), concurrency=config.concurrency,
                log=context.log.info, stream=settings.progress_stream(),
            )  # fmt: skip
            stack.enter_context(caller)
            report = execute(_reading(config), settings.published_database, settings.extractions, caller, say)
        for line in report.sentences():
            say(line)
        for key in EXTRACTED:
            yield MaterializeResult(asset_key=key, metadata={"said": MetadataValue.json(report.sentences())})

    return extract_room


def pages_estimate(settings: Settings, config: PagesConfig) -> str:
    """What landing articles would take, in one sentence; nothing is asked."""
    from dagster_defs.steps.pages import estimate

    return estimate(_chosen(settings, config), views=config.views)


def extract_estimate(settings: Settings, config: ExtractConfig) -> str:
    """What reading articles would take, in one sentence; nothing is asked."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.extract.execute import estimate

    with Caller(registry(), settings.journal) as caller:
        return estimate(_reading(config), settings.published_database, caller)


def _specs(described: dict[AssetKey, str]) -> list[AssetSpec]:
    return [
        AssetSpec(key, description=text, group_name="documents", kinds={"parquet"}) for key, text in described.items()
    ]


def _chosen(settings: Settings, config: PagesConfig) -> "dict[str, list[Titled]]":
    from dagster_defs.steps.pages import members

    if not is_live(settings):
        raise RunError("Articles are live Wikipedia's: set ASSAY_ENDPOINT and ASSAY_CONTACT, then run again.")
    return members(settings.published_database, config.topics, config.n)


def _reading(config: ExtractConfig) -> "Reading":
    from dagster_defs.steps.extract.plan import Reading

    return Reading(tuple(config.topics), config.n, config.sections)
