"""The declared concepts hang together, and every id in them says what it was checked against."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.concepts.declaration import load_declarations

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "ingest" / "concepts"
FILES = sorted(FOLDER.glob("*.yml"))
DOCUMENTS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
CONCEPTS: list[dict[str, Any]] = [one for document in DOCUMENTS.values() for one in document["concepts"]]
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
ID = re.compile(r"[PQ][1-9][0-9]*")
# Kind of an attribute -> the data types of its property.
DATATYPES = {
    "number": {"quantity"},
    "year": {"time"},
    "date": {"time"},
    "category": {"item", "string"},
    "categories": {"item", "string"},
}
# Unit -> how the name of an attribute in it ends.
SUFFIXES = {
    "Q11570": "kg",
    "Q41803": "g",
    "Q11573": "m",
    "Q828224": "km",
    "Q174728": "cm",
    "Q174789": "mm",
    "Q712226": "km2",
    "Q25343": "m2",
    "Q35852": "ha",
    "Q573": "days",
    "Q577": "years",
    "Q7727": "minutes",
    "Q6982035": "mw",
    "Q3320608": "kw",
    "Q180154": "kmh",
    "Q3674704": "kms",
    "Q128822": "knots",
    "Q93318": "nmi",
    "Q191118": "tonnes",
    "Q483261": "da",
    "Q25267": "degc",
    "Q13147228": "gcm3",
    "Q28390": "deg",
    "Q1811": "au",
    "Q11229": "percent",
    "Q4917": "usd",
}
one_by_one = pytest.mark.parametrize("concept", CONCEPTS, ids=[one["topic"] for one in CONCEPTS])


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CHECKED = {row["id"]: row for row in rows(FOLDER / "checked.csv")}
UNITS = {row["unit_id"]: row for row in rows(ROOT / "seeds" / "units.csv")}


def unchecked() -> dict[str, str]:
    """Id -> label, out of the README's list of what could not be checked."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8").partition("## Unchecked")[2]
    return dict(re.findall(r"^- `([PQ][1-9][0-9]*)` (.+)$", text, re.MULTILINE))


