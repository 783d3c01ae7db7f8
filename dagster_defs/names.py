"""Names that the wiring and the command line share."""

MAIN_JOB = "assay"
SOLVE_JOB = "solve"
SCORE_JOB = "score"
# The op that asks a model; its configuration is SolveConfig.
SOLVE_STEP = "solve_room"
SETTINGS = ("closed_book", "rag", "oracle")
BETWEEN = "--"


def partition(model: str, setting: str) -> str:
    """The partition of a model in a setting."""
    return f"{model}{BETWEEN}{setting}"
