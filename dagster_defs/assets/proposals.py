"""Concepts made into topics that a person reviews: by declaration, or proposed by a model; landed as rows."""

import csv
import datetime
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
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

from dagster_defs.assets.ingest import endpoint_of
from dagster_defs.assets.runs import Spending, caps, registry, served, teller
from dagster_defs.assets.wikimedia import is_live, wikipedia
from dagster_defs.errors import RunError
from dagster_defs.llm.models import ModelSpec, Role
from dagster_defs.names import TOPIC_STEP
from dagster_defs.resources import PROJECT, Settings, Warehouse, load_keys

if TYPE_CHECKING:
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.propose.execute import Asked, Outcome, Places
    from dagster_defs.steps.propose.measure import Probe
    from ingest.concepts.declaration import Declaration
    from ingest.wikipedia.client import WikipediaClient

SOURCE = "landed_proposals"
PROPOSED = {
    AssetKey([SOURCE, "proposals"]): "One row per concept, endpoint and day: whether it became a topic to review.",
    AssetKey([SOURCE, "proposed_candidates"]): "One row per name of a proposal and entity that the search gave for it.",
    AssetKey([SOURCE, "proposed_iterations"]): "One row per query that was executed and decided on.",
    AssetKey([SOURCE, "proposed_attributes"]): "One row per attribute of a proposal's last query: its coverage.",
}
ALL = "all"
_UNITS = PROJECT / "seeds" / "units.csv"
# An endpoint that fails one concept after the other is down.
_FAILURES_IN_A_ROW = 3


class TopicConfig(Spending):
    """Which concepts become topics, and how good they have to be."""

    concept: str = Field(ALL, description="A declared concept, 'all' of them, or one that a model is to propose.")
    field: str = Field("", description="Of all: the concepts of one field alone.")
    description: str = Field("", description="What a concept that is not declared is, for the model.")
    model: str = Field("", description="Who proposes; empty for the role 'proposer', where a description is given.")
    threshold: float = Field(0.98, description="Least share of valid results.")
    members: int = Field(20, description="Least number of entities.")
    iterations: int = Field(8, description="Queries of a concept that are decided on at most.")
    sample: int = Field(2000, description="Results that are checked at most.")
    seed: int = Field(0, description="Of the sample.")


def topic_asset(settings: Settings) -> AssetsDefinition:
    """The landed rows of proposals; what a person reviews is written below data/proposals."""
    specs = [
        AssetSpec(key, description=text, group_name="proposals", kinds={"parquet"}) for key, text in PROPOSED.items()
    ]

    @multi_asset(specs=specs, name=TOPIC_STEP, can_subset=False)
    def topic_room(
        context: AssetExecutionContext, warehouse: Warehouse, config: TopicConfig
    ) -> Iterator[MaterializeResult[None]]:
        say = teller(context)
        with ExitStack() as stack:
            found = list(_outcomes(stack, settings, config, context.log.info, say))
        refused = [one.concept for one in found if not one.refined.is_accepted]
        say(f"{len(found) - len(refused)} of {len(found)} concepts came to a topic that can be reviewed.")
        for key in PROPOSED:
            yield MaterializeResult(
                asset_key=key, metadata={"concepts": len(found), "refused": MetadataValue.json(refused)}
            )

    return topic_room


def topic_estimate(settings: Settings, config: TopicConfig) -> str:
    """What a concept would take, in one sentence; nothing is asked."""
    chosen = _declared(config)
    if chosen:
        many = f"{len(chosen)} declared concept{'s' if len(chosen) > 1 else ''}"
        turns = f"{config.iterations} iterations at most"
        return f"{many}: no call of a model, {turns}, and some 15 queries for each adjustment that one tries."
    from dagster_defs.llm.caller import Caller
    from dagster_defs.steps.propose.execute import estimate

    with ExitStack() as stack:
        caller = stack.enter_context(Caller(registry(), settings.journal))
        return estimate(config.concept, config.description, _spec(config), caller)


def _outcomes(
    stack: ExitStack,
    settings: Settings,
    config: TopicConfig,
    log: Callable[[str], None],
    say: Callable[[str], None],
) -> "Iterator[Outcome]":
    # Imported here: SPARQL, RDF and Parquet libraries are no part of loading the definitions.
    chosen, places, probe = _declared(config), _places(settings), _probe(settings, config)
    search = wikipedia(stack, settings) if is_live(settings) else None
    if chosen:
        yield from _of_declared(chosen, config.concept == ALL, probe, places, search, log, say)
        return
    from dagster_defs.steps.propose.execute import from_words

    if search is None:
        raise RunError(
            f"'{config.concept}' is not declared, and names are looked up in live Wikidata: set ASSAY_ENDPOINT and"
            " ASSAY_CONTACT, or declare it in ingest/concepts."
        )
    caller = _caller(stack, settings, config, log)
    outcome = from_words(_asked(config, caller, search), probe, places, log)
    _tell(outcome, say)
    yield outcome


