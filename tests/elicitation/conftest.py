"""The room, built once over a world whose scores are counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.elicitation import world
from tests.elicitation.project import ElicitationProject

# Of four entities: the elicited triples, and what the judge says of each.
TOLD = {
    "C1": [("capital", "Lima", "entailment", "exact"), ("area", "99 square kilometres", "contradiction", "judge")],
    "C2": [("hasCapital", "Accra", "entailment", "judge"), ("anthem", "God Bless", "neutral", "judge")],
    "C3": [
        ("wdt:P36", "Tokyo", "entailment", "exact"),
        ("P2046", "377,973.89 square kilometres", "entailment", "exact"),
    ],
    "C4": [("leader", "somebody", "error", "judge")],
}
# Entity -> verdict on its capital, and on its area.
COVERED = {
    "C1": ("entailment", "contradiction"),
    "C2": ("entailment", "neutral"),
    "C3": ("entailment", "entailment"),
    "C4": ("neutral", "error"),
}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> ElicitationProject:
    """Two models asked about four countries, a third about made-up ones; the first two judged."""
    project = ElicitationProject.create(tmp_path_factory.mktemp("elicitation"))
    project.prepare()
    project.know(**world.facts())
    told = {entity: [(predicate, object_) for predicate, object_, *_ in listed] for entity, listed in TOLD.items()}
    told["C1"].append(("Capital", "LIMA"))
    project.land_each(
        experiments=[
            world.experiment("x1", "one"),
            world.experiment("x2", "two", n_entities=3),
            world.experiment("x3", "one", setting="non_existing", set_name="non_existing", n_entities=3),
        ]
    )
    project.land_each(**world.triples("x1", told))
    project.land_each(**world.triples("x2", {"C1": [("capital", "Lima")], "C3": [("capital", "Kyoto")], "C4": []}))
    made_up = world.triples("x3", {"name:1": [("is", "a country"), ("is", "a country")], "name:2": [], "name:3": []})
    made_up["elicitations"][-1] |= {"outcome": "failed"}
    project.land_each(**made_up)
    project.build()
    verdicts = verdicts_on(project)
    project.land_each(verdicts=verdicts, evaluations=[world.evaluation("v1", "x1"), world.evaluation("v2", "x2")])
    project.land_each(judge_answers=judge_answers())
    project.build()
    return project


def verdicts_on(project: ElicitationProject) -> list[world.Row]:
    """Landed verdicts of both evaluations, on triples by the ids that the room gave them."""
    ids = {
        (experiment, entity, ordinal): triple
        for experiment, entity, ordinal, triple in project.rows(
            "select experiment_id, entity_id, ordinal, triple_id from elicitation.triples"
        )
    }
    facts = {
        (entity, property_id): triple
        for entity, property_id, triple in project.rows(
            "select entity_id, property_id, triple_id from elicitation.reference_triples"
        )
    }
    verdicts = [
        world.verdict("v1", "x1", "precision", ids["x1", entity, place], entity, said, method)
        for entity, listed in TOLD.items()
        for place, (_, _, said, method) in enumerate(listed)
    ]
    verdicts += [
        world.verdict("v1", "x1", "recall", facts[entity, property_id], entity, said, "judge")
        for entity, found in COVERED.items()
        for property_id, said in zip(("P36", "P2046"), found, strict=True)
    ]
    verdicts += [
        world.verdict("v2", "x2", "precision", ids["x2", "C1", 0], "C1", "entailment", "exact"),
        world.verdict("v2", "x2", "precision", ids["x2", "C3", 0], "C3", "contradiction", "judge"),
    ]
    verdicts += [
        world.verdict("v2", "x2", "recall", triple, entity, "entailment" if entity == "C1" else "neutral", "judge")
        for (entity, _), triple in facts.items()
    ]
    return verdicts


def judge_answers() -> list[world.Row]:
    """A judge that is right of 20 of 22 borne-out examples and 40 of 44 others, and silent on one of each."""
    listed = [f"e{number:02d}" for number in range(1, 67)]
    said = []
    for number, example in enumerate(listed):
        label = ("entailment", "contradiction", "neutral")[number % 3]
        wrong = {0: "neutral", 3: "contradiction", 1: "entailment", 4: "entailment", 2: "entailment", 5: "entailment"}
        verdict = "error" if number in (6, 7) else wrong.get(number, label)
        said.append(
            {"judge_id": "j", "judge": "judge", "example_id": example, "verdict": verdict, "judged_at": world.NOW}
        )
    return said


@pytest.fixture
def folder(tmp_path: Path) -> ElicitationProject:
    """A room of one's own, with the facts and nothing landed."""
    project = ElicitationProject.create(tmp_path / "room")
    project.prepare()
    project.know(**world.facts())
    return project
