"""Which deep-research questions say nearly the same, landed as rows that dbt reads."""

from contextlib import ExitStack

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    MaterializeResult,
    MetadataValue,
    multi_asset,
)
from pydantic import Field

from dagster_defs.assets.runs import SOURCE, Spending, caps, registry, teller
from dagster_defs.llm.models import Role
from dagster_defs.names import DIVERSITY_STEP
from dagster_defs.resources import Settings, Warehouse, load_keys

DIVERSE = AssetKey([SOURCE, "diversity"])


class DiversityConfig(Spending):
    """What counts as a near duplicate, and what embedding may cost."""

    threshold: float = Field(0.3, description="Cosine dissimilarity under which two questions are near duplicates.")


def diversity_asset(settings: Settings) -> AssetsDefinition:
    """The landed rows of selections."""

    spec = AssetSpec(
        DIVERSE,
        description="One row per comparison and deep-research question: whether it stays, or which one in its place.",
        group_name="runs",
        kinds={"parquet"},
        deps=[AssetKey(["questions", "questions"])],
    )

    @multi_asset(specs=[spec], name=DIVERSITY_STEP)
    def diversity_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: DiversityConfig
    ) -> MaterializeResult[None]:
        from dagster_defs.llm.embed import embedder
        from dagster_defs.steps.diversity.land import execute

        model = registry().role(Role.EMBEDDER)
        with ExitStack() as stack:
            made = embedder(model, settings.embeddings, load_keys(registry()), caps(config))
            found = execute(
                settings.published_database, settings.landing / "llm", model.name, stack.enter_context(made),
                config.threshold,
            )  # fmt: skip
        say = teller(context)
        for one in found:
            say(one.sentence(config.threshold))
        return MaterializeResult(
            asset_key=DIVERSE,
            metadata={
                "embedder": model.name,
                "threshold": MetadataValue.float(config.threshold),
                **{f"{one.comparison}: survivors": MetadataValue.json(one.diverse) for one in found},
                **{f"{one.comparison}: pairs": MetadataValue.int(one.pairs) for one in found},
            },
        )

    return diversity_room
