"""What models tell of entities as triples, and what a judge finds of them, landed as rows that dbt reads."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster import AssetExecutionContext, AssetKey, AssetsDefinition, AssetSpec, MaterializeResult, multi_asset
from pydantic import Field

from dagster_defs.assets.reference import SOURCE
from dagster_defs.assets.runs import Spending, caps, registry, served, teller
from dagster_defs.errors import RunError
from dagster_defs.llm.models import Registry, Role
from dagster_defs.names import ELICIT_STEP, JUDGE_STEP
from dagster_defs.resources import Settings, Warehouse, load_keys

if TYPE_CHECKING:
    from dagster_defs.llm.caller import Caller
    from dagster_defs.llm.embedding import Embedder
    from dagster_defs.steps.elicit.plan import Experiment
    from dagster_defs.steps.judge.plan import Judging

ELICITED = {
    AssetKey([SOURCE, "experiments"]): "One row per experiment, landed last: model, setting, prompt, entities.",
    AssetKey([SOURCE, "elicitations"]): "One row per experiment and entity: outcome, tokens and cost.",
    AssetKey([SOURCE, "triples"]): "One row per triple, as the model wrote it.",
}
JUDGED = {
    AssetKey([SOURCE, "evaluations"]): "One row per evaluation of an experiment, landed last.",
    AssetKey([SOURCE, "verdicts"]): "One row per sampled triple: the verdict and who gave it.",
    AssetKey([SOURCE, "judge_answers"]): "One row per judge and example whose verdict is known.",
}


class ElicitConfig(Spending):
    """Who is asked, about whom, in which way, and what it may cost."""

    model: str = Field("local", description="Name in models.yml; of imported triples whose they are.")
    settings: list[str] = Field(["random"], description="Settings of the method.")
    set_name: str = Field("", description="Entity set; empty for that of each setting.")
    n: int = Field(20, description="The first so many entities of a set; 0 for all.")
    prompts: list[str] = Field([], description="Variants of the prompt; empty for those of each setting.")
    efforts: list[str] = Field([], description="Reasoning efforts; empty for those of each setting.")
    scales: list[float] = Field([], description="Multiples of the expected number; empty for those of each setting.")
    answer_tokens: int = Field(2048, description="The limit on an answer.")
    temperature: float = Field(0.0, description="Of the answers.")
    seed: int = Field(42, description="Sent with every call.")
    via: str = Field("direct", description="'direct', or 'batch' for the Batch API.")
    triples: str = Field("", description="A CSV of triples to take in, in place of asking.")


class JudgeConfig(Spending):
    """What is judged, and how much of it."""

    models: list[str] = Field([], description="Models whose triples are judged; empty for all.")
    settings: list[str] = Field([], description="Settings; empty for all.")
    sample_size: int = Field(500, description="Triples drawn in each direction; 0 for all.")
    seed: int = Field(42, description="Of the draw.")
    passages: int = Field(10, description="Most similar passages that the judge sees of a triple.")
    threshold: float = Field(0.99, description="Cosine similarity from which no judge is asked; above 1 for never.")


def elicit_asset(settings: Settings) -> AssetsDefinition:
    """The landed triples of models."""

    @multi_asset(specs=_specs(ELICITED), name=ELICIT_STEP, can_subset=False)
    def elicit_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: ElicitConfig
    ) -> Iterator[MaterializeResult[None]]:
        say = teller(context)
        found = [_imported(settings, config)] if config.triples else _elicited(settings, config, context)
        for line in found:
            say(line)
        for key in ELICITED:
            yield MaterializeResult(asset_key=key, metadata={"experiments": len(found)})

    return elicit_room


def judge_asset(settings: Settings) -> AssetsDefinition:
    """The landed verdicts on triples."""

    @multi_asset(specs=_specs(JUDGED), name=JUDGE_STEP, can_subset=False)
    def judge_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: JudgeConfig
    ) -> Iterator[MaterializeResult[None]]:
        from dagster_defs.steps.judge.execute import calibrate, execute

        say = teller(context)
        names = judged_experiments(settings, config)
        with ExitStack() as stack:
            caller, models = _caller(stack, settings, config, {registry().role(Role.JUDGE).name}, context)
            judging, embedder = _judging(models, config), _embedder(stack, settings, models, caller)
            for number, name in enumerate(names, 1):
                report = execute(judging, name, settings.published_database, settings.elicitation, caller, embedder)
                say(f"{number} of {len(names)}: {report.sentence()}")
            say(calibrate(judging, settings.published_database, settings.elicitation, caller))
        for key in JUDGED:
            yield MaterializeResult(asset_key=key, metadata={"evaluations": len(names)})

    return judge_room


def elicit_estimate(settings: Settings, config: ElicitConfig) -> str:
    """What an elicitation would take, in one sentence; nothing is asked."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.elicit.execute import estimate

    with Caller(registry(), settings.journal) as caller:
        return estimate(experiments(settings, registry(), config), caller)


