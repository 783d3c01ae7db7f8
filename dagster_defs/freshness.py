"""When topics are landed anew: once a week, or as soon as one of them is older than ASSAY_MAX_AGE_DAYS.

Both are off until somebody switches them on in Dagster's pages, and land nothing but what is too old.
"""

import datetime
from collections.abc import Mapping
from typing import Any

from dagster import RunRequest, ScheduleDefinition, SensorDefinition, SensorEvaluationContext, SkipReason, sensor
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from dagster_defs.assets.wikimedia import is_live
from dagster_defs.names import INGEST_STEP
from dagster_defs.resources import PROJECT, Settings

# Mondays at four in the morning, UTC.
CRON = "0 4 * * 1"
_LOOKED_AT_SECONDS = 3600


def config_of(settings: Settings) -> Mapping[str, Any]:
    """The configuration of a run that lands what is too old."""
    return {"ops": {INGEST_STEP: {"config": {"max_age_days": settings.max_age_days}}}}


def refreshing_schedule(settings: Settings, job: UnresolvedAssetJobDefinition) -> ScheduleDefinition:
    """Lands, once a week, what is too old, and builds everything from it."""
    return ScheduleDefinition(
        name="refresh_weekly",
        job=job,
        cron_schedule=CRON,
        execution_timezone="UTC",
        run_config=dict(config_of(settings)),
        description="Lands topics that are older than ASSAY_MAX_AGE_DAYS into a new snapshot, and builds from it.",
    )


def aged_sensor(settings: Settings, job: UnresolvedAssetJobDefinition) -> SensorDefinition:
    """Starts such a run, at most one a day, when a topic is too old."""

    @sensor(
        name="topics_aged",
        job=job,
        minimum_interval_seconds=_LOOKED_AT_SECONDS,
        description="Starts a run when a topic is older than ASSAY_MAX_AGE_DAYS, or was never landed.",
    )
    def aged(context: SensorEvaluationContext) -> RunRequest | SkipReason:
        if not is_live(settings):
            return SkipReason("The bundled sample does not age: set ASSAY_ENDPOINT to a live one.")
        now = datetime.datetime.now(datetime.UTC)
        old = too_old(settings, now)
        if not old:
            return SkipReason(f"No topic is older than {settings.max_age_days:g} days.")
        context.log.info(f"{len(old)} topics are too old, such as {old[0]}.")
        return RunRequest(run_key=now.date().isoformat(), run_config=dict(config_of(settings)))

    return aged


def too_old(settings: Settings, now: datetime.datetime) -> list[str]:
    """The topics whose latest landing is older than the settings allow at ``now``, or that were never landed."""
    from dagster_defs.assets.ingest import endpoint_of
    from ingest.topics import load_topic_sources
    from ingest.wikidata.carry import fetched

    endpoint, _ = endpoint_of(settings)
    topics = [topic.name for topic in load_topic_sources(PROJECT / "models")]
    known = fetched(settings.landing, topics, endpoint.name)
    oldest = now.replace(tzinfo=None) - datetime.timedelta(days=settings.max_age_days)
    return [topic for topic in topics if topic not in known or known[topic][1] < oldest]
