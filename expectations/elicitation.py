"""The gate after elicitation: no set is published that is not what it says, and no score that its verdicts deny.

Triples and texts can be millions of rows: the gate reads them counted.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.elicited_verdicts import (
    DIRECTIONS,
    SHARES,
    SLICE,
    SPREAD,
    VERDICTS,
    combined_frame,
    differences_frame,
    directions_frame,
    gap,
    kinds_frame,
    outside,
    results_frame,
    scores_frame,
    verdicts_frame,
)
from expectations.gate import LEAST, Claim, Frames, Verdict, judge

ROOM = "elicitation"
# What the gate reads: frame name -> table (or a query in its place) and columns.
TABLES = {
    "sets": ("elicitation.entities", ("set_name", "entity_id", "title", "ordinal")),
    # only those that a made-up name might be
    "labels": (
        "(select distinct lower(label) as label from facts.entities where lower(label) in"
        " (select lower(title) from elicitation.entities where set_name = 'non_existing'))",
        ("label",),
    ),
    "reference": (
        "(select source, count(*) as n, count(sentence) as n_sentences, count(*) filter (where"
        " coalesce(trim(subject), '') = '' or coalesce(trim(predicate), '') = '' or coalesce(trim(object), '') = '')"
        " as n_wordless from elicitation.reference_triples group by source)",
        ("source", "n", "n_sentences", "n_wordless"),
    ),
    "passages": (
        "(select source, count(*) as n, count(*) filter (where coalesce(trim(text), '') = '') as n_empty"
        " from elicitation.passages group by source)",
        ("source", "n", "n_empty"),
    ),
    "experiments": ("elicitation.experiments", ("experiment_id", "set_name", "origin", "n_entities")),
    "asked": ("elicitation.elicitations", ("experiment_id", "entity_id", "outcome", "n_triples")),
    "triples": (
        "(select experiment_id, entity_id, count(*) as n from elicitation.triples group by all)",
        ("experiment_id", "entity_id", "n"),
    ),
    "verdicts": (
        "(select evaluation_id, direction, verdict, method, count(*) as n, count(object) as n_known"
        " from elicitation.judged group by all)",
        ("evaluation_id", "direction", "verdict", "method", "n", "n_known"),
    ),
    "results": (
        "elicitation.results",
        (*SLICE, "direction", "n", "n_entailment", "n_contradiction", "n_neutral", "n_error", "n_exact", "n_embedding",
         "n_judged"),
    ),
    "scores": ("elicitation.scores", (*SLICE, *SHARES, "n_precision", "n_recall", "n_entities", "n_error")),
    "combined": (
        "elicitation.combined_results",
        ("evaluation_id", "domain", "entailment_precision", "entailment_recall", "entailment_f1", "tie_group"),
    ),
    "differences": (
        "elicitation.differences", ("evaluation_a", "evaluation_b", "difference_low", "difference_high", "tied"),
    ),
    "hallucinations": (
        "elicitation.hallucinations",
        ("experiment_id", "n_entities", "n_failed", "n_with_triples", "hallucination_rate", "rate_low", "rate_high"),
    ),
    "agreement": ("elicitation.judge_agreement", ("judge", "judge_id", "agreement", "agreement_low", "agreement_high")),
}  # fmt: skip
OUTCOMES = ("answered", "empty", "unparsed", "refused", "cut", "failed")
METHODS = ("exact", "embedding", "judge")
MADE_UP = "non_existing"
# Of fewer entities a share says nothing of the data: a weak model over a few is no fault of theirs.
ENOUGH = 100
# What rounding to 12 digits leaves of an equality.
NOISE = 1e-9


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the room. ``frames`` are those of `TABLES`; ``published`` counts, as of last time, what `_volumes` does."""
    volumes = _volumes(frames)
    derived = {
        "sets": _sets(frames),
        "reference": _reference(frames["reference"]),
        "passages": _passages(frames["passages"]),
        "asked": _asked(frames),
        "outcomes": frames["asked"][["outcome"]].drop_duplicates(),
        "verdicts": verdicts_frame(frames["verdicts"]),
        "results": results_frame(frames),
        "kinds": kinds_frame(frames["results"]),
        "scores": scores_frame(frames),
        "directions": directions_frame(frames),
        "combined": combined_frame(frames),
        "differences": differences_frame(frames["differences"]),
        "made_up": _made_up(frames),
        "agreement": _agreement(frames["agreement"]),
        "kept": _kept(volumes, published or {}),
    }
    # Of nothing every claim holds, and each that is checked takes its time.
    return judge(ROOM, [claim for claim in _claims() if len(derived[claim.frame])], derived, volumes)


def _volumes(frames: Frames) -> dict[str, int]:
    """Triples of each experiment and, by the name of the source, those that facts are the source of."""
    counted = frames["triples"].groupby("experiment_id")["n"].sum()
    stated = frames["reference"].loc[frames["reference"]["source"].eq("warehouse"), "n"]
    told = {str(one): int(counted.get(one, 0)) for one in frames["experiments"]["experiment_id"]}
    return told | ({"warehouse": int(stated.sum())} if len(stated) else {})


