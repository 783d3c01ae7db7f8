"""What domains' services say of the entities of their topics, landed as the statements that facts are built from."""

import datetime
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
from dagster_defs.errors import RunError
from dagster_defs.names import DOMAINS_STEP
from dagster_defs.resources import PROJECT, Settings, Warehouse

if TYPE_CHECKING:
    from ingest.domains.land import DomainReport
    from ingest.http.client import HttpClient
    from ingest.http.service import Service

STATED = AssetKey(["landed_domains", "statements"])


class DomainsConfig(Config):
    """Which entities services are asked about."""

    topics: list[str] = Field([], description="Topics or domains of seeds/domain_topics.csv; empty for all.")
    n: int = Field(20, description="Entities of a topic, drawn by a hash of their ids; 0 for all.")


def domain_asset(settings: Settings) -> AssetsDefinition:
    """The landed statements of domains' services."""
    spec = AssetSpec(
        STATED,
        description="One row per statement made of what a service says of an entity, with its address and time.",
        group_name="ingest",
        kinds={"parquet"},
    )

    @multi_asset(specs=[spec], name=DOMAINS_STEP)
    def domains_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: DomainsConfig
    ) -> MaterializeResult[None]:
        report = _land(settings, config, context)
        say = teller(context)
        for line in report.sentences():
            say(line)
        if report.failed and not report.statements:
            raise RunError(f"No service was asked with success: {next(iter(report.failed.values()))}")
        return MaterializeResult(
            asset_key=STATED,
            metadata={
                "entities": sum(len(one.members) for one in report.discoveries),
                "statements": MetadataValue.json(report.statements),
                "failed": MetadataValue.json(report.failed),
            },
        )

    return domains_room


def _land(settings: Settings, config: DomainsConfig, context: AssetExecutionContext) -> "DomainReport":
    # Imported here: SPARQL, HTTP and Parquet libraries are no part of loading the definitions.
    from ingest.domains.land import land_domains
    from ingest.domains.topics import load_domain_topics
    from ingest.http.cache import ResponseCache
    from ingest.http.client import HttpClient

    if not settings.contact:
        raise RunError("Services ask who is calling: set ASSAY_CONTACT to an e-mail address or URL, then run again.")
    cache = ResponseCache(settings.cache / "http")

    def connect(service: "Service") -> "HttpClient":
        return HttpClient(service, settings.contact, cache=cache)

    topics = load_domain_topics(PROJECT / "seeds/domain_topics.csv", config.topics or None)
    endpoint, _ = endpoint_of(settings)
    today = datetime.datetime.now(datetime.UTC).date()
    return land_domains(topics, endpoint, connect, settings.landing, today, most=config.n, log=context.log.info)
