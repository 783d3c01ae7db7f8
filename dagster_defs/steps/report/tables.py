"""What stands on the page as it is: leaderboards, pairs, slices, the make-up, rejections, provenance."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dagster_defs.steps.history import VARIANT_MARK
from dagster_defs.steps.report.charts import FAILURES, accuracy_chart, failures_chart, spaced
from dagster_defs.steps.report.data import Report, Row

OUTCOMES = ("answered", "unparsed", "refused", "cut", "failed")
# Kinds of slices in tables of their own, and what each is called; type and density have charts too.
SLICES = {
    "type": "type",
    "density": "density tier",
    "category": "category",
    "hops": "hops",
    "split": "split",
    "truncation": "whether the context was cut to fit",
    "yes_no": "yes or no alone, of the statistical types",
    "topic": "topic",
}
CHARTED = {"type": "type of question", "density": "density tier"}
# The same of deep research, whose category is a domain.
RESEARCH_SLICES = {
    "category": "domain",
    "cci": "complexity, E + P",
    "n_entities": "entities to be found, E",
    "n_properties": "properties of each to be looked up, P",
    "domain_in_cci": "domain within one complexity",
    "type": "template family",
    "topic": "topic",
    "split": "split",
}
MEASURES = {"answer": "answer right", "entity": "entity named", "both_right": "both right"}
_ORDER = (
    "low", "medium", "high", "one-hop", "multi-hop", "train", "test", "untruncated", "truncated", "all",
    "comparison", "statistics", "relationship", "intercomparison", "superlative", "aggregation",
    "distribution_compliance", "correlation_analysis", "variance_analysis", "descriptive_relationship",
    "hypothetical_scenarios",
)  # fmt: skip


def labelled_runs(report: Report) -> list[Row]:
    """The leaderboard's rows, best first, each with a `label` of its own: model and setting, and more where need be."""
    runs = [dict(row) for row in report.tables["scores.leaderboard"]]
    names = Counter((run["model"], run["setting"]) for run in runs)
    for run in runs:
        run["label"] = f"{run['model']}, {spaced(run['setting'])}"
        if names[run["model"], run["setting"]] > 1:
            run["label"] += f" ({run['run_id'].rpartition('--')[2][:12]})"
    return sorted(runs, key=lambda run: (run["rank"] is None, -(run["accuracy"] or 0), run["run_id"]))


def boards(report: Report, runs: Sequence[Row]) -> list[Row]:
    """Runs that may be compared, together: of one family, split, question set and snapshot; the largest set first.

    Each board has `number`, `title`, `note`, `runs`, `tuned` (see `tuned_pairs`), `pairs`, `slices` and `charts`.
    """
    grouped: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for run in runs:
        grouped[run["family"], run["split"], run["question_set"], run["snapshot_id"]].append(run)
    ordered = sorted(
        grouped.values(),
        key=lambda rows: (not rows[0]["is_current"], -rows[0]["n_questions_wanted"], rows[0]["run_id"]),
    )
    return [_board(number, rows, report) for number, rows in enumerate(ordered, start=1)]


def _board(number: int, runs: Sequence[Row], report: Report) -> Row:
    labels = {run["run_id"]: run["label"] for run in runs}
    pairs = [
        {**row, "label_a": labels[row["run_a"]], "label_b": labels[row["run_b"]]}
        for row in report.tables["scores.pairwise"]
        if row["run_a"] in labels and row["run_b"] in labels
    ]
    outcomes: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in report.tables["scores.outcomes"]:
        if row["run_id"] in labels:
            outcomes[row["run_id"], row["asked_for"]][row["outcome"]] = row
    listed = [
        {"label": labels[run["run_id"]], "asked_for": asked_for, "outcomes": found}
        for run in runs
        for asked_for in ("answer", "table")
        if (found := outcomes.get((run["run_id"], asked_for)))
    ]
    scores = [row for row in report.tables["scores.by_model"] if row["run_id"] in labels]
    first = runs[0]
    is_research = first["family"] == "deep_research"
    slices = RESEARCH_SLICES if is_research else SLICES
    charted = [("category", "domain"), ("cci", "complexity")] if is_research else list(CHARTED.items())
    return {
        "number": number,
        "title": _title(first),
        "note": _note(first),
        "runs": runs,
        "tuned": tuned_pairs(runs, pairs),
        "pairs": pairs,
        "outcomes": listed,
        "tables": [row for row in scores if row["slice_kind"] == "overall" and row["ea_f1"] is not None],
        "labels": labels,
        "is_research": is_research,
        "charted": [kind for kind, _ in charted],
        "slices": [found for kind, name in slices.items() if (found := _slices(kind, name, scores, runs))],
        "charts": [
            {"id": f"chart-{kind}-{number}", "caption": f"Accuracy by {name}", "spec": chart}
            for kind, name in charted
            if (chart := _chart(kind, name, scores, runs))
        ],
        **(
            _research(number, runs, scores, report)
            if is_research
            else {"trends": [], "failures": [], "more_charts": []}
        ),
    }


