"""What two models told of made-up lakes, judged, beside the questions of `world`, in one published file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from tests.report import world

SCRIPT = world.SCRIPT
HOSTILE = f'"/><img src=x onerror="document.title=\'hacked\'"> & <b>deep</b> {SCRIPT} </details></section>'
# Table -> the model that it is made of, where that is called otherwise.
TABLES: dict[str, str | None] = {
    **dict.fromkeys(
        f"elicitation.{name}"
        for name in (
            "experiments", "elicitations", "evaluations", "scores", "combined_results", "judge_agreement",
            "hallucinations", "property_knowledge", "disagreements",
        )
    ),
    "elicitation.judged": "judged_triples",
}  # fmt: skip
# Name, model, setting, prompt, effort, scale, precision, recall, tie group.
EXPERIMENTS = (
    ("a", "river-70b", "random", "direct", None, None, 0.8, 0.4, 1),
    ("b", "brook-1b", "random", "direct", None, None, 0.5, 0.1, 2),
    ("c", "brook-1b", "ranges", "wikidata_only", None, 0.5, 0.25, None, 1),
    ("d", "brook-1b", "reasoning_effort", "direct", "low", None, 0.0, 0.0, 1),
)
MADE_UP = ("m", "brook-1b", "non_existing", "direct", None, None)
OUTCOMES = {"answered": 11, "empty": 3, "unparsed": 2, "refused": 1, "cut": 2, "failed": 1}
POPULARITY = ("1,000 to 9,999 page views", "10 to 99 page views", "1 to 9 links")
Rows = list[dict[str, Any]]


def write(path: Path, judged: bool = True) -> Path:
    """Write the database: 12 questions without a run, what was told of lakes, and the verdicts if asked for."""
    world.write(path, world.questions(12), runs=False)
    with duckdb.connect(str(path)) as connection:
        for table, model in TABLES.items():
            world.create(connection, table, model)
        for table, rows in {**told(), **(verdicts() if judged else {})}.items():
            world.insert(connection, table, rows)
    return path


def told() -> dict[str, Rows]:
    """Twenty elicitations of each experiment, and what follows from these alone."""
    rows: dict[str, Rows] = {"elicitation.experiments": [], "elicitation.elicitations": []}
    for name, model, setting, prompt, effort, scale, *_ in (*EXPERIMENTS, MADE_UP):
        named = {"experiment_id": f"x--{name}", "model": model, "setting": setting, "prompt": prompt}
        rows["elicitation.experiments"].append(named | {"reasoning_effort": effort, "scale": scale, "n_entities": 20})
        listed = [outcome for outcome, n in OUTCOMES.items() for _ in range(n)]
        rows["elicitation.elicitations"] += [
            named
            | {"entity_id": f"L{number}", "title": f"Lake {number}", "outcome": outcome, "truncated": number == 0}
            | {"n_triples": 3 if outcome == "answered" else 0}
            for number, outcome in enumerate(listed)
        ]
    rows["elicitation.hallucinations"] = [
        {
            "experiment_id": "x--m", "model": "brook-1b", "setting": "non_existing", "prompt": "direct",
            "n_entities": 19, "n_failed": 1, "n_with_triples": 11, "hallucination_rate": 11 / 19, "rate_low": 0.363,
            "rate_high": 0.769, "n_triples": 33, "triples_per_entity": 33 / 19,
        }
    ]  # fmt: skip
    rows["elicitation.property_knowledge"] = [
        {
            "experiment_id": f"x--{name}", "model": model, "setting": setting, "prompt": prompt, "property_id": f"P{n}",
            "property": f"property {n} <i>of it</i>", "n_entities": 10, "n_given": given, "n_as_recorded": right,
        }
        for name, model, setting, prompt, *_ in EXPERIMENTS
        for n, given, right in [(1, 4, 2), (2, 8, 8), (3, 0, 0), *((n, 1, 0) for n in range(4, 15))]
    ]  # fmt: skip
    return rows


def verdicts() -> dict[str, Rows]:
    """Evaluations with their scores by slice, the judge beside its examples, judged triples, and a disagreement."""
    rows: dict[str, Rows] = {
        f"elicitation.{name}": [] for name in ("evaluations", "scores", "combined_results", "judged")
    }
    for name, model, setting, prompt, effort, scale, precision, recall, tie_group in EXPERIMENTS:
        key = {"evaluation_id": f"evaluation-{name}", "experiment_id": f"x--{name}"}
        named = {"model": model, "setting": setting, "prompt": prompt}
        rows["elicitation.evaluations"].append(key | {"judge": "judge", "is_current": True})
        score = key | named | _score(precision, recall)
        score |= {"reasoning_effort": effort, "scale": scale, "judge": "judge", "is_current": True}
        slices = [("overall", "all"), ("domain", "Water & <b>ice</b>"), *(("popularity", one) for one in POPULARITY)]
        rows["elicitation.scores"] += [score | {"slice_kind": kind, "slice": part} for kind, part in slices]
        # an older evaluation, which is no one's business any more
        old = {"evaluation_id": f"old-{name}", "is_current": False, "slice_kind": "overall", "slice": "all"}
        rows["elicitation.scores"].append(score | old)
        rows["elicitation.combined_results"].append(key | named | {"tie_group": tie_group})
        rows["elicitation.judged"] += [
            key | named | {"direction": direction, "triple_id": f"{direction}{number:02}", "entity_id": "L1"}
            | {"title": "Lake 1", "subject": "Lake 1", "predicate": "depth", "object": f"{number} m"}
            | {"verdict": verdict, "method": method, "error": "the answer ended early" if verdict == "error" else None}
            for direction in ("precision", "recall")
            for number, (verdict, method) in enumerate(
                [("entailment", "exact"), ("entailment", "embedding"), ("contradiction", "judge"), ("neutral", "judge"),
                 ("error", "judge")] * 5
            )
        ]  # fmt: skip
    first = rows["elicitation.judged"][0]
    first |= dict.fromkeys(("title", "subject", "predicate", "object"), HOSTILE)
    rows["elicitation.judged"][1] |= {"object": "deep" * 400}
    rows["elicitation.judge_agreement"] = [
        {
            "judge_id": "j", "judge": "judge", "n": 64, "n_error": 2, "agreement": 58 / 64, "agreement_low": 0.81,
            "agreement_high": 0.956, "kappa": 0.86, "sensitivity": 0.9, "specificity": 0.95,
        }
    ]  # fmt: skip
    rows["elicitation.disagreements"] = [
        {
            "entity_id": "L1", "property_id": f"P{n}", "object": HOSTILE, "models": ["river-70b"],
            "other_object": "39 m", "other_models": ["brook-1b", "<u>other</u>"], "recorded": recorded,
        }
        for n, recorded in [(1, "other_object"), (77, None), *((n, "object") for n in range(200, 270))]
    ]  # fmt: skip
    return rows


def _score(precision: float, recall: float | None) -> dict[str, Any]:
    f1 = None if recall is None else 0.0 if not recall else 2 * precision * recall / (precision + recall)
    ends = {
        f"{name}_{end}": None if value is None else max(0.0, min(1.0, value + moved))
        for name, value in (("precision", precision), ("recall", recall), ("f1", f1))
        for end, moved in (("low", -0.08), ("high", 0.08))
    }
    shares = {"precision": precision, "recall": recall, "f1": f1, **ends, "precision_with_errors": precision * 0.9}
    corrected = {"corrected_precision": 0.75, "corrected_precision_low": 0.6, "corrected_precision_high": 0.9}
    counts = {"n_triples": 50, "n_precision": 25, "n_recall": 25, "n_entities": 18, "n_error": 10}
    judge = {"judge_agreement": 58 / 64, "judge_examples": 64}
    return {**shares, "recall_with_errors": None if recall is None else recall * 0.9, **corrected, **counts, **judge}
