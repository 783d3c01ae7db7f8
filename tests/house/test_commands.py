"""The terminal offers what a run takes, no more and no less."""

from __future__ import annotations

import argparse

from dagster_defs.assets.refinements import RefineConfig
from dagster_defs.assets.runs import SolveConfig
from dagster_defs.commands import refine, solve
from dagster_defs.names import SETTINGS
from dagster_defs.steps.solve.contexts import Setting


def test_settings_are_those_a_context_is_made_for() -> None:
    assert list(SETTINGS) == [setting.value for setting in Setting]


def test_solve_has_an_option_with_the_same_default_for_every_field_of_a_run() -> None:
    parser = argparse.ArgumentParser()
    solve.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["solve", "local", "closed_book"]))
    for name in ("model", "settings", "estimate", "run"):
        given.pop(name)
    assert given == SolveConfig().model_dump()


def test_refine_has_an_option_with_the_same_default_for_every_field_of_a_refinement() -> None:
    parser = argparse.ArgumentParser()
    refine.add_parser(parser.add_subparsers())
    given = vars(parser.parse_args(["refine"]))
    for name in ("estimate", "run"):
        given.pop(name)
    assert given == RefineConfig().model_dump()
