"""`distinct FILE.jsonl...`: how distinct the published questions are, beside those of any other question file.

Nothing heavy is imported before the command runs.
"""

from __future__ import annotations

import argparse
import datetime
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_defs.commands.options import at_least, names

if TYPE_CHECKING:
    from dagster_defs.llm.models import ModelSpec
    from dagster_defs.resources import Settings

# As many as the smallest of the sets that the method compares.
SAMPLE = 198
SEEDS = 3


def add_parser(commands: Any) -> None:
    """Add the command to ``commands``, what `ArgumentParser.add_subparsers` returned."""
    parser = commands.add_parser(
        "distinct",
        help="measure Self-BLEU and dissimilarity of the published questions and of other question files",
        description="The rows land in data/landing/llm/distinctiveness; `make score` brings them into the tables.",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="JSONL, one question a line")
    parser.add_argument("--field", default=None, help="the field that holds the text (default: question, problem, ...)")
    text = "questions that are drawn of each set (default: %(default)s)"
    parser.add_argument("--n", type=at_least(2), default=SAMPLE, metavar="N", help=text)
    parser.add_argument(
        "--seeds", type=at_least(1), default=SEEDS, metavar="N", help="how often to draw (default: %(default)s)"
    )
    parser.add_argument(
        "--embedders", type=names(), default=[], metavar="A,B",
        help="names in models.yml (default: all that can be asked but the diversity filter's, or that one alone)",
    )  # fmt: skip
    parser.set_defaults(run=lambda arguments, settings, log: run(arguments, settings))


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Measure, land and print a line a measure; returns the exit code. Raises RunError with one sentence."""
    from dagster_defs.llm.embed import embedder
    from dagster_defs.llm.models import Role, load_registry
    from dagster_defs.resources import load_keys
    from dagster_defs.steps.distinct import measure, own_sets, read_file
    from dagster_defs.steps.run_rows import prepare

    registry = load_registry()
    keys = load_keys(registry)
    filters = registry.role(Role.EMBEDDER).name
    chosen = _chosen([spec for spec in registry.models.values() if spec.kind == "embedding"], arguments, keys, filters)
    files = [read_file(path, arguments.field) for path in arguments.files]
    own = own_sets(settings.published_database)
    landing = settings.landing / "llm"
    prepare(landing)
    with ExitStack() as stack:
        opened = {s.name: stack.enter_context(embedder(s, settings.embeddings, keys)) for s in chosen}
        seeds = range(arguments.seeds)
        for found in measure(own, files, opened, n=arguments.n, seeds=seeds, filters=filters):
            found.land(landing, datetime.datetime.now(datetime.UTC))
            by = f" by {found.embedder}" if found.measure == "dissimilarity" else ""
            print(
                f"  {found.questions.name}, seed {found.seed}: {found.measure.replace('_', '-')}{by} {found.value:.4f}"
            )
    print("Run `make score` to bring them into scores.distinctiveness and onto the page.")
    return 0


def _chosen(known: list[ModelSpec], arguments: argparse.Namespace, keys: Any, filters: str) -> list[ModelSpec]:
    """The embedders to measure with. Raises RunError for a name that is none, or one that can't be asked."""
    from dagster_defs.errors import RunError

    by_name = {spec.name: spec for spec in known}
    for name in arguments.embedders:
        if name not in by_name:
            raise RunError(f"models.yml has no embedding model '{name}'; it has {', '.join(sorted(by_name))}.")
        if not by_name[name].enabled(keys):
            raise RunError(f"Model '{name}' needs a key: set {by_name[name].key_variable}.")
    if arguments.embedders:
        return [by_name[name] for name in arguments.embedders]
    others = [spec for spec in known if spec.name != filters and spec.enabled(keys)]
    if not others:
        print(
            f"Only '{filters}' can be asked, by which the diversity filter chose these questions: it flatters them."
            " Serve another embedder and set its key (see models.yml)."
        )
    return others or [by_name[filters]]
