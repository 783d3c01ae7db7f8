"""Every claim of the gates on runs and scores holds on what dbt built, and fails on frames broken in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType

import pandas as pd
import pytest

from expectations import runs, scores
from expectations.gate import Verdict
from tests.runs import world
from tests.runs.conftest import Built

Frames = dict[str, pd.DataFrame]
Spoiler = Callable[[Frames], object]
SUITES: Mapping[str, ModuleType] = {"runs": runs, "scores": scores}
# A run of which nothing came, as the claims have it; the gates are to stop it.
SILENT = "silent--rag"


def put(frame: str, given: Mapping[str, object], **values: object) -> Spoiler:
    """A spoiler that overwrites columns of the first row in which other columns have the given values."""

    def spoil(frames: Frames) -> None:
        chosen = pd.Series(True, frames[frame].index)
        for column, value in given.items():
            chosen &= frames[frame][column].eq(value)
        assert chosen.any(), given
        for column, value in values.items():
            frames[frame].loc[chosen.idxmax(), column] = value

    return spoil


def every(frame: str, given: Mapping[str, object], **values: object) -> Spoiler:
    """A spoiler that overwrites columns of every row in which other columns have the given values."""

    def spoil(frames: Frames) -> None:
        chosen = pd.Series(True, frames[frame].index)
        for column, value in given.items():
            chosen &= frames[frame][column].eq(value)
        assert chosen.any(), given
        for column, value in values.items():
            frames[frame].loc[chosen, column] = value

    return spoil


def drop(frame: str, **given: object) -> Spoiler:
    """A spoiler that takes the first row away in which a column has the given value."""

    def spoil(frames: Frames) -> None:
        chosen = pd.concat([frames[frame][column].eq(value) for column, value in given.items()], axis=1).all(axis=1)
        assert chosen.any(), given
        frames[frame] = frames[frame].drop(index=chosen.idxmax())

    return spoil


def again(frame: str, **values: object) -> Spoiler:
    """A spoiler that repeats the first row of a frame, with some columns changed."""
    return lambda frames: frames.update(
        {frame: pd.concat([frames[frame], frames[frame].head(1).assign(**values)], ignore_index=True)}
    )


def only(frame: str, *rows: Mapping[str, object]) -> Spoiler:
    """A spoiler that puts these rows in a frame's place; the columns that a row lacks are NULL."""
    return lambda frames: frames.update({frame: pd.DataFrame(rows).reindex(columns=frames[frame].columns)})


def other_way_round(frames: Frames) -> None:
    first = frames["pairwise"].head(1)
    frames["pairwise"] = pd.concat(
        [frames["pairwise"], first.assign(run_a=first["run_b"], run_b=first["run_a"])], ignore_index=True
    )


def many_failed(frames: Frames) -> None:
    of_run = frames["verdicts"]["run_id"] == "weak--rag"
    frames["verdicts"].loc[of_run, ["scored", "correct"]] = False


