"""Models under test: one partition for each model in each setting, landed as rows that dbt reads."""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    Config,
    MaterializeResult,
    MetadataValue,
    StaticPartitionsDefinition,
    multi_asset,
)
from pydantic import Field, model_validator

from dagster_defs.errors import RunError
from dagster_defs.llm.models import ModelSpec, Registry, Role, load_registry
from dagster_defs.names import BETWEEN, LEAST, SETTINGS, SOLVE_STEP, partition
from dagster_defs.resources import Settings, Warehouse, load_keys
from dagster_defs.runlog import ON_TERMINAL

if TYPE_CHECKING:
    from dagster_defs.llm.budget import Budget, Caps
    from dagster_defs.llm.embedding import Embedder
    from dagster_defs.steps.agent.pages import PageReader
    from dagster_defs.steps.solve.execute import Report
    from dagster_defs.steps.solve.plan import Run

# dbt's source of the same name.
SOURCE = "landed_llm"
DATASETS = {
    "answers": "One row per answer: text, outcome, context, tokens, cost.",
    "verdicts": "One row per answer: right or wrong, and who said so.",
    "tables": "One row per working table that a model gave, with what of the evidence it holds.",
    "tuples": "One row per tuple of a working table.",
    "steps": "One row per step of an agent: what it thought, did and saw.",
    "runs": "One row per run, landed last: model, setting, question set.",
}
LANDED = [AssetKey([SOURCE, dataset]) for dataset in DATASETS]
BUNDLED = "local"


class Spending(Config):
    """What may be spent; 0 stands for no limit."""

    dollars: float = Field(0.0, description="Stop before more than this is spent.")
    tokens: int = Field(0, description="Stop before more tokens than this are spent.")
    calls: int = Field(0, description="Stop before more calls than this are made.")
    concurrency: int = Field(32, description="Calls in flight to one server.")

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        """Raises RunError, which pydantic lets through as it is, for a number that the command line refuses, too."""
        for name, value in self:
            least = LEAST.get(name, 0)
            if isinstance(value, int | float) and not (value >= least and math.isfinite(value)):
                raise RunError(f"The configuration of a run takes {least} or more as its '{name}', not {value}.")
        return self


class SolveConfig(Spending):
    """What a run asks and what it may spend."""

    family: str = Field("multi_entity", description="'multi_entity' or 'deep_research'.")
    split: str = Field("test", description="'train', 'test' or 'all'.")
    categories: list[str] = Field([], description="Categories (deep research: domains); empty for all.")
    types: list[str] = Field([], description="Types of question; empty for all.")
    topics: list[str] = Field([], description="Topics; empty for all.")
    densities: list[str] = Field([], description="Density tiers: low, medium, high; empty for all.")
    n: int = Field(200, description="How many questions, drawn evenly over the types; 0 for all.")
    seed: int = Field(0, description="Of the draw, and of the first sample.")
    samples: int = Field(3, description="Answers to each question.")
    temperature: float = Field(0.0, description="Of the answers.")
    ea_max_entities: int = Field(
        100, description="Working tables are asked of questions with at most so many entities."
    )
    answer_tokens: int = Field(512, description="The limit on an answer.")
    table_tokens: int = Field(4096, description="The limit on a working table.")
    steps: int = Field(12, description="How many steps an agent takes at most, its answer included.")
    step_tokens: int = Field(1024, description="The limit on what an agent writes in one step.")
    wording: str = Field("minted", description="'minted', or 'refined': the newest accepted rewrite where one is.")
    variant: str = Field("", description="A variant, such as fresh-1, asked in place of what is published.")


@cache
def registry() -> Registry:
    """models.yml, read once."""
    return load_registry()


def partitions() -> StaticPartitionsDefinition:
    """'<model>--<setting>' for every chat model."""
    chat = [name for name, spec in registry().models.items() if spec.kind == "chat"]
    return StaticPartitionsDefinition([partition(name, setting) for name in chat for setting in SETTINGS])


