"""The gate after runs: no score is made of answers without verdicts, or of a run that came to nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge

ROOM = "runs"
_KEY = ("run_id", "question_id", "sample")
# What the gate reads: frame name -> table and columns.
TABLES = {
    "runs": ("runs.runs", ("run_id", "setting", "n_questions", "samples")),
    "answers": (
        "runs.answers",
        (
            *_KEY,
            "outcome",
            "entities_needed",
            "entities_in_context",
            "truncated",
            "prompt_tokens",
            "completion_tokens",
            "cost_usd",
            "latency_s",
        ),
    ),
    "verdicts": ("runs.verdicts", (*_KEY, "correct", "scored", "scorer", "chance")),
    "tables": ("runs.tables", (*_KEY, "n_gold", "n_predicted", "n_matched")),
    "tuples": ("runs.tuples", (*_KEY, "matched")),
}
SETTINGS = ("closed_book", "rag", "oracle", "agent")
OUTCOMES = ("answered", "unparsed", "refused", "cut", "failed")
SCORERS = ("exact", "numeric", "list", "method", "judge")
_SPENT = ["prompt_tokens", "completion_tokens", "cost_usd", "latency_s"]


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the runs. ``frames`` are those of `TABLES`; ``published`` the answers of each run published last."""
    runs = frames["runs"]
    counts = frames["answers"]["run_id"].value_counts()
    volumes = {str(run_id): int(counts.get(run_id, 0)) for run_id in runs["run_id"]}
    judged = frames["answers"].merge(frames["verdicts"], how="outer", on=list(_KEY), indicator="found")
    judged = judged.merge(runs[["run_id", "setting"]], how="left", on="run_id")
    derived = {
        "runs": _by_run(runs, judged, volumes, published or {}),
        "outcomes": judged[["outcome"]].drop_duplicates(),
        "scorers": judged[["scorer"]].drop_duplicates(),
        "tables": _tables(frames),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _by_run(
    runs: pd.DataFrame, judged: pd.DataFrame, volumes: Mapping[str, int], published: Mapping[str, int]
) -> pd.DataFrame:
    """One row per run: its `name`, `setting`, and how many of its answers break each rule.

    Besides: `unscored` is a share of its answers; `excess` how many more answers it has than it was to ask for, and
    `lost` how many fewer than when it was published last.
    """
    poor = judged["outcome"].isin(["unparsed", "refused", "cut"])
    scored = judged["scored"].eq(True)
    whole = judged["truncated"].eq(False)
    needed, held = judged["entities_needed"].astype(float), judged["entities_in_context"].astype(float)
    rules = pd.DataFrame(
        {
            "unpaired": judged["found"] != "both",
            "scored_failed": scored & (judged["outcome"] == "failed"),
            "unscored_poor": ~scored & poor,
            "wrongly_right": judged["correct"].eq(True) & (poor | ~scored),
            "overfull": held > needed,
            "incomplete_oracle": (judged["setting"] == "oracle") & whole & ~held.eq(needed),
            "open_book": (judged["setting"] == "closed_book") & (held.notna() | judged["truncated"].eq(True)),
            "negative": (judged[_SPENT].astype(float) < 0).any(axis=1),
            "chance": ~judged["chance"].astype(float).fillna(0).between(0, 1),
        }
    )
    broken = rules.astype(int).groupby(judged["run_id"]).sum()
    broken["unscored"] = (~scored).groupby(judged["run_id"]).mean()
    frame = runs.rename(columns={"run_id": "name"}).merge(broken, how="left", left_on="name", right_index=True)
    frame["answers"] = frame["name"].map(dict(volumes)).astype(float)
    frame["excess"] = frame["answers"] - frame["n_questions"] * frame["samples"]
    frame["lost"] = frame["name"].map(dict(published)).astype(float).sub(frame["answers"]).fillna(0)
    return frame


def _tables(frames: Frames) -> pd.DataFrame:
    """One row per working table: its `name`, and how many matched tuples are `surplus` or `unlisted`.

    Surplus are those beyond what the model gave or the evidence has; unlisted the counted ones that are not in tuples.
    """
    matched = frames["tuples"].groupby(list(_KEY))["matched"].sum().rename("listed").reset_index()
    frame = frames["tables"].merge(matched, how="left", on=list(_KEY))
    most = frame[["n_predicted", "n_gold"]].min(axis=1)
    return pd.DataFrame(
        {
            "name": frame["run_id"] + " " + frame["question_id"],
            "surplus": frame["n_matched"] - most,
            "unlisted": frame["n_matched"].fillna(0) - frame["listed"].fillna(0).astype(float),
        }
    )


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(frame: str, column: str, text: str, least: float | None, most: float | None) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most))

    def none(column: str, text: str) -> Claim:
        return between("runs", column, text, 0, 0)

    def one_of(frame: str, column: str, text: str, values: tuple[str, ...]) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeInSet(column=column, value_set=list(values)))

    return [
        one_of("runs", "setting", "every setting is one of the known ones", SETTINGS),
        one_of("outcomes", "outcome", "every outcome is one of the known ones", OUTCOMES),
        one_of("scorers", "scorer", "every scorer is one of the known ones", SCORERS),
        none("unpaired", "every answer has its verdict, and every verdict its answer"),
        none("scored_failed", "no answer is scored that never came"),
        none("unscored_poor", "every refused, cut or unreadable answer is scored"),
        none("wrongly_right", "no answer is right that was refused, cut, unreadable or not scored"),
        between("runs", "unscored", "no run has over half of its answers unscored", 0, 0.5),
        between("runs", "excess", "no run has more answers than it was to ask for", None, 0),
        none("overfull", "no context holds more of a question's entities than it consults"),
        none("incomplete_oracle", "an oracle's context that was not cut holds every entity"),
        none("open_book", "a closed book has no context"),
        none("negative", "no tokens, costs or seconds are negative"),
        none("chance", "every chance lies between 0 and 1"),
        between("tables", "surplus", "no working table matches more tuples than it or the evidence has", None, 0),
        between("tables", "unlisted", "every working table lists the matched tuples that it counts", 0, 0),
        between("runs", "lost", "no run has fewer answers than when it was published last", None, 0),
    ]
