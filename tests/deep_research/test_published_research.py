"""The deep-research questions of the demo: gold by a second implementation, clues by a search of the facts."""

from __future__ import annotations

import csv
import datetime
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Checkout, Outcome, environment_of_a_user, rows_of
from tests.deep_research.formulas import FORMULAS
from tests.deep_research.templates import PROJECT, sides, templates

pytestmark = pytest.mark.e2e

TEMPLATES = {template["id"]: template for template in templates()}
DOMAINS = {"geophysical", "biochemistry", "financial", "history", "security"}
EPOCH = datetime.date(1970, 1, 1)
Row = dict[str, Any]


@pytest.fixture(scope="module")
def con(demo: tuple[Checkout, Outcome]) -> Iterator[duckdb.DuckDBPyConnection]:
    # The build database: it has the workings beside what is published.
    with duckdb.connect(str(demo[0].data / "build/assay.duckdb"), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def questions(con: duckdb.DuckDBPyConnection) -> list[Row]:
    return rows_of(
        con,
        "select * from questions.questions"
        " join questions.deep_research using (question_id, n_entities, n_properties, cci)"
        " where family = 'deep_research' order by question_id",
    )


def number(value: str) -> float:
    """A value of the evidence as templates take it: a date is the number of its day."""
    try:
        return float(value)
    except ValueError:
        return float((datetime.date.fromisoformat(value) - EPOCH).days)


def test_every_domain_is_asked_about(questions: list[Row]) -> None:
    domains = Counter(question["domain"] for question in questions)
    assert len(questions) >= 300
    assert set(domains) == DOMAINS
    assert min(domains.values()) >= 30
    assert max(domains.values()) <= 0.4 * len(questions)
    assert len({question["template_id"] for question in questions}) >= 30


def test_every_gold_is_that_of_a_second_implementation(con: duckdb.DuckDBPyConnection, questions: list[Row]) -> None:
    for question in questions:
        template = TEMPLATES[question["template_id"]]
        evidence = rows_of(con, question["evidence_sql"])
        slots = json.loads(question["slots"])
        found = {(row["entity_id"], row["attribute"]): number(row["value"]) for row in evidence}
        assert len(found) == len(evidence) == len(slots["entity_ids"]) * len(template["inputs"])
        assert all(row["source"] and row["source_url"] and row["fetched_at"] for row in evidence)
        values = {
            side + name: found[entity_id, wanted["attribute"]]
            for side, entity_id in zip(sides(template), slots["entity_ids"], strict=True)
            for name, wanted in template["inputs"].items()
        }
        expected = FORMULAS[template["id"]](**values, **slots.get("given", {}))
        assert question["gold_value"] == pytest.approx(expected, rel=1e-9), question["question_id"]
        assert con.execute(question["gold_sql"]).fetchall()[0][0] == pytest.approx(expected, rel=1e-9)


def test_no_answer_is_looser_than_its_template_or_finer_than_its_sources(questions: list[Row]) -> None:
    for question in questions:
        exact = TEMPLATES[question["template_id"]].get("exact", False)
        assert question["tolerance"] == 0 if exact else 0.02 <= question["tolerance"] <= 0.05
        assert exact or question["spread"] <= question["tolerance"]


class Facts:
    """The links between entities, followed backwards in plain Python."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        with (PROJECT / "seeds/clue_phrases.csv").open() as file:
            self.phrases = {
                " ".join(filter(None, (row["direction"], row["property_id"], row["subject_topic"]))): row
                for row in csv.DictReader(file)
            }
        topics = "select entity_id, list(distinct topic) from topics.entity_attributes group by entity_id"
        self.topics: dict[str, list[str]] = dict(con.execute(topics).fetchall())
        self.forward: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.backward: dict[tuple[str, str], set[str]] = defaultdict(set)
        for subject, prop, value in con.execute(
            "select distinct subject_id, property_id, value_entity from facts.best_values"
            " where value_entity is not null"
        ).fetchall():
            self.forward[prop, subject].add(value)
            self.backward[prop, value].add(subject)

    def is_of(self, entity_id: str, topic: str | None) -> bool:
        """Whether an entity is of a topic; some are of two."""
        return topic is None or topic in self.topics.get(entity_id, ())

    def before(self, path: str, reached: set[str]) -> set[str]:
        """What a link leads to `reached` from."""
        row = self.phrases[path]
        wanted = row["subject_topic"] or None
        found = set()
        for node in reached:
            if row["direction"] == "forward":
                found |= {s for s in self.backward[row["property_id"], node] if self.is_of(s, wanted)}
            elif self.is_of(node, wanted):
                found |= self.forward[row["property_id"], node]
        return found

    def fit(self, clue: Row) -> set[str]:
        """Every entity that a chain is true of."""
        found = self.before(clue["first_path"], self.before(clue["second_path"], {clue["end_id"]}))
        return found - {clue["end_id"]} if "also " in self.phrases[clue["second_path"]]["second"] else found


def test_clues_fit_one_entity_of_the_warehouse(con: duckdb.DuckDBPyConnection, questions: list[Row]) -> None:
    """Every clue is looked up anew, over all entities, and intersected."""
    facts = Facts(con)
    clues: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(
        con,
        "select distinct s.entity_id, s.clue_id, s.kind, c.first_path, c.second_path, c.end_id"
        " from deep_research.clue_sets s left join deep_research.chains c using (entity_id, clue_id)",
    ):
        clues[row["entity_id"]].append(row)
    values: dict[str, set[str]] = defaultdict(set)
    for clue_id, entity_id in con.execute("select clue_id, entity_id from deep_research.value_clues").fetchall():
        values[clue_id].add(entity_id)
    for entity_id in {entity_id for question in questions for entity_id in question["entity_ids"]}:
        fits = [values[c["clue_id"]] if c["kind"] == "value" else facts.fit(c) for c in clues[entity_id]]
        # No clue identifies alone, all together do.
        assert min(map(len, fits)) > 1
        assert set.intersection(*fits) == {entity_id}
        assert sum(clue["kind"] == "chain" for clue in clues[entity_id]) >= 3


def test_no_question_names_what_it_asks_for(con: duckdb.DuckDBPyConnection, questions: list[Row]) -> None:
    labels: dict[str, str] = dict(con.execute("select entity_id, label from facts.entities").fetchall())
    for question in questions:
        for entity_id in question["entity_ids"]:
            assert labels[entity_id].lower() not in question["question"].lower()
        assert question["gold_unit"] in question["question"]
        assert not any(left in question["question"] for left in ("{", "}", "  ", "the the"))


def test_nothing_is_said_of_what_was_not_tried(questions: list[Row]) -> None:
    """The demo asks no model and compares no texts."""
    unknown = ("v1_accuracy", "v2_accuracy", "difficulty_status", "is_diverse", "removed_for", "n_match_live")
    assert all(question[column] is None for question in questions for column in unknown)


def test_a_template_is_added_in_one_file(demo: tuple[Checkout, Outcome], checkout: Checkout) -> None:
    """The entry of models/deep_research/README.md, put into one file, mints questions."""
    entry = (PROJECT / "models/deep_research/README.md").read_text().split("```yaml\n")[1].split("```")[0]
    file = checkout.root / "macros/deep_research/templates/geophysical.sql"
    file.write_text(file.read_text().replace('""")) -}}', entry + '""")) -}}'))
    build = checkout.data / "build"
    build.mkdir(parents=True)
    (build / "assay.duckdb").write_bytes((demo[0].data / "build/assay.duckdb").read_bytes())
    (checkout.data / "landing").symlink_to(demo[0].data / "landing")
    models = ["research_fits", "research_candidates", "research_answers", "research_texts", "research_judged"]
    done = subprocess.run(
        [Path(sys.executable).with_name("dbt"), "run", "--select", *models, "--profiles-dir", "."],
        cwd=checkout.root, env=environment_of_a_user(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    with duckdb.connect(str(build / "assay.duckdb"), read_only=True) as connection:
        ((asked,),) = connection.execute(
            "select count(*) from deep_research.research_judged"
            " where template_id = 'energy_of_the_climb' and reason is null and answer > 0"
        ).fetchall()
    assert asked > 0
