"""What models told of entities, as it stands on the page: read counted, and arranged by evaluation."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dagster_defs.steps.report.charts import RUNS_SHOWN, accuracy_chart, spaced

Row = dict[str, Any]
OUTCOMES = ("answered", "empty", "unparsed", "refused", "cut", "failed")
# Kinds of slices in tables of their own, and what each is called.
SLICES = {"domain": "domain", "popularity": "popularity", "range": "number of reference triples"}
MEASURES = {"precision": "precision", "recall": "recall", "f1": "F1"}
# No word of a triple is shown at greater length (characters), and of each kind only so many.
WORD_CHARS = 200
TRIPLES_OF_A_KIND, MOST_TRIPLES, MOST_DISAGREEMENTS, MOST_PROPERTIES = 3, 240, 60, 10


def _cut(column: str) -> str:
    return f"left({column}, {WORD_CHARS}) || if(length({column}) > {WORD_CHARS}, '…', '')"


_WORDS = ", ".join(f"{_cut(name)} as {name}" for name in ("title", "subject", "predicate", "object", "error"))
# Name -> tables that a query needs, and the query: what may be millions of rows is counted, or drawn from, there.
QUERIES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "scores": (
        ("elicitation.scores", "elicitation.combined_results"),
        """
select score.*, combined.tie_group
from elicitation.scores as score
left join elicitation.combined_results as combined
    on score.evaluation_id = combined.evaluation_id and combined.domain is null and score.slice_kind = 'overall'
where score.is_current
order by score.model, score.setting, score.prompt, score.evaluation_id, score.slice_kind, score.slice
""",
    ),
    "judges": (("elicitation.judge_agreement",), "select * from elicitation.judge_agreement order by judge, judge_id"),
    "hallucinations": (
        ("elicitation.hallucinations",),
        "select * from elicitation.hallucinations order by hallucination_rate nulls last, model, prompt, experiment_id",
    ),
    "outcomes": (
        ("elicitation.elicitations", "elicitation.experiments"),
        """
select
    asked.experiment_id, asked.model, asked.setting, asked.prompt, experiment.reasoning_effort, experiment.scale,
    asked.outcome, count(*) as n, sum(asked.n_triples)::bigint as n_triples,
    count(*) filter (where asked.truncated) as n_truncated
from elicitation.elicitations as asked
join elicitation.experiments as experiment using (experiment_id)
group by all
order by asked.model, asked.setting, asked.prompt, experiment.reasoning_effort, experiment.scale, asked.experiment_id
""",
    ),
    "knowledge": (
        ("elicitation.property_knowledge",),
        f"""
select
    model, min(property) as property, sum(n_entities)::bigint as n_entities, sum(n_given)::bigint as n_given,
    sum(n_as_recorded)::bigint as n_as_recorded
from elicitation.property_knowledge
group by model, property_id
having sum(n_given) > 0
qualify row_number() over (
    partition by model order by sum(n_as_recorded) / sum(n_entities) desc, sum(n_given) desc, property_id
) <= {MOST_PROPERTIES}
order by model, sum(n_as_recorded) / sum(n_entities) desc, sum(n_given) desc, property_id
""",
    ),
    "disagreements": (
        ("elicitation.disagreements", "elicitation.elicitations", "elicitation.property_knowledge"),
        f"""
select
    {_cut("named.title")} as title, coalesce(known.property, said.property_id) as property,
    {_cut("said.object")} as object, said.models, {_cut("said.other_object")} as other_object, said.other_models,
    said.recorded, count(*) over () as n
from elicitation.disagreements as said
left join (select entity_id, min(title) as title from elicitation.elicitations group by all) as named using (entity_id)
left join (
    select property_id, min(property) as property from elicitation.property_knowledge group by all
) as known using (property_id)
order by said.recorded is null, said.entity_id, said.property_id, said.object, said.other_object
limit {MOST_DISAGREEMENTS}
""",
    ),
    "triples": (
        ("elicitation.judged", "elicitation.evaluations"),
        f"""
select evaluation_id, direction, {_WORDS}, verdict, method
from elicitation.judged
where evaluation_id in (select evaluation_id from elicitation.evaluations where is_current)
qualify row_number() over (partition by evaluation_id, direction, verdict, method order by triple_id)
    <= {TRIPLES_OF_A_KIND}
order by row_number() over (partition by evaluation_id, direction, verdict, method order by triple_id), evaluation_id,
    direction, verdict, method
