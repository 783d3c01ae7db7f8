"""The gate after what is known of deep-research questions: which say nearly the same, and which are too easy."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge

ROOM = "selection"
_SELECTED = ("embedder", "threshold", "comparison")
# What the gate reads: frame name -> table and columns.
TABLES = {
    "details": ("questions.deep_research", ("question_id", "is_diverse", "removed_for", "difficulty_status")),
    "diversity": ("runs.diversity", (*_SELECTED, "question_id", "is_diverse", "removed_for", "n_near")),
    "survivors": (
        "scores.survivors",
        (*_SELECTED, "slice_kind", "slice", "n_questions", "n_diverse", "diverse_share", "n_pairs"),
    ),
    "difficulty": (
        "scores.difficulty",
        (
            "question_id",
            "verifier",
            "v1_accuracy",
            "v2_accuracy",
            "is_proven",
            "status",
        ),
    ),
    "agreement": ("scores.verifier_agreement", ("verifier_a", "verifier_b", "share_of_a", "share_of_b")),
}
STATUSES = ("not_checked", "too_easy_closed_book", "too_easy_agent", "undecided", "unproven", "hard")
# Below this many questions a share says nothing.
ENOUGH = 50
# A filter at this dissimilarity or under it is meant to leave something.
STRICT = 0.3


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge what was found out. ``frames`` are those of `TABLES`; nothing is compared with what was published last."""
    derived = {
        "selections": _selections(frames),
        "slices": _slices(frames["survivors"]),
        "shown": _shown(frames["details"]),
        "difficulty": _difficulty(frames["difficulty"]),
        "verifiers": _verifiers(frames["difficulty"]),
        "agreement": frames["agreement"],
    }
    return judge(
        ROOM, _claims(), derived, {"selected": len(frames["diversity"]), "verified": len(frames["difficulty"])}
    )


def _name(rows: pd.DataFrame) -> pd.Series[str]:
    return rows["embedder"] + " " + rows["threshold"].astype(str) + " " + rows["comparison"]


def _selections(frames: Frames) -> pd.DataFrame:
    """One row per selection: its `name`, and how it fits the questions.

    `missed`: questions without a row, and rows without a question. `displaced`: removed questions in whose place none
    stands that stays. `share` of the questions that stay, where there are enough and the threshold is strict. `odd`:
    pairs beyond those of the whole set.
    """
    questions = set(frames["details"]["question_id"])
    rows = frames["diversity"].assign(name=_name(frames["diversity"]))
    pairs = rows.groupby(list(_SELECTED))["n_near"].sum() / 2
    found = []
    for name, part in rows.groupby("name"):
        stays = set(part.loc[part["is_diverse"].astype(bool), "question_id"])
        instead = part.loc[~part["is_diverse"].astype(bool), "removed_for"]
        embedder, threshold, comparison = part[list(_SELECTED)].iloc[0]
        counted = len(part) >= ENOUGH and threshold <= STRICT
        found.append(
            {
                "name": name,
                "missed": len(questions ^ set(part["question_id"])),
                "displaced": int((~instead.isin(stays)).sum()),
                "share": len(stays) / len(part) if counted else None,
                "odd": pairs[embedder, threshold, comparison] - pairs.get((embedder, threshold, "whole"), float("inf")),
            }
        )
    return pd.DataFrame(found, columns=["name", "missed", "displaced", "share", "odd"])


def _slices(survivors: pd.DataFrame) -> pd.DataFrame:
    """One row per selection and kind of slice: its `name`, and by how much its slices do not add up to the whole."""
    named = survivors.assign(name=_name(survivors))
    counts = ["n_questions", "n_diverse", "n_pairs"]
    whole = named[named["slice_kind"] == "overall"].set_index("name")[counts]
    parts = named.groupby(["name", "slice_kind"])[counts].sum().reset_index()
    off = parts[counts].astype(float) - whole.reindex(parts["name"])[counts].astype(float).to_numpy()
    return pd.DataFrame({"name": parts["name"] + " " + parts["slice_kind"], "off": off.abs().max(axis=1)})


def _shown(details: pd.DataFrame) -> pd.DataFrame:
    """One row on the public table: the share of its questions that say whether they are `diverse`."""
    return pd.DataFrame([{"diverse": details["is_diverse"].notna().mean() if len(details) else None}])


def _difficulty(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per question and verifier: its `name`, accuracies, `status`, and whether it is `unfounded`ly hard."""
    known = rows["v1_accuracy"].notna() & rows["v2_accuracy"].notna() & rows["is_proven"].astype(bool)
    return pd.DataFrame(
        {
            "name": rows["question_id"] + " " + rows["verifier"],
            "v1_accuracy": rows["v1_accuracy"].astype(float),
            "v2_accuracy": rows["v2_accuracy"].astype(float),
            "status": rows["status"],
            "unfounded": (rows["status"].eq("hard") & ~known).astype(int),
        }
    )


def _verifiers(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per verifier that decided on enough questions from memory: its `name`, and the share it `remembered`."""
    decided = rows[rows["v1_accuracy"].notna()]
    found = [
        {"name": verifier, "remembered": part["status"].eq("too_easy_closed_book").mean()}
        for verifier, part in decided.groupby("verifier")
        if len(part) >= ENOUGH
    ]
    return pd.DataFrame(found, columns=["name", "remembered"])


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    return [
        between("selections", "missed", "every selection speaks of every question, and of no other", 0, 0),
        between("selections", "displaced", "in the place of every removed question stands one that stays", 0, 0),
        between(
            "selections", "share", f"at a dissimilarity of {STRICT:g} or less 2 % of the questions survive", 0.02, 1
        ),
        between("selections", "odd", "no more pairs are near within templates than over the whole set", None, 0),
        between("slices", "off", "the slices of every selection add up to it", 0, 1e-6),
        Claim(
            "shown",
            "diversity is stated of every question or of none",
            gxe.ExpectColumnValuesToBeInSet(column="diverse", value_set=[0.0, 1.0]),
        ),
        between("difficulty", "v1_accuracy", "every accuracy from memory is a share", 0, 1),
        between("difficulty", "v2_accuracy", "every accuracy of an agent is a share", 0, 1),
        Claim(
            "difficulty",
            "every status is of the closed list",
            gxe.ExpectColumnValuesToBeInSet(column="status", value_set=list(STATUSES)),
        ),
        between("difficulty", "unfounded", "no question is hard that was not tried twice and answered once", 0, 0),
        between(
            "verifiers", "remembered", f"of {ENOUGH} questions or more no verifier knows over 98 % by heart", 0, 0.98
        ),
        between("agreement", "share_of_a", "every share of the first verifier's questions is one", 0, 1),
        between("agreement", "share_of_b", "every share of the second verifier's questions is one", 0, 1),
    ]
