"""Every asset there is, in the order in which data flow."""

from collections.abc import Sequence

from dagster import AssetsDefinition, AssetSpec

from dagster_defs.assets.diversity import diversity_asset
from dagster_defs.assets.documents import extract_asset, pages_asset
from dagster_defs.assets.domains import domain_asset
from dagster_defs.assets.elicitation import elicit_asset, judge_asset
from dagster_defs.assets.ingest import landing_assets
from dagster_defs.assets.proposals import topic_asset
from dagster_defs.assets.publish import history_asset, publish_asset, report_asset
from dagster_defs.assets.rechecks import recheck_asset
from dagster_defs.assets.reference import draw_asset, reference_asset
from dagster_defs.assets.refinements import refine_asset
from dagster_defs.assets.runs import run_assets
from dagster_defs.assets.variants import variant_asset
from dagster_defs.assets.warehouse import ROOMS, Models, landed_by_command, room_assets
from dagster_defs.resources import Settings


def every_asset(settings: Settings, models: Models) -> Sequence[AssetsDefinition | AssetSpec]:
    """What is landed, built, asked, scored and published."""
    return [
        topic_asset(settings),
        landing_assets(settings),
        domain_asset(settings),
        pages_asset(settings),
        extract_asset(settings),
        *landed_by_command(models),
        *(room_assets(models, room) for room in ROOMS),
        run_assets(settings),
        refine_asset(settings),
        diversity_asset(settings),
        recheck_asset(settings),
        draw_asset(settings),
        reference_asset(settings),
        elicit_asset(settings),
        judge_asset(settings),
        publish_asset(settings, models),
        history_asset(settings),
        variant_asset(settings, models),
        report_asset(settings),
    ]
