"""Every claim of the gate after elicitation holds on what dbt built, and fails on frames broken in one way."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from dagster_defs.steps.quality import judge_room
from expectations import elicitation
from expectations.gate import Verdict
from tests.elicitation.project import ElicitationProject

Frames = dict[str, pd.DataFrame]
Spoiler = Callable[[Frames], object]
# Frames of the facts alone: they are there before anyone was asked.
STANDING = ("sets", "labels", "reference", "passages")


@pytest.fixture(scope="module")
def good(built: ElicitationProject) -> Mapping[str, pd.DataFrame]:
    """The gate's frames of the built world."""
    # not read-only: dbt may still hold the database open in this process
    with duckdb.connect(str(built.database)) as connection:
        return {
            name: connection.execute(f"select {', '.join(columns)} from {table}").df()
            for name, (table, columns) in elicitation.TABLES.items()
        }


def judged(good: Mapping[str, pd.DataFrame], spoil: Spoiler | None = None) -> Verdict:
    """The gate's verdict on the frames, spoiled or not, after the good ones were published."""
    frames = {name: frame.copy() for name, frame in good.items()}
    published = elicitation._volumes(frames)
    if spoil:
        spoil(frames)
    return elicitation.check(frames, published)


def put(frame: str, given: Mapping[str, object], **values: object) -> Spoiler:
    """A spoiler that overwrites columns of the first row in which other columns have the given values."""

    def spoil(frames: Frames) -> None:
        chosen = pd.Series(True, frames[frame].index)
        for column, value in given.items():
            chosen &= frames[frame][column].eq(value)
        assert chosen.any(), given
        for column, value in values.items():
            frames[frame][column] = frames[frame][column].astype(object)
            frames[frame].loc[chosen.idxmax(), column] = value
            frames[frame][column] = frames[frame][column].infer_objects()

    return spoil


def drop(frame: str, **given: object) -> Spoiler:
    """A spoiler that takes the first row away in which columns have the given values."""

    def spoil(frames: Frames) -> None:
        chosen = pd.concat([frames[frame][column].eq(value) for column, value in given.items()], axis=1).all(axis=1)
        assert chosen.any(), given
        frames[frame] = frames[frame].drop(index=chosen.idxmax())

    return spoil


def add(frame: str, **values: object) -> Spoiler:
    """A spoiler that adds a row to a frame: its first one, with these columns changed."""

    def spoil(frames: Frames) -> None:
        row = frames[frame].head(1).reset_index(drop=True).reindex([0]).assign(**values)
        frames[frame] = pd.concat([frames[frame], row], ignore_index=True)

    return spoil


def called(frames: Frames) -> None:
    add("sets", set_name="non_existing", entity_id="name:1", title="Lima", ordinal=0)(frames)
    frames["labels"] = pd.DataFrame({"label": ["lima"]})


def crowd(outcome: str, of_all: int) -> Spoiler:
    """A spoiler that asks about 200 more entities: so many have this outcome, and the others no triples."""

    def spoil(frames: Frames) -> None:
        more = pd.DataFrame(
            {
                "experiment_id": "x1",
                "entity_id": [f"more{n}" for n in range(200)],
                "outcome": [outcome] * of_all + ["empty"] * (200 - of_all),
                "n_triples": 0,
            }
        )
        frames["asked"] = pd.concat([frames["asked"], more], ignore_index=True)
        frames["experiments"].loc[frames["experiments"]["experiment_id"].eq("x1"), "n_entities"] += 200

    return spoil


def many_entities(**values: object) -> Spoiler:
    return put("scores", WHOLE, n_entities=50, **values)