# An answer whose judge could not be read.
UNREAD = next(
    {"question_id": verdict["question_id"], "sample": verdict["sample"]}
    for verdict in world.landed()["verdicts"].to_dict("records")
    if verdict["run_id"] == "weak--closed_book" and not verdict["scored"] and verdict["scorer"] == "judge"
)
SCRIBE = {"refiner": "scribe"}
ACCEPTED = SCRIBE | {"question_id": "q0200", "status": "accepted"}
REWORDED = {"question_id": "q0200", "wording": 1}
STRONG = {"run_id": "strong--closed_book"}
ORACLE = {"run_id": "strong--oracle"}
DEEP = {"run_id": "deep--agent"}
WHOLE = STRONG | {"slice_kind": "overall"}
ALL = {"slice_kind": "overall", "slice": "all"}
AGREED = ALL | {"field": "valid", "agreement": 0.9, "alpha": 0.5}
VALID = ALL | {"n": 10, "n_valid": 9, "valid": 0.9, "valid_low": 0.6, "valid_high": 0.98}
# Room -> part of a claim's text, and what breaks it.
BROKEN: Mapping[str, list[tuple[str, Spoiler]]] = {
    "runs": [
        ("every setting", put("runs", ORACLE, setting="open_book")),
        ("every outcome", put("answers", STRONG, outcome="lost")),
        ("every scorer", put("verdicts", STRONG, scorer="coin")),
        ("has its verdict", drop("verdicts", run_id="strong--rag")),
        ("has its verdict", drop("answers", run_id="strong--rag")),
        ("never came", put("answers", ORACLE, outcome="failed")),
        ("unreadable answer is scored", put("answers", {"run_id": "weak--closed_book"} | UNREAD, outcome="unparsed")),
        ("no answer is right", put("answers", ORACLE, outcome="refused")),
        ("no answer is right", put("verdicts", ORACLE | {"correct": True}, scored=False)),
        ("no entity is right", put("verdicts", DEEP | {"entity_correct": True}, scored=False, correct=False)),
        ("every kind of step", put("steps", DEEP, kind="guessed")),
        ("has its steps", only("steps", {})),
        ("is of an agent's answer", again("steps", question_id="q9999")),
        ("is of an agent's answer", put("runs", DEEP, setting="rag")),
        ("without a gap", put("steps", DEEP | {"number": 1}, number=9)),
        ("and no other, is that answer", put("steps", DEEP | {"kind": "answer"}, kind="ran")),
        ("and no other, is that answer", put("steps", DEEP | {"kind": "ran"}, kind="answer")),
        ("and no other, is that answer", put("answers", DEEP | {"outcome": "answered"}, outcome="cut")),
        ("half of its answers", many_failed),
        ("more answers than", put("runs", ORACLE, samples=2)),
        ("than it consults", put("answers", ORACLE, entities_in_context=401)),
        ("an oracle's context", put("answers", ORACLE, entities_in_context=3)),
        ("a closed book", put("answers", STRONG, entities_in_context=1)),
        ("a closed book", put("answers", STRONG, truncated=True)),
        ("are negative", put("answers", ORACLE, cost_usd=-0.01)),
        ("every chance", put("verdicts", ORACLE, chance=1.5)),
        ("matches more", put("tables", {"n_predicted": 0}, n_matched=1)),
        ("matched tuples that it counts", drop("tuples", matched=True)),
        ("fewer answers", drop("answers", run_id="strong--rag")),
        ("every status", put("refinements", SCRIBE, status="pending")),
        ("confirmed by the judge", put("refinements", ACCEPTED, judge_same=False)),
        ("confirmed by the judge", put("refinements", ACCEPTED, reason="number")),
        ("confirmed by the judge", put("refinements", ACCEPTED, rewrite=world.text_of(200))),
        ("has its reason", put("refinements", SCRIBE | {"status": "refused"}, reason=None)),
        ("less than nothing", put("refinements", SCRIBE, cost_usd=-0.1)),
        ("nearly all are refused", every("refinements", SCRIBE, status="refused", reason="number")),
        ("over half are unscored", every("refinements", SCRIBE, status="unscored", reason=None)),
        ("the same fault", every("refinements", SCRIBE, is_loaded=True)),
        ("minted one, once", drop("wordings", question_id="q0200", wording=0)),
        ("minted one, once", again("wordings")),
        ("accepted rewrite of its own", put("wordings", REWORDED, question_id="q0201")),
        ("accepted rewrite of its own", put("wordings", REWORDED, question="How many, then?")),
        ("accepted rewrite of its own", put("refinements", ACCEPTED, status="refused", reason="number")),
        ("present text", put("refinements", ACCEPTED, original="How many were there once?")),
        ("present text", put("wordings", {"question_id": "q0200", "wording": 0}, question="How many are there now?")),
    ],
    "scores": [
        ("slice of a run is scored twice", again("by_model")),
        ("share is below 0", put("by_model", WHOLE, chance=-0.1)),
        ("share is above 1", put("by_model", WHOLE, ea_f1=1.1)),
        ("below its interval", put("by_model", WHOLE, ci_low=0.9)),
        ("above its interval", put("by_model", WHOLE, ci_high=0.1)),
        ("twice as wide", put("by_model", WHOLE, ci_low=0.0)),
        ("scored or unscored", put("by_model", WHOLE, n_scored=3)),
        ("between their precision and recall", put("by_model", WHOLE, ea_f1_micro=0.99)),
        ("each kind add up", drop("by_model", run_id="strong--rag", slice_kind="topic")),
        ("each kind add up", drop("by_model", run_id="strong--rag", slice_kind="family")),
        ("right entities lies outside", put("by_model", DEEP | ALL, entity_ci_high=0.01)),
        ("right entities lies outside", put("by_model", DEEP | ALL, entity_ci_low=0.99)),
        ("right in both", put("by_model", DEEP | ALL, both_right=0.99)),
        ("trend of a run is tested twice", again("trends")),
        ("trend is below 0", put("trends", DEEP, spearman_p=-0.1)),
        ("trend is above 1", put("trends", DEEP, jonckheere_p=1.1)),
        ("every correlation lies", put("trends", DEEP, spearman_rho=-1.2)),
        ("that does not vary", put("trends", DEEP, n_levels=1)),
        ("failures add up", drop("failures", run_id="deep--agent", **{"class": "entity_wrong"})),
        ("failures undetermined", put("failures", DEEP | {"class": "undetermined"}, share=0.6)),
        ("two runs are compared twice", other_way_round),
        ("p-value lies", put("pairwise", {"tied": True}, p_value=1.2)),
        ("lowers no p-value", put("pairwise", {"tied": True, "p_holm": 1.0}, p_holm=0.001)),
        ("as many questions to each side", put("pairwise", {"b": 0, "c": 0}, tied=False)),
        ("on the leaderboard once", again("leaderboard")),
        ("has a rank", put("leaderboard", {"run_id": "weak--rag"}, rank=None)),
        ("costs less", put("leaderboard", {"run_id": "weak--rag"}, cost_usd=-1.0)),
        ("no closed book", put("leaderboard", STRONG, accuracy=1.0)),
        ("agreement is stated twice", only("agreement", AGREED, AGREED)),
        ("agreement is a share", only("agreement", AGREED | {"agreement": 1.1})),
        ("every alpha", only("agreement", AGREED | {"alpha": 1.1})),
        ("beyond chance", only("calibration", ALL | {"agreement": 0.8, "kappa": 0.9, "alpha": 0.5})),
        ("reviewed questions is stated twice", only("validity", VALID, VALID)),
        ("valid questions lies in its interval", only("validity", VALID | {"valid": 0.5})),
        ("more questions are withdrawn", only("withdrawn", {"question_id": "q0001"})),
        ("lost over a fifth", put("leaderboard", STRONG, n_questions=100)),
    ],
}
CASES = [(room, claim, spoil) for room, cases in BROKEN.items() for claim, spoil in cases]


