"""The inputs of published questions fetched again, landed as rows of what is not as it was."""

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
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

from dagster_defs.assets.ingest import endpoint_of
from dagster_defs.assets.runs import teller
from dagster_defs.names import RECHECK_STEP
from dagster_defs.resources import PROJECT, Settings, Warehouse, building_in

if TYPE_CHECKING:
    from dagster_defs.steps.recheck.execute import Report
    from ingest.http.service import Service

RECHECKED = AssetKey(["landed_recheck", "changes"])
COUNTED = AssetKey(["landed_recheck", "matches"])


class RecheckConfig(Config):
    """Which questions are rechecked."""

    topics: list[str] = Field([], description="Topics whose questions are; empty for all.")


def recheck_asset(settings: Settings) -> AssetsDefinition:
    """The landed rows of rechecks."""
    described = {
        RECHECKED: "One row per recheck, question and input that is not as it was, with both answers.",
        COUNTED: "One row per recheck and deep-research question: how many entities its clues are true of.",
    }
    specs = [
        AssetSpec(
            key,
            description=text,
            group_name="scores",
            kinds={"parquet"},
            deps=[AssetKey(["questions", "questions"])],
        )
        for key, text in described.items()
    ]

    @multi_asset(specs=specs, name=RECHECK_STEP)
    def recheck_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: RecheckConfig
    ) -> Iterator[MaterializeResult[None]]:
        report = _recheck(settings, config, context)
        say = teller(context)
        for line in report.sentences():
            say(line)
        yield MaterializeResult(
            asset_key=COUNTED,
            metadata={
                "counted": sum(match.n_match is not None for match in report.matches),
                "several": sum((match.n_match or 0) > 1 for match in report.matches),
            },
        )
        yield MaterializeResult(
            asset_key=RECHECKED,
            metadata={
                "recheck": report.recheck.recheck_id,
                "endpoint": report.recheck.endpoint,
                "questions": sum(report.questions.values()),
                "rows": len(report.rows),
                "answers changed": len(report.answers()),
                "not checked": MetadataValue.json(report.failed),
            },
        )

    return recheck_room


def _recheck(settings: Settings, config: RecheckConfig, context: AssetExecutionContext) -> "Report":
    # Imported here: SPARQL, RDF and Parquet libraries are no part of loading the definitions.
    from dagster_defs.steps.recheck.execute import Places, recheck
    from dagster_defs.steps.recheck.fetch import Fetching
    from ingest.topics import load_topic_sources

    endpoint, snapshot = endpoint_of(settings)
    request = Fetching(
        load_topic_sources(PROJECT / "models"), endpoint, snapshot,
        settings.language, settings.page_size, settings.batch_size,
    )  # fmt: skip
    places = Places(PROJECT, settings.published_database, settings.recheck, settings.landing / "recheck")

    def said_again(zone: Path) -> dict[str, str]:
        return _ask_again(settings, zone, context.log.info)

    return recheck(
        places, request, topics=config.topics, said_again=said_again, within=building_in, log=context.log.info
    )


def _ask_again(settings: Settings, zone: Path, log: Callable[[str], None]) -> dict[str, str]:
    """Ask the domains' services again, past any cache, about all they were asked about; source -> why it failed."""
    from ingest.domains.kept import members_of
    from ingest.domains.land import land_again
    from ingest.http.client import HttpClient

    if not members_of(settings.landing):
        return {}

    def connect(service: "Service") -> HttpClient:
        return HttpClient(service, settings.contact)

    return land_again(settings.landing, connect, zone, datetime.datetime.now(datetime.UTC).date(), log=log).failed
