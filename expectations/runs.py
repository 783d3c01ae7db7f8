"""The gate after runs: no score is made of answers without verdicts, or of a run that came to nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import Claim, Frames, Verdict, judge

ROOM = "runs"
_KEY = ("run_id", "question_id", "sample")
_REFINED = ("question_id", "refiner", "judge")
_FLAGS = ("is_unclear", "is_irrelevant", "is_loaded", "is_biased")
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
    "verdicts": ("runs.verdicts", (*_KEY, "correct", "scored", "scorer", "chance", "entity_correct")),
    "steps": ("runs.steps", (*_KEY, "number", "kind")),
    "tables": ("runs.tables", (*_KEY, "n_gold", "n_predicted", "n_matched")),
    "tuples": ("runs.tuples", (*_KEY, "matched")),
    "refinements": (
        "runs.refinements",
        (
            *_REFINED,
            "original",
            "rewrite",
            "status",
            "reason",
            "judge_same",
            *_FLAGS,
            "cost_usd",
            "is_current",
        ),
    ),
    "wordings": ("runs.question_wordings", ("question_id", "wording", "question", "source", "refiner", "judge")),
}
SETTINGS = ("closed_book", "rag", "oracle", "agent")
OUTCOMES = ("answered", "unparsed", "refused", "cut", "failed")
KINDS = ("ran", "failed", "repeated", "unreadable", "answer", "silent")
SCORERS = ("exact", "numeric", "list", "method", "judge")
STATUSES = ("accepted", "refused", "unscored")
# A share of rewrites is judged where there are so many; a weak refiner over a few questions is no fault of the data.
ENOUGH = 500
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
        "kinds": frames["steps"][["kind"]].drop_duplicates(),
        "agents": _agents(frames["steps"], judged),
        "tables": _tables(frames),
        "refinements": _refinements(frames),
        "refiners": _refiners(frames["refinements"]),
        "wordings": _wordings(frames),
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
    # Columns that no answer fills come as nullable ones, in which a comparison may be neither true nor false.
    scored, truncated = _true(judged["scored"]), _true(judged["truncated"])
    whole = judged["truncated"].eq(False).fillna(False).astype(bool)
    needed, held = judged["entities_needed"].astype(float), judged["entities_in_context"].astype(float)
    rules = pd.DataFrame(
        {
            "unpaired": judged["found"] != "both",
            "scored_failed": scored & (judged["outcome"] == "failed"),
            "unscored_poor": ~scored & poor,
            "wrongly_right": _true(judged["correct"]) & (poor | ~scored),
            "wrongly_found": _true(judged["entity_correct"]) & (poor | ~scored),
            "overfull": held > needed,
            "incomplete_oracle": (judged["setting"] == "oracle") & whole & ~held.eq(needed),
            "open_book": (judged["setting"] == "closed_book") & (held.notna() | truncated),
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


def _true(column: pd.Series) -> pd.Series:
    """Whether each value is true; NULL is not."""
    return column.eq(True).fillna(False).astype(bool)


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


def _agents(steps: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """One row per answer of an agent, and per answer that has steps: its `name`, and whether it breaks each rule.

    `stepless`: it was given without a step; one that the context had no room for, or of which nothing came, may be.
    `stray`: its steps are of no answer, or of a run in another setting. `gapped`: they are not numbered from 1 on.
    `unanswered`: its last step, and no other, should be the answer, or it has no answer and a step that is one.
    """
    steps = steps.assign(is_answer=steps["kind"].eq("answer"))
    steps["answer_at"] = steps["number"].where(steps["is_answer"])
    made = steps.groupby(list(_KEY)).agg(
        n=("number", "size"), distinct=("number", "nunique"), first=("number", "min"), last=("number", "max"),
        answers=("is_answer", "sum"), answer_at=("answer_at", "max"),
    )  # fmt: skip
    agents = judged[judged["setting"].eq("agent") & judged["outcome"].notna()]
    frame = agents[[*_KEY, "outcome"]].merge(made.reset_index(), how="outer", on=list(_KEY))
    frame[[*made.columns]] = frame[[*made.columns]].astype(float)
    walked, answered = frame["n"].notna(), frame["outcome"].eq("answered")
    ends = frame["answers"].eq(1) & frame["answer_at"].eq(frame["last"])
    return pd.DataFrame(
        {
            "name": frame["run_id"] + " " + frame["question_id"],
            "stepless": (~walked & frame["outcome"].isin(["answered", "unparsed", "refused"])).astype(int),
            "stray": frame["outcome"].isna().astype(int),
            "gapped": (walked & ~(frame["first"].eq(1) & frame["last"].eq(frame["n"]))).astype(int),
            "unanswered": (walked & ~ends.where(answered, frame["answers"].eq(0))).astype(int),
        }
    )


def _refinements(frames: Frames) -> pd.DataFrame:
    """One row per refinement: its `name`, `status`, and which rules it breaks.

    `unconfirmed`: accepted without the judge's word, with a reason, or as it was. `unreasoned`: refused without a
    reason. `cost_usd` is not below 0.
    """
    frame = frames["refinements"]
    accepted, same = frame["status"] == "accepted", frame["judge_same"].eq(True)
    return pd.DataFrame(
        {
            "name": frame["question_id"] + " " + frame["refiner"],
            "status": frame["status"],
            "unconfirmed": (
                accepted & (~same | frame["reason"].notna() | frame["rewrite"].eq(frame["original"]))
            ).astype(int),
            "unreasoned": (frame["status"].eq("refused") & frame["reason"].isna()).astype(int),
            "cost_usd": frame["cost_usd"].astype(float),
        }
    )


def _refiners(refined: pd.DataFrame) -> pd.DataFrame:
    """One row per refiner and judge with at least `ENOUGH` refinements: `name`, and shares of them.

    `refused` and `unscored` are of all; `flagged` is that of the fault that is seen most often.
    """
    rows = []
    for (refiner, confirmer), part in refined.groupby(["refiner", "judge"]):
        if len(part) >= ENOUGH:
            shares = {status: float((part["status"] == status).mean()) for status in ("refused", "unscored")}
            flagged = max(float(part[flag].eq(True).mean()) for flag in _FLAGS)
            rows.append({"name": f"{refiner} {confirmer}", **shares, "flagged": flagged})
    return pd.DataFrame(rows, columns=["name", "refused", "unscored", "flagged"])


def _wordings(frames: Frames) -> pd.DataFrame:
    """One row per question that has a wording or an accepted rewrite: its `name`, and how many break each rule.

    `minted`: its minted texts, of which there is one. `stray`: wordings that no accepted rewrite of it accounts for.
    `moved`: accepted rewrites of another text than the minted one.
    """
    wordings, refined = frames["wordings"], frames["refinements"]
    minted = wordings[wordings["source"] == "minted"]
    accepted = refined[(refined["status"] == "accepted") & refined["is_current"].eq(True)]
    text = {"question": "rewrite"}
    reworded = wordings[wordings["source"] != "minted"].rename(columns=text)
    known = reworded.merge(accepted[[*_REFINED, "rewrite"]], how="left", on=[*_REFINED, "rewrite"], indicator="found")
    own = accepted.merge(minted[["question_id", "question"]], how="left", on="question_id")
    counts = {
        "minted": minted["question_id"].value_counts(),
        "stray": known.loc[known["found"] != "both", "question_id"].value_counts(),
        "moved": own.loc[own["question"] != own["original"], "question_id"].value_counts(),
    }
    names = pd.Index([*wordings["question_id"], *accepted["question_id"]]).unique()
    columns = {column: found.reindex(names).fillna(0).to_numpy() for column, found in counts.items()}
    return pd.DataFrame({"name": names.astype(object), **columns})


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
        one_of("kinds", "kind", "every kind of step is one of the known ones", KINDS),
        between("agents", "stepless", "every answer that an agent gave has its steps", 0, 0),
        between("agents", "stray", "every step is of an agent's answer", 0, 0),
        between("agents", "gapped", "the steps of an answer are numbered from 1 without a gap", 0, 0),
        between(
            "agents", "unanswered", "the last step of an answer that was given, and no other, is that answer", 0, 0
        ),
        none("unscored_poor", "every refused, cut or unreadable answer is scored"),
        none("wrongly_right", "no answer is right that was refused, cut, unreadable or not scored"),
        none("wrongly_found", "no entity is right of an answer that was refused, cut, unreadable or not scored"),
        between("runs", "unscored", "no run has over half of its answers unscored", 0, 0.5),
        between("runs", "excess", "no run has more answers than it was to ask for", None, 0),
        none("overfull", "no context holds more of a question's entities than it consults"),
        none("incomplete_oracle", "an oracle's context that was not cut holds every entity"),
        none("open_book", "a closed book has no context"),
        none("negative", "no tokens, costs or seconds are negative"),
        none("chance", "every chance lies between 0 and 1"),
        between("tables", "surplus", "no working table matches more tuples than it or the evidence has", None, 0),
        between("tables", "unlisted", "every working table lists the matched tuples that it counts", 0, 0),
        one_of("refinements", "status", "every status of a rewrite is one of the known ones", STATUSES),
        between("refinements", "unconfirmed", "every accepted rewrite is new and was confirmed by the judge", 0, 0),
        between("refinements", "unreasoned", "every refused rewrite has its reason", 0, 0),
        between("refinements", "cost_usd", "no rewrite costs less than nothing", 0, None),
        between("refiners", "refused", f"of {ENOUGH} rewrites or more not nearly all are refused", 0, 0.98),
        between("refiners", "unscored", f"of {ENOUGH} rewrites or more not over half are unscored", 0, 0.5),
        between("refiners", "flagged", f"of {ENOUGH} questions or more not nearly all have the same fault", 0, 0.9),
        between("wordings", "minted", "every question that has a wording has its minted one, once", 1, 1),
        between("wordings", "stray", "every other wording is an accepted rewrite of its own question", 0, 0),
        between("wordings", "moved", "every accepted rewrite that counts is of its question's present text", 0, 0),
        between("runs", "lost", "no run has fewer answers than when it was published last", None, 0),
    ]
