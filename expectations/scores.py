"""The gate after scores: nothing is published whose intervals, sums or comparisons contradict one another."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge

ROOM = "scores"
_SHARES = (
    "accuracy",
    "accuracy_answered",
    "chance",
    "entity_accuracy",
    "both_right",
    "ea_f1",
    "ea_f1_micro",
    "ea_precision",
    "ea_recall",
    "ea_coverage",
)
# What the gate reads: frame name -> table and columns.
TABLES = {
    "by_model": (
        "scores.by_model",
        (
            "run_id",
            "slice_kind",
            "slice",
            *_SHARES,
            "ea_precision_micro",
            "ea_recall_micro",
            "ci_low",
            "ci_high",
            "entity_ci_low",
            "entity_ci_high",
            "n_questions",
            "n",
            "n_scored",
            "n_unscored",
        ),
    ),
    "pairwise": ("scores.pairwise", ("run_a", "run_b", "b", "c", "p_value", "p_holm", "tied")),
    "leaderboard": (
        "scores.leaderboard",
        ("run_id", "setting", "rank", "accuracy", "n_questions", "cost_usd"),
    ),
    "trends": (
        "scores.trends",
        ("run_id", "measure", "n_questions", "n_levels", "jonckheere_p", "spearman_rho", "spearman_p"),
    ),
    "failures": ("scores.failure_shares", ("run_id", "class", "n", "share")),
    "agreement": ("review.agreement", ("field", "slice_kind", "slice", "n", "agreement", "alpha")),
    "validity": ("review.validity", ("slice_kind", "slice", "n", "n_valid", "valid", "valid_low", "valid_high")),
    "withdrawn": ("review.withdrawn", ("question_id",)),
    "calibration": ("scores.judge_calibration", ("slice_kind", "slice", "agreement", "kappa", "alpha")),
}
# Kinds of which every answer is in exactly one slice.
WHOLE = ("family", "category", "type", "density", "hops", "topic", "split")
# Below this many questions an interval or a share says little.
ENOUGH = 30


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the scores. ``frames`` are those of `TABLES`; ``published`` the questions of each run published last."""
    board = frames["leaderboard"]
    volumes = {str(run_id): int(n) for run_id, n in zip(board["run_id"], board["n_questions"], strict=True)}
    derived = {
        "slices": _slices(frames["by_model"]),
        "sums": _sums(frames["by_model"]),
        "pairs": _pairs(frames["pairwise"]),
        "trends": _trends(frames["trends"]),
        "failures": _failures(frames["failures"]),
        "board": _board(board, volumes, published or {}),
        "agreed": _agreed(frames),
        "validity": _validity(frames["validity"]),
        "withdrawn": _withdrawn(frames),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _slices(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per slice of a run: its `name`, `least` and `most` of its shares, and how it holds together.

    `below` and `above`: by how much the accuracy leaves its interval. `breadth`: the interval's width in widths of a
    normal one for as many yes-or-no questions, NULL for fewer than `ENOUGH` or without variation. `uncounted`: answers
    neither scored nor unscored. `outside`: by how much the micro F1 leaves the span from precision to recall.
    `entity_outside`: by how much the entity's accuracy leaves its interval. `surplus`: by how much more are right
    in both than in either.
    """
    shares = scores[list(_SHARES)].astype(float)
    p, low, high = (scores[column].astype(float) for column in ("accuracy", "ci_low", "ci_high"))
    questions = scores["n_questions"] * scores["n_scored"] / scores["n"]
    normal = 2 * 1.96 * (p * (1 - p) / questions) ** 0.5
    parts = scores[["ea_precision_micro", "ea_recall_micro"]].astype(float)
    micro = scores["ea_f1_micro"].astype(float)
    entity, entity_low, entity_high = (
        scores[f"entity_{end}"].astype(float) for end in ("accuracy", "ci_low", "ci_high")
    )
    return pd.DataFrame(
        {
            "name": _named(scores),
            "least": shares.min(axis=1),
            "most": shares.max(axis=1),
            "below": low - p,
            "above": p - high,
            "breadth": ((high - low) / normal).where((questions >= ENOUGH) & (normal > 0)),
            "uncounted": (scores["n"] - scores["n_scored"] - scores["n_unscored"]).abs(),
            "outside": pd.concat([parts.min(axis=1) - micro, micro - parts.max(axis=1)], axis=1).max(axis=1),
            "entity_outside": pd.concat([entity_low - entity, entity - entity_high], axis=1).max(axis=1),
            "surplus": scores["both_right"].astype(float) - pd.concat([p, entity], axis=1).min(axis=1),
        }
    )


def _named(scores: pd.DataFrame) -> pd.Series[str]:
    return scores["run_id"] + " " + scores["slice_kind"] + " " + scores["slice"]


def _sums(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per run and kind of slice of `WHOLE`: its `name`, and how many answers are `missing`."""
    whole = scores[scores["slice_kind"] == "overall"].set_index("run_id")["n"]
    parts = scores[scores["slice_kind"].isin(WHOLE)].groupby(["run_id", "slice_kind"])["n"].sum().unstack("slice_kind")
    missing = parts.reindex(index=whole.index, columns=list(WHOLE)).fillna(0).rsub(whole, axis=0)
    frame = missing.reset_index().melt(id_vars="run_id", var_name="kind", value_name="missing")
    return pd.DataFrame({"name": frame["run_id"] + " " + frame["kind"], "missing": frame["missing"]})


def _pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of runs: its `name` whichever comes first, and by how much its p-values contradict the counts.

    `gain`: how far Holm's correction lowers the p-value. `split`: whether a pair with b = c is held to differ.
    """
    ordered = pairs[["run_a", "run_b"]].astype("object").apply(sorted, axis=1, result_type="reduce")
    return pd.DataFrame(
        {
            "name": [" ".join(pair) for pair in ordered.to_numpy()],
            "p_value": pairs["p_value"].astype(float),
            "gain": (pairs["p_value"] - pairs["p_holm"]).astype(float),
            "split": ((pairs["b"] == pairs["c"]) & ~pairs["tied"].astype(bool)).astype(int),
        }
    )


def _trends(trends: pd.DataFrame) -> pd.DataFrame:
    """One row per run and measure: its `name`, the ends of its p-values, its correlation, and whether it lacks one.

    `uncorrelated`: there is no correlation between questions of one complexity alone.
    """
    p_values = trends[["jonckheere_p", "spearman_p"]].astype(float)
    rho = trends["spearman_rho"].astype(float)
    return pd.DataFrame(
        {
            "name": trends["run_id"] + " " + trends["measure"],
            "least_p": p_values.min(axis=1),
            "most_p": p_values.max(axis=1),
            "strength": rho.abs(),
            "uncorrelated": (rho.notna() & trends["n_levels"].lt(2)).astype(int),
        }
    )


def _failures(shares: pd.DataFrame) -> pd.DataFrame:
    """One row per run with wrong answers: its `name`, the `sum` of its shares, and how many stay `undetermined`."""
    kept = shares["share"].where(shares["class"].eq("undetermined"))
    by_run = shares.assign(open=kept).groupby("run_id").agg(sum=("share", "sum"), undetermined=("open", "sum"))
    return by_run.rename_axis("name").reset_index()


def _board(board: pd.DataFrame, volumes: Mapping[str, int], published: Mapping[str, int]) -> pd.DataFrame:
    """One row per run: its `name`, `rank`, `cost_usd`, and what is suspicious about it.

    `unseen` is the accuracy of a closed book over `ENOUGH` questions or more. `kept`: its questions now in those of its
    last publication, 1 for a run not published before.
    """
    blind = (board["setting"] == "closed_book") & (board["n_questions"] >= ENOUGH)
    before = board["run_id"].map(dict(published)).astype(float).clip(lower=1)
    return pd.DataFrame(
        {
            "name": board["run_id"],
            "unranked": (board["rank"].isna() != board["accuracy"].isna()).astype(int),
            "cost_usd": board["cost_usd"].astype(float),
            "unseen": board["accuracy"].astype(float).where(blind),
            "kept": (board["run_id"].map(dict(volumes)).astype(float) / before).fillna(1.0),
        }
    )


def _agreed(frames: Frames) -> pd.DataFrame:
    """One row per agreement of people, or of people and the judge: its `name`, the raw `agreement` and `alpha`.

    `excess`: by how much kappa or alpha of two labellers exceed their raw agreement, from which they take chance off.
    """
    people, judge = frames["agreement"], frames["calibration"].dropna(subset="agreement").assign(field="judge")
    both = pd.concat([people, judge], ignore_index=True)
    corrected = both[["kappa", "alpha"]].astype(float).max(axis=1)
    return pd.DataFrame(
        {
            "name": both["field"] + " " + both["slice_kind"] + " " + both["slice"],
            "agreement": both["agreement"].astype(float),
            "alpha": both["alpha"].astype(float),
            "excess": (corrected - both["agreement"].astype(float)).where(both["field"] == "judge"),
        }
    )


def _validity(validity: pd.DataFrame) -> pd.DataFrame:
    """One row per slice of the reviewed questions: its `name`, and by how much its share leaves its interval."""
    share, low, high = (validity[column].astype(float) for column in ("valid", "valid_low", "valid_high"))
    return pd.DataFrame(
        {
            "name": validity["slice_kind"] + " " + validity["slice"],
            "outside": pd.concat([low - share, share - high], axis=1).max(axis=1),
        }
    )


def _withdrawn(frames: Frames) -> pd.DataFrame:
    """One row: how many questions are withdrawn beyond those that were found wrong."""
    whole = frames["validity"][frames["validity"]["slice_kind"] == "overall"]
    wrong = int((whole["n"] - whole["n_valid"]).sum())
    return pd.DataFrame({"name": ["withdrawn"], "surplus": [len(frames["withdrawn"]) - wrong]})


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    def once(frame: str, text: str) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeUnique(column="name"))

    # What rounding to 12 digits leaves of an equality.
    noise = 1e-9
    return [
        once("slices", "no slice of a run is scored twice"),
        between("slices", "least", "no share is below 0", 0, None),
        between("slices", "most", "no share is above 1", None, 1),
        between("slices", "below", "no accuracy lies below its interval", None, noise),
        between("slices", "above", "no accuracy lies above its interval", None, noise),
        between("slices", "breadth", "no interval is over twice as wide as that many questions make it", None, 2),
        between("slices", "uncounted", "every answer is scored or unscored", 0, 0),
        between("slices", "outside", "an F1 over tuples lies between their precision and recall", None, noise),
        between("slices", "entity_outside", "no share of right entities lies outside its interval", None, noise),
        between("slices", "surplus", "no more questions are right in both than in entity or answer", None, noise),
        once("trends", "no trend of a run is tested twice"),
        between("trends", "least_p", "no p-value of a trend is below 0", 0, None),
        between("trends", "most_p", "no p-value of a trend is above 1", None, 1),
        between("trends", "strength", "every correlation lies between -1 and 1", 0, 1 + noise),
        between("trends", "uncorrelated", "nothing is correlated with a complexity that does not vary", 0, 0),
        between("failures", "sum", "the classes of a run's failures add up", 1 - noise, 1 + noise),
        between("failures", "undetermined", "no run has over half of its failures undetermined", None, 0.5),
        between("sums", "missing", "the slices of each kind add up to the run", 0, 0),
        once("pairs", "no two runs are compared twice"),
        between("pairs", "p_value", "every p-value lies between 0 and 1", 0, 1),
        between("pairs", "gain", "Holm's correction lowers no p-value", None, noise),
        between("pairs", "split", "two runs with as many questions to each side are tied", 0, 0),
        once("board", "every run is on the leaderboard once"),
        between("board", "unranked", "a run has a rank exactly where it has an accuracy", 0, 0),
        between("board", "cost_usd", "no run costs less than nothing", 0, None),
        between("board", "unseen", f"no closed book is right over 98 % of {ENOUGH} questions or more", None, 0.98),
        once("agreed", "no agreement is stated twice"),
        between("agreed", "agreement", "every agreement is a share", 0, 1),
        between("agreed", "alpha", "every alpha is at most 1", None, 1),
        between("agreed", "excess", "no agreement beyond chance exceeds the agreement itself", None, noise),
        once("validity", "no slice of the reviewed questions is stated twice"),
        between("validity", "outside", "every share of valid questions lies in its interval", None, noise),
        between("withdrawn", "surplus", "no more questions are withdrawn than were found wrong", None, 0),
        between("board", "kept", "no run lost over a fifth of its questions since it was published last", 0.8, None),
    ]