def _sets(frames: Frames) -> pd.DataFrame:
    """One row per entity set: its `name`, places `left_out`, entities `repeated`, made-up names that are `known`."""
    sets, labels = frames["sets"], set(frames["labels"]["label"])
    is_known = sets["set_name"].eq(MADE_UP)
    is_known &= sets["title"].where(is_known).str.lower().isin(labels)
    grouped = sets.assign(is_known=is_known).groupby("set_name")
    size = grouped.size()
    distinct = grouped["ordinal"].nunique()
    beyond = grouped["ordinal"].max() + 1 - size
    found = {
        "left_out": beyond.abs() + (size - distinct) + grouped["ordinal"].min().clip(upper=0).abs(),
        "repeated": size - grouped["entity_id"].nunique(),
        "known": grouped["is_known"].sum(),
    }
    return pd.DataFrame(found).rename_axis("name").reset_index()


def _reference(reference: pd.DataFrame) -> pd.DataFrame:
    """One row per source of reference triples: its `name`, how many lack words, and how many sentences it `quotes`."""
    web = reference["source"].eq("web")
    return pd.DataFrame(
        {
            "name": reference["source"],
            "wordless": reference["n_wordless"],
            "quotes": reference["n_sentences"].where(web).astype(float),
        }
    )


def _passages(passages: pd.DataFrame) -> pd.DataFrame:
    """One row per source of passages: its `name`, and how many are `empty`."""
    return pd.DataFrame({"name": passages["source"], "empty": passages["n_empty"]})


def _asked(frames: Frames) -> pd.DataFrame:
    """One row per experiment: its `name`, and how many of its entities break each rule.

    `unasked`: entities not asked about, or too many; an imported file tells of whom it likes. `stray`: entities with
    triples that were not asked about. `miscounted`: entities with another number of triples than is said. `mute`:
    answers without a triple, and triples without an answer. `failed` and `unparsed` are shares, of enough entities.
    """
    experiments = frames["experiments"].set_index("experiment_id")
    both = frames["asked"].merge(frames["triples"], how="outer", on=["experiment_id", "entity_id"], indicator="found")
    is_asked = both["found"] != "right_only"
    rules = pd.DataFrame(
        {
            "asked": is_asked,
            "stray": ~is_asked,
            "miscounted": is_asked & both["n_triples"].fillna(0).ne(both["n"].fillna(0)),
            "mute": is_asked & both["outcome"].eq("answered").ne(both["n_triples"].fillna(0) > 0),
            **{name: both["outcome"].eq(name) for name in ("failed", "unparsed")},
        }
    )
    counted = rules.astype(int).groupby(both["experiment_id"]).sum().reindex(experiments.index, fill_value=0)
    enough = counted["asked"] >= ENOUGH
    shares = counted[["failed", "unparsed"]].div(counted["asked"], axis=0).where(enough)
    missing = (experiments["n_entities"] - counted["asked"]).where(experiments["origin"].eq("model")).astype(float)
    return counted.assign(unasked=missing, **shares).rename_axis("name").reset_index()


def _made_up(frames: Frames) -> pd.DataFrame:
    """One row per experiment on made-up names: its `name`, `off` of its rate, `outside` its interval, `miscounted`."""
    asked = frames["asked"].merge(frames["experiments"], on="experiment_id")
    asked = asked[asked["set_name"] == MADE_UP].merge(frames["triples"], how="left", on=["experiment_id", "entity_id"])
    came = asked["outcome"] != "failed"
    counted = (
        pd.DataFrame({"n_entities": came, "n_failed": ~came, "n_with_triples": asked["n"].fillna(0) > 0})
        .astype(int)
        .groupby(asked["experiment_id"])
        .sum()
    )
    stated = frames["hallucinations"].set_index("experiment_id")
    both = stated.reindex(stated.index.union(counted.index))
    own = counted.reindex(both.index).fillna(0)
    columns = ["n_entities", "n_failed", "n_with_triples"]
    rate = own["n_with_triples"] / own["n_entities"].where(own["n_entities"] > 0)
    found = {
        "off": gap(both["hallucination_rate"].astype(float), rate),
        "outside": outside(both.rename(columns={"hallucination_rate": "rate"}), "rate"),
        "miscounted": (both[columns].astype(float).fillna(0) - own[columns]).abs().max(axis=1),
    }
    return pd.DataFrame(found).rename_axis("name").reset_index()


def _agreement(agreement: pd.DataFrame) -> pd.DataFrame:
    """One row per judge: its `name`, its `agreement`, and by how much that leaves its interval."""
    return pd.DataFrame(
        {
            "name": agreement["judge"] + " " + agreement["judge_id"],
            "agreement": agreement["agreement"].astype(float),
            "outside": outside(agreement, "agreement"),
        }
    )


