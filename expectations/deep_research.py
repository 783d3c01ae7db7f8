"""The gate after the deep-research questions: no domain swamps the others, no clue set is too thin, none got lost."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge, volume_claim, volume_frame

ROOM = "deep_research"
FAMILY = "deep_research"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "questions": (
        "questions.questions",
        ("family", "question_id", "category", "template_id", "question", "gold_value", "tolerance", "split"),
    ),
    "details": (
        "deep_research.research_minted",
        ("question_id", "domain", "n_entities", "n_properties", "cci", "spread", "n_match_warehouse"),
    ),
    "rejections": ("questions.rejections", ("family", "reason")),
}
DOMAINS = ("geophysical", "biochemistry", "financial", "history", "security")
REASONS = ("not_unique", "flattened", "leak", "undated", "degenerate", "imprecise", "insensitive", "duplicate")
# Below this many questions a share says nothing.
ENOUGH = 50


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the questions. ``frames`` are those of `TABLES`; ``published`` the last published counts by domain."""
    questions = frames["questions"][frames["questions"]["family"] == FAMILY]
    rejections = frames["rejections"][frames["rejections"]["family"] == FAMILY]
    counts = questions["category"].value_counts()
    volumes = {str(name): int(count) for name, count in counts.items()}
    derived = {
        "questions": questions,
        "details": frames["details"],
        "rejections": rejections,
        "whole": _whole(questions, frames["details"], rejections),
        "volume": volume_frame(volumes, published),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _whole(questions: pd.DataFrame, details: pd.DataFrame, rejections: pd.DataFrame) -> pd.DataFrame:
    """One row on the whole set: shares of the commonest domain and template, of rejections, of comparisons of two."""
    enough = len(questions) >= ENOUGH
    candidates = max(len(questions) + len(rejections), 1)
    whole = {
        "detailed": set(questions["question_id"]) == set(details["question_id"]),
        "domain": questions["category"].value_counts(normalize=True).max() if enough else None,
        "template": questions["template_id"].value_counts(normalize=True).max() if enough else None,
        "not_unique": (rejections["reason"] == "not_unique").sum() / candidates,
        "rejected": len(rejections) / candidates if len(questions) else None,
        "pairs": (details["n_entities"] == 2).mean() if enough else None,
    }
    return pd.DataFrame([whole])


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    return [
        between("whole", "domain", "no domain makes up over 40 % of the questions", None, 0.4),
        between("whole", "template", "no template makes up over a fifth of the questions", None, 0.2),
        between("whole", "pairs", "5 to 60 % of the questions compare two entities", 0.05, 0.6),
        between("whole", "not_unique", "the clues of at most 60 % of the candidates fit several entities", None, 0.6),
        between("whole", "rejected", "at most 80 % of the candidates are rejected", None, 0.8),
        between("details", "n_match_warehouse", "the clues of every question fit one entity", 1, 1),
        between("details", "spread", "the precision of the sources leaves at most 5 % of an answer open", 0, 0.05),
        between("details", "cci", "a question takes two steps or more, and six at most", 2, 6),
        between("questions", "tolerance", "a tolerance is at most 5 %", 0, 0.05),
        Claim(
            "whole",
            "every question has its details, and no other row is there",
            gxe.ExpectColumnValuesToBeInSet(column="detailed", value_set=[True]),
        ),
        Claim(
            "questions",
            "every question is of one of the five domains",
            gxe.ExpectColumnValuesToBeInSet(column="category", value_set=list(DOMAINS)),
        ),
        Claim(
            "rejections",
            "every rejection has a reason of the closed list",
            gxe.ExpectColumnValuesToBeInSet(column="reason", value_set=list(REASONS)),
        ),
        Claim(
            "questions",
            "every question is between 150 and 1,500 characters long",
            gxe.ExpectColumnValueLengthsToBeBetween(column="question", min_value=150, max_value=1500),
        ),
        Claim("questions", "no two questions read the same", gxe.ExpectColumnValuesToBeUnique(column="question")),
        volume_claim(),
    ]
