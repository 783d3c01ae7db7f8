"""Names that the wiring and the command line share."""

MAIN_JOB = "assay"
SOLVE_JOB = "solve"
SCORE_JOB = "score"
REFINE_JOB = "refine"
DIVERSITY_JOB = "diversity"
RECHECK_JOB = "recheck"
TOPIC_JOB = "topic"
DOMAINS_JOB = "domains"
PAGES_JOB = "pages"
EXTRACT_JOB = "extract"
DRAW_JOB = "draw"
REFERENCE_JOB = "reference"
ELICIT_JOB = "elicit"
JUDGE_JOB = "judge"
VARIANT_JOB = "variant"
# The op that lands topics; its configuration is IngestConfig.
INGEST_STEP = "ingest_room"
# The op that asks a model; its configuration is SolveConfig.
SOLVE_STEP = "solve_room"
# The op that asks for rewrites; its configuration is RefineConfig.
REFINE_STEP = "refine_room"
# The op that looks for near duplicates; its configuration is DiversityConfig.
DIVERSITY_STEP = "diversity_room"
# The op that fetches inputs again; its configuration is RecheckConfig.
RECHECK_STEP = "recheck_room"
# The op that makes topics of concepts; its configuration is TopicConfig.
TOPIC_STEP = "topic_room"
# The op that asks the domains' services; its configuration is DomainsConfig.
DOMAINS_STEP = "domains_room"
# The ops that land articles and have them read; their configurations are PagesConfig and ExtractConfig.
PAGES_STEP = "pages_room"
EXTRACT_STEP = "extract_room"
# The ops of elicitation: entity sets, texts about entities, models' triples, and verdicts on them.
DRAW_STEP = "draw_room"
REFERENCE_STEP = "reference_room"
ELICIT_STEP = "elicit_room"
JUDGE_STEP = "judge_room"
# The op that makes a variant of the published questions; its configuration is VariantConfig.
VARIANT_STEP = "variant_room"
# In which words a run asks: as minted, or in the newest accepted rewrite where there is one.
WORDINGS = ("minted", "refined")
# The least that a number of a run may be; every other number may be 0.
LEAST = {
    "samples": 1,
    "answer_tokens": 1,
    "table_tokens": 1,
    "steps": 1,
    "step_tokens": 1,
    "concurrency": 1,
    "passages": 1,
    "iterations": 1,
    "members": 1,
}
MULTI_ENTITY, DEEP_RESEARCH = FAMILIES = ("multi_entity", "deep_research")
# What a variant changes: which questions are drawn, or the facts that they are asked over.
FRESH, COUNTERFACTUAL = VARIANT_KINDS = ("fresh", "counterfactual")
SETTINGS = ("closed_book", "rag", "oracle", "agent")
# Settings of elicitation over sets that there always are; and the one over a list of titles.
ELICITATION_SETTINGS = (
    "random", "domains", "popularity", "ranges", "non_existing", "multiple_prompts", "reasoning_effort",
)  # fmt: skip
LIST_SETTING = "list"
BETWEEN = "--"


def partition(model: str, setting: str) -> str:
    """The partition of a model in a setting."""
    return f"{model}{BETWEEN}{setting}"
