"""Jobs executed in this process, in the instance that `make dev` shows, with a line a phase on the terminal."""

from __future__ import annotations

import gc
import os
import resource
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.errors import RunError
from dagster_defs.names import MAIN_JOB

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from dagster_defs.resources import Settings

DAGSTER_SETTINGS = Path(__file__).parents[1] / "dagster.yaml"


@dataclass(frozen=True)
class Work:
    """A job to execute, its configuration by step, and the partition it is for, if it has any."""

    job: str
    ops: Mapping[str, Any] = field(default_factory=dict)
    partition: str | None = None


def prepare_home(settings: Settings) -> Path:
    """Dagster's home under the data folder, with its settings (telemetry off), made known to this process."""
    home = settings.dagster_home
    home.mkdir(parents=True, exist_ok=True)
    quoted = str(home).replace("'", "''")
    wanted = DAGSTER_SETTINGS.read_text().replace("{home}", quoted)
    file = home / "dagster.yaml"
    if not file.exists() or file.read_text() != wanted:
        file.write_text(wanted)
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def execute(settings: Settings, log: Path, works: Iterable[Work]) -> None:
    """Execute ``works`` one after the other.

    Raises RunError with a gate's sentence when a gate stopped one, and whatever else stopped it.
    """
    from dagster_defs.steps.lock import writer_lock

    started = time.monotonic()
    with writer_lock(settings.data_dir / "build" / "writer.lock"):
        pass  # Only asked early, so that a second run ends at once; the run itself takes it again.
    works = list(works)
    defs = _definitions(settings, sample=any(work.job == MAIN_JOB for work in works))
    from dagster import DagsterInstance

    from dagster_defs.runlog import phase_line

    print(phase_line("start", time.monotonic() - started), flush=True)
    with DagsterInstance.get() as instance:
        for work in works:
            _execute(defs, instance, work, log)
    print(phase_line("total", time.monotonic() - started))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {megabytes:.0f} MB of memory at most, beside what the processes of gates and audit took")


def _definitions(settings: Settings, *, sample: bool) -> Any:
    """The definitions, loaded while the sample is landed, where it will be and has not been."""
    from dagster_defs.resources import PROJECT
    from dagster_defs.steps import ahead, workers

    if sample and settings.endpoint == "sample" and not (settings.landing / "wikidata").exists():
        ahead.begin(settings, PROJECT / "models")
    # Nothing of what is loaded now is ever garbage, so collecting it costs a tenth of the time and frees nothing.
    gc.disable()
    from dagster_defs.definitions import defs

    gc.freeze()
    gc.enable()
    workers.start_workers()
    return defs


def _execute(defs: Any, instance: DagsterInstance, work: Work, log: Path) -> None:
    job = defs.resolve_job_def(work.job)
    run_config = {"loggers": {"run_log": {"config": {"file": str(log)}}}, "ops": dict(work.ops)}
    run_id = str(uuid.uuid4())
    try:
        job.execute_in_process(instance=instance, run_config=run_config, run_id=run_id, partition_key=work.partition)
    except Exception as error:
        said = _gate_sentence(instance, run_id)
        if said:
            raise RunError(said) from error
        raise


def _gate_sentence(instance: DagsterInstance, run_id: str) -> str | None:
    """What the gate said that stopped the run, None when no gate did."""
    from dagster import DagsterEventType

    for entry in instance.all_logs(run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION):
        check = entry.get_dagster_event().asset_check_evaluation_data
        if check.blocking and not check.passed:
            return check.description
    return None
