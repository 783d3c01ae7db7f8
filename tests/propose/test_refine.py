"""The closed loop over a real SPARQL server: measured, adjusted, accepted or refused, each turn a row."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal
from typing import Any

import pytest

from dagster_defs.steps.propose.refine import refine
from ingest.topics import StatementFilter
from ingest.wikidata.endpoint import Endpoint
from tests.propose import world
from tests.propose.conftest import Desk


@pytest.mark.parametrize(
    ("given", "results", "members"),
    [(world.MOONS, 77, 47), (world.LAUREATES, 79, 76), (world.STATES, 50, 50)],
    ids=["moons", "laureates", "states"],
)
def test_a_concept_of_the_sample_reaches_the_threshold(
    given: dict[str, Any], results: int, members: int, desk: Desk
) -> None:
    outcome = desk.declare(world.concept(**given))
    assert outcome.refined.is_accepted
    turns = outcome.refined.iterations
    assert (turns[0].measured.n_results, turns[-1].measured.n_results) == (results, members)
    assert turns[-1].decision == "accepted"
    assert turns[-1].measured.precision >= 0.98
    # What lacks a value that is required is left out; of states none does.
    assert [turn.adjustment is None for turn in turns] == ([False, True] if members < results else [True])


def test_dirt_is_adjusted_away_step_by_step(desk: Desk) -> None:
    outcome = desk.declare(world.concept())
    turns = outcome.refined.iterations
    first, last = turns[0].measured, turns[-1].measured
    assert (first.n_results, first.n_valid) == (137 + 17, 132)
    assert first.causes == {
        "no label": 8, "missing: area_km2": 5, "internal page": 5, "unit: area_km2": 4,
    }  # fmt: skip
    assert [turn.decision for turn in turns] == [*["adjusted"] * (len(turns) - 1), "accepted"]
    assert len(turns) > 2, "one adjustment is not enough"
    told = [turn.adjustment for turn in turns[:-1]]
    assert told[0] == f"leave out lost lake ({world.LOST}), Wikimedia disambiguation page (Q4167410)"
    assert last.precision >= 0.98
    assert last.valid >= 132 * 0.98
    source = last.declaration.source()
    assert set(source.excluded_classes) == {world.LOST, "Q4167410"}
    assert all(one.measured.precision < two.measured.precision for one, two in itertools.pairwise(turns))


def test_an_adjustment_may_not_cost_more_than_half_of_what_is_valid(desk: Desk) -> None:
    # All lakes have a kind of water, and none a discovery: asking for one would leave nothing.
    year = {"name": "found_year", "path": "P575", "label": "time of discovery", "kind": "year", "phrase": "year"}
    wanted = world.concept(attributes=[*world.LAKES["attributes"], year], required=["found_year"])
    outcome = desk.declare(wanted)
    assert not outcome.refined.is_accepted
    assert outcome.refined.reason is not None
    assert "0 are valid (0.0% where 98.0% is needed), and no adjustment helps" in outcome.refined.reason
    assert "missing: found_year (154)" in outcome.refined.reason
    (turn,) = outcome.refined.iterations
    tried = {one["adjustment"]: one["n_results"] for one in json.loads(turn.tried_json)}
    assert tried["ask for time of discovery (P575)"] == 0


def test_the_iteration_limit_ends_the_loop(desk: Desk) -> None:
    outcome = desk.declare(world.concept(), iterations=2)
    assert [turn.decision for turn in outcome.refined.iterations] == ["adjusted", "refused"]
    assert "the iterations are used up" in str(outcome.refined.reason)


def test_too_few_results_widen_the_class_where_that_helps(desk: Desk) -> None:
    few = world.concept(classes={world.LOST: "lost lake"}, required=[])
    outcome = desk.declare(few)
    assert outcome.refined.iterations[0].adjustment == f"widen the class to lake ({world.LAKE})"
    assert outcome.refined.is_accepted


def test_a_concept_without_results_is_refused(desk: Desk) -> None:
    none = world.concept(filters=[{"property": "P166", "values": [world.TURING_AWARD]}])
    outcome = desk.declare(none)
    assert str(outcome.refined.reason).startswith("'great lakes' has no result at http://127.0.0.1")
    assert outcome.sentences()[0].startswith("Refused: ")
    (row,) = desk.landed("proposals")
    assert (row["outcome"], row["n_results"], row["precision"], row["reason"]) == (
        "refused", 0, 0.0, outcome.refined.reason,
    )  # fmt: skip
    assert [path.name for path in outcome.files] == ["README.md"]


def test_a_bound_of_the_topics_own_and_absence_are_asked_for(desk: Desk) -> None:
    big = StatementFilter(property="P2046", min=Decimal(10_000), unit="Q712226")
    found = desk.probe().measure(world.concept(filters=[big]))
    assert 0 < found.n_results < 40
    without = StatementFilter(property="P2046", absent=True)
    assert desk.probe().measure(world.concept(filters=[without])).n_results == 5
    in_unit = StatementFilter(property="P2046", present=True, unit="Q11570")
    assert desk.probe().measure(world.concept(filters=[in_unit])).n_results == 4


def test_both_endpoints_measure_the_same(dirty: Endpoint, sample: Endpoint) -> None:
    wanted = world.concept(
        filters=[{"property": "P205", "present": True}, {"property": "P576", "absent": True}],
        excluded_classes={world.LOST: "lost lake", "Q4167410": "Wikimedia disambiguation page"},
    )
    served, embedded = world.probe(dirty).measure(wanted), world.probe(sample).measure(wanted)
    assert served.query == embedded.query
    assert [one.entity_id for one in served.checked] == [one.entity_id for one in embedded.checked]
    assert served.checked == embedded.checked
    assert served.n_results == 137


def test_a_big_set_is_checked_by_a_sample_drawn_by_its_seed(sample: Endpoint) -> None:
    wanted = world.concept(classes={"Q515": "city"}, required=[], attributes=world.LAKES["attributes"][:1])
    draws = [world.probe(sample, sample=40, seed=seed).measure(wanted) for seed in (0, 0, 1)]
    assert [len(one.checked) for one in draws] == [40, 40, 40]
    assert draws[0].n_results == 3622
    ids = [[one.entity_id for one in draw.checked] for draw in draws]
    assert ids[0] == ids[1] != ids[2]
    low, high = draws[0].interval
    assert low < draws[0].precision <= high


def test_iterations_land_with_what_was_asked_and_tried(desk: Desk) -> None:
    outcome = desk.declare(world.concept())
    rows = desk.landed("proposed_iterations")
    assert [row["iteration"] for row in rows] == list(range(1, len(outcome.refined.iterations) + 1))
    first = rows[0]
    assert "wdt:P31/wdt:P279* ?class" in first["query"]
    assert json.loads(first["causes"])["no label"] == 8
    assert json.loads(first["classes"])[0] == {
        "class_id": world.LAKE, "label": "lake", "n_checked": 146, "n_valid": 132,
    }  # fmt: skip
    assert (first["n_results"], first["n_checked"], first["n_valid"]) == (154, 154, 132)
    assert first["precision_low"] < first["precision"] < first["precision_high"]
    assert first["adjustment"] in {one["adjustment"] for one in json.loads(first["tried"])}
    again = refine(world.concept(), desk.probe())
    assert [one.adjustment for one in again.iterations] == [one.adjustment for one in outcome.refined.iterations]
