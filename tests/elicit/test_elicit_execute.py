"""An experiment from its entities to landed rows, against a server on loopback that plays a model."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import pytest

from dagster_defs.errors import RunError
from dagster_defs.llm.batch import BatchRoute
from dagster_defs.llm.budget import BudgetReached, Caps
from dagster_defs.steps.elicit.execute import estimate
from dagster_defs.steps.elicit.plan import experiments_of
from dagster_defs.steps.elicitation_rows import SCHEMAS
from tests.elicit.world import KNOWN, SNAPSHOT, Desk, Knower, kind_of, told
from tests.llm.batches import Script
from tests.llm.conftest import KEY
from tests.llm.server import Fault, Request, Response, as_json, completion, drops, says

CALL_DOLLARS = (11 * 1 + 7 * 2) / 1e6
HALF = '{"triples": [{"subject": "Peru", "predicate": "capital", "object": "Lima"}, {"subject": "Peru", "pred'
# What the server does about Peru -> outcome, whether it is cut short, the error.
OUTCOMES: dict[str, tuple[Fault, str, bool, str | None]] = {
    "unparsed": (says("I'd rather not say."), "unparsed", False, "it holds no complete JSON value"),
    "empty text": (says(""), "unparsed", False, "it is empty"),
    "another form": (says('{"facts": []}'), "unparsed", False, "required"),
    "refused": (says("No.", "content_filter"), "refused", False, "it holds no complete JSON value"),
    "nothing complete": (says('{"triples": [{"subject": "Peru", "pred', "length"), "cut", False, "it holds no"),
    "cut short": (says(HALF, "length"), "answered", True, None),
    "ended early": (says(HALF, "stop"), "answered", True, None),
    "empty list": (says('{"triples": []}'), "empty", False, None),
    "failed": (drops, "failed", False, "no connection"),
    "only unreadable": (says(told([("Peru", "capital", None)])), "unparsed", False, "1 of 1 triples lack a predicate"),
}


def triples_of(desk: Desk, experiment_id: str, entity_id: str) -> list[tuple[str, str, str]]:
    return [
        (row["subject"], row["predicate"], row["object"])
        for row in desk.landed("triples", experiment_id)
        if row["entity_id"] == entity_id
    ]


@pytest.mark.parametrize("prompt", ["direct", "two_step"])
def test_what_a_model_knows_lands_as_it_says_it(desk: Desk, prompt: str) -> None:
    experiment = desk.experiment(prompt=prompt)
    report = desk.execute(experiment)
    assert triples_of(desk, experiment.experiment_id, "Q41179") == KNOWN["Mekong"]
    assert triples_of(desk, experiment.experiment_id, "Q556") == [
        ("hydrogen", "atomic number", "1"),
        ("hydrogen", "is metal", "false"),
    ]
    assert triples_of(desk, experiment.experiment_id, "Q3392") == KNOWN["Nile"], "told twice, landed twice"
    rows = desk.outcomes(experiment)
    assert list(rows) == ["Mekong", "hydrogen", "Peru", "Nile"]
    assert {row["outcome"] for row in rows.values()} == {"answered"}
    assert {title: row["n_triples"] for title, row in rows.items()} == {
        "Mekong": 3,
        "hydrogen": 2,
        "Peru": 1,
        "Nile": 2,
    }
    assert (report.outcomes, report.triples, report.cached) == ({"answered": 4}, 8, 0)
    assert report.dollars == pytest.approx(len(desk.server.chats) * CALL_DOLLARS)
    assert report.sentence().startswith(f"{experiment.experiment_id}: 8 triples of 4 entities: 4 answered; $0.000")


@pytest.mark.parametrize("prompt", ["direct", "two_step"])
def test_rows_have_their_schema_and_say_what_they_took(desk: Desk, prompt: str) -> None:
    before = dt.datetime.now(dt.UTC)
    experiment = desk.experiment("ranges", prompt, scales=[2.0], n=1)
    desk.execute(experiment)
    for dataset in ("triples", "elicitations", "experiments"):
        path = desk.landing / dataset / f"{experiment.experiment_id}.parquet"
        assert pq.read_schema(path).equals(SCHEMAS[dataset])
    (row,) = desk.landed("elicitations", experiment.experiment_id)
    calls = 2 if prompt == "two_step" else 1
    assert (row["entity_id"], row["expected"], row["n_calls"]) == ("Q41179", 18, calls)
    assert (row["prompt_tokens"], row["completion_tokens"]) == (11 * calls, 7 * calls)
    assert row["cost_usd"] == pytest.approx(calls * CALL_DOLLARS)
    assert (row["finish_reason"], row["error"], row["truncated"]) == ("stop", None, False)
    hashes = json.loads(row["request_hashes"])
    assert len(set(hashes)) == calls
    assert {triple["request_hash"] for triple in desk.landed("triples", experiment.experiment_id)} == {hashes[-1]}
    (closing,) = desk.landed("experiments", experiment.experiment_id)
    started = closing.pop("started_at")
    assert before <= started <= dt.datetime.now(dt.UTC)
    assert json.loads(closing.pop("parameters")) == {
        "answer_tokens": 4096, "temperature": 0.0, "model_parameters": {},
    }  # fmt: skip
    assert closing == {
        "experiment_id": experiment.experiment_id, "model": "m", "base_model": None, "model_id": "m-1",
        "setting": "ranges", "prompt": prompt, "set_name": "ranges", "reasoning_effort": None, "origin": "model",
        "entities_sha": experiment.asked.sha, "prompt_sha": experiment.prompt_sha, "snapshot_id": SNAPSHOT,
        "scale": 2.0, "n_entities": 1, "seed": 42,
    }  # fmt: skip


@pytest.mark.parametrize("case", OUTCOMES)
def test_each_way_to_answer_is_an_outcome_of_its_own(desk: Desk, case: str) -> None:
    fault, outcome, truncated, error = OUTCOMES[case]
    desk.play(Knower(faults={("triples", "Peru"): fault}))
    experiment = desk.experiment()
    report = desk.execute(experiment)
    row = desk.outcomes(experiment)["Peru"]
    assert (row["outcome"], row["truncated"]) == (outcome, truncated)
    assert row["error"] is None if error is None else error in row["error"]
    kept = [("Peru", "capital", "Lima")] if outcome == "answered" else []
    assert triples_of(desk, experiment.experiment_id, "Q419") == kept
    assert row["n_triples"] == len(kept)
    assert report.outcomes == ({"answered": 4} if kept else {"answered": 3, outcome: 1})
    assert report.truncated == truncated


def test_elements_without_predicate_or_object_are_dropped_and_counted(desk: Desk) -> None:
    written = [("Peru", " capital ", "Lima\n"), ("", "area", 1285216), ("Peru", "", "x"), ("Peru", "motto", "  ")]
    desk.play(Knower({**KNOWN, "Peru": [*written, ("Peru", None, True), (None, "is island", False)]}))
    experiment = desk.experiment()
    desk.execute(experiment)
    assert triples_of(desk, experiment.experiment_id, "Q419") == [
        ("Peru", "capital", "Lima"),
        ("Peru", "area", "1285216"),
        ("Peru", "is island", "false"),
    ]
    row = desk.outcomes(experiment)["Peru"]
    assert (row["outcome"], row["n_triples"]) == ("answered", 3)
    assert row["error"] == "3 of 6 triples lack a predicate or an object"


def test_unreadable_answer_is_asked_for_once_more(desk: Desk) -> None:
    answers = iter([says("Well, it is in America."), says(told(KNOWN["Peru"]))])
    desk.play(Knower(faults={("triples", "Peru"): lambda request: next(answers)(request)}))
    experiment = desk.experiment()
    report = desk.execute(experiment)
    row = desk.outcomes(experiment)["Peru"]
    assert (row["outcome"], row["n_calls"], row["prompt_tokens"]) == ("answered", 1, 22)
    assert len(desk.server.chats) == 5
    assert report.dollars == pytest.approx(5 * CALL_DOLLARS)


@pytest.mark.parametrize("prompt", ["direct", "two_step"])
@pytest.mark.parametrize("via", ["direct", "batch"])
def test_second_execution_sends_nothing_and_lands_the_same(desk: Desk, prompt: str, via: str) -> None:
    experiment = desk.experiment(prompt=prompt)
    first = desk.execute(experiment, via=via)
    rows = desk.landed("elicitations", experiment.experiment_id), desk.landed("triples", experiment.experiment_id)
    sent = len(desk.server.requests)
    for again in ("direct", "batch"):
        second = desk.execute(experiment, via=again)
        assert len(desk.server.requests) == sent
        calls = 4 if prompt == "direct" else 8
        assert (first.cached, second.cached) == (0, calls)
        assert (second.outcomes, second.triples, second.dollars) == (first.outcomes, first.triples, first.dollars)
        assert rows == (
            desk.landed("elicitations", experiment.experiment_id),
            desk.landed("triples", experiment.experiment_id),
        )
        assert "0 calls to send" in desk.lines[-1] or "0 calls to send" in " ".join(desk.lines[-3:])


def test_experiments_that_ask_the_same_share_what_was_paid_for(desk: Desk) -> None:
    desk.execute(desk.experiment("random"))
    report = desk.execute(desk.experiment("multiple_prompts"))
    assert len(desk.server.chats) == report.cached == 4


def test_failed_entities_alone_are_asked_again(desk: Desk) -> None:
    desk.play(Knower(faults={("triples", "Peru"): drops}))
    experiment = desk.experiment()
    report = desk.execute(experiment)
    assert report.outcomes == {"answered": 3, "failed": 1}
    assert "1 failed (run again to ask about the failed alone)" in report.sentence()
    desk.play(Knower())
    sent = len(desk.server.chats)
    assert desk.execute(experiment).outcomes == {"answered": 4}
    assert len(desk.server.chats) == sent + 1
    assert desk.outcomes(experiment)["Peru"]["outcome"] == "answered"


def test_cap_stops_it_before_anything_lands_and_it_goes_on_from_there(desk: Desk) -> None:
    experiment = desk.experiment(prompt="two_step")
    with pytest.raises(BudgetReached, match="cap of 6 calls"):
        desk.execute(experiment, Caps(calls=6))
    assert not list(desk.folder.rglob("*.parquet"))
    assert desk.execute(experiment).outcomes == {"answered": 4}
    assert len(desk.server.chats) == len({request.content for request in desk.server.chats}) == 8


def test_most_answers_cut_say_what_to_raise(desk: Desk) -> None:
    fault = says(HALF, "length")
    desk.play(Knower(faults={("triples", title): fault for title in KNOWN}))
    said = desk.execute(desk.experiment()).sentence()
    assert "4 answered, 4 of them cut short;" in said
    assert said.endswith("; most were cut at their limit: raise the tokens of an answer.")


def test_made_up_names_are_empty_where_a_model_owns_that_it_knows_nothing(desk: Desk) -> None:
    experiment = desk.experiment("non_existing")
    assert desk.execute(experiment).outcomes == {"empty": 2}
    assert desk.landed("triples", experiment.experiment_id) == []
    desk.play(Knower({"Ovrenica": [("Ovrenica", "length", "12 km")]}))
    other = desk.experiment("non_existing", "wikidata")
    assert desk.execute(other).outcomes == {"answered": 1, "empty": 1}


def only_for(predicate: str, fault: Fault) -> Fault:
    """A fault of those requests for objects that ask about a predicate."""

    def choose(request: Request) -> Response | None:
        said = request.body["messages"][1]["content"]
        return fault(request) if predicate in said else as_json(completion(Knower(MANY).say(request.body)))

    return choose


# 45 predicates of Peru: 3 calls for objects.
MANY: dict[str, Any] = {**KNOWN, "Peru": [("Peru", f"p{place:02}", f"o{place}") for place in range(45)]}
STEPS: dict[str, tuple[Callable[[], Fault], str, int, bool, str | None]] = {
    "unparsed": (lambda: says("Well."), "answered", 25, False, "1 of 4 calls came to unparsed"),
    "refused": (lambda: says("No.", "content_filter"), "answered", 25, False, "1 of 4 calls came to refused"),
    "cut": (lambda: says('{"triples": [{"sub', "length"), "answered", 25, True, "1 of 4 calls came to cut"),
    "empty": (lambda: says('{"triples": []}'), "answered", 25, False, None),
    "failed": (lambda: drops, "failed", 0, False, "no connection"),
}


@pytest.mark.parametrize("case", STEPS)
def test_one_list_of_objects_that_comes_to_nothing_is_told_and_the_others_are_kept(desk: Desk, case: str) -> None:
    fault, outcome, kept, truncated, error = STEPS[case]
    desk.play(Knower(MANY, faults={("objects", "Peru"): only_for("p21", fault())}))
    experiment = desk.experiment(prompt="two_step")
    desk.execute(experiment)
    row = desk.outcomes(experiment)["Peru"]
    assert (row["outcome"], row["n_triples"], row["truncated"], row["n_calls"]) == (outcome, kept, truncated, 4)
    assert row["error"] is None if error is None else error in row["error"]
    assert len(triples_of(desk, experiment.experiment_id, "Q419")) == kept


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (says("Well."), "unparsed"),
        (says("No.", "content_filter"), "refused"),
        (says('{"predicates": ["a", "b', "length"), "answered"),
        (says('{"predicates": ["', "length"), "cut"),
        (says('{"predicates": []}'), "empty"),
        (says('{"predicates": [null, " "]}'), "unparsed"),
        (drops, "failed"),
    ],
)
def test_without_predicates_no_objects_are_asked_for(desk: Desk, fault: Fault, outcome: str) -> None:
    known = {**KNOWN, "Peru": [("Peru", "a", "b")]}
    desk.play(Knower(known, faults={("predicates", "Peru"): fault}))
    experiment = desk.experiment(prompt="two_step")
    desk.execute(experiment)
    row = desk.outcomes(experiment)["Peru"]
    assert row["outcome"] == outcome
    asked = [one for one in desk.server.chats if kind_of(one.body) == "objects"]
    assert len(asked) == (4 if outcome == "answered" else 3)
    assert row["truncated"] == (outcome == "answered")
    assert (row["cost_usd"] is None) == (outcome == "failed")


def test_predicates_are_asked_about_once_and_no_more_than_a_hundred(desk: Desk) -> None:
    written = [("Peru", name, "x") for place in range(130) for name in (f"p{place}", f" P{place} ")]
    desk.play(Knower({**KNOWN, "Peru": written}))
    experiment = desk.experiment(prompt="two_step")
    desk.execute(experiment)
    row = desk.outcomes(experiment)["Peru"]
    assert row["n_calls"] == 6
    assert row["error"] == "30 predicates over 100 were not asked about"
    assert triples_of(desk, experiment.experiment_id, "Q419")[0] == ("Peru", "p0", "x")


def test_batch_route_gives_what_the_direct_one_gives_for_half_the_money(desk: Desk) -> None:
    direct = desk.execute(desk.experiment())
    rows = desk.landed("triples", desk.experiment().experiment_id)
    (desk.folder / "journal.sqlite").unlink()
    chats = len(desk.server.chats)
    batched = desk.execute(desk.experiment(), via="batch")
    assert (batched.outcomes, batched.triples, batched.cached) == (direct.outcomes, direct.triples, 0)
    assert batched.dollars == pytest.approx(direct.dollars / 2)
    assert desk.landed("triples", desk.experiment().experiment_id) == rows
    assert len(desk.server.chats) == chats, "nothing went the direct way"


def test_two_steps_are_two_batches(desk: Desk) -> None:
    experiment = desk.experiment(prompt="two_step")
    assert desk.execute(experiment, via="batch").triples == 8
    asked = [{kind_of(request["body"]) for request in batch} for batch in desk.server.batches.requests()]
    assert asked == [{"predicates"}, {"objects"}]


def test_batch_that_was_submitted_is_found_again(desk: Desk) -> None:
    experiment = desk.experiment(prompt="two_step")
    desk.server.batches.scripts = [Script(polls=1), Script(polls=10**9)]
    with desk.caller() as caller:
        route = BatchRoute(caller, poll_s=0.01)
        firsts = experiment.first_calls()
        route.run(firsts)
        steps = [experiment.object_calls(entity, ["length", "mouth", "source"]) for entity in experiment.asked.entities]
        route.submit(steps[0])
    desk.server.batches._scripts["batch_2"].polls = 1
    report = desk.execute(experiment, via="batch")
    assert report.outcomes == {"answered": 4}
    keys = [request["custom_id"] for batch in desk.server.batches.requests() for request in batch]
    assert len(keys) == len(set(keys)) == 8, "no request is in two batches"


def test_expired_lines_of_a_batch_go_into_another(desk: Desk) -> None:
    desk.server.batches.scripts = [Script(status="expired", done=2)]
    assert desk.execute(desk.experiment(), via="batch").outcomes == {"answered": 4}
    assert [len(batch) for batch in desk.server.batches.requests()] == [4, 2]


def test_unknown_route_is_one_sentence(desk: Desk) -> None:
    with pytest.raises(RunError, match=r"An elicitation goes by direct or batch, not 'post'\."):
        desk.execute(desk.experiment(), via="post")


def test_estimate_sends_nothing_and_counts_equal_calls_once(desk: Desk) -> None:
    with desk.caller() as caller:
        experiments = experiments_of("multiple_prompts", desk.spec, desk.database)
        said = estimate([*experiments, desk.experiment()], caller)
        assert said.startswith("9 experiments over 36 entities: 32 calls to send (0 of 32 in the journal), about ")
        assert "; then for the objects of two steps at most: 20 calls to send" in said
        assert said.endswith(".")
        assert desk.server.requests == []
    desk.execute(desk.experiment(prompt="two_step"))
    with desk.caller() as caller:
        said = estimate([desk.experiment(prompt="two_step")], caller)
    assert "two steps at most: 0 calls to send (4 of 4 in the journal)" in said


def test_key_is_in_nothing_that_lands(desk: Desk) -> None:
    desk.play(Knower({**KNOWN, "Peru": [("Peru", "key", KEY)]}))
    experiment = desk.experiment()
    desk.execute(experiment)
    for dataset in ("triples", "elicitations", "experiments"):
        assert KEY not in str(desk.landed(dataset, experiment.experiment_id))
    assert KEY not in " ".join(desk.lines)
