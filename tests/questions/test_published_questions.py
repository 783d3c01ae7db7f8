"""What the demo published, read as a stranger would: answers by scipy, balance, splits, ids and texts."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
import yaml
from scipy import stats

from tests.conftest import rows_of
from tests.questions.recompute import recomputed, wide

pytestmark = pytest.mark.e2e

TYPES = {
    "intercomparison", "superlative", "aggregation", "distribution_compliance", "correlation_analysis",
    "variance_analysis", "descriptive_relationship", "hypothetical_scenarios",
}  # fmt: skip
PROJECT = Path(__file__).resolve().parents[2]
Question = dict[str, Any]


@pytest.fixture(scope="module")
def con(published: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(published), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def questions(con: duckdb.DuckDBPyConnection) -> list[Question]:
    found = rows_of(con, "select * from questions.questions where family = 'multi_entity' order by question_id")
    for question in found:
        question["slots"] = json.loads(question["slots"])
    return found


@pytest.fixture(scope="module")
def meta(con: duckdb.DuckDBPyConnection) -> dict[str, Question]:
    """'topic.attribute' to what is known of it, the interquartile range of numbers included."""
    found = rows_of(con, "select * from topics.attribute_meta")
    values = con.execute("select topic, attribute, value_num from topics.entity_attributes where kind = 'number'").df()
    grouped = values.groupby(["topic", "attribute"])["value_num"]
    spread = (grouped.quantile(0.75) - grouped.quantile(0.25)).to_dict()
    for row in found:
        row["iqr"] = spread.get((row["topic"], row["attribute"]))
    return {f"{row['topic']}.{row['attribute']}": row for row in found}


@pytest.fixture(scope="module")
def tested(
    con: duckdb.DuckDBPyConnection, questions: list[Question], meta: dict[str, Question]
) -> list[tuple[Question, Question]]:
    """Each tested question beside what scipy says of its evidence."""
    pairs = []
    for question in questions:
        if question["operation"] == "test":
            numbers = {name.split(".", 1)[1] for name in question["attributes"] if meta[name]["kind"] == "number"}
            table = wide(con.execute(question["evidence_sql"]).fetchall(), numbers)
            assert len(table.dropna()) == question["entity_count"], question["question_id"]
            pairs.append((question, recomputed(question, table)))
    return pairs


def test_every_tested_answer_is_that_of_scipy(tested: list[tuple[Question, Question]]) -> None:
    for question, found in tested:
        rejected = found["p"] < 0.05
        yes = not rejected if question["gold_method"] in ("jarque_bera", "chisquare") else rejected
        assert question["gold_answer"] == ("yes" if yes else "no"), question["question_id"]
    assert len({question["gold_method"] for question, _ in tested}) == 7


def test_no_tested_answer_hangs_on_the_method(tested: list[tuple[Question, Question]]) -> None:
    for question, found in tested:
        assert found.get("expected", 5) >= 5, question["question_id"]
        assert (found["p"] < 0.05) == (found.get("other_p", found["p"]) < 0.05), question["question_id"]


def test_a_test_has_enough_entities(tested: list[tuple[Question, Question]]) -> None:
    for question, found in tested:
        assert question["entity_count"] >= (30 if question["gold_method"] == "jarque_bera" else 20)
        assert found.get("smallest", 5) >= 5, question["question_id"]


def test_the_margin_of_a_test_is_its_distance_from_the_critical_value(tested: list[tuple[Question, Question]]) -> None:
    for question, found in tested:
        if question["gold_method"] in ("pearsonr", "spearmanr"):
            critical = stats.t.isf(0.025, found["df"][1])
        elif len(found["df"]) == 2:
            critical = stats.f.isf(0.05, *found["df"])
        else:
            critical = stats.chi2.isf(0.05, *found["df"])
        ratio = found["statistic"] / critical
        assert question["margin"] >= 0.05
        # a tabulated critical value may be 0.2% off, and of a perfect correlation only rounding errors are left
        if ratio < 1e5:
            assert question["margin"] == pytest.approx(abs(ratio - 1), abs=0.002 * ratio + 1e-6), question[
                "question_id"
            ]
        else:
            assert question["margin"] > 1e4, question["question_id"]


def operated(question: Question) -> str:
    return f"{question['topic']}.{question['slots']['attribute']}"


def test_a_gap_is_clear(questions: list[Question], meta: dict[str, Question]) -> None:
    for question in questions:
        if question["operation"] in ("max", "min", "would_exceed"):
            attribute = meta[operated(question)]
            exact = attribute["is_integer"] or attribute["kind"] == "date"
            assert question["margin"] >= (1 if exact else 0.01 * attribute["iqr"]) > -1, question["question_id"]
            assert question["margin"] > 0
        elif question["operation"] in ("most_members", "fewest_members", "would_overtake"):
            assert question["margin"] >= 1, question["question_id"]


def test_a_gap_is_that_of_the_evidence_and_wider_than_the_rounding(
    con: duckdb.DuckDBPyConnection, questions: list[Question], meta: dict[str, Question]
) -> None:
    roundings = {
        (subject, prop): rounding
        for subject, prop, rounding in con.execute(
            "select subject_id, property_id, max(rounding_canonical) from facts.best_values group by all"
        ).fetchall()
    }
    for question in questions:
        attribute = meta[operated(question)] if "attribute" in question["slots"] else {}
        if question["operation"] not in ("max", "min") or attribute["kind"] != "number":
            continue
        tuples = con.execute(question["evidence_sql"]).fetchall()
        ranked = sorted(((float(row[3]), row[0]) for row in tuples), reverse=question["operation"] == "max")
        (best, winner), (second, other) = ranked[:2]
        assert question["gold_entity_ids"] == [winner]
        assert question["margin"] == pytest.approx(abs(best - second), rel=1e-9)
        if not attribute["is_integer"]:
            left_open = sum(roundings.get((entity, attribute["path"])) or 0 for entity in (winner, other))
            assert question["margin"] > left_open, question["question_id"]


def test_yes_and_no_are_balanced(questions: list[Question]) -> None:
    at_most = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"]["most_per_rarer_answer"]
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        if question["gold_kind"] == "boolean":
            answers[question["template_id"]][question["gold_answer"]] += 1
            answers[question["type"]][question["gold_answer"]] += 1
    for name, counted in answers.items():
        assert max(counted.values()) <= at_most * min(counted["yes"], counted["no"]), name
    assert len(answers) >= 13


def test_who_is_named_first_wins_about_half(questions: list[Question]) -> None:
    for template in ("intercomparison_entities", "intercomparison_groups"):
        first = [
            question["gold_answer"] == question["slots"]["names"][0]
            for question in questions
            if question["template_id"] == template
        ]
        assert 0.4 <= sum(first) / len(first) <= 0.6, template


def test_names_stand_in_the_text_in_their_order(questions: list[Question]) -> None:
    for question in questions:
        if question["type"] == "intercomparison":
            first, second = question["slots"]["names"]
            text = question["question"]
            # one name may be part of the other
            assert any(second in text[found.end() :] for found in re.finditer(re.escape(first), text)), text
            assert question["gold_answer"] in (first, second)


def test_every_wording_is_used(questions: list[Question]) -> None:
    used: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        used[question["template_id"]][question["wording_id"]] += 1
    for template, wordings in used.items():
        assert len(wordings) >= 3, template
        if sum(wordings.values()) >= 50:
            assert min(wordings.values()) >= 0.1 * sum(wordings.values()), (template, wordings)


def test_percent_changes_are_at_most_half_of_the_hypotheticals(questions: list[Question]) -> None:
    percent = ["percent" in q["slots"]["change"] for q in questions if q["type"] == "hypothetical_scenarios"]
    assert 0 < sum(percent) <= len(percent) / 2


@pytest.mark.parametrize("key", ["topic", "question", "gold_sql"])
def test_nothing_is_in_both_splits(questions: list[Question], key: str) -> None:
    sides = {side: {question[key] for question in questions if question["split"] == side} for side in ("train", "test")}
    assert not sides["train"] & sides["test"]


def test_each_split_has_its_share(questions: list[Question]) -> None:
    test = [question for question in questions if question["split"] == "test"]
    assert 0.2 <= len(test) / len(questions) <= 0.4
    for side in ("train", "test"):
        mine = [question for question in questions if question["split"] == side]
        assert len({question["topic"] for question in mine}) >= 3
        assert {question["type"] for question in mine} == TYPES


def test_topics_that_share_numbers_are_on_one_side(con: duckdb.DuckDBPyConnection, meta: dict[str, Question]) -> None:
    sides = dict(con.execute("select distinct topic, split from questions.questions").fetchall())
    bound = 0
    for far in meta.values():
        if far["hops"] != 2 or far["kind"] not in ("number", "date") or not far["path"] or "/" not in far["path"]:
            continue
        link, prop = far["path"].split("/")
        for own in meta.values():
            if own["path"] != prop or own["hops"] != 1 or own["topic"] == far["topic"]:
                continue
            ((shared,),) = con.execute(
                "select count(*) from topics.entity_attributes as mine"
                " inner join facts.best_values as link on mine.entity_id = link.subject_id and link.property_id = ?"
                " inner join topics.entity_attributes as theirs on link.value_entity = theirs.entity_id"
                " where mine.topic = ? and mine.attribute = ? and theirs.topic = ? and theirs.attribute = ?",
                [link, far["topic"], far["attribute"], own["topic"], own["attribute"]],
            ).fetchall()
            if shared and {far["topic"], own["topic"]} <= sides.keys():
                bound += 1
                assert sides[far["topic"]] == sides[own["topic"]], (far["topic"], own["topic"])
    assert bound > 0


def test_an_id_comes_from_what_is_asked_alone(con: duckdb.DuckDBPyConnection, questions: list[Question]) -> None:
    """For whole topics and named entities, whose scope is the topic's name, the id is computed anew from the slots."""
    assert len({question["question_id"] for question in questions}) == len(questions)
    checked: Counter[str] = Counter()
    for question in questions:
        parts = id_parts(con, question)
        if parts:
            text = "\x1f".join(("multi_entity", question["template_id"], question["topic"], parts))
            assert question["question_id"] == hashlib.md5(text.encode()).hexdigest()[:16], question["question"]
            checked[question["type"]] += 1
    assert checked.keys() == TYPES - {"hypothetical_scenarios"}


