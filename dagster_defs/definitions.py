"""What `dagster dev` loads."""

from dagster import Definitions, colored_console_logger, in_process_executor

from dagster_defs.assets.diversity import diversity_asset
from dagster_defs.assets.domains import domain_asset
from dagster_defs.assets.elicitation import elicit_asset, judge_asset
from dagster_defs.assets.ingest import landing_assets
from dagster_defs.assets.proposals import topic_asset
from dagster_defs.assets.publish import PUBLISHED, history_asset, publish_asset, report_asset
from dagster_defs.assets.rechecks import recheck_asset
from dagster_defs.assets.reference import draw_asset, reference_asset
from dagster_defs.assets.refinements import refine_asset
from dagster_defs.assets.runs import run_assets
from dagster_defs.assets.variants import variant_asset
from dagster_defs.assets.warehouse import ROOMS, Models, landed_by_command, room_assets
from dagster_defs.checks import gates
from dagster_defs.freshness import aged_sensor, refreshing_schedule
from dagster_defs.jobs import jobs
from dagster_defs.resources import Warehouse, load_settings
from dagster_defs.runlog import run_log

settings = load_settings()
models = Models(settings)
all_jobs = jobs([*models.keys_of(*ROOMS["scores"]), *PUBLISHED])

defs = Definitions(
    assets=[
        landing_assets(settings),
        domain_asset(settings),
        *landed_by_command(models),
        *(room_assets(models, room) for room in ROOMS),
        run_assets(settings),
        refine_asset(settings),
        diversity_asset(settings),
        recheck_asset(settings),
        topic_asset(settings),
        draw_asset(settings),
        reference_asset(settings),
        elicit_asset(settings),
        judge_asset(settings),
        publish_asset(settings, models),
        history_asset(settings),
        variant_asset(settings, models),
        report_asset(settings),
    ],
    asset_checks=gates(settings),
    jobs=all_jobs,
    schedules=[refreshing_schedule(settings, all_jobs[0])],
    sensors=[aged_sensor(settings, all_jobs[0])],
    resources={"warehouse": Warehouse(data_dir=str(settings.data_dir))},
    loggers={"console": colored_console_logger, "run_log": run_log},
    # DuckDB has one writer, so every run stays in one process.
    executor=in_process_executor,
)
