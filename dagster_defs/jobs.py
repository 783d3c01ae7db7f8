"""The main job: ingest, build, gates, publish."""

from __future__ import annotations

from dagster import AssetSelection, define_asset_job
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

MAIN_JOB = "assay"


def main_job() -> UnresolvedAssetJobDefinition:
    """Everything, in order: from landing to the published file."""
    return define_asset_job(
        MAIN_JOB,
        selection=AssetSelection.all(),
        description="Lands every topic, builds facts, topics and questions, passes the gates, publishes.",
    )