def _research(number: int, runs: Sequence[Row], scores: Sequence[Row], report: Report) -> Row:
    """What deep research has beside: `trends`, `failures`, and `more_charts` (entity and answer; failures)."""
    labels = {run["run_id"]: run["label"] for run in runs}
    of_run = {(row["run_id"], row["measure"]): row for row in report.tables["scores.trends"]}
    trends = [
        {**of_run[run["run_id"], measure], "label": labels[run["run_id"]], "measure": name}
        for run in runs
        for measure, name in MEASURES.items()
        if (run["run_id"], measure) in of_run
    ]
    shares = [row for row in report.tables["scores.failure_shares"] if row["run_id"] in labels]
    by_class = {(row["run_id"], row["class"]): row for row in shares}
    failed = [
        {"label": run["label"], "cells": [by_class[run["run_id"], name] for name in FAILURES]}
        for run in runs
        if (run["run_id"], next(iter(FAILURES))) in by_class
    ]
    more = []
    if any(run["entity_accuracy"] is not None for run in runs):
        spec = accuracy_chart(
            _measured(scores), list(MEASURES.values()), runs, "Accuracy of entity and answer, with 95% intervals."
        )
        more.append({"id": f"chart-entity-{number}", "caption": "The entity named, and the answer right", "spec": spec})
    if failed:
        spec = failures_chart(shares, runs)
        more.append({"id": f"chart-failures-{number}", "caption": "What went wrong", "spec": spec})
    return {"trends": trends, "failures": failed, "more_charts": more}


def _measured(scores: Sequence[Row]) -> list[Row]:
    """The overall accuracies as slices of one chart: of the answer, and of the entity."""
    rows = []
    for row in scores:
        if row["slice_kind"] == "overall":
            ends = {
                "accuracy": row["entity_accuracy"],
                "ci_low": row["entity_ci_low"],
                "ci_high": row["entity_ci_high"],
            }
            both = {"accuracy": row["both_right"], "ci_low": None, "ci_high": None}
            rows.append({**row, "slice": MEASURES["answer"]})
            rows.append({**row, **ends, "slice": MEASURES["entity"], "chance": None})
            rows.append({**row, **both, "slice": MEASURES["both_right"], "chance": None})
    return rows


def tuned_pairs(runs: Sequence[Row], pairs: Sequence[Row]) -> list[Row]:
    """Each fine-tuned model beside the model it was tuned from, in the same setting; `pair` is their paired test."""
    by_name = {(run["model"], run["setting"]): run for run in runs}
    tests = {frozenset((row["run_a"], row["run_b"])): row for row in pairs}
    return [
        {"tuned": run, "base": base, "pair": tests.get(frozenset((run["run_id"], base["run_id"])))}
        for run in runs
        if run["base_model"] and (base := by_name.get((run["base_model"], run["setting"])))
    ]


def rejections(report: Report) -> Row:
    """How many candidates were rejected for each reason and type: `types`, `rows`, `total`, `largest`."""
    counts = Counter((row["reason"], row["type"]) for row in report.tables["questions.rejections"])
    totals = Counter(row["reason"] for row in report.tables["questions.rejections"])
    types = sorted({kind for _, kind in counts}, key=_place)
    rows = [
        {
            "reason": spaced(reason),
            "meaning": report.reasons.get(reason, ""),
            "counts": [counts[reason, kind] for kind in types],
            "total": total,
        }
        for reason, total in totals.most_common()
    ]
    return {"types": types, "rows": rows, "total": totals.total(), "largest": max(counts.values(), default=0)}


def review(report: Report) -> Row | None:
    """What people found: `validity` by slice, overall `agreement`, `withdrawn` by reason; None before a review."""
    validity = report.tables["review.validity"]
    if not validity:
        return None
    return {
        "validity": validity,
        "agreement": [row for row in report.tables["review.agreement"] if row["slice_kind"] == "overall"],
        "withdrawn": Counter(row["reason"] for row in report.tables["review.withdrawn"]).most_common(),
    }


def composition(report: Report) -> list[Row]:
    """The make-up of multi-entity questions in sections, each with its `name` and `rows`; lone figures are in one."""
    listed = [row for row in report.tables["scores.composition"] if row["family"] == "multi_entity"]
    sizes = Counter(row["section"] for row in listed)
    sections: dict[str, list[Row]] = defaultdict(list)
    for row in listed:
        sections[row["section"] if sizes[row["section"]] > 1 else "overall"].append(row)
    return [{"name": name, "rows": rows} for name, rows in sections.items()]


