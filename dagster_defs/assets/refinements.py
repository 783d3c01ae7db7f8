"""Clearer wordings of accepted questions, landed as rows that dbt reads."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

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

from dagster_defs.assets.runs import SOURCE, Spending, caps, registry, served, teller
from dagster_defs.errors import RunError
from dagster_defs.llm.models import Registry, Role
from dagster_defs.names import DEEP_RESEARCH, FAMILIES, MULTI_ENTITY, REFINE_STEP
from dagster_defs.resources import Settings, Warehouse, load_keys

if TYPE_CHECKING:
    from dagster_defs.steps.refine.plan import Refining

REFINED = AssetKey([SOURCE, "refinements"])


class RefineConfig(Spending):
    """Which questions are refined, and what it may cost."""

    family: str = Field(MULTI_ENTITY, description="'multi_entity' or 'deep_research'.")
    split: str = Field("all", description="'train', 'test' or 'all'.")
    types: list[str] = Field([], description="Types of question; empty for all.")
    topics: list[str] = Field([], description="Topics; empty for all.")
    n: int = Field(200, description="How many questions, drawn evenly over the types; 0 for all.")
    seed: int = Field(0, description="Of the draw.")


def refine_asset(settings: Settings) -> AssetsDefinition:
    """The landed rows of refinements."""

    spec = AssetSpec(
        REFINED,
        description="One row per question that was to be rewritten: rewrite, what was found, judge's word, flags.",
        group_name="runs",
        kinds={"parquet"},
        deps=[AssetKey(["questions", "questions"])],
    )

    @multi_asset(specs=[spec], name=REFINE_STEP)
    def refine_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: RefineConfig
    ) -> MaterializeResult[None]:
        from dagster_defs.llm.caller import Caller
        from dagster_defs.steps.refine.execute import execute

        say = teller(context)
        with ExitStack() as stack:
            names = {registry().role(role).name for role in roles(config.family)}
            models = served(stack, registry(), names)
            caller = Caller(
                models, settings.journal, load_keys(models), caps(config), concurrency=config.concurrency,
                log=context.log.info, stream=settings.progress_stream(),
            )  # fmt: skip
            stack.enter_context(caller)
            report = execute(
                _refining(models, config), settings.published_database, settings.landing / "llm", caller, say
            )
        for line in report.sentences():
            say(line)
        return MaterializeResult(
            asset_key=REFINED,
            metadata={
                "refinement": report.refine_id,
                "statuses": MetadataValue.json(report.statuses),
                "refused": MetadataValue.json(report.reasons),
                "flags": MetadataValue.json(report.flags),
                "dollars": MetadataValue.float(report.dollars),
                "from the journal": report.cached,
            },
        )

    return refine_room


def estimated(settings: Settings, config: RefineConfig) -> str:
    """What a refinement would take, in one sentence; nothing is asked."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.refine.execute import estimate

    with Caller(registry(), settings.journal) as caller:
        return estimate(_refining(registry(), config), settings.published_database, caller)


def roles(family: str) -> tuple[Role, ...]:
    """Who is asked: a writer, the judge, and for deep research first of all who words the clues."""
    return (Role.COMPOSER, Role.JUDGE, Role.EXTRACTOR) if family == DEEP_RESEARCH else (Role.REFINER, Role.JUDGE)


def _refining(models: Registry, config: RefineConfig) -> "Refining":
    from dagster_defs.steps.refine.plan import Refining
    from dagster_defs.steps.solve.questions import QuestionSet

    if config.family not in FAMILIES:
        raise RunError(f"A family of questions is {' or '.join(FAMILIES)}, not '{config.family}'.")
    wanted = QuestionSet(
        config.family, config.split, tuple(config.types), tuple(config.topics), n=config.n, seed=config.seed
    )
    writer, judge, *clue_writer = (models.role(role) for role in roles(config.family))
    return Refining(writer, judge, wanted, *clue_writer)
