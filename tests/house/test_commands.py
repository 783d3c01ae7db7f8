"""The terminal offers what a run takes, no more and no less."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster import materialize

from dagster_defs.assets.diversity import DiversityConfig
from dagster_defs.assets.domains import DomainsConfig
from dagster_defs.assets.refinements import RefineConfig
from dagster_defs.assets.runs import SolveConfig, Spending, registry, run_assets
from dagster_defs.commands import distinct, diversity, domains, export, refine, review, solve
from dagster_defs.errors import RunError, sentence
from dagster_defs.llm.models import Role
from dagster_defs.names import LEAST, SETTINGS, SOLVE_STEP
from dagster_defs.resources import PROJECT, Settings, Warehouse
from dagster_defs.steps.solve.contexts import Setting


def numbers_of(config: type[Spending]) -> list[str]:
    """The fields of a configuration that hold a number."""
    return [name for name, value in config() if isinstance(value, int | float)]


def test_settings_are_those_a_context_is_made_for() -> None:
    assert list(SETTINGS) == [setting.value for setting in Setting]


def test_solve_has_an_option_with_the_same_default_for_every_field_of_a_run() -> None:
    parser = argparse.ArgumentParser()
    solve.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["solve", "local", "closed_book"]))
    for name in ("model", "settings", "estimate", "check", "run"):
        given.pop(name)
    assert given == SolveConfig().model_dump()


def test_refine_has_an_option_with_the_same_default_for_every_field_of_a_refinement() -> None:
    parser = argparse.ArgumentParser()
    refine.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["refine"]))
    for name in ("estimate", "run"):
        given.pop(name)
    assert given == RefineConfig().model_dump()


def test_diversity_has_an_option_with_the_same_default_for_every_field_of_a_selection() -> None:
    parser = argparse.ArgumentParser()
    diversity.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["diversity"]))
    given.pop("run")
    assert given == DiversityConfig().model_dump()
    # What the public table shows is what the command makes unless it is told otherwise.
    shown = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"]["diversity"]
    assert shown == {
        "embedder": registry().role(Role.EMBEDDER).name,
        "threshold": given["threshold"],
        "comparison": "whole",
    }


def test_domains_has_an_option_with_the_same_default_for_every_field_of_a_run() -> None:
    parser = argparse.ArgumentParser()
    domains.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["domains"]))
    given.pop("run")
    assert given == DomainsConfig().model_dump()


# Command -> what it needs beside options, and its options that take a number, with the least that each takes.
COMMANDS: dict[str, tuple[Any, list[str], dict[str, int]]] = {
    "solve": (solve, ["local", "rag"], {name: LEAST.get(name, 0) for name in numbers_of(SolveConfig)}),
    "refine": (refine, [], {name: LEAST.get(name, 0) for name in numbers_of(RefineConfig)}),
    "diversity": (diversity, [], {name: LEAST.get(name, 0) for name in numbers_of(DiversityConfig)}),
    "export": (export, ["mine"], {"n": 0, "seed": 0}),
    "domains": (domains, [], {"n": 0}),
    "review": (review, [], {"n": 1, "seed": 0, "annotators": 1}),
    "distinct": (distinct, [], {"n": 2, "seeds": 1}),
}
NUMBERS = [(command, name, least) for command, (*_, numbers) in COMMANDS.items() for name, least in numbers.items()]


@pytest.mark.parametrize(("command", "name", "least"), NUMBERS)
def test_terminal_refuses_a_number_that_is_too_small_by_name(
    command: str, name: str, least: int, capsys: pytest.CaptureFixture[str]
) -> None:
    module, words, _ = COMMANDS[command]
    parser = argparse.ArgumentParser()
    module.add_parser(parser.add_subparsers())
    option = f"--{name.replace('_', '-')}"
    assert vars(parser.parse_args([command, *words, option, str(least)]))[name] == least
    for small in {str(least - 1), "-1"}:
        with pytest.raises(SystemExit):
            parser.parse_args([command, *words, option, small])
        said = capsys.readouterr().err.strip().splitlines()[-1]
        assert said.endswith(f"error: argument {option}: takes {least} or more, not {small}")


FILTERS = [
    (command, option)
    for command, options in (
        ("solve", "types topics densities"),
        ("refine", "types topics"),
        ("export", "types topics"),
    )
    for option in options.split()
]


@pytest.mark.parametrize(("command", "option"), FILTERS)
def test_a_list_has_one_form_in_every_command(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, words, _ = COMMANDS[command]
    parser = argparse.ArgumentParser()
    module.add_parser(parser.add_subparsers())
    # What stands behind a list is not taken for a part of it.
    given = vars(parser.parse_args([command, f"--{option}", "low, high,", *words]))
    assert given[option] == ["low", "high"]
    with pytest.raises(SystemExit):
        parser.parse_args([command, *words, f"--{option}"])
    assert f"argument --{option}: expected one argument" in capsys.readouterr().err


def test_an_unknown_density_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    solve.add_parser(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args(["solve", "local", "rag", "--densities", "low,thin"])
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.endswith("argument --densities: takes low, medium, high (with commas between), not thin")


@pytest.mark.parametrize("config", [SolveConfig, RefineConfig, DiversityConfig])
def test_configuration_refuses_the_same_numbers_in_one_sentence(config: type[Spending]) -> None:
    for name in numbers_of(config):
        least = LEAST.get(name, 0)
        assert getattr(config(**{name: least}), name) == least
        for small in {least - 1, -1}:
            with pytest.raises(RunError, match=f"takes {least} or more as its '{name}', not {small}"):
                config(**{name: small})
    for odd in (float("nan"), float("inf")):
        with pytest.raises(RunError, match="'dollars', not"):
            config(dollars=odd)


def test_a_run_configured_in_dagster_with_no_concurrency_ends_in_that_sentence(tmp_path: Path) -> None:
    """It would otherwise wait for ever for a place among none."""
    (tmp_path / "build").mkdir()
    settings = Settings(data_dir=tmp_path)
    with pytest.raises(Exception, match="concurrency") as raised:
        materialize(
            [run_assets(settings)],
            partition_key="local--closed_book",
            resources={"warehouse": Warehouse(data_dir=str(tmp_path))},
            run_config={"ops": {SOLVE_STEP: {"config": {"concurrency": 0}}}},
        )
    assert sentence(raised.value) == "The configuration of a run takes 1 or more as its 'concurrency', not 0."
    assert not settings.journal.exists()
