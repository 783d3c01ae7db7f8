"""The last assets: the published database, and the page made from it."""

from collections.abc import Collection

from dagster import AssetKey, AssetsDefinition, MaterializeResult, MetadataValue, asset

from dagster_defs.assets.warehouse import GATES_AFTER, POOL, ROOMS, Models
from dagster_defs.checks import GATES
from dagster_defs.errors import RunError
from dagster_defs.resources import Settings, Warehouse
from dagster_defs.steps.preview import markdown_table

DATABASE = AssetKey(["published", "assay_duckdb"])
HISTORY = AssetKey(["published", "history"])
REPORT = AssetKey(["published", "report"])
PUBLISHED = (DATABASE, REPORT)
# Staging repeats the landed files; a family's room holds the workings of its questions, more than all the rest.
KEPT_BACK = ("models/staging", "models/multi_entity", "models/deep_research")


def published_tables(models: Models, folders: Collection[str] | None = None) -> list[str]:
    """The tables ('schema.name') that users get, of all rooms or of some folders; the others are kept back."""
    wanted = [folder for room in ROOMS.values() for folder in room] if folders is None else folders
    kept = [folder for folder in wanted if not folder.startswith(KEPT_BACK)]
    return sorted(models.table(unique_id) for unique_id in models.nodes(*kept))


def publish_asset(settings: Settings, models: Models) -> AssetsDefinition:
    """`data/assay.duckdb`, replaced only after every gate passed."""
    finals = [models.key(unique_id) for unique_id in models.leaves()]

    @asset(
        name="assay_duckdb",
        key_prefix="published",
        group_name="publish",
        description="data/assay.duckdb, the database that analysts open: a verified copy of the build.",
        deps=list(dict.fromkeys([*GATES.values(), *finals])),
        kinds={"duckdb"},
        pool=POOL,
    )
    def assay_duckdb(warehouse: Warehouse) -> MaterializeResult[None]:
        from dagster_defs.steps.publish import publish
        from dagster_defs.steps.quality import mark_published, unpassed

        stopped = unpassed(settings.quality, [gate for gates in GATES_AFTER.values() for gate in gates])
        if stopped:
            raise RunError(
                f"Nothing was published: the gate of {' and of '.join(stopped)} has not passed since that room was"
                " built; run the main job (`make build`)."
            )
        result = publish(
            settings.build_database, settings.published_database, published_tables(models), settings.memory_limit
        )
        mark_published(settings.quality, settings.endpoint, list(GATES))
        return MaterializeResult(
            asset_key=AssetKey(["published", "assay_duckdb"]),
            metadata={
                "dagster/row_count": MetadataValue.int(sum(result.rows.values())),
                "path": MetadataValue.path(result.path),
                "megabytes": MetadataValue.float(round(result.size / 1e6, 1)),
                "preview": MetadataValue.md(markdown_table(["table", "rows"], list(result.rows.items()))),
            },
        )

    return assay_duckdb


def history_asset(settings: Settings) -> AssetsDefinition:
    """The published questions, kept by their snapshot for the builds to come."""

    @asset(
        key=HISTORY,
        group_name="publish",
        description="data/landing/history: the questions of each published snapshot, which no later one overwrites.",
        deps=[DATABASE],
        kinds={"parquet"},
    )
    def history() -> MaterializeResult[None]:
        from dagster_defs.steps.history import keep

        snapshot_id, questions = keep(settings.published_database, settings.history)
        preview = markdown_table(["snapshot", "questions"], [(snapshot_id, questions)])
        metadata = {"dagster/row_count": MetadataValue.int(questions), "preview": MetadataValue.md(preview)}
        return MaterializeResult(asset_key=HISTORY, metadata=metadata)

    return history


def report_asset(settings: Settings) -> AssetsDefinition:
    """`data/report/index.html`, made from the published database."""

    @asset(
        key=REPORT,
        group_name="publish",
        description="data/report/index.html: leaderboard, charts, questions with their evidence, in one file.",
        deps=[DATABASE],
        kinds={"html"},
    )
    def report() -> MaterializeResult[None]:
        from dagster_defs.steps.report.page import write_report

        page = write_report(settings.published_database, settings.report, settings.quality, settings.cache)
        megabytes = MetadataValue.float(round(page.stat().st_size / 1e6, 1))
        return MaterializeResult(asset_key=REPORT, metadata={"path": MetadataValue.path(page), "megabytes": megabytes})

    return report
