"""`python -m dagster_defs.run demo|build|home`: the main job from a terminal, in the instance that `make dev` shows.

Nothing heavy is imported before it is needed: the audit's worker processes import this module too.
"""

from __future__ import annotations

import datetime
import gc
import os
import resource
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_defs.errors import RunError, sentence

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from dagster_defs.resources import Settings

USAGE = "usage: python -m dagster_defs.run demo|build|home"


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit code. Every failure is one sentence on stderr, its full trace in data/logs."""
    if len(arguments) != 1 or arguments[0] not in ("demo", "build", "home"):
        print(USAGE, file=sys.stderr)
        return 2
    folder: Path | None = None
    log = Path("data/logs") / f"{datetime.datetime.now():%Y-%m-%dT%H-%M-%S}.log"
    try:
        from dagster_defs.resources import load_settings

        settings = load_settings()
        folder, log = settings.data_dir, settings.logs / log.name
        home = prepare_home(settings)
        if arguments[0] == "home":
            print(home)
            return 0
        run_main_job(settings, log)
        if arguments[0] == "demo":
            from dagster_defs.steps.summary import summary

            print(summary(settings.published_database))
    except KeyboardInterrupt:
        print("assay: stopped; the published database is as it was.", file=sys.stderr)
        return 130
    except Exception as error:
        print(f"assay: {sentence(error, folder)}", file=sys.stderr)
        from dagster_defs.runlog import keep_traceback

        if keep_traceback(log, error):
            print(f"       (every detail: {log})", file=sys.stderr)
        return 1
    return 0


def prepare_home(settings: Settings) -> Path:
    """Dagster's home under the data folder, with its settings (telemetry off), made known to this process."""
    home = settings.dagster_home
    home.mkdir(parents=True, exist_ok=True)
    quoted = str(home).replace("'", "''")
    wanted = Path(__file__).with_name("dagster.yaml").read_text().replace("{home}", quoted)
    file = home / "dagster.yaml"
    if not file.exists() or file.read_text() != wanted:
        file.write_text(wanted)
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def run_main_job(settings: Settings, log: Path) -> None:
    """Execute the main job in this process, printing a line a phase.

    Raises RunError with a gate's sentence when a gate stopped the run, and whatever else stopped it.
    """
    from dagster_defs.steps.lock import writer_lock

    started = time.monotonic()
    with writer_lock(settings.data_dir / "build" / "writer.lock"):
        pass  # Only asked early, so that a second run ends at once; the run itself takes it again.
    print(f"Building in {settings.data_dir} from {settings.endpoint} ...", flush=True)
    from dagster_defs.steps import ahead, workers

    if settings.endpoint == "sample" and not settings.landing.exists():
        ahead.load_sample()
    # Nothing of what is loaded now is ever garbage, so collecting it costs a tenth of the time and frees nothing.
    gc.disable()
    from dagster import DagsterInstance

    from dagster_defs.definitions import defs
    from dagster_defs.jobs import MAIN_JOB

    gc.freeze()
    gc.enable()
    workers.start_workers()
    from dagster_defs.runlog import phase_line

    print(phase_line("start", time.monotonic() - started), flush=True)
    job = defs.resolve_job_def(MAIN_JOB)
    run_config = {"loggers": {"run_log": {"config": {"file": str(log)}}}}
    run_id = str(uuid.uuid4())
    with DagsterInstance.get() as instance:
        try:
            job.execute_in_process(instance=instance, run_config=run_config, run_id=run_id)
        except Exception as error:
            said = _gate_sentence(instance, run_id)
            if said:
                raise RunError(said) from error
            raise
    print(phase_line("total", time.monotonic() - started))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  memory at most {megabytes:.0f} MB, and the audit's processes")


def _gate_sentence(instance: DagsterInstance, run_id: str) -> str | None:
    """What the gate said that stopped the run, None when no gate did."""
    from dagster import DagsterEventType

    for entry in instance.all_logs(run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION):
        check = entry.get_dagster_event().asset_check_evaluation_data
        if check.blocking and not check.passed:
            return check.description
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