def judge_estimate(settings: Settings, config: JudgeConfig) -> str:
    """What judging would take, in one sentence; no judge is asked."""
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.judge.execute import estimate

    with ExitStack() as stack:
        caller = stack.enter_context(Caller(registry(), settings.journal))
        embedder = _embedder(stack, settings, registry(), None)
        names = judged_experiments(settings, config)
        return estimate(_judging(registry(), config), names, settings.published_database, caller, embedder)


def experiments(settings: Settings, models: Registry, config: ElicitConfig) -> "list[Experiment]":
    """The experiments of a configuration, one after the other."""
    from dagster_defs.steps.elicit.plan import experiments_of

    spec = models.model(config.model)
    return [
        one
        for setting in config.settings
        for one in experiments_of(
            setting, spec, settings.published_database, set_name=config.set_name or None, n=config.n,
            prompts=config.prompts, efforts=config.efforts, scales=config.scales,
            temperature=config.temperature, answer_tokens=config.answer_tokens, seed=config.seed,
        )
    ]  # fmt: skip


def judged_experiments(settings: Settings, config: JudgeConfig) -> list[str]:
    """The ids of the experiments that a configuration has judged."""
    from dagster_defs.steps.judge.texts import Elicited

    with Elicited(settings.published_database) as source:
        return source.experiments(config.models, config.settings)


def _elicited(settings: Settings, config: ElicitConfig, context: AssetExecutionContext) -> list[str]:
    from dagster_defs.steps.elicit.execute import execute

    with ExitStack() as stack:
        caller, models = _caller(stack, settings, config, {config.model}, context)
        asked = experiments(settings, models, config)
        return [execute(one, settings.elicitation, caller, teller(context), via=config.via).sentence() for one in asked]


def _imported(settings: Settings, config: ElicitConfig) -> str:
    from dagster_defs.steps.elicit.entities import read_set
    from dagster_defs.steps.elicit.imports import import_triples
    from dagster_defs.steps.elicit.plan import SETTINGS, check_among, set_of

    if len(config.settings) != 1 or len(config.prompts) > 1:
        raise RunError("A file holds the triples of one setting and one prompt: name one of each.")
    check_among("setting", config.settings[0], SETTINGS)
    asked = read_set(settings.published_database, set_of(config.settings[0], config.set_name))
    prompt = config.prompts[0] if config.prompts else "direct"
    return import_triples(
        Path(config.triples), asked, settings.elicitation, model=config.model, setting=config.settings[0], prompt=prompt
    ).sentence()


def _specs(described: dict[AssetKey, str]) -> list[AssetSpec]:
    return [
        # What is read is the published file; to depend on its tables would be a circle, since this ends in it.
        AssetSpec(key, description=text, group_name="elicitation", kinds={"parquet"})
        for key, text in described.items()
    ]


def _caller(
    stack: ExitStack, settings: Settings, config: Spending, asked: set[str], context: AssetExecutionContext
) -> "tuple[Caller, Registry]":
    from dagster_defs.llm.caller import Caller

    models = served(stack, registry(), asked)
    caller = Caller(
        models, settings.journal, load_keys(models), caps(config), concurrency=config.concurrency,
        log=context.log.info, stream=settings.progress_stream(),
    )  # fmt: skip
    return stack.enter_context(caller), models


def _judging(models: Registry, config: JudgeConfig) -> "Judging":
    from dagster_defs.steps.judge.plan import Judging

    return Judging(
        models.role(Role.JUDGE),
        models.role(Role.EMBEDDER).name,
        config.sample_size,
        config.seed,
        config.passages,
        threshold=config.threshold,
    )


def _embedder(stack: ExitStack, settings: Settings, models: Registry, caller: "Caller | None") -> "Embedder":
    """What passages are found by, until ``stack`` ends; without a caller nothing is sent."""
    from dagster_defs.llm.embed import KeptVectors, embedder

    spec = models.role(Role.EMBEDDER)
    if caller is None and spec.base_url is not None:
        return stack.enter_context(KeptVectors(spec, settings.embeddings))
    budget: Any = None if caller is None else caller.budget
    return stack.enter_context(embedder(spec, settings.embeddings, load_keys(models), budget))
