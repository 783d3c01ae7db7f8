"""Real questions of all eight types, each with rewrites that are to pass and rewrites that must not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dagster_defs.steps.refine.check import Original


@dataclass(frozen=True)
class Case:
    """harmless: rewrites that ask the same. broken: (reason, rewrite) of those that do not, or read badly."""

    original: Original
    harmless: tuple[str, ...]
    broken: tuple[tuple[str, str], ...]


def _case(written: dict[str, Any]) -> Case:
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in written["original"].items()}
    broken = tuple(pair for one in written["broken"] for pair in one.items())
    return Case(Original(question_id="q", **given), tuple(written["harmless"]), broken)


CASES = tuple(_case(written) for written in yaml.safe_load(Path(__file__).with_suffix(".yml").read_text()))
