"""The landing room: one op lands every topic's data, as the four datasets that staging reads."""

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

from dagster_defs.errors import RunError
from dagster_defs.names import INGEST_STEP
from dagster_defs.resources import PROJECT, Settings, Warehouse
from dagster_defs.steps.preview import ROWS, markdown_table

if TYPE_CHECKING:
    from ingest.landing import Snapshot
    from ingest.wikidata.endpoint import Endpoint
    from ingest.wikidata.land import LandingReport

# dbt's source of the same name: each dataset is the asset that its staging model depends on.
SOURCE = "landed_wikidata"
DATASETS = {
    "entities": "One row per entity and topic: label, description, aliases, Wikipedia title, redirect.",
    "instances": "One row per entity and class that a topic asked for.",
    "statements": "One row per statement: value, unit, precision, rank, qualifiers and number of references.",
    "snapshots": "One row per dataset and topic, written last: a snapshot without it is incomplete.",
}


class IngestConfig(Config):
    """What is taken over from earlier snapshots."""

    max_age_days: float = Field(0.0, description="Topics landed within so many days are taken over; 0 lands all anew.")


def landing_assets(settings: Settings) -> AssetsDefinition:
    """The landed datasets of every topic in models/topics."""
    specs = [
        AssetSpec(AssetKey([SOURCE, dataset]), description=text, group_name="ingest", kinds={"parquet"})
        for dataset, text in DATASETS.items()
    ]

    @multi_asset(specs=specs, name=INGEST_STEP)
    def ingest_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: IngestConfig
    ) -> Iterator[MaterializeResult[None]]:
        from dagster_defs.steps import ahead

        report = ahead.landed(context.log.info) or _land(settings, context.log.info, config.max_age_days)
        for dataset in DATASETS:
            yield MaterializeResult(
                asset_key=AssetKey([SOURCE, dataset]), metadata=_metadata(settings, report, dataset)
            )

    return ingest_room


def _land(settings: Settings, log: Callable[[str], None], max_age_days: float) -> "LandingReport":
    # Imported here: SPARQL, RDF and Parquet libraries are no part of loading the definitions.
    from ingest.landing import utc_now
    from ingest.topics import load_topic_sources
    from ingest.wikidata.carry import carry
    from ingest.wikidata.land import land

    endpoint, snapshot = endpoint_of(settings)
    topics = load_topic_sources(PROJECT / "models")
    if max_age_days > 0:
        oldest = utc_now() - datetime.timedelta(days=max_age_days)
        taken = carry(settings.landing, [topic.name for topic in topics], endpoint.name, snapshot, oldest)
        log(f"{len(taken)} topics are young enough to be taken over into {snapshot.snapshot_id}.")
    return land(
        topics,
        endpoint,
        settings.landing,
        snapshot,
        log=log,
        language=settings.language,
        page_size=settings.page_size,
        batch_size=settings.batch_size,
    )


def endpoint_of(settings: Settings) -> tuple["Endpoint", "Snapshot"]:
    """Who answers, and the snapshot its answers belong to."""
    from ingest.wikidata.endpoint import EmbeddedEndpoint
    from ingest.wikidata.http_endpoint import HttpEndpoint, HttpSettings
    from ingest.wikidata.land import live_snapshot, sample_snapshot

    if settings.endpoint == "sample":
        return EmbeddedEndpoint.from_sample(), sample_snapshot()
    if ".wikidata.org" in settings.endpoint and not settings.contact:
        raise RunError("Wikidata asks who is calling: set ASSAY_CONTACT to an e-mail address or URL, then run again.")
    http = HttpSettings(
        url=settings.endpoint,
        user_agent=f"assay/0.1 ({settings.contact or 'benchmark warehouse'}; SPARQLWrapper)",
        timeout=settings.timeout_seconds,
        attempts=settings.attempts,
        deadline=settings.deadline_seconds,
    )
    return HttpEndpoint(http), live_snapshot(datetime.datetime.now(datetime.UTC).date())


def _metadata(settings: Settings, report: "LandingReport", dataset: str) -> dict[str, MetadataValue]:
    """Rows, rows by topic, and the first rows of the snapshot's first file."""
    import pyarrow.parquet as pq

    files = sorted((settings.landing / "wikidata" / dataset / report.snapshot_id).glob("*.parquet"))
    rows = {topic: counts.get(dataset, 0) for topic, counts in report.rows.items()}
    total = sum(rows.values()) or sum(pq.read_metadata(file).num_rows for file in files)
    return {
        "dagster/row_count": MetadataValue.int(total),
        "snapshot": MetadataValue.text(report.snapshot_id),
        "rows by topic": MetadataValue.md(markdown_table(["topic", "rows"], list(rows.items()))),
        "preview": MetadataValue.md(_preview(files)),
    }


def _preview(files: list[Path]) -> str:
    import pyarrow.parquet as pq

    if not files:
        return "(no file)"
    head = pq.ParquetFile(files[0]).iter_batches(batch_size=ROWS)
    rows = next(head, None)
    if rows is None:
        return "(no row)"
    return markdown_table(rows.schema.names, [tuple(row.values()) for row in rows.to_pylist()])