def named(concept: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every item that stands beside a name in a concept, with that name; a path of properties, with its label."""
    for key in ("classes", "excluded_classes", "labels"):
        yield from concept.get(key, {}).items()
    for one in concept["attributes"]:
        yield one["path"], one["label"]


def used(concept: dict[str, Any]) -> set[str]:
    """Every id of a concept."""
    found = {identifier for path, _ in named(concept) for identifier in path.split("/")}
    for one in concept.get("filters", ()):
        found |= {one["property"], *one.get("values", ()), *([one["unit"]] if "unit" in one else [])}
    return found | {one["unit"] for one in concept["attributes"] if "unit" in one}


def test_there_are_enough_of_them() -> None:
    assert len(CONCEPTS) >= 100
    assert len(FILES) >= 12
    assert [(path, document["field"]) for path, document in DOCUMENTS.items()] == [(p.stem, p.stem) for p in FILES]


def test_names_and_topics_are_unique() -> None:
    for key in ("concept", "topic"):
        assert [name for name, n in Counter(one[key].casefold() for one in CONCEPTS).items() if n > 1] == []


def test_no_topic_is_there_already() -> None:
    taken = {path.stem for path in (ROOT / "models").rglob("*.sql")}
    taken |= {path.stem for path in (ROOT / "seeds").glob("*.csv")}
    assert {one["topic"] for one in CONCEPTS} & taken == set()


def test_every_id_was_checked_or_is_listed_as_unchecked() -> None:
    ids = set().union(*map(used, CONCEPTS))
    assert all(map(ID.fullmatch, ids))
    assert ids - CHECKED.keys() - unchecked().keys() == set()
    assert CHECKED.keys() & unchecked().keys() == set()


def test_every_checked_id_is_used_and_says_against_what() -> None:
    assert CHECKED.keys() - set().union(*map(used, CONCEPTS)) == set()
    assert [row for row in CHECKED.values() if not row["checked_against"] or not row["label"]] == []
    assert len(CHECKED) == len(rows(FOLDER / "checked.csv"))


def test_an_id_has_one_name_everywhere() -> None:
    known = {identifier: row["label"] for identifier, row in CHECKED.items()} | unchecked()
    beside = {pair for concept in CONCEPTS for pair in named(concept)}
    assert [(path, name) for path, name in beside if " / ".join(known[i] for i in path.split("/")) != name] == []


def test_a_name_of_an_item_stands_for_one_item() -> None:
    names = Counter(row["label"] for identifier, row in CHECKED.items() if identifier.startswith("Q"))
    assert [name for name, n in names.items() if n > 1] == []


def test_a_unit_has_the_label_of_the_units_seed() -> None:
    units = {one["unit"] for concept in CONCEPTS for one in concept["attributes"] if "unit" in one}
    units |= {one["unit"] for concept in CONCEPTS for one in concept.get("filters", ()) if "unit" in one}
    assert units <= UNITS.keys()
    assert {unit: CHECKED[unit]["label"] for unit in units} == {unit: UNITS[unit]["label"] for unit in units}


def test_the_loader_reads_every_concept_into_a_need_of_data() -> None:
    loaded = load_declarations(FOLDER)
    assert [one.concept for one in loaded] == [one["concept"] for one in CONCEPTS]
    assert [one.source().name for one in loaded] == [one["topic"] for one in CONCEPTS]


@one_by_one
def test_values_of_filters_have_a_name(concept: dict[str, Any]) -> None:
    values = {value for one in concept.get("filters", ()) for value in one.get("values", ())}
    assert values == set(concept.get("labels", {}))


@one_by_one
def test_a_filter_fits_its_property(concept: dict[str, Any]) -> None:
    for one in concept.get("filters", ()):
        datatype = CHECKED[one["property"]]["datatype"]
        assert datatype == "item" or "values" not in one, one
        assert datatype == "quantity" or not one.keys() & {"min", "max", "unit"}, one


@one_by_one
def test_attributes_are_enough_to_ask_about(concept: dict[str, Any]) -> None:
    kinds = [one["kind"] for one in concept["attributes"]]
    assert 3 <= len(kinds) <= 8
    assert set(kinds) <= DATATYPES.keys()
    assert {"number", "year", "date"} & set(kinds)
    assert {"category", "categories"} & set(kinds)


@one_by_one
def test_a_kind_is_one_that_the_property_has(concept: dict[str, Any]) -> None:
    for one in concept["attributes"]:
        *through, last = one["path"].split("/")
        assert CHECKED[last]["datatype"] in DATATYPES[one["kind"]], one["name"]
        assert [CHECKED[step]["datatype"] for step in through] in ([], ["item"]), one["name"]


@one_by_one
def test_attributes_are_well_named(concept: dict[str, Any]) -> None:
    names = [one["name"] for one in concept["attributes"]]
    assert len(set(names)) == len(names)
    assert [name for name in [*names, concept["topic"]] if not SNAKE_CASE.fullmatch(name)] == []
    assert set(concept.get("required", ())) <= set(names)
    for one in concept["attributes"]:
        if "unit" in one:
            assert one["name"].endswith(f"_{SUFFIXES[one['unit']]}"), one["name"]
        if one["kind"] == "year":
            assert one["name"].endswith("_year"), one["name"]


@one_by_one
def test_a_unit_is_named_as_the_units_seed_names_it(concept: dict[str, Any]) -> None:
    for one in concept["attributes"]:
        if "unit" in one:
            assert one["kind"] == "number"
            assert one["unit_name"] == UNITS[one["unit"]]["label_plural"], one["name"]


@one_by_one
def test_words_say_where_the_value_goes(concept: dict[str, Any]) -> None:
    for one in concept["attributes"]:
        is_category = one["kind"] in ("category", "categories")
        place = "{value}" if is_category else "{century}"
        for key in ("scope", "member"):
            if key in one:
                assert is_category or (key, one["kind"]) == ("scope", "year"), one["name"]
                assert one[key].count(place) == 1, one["name"]
        assert one["kind"] != "categories" or "shared" in one, one["name"]
        assert not re.match(r"(the|an?) ", one["phrase"]), one["name"]
        assert "shared" not in one or re.match(r"(the|an?) ", one["shared"]), one["name"]


@one_by_one
def test_what_is_required_is_asked_for(concept: dict[str, Any]) -> None:
    paths = {one["name"]: one["path"].split("/")[0] for one in concept["attributes"]}
    filtered = {one["property"] for one in concept.get("filters", ()) if not one.get("absent")}
    assert {paths[name] for name in concept.get("required", ())} <= filtered


@one_by_one
def test_a_description_is_one_sentence(concept: dict[str, Any]) -> None:
    assert re.fullmatch(r"[A-Z](?:[^.]|\.[0-9])*\.", concept["description"])
