"""Writes the report: one file that needs no network, made whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dagster_defs.steps.report import charts, elicited, payload, tables
from dagster_defs.steps.report.data import EVIDENCE_ROWS, Report, Row, read_report
from ingest.landing import atomic_file

HERE = Path(__file__).parent
NOTHING = "–"
# What the charts' library lets others see of it.
_GLOBALS = "window.vegaEmbed = vegaEmbed;"
# What ends a script's text early, or turns off its end, wherever it stands in it.
_SCRIPT_BREAKERS = ("</script", "<script", "<!--")


def write_report(database: Path, page: Path, quality: Path, cache: Path) -> Path:
    """Write ``page`` from the published ``database`` and the gates' verdicts in ``quality``; returns ``page``.

    ``cache`` keeps the charts' library, which takes seconds to bundle. The same data give the same bytes. An old page
    stays as it was when anything fails. Raises RunError when the database or a verdict can't be read,
    LandingError when the page can't be written.
    """
    report = read_report(database, quality)
    html = render(report, chart_library(cache))
    _write(page, html)
    return page


def chart_library(cache: Path) -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that sets `window.vegaEmbed`; bundled once for each version."""
    file = cache / f"vega-{version('vl-convert-python')}.js"
    if not file.exists():
        # the bundle declares a thousand short names, which stay its own inside a function
        _write(file, f"(() => {{\n{vl_convert.javascript_bundle(_GLOBALS)}\n}})();\n")
    return file.read_text(encoding="utf-8")


def render(report: Report, library: str) -> str:
    """The page's HTML. ``library`` is the charts' script."""
    runs = tables.labelled_runs(report)
    boards = tables.boards(report, runs)
    packed = payload.pack(report, runs)
    told = elicited.elicitation(report.elicited)
    drawn = [chart for board in boards for chart in board["charts"] + board["more_charts"]] + _benchmark_charts(report)
    drawn += [told["chart"]] if told and told["chart"] else []
    scripts = [_script(library), _script((HERE / "report.js").read_text(encoding="utf-8"))]
    return (
        _environment()
        .get_template("index.html.jinja")
        .render(
            snapshot=tables.snapshot(report),
            counts=_counts(report, runs),
            boards=boards,
            elicited=told,
            elicited_outcomes=elicited.OUTCOMES,
            composition=tables.composition(report),
            research=tables.research_composition(report),
            distinct=tables.distinctiveness(report),
            failures=charts.FAILURES,
            entity_classes=_entity_rows(report),
            rejections=tables.rejections(report),
            review=tables.review(report),
            gates=report.gates,
            run_details=report.tables["runs.runs"],
            packed=packed,
            evidence_rows=min(EVIDENCE_ROWS, packed.evidence_rows),
            specs=Markup(json.dumps([{"id": c["id"], "spec": c["spec"]} for c in drawn]).replace("<", "\\u003c")),
            style=Markup((HERE / "report.css").read_text(encoding="utf-8")),
            scripts=scripts,
            policy=_policy(scripts),
            outcomes=tables.OUTCOMES,
            runs_shown=charts.RUNS_SHOWN,
        )
    )


def _benchmark_charts(report: Report) -> list[dict[str, Any]]:
    multi, research = _of_family(report, "multi_entity"), _of_family(report, "deep_research")
    drawn = []
    if multi:
        drawn.append({"id": "chart-types", "spec": charts.types_chart(multi)})
        drawn.append({"id": "chart-entities", "spec": charts.entities_chart(multi)})
    if research:
        drawn.append({"id": "chart-domains", "spec": charts.domains_chart(research)})
        drawn.append({"id": "chart-complexity", "spec": charts.complexity_chart(research)})
    return drawn


def _of_family(report: Report, family: str) -> list[Row]:
    return [row for row in report.questions if row["family"] == family]


def _counts(report: Report, runs: list[Row]) -> Mapping[str, Any]:
    """The figures that head the page."""
    questions = report.questions
    total = max(len(questions), 1)
    multi = _of_family(report, "multi_entity")
    return {
        "questions": len(questions),
        "topics": len({row["topic"] for row in questions}),
        "types": len({row["type"] for row in questions}),
        "multi": len(multi),
        "entities": sum(row["entity_count"] for row in multi) / max(len(multi), 1),
        "test": sum(row["split"] == "test" for row in questions) / total,
        "rejected": len(report.tables["questions.rejections"]),
        "models": len({run["model"] for run in runs}),
        "runs": len(runs),
        "families": Counter(row["family"] for row in questions).most_common(),
        "gates": len(report.gates),
        "gates_passed": sum(bool(gate["passed"]) for gate in report.gates),
    }


def _entity_rows(report: Report) -> list[tuple[str, int, int]]:
    """Each class of consulted entities with its questions in train and test: the figures behind the chart."""
    counts = charts.entity_counts(_of_family(report, "multi_entity"))
    return [(name, counts.get((name, "train"), 0), counts.get((name, "test"), 0)) for name in charts.entity_classes()]


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "percent": percent,
        "whole": lambda number: NOTHING if number is None else f"{number:,.0f}",
        "figure": lambda number: NOTHING if number is None else f"{number:,.2f}".rstrip("0").rstrip("."),
        "probability": lambda p: NOTHING if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}",
        "dollars": dollars,
        "day": lambda day: NOTHING if day is None else f"{day.day} {day:%B %Y}",
        "spaced": charts.spaced,
    }
    return environment


def percent(share: float | None) -> str:
    """A share from 0 to 1 in percent, with one digit after the point."""
    return NOTHING if share is None else f"{100 * share:.1f}"


def dollars(amount: float | None) -> str:
    """An amount in US dollars; small ones with the digits that say something."""
    if amount is None:
        return "no price"
    return f"${amount:,.2f}" if amount >= 1 or amount == 0 else f"${amount:.2g}"


def _script(text: str) -> Markup:
    """A script's text as it may stand in the page. Raises ValueError where the page would end it early."""
    if any(breaker in text.lower() for breaker in _SCRIPT_BREAKERS):
        raise ValueError("A script of the page holds text that would end it early.")
    return Markup(f"\n{text.strip()}\n")


def _policy(scripts: list[Markup]) -> str:
    """What the browser lets the page do: run these scripts and no other, and load nothing from anywhere."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; form-action 'none'"


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as file:
        file.write(text.encode())