def id_parts(con: duckdb.DuckDBPyConnection, question: Question) -> str | None:
    """What stands for the slots in the id; None where the scope's own id isn't published."""
    slots, topic = question["slots"], question["topic"]
    if question["scope"] is not None or question["type"] == "hypothetical_scenarios":
        return None
    if question["template_id"] in ("intercomparison_entities", "shared_value"):
        # entities have no order of their own: the ids are sorted
        ids = sorted({row[0] for row in con.execute(question["evidence_sql"]).fetchall()})
        kind, operation = ("any", question["operation"]) if question["type"] == "intercomparison" else (None, "")
        return operation + "/".join(part for part in (kind, topic, slots["attribute"], *ids) if part)
    if question["template_id"] == "intercomparison_groups":
        return question["operation"] + "/".join((topic, slots["attribute"], *sorted(slots["names"])))
    if question["type"] == "superlative":
        return f"{question['operation']}/{slots['attribute']}"
    return json.dumps(slots, separators=(",", ":"), ensure_ascii=False)


def test_a_volatile_attribute_is_dated(questions: list[Question], meta: dict[str, Question]) -> None:
    undated = [
        question["question"]
        for question in questions
        if any(meta[name]["is_volatile"] for name in question["attributes"])
        and not re.search(r"as of (\d{1,2} )?([A-Z][a-z]+ )?\d{4}", question["question"])
    ]
    assert undated == []