limit {MOST_TRIPLES}
""",
    ),
}


def elicitation(read: Mapping[str, Sequence[Row]]) -> Row | None:
    """What the page shows of elicitation, from the rows of `QUERIES`; None where nothing was elicited.

    `evaluations` (of all entities, the best F1 first, each with a `label` of its own), `judges`, `slices` (a table for
    each of `SLICES`), `chart`, `hallucinations`, `outcomes`, `knowledge`, `disagreements` with their number, `triples`.
    """
    if not read["outcomes"]:
        return None
    listed = _evaluations(read)
    labels = {row["evaluation_id"]: row["label"] for row in listed}
    triples = sorted(
        ({**row, "label": labels[row["evaluation_id"]]} for row in read["triples"] if row["evaluation_id"] in labels),
        key=lambda row: (row["label"], row["direction"], row["verdict"], row["method"]),
    )
    differing = read["disagreements"]
    return {
        "evaluations": listed,
        "judges": read["judges"],
        "slices": [
            found for kind, name in SLICES.items() if (found := _sliced(kind, name, read["scores"], listed)) is not None
        ],
        "chart": _chart(listed),
        "hallucinations": read["hallucinations"],
        "outcomes": _outcomes(read["outcomes"]),
        "knowledge": read["knowledge"],
        "disagreements": differing,
        "n_disagreements": differing[0]["n"] if differing else 0,
        "triples": triples,
    }


def asked_for(row: Mapping[str, Any]) -> str:
    """What an experiment asked for beside its prompt: the effort, or how many triples; empty where neither."""
    effort = f"{row['reasoning_effort']} effort" if row["reasoning_effort"] else ""
    return effort or (f"{row['scale']:g}× the triples" if row["scale"] is not None else "")


def _named(row: Mapping[str, Any]) -> str:
    parts = (row["model"], spaced(row["setting"]), spaced(row["prompt"]), asked_for(row))
    return ", ".join(part for part in parts if part)


def _evaluations(read: Mapping[str, Sequence[Row]]) -> list[Row]:
    whole = [row for row in read["scores"] if row["slice_kind"] == "overall"]
    names = Counter(_named(row) for row in whole)
    listed = [
        {
            **row,
            "run_id": row["evaluation_id"],
            "asked_for": asked_for(row),
            "label": _named(row) + (f" ({row['evaluation_id'][-12:]})" if names[_named(row)] > 1 else ""),
            "n_agreed": round(row["judge_agreement"] * row["judge_examples"]) if row["judge_examples"] else None,
        }
        for row in whole
    ]
    return sorted(listed, key=lambda row: (row["f1"] is None, -(row["f1"] or 0), row["label"]))


def _sliced(kind: str, name: str, scores: Sequence[Row], listed: Sequence[Row]) -> Row | None:
    """F1, precision and recall of each evaluation in each slice of a kind; None where the kind has none."""
    found = {(row["evaluation_id"], row["slice"]): row for row in scores if row["slice_kind"] == kind}
    slices = sorted({part for _, part in found}, key=_place)
    if not slices:
        return None
    rows = [
        {"label": row["label"], "cells": [found.get((row["evaluation_id"], part)) for part in slices]} for row in listed
    ]
    return {"kind": kind, "name": name, "slices": slices, "rows": rows}


def _place(name: str) -> tuple[str, int, str]:
    """Slices that begin with a number by what it counts and how large it is, others by name."""
    number = re.match(r"[\d,]+", name)
    if not number:
        return (name, 0, name)
    return (name.rpartition(" ")[2] if name[-1].isalpha() else "", int(number[0].replace(",", "")), name)


def _chart(listed: Sequence[Row]) -> Row | None:
    """Precision, recall and F1 of the best evaluations, with their intervals."""
    rows = [
        {
            "run_id": row["evaluation_id"],
            "slice": name,
            "accuracy": row[measure],
            "ci_low": row[f"{measure}_low"],
            "ci_high": row[f"{measure}_high"],
            "chance": None,
            "n_questions": row["n_entities"],
        }
        for row in listed[:RUNS_SHOWN]
        for measure, name in MEASURES.items()
    ]
    if all(row["accuracy"] is None for row in rows):
        return None
    described = "Precision, recall and F1 of elicited triples, with 95% intervals."
    spec = accuracy_chart(rows, list(MEASURES.values()), listed, described, measure="Share", counted="Entities")
    return {"id": "chart-elicited", "spec": spec, "more": len(listed) > RUNS_SHOWN}


def _outcomes(rows: Sequence[Row]) -> list[Row]:
    """One row per experiment: its `label`, a count and a share for each of `OUTCOMES`, triples, and answers cut off."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["experiment_id"]].append(row)
    names = Counter(_named(parts[0]) for parts in grouped.values())
    listed = []
    for experiment, parts in grouped.items():
        total = sum(part["n"] for part in parts)
        counts = {part["outcome"]: part["n"] for part in parts}
        name = _named(parts[0])
        listed.append(
            {
                "label": name + (f" ({experiment.rpartition('--')[2]})" if names[name] > 1 else ""),
                "n": total,
                "n_triples": sum(part["n_triples"] for part in parts),
                "n_truncated": sum(part["n_truncated"] for part in parts),
                "cells": [{"n": counts.get(name, 0), "share": counts.get(name, 0) / total} for name in OUTCOMES],
            }
        )
    return listed
