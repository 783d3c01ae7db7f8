"""`solve`: ask a model. `score`: score what is landed, draw the page. `demo-models`: both, with the bundled models."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.build import mint
from dagster_defs.commands.diversity import selecting
from dagster_defs.commands.execution import Work, execute
from dagster_defs.commands.options import SPENDING, Numbers, add_filters, add_numbers, add_variant, names
from dagster_defs.names import FAMILIES, SCORE_JOB, SETTINGS, SOLVE_JOB, SOLVE_STEP, WORDINGS, partition

if TYPE_CHECKING:
    from dagster_defs.resources import Settings

_NUMBERS: Numbers = {
    "n": (int, 200, "questions, drawn evenly over the types; 0 for all"),
    "seed": (int, 0, "of the draw and of the first sample"),
    "samples": (int, 3, "answers to each question"),
    "temperature": (float, 0.0, "of the answers"),
    "answer-tokens": (int, 512, "the limit on an answer"),
    "table-tokens": (int, 4096, "the limit on a working table"),
    "steps": (int, 12, "steps that an agent takes at most, its answer included"),
    "step-tokens": (int, 1024, "the limit on what an agent writes in one step"),
    "ea-max-entities": (int, 100, "working tables are asked of questions with at most so many entities; 0 for none"),
    **SPENDING,
}
# Small enough for two cores: 190 s on a built warehouse, with more working tables than are asked now.
_DEMO = {
    "n": 40,
    "densities": ["low"],
    "samples": 1,
    "answer_tokens": 32,
    "table_tokens": 64,
    "concurrency": 2,
}
# Setting -> working tables are asked of questions with at most so many entities.
_DEMO_SETTINGS = {"closed_book": 0, "oracle": 1}


def add_parser(commands: Any) -> None:
    """The three commands."""
    solve_parser = commands.add_parser("solve", help="ask a model every question of a set, then score")
    solve_parser.add_argument("model", help="a name in models.yml")
    solve_parser.add_argument("settings", nargs="+", choices=SETTINGS, help="how it is asked")
    solve_parser.add_argument("--family", choices=FAMILIES, default=FAMILIES[0], help="default: %(default)s")
    add_filters(solve_parser, split="test", densities=True)
    solve_parser.add_argument(
        "--categories",
        type=names(),
        default=[],
        metavar="A,B",
        help="categories, of deep research domains; default: all",
    )
    solve_parser.add_argument(
        "--wording",
        default=WORDINGS[0],
        choices=WORDINGS,
        help="refined: the newest accepted rewrite where there is one (default: %(default)s)",
    )
    add_numbers(solve_parser, _NUMBERS)
    add_variant(solve_parser)
    solve_parser.add_argument("--estimate", action="store_true", help="say what it would take, and ask nothing")
    solve_parser.add_argument("--check", action="store_true", help="only look whether the model can be asked so")
    solve_parser.set_defaults(run=solve)
    commands.add_parser("score", help="score every landed run, publish, draw the page").set_defaults(run=score)
    commands.add_parser("demo-models", help="ask the bundled model 40 questions in two settings").set_defaults(
        run=demo_models
    )


def solve(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Ask, then score; or only say what asking would take."""
    words = ("family", "split", "types", "topics", "densities", "categories", "wording", "variant")
    config = {name: getattr(arguments, name) for name in (*words, *(name.replace("-", "_") for name in _NUMBERS))}
    check(arguments.model, with_key=arguments.check and not arguments.estimate)
    if arguments.check:
        return
    if arguments.estimate:
        from dagster_defs.assets.runs import SolveConfig, estimated

        for setting in arguments.settings:
            print(f"  {estimated(settings, arguments.model, setting, SolveConfig(**config))}")
        return
    _solve_and_score(settings, log, arguments.model, dict.fromkeys(arguments.settings, config))


def score(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """Score and publish what is landed, and print the leaderboard."""
    execute(settings, log, [Work(SCORE_JOB)])
    _show(settings)


def demo_models(arguments: argparse.Namespace, settings: Settings, log: Path) -> None:
    """The whole way from question to leaderboard with no key, near duplicates included.

    Builds first where nothing is published yet.
    """
    from dagster_defs.llm.local import weights

    weights()
    if not settings.published_database.exists():
        mint(settings, log)
    print(f"Asking the bundled model {_DEMO['n']} questions in two settings ...", flush=True)
    asked = {setting: {**_DEMO, "ea_max_entities": entities} for setting, entities in _DEMO_SETTINGS.items()}
    _solve_and_score(settings, log, "local", asked, [selecting()])


def check(model: str, *, with_key: bool) -> None:
    """Raises RunError when ``model`` is no chat model of models.yml, or its key is wanted and not there."""
    from dagster_defs.errors import RunError
    from dagster_defs.llm.models import load_registry
    from dagster_defs.resources import load_keys

    registry = load_registry()
    chat = sorted(name for name, spec in registry.models.items() if spec.kind == "chat")
    if model not in chat:
        raise RunError(f"models.yml has no chat model '{model}'; it has {', '.join(chat)}.")
    spec = registry.model(model)
    if with_key and not spec.enabled(load_keys(registry)):
        raise RunError(f"Model '{model}' needs a key: set {spec.key_variable}.")


def _solve_and_score(
    settings: Settings, log: Path, model: str, asked: dict[str, dict[str, Any]], before: Sequence[Work] = ()
) -> None:
    """``asked``: setting -> configuration. before: what else is done before anything is scored."""
    works = [
        Work(SOLVE_JOB, {SOLVE_STEP: {"config": config}}, partition(model, setting))
        for setting, config in asked.items()
    ]
    execute(settings, log, [*before, *works, Work(SCORE_JOB)])
    _show(settings)


def _show(settings: Settings) -> None:
    from dagster_defs.steps.summary import leaderboard

    print(leaderboard(settings.published_database, settings.report))
