"""What the gate after elicitation derives from verdicts, results and scores: frames of few rows, by what is wrong."""

from __future__ import annotations

import pandas as pd

from expectations.gate import Frames

VERDICTS = ("entailment", "contradiction", "neutral", "error")
DIRECTIONS = ("precision", "recall")
SLICE = ("evaluation_id", "slice_kind", "slice")
SHARES = (
    "precision",
    "precision_low",
    "precision_high",
    "recall",
    "recall_low",
    "recall_high",
    "f1",
    "f1_low",
    "f1_high",
    "precision_with_errors",
    "recall_with_errors",
    "corrected_precision",
    "corrected_precision_low",
    "corrected_precision_high",
)
# From so many entities on, a bootstrapped interval of F1 holds it, however little they have in common.
SPREAD = 10


def verdicts_frame(verdicts: pd.DataFrame) -> pd.DataFrame:
    """One row per evaluation, direction, verdict and who gave it: its `name`, those `unsure`, and those `forgotten`."""
    sure = verdicts["method"].eq("judge") | verdicts["verdict"].eq("entailment")
    return verdicts.assign(
        name=verdicts["evaluation_id"] + " " + verdicts["direction"],
        unsure=verdicts["n"].where(~sure, 0),
        forgotten=verdicts["n"] - verdicts["n_known"],
    )


def results_frame(frames: Frames) -> pd.DataFrame:
    """One row per evaluation, direction and slice: its `name`, and what does not add up.

    `unsaid`: triples without a verdict of the four, or with two. `undecided`: likewise of who decided. `miscounted`:
    of the slice that is all, by how much its counts differ from the verdicts.
    """
    results, verdicts = frames["results"], frames["verdicts"]
    said = results[[f"n_{verdict}" for verdict in VERDICTS]].sum(axis=1)
    decided = results[["n_exact", "n_embedding", "n_judged", "n_error"]].sum(axis=1)
    counted = verdicts.pivot_table(
        index=["evaluation_id", "direction"], columns="verdict", values="n", aggfunc="sum", fill_value=0
    ).reindex(columns=list(VERDICTS), fill_value=0)
    own = counted.reindex(pd.MultiIndex.from_frame(results[["evaluation_id", "direction"]])).fillna(0)
    off = abs(own.to_numpy() - results[[f"n_{verdict}" for verdict in VERDICTS]].to_numpy()).sum(axis=1)
    return pd.DataFrame(
        {
            "name": _named(results) + " " + results["direction"],
            "unsaid": (results["n"] - said).abs(),
            "undecided": (results["n"] - decided).abs(),
            "miscounted": pd.Series(off, results.index).astype(float).where(results["slice_kind"].eq("overall")),
        }
    )


def kinds_frame(results: pd.DataFrame) -> pd.DataFrame:
    """One row per evaluation, direction and kind of slice: its `name`, and triples beyond those of the whole."""
    key = ["evaluation_id", "direction"]
    whole = results[results["slice_kind"] == "overall"].set_index(key)["n"]
    parts = results.groupby([*key, "slice_kind"])["n"].sum().reset_index()
    all_of = whole.reindex(pd.MultiIndex.from_frame(parts[key])).fillna(0).to_numpy()
    name = parts["evaluation_id"] + " " + parts["direction"] + " " + parts["slice_kind"]
    return pd.DataFrame({"name": name, "surplus": parts["n"].to_numpy(dtype=float) - all_of})