def _of_declared(
    chosen: "list[Declaration]",
    going_on: bool,
    probe: "Probe",
    places: "Places",
    search: "WikipediaClient | None",
    log: Callable[[str], None],
    say: Callable[[str], None],
) -> "Iterator[Outcome]":
    """What comes of declared concepts, one after the other; ``going_on``: without those that landed today already.

    A concept that a service fails on does not stop the others, but three in a row do. Raises RunError at the end.
    """
    from dagster_defs.steps.propose.execute import declared_id, from_declaration
    from dagster_defs.steps.propose.rows import ZONE
    from ingest.errors import IngestError

    failed: list[str] = []
    in_a_row = 0
    landed = set(ZONE.names(places.landing, "proposals")) if going_on else set()
    for declaration in chosen:
        if declared_id(declaration, probe, datetime.datetime.now(datetime.UTC).date()) in landed:
            log(f"{declaration.concept} landed today already.")
            continue
        try:
            expects = probe if search is None else _with_constraints(probe, declaration, search)
            # What was measured for one concept is of no use to another, and would stay in memory.
            outcome = from_declaration(declaration, replace(expects, measured={}), places, log)
        except IngestError as error:
            failed.append(declaration.concept)
            in_a_row += 1
            say(str(error))
            if in_a_row == _FAILURES_IN_A_ROW or not going_on:
                break
            continue
        in_a_row = 0
        _tell(outcome, say)
        yield outcome
    if failed:
        raise RunError(
            f"{len(failed)} of {len(chosen)} concepts could not be asked, the last '{failed[-1]}': run again, and those"
            " that landed today are left out."
        )


def _tell(outcome: "Outcome", say: Callable[[str], None]) -> None:
    for line in outcome.sentences():
        say(line)


def _declared(config: TopicConfig) -> "list[Declaration]":
    """The declared concepts that are meant; none where the concept is not declared, and may be proposed.

    Raises RunError for one that is neither declared nor described, or a topic already.
    """
    from dagster_defs.steps.propose.concept import topic_name
    from ingest.concepts.declaration import load_declarations

    known = load_declarations(field=config.field or None)
    if config.concept == ALL:
        if not known:
            raise RunError("No concept is declared: add one to ingest/concepts, or name one and describe it.")
        return known
    found = [one for one in known if config.concept in (one.concept, one.topic)]
    topic = found[0].topic if found else topic_name(config.concept)
    if (PROJECT / "models" / "topics" / f"{topic}.sql").exists():
        raise RunError(f"'{topic}' is a topic already: give the concept another name.")
    if not found and not config.description:
        raise RunError(
            f"'{config.concept}' is no declared concept: name one of ingest/concepts, or describe it for a model to"
            " propose (--description)."
        )
    return found


def _places(settings: Settings) -> "Places":
    from dagster_defs.steps.propose.execute import Places

    with (PROJECT / "seeds" / "properties.csv").open(encoding="utf-8", newline="") as handle:
        varying = frozenset(row["property_id"] for row in csv.DictReader(handle) if row["varies_with_time"] == "true")
    return Places(settings.landing / "proposals", settings.proposals, settings.published_database, varying)


def _probe(settings: Settings, config: TopicConfig) -> "Probe":
    from dagster_defs.steps.propose.check import Rules
    from dagster_defs.steps.propose.measure import Bar, Probe
    from dagster_defs.steps.propose.units import Units

    endpoint, _ = endpoint_of(settings)
    return Probe(
        endpoint,
        Rules(Units(_UNITS).dimensions, today=datetime.datetime.now(datetime.UTC).date().isoformat()),
        Bar(config.threshold, config.members, config.iterations, config.sample, config.seed),
        settings.language,
        settings.page_size,
        settings.batch_size,
    )


def _with_constraints(probe: "Probe", declaration: "Declaration", search: "WikipediaClient") -> "Probe":
    """The probe with what Wikidata expects of the concept's properties."""
    properties = {one.steps[0] for one in declaration.attributes if one.steps[0].startswith("P")}
    known = {one.entity_id: one.constraints for one in search.candidates(properties, probe.language)}
    return replace(probe, rules=replace(probe.rules, constraints=known), measured={})


def _spec(config: TopicConfig) -> ModelSpec:
    return registry().model(config.model) if config.model else registry().role(Role.PROPOSER)


def _caller(stack: ExitStack, settings: Settings, config: TopicConfig, log: Callable[[str], None]) -> "Caller":
    from dagster_defs.llm.caller import Caller

    models = served(stack, registry(), {_spec(config).name})
    caller = Caller(
        models, settings.journal, load_keys(models), caps(config), concurrency=config.concurrency,
        log=log, stream=settings.progress_stream(),
    )  # fmt: skip
    return stack.enter_context(caller)


def _asked(config: TopicConfig, caller: "Caller", search: "WikipediaClient") -> "Asked":
    from dagster_defs.steps.propose.execute import Asked
    from dagster_defs.steps.propose.units import Units

    spec = caller.registry.model(_spec(config).name)
    return Asked(config.concept, config.description, spec, caller, search, Units(_UNITS))