X1 = {"experiment_id": "x1"}
V1 = {"evaluation_id": "v1"}
WHOLE = V1 | {"slice_kind": "overall"}
PRECISION = WHOLE | {"direction": "precision"}
JUDGED = V1 | {"direction": "precision", "method": "judge", "verdict": "neutral"}
# Part of a claim's text, and what breaks it.
BROKEN: list[tuple[str, Spoiler]] = [
    ("without a gap", put("sets", {"set_name": "random", "ordinal": 1}, ordinal=9)),
    ("without a gap", drop("sets", set_name="random", ordinal=0)),
    ("without a gap", put("sets", {"set_name": "random", "ordinal": 1}, ordinal=0)),
    ("twice in a set", put("sets", {"set_name": "random", "entity_id": "C1"}, entity_id="C2")),
    ("made-up name is one", called),
    ("subject, a predicate and an object", put("reference", {"source": "warehouse"}, n_wordless=1)),
    ("no sentence of the web", add("reference", source="web", n=3, n_sentences=1)),
    ("no passage of the web", add("passages", source="web")),
    ("no passage is empty", put("passages", {"source": "warehouse"}, n_empty=1)),
    ("speaks of all of its entities", put("experiments", X1, n_entities=5)),
    ("speaks of all of its entities", add("asked", experiment_id="x1", entity_id="C9", outcome="empty", n_triples=0)),
    ("an entity that was asked about", put("triples", X1 | {"entity_id": "C1"}, entity_id="C9")),
    ("as many triples as it says", put("triples", X1 | {"entity_id": "C1"}, n=2)),
    ("as many triples as it says", drop("triples", experiment_id="x1", entity_id="C2")),
    ("exactly where it was answered", put("asked", X1 | {"entity_id": "C1"}, outcome="empty")),
    ("exactly where it was answered", put("asked", {"outcome": "empty"}, outcome="answered")),
    ("no experiment failed", crowd("failed", 150)),
    ("answers are unreadable", crowd("unparsed", 200)),
    ("every outcome", put("asked", {"outcome": "empty"}, outcome="lost")),
    ("on precision or recall", put("verdicts", JUDGED, direction="both")),
    ("every verdict is of the closed list", put("verdicts", JUDGED, verdict="perhaps")),
    ("by a match or the judge", put("verdicts", JUDGED, method="guess")),
    ("matched without the judge", put("verdicts", JUDGED, method="exact")),
    ("matched without the judge", put("verdicts", JUDGED, method="embedding", verdict="error")),
    ("still known", put("verdicts", JUDGED, n_known=0)),
    ("has one verdict", put("results", PRECISION, n_neutral=2)),
    ("has one that gave it", put("results", PRECISION, n_exact=9)),
    ("count the verdicts", put("verdicts", JUDGED, n=2)),
    ("count the verdicts", drop("verdicts", **JUDGED)),
    ("no kind hold more", put("results", V1 | {"slice_kind": "topic", "direction": "recall"}, n=99)),
    ("scored twice", add("scores")),
    ("share is below 0", put("scores", WHOLE, precision_low=-0.1)),
    ("share is above 1", put("scores", WHOLE, corrected_precision_high=1.1)),
    # 4 of 7, as if the error were a wrong triple
    ("errors left out", put("scores", WHOLE, precision=4 / 7)),
    ("errors left out", put("scores", WHOLE, recall=None)),
    ("errors in the denominator", put("scores", WHOLE, precision_with_errors=4 / 6)),
    ("harmonic mean", put("scores", WHOLE, f1=0.6)),
    ("harmonic mean", put("scores", WHOLE, f1=None)),
    ("precision and recall lies in its interval", put("scores", WHOLE, precision_high=0.1)),
    ("precision and recall lies in its interval", put("scores", WHOLE, recall_low=0.99)),
    ("every F1 lies in its interval", many_entities(f1_high=0.1)),
    ("counts its triples and its errors", put("scores", WHOLE, n_error=0)),
    ("counts its triples and its errors", put("scores", WHOLE, n_recall=7)),
    ("has its score", drop("scores", **WHOLE)),
    ("has its score", put("scores", WHOLE, recall=None)),
    ("combined results are the scores", put("combined", V1, entailment_f1=0.9)),
    ("has a tie group", put("combined", V1 | {"tie_group": 1}, tie_group=None)),
    ("tied exactly", put("differences", {}, difference_low=0.1, difference_high=0.4, tied=True)),
    ("tied exactly", put("differences", {}, difference_low=-0.1, difference_high=0.4, tied=False)),
    ("rate is that of the triples", put("hallucinations", {}, hallucination_rate=0.4)),
    ("rate lies in its interval", put("hallucinations", {}, rate_high=0.3)),
    ("made-up name is counted once", put("hallucinations", {}, n_failed=0)),
    ("made-up name is counted once", drop("hallucinations", experiment_id="x3")),
    ("agreement of a judge is a share", put("agreement", {}, agreement=1.1)),
    ("agreement of a judge lies", put("agreement", {}, agreement_low=0.99)),
    ("lost triples", put("triples", X1 | {"entity_id": "C1"}, n=1)),
    ("the facts to be told", put("reference", {"source": "warehouse"}, n=4)),
    ("the facts to be told", drop("reference", source="warehouse")),
]


