"""The page's charts as Vega-Lite specifications. They name no colour: the page gives those of its colour scheme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
# More than these can't be told apart by colour; the table beside the chart has them all.
RUNS_SHOWN = 8
SHAPES = {"closed_book": "circle", "rag": "square", "oracle": "triangle-up", "agent": "diamond"}
# Classes of scores.failures, in the order of the bars, and what each is called.
FAILURES = {
    "entity_wrong": "another entity",
    "value_near": "value off by up to 50 %",
    "value_far": "value off by more",
    "arithmetic_wrong": "arithmetic",
    "unit_factor": "unit or its factor",
    "no_answer": "no answer",
    "undetermined": "undetermined",
}
# Upper ends of the classes of consulted entities; the last class has none.
ENTITY_CLASSES = (2, 5, 10, 20, 50, 100, 200, 500, 1000)


def accuracy_chart(
    scores: Sequence[Row],
    slices: Sequence[str],
    runs: Sequence[Row],
    described: str,
    *,
    measure: str = "Accuracy",
    counted: str = "Questions",
) -> Spec:
    """Accuracy (0 to 1) with its 95% interval for each of ``slices`` and the first ``RUNS_SHOWN`` of ``runs``.

    ``scores`` are rows of scores.by_model of one kind of slice; a vertical stroke marks the chance level. ``measure``
    and ``counted`` are what another share, and what it is over, are called.
    """
    shown = {run["run_id"]: run for run in runs[:RUNS_SHOWN]}
    values = [
        {
            "slice": spaced(row["slice"]),
            "run": shown[row["run_id"]]["label"],
            **{key: row[key] for key in ("accuracy", "ci_low", "ci_high", "chance", "n_questions")},
        }
        for row in scores
        if row["run_id"] in shown and row["slice"] in slices and row["accuracy"] is not None
    ]
    labels = [run["label"] for run in shown.values()]
    shapes = [SHAPES.get(run["setting"], "triangle-down") for run in shown.values()]
    y = {
        "field": "slice",
        "type": "nominal",
        "sort": [spaced(name) for name in slices],
        "title": None,
        "scale": {"paddingInner": 0.35, "paddingOuter": 0.2},
        "axis": {"grid": True, "tickBand": "extent"},
    }
    return {
        "$schema": SCHEMA,
        "description": described,
        "width": "container",
        "height": len(slices) * (16 + max(13 * len(labels), 26)),
        "data": {"values": values},
        "encoding": {"y": y, "yOffset": {"field": "run", "type": "nominal", "sort": labels}},
        "layer": _accuracy_layers(labels, shapes, measure, counted),
    }


def _accuracy_layers(labels: Sequence[str], shapes: Sequence[str], measure: str, counted: str) -> list[Spec]:
    """The chance level, the interval, and the accuracy on top of them."""
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "tickCount": 5}}
    colour = {"field": "run", "type": "nominal", "scale": {"domain": labels}, "title": None}
    # of the same field as the colour, so that both stand in one legend
    shape = {**colour, "scale": {"domain": labels, "range": shapes}}
    tooltip = [
        {"field": "run", "title": "Run"},
        {"field": "accuracy", "title": measure, "format": ".1%"},
        {"field": "ci_low", "title": "Interval from", "format": ".1%"},
        {"field": "ci_high", "title": "to", "format": ".1%"},
        {"field": "chance", "title": "Chance", "format": ".1%"},
        {"field": "n_questions", "title": counted},
    ]
    return [
        {
            "mark": {"type": "tick", "orient": "vertical", "style": "chance"},
            "encoding": {"x": {**x, "field": "chance", "title": measure}},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"x": {**x, "field": "ci_low"}, "x2": {"field": "ci_high"}, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": {**x, "field": "accuracy"}, "color": colour, "shape": shape, "tooltip": tooltip},
        },
    ]


def failures_chart(shares: Sequence[Row], runs: Sequence[Row]) -> Spec:
    """What went wrong in each of the first ``RUNS_SHOWN`` of ``runs``, in bars stacked by class of failure.

    ``shares`` are rows of scores.failure_shares.
    """
    labels = {run["run_id"]: run["label"] for run in runs[:RUNS_SHOWN]}
    classes = list(FAILURES)
    values = [
        {
            "run": labels[row["run_id"]],
            "class": FAILURES[row["class"]],
            "place": classes.index(row["class"]),
            "share": row["share"],
            "answers": row["n"],
        }
        for row in shares
        if row["run_id"] in labels and row["n"]
    ]
    x = {
        "field": "share",
        "type": "quantitative",
        "title": "Share of wrong answers",
        "axis": {"format": ".0%", "tickCount": 5},
    }
    named = [
        {"field": "run", "title": "Run"},
        {"field": "class", "title": "Failure"},
        {"field": "answers", "title": "Answers"},
    ]
    return {
        "$schema": SCHEMA,
        "description": "What went wrong in each run, by class of failure.",
        "width": "container",
        "height": 34 * len({row["run"] for row in values}),
        "data": {"values": values},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "run", "type": "nominal", "sort": list(labels.values()), "title": None},
            "x": {**x, "scale": {"domain": [0, 1]}},
            "color": {"field": "class", "type": "nominal", "scale": {"domain": list(FAILURES.values())}, "title": None},
            "order": {"field": "place"},
            "tooltip": [*named, {"field": "share", "title": "Share", "format": ".1%"}],
        },
    }


def domains_chart(questions: Sequence[Row]) -> Spec:
    """Deep-research questions of each domain, in bars stacked by split."""
    counts = Counter((row["category"], row["split"]) for row in questions)
    values = [{"group": spaced(kind), "split": split, "questions": n} for (kind, split), n in sorted(counts.items())]
    return _bars(values, sorted({spaced(kind) for kind, _ in counts}), "Questions of each domain, by split.")


def complexity_chart(questions: Sequence[Row]) -> Spec:
    """Deep-research questions of each complexity, in bars stacked by split."""
    counts = Counter((row["cci"], row["split"]) for row in questions)
    values = [{"group": f"{cci:g}", "split": split, "questions": n} for (cci, split), n in sorted(counts.items())]
    return _bars(
        values, [f"{cci:g}" for cci in sorted({cci for cci, _ in counts})], "Questions by complexity, by split."
    )


def types_chart(questions: Sequence[Row]) -> Spec:
    """Questions of each type, in bars stacked by split."""
    counts = Counter((row["type"], row["split"]) for row in questions)
    order = [name for name, _ in Counter(row["type"] for row in questions).most_common()]
    values = [{"group": spaced(kind), "split": split, "questions": n} for (kind, split), n in sorted(counts.items())]
    return _bars(values, [spaced(name) for name in order], "Questions of each type, by split.")


def entities_chart(questions: Sequence[Row]) -> Spec:
    """Questions by how many entities they consult, in bars stacked by split."""
    counts = entity_counts(questions)
    values = [{"group": group, "split": split, "questions": n} for (group, split), n in counts.items()]
    return _bars(values, list(entity_classes()), "Questions by the number of entities they consult, by split.")


def entity_classes() -> Mapping[str, float]:
    """The name of each class of consulted entities, and the most that it holds."""
    inner = {f"{low + 1:,}–{high:,}": float(high) for low, high in pairwise(ENTITY_CLASSES)}
    last = ENTITY_CLASSES[-1]
    return {f"1–{ENTITY_CLASSES[0]}": float(ENTITY_CLASSES[0]), **inner, f"over {last:,}": float("inf")}


def entity_counts(questions: Sequence[Row]) -> Mapping[tuple[str, str], int]:
    """How many questions are in each class of consulted entities and split; classes without any are left out."""
    classes = entity_classes()
    counts: Counter[tuple[str, str]] = Counter()
    for row in questions:
        name = next(name for name, most in classes.items() if row["entity_count"] <= most)
        counts[name, row["split"]] += 1
    return {key: counts[key] for key in sorted(counts, key=lambda key: (list(classes).index(key[0]), key[1]))}


def spaced(name: str) -> str:
    """A name of the database as words."""
    return name.replace("_", " ")


def _bars(values: Sequence[Row], order: Sequence[str], described: str) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": described,
        "width": "container",
        "height": 24 * len(order),
        "data": {"values": list(values)},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {
                "field": "group",
                "type": "nominal",
                "sort": None,
                # groups without a question keep their place
                "scale": {"domain": list(order)},
                "title": None,
            },
            "x": {"field": "questions", "type": "quantitative", "title": "Questions", "axis": {"tickCount": 4}},
            "color": {
                "field": "split",
                "type": "nominal",
                "sort": ["train", "test"],
                "title": None,
                "legend": {"columns": 2},
            },
            "order": {"field": "split", "sort": "descending"},
            "tooltip": [{"field": "group", "title": "Group"}, {"field": "split"}, {"field": "questions"}],
        },
    }
