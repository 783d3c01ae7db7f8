"""What `dagster dev` loads."""

from dagster import Definitions, colored_console_logger, in_process_executor

from dagster_defs.assets.every import every_asset
from dagster_defs.assets.publish import PUBLISHED
from dagster_defs.assets.warehouse import ROOMS, Models
from dagster_defs.checks import gates
from dagster_defs.freshness import aged_sensor, refreshing_schedule
from dagster_defs.jobs import jobs
from dagster_defs.resources import Warehouse, load_settings
from dagster_defs.runlog import run_log

settings = load_settings()
models = Models(settings)
all_jobs = jobs([*models.keys_of(*ROOMS["scores"]), *PUBLISHED])

defs = Definitions(
    assets=every_asset(settings, models),
    asset_checks=gates(settings),
    jobs=all_jobs,
    schedules=[refreshing_schedule(settings, all_jobs[0])],
    sensors=[aged_sensor(settings, all_jobs[0])],
    resources={"warehouse": Warehouse(data_dir=str(settings.data_dir))},
    loggers={"console": colored_console_logger, "run_log": run_log},
    # DuckDB has one writer, so every run stays in one process.
    executor=in_process_executor,
)