def test_what_dbt_built_passes(good: Mapping[str, pd.DataFrame]) -> None:
    verdict = judged(good)
    assert verdict.passed, verdict.failures
    assert verdict.volumes == {"x1": 8, "x2": 2, "x3": 2, "warehouse": 8}


def test_a_warehouse_that_nothing_was_elicited_from_passes(good: Mapping[str, pd.DataFrame]) -> None:
    frames = {name: frame if name in STANDING else frame.iloc[:0] for name, frame in good.items()}
    verdict = elicitation.check(frames, None)
    assert verdict.passed, verdict.failures
    assert {outcome.frame for outcome in verdict.outcomes} == {"sets", "reference", "passages"}


@pytest.mark.parametrize(("claim", "spoil"), BROKEN, ids=[claim for claim, _ in BROKEN])
def test_claim_fails_on_frames_that_break_it(
    claim: str, spoil: Spoiler, good: Mapping[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    # this claim alone: each costs some hundredths of a second, and every one of them is seen to hold elsewhere
    chosen = [one for one in elicitation._claims() if claim in one.text]
    monkeypatch.setattr(elicitation, "_claims", lambda: chosen)
    assert [outcome.passed for outcome in judged(good, spoil).outcomes] == [False]


def test_no_claim_is_left_unbroken(good: Mapping[str, pd.DataFrame]) -> None:
    claims = [outcome.claim for outcome in judged(good).outcomes]
    assert [claim for claim in claims if not any(part in claim for part, _ in BROKEN)] == []
    assert {part: n for part, _ in BROKEN if (n := sum(part in claim for claim in claims)) != 1} == {}


def test_few_entities_and_a_file_of_some_say_nothing(good: Mapping[str, pd.DataFrame]) -> None:
    def few(frames: Frames) -> None:
        frames["asked"] = frames["asked"].assign(outcome=lambda rows: rows["outcome"].replace("empty", "unparsed"))
        frames["experiments"] = frames["experiments"].assign(origin="import", n_entities=50)

    assert judged(good, few).passed


def test_a_deleted_experiment_does_not_stop_the_others(good: Mapping[str, pd.DataFrame]) -> None:
    def delete(frames: Frames) -> None:
        for name, frame in frames.items():
            for column, gone in (("experiment_id", "x2"), ("evaluation_id", "v2")):
                if column in frame:
                    frames[name] = frame[frame[column] != gone]
        frames["differences"] = frames["differences"].iloc[:0]

    assert judged(good, delete).passed


# What happens to a table, and the claim that stops it.
CORRUPTED = [
    (
        "insert into elicitation.entities (set_name, entity_id, title, ordinal)"
        " values ('non_existing', 'name:1', 'LIMA', 0)",
        "made-up name is one",
    ),
    ("update elicitation.reference_triples set object = ' ' where entity_id = 'C1'", "an object"),
    ("update elicitation.passages set text = '' where entity_id = 'C1'", "no passage is empty"),
    ("update elicitation.judged set verdict = 'contradiction' where method = 'exact'", "matched without the judge"),
    ("update elicitation.judged set object = null where entity_id = 'C2'", "still known"),
    ("delete from elicitation.triples where entity_id = 'C3'", "as many triples as it says"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "claim"), CORRUPTED, ids=[claim for _, claim in CORRUPTED])
def test_a_corrupted_table_stops_the_gate(change: str, claim: str, built: ElicitationProject, tmp_path: Path) -> None:
    with duckdb.connect(str(built.database)) as connection:
        connection.execute("checkpoint")
    copy = tmp_path / "assay.duckdb"
    shutil.copy(built.database, copy)
    assert judge_room(copy, "elicitation", None).passed
    with duckdb.connect(str(copy)) as connection:
        connection.execute(change)
    failed = [outcome.claim for outcome in judge_room(copy, "elicitation", None).failures]
    assert any(claim in text for text in failed), failed
