"""Declared concepts: read into types, turned into a topic's data need, every mistake told in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ingest.concepts.declaration import load_declarations
from ingest.errors import TopicSourceError
from ingest.topics import StatementFilter
from tests.propose import world

GOOD = """
field: geography
concepts:
  - concept: volcanoes
    topic: volcanoes
    singular: volcano
    plural: volcanoes
    description: Mountains through which lava and gas have come to the surface.
    classes: {Q8072: volcano}
    excluded_classes: {Q11266439: Wikimedia template}
    filters:
      - {property: P2044, present: true}
      - {property: P576, absent: true}
    required: [elevation_m]
    is_current: false
    attributes:
      - {name: elevation_m, path: P2044, label: elevation above sea level, kind: number, unit: Q11573, unit_name: metres, phrase: elevation}
      - {name: country, path: P17, label: country, kind: category, phrase: country, scope: 'in {value}', member: 'are in {value}'}
      - {name: continent, path: P17/P30, label: country / continent, kind: category, phrase: continent, scope: 'in {value}'}
"""  # noqa: E501


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "geography.yml").write_text(GOOD)
    return tmp_path


def test_a_concept_becomes_a_topics_data_need(folder: Path) -> None:
    (declaration,) = load_declarations(folder)
    source = declaration.source()
    assert (source.name, source.classes, source.excluded_classes) == ("volcanoes", ("Q8072",), ("Q11266439",))
    assert source.filters == (
        StatementFilter(property="P2044", present=True), StatementFilter(property="P576", absent=True),
    )  # fmt: skip
    assert source.properties == ("P17", "P576", "P2044"), "what a filter looks at is landed as well"
    assert source.hops == {"P17": ("P30",)}


def test_a_concept_is_found_by_its_field(folder: Path) -> None:
    other = yaml.safe_load(GOOD)
    other["field"] = "food"
    other["concepts"][0] |= {"concept": "cheeses", "topic": "cheeses"}
    (folder / "food.yml").write_text(yaml.safe_dump(other))
    assert [one.concept for one in load_declarations(folder)] == ["cheeses", "volcanoes"]
    assert [one.concept for one in load_declarations(folder, "food")] == ["cheeses"]
    with pytest.raises(TopicSourceError, match=r"has no field 'sports'; name one of food, geography, or add sports\.y"):
        load_declarations(folder, "sports")


MISTAKES = {
    "unknown key": ("is_current", "current", "key current of concept volcanoes is not known; use concept, topic,"),
    "unknown key of an attribute": ("unit_name", "unitname", "key attributes[0].unitname of concept volcanoes is not"),
    "missing key": ("    singular: volcano\n", "", "key singular of concept volcanoes is missing; add it."),
    "bad class": ("{Q8072: volcano}", "{volcano: Q8072}", "is wrong: 'volcano' is no entity id"),
    "bad path": ("P17/P30", "P17/P30/P31", "key attributes[2].path of concept volcanoes is wrong: 'P17/P30/P31' is no"),
    "bad name": ("name: country", "name: Country", "'Country' is no name in snake_case"),
    "bad kind": ("kind: number", "kind: amount", "key attributes[0].kind of concept volcanoes holds 'amount', which"),
    "unknown required": ("[elevation_m]", "[height_m]", "required names 'height_m', which is no attribute; use elev"),
    "three required": ("[elevation_m]", "[elevation_m, country, continent]", "key required of concept volcanoes holds"),
    "two of a name": ("name: continent", "name: country", "the attribute 'country' is declared 2 times; keep one"),
    "scope without value": ("scope: 'in {value}', m", "scope: in it, m", "scope says no value; put {value} into it"),
    "unit of a category": ("kind: number", "kind: category", "go with the kind number; leave them out"),
    "class that is excluded": ("Q11266439", "Q8072", "Q8072 is among classes and excluded_classes; keep one"),
    "other field": ("field: geography", "field: geology", "key field: is 'geology'; write field: geography."),
    "extra at the top": ("concepts:", "author: me\nconcepts:", "key author is not known; use field and concepts."),
    "no list": ("concepts:\n", "things:\n", "key concepts: is no list; start the file with 'field:' and 'concepts:'."),
    "no concept": ("- concept: volcanoes\n    topic", "- topic", "key concept is missing; give every concept the name"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence_with_file_concept_key_and_remedy(name: str, folder: Path) -> None:
    old, new, told = MISTAKES[name]
    path = folder / "geography.yml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(TopicSourceError) as raised:
        load_declarations(folder)
    message = str(raised.value)
    assert message.startswith(str(path))
    assert told in message
    assert message.endswith(".")
    assert "\n" not in message


def test_a_topic_is_declared_once(folder: Path) -> None:
    (folder / "geology.yml").write_text(
        GOOD.replace("geography", "geology").replace("concept: volc", "concept: big volc")
    )
    with pytest.raises(TopicSourceError, match=r"the topic 'volcanoes' is declared 2 times; rename or remove one"):
        load_declarations(folder)


def test_the_concepts_of_the_project_are_sound() -> None:
    declared = load_declarations()
    assert all(one.source().properties for one in declared)
    assert not {one.topic for one in declared} & {path.stem for path in (world.ROOT / "models/topics").glob("*.sql")}
