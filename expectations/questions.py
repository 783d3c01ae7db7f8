"""The gate after the multi-entity questions: nothing lopsided, repeated, or thinner than last time is published."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge, volume_claim, volume_frame

ROOM = "questions"
FAMILY = "multi_entity"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "questions": (
        "questions.questions",
        (
            "family",
            "type",
            "topic",
            "template_id",
            "wording_id",
            "question",
            "density",
            "entity_count",
            "gold_kind",
            "gold_answer",
            "split",
        ),
    ),
    "rejections": ("questions.rejections", ("family", "type", "reason")),
}
TYPES = (
    "intercomparison",
    "superlative",
    "aggregation",
    "distribution_compliance",
    "correlation_analysis",
    "variance_analysis",
    "descriptive_relationship",
    "hypothetical_scenarios",
)
REASONS = (
    "tie",
    "missing_values",
    "ambiguous_label",
    "trivial",
    "degenerate",
    "method_dependent",
    "low_power",
    "balance",
    "stale_prone",
    "duplicate",
    "ungrammatical",
)
# Below this many questions a share says nothing.
ENOUGH = 50


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the questions. ``frames`` are those of `TABLES`; ``published`` the last published counts by type."""
    frames = {name: frame[frame["family"] == FAMILY] for name, frame in frames.items()}
    questions = frames["questions"]
    counts = questions["type"].value_counts()
    volumes = {str(name): int(count) for name, count in counts.items()}
    derived = {
        "questions": questions,
        "rejections": frames["rejections"],
        "types": _types(questions),
        "wordings": _wordings(questions),
        "whole": _whole(frames),
        "volume": volume_frame(volumes, published),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _types(questions: pd.DataFrame) -> pd.DataFrame:
    """One row per MEBench type: its `name`, number of `questions`, their `share` of all, and the `yes` share.

    `yes` is taken among yes-or-no questions, and NULL for fewer than `ENOUGH` of them.
    """
    counts = questions["type"].value_counts().reindex(TYPES, fill_value=0)
    polar = questions[questions["gold_kind"] == "boolean"]
    grouped = (polar["gold_answer"] == "yes").groupby(polar["type"]).agg(["size", "mean"])
    yes = grouped["mean"].where(grouped["size"] >= ENOUGH).reindex(TYPES)
    share = counts / max(len(questions), 1)
    return pd.DataFrame(
        {"name": TYPES, "questions": counts.to_numpy(), "share": share.to_numpy(), "yes": yes.to_numpy()}
    )


def _wordings(questions: pd.DataFrame) -> pd.DataFrame:
    """One row per wording of a template with `ENOUGH` questions: its `name`, and its `share` of them."""
    counts = questions.groupby(["template_id", "wording_id"]).size().rename("n").reset_index()
    total = counts.groupby("template_id")["n"].transform("sum")
    frame = counts.assign(share=counts["n"] / total)[total >= ENOUGH]
    return frame.rename(columns={"wording_id": "name"})[["name", "share"]]


def _whole(frames: Frames) -> pd.DataFrame:
    """One row on the whole set: shares of density tiers, of rejections, of the test split, and mean entity count."""
    questions, rejections = frames["questions"], frames["rejections"]
    density = questions["density"].value_counts(normalize=True)
    candidates = max(len(questions) + len(rejections), 1)
    whole = {
        **{tier: density.get(tier, 0.0) for tier in ("low", "medium", "high")},
        "rejected": len(rejections) / candidates,
        "test": (questions["split"] == "test").mean(),
        "entity_count": questions["entity_count"].mean(),
        "commonest_topic": questions["topic"].value_counts(normalize=True).max(),
    }
    return pd.DataFrame([whole])


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    return [
        between("types", "questions", "every type has at least 20 questions", 20, None),
        between("types", "share", "no type makes up over 40 % of the questions", None, 0.4),
        # A template may keep two of the commoner answer for one of the rarer (dbt's most_per_rarer_answer).
        between("types", "yes", "of a type's yes-or-no questions 30 to 70 % are answered yes", 0.3, 0.7),
        between("whole", "low", "at least 5 % of questions consult at most 10 entities", 0.05, 1),
        between("whole", "medium", "at least 5 % of questions consult 11 to 100 entities", 0.05, 1),
        between("whole", "high", "at least 5 % of questions consult over 100 entities", 0.05, 1),
        between("whole", "entity_count", "a question consults 20 entities or more on average", 20, None),
        between("whole", "rejected", "between 1 and 95 % of candidates are rejected", 0.01, 0.95),
        between("whole", "test", "between 5 and 60 % of questions are in the test split", 0.05, 0.6),
        between("whole", "commonest_topic", "no topic makes up over half of the questions", None, 0.5),
        between("wordings", "share", "every wording is used for at least 10 % of its template's questions", 0.1, None),
        Claim(
            "questions",
            "no two questions read the same",
            gxe.ExpectColumnValuesToBeUnique(column="question"),
        ),
        Claim(
            "questions",
            "every question is between 20 and 400 characters long",
            gxe.ExpectColumnValueLengthsToBeBetween(column="question", min_value=20, max_value=400),
        ),
        Claim("questions", "every question has an answer", gxe.ExpectColumnValuesToNotBeNull(column="gold_answer")),
        Claim(
            "rejections",
            "every rejection gives one of the known reasons",
            gxe.ExpectColumnValuesToBeInSet(column="reason", value_set=list(REASONS)),
        ),
        volume_claim(),
    ]