def test_a_years_sum_mean_or_median_is_never_asked(questions: list[Question], meta: dict[str, Question]) -> None:
    for question in questions:
        if question["operation"] in ("sum", "mean", "median"):
            assert not meta[operated(question)]["is_year"], question["question"]
            assert meta[operated(question)]["unit"], question["question"]


FAULTS = {
    "no question mark": r"[^?]$",
    "a brace, an id or a NULL": r"[{}]|\b(None|NULL|nan)\b|\b[QP]\d{2,}\b",
    "the name of a column": r"\b[a-z0-9]+_[a-z0-9_]+\b",
    "spacing": r"  | [,?.]|^ ",
    "a vowel after a": r"\b[Aa] [aeioAEIO](?!ne\b|nce\b|u)",
    "a consonant after an": r"\b[Aa]n [bcdfgjklmnpqrstvwyz]",
    "a doubled word": r"\b([a-z]+) \1\b",
    "a number as a machine writes it": r"\d\.0\b|\de[+-]\d|\b\d{5,}\b|\b\d{4}-\d\d-\d\d\b",
    "a lower-case start": r"^[a-z]",
    "one of several": r"(?<![\d.,])\b1 (people|metres|kilometres|years|days|members)\b",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_text_reads_well(con: duckdb.DuckDBPyConnection, questions: list[Question], fault: str) -> None:
    names = pd.concat([
        con.execute("select distinct label as name from topics.entity_attributes").df(),
        con.execute("select distinct value_text as name from topics.entity_attributes where kind = 'category'").df(),
    ])["name"]  # fmt: skip
    pattern = re.compile(FAULTS[fault])
    # a name may look odd by itself ('An Nafud', '(10199) Chariklo'): it is no fault of the text around it
    odd = sorted((name for name in names if pattern.search(f"Of {name} it?")), key=len, reverse=True)
    mask = re.compile("|".join(map(re.escape, odd)) or r"(?!)")
    faulty = [question["question"] for question in questions if pattern.search(mask.sub("X", question["question"]))]
    assert faulty == []


def test_no_answer_is_empty(questions: list[Question]) -> None:
    assert len(questions) >= 5000
    for question in questions:
        assert question["gold_answer"].strip(), question["question_id"]
        if question["tolerance"] > 0:
            assert question["gold_unit"] in question["question"], question["question"]


def test_composition_is_that_of_the_questions(con: duckdb.DuckDBPyConnection, questions: list[Question]) -> None:
    table = {(row["section"], row["metric"]): row for row in rows_of(con, "select * from scores.composition")}
    for side in ("train", "test", "total"):
        mine = [question for question in questions if side in ("total", question["split"])]
        mean = sum(question["entity_count"] for question in mine) / len(mine)
        assert table["queries", "queries"][side] == len(mine)
        assert table["topics", "topics"][side] == len({question["topic"] for question in mine})
        assert table["entities", "mean entities per query"][side] == pytest.approx(mean)
        for section, key in (("categories", "category"), ("types", "type"), ("density", "density")):
            for metric, count in Counter(question[key] for question in mine).items():
                assert table[section, metric][side] == count
        hops = Counter(question["hops"] for question in mine)
        assert (table["hops", "one-hop"][side], table["hops", "multi-hop"][side]) == (hops[1], hops[2])
