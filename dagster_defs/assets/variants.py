"""Variants of the published questions, each a database of its own."""

from collections.abc import Iterator

from dagster import AssetExecutionContext, AssetKey, AssetsDefinition, AssetSpec, Config, MaterializeResult, multi_asset
from pydantic import Field

from dagster_defs.assets.publish import HISTORY, published_tables
from dagster_defs.assets.runs import teller
from dagster_defs.assets.warehouse import DOCUMENT_FOLDERS, HISTORY_FOLDERS, ROOMS, Models
from dagster_defs.names import VARIANT_STEP
from dagster_defs.resources import PROJECT, Settings, Warehouse, building_in

VARIANT = AssetKey(["published", "variant"])
# A variant holds facts, topics and questions; runs and scores over it stand in the published database.
_FOLDERS = [*ROOMS["facts"], *ROOMS["topics"], *ROOMS["questions"], *HISTORY_FOLDERS, *DOCUMENT_FOLDERS]


class VariantConfig(Config):
    """Which variant is made."""

    name: str = Field("fresh-1", description="fresh-N (other questions) or counterfactual-N (changed facts).")


def variant_asset(settings: Settings, models: Models) -> AssetsDefinition:
    """``data/variants/<snapshot>+<variant>.duckdb``."""
    spec = AssetSpec(
        VARIANT,
        description="data/variants: questions drawn anew from the same facts, or the same over changed facts.",
        group_name="publish",
        kinds={"duckdb"},
        deps=[HISTORY],
    )

    @multi_asset(specs=[spec], name=VARIANT_STEP)
    def variant_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: VariantConfig
    ) -> Iterator[MaterializeResult[None]]:
        from dagster_defs.steps import history, variants

        target = variants.path_of(settings.published_database, settings.variants, config.name, is_there=False)
        place = variants.Place(
            PROJECT,
            settings.landing,
            settings.variants / ".build",
            _FOLDERS,
            building_in,
            settings.memory_limit,
            settings.workers,
        )
        tables = published_tables(models, _FOLDERS)
        count = variants.make(
            config.name, target, tables, variants.withdrawn(settings.published_database), place, context.log.info
        )
        history.keep(target, settings.history)
        teller(context)(f"{target}: {count:,} questions.")
        yield MaterializeResult(asset_key=VARIANT, metadata={"path": str(target), "dagster/row_count": count})

    return variant_room
