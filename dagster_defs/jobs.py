"""The jobs: build everything, ask services, ask models, score what they answered, recheck what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dagster import AssetKey, AssetSelection, define_asset_job
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from dagster_defs.assets.diversity import DIVERSE
from dagster_defs.assets.documents import EXTRACTED, PAGES
from dagster_defs.assets.domains import STATED
from dagster_defs.assets.elicitation import ELICITED, JUDGED
from dagster_defs.assets.proposals import PROPOSED
from dagster_defs.assets.publish import REPORT
from dagster_defs.assets.rechecks import COUNTED, RECHECKED
from dagster_defs.assets.reference import DRAWN, REFERENCED
from dagster_defs.assets.refinements import REFINED
from dagster_defs.assets.runs import LANDED
from dagster_defs.assets.variants import VARIANT
from dagster_defs.names import (
    DIVERSITY_JOB,
    DOMAINS_JOB,
    DRAW_JOB,
    ELICIT_JOB,
    EXTRACT_JOB,
    JUDGE_JOB,
    MAIN_JOB,
    PAGES_JOB,
    RECHECK_JOB,
    REFERENCE_JOB,
    REFINE_JOB,
    SCORE_JOB,
    SOLVE_JOB,
    TOPIC_JOB,
    VARIANT_JOB,
)

# What has a job of its own.
BESIDE = (
    REFINED, DIVERSE, RECHECKED, COUNTED, STATED, VARIANT, *DRAWN, *REFERENCED, *ELICITED, *JUDGED, *PROPOSED, *PAGES,
    *EXTRACTED,
)  # fmt: skip


# Job -> what it makes, and what for.
_LANDING: Mapping[str, tuple[Sequence[AssetKey], str]] = {
    SOLVE_JOB: (LANDED, "Asks one model in one setting; what it was asked before is taken from the journal."),
    REFINE_JOB: (
        [REFINED],
        "Has questions rewritten, checked and confirmed; what was asked before comes from the journal.",
    ),
    DIVERSITY_JOB: (
        [DIVERSE],
        "Finds near duplicates among the deep-research questions; vectors that are kept cost nothing.",
    ),
    RECHECK_JOB: (
        [RECHECKED, COUNTED],
        "Fetches the inputs of every published question again, and lands what is not as it was.",
    ),
    TOPIC_JOB: (
        list(PROPOSED),
        "Makes topics to review of concepts: proposed by a model or declared, refined by what their queries give.",
    ),
    DOMAINS_JOB: ([STATED], "Discovers the entities of domains' topics, and lands what services say of them."),
    PAGES_JOB: (list(PAGES), "Lands Wikipedia's articles of the topics' entities, fifty at a time."),
    EXTRACT_JOB: (
        list(EXTRACTED),
        "Has the landed articles read for the topics' attributes; what was asked before comes from the journal.",
    ),
    DRAW_JOB: (list(DRAWN), "Makes an entity set: drawn from live Wikipedia, or from a list of titles."),
    REFERENCE_JOB: (
        list(REFERENCED),
        "Reads articles and web results about an entity set, and has triples extracted from them.",
    ),
    ELICIT_JOB: (
        list(ELICITED),
        "Asks a model for all it knows about entities, as triples; or takes triples in from a file.",
    ),
    VARIANT_JOB: ([VARIANT], "Draws the published questions anew, or asks them over changed facts."),
    JUDGE_JOB: (list(JUDGED), "Judges a sample of every experiment's triples, and of the reference against them."),
}


def jobs(scored: Sequence[AssetKey]) -> list[UnresolvedAssetJobDefinition]:
    """All jobs, the main one first; ``scored`` are the assets that change when a model has answered."""
    return [
        define_asset_job(
            MAIN_JOB,
            # The page is drawn when there are new scores to see, not each time questions are minted.
            selection=AssetSelection.all() - AssetSelection.assets(*LANDED, *BESIDE, REPORT),
            description="Lands every topic, builds facts, topics, questions and scores, passes the gates, publishes.",
        ),
        *(
            define_asset_job(name, selection=AssetSelection.assets(*keys), description=text)
            for name, (keys, text) in _LANDING.items()
        ),
        define_asset_job(
            SCORE_JOB,
            selection=AssetSelection.assets(*scored),
            description="Scores every landed run, passes the gates, publishes, and writes the report.",
        ),
    ]