def _kept(volumes: Mapping[str, int], published: Mapping[str, int]) -> pd.DataFrame:
    """One row per experiment that is still there, and on the facts: its `name`, and the share that is left."""
    names = [name for name in published if name in volumes or name == "warehouse"]
    kept = [volumes.get(name, 0) / max(published[name], 1) for name in names]
    told = [share if name != "warehouse" and published[name] else None for name, share in zip(names, kept, strict=True)]
    facts = [share if name == "warehouse" else None for name, share in zip(names, kept, strict=True)]
    return pd.DataFrame({"name": names, "told": told, "facts": facts}).astype({"told": float, "facts": float})


def _claims() -> list[Claim]:
    return [*_told_claims(), *_scored_claims()]


def _between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
    from great_expectations import expectations as gxe

    return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))


def _among(frame: str, column: str, text: str, values: tuple[str, ...]) -> Claim:
    from great_expectations import expectations as gxe

    return Claim(frame, text, gxe.ExpectColumnValuesToBeInSet(column=column, value_set=list(values)))


def _told_claims() -> list[Claim]:
    return [
        _between("sets", "left_out", "the places of every entity set count from 0 without a gap", 0, 0),
        _between("sets", "repeated", "no entity is twice in a set", 0, 0),
        _between("sets", "known", "no made-up name is one that something is called", 0, 0),
        _between("reference", "wordless", "every reference triple has a subject, a predicate and an object", 0, 0),
        _between("reference", "quotes", "no sentence of the web is kept", 0, 0),
        _among("passages", "name", "no passage of the web is kept", ("warehouse", "wikipedia")),
        _between("passages", "empty", "no passage is empty", 0, 0),
        _between("asked", "unasked", "every experiment speaks of all of its entities, and of no other", 0, 0),
        _between("asked", "stray", "every triple belongs to an entity that was asked about", 0, 0),
        _between("asked", "miscounted", "every elicitation has as many triples as it says", 0, 0),
        _between("asked", "mute", "an elicitation has triples exactly where it was answered", 0, 0),
        _between("asked", "failed", f"of {ENOUGH} entities or more no experiment failed on over half", 0, 0.5),
        _between("asked", "unparsed", f"of {ENOUGH} entities or more not nearly all answers are unreadable", 0, 0.98),
        _among("outcomes", "outcome", "every outcome is of the closed list", OUTCOMES),
        _between("kept", "told", "no experiment lost triples since it was published last", 1, None),
        _between("kept", "facts", "the facts to be told are not a fifth fewer than were published last", LEAST, None),
    ]


def _scored_claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    return [
        _among("verdicts", "direction", "every verdict is on precision or recall", DIRECTIONS),
        _among("verdicts", "verdict", "every verdict is of the closed list", VERDICTS),
        _among("verdicts", "method", "every verdict is given by a match or the judge", METHODS),
        _between("verdicts", "unsure", "what was matched without the judge is borne out", 0, 0),
        _between("verdicts", "forgotten", "what was judged is still known", 0, 0),
        _between("results", "unsaid", "every judged triple has one verdict", 0, 0),
        _between("results", "undecided", "every verdict has one that gave it", 0, 0),
        _between("results", "miscounted", "the results count the verdicts that there are", 0, 0),
        _between("kinds", "surplus", "the slices of no kind hold more than the whole", None, 0),
        Claim("scores", "no slice is scored twice", gxe.ExpectColumnValuesToBeUnique(column="name")),
        _between("scores", "least", "no share is below 0", 0, None),
        _between("scores", "most", "no share is above 1", None, 1),
        _between("scores", "off", "precision and recall are those of the verdicts, errors left out", 0, NOISE),
        _between("scores", "off_with_errors", "beside them stand those with errors in the denominator", 0, NOISE),
        _between("scores", "f1_off", "every F1 is the harmonic mean of its precision and recall", 0, NOISE),
        _between("scores", "outside", "every precision and recall lies in its interval", None, NOISE),
        _between("scores", "f1_outside", f"over {SPREAD} entities or more every F1 lies in its interval", None, NOISE),
        _between("scores", "uncounted", "every score counts its triples and its errors", 0, 0),
        _between("directions", "scored", "every direction with a verdict has its score", 1, 1),
        _between("combined", "apart", "the combined results are the scores", 0, NOISE),
        _between("combined", "ungrouped", "every result as a whole has a tie group, and no domain has", 0, 0),
        _between(
            "differences", "mistaken", "two are tied exactly where the interval of their difference holds 0", 0, 0
        ),
        _between("made_up", "off", "every hallucination rate is that of the triples", 0, NOISE),
        _between("made_up", "outside", "every hallucination rate lies in its interval", None, NOISE),
        _between("made_up", "miscounted", "every made-up name is counted once, as answered or failed", 0, 0),
        _between("agreement", "agreement", "every agreement of a judge is a share", 0, 1),
        _between("agreement", "outside", "every agreement of a judge lies in its interval", None, NOISE),
    ]
