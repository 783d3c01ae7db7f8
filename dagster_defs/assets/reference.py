"""Who is asked about, and what is known of them besides the warehouse: landed entity sets, texts and their triples."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    Config,
    MaterializeResult,
    multi_asset,
)
from pydantic import Field

from dagster_defs.assets.runs import Spending, caps, registry, served, teller
from dagster_defs.assets.wikimedia import contact_of, is_live, wikipedia
from dagster_defs.errors import RunError
from dagster_defs.llm.models import Role
from dagster_defs.names import DRAW_STEP, REFERENCE_STEP
from dagster_defs.resources import Settings, Warehouse, load_keys

if TYPE_CHECKING:
    from dagster_defs.steps.reference.plan import Corpus
    from ingest.web.brave import BraveSearch
    from ingest.wikipedia.client import WikipediaClient

SOURCE = "landed_elicitation"
DRAWN = {
    AssetKey([SOURCE, "candidates"]): "One row per entity that was drawn live, or of a user's list.",
    AssetKey([SOURCE, "searched_names"]): "One row per made-up name: how many entities a search knows by it.",
}
REFERENCED = {
    AssetKey([SOURCE, "references"]): "One row per entity and text: what came of reading it.",
    AssetKey([SOURCE, "passages"]): "One row per passage of a text.",
    AssetKey([SOURCE, "reference_triples"]): "One row per triple that was extracted from a passage.",
}


class DrawConfig(Config):
    """Which entity set is made."""

    set_name: str = Field("random", description="Name of the set; 'non_existing' has its names searched for.")
    n: int = Field(1000, description="Entities to draw, or made-up names to search for.")
    list_file: str = Field("", description="A JSON list of titles that becomes the set, in place of a draw.")
    views: bool = Field(False, description="Whether page views are looked up.")


class ReferenceConfig(Spending):
    """Whose texts are read."""

    set_name: str = Field("random", description="The entity set.")
    n: int = Field(0, description="Its first so many entities; 0 for all.")
    web_results: int = Field(20, description="Web results of an entity, where BRAVE_API_KEY is set; 0 for none.")
    read: str = Field("", description="A GT.json.gz to take in, in place of reading texts.")


def draw_asset(settings: Settings) -> AssetsDefinition:
    """The landed entity sets."""

    @multi_asset(specs=_specs(DRAWN), name=DRAW_STEP, can_subset=False)
    def draw_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: DrawConfig
    ) -> Iterator[MaterializeResult[None]]:
        for line in _drawn(settings, config, context):
            teller(context)(line)
        for key in DRAWN:
            yield MaterializeResult(asset_key=key, metadata={"set": config.set_name})

    return draw_room


def reference_asset(settings: Settings) -> AssetsDefinition:
    """The landed reference corpora."""

    @multi_asset(specs=_specs(REFERENCED), name=REFERENCE_STEP, can_subset=False)
    def reference_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: ReferenceConfig
    ) -> Iterator[MaterializeResult[None]]:
        say = teller(context)
        if config.read:
            lines = _read(settings, config)
        else:
            from dagster_defs.llm.caller import Caller
            from dagster_defs.steps.reference.execute import execute

            with ExitStack() as stack:
                models = served(stack, registry(), {registry().role(Role.EXTRACTOR).name})
                caller = Caller(
                    models, settings.journal, load_keys(models), caps(config), concurrency=config.concurrency,
                    log=context.log.info, stream=settings.progress_stream(),
                )  # fmt: skip
                stack.enter_context(caller)
                pages, web = _sources(stack, settings, config)
                lines = execute(
                    _corpus(config), settings.published_database, settings.elicitation, caller, pages, web, say
                ).sentences()
        for line in lines:
            say(line)
        for key in REFERENCED:
            yield MaterializeResult(asset_key=key, metadata={"set": config.set_name})

    return reference_room


def reference_estimate(settings: Settings, config: ReferenceConfig) -> str:
    """What a corpus would take, in one sentence; nothing is asked."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.reference.execute import estimate

    with ExitStack() as stack:
        caller: Caller = stack.enter_context(Caller(registry(), settings.journal))
        pages, web = _sources(stack, settings, config)
        return estimate(_corpus(config), settings.published_database, caller, pages, web)


def _specs(described: dict[AssetKey, str]) -> list[AssetSpec]:
    return [
        AssetSpec(key, description=text, group_name="elicitation", kinds={"parquet"}) for key, text in described.items()
    ]


def _corpus(config: ReferenceConfig) -> "Corpus":
    from dagster_defs.steps.reference.plan import Corpus

    return Corpus(config.set_name, config.n, web_results=max(config.web_results, 1))


def _sources(
    stack: ExitStack, settings: Settings, config: ReferenceConfig
) -> "tuple[WikipediaClient | None, BraveSearch | None]":
    """Articles where a live endpoint is configured, web results where there is a key."""
    from ingest.web.brave import BraveSearch

    pages = wikipedia(stack, settings) if is_live(settings) else None
    key = settings.search_key()
    if key is None or not config.web_results:
        return pages, None
    return pages, stack.enter_context(BraveSearch(key, contact_of(settings)))


def _drawn(settings: Settings, config: DrawConfig, context: AssetExecutionContext) -> list[str]:
    from dagster_defs.steps.reference import draw
    from dagster_defs.steps.reference.made_up import made_up_names

    live = is_live(settings)
    if not config.list_file and not live:
        raise RunError(
            "A set is drawn from live Wikipedia: set ASSAY_ENDPOINT and ASSAY_CONTACT, or give a list of titles."
        )
    with ExitStack() as stack:
        pages = wikipedia(stack, settings) if live else None
        landing, log = settings.elicitation, context.log.info
        if config.list_file:
            return draw.take_list(Path(config.list_file), config.set_name, landing, pages, log).sentences()
        assert pages is not None
        if config.set_name == "non_existing":
            names = made_up_names(settings.published_database, config.n)
            found = draw.search_names(names, pages, "https://www.wikidata.org", landing, log)
            return [f"{len(found)} made-up names searched for; {sum(map(bool, found.values()))} of them exist."]
        return draw.draw(draw.Draw(config.set_name, config.n, config.views), pages, landing, log).sentences()


def _read(settings: Settings, config: ReferenceConfig) -> list[str]:
    from dagster_defs.steps.elicit.entities import read_set
    from dagster_defs.steps.reference.gt_json import take

    asked = read_set(settings.published_database, config.set_name)
    ids = {one.title: one.entity_id for one in asked.entities}
    return take(Path(config.read), config.set_name, ids, settings.elicitation).sentences()
