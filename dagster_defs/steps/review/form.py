"""The HTML form of a sheet: one file that works from disk, without a network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dagster_defs.steps.review.fields import Kind

HERE = Path(__file__).parent


def render_form(kind: Kind, name: str, items: Sequence[Mapping[str, Any]]) -> str:
    """The form's HTML. ``name`` is the sheet's with its annotator; ``items`` are what it shows, in their order.

    The same sheet gives the same bytes. Nothing of an item becomes markup or script.
    """
    script = Markup(f"\n{(HERE / 'form.js').read_text(encoding='utf-8').strip()}\n")
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    cause = kind.error_category
    settings = {
        "sheet": name,
        "thing": kind.thing,
        "verdicts": [{"name": field.name, "faults": sorted(field.faults)} for field in kind.verdicts],
        "cause": cause.name if cause else None,
        "columns": ["sheet", "item", *kind.columns],
    }
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("form.html.jinja").render(
        kind=kind,
        name=name,
        items=items,
        settings=Markup(json.dumps(settings).replace("<", "\\u003c")),
        style=Markup((HERE / "form.css").read_text(encoding="utf-8")),
        script=script,
        policy=f"default-src 'none'; script-src 'sha256-{hashed}'; style-src 'unsafe-inline'; img-src data:;"
        " form-action 'none'",
    )
