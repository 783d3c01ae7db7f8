"""The reasoning templates as the project's macros declare them, read without dbt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "macros/deep_research/templates"
Template = dict[str, Any]


def templates(folder: Path = FOLDER) -> list[Template]:
    """Every template, with its domain, which is the file it stands in."""
    found: list[Template] = []
    for file in sorted(folder.glob("*.sql")):
        (declared,) = re.findall(r'fromyaml\("""(.*?)"""\)', file.read_text(), re.DOTALL)
        found += [dict(entry, domain=file.stem) for entry in yaml.safe_load(declared)]
    return found


def sides(template: Template) -> tuple[str, ...]:
    """What comes before an input's name in the formula: nothing, or a_ and b_."""
    return ("a_", "b_") if template.get("entities", 1) == 2 else ("",)


def input_names(template: Template) -> list[str]:
    """The names of inputs as the formula has them."""
    return [side + name for side in sides(template) for name in template["inputs"]]