def scores_frame(frames: Frames) -> pd.DataFrame:
    """One row per evaluation and slice: its `name`, `least` and `most` of its shares, and how it holds together.

    `off`: by how much precision or recall differ from the counts with errors out of the denominator; `off_with_errors`:
    with them in it. `f1_off`: by how much F1 is not the harmonic mean. `outside`: by how much precision or recall leave
    their interval; `f1_outside`: likewise F1, over `SPREAD` entities. `uncounted`: triples and errors not counted.
    """
    scores = frames["scores"].reset_index(drop=True)
    shares = scores[list(SHARES)].astype(float)
    off, off_with_errors, left, uncounted, n_error = [], [], [], [], pd.Series(0.0, scores.index)
    for direction in DIRECTIONS:
        counts = frames["results"][frames["results"]["direction"] == direction].set_index(list(SLICE))
        own = counts.reindex(pd.MultiIndex.from_frame(scores[list(SLICE)])).reset_index(drop=True)
        right, n, errors = (own[name].astype(float).fillna(0) for name in ("n_entailment", "n", "n_error"))
        judged = n - errors
        off.append(gap(shares[direction], right / judged.where(judged > 0)))
        off_with_errors.append(gap(shares[f"{direction}_with_errors"], right / n.where(n > 0)))
        left.append(outside(shares, direction))
        uncounted.append((scores[f"n_{direction}"] - n).abs())
        n_error += errors
    p, r = shares["precision"], shares["recall"]
    harmonic = (2 * p * r / (p + r).where(p + r > 0)).fillna(0).where(p.notna() & r.notna())
    return pd.DataFrame(
        {
            "name": _named(scores),
            "least": shares.min(axis=1),
            "most": shares.max(axis=1),
            "off": pd.concat(off, axis=1).max(axis=1),
            "off_with_errors": pd.concat(off_with_errors, axis=1).max(axis=1),
            "f1_off": gap(shares["f1"], harmonic),
            "outside": pd.concat(left, axis=1).max(axis=1),
            "f1_outside": outside(shares, "f1").where(scores["n_entities"] >= SPREAD),
            "uncounted": pd.concat([*uncounted, (scores["n_error"] - n_error).abs()], axis=1).max(axis=1),
        }
    )


def directions_frame(frames: Frames) -> pd.DataFrame:
    """One row per evaluation and direction that has a verdict: its `name`, and how many scores it has as a whole."""
    said = frames["verdicts"][frames["verdicts"]["verdict"] != "error"]
    pairs = said[["evaluation_id", "direction"]].drop_duplicates()
    whole = frames["scores"][frames["scores"]["slice_kind"] == "overall"]
    scored = {(row["evaluation_id"], name) for row in whole.to_dict("records") for name in DIRECTIONS if row[name] >= 0}
    listed = [(evaluation, direction) for evaluation, direction in pairs.itertuples(index=False)]
    return pd.DataFrame(
        {"name": [" ".join(pair) for pair in listed], "scored": [int(pair in scored) for pair in listed]}
    )  # fmt: skip


def combined_frame(frames: Frames) -> pd.DataFrame:
    """One row per combined result: its `name`, how far it is from its score, and whether its tie group is amiss."""
    combined, scores = frames["combined"], frames["scores"]
    slices = combined["domain"].fillna("all")
    kinds = combined["domain"].notna().map({True: "domain", False: "overall"})
    # a slice that is scored twice is another claim's matter
    keyed = scores.drop_duplicates(list(SLICE)).set_index(list(SLICE))[["precision", "recall", "f1"]].astype(float)
    own = keyed.reindex(pd.MultiIndex.from_arrays([combined["evaluation_id"], kinds, slices])).reset_index(drop=True)
    stated = combined.reset_index(drop=True)
    gaps = [gap(stated[f"entailment_{name}"].astype(float), own[name]) for name in ("precision", "recall", "f1")]
    return pd.DataFrame(
        {
            "name": (combined["evaluation_id"] + " " + slices).to_numpy(),
            "apart": pd.concat(gaps, axis=1).max(axis=1),
            "ungrouped": (stated["tie_group"].notna() == stated["domain"].notna()).astype(int),
        }
    )


def differences_frame(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of evaluations: its `name`, and whether it is called tied where it is not, or the other way."""
    holds = (pairs["difference_low"].astype(float) <= 0) & (pairs["difference_high"].astype(float) >= 0)
    wrong = holds.ne(pairs["tied"].astype(bool)) & pairs["difference_low"].notna()
    return pd.DataFrame({"name": pairs["evaluation_a"] + " " + pairs["evaluation_b"], "mistaken": wrong.astype(int)})


def gap(stated: pd.Series[float], counted: pd.Series[float]) -> pd.Series[float]:
    """How far two shares are apart; 1 where only one of them is known."""
    return (stated - counted).abs().where(stated.notna() == counted.notna(), 1.0)


def outside(rows: pd.DataFrame, share: str) -> pd.Series[float]:
    """By how much a share leaves its interval; negative inside."""
    value, low, high = (rows[name].astype(float) for name in (share, f"{share}_low", f"{share}_high"))
    return pd.concat([low - value, value - high], axis=1).max(axis=1)


def _named(rows: pd.DataFrame) -> pd.Series[str]:
    return rows["evaluation_id"] + " " + rows["slice_kind"] + " " + rows["slice"]
