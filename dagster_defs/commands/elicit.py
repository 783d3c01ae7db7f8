"""`elicit`: have a model tell all it knows, and judge it. `judge`: only that. `results`: as CSV. `demo-elicit`: all."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.build import mint
from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_numbers, at_least, names
from dagster_defs.errors import RunError
from dagster_defs.names import (
    ELICIT_JOB,
    ELICIT_STEP,
    ELICITATION_SETTINGS,
    JUDGE_JOB,
    JUDGE_STEP,
    LIST_SETTING,
    SCORE_JOB,
)

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_ASKING: Numbers = {
    "n": (int, 20, "the first so many entities of each set; 0 for all"),
    "answer-tokens": (int, 2048, "the limit on an answer"),
    "temperature": (float, 0.0, "of the answers"),
}
_JUDGING: Numbers = {
    "sample-size": (int, 500, "triples judged of an experiment in each direction; 0 for all"),
    "seed": (int, 42, "of the sample, and sent with every call"),
    "passages": (int, 10, "most similar passages that the judge sees of a triple"),
    "threshold": (float, 0.99, "cosine similarity from which no judge is asked; above 1 for never"),
}
# What two cores ask and judge in minutes.
_DEMO_ASKED = {"n": 20, "answer_tokens": 64, "concurrency": 2}
_DEMO_JUDGED = {"sample_size": 4, "concurrency": 2, "passages": 3}


def add_parser(commands: Any) -> None:
    """The four commands."""
    elicit_parser = commands.add_parser("elicit", help="have a model tell all it knows about entities, judge, publish")
    elicit_parser.add_argument("model", help="a name in models.yml; of imported triples whose they are")
    elicit_parser.add_argument("settings", nargs="*", metavar="setting", help=f"of {', '.join(ELICITATION_SETTINGS)}")
    elicit_parser.add_argument("--set", dest="set_name", default="", help="entity set; default: each setting's own")
    elicit_parser.add_argument("--prompts", type=names(), default=[], metavar="A,B", help="default: the setting's own")
    elicit_parser.add_argument("--efforts", type=names(), default=[], metavar="A,B", help="default: the setting's own")
    elicit_parser.add_argument("--scales", type=_scales, default=[], metavar="X,Y", help="default: the setting's own")
    elicit_parser.add_argument("--via", choices=("direct", "batch"), default="direct", help="default: %(default)s")
    elicit_parser.add_argument("--triples", default="", metavar="FILE", help="take the triples of a CSV, ask nothing")
    elicit_parser.add_argument("--no-judge", action="store_true", help="judge nothing")
    add_numbers(elicit_parser, {**_ASKING, **_JUDGING, **SPENDING})
    elicit_parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
    elicit_parser.set_defaults(run=elicit)
    judge_parser = commands.add_parser("judge", help="judge the triples that there are, of all models, and publish")
    judge_parser.add_argument("--models", type=names(), default=[], metavar="A,B", help="default: all")
    text = "settings of the method; default: all"
    judge_parser.add_argument(
        "--settings", type=names((*ELICITATION_SETTINGS, LIST_SETTING)), default=[], metavar="A,B", help=text
    )
    add_numbers(judge_parser, {**_JUDGING, **SPENDING})
    judge_parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
    judge_parser.set_defaults(run=judge)
    results_parser = commands.add_parser("results", help="write the results of elicitation as CSV files")
    results_parser.add_argument("--folder", type=Path, help="default: results/ in the data folder")
    results_parser.set_defaults(run=results)
    commands.add_parser(
        "demo-elicit", help="have the bundled model tell of 20 entities in each setting, and judge it"
    ).set_defaults(run=demo_elicit)


def elicit(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Ask, publish the triples, judge them and publish the scores; or only say what asking would take."""
    asked = {
        name: getattr(arguments, name)
        for name in ("model", "set_name", "prompts", "efforts", "scales", "via", "triples", "seed")
    }
    asked |= {"settings": arguments.settings or [LIST_SETTING if arguments.set_name else "random"]}
    asked |= _numbers(arguments, {**_ASKING, **SPENDING})
    if arguments.triples and arguments.estimate:
        raise RunError(
            "A file of triples asks no model: leave out --estimate; `judge --estimate` says what judging takes."
        )
    if not arguments.triples:
        from dagster_defs.commands.solve import check

        check(arguments.model, with_key=not arguments.estimate)
    if arguments.estimate:
        from dagster_defs.assets.elicitation import ElicitConfig, elicit_estimate

        print(f"  {elicit_estimate(settings, ElicitConfig(**asked))}")
        return
    works = [Work(ELICIT_JOB, {ELICIT_STEP: {"config": asked}}), Work(SCORE_JOB)]
    told = [setting for setting in asked["settings"] if setting != "non_existing"]
    if not arguments.no_judge and told:
        judged = {"models": [arguments.model], "settings": told, **_numbers(arguments, {**_JUDGING, **SPENDING})}
        works += [Work(JUDGE_JOB, {JUDGE_STEP: {"config": judged}}), Work(SCORE_JOB)]
    execute(settings, log, works)
    _show(settings)


def judge(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Judge what was elicited, and publish; or only say what that would take."""
    config = {"models": arguments.models, "settings": arguments.settings}
    config |= _numbers(arguments, {**_JUDGING, **SPENDING})
    if arguments.estimate:
        from dagster_defs.assets.elicitation import JudgeConfig, judge_estimate

        print(f"  {judge_estimate(settings, JudgeConfig(**config))}")
        return
    execute(settings, log, [Work(JUDGE_JOB, {JUDGE_STEP: {"config": config}}), Work(SCORE_JOB)])
    _show(settings)


def results(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Write a folder for each model and setting, and the combined results."""
    from dagster_defs.steps.elicit.results import write_results

    written = write_results(settings.published_database, arguments.folder or settings.data_dir / "results")
    print(written.sentence())


def demo_elicit(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """The whole way from entity sets to scores with no key, in all settings.

    Builds first where nothing is published yet.
    """
    from dagster_defs.llm.local import weights

    weights()
    if not settings.published_database.exists():
        mint(settings, log)
    print(f"The bundled model tells what it knows of {_DEMO_ASKED['n']} entities in each setting ...", flush=True)
    asked = {"model": "local", "settings": list(ELICITATION_SETTINGS), **_DEMO_ASKED}
    works = [
        Work(ELICIT_JOB, {ELICIT_STEP: {"config": asked}}),
        Work(SCORE_JOB),
        Work(JUDGE_JOB, {JUDGE_STEP: {"config": {"models": ["local"], **_DEMO_JUDGED}}}),
        Work(SCORE_JOB),
    ]
    execute(settings, log, works)
    _show(settings)


def _show(settings: Settings) -> None:
    from dagster_defs.steps.summary import elicited

    print(elicited(settings.published_database, settings.report))


def _numbers(arguments: argparse.Namespace, numbers: Numbers) -> dict[str, Any]:
    return {key: getattr(arguments, key) for key in (name.replace("-", "_") for name in numbers)}


def _scales(text: str) -> list[float]:
    return [at_least(0, float)(part) for part in text.split(",") if part.strip()]