def run_assets(settings: Settings) -> AssetsDefinition:
    """The landed rows of runs."""
    specs = [
        AssetSpec(
            AssetKey([SOURCE, dataset]),
            description=text,
            group_name="runs",
            kinds={"parquet"},
            partitions_def=partitions(),
            # What is read is the published file; to depend on that would be a circle, since runs end in it.
            deps=[AssetKey(["questions", "questions"])],
        )
        for dataset, text in DATASETS.items()
    ]

    @multi_asset(specs=specs, name=SOLVE_STEP)
    def solve_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: SolveConfig
    ) -> Iterator[MaterializeResult[None]]:
        from dagster_defs.llm.caller import Caller
        from dagster_defs.steps.solve.execute import execute

        model, _, setting = context.partition_key.rpartition(BETWEEN)
        say = teller(context)
        with ExitStack() as stack:
            models = served(stack, registry(), {model, registry().role(Role.JUDGE).name})
            run = _run(settings, models.model(model), setting, config)
            caller = Caller(
                models, settings.journal, load_keys(models), caps(config), concurrency=config.concurrency,
                log=context.log.info, stream=settings.progress_stream(),
            )  # fmt: skip
            stack.enter_context(caller)
            report = execute(
                run, _database(settings, config), settings.landing / "llm", caller, models.role(Role.JUDGE),
                _embedder(stack, settings, models, run, caller.budget), say, _reader(settings, run),
            )  # fmt: skip
        say(report.sentence())
        metadata = _metadata(report)
        for key in LANDED:
            yield MaterializeResult(asset_key=key, metadata=metadata)

    return solve_room


def _metadata(report: "Report") -> dict[str, Any]:
    """What a run came to, as the pages show it."""
    return {
        "run": report.run_id,
        "outcomes": MetadataValue.json(report.outcomes),
        "right": report.correct,
        "unscored": report.unscored,
        "dollars": MetadataValue.float(report.dollars),
        "from the journal": report.cached,
    }


def estimated(settings: Settings, model: str, setting: str, config: SolveConfig) -> str:
    """What a run would take, in one sentence; nothing is asked."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.llm.embed import KeptVectors
    from dagster_defs.steps.solve.execute import estimate

    run = _run(settings, registry().model(model), setting, config)
    with ExitStack() as stack:
        caller = stack.enter_context(Caller(registry(), settings.journal))
        embedder = _embedder(stack, settings, registry(), run)
        said = estimate(run, _database(settings, config), caller, embedder)
        return " ".join(filter(None, (said, embedder.sentence() if isinstance(embedder, KeptVectors) else "")))


def teller(context: AssetExecutionContext) -> Callable[[str], None]:
    """What says a line that a person should read, in the log and on the terminal."""

    def say(line: str) -> None:
        context.log.info(line, extra={ON_TERMINAL: True})

    return say


def _run(settings: Settings, spec: ModelSpec, setting: str, config: SolveConfig) -> "Run":
    from dagster_defs.steps.solve.contexts import Setting
    from dagster_defs.steps.solve.plan import Run
    from dagster_defs.steps.solve.questions import QuestionSet

    wanted = QuestionSet(
        config.family,
        config.split,
        tuple(config.types),
        tuple(config.topics),
        tuple(config.densities),
        config.n,
        config.seed,
        config.wording,
        categories=tuple(config.categories),
    )
    return Run(
        spec,
        Setting(setting),
        wanted,
        config.samples,
        config.temperature,
        config.ea_max_entities,
        config.answer_tokens,
        config.table_tokens,
        config.steps,
        config.step_tokens,
        live=settings.endpoint != "sample" and setting == Setting.AGENT,
    )


def _database(settings: Settings, config: SolveConfig) -> Path:
    from dagster_defs.steps.variants import path_of

    return path_of(settings.published_database, settings.variants, config.variant)


def _reader(settings: Settings, run: "Run") -> "PageReader | None":
    """What an agent reads pages with, where a live endpoint is configured."""
    if not run.live:
        return None
    from dagster_defs.steps.agent.pages import HOSTS, PageReader

    return PageReader(HOSTS, settings.contact)


def caps(config: Spending) -> "Caps":
    """The limits of a configuration, where 0 stands for none."""
    from dagster_defs.llm.budget import Caps

    return Caps(dollars=config.dollars or None, tokens=config.tokens or None, calls=config.calls or None)


def served(stack: ExitStack, models: Registry, asked: set[str]) -> Registry:
    """The bundled model is started for as long as the run takes, where it is asked."""
    if BUNDLED not in asked:
        return models
    from dagster_defs.llm.local import local_server

    return models.with_base_url(BUNDLED, stack.enter_context(local_server()))


def _embedder(
    stack: ExitStack, settings: Settings, models: Registry, run: "Run", budget: "Budget | None" = None
) -> "Embedder | None":
    """What a run in the setting rag embeds with, until ``stack`` ends; without a budget nothing is sent."""
    if run.setting != "rag":
        return None
    from dagster_defs.llm.embed import KeptVectors, embedder

    spec = models.role(Role.EMBEDDER)
    if budget is None and spec.base_url is not None:
        return stack.enter_context(KeptVectors(spec, settings.embeddings))
    return stack.enter_context(embedder(spec, settings.embeddings, load_keys(models), budget))