def research_composition(report: Report) -> Row | None:
    """The make-up of deep-research questions: `domains`, and `rows` with a `metric` and a cell for each of them.

    None where the published file has no such question. The domains that have none are left out.
    """
    listed = [row for row in report.tables["scores.composition"] if row["family"] == "deep_research"]
    kept = [row["section"] for row in listed if row["metric"] == "questions" and row["total"]]
    if not kept:
        return None
    cells = {(row["metric"], row["section"]): row for row in listed}
    metrics = list(dict.fromkeys(row["metric"] for row in listed))
    return {
        "domains": kept,
        "rows": [{"metric": metric, "cells": [cells[metric, domain] for domain in kept]} for metric in metrics],
    }


def distinctiveness(report: Report) -> Row | None:
    """Mean and range over seeds of each set by each measure: `measures` and `rows`; None where nothing was measured."""
    listed = report.tables["scores.distinctiveness"]
    if not listed:
        return None
    values: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in listed:
        values[row["set_name"], row["measure"], row["embedder"]].append(row["value"])
    measures = sorted({key[1:] for key in values}, key=lambda key: (key[0] != "self_bleu", key))
    own = {row["embedder"] for row in listed if row["of_filter"]}
    sets = {row["set_name"]: row for row in listed}
    return {
        "measures": [
            {"measure": measure, "embedder": embedder, "of_filter": embedder in own} for measure, embedder in measures
        ],
        "rows": [
            {**first, "cells": [_spread(values.get((name, *key))) for key in measures]} for name, first in sets.items()
        ],
    }


def _spread(values: Sequence[float] | None) -> Row | None:
    return {"mean": sum(values) / len(values), "low": min(values), "high": max(values)} if values else None


def snapshot(report: Report) -> Row:
    """What the questions were computed from: `snapshot_id`, `as_of` and `landed_at` (None if unknown), `parts`."""
    ids = sorted({row["snapshot_id"] for row in report.questions})
    parts = [row for row in report.tables["provenance.snapshots"] if row["snapshot_id"] in ids]
    return {
        "snapshot_id": ", ".join(ids),
        "as_of": max((row["as_of"] for row in parts if row["as_of"]), default=None),
        "landed_at": max((row["landed_at"] for row in parts if row["landed_at"]), default=None),
        "endpoints": sorted({row["endpoint"] for row in parts}),
        "parts": parts,
    }


def _title(run: Mapping[str, Any]) -> str:
    """A board's question set in words."""
    chosen = json.loads(run["question_set"] or "{}")
    split = f"{run['split']} split" if run["split"] else "both splits"
    filters = [
        f"{name}: {', '.join(map(spaced, chosen[name]))}"
        for name in ("densities", "types", "topics")
        if chosen.get(name)
    ]
    wanted = run["n_questions_wanted"]
    drawn = f"{wanted:,} questions{' drawn evenly over the types' if chosen.get('n') else ''}"
    if chosen.get("wording", "minted") != "minted":
        # Boards of one set in wordings of different days would else have one title.
        filters.append(f"{chosen['wording']} wording{' ' + chosen['texts'] if chosen.get('texts') else ''}")
    return "; ".join([f"{spaced(run['family']).replace('multi entity', 'multi-entity')}, {split}", drawn, *filters])


def _slices(kind: str, name: str, scores: Sequence[Row], runs: Sequence[Row]) -> Row | None:
    """Accuracy of each run in each slice of a kind; None where the kind has no slice, or one that says nothing."""
    found = {(row["run_id"], row["slice"]): row for row in scores if row["slice_kind"] == kind}
    slices = sorted({part for _, part in found}, key=_place)
    if not slices or (kind in ("split", "truncation", "hops", "category") and len(slices) < 2):
        return None
    cells = [{"label": run["label"], "cells": [found.get((run["run_id"], part)) for part in slices]} for run in runs]
    return {"kind": kind, "name": name, "slices": [spaced(part) for part in slices], "rows": cells}


def _chart(kind: str, name: str, scores: Sequence[Row], runs: Sequence[Row]) -> dict[str, Any] | None:
    of_kind = [row for row in scores if row["slice_kind"] == kind and row["accuracy"] is not None]
    if not of_kind:
        return None
    slices = sorted({row["slice"] for row in of_kind}, key=_place)
    return accuracy_chart(of_kind, slices, runs, f"Accuracy by {name}, with 95% intervals and chance levels.")


def _place(name: str) -> tuple[int, str]:
    """Slices in the order that people expect, others after them by name."""
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _note(run: Mapping[str, Any]) -> str | None:
    """Which other data a board's questions are from, where they are not those that stand."""
    if run["is_current"]:
        return None
    base, _, variant = run["snapshot_id"].partition(VARIANT_MARK)
    return f"Asked of the variant {variant} of {base}." if variant else f"Asked of an earlier snapshot, {base}."