@pytest.fixture(scope="module")
def good(built: Built) -> Mapping[str, Frames]:
    """Room -> the gate's frames of the built world; in runs without the run of which nothing came."""
    frames = read(built, "runs")
    kept = {name: frame[frame["run_id"] != SILENT] if "run_id" in frame else frame for name, frame in frames.items()}
    return {"runs": kept, "scores": read(built, "scores")}


def read(built: Built, room: str, state: str = "full") -> Frames:
    """The frames that a room's gate asks for, of one state of the built world."""
    tables = getattr(built, state)
    return {name: tables[table][list(columns)] for name, (table, columns) in SUITES[room].TABLES.items()}


@lru_cache
def _published() -> dict[str, dict[str, int]]:
    return {}


def judged(room: str, good: Mapping[str, Frames], spoil: Spoiler | None = None) -> Verdict:
    """The gate's verdict on the room's frames, spoiled or not, after the good ones were published."""
    published = _published()
    if room not in published:
        published[room] = SUITES[room].check(good[room], None).volumes
    frames = {name: frame.reset_index(drop=True) for name, frame in good[room].items()}
    if spoil:
        spoil(frames)
    verdict = SUITES[room].check(frames, published[room])
    assert isinstance(verdict, Verdict)
    return verdict


@pytest.mark.parametrize("room", SUITES)
def test_what_dbt_built_passes(room: str, good: Mapping[str, Frames]) -> None:
    verdict = judged(room, good)
    assert verdict.passed, verdict.failures
    assert set(verdict.volumes) == {kind.run_id for kind in world.KINDS} - {SILENT if room == "runs" else ""} | {
        world.TWIN
    }


