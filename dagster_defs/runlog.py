"""What a run started from a terminal prints and keeps: a line a phase on the screen, everything in data/logs."""

from __future__ import annotations

import logging
import time
import traceback
from pathlib import Path

from dagster import DagsterEvent, InitLoggerContext, logger

# Step -> what people call it; a step not listed goes by its own name.
PHASES = {
    "ingest_room": "ingest",
    "facts_room": "facts",
    "facts__best_values_facts_gate": "facts gate",
    "facts__fills_extractions_gate": "extractions gate",
    "topics_room": "topics",
    "topics__entity_attributes_topics_gate": "topics gate",
    "questions_room": "questions",
    "questions__questions_questions_gate": "questions gate",
    "deep_research__research_minted_deep_research_gate": "research gate",
    "questions__questions_recomputed_gold": "audit",
    "scores_room": "scores",
    "documents__quotes_documents_gate": "documents gate",
    "runs__verdicts_runs_gate": "runs gate",
    "scores__by_model_scores_gate": "scores gate",
    "questions__deep_research_selection_gate": "selection gate",
    "elicitation__scores_elicitation_gate": "elicitation gate",
    "published__assay_duckdb": "publish",
    "published__history": "history",
    "published__report": "report",
    "pages_room": "pages",
    "extract_room": "extract",
    "topic_room": "topic",
    "variant_room": "variant",
    "solve_room": "solve",
    "refine_room": "refine",
    "diversity_room": "diversity",
}


# A log record with this attribute is for the terminal too.
ON_TERMINAL = "on_terminal"


class PhaseTimer(logging.Handler):
    """Prints each step's wall time, in seconds, when it ends, and what is meant for the terminal."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._started: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Note when a step starts, and print a line when it ends."""
        if getattr(record, ON_TERMINAL, False):
            print(
                f"  {(getattr(record, 'dagster_meta', None) or {}).get('orig_message', record.getMessage())}",
                flush=True,
            )
        event = (getattr(record, "dagster_meta", None) or {}).get("dagster_event")
        if not isinstance(event, DagsterEvent) or event.step_key is None:
            return
        if event.is_step_start:
            self._started[event.step_key] = time.monotonic()
        elif (event.is_step_success or event.is_step_failure) and event.step_key in self._started:
            seconds = time.monotonic() - self._started.pop(event.step_key)
            mark = "" if event.is_step_success else "  stopped"
            print(phase_line(PHASES.get(event.step_key, event.step_key), seconds) + mark, flush=True)


def phase_line(phase: str, seconds: float) -> str:
    """One line of the timing table."""
    return f"  {phase:<18} {seconds:7.1f} s"


@logger(config_schema={"file": str}, description="Times each phase on the terminal; keeps the full log in a file.")
def run_log(context: InitLoggerContext) -> logging.Logger:
    """A logger that writes everything to the configured file, and phases to the terminal."""
    path = Path(context.logger_config["file"])
    path.parent.mkdir(parents=True, exist_ok=True)
    file = logging.FileHandler(path)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.Logger("assay", logging.DEBUG)
    log.addHandler(file)
    log.addHandler(PhaseTimer())
    return log


def keep_traceback(path: Path, error: BaseException) -> bool:
    """Append the whole traceback of ``error`` to the log at ``path``; False when that cannot be written either."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return False
    return True