@pytest.mark.parametrize("room", SUITES)
def test_a_warehouse_without_a_run_passes(room: str, built: Built) -> None:
    frames = read(built, room, "empty")
    # Every question has its minted text, whatever was run.
    assert all(frame.empty for name, frame in frames.items() if name != "wordings")
    verdict = SUITES[room].check(frames, None)
    assert verdict.passed, verdict.failures
    assert verdict.volumes == {}


def test_a_run_of_which_nothing_came_is_named(built: Built) -> None:
    verdict = runs.check(read(built, "runs"), None)
    assert [outcome.claim for outcome in verdict.failures] == ["no run has over half of its answers unscored"]
    assert SILENT in verdict.failures[0].observed


def test_columns_that_no_answer_fills_break_no_claim_of_a_closed_book(good: Mapping[str, Frames]) -> None:
    frames = {name: frame.reset_index(drop=True) for name, frame in good["runs"].items()}
    closed = frames["runs"][frames["runs"]["setting"] == "closed_book"]
    assert len(closed) > 1
    frames = {
        name: frame[frame["run_id"].isin(closed["run_id"])].reset_index(drop=True) if "run_id" in frame else frame
        for name, frame in frames.items()
    }
    # As DuckDB gives a column of booleans without any value.
    frames["answers"]["truncated"] = pd.array([pd.NA] * len(frames["answers"]), dtype="boolean")
    verdict = runs.check(frames, None)
    assert verdict.passed, verdict.failures


@pytest.mark.parametrize(("room", "claim", "spoil"), CASES, ids=[f"{room}: {claim}" for room, claim, _ in CASES])
def test_claim_fails_on_frames_that_break_it(room: str, claim: str, spoil: Spoiler, good: Mapping[str, Frames]) -> None:
    failed = [outcome.claim for outcome in judged(room, good, spoil).failures]
    assert any(claim in text for text in failed), failed


@pytest.mark.parametrize("room", SUITES)
def test_no_claim_is_left_unbroken(room: str, good: Mapping[str, Frames]) -> None:
    claims = [outcome.claim for outcome in judged(room, good).outcomes]
    unbroken = [claim for claim in claims if not any(part in claim for part, _ in BROKEN[room])]
    assert unbroken == []
    assert {part: n for part, _ in BROKEN[room] if (n := sum(part in claim for claim in claims)) != 1} == {}


def test_an_answer_that_is_not_scored_is_neither_right_nor_wrong(good: Mapping[str, Frames]) -> None:
    def unknown(frames: Frames) -> None:
        verdicts = frames["verdicts"]
        verdicts["correct"] = verdicts["correct"].astype("boolean").mask(~verdicts["scored"].astype(bool))
        assert verdicts["correct"].isna().any()

    assert judged("runs", good, unknown).passed


def test_a_deleted_run_does_not_stop_the_others(good: Mapping[str, Frames]) -> None:
    def delete(frames: Frames) -> None:
        for name, frame in frames.items():
            if "run_id" in frame:
                frames[name] = frame[frame["run_id"] != "strong--rag"]

    assert judged("runs", good, delete).passed
