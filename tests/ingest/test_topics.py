"""meta.source of a topic yml: read into types, and every mistake told in one sentence."""

from decimal import Decimal
from pathlib import Path

import pytest

from ingest.errors import TopicSourceError
from ingest.topics import StatementFilter, load_topic_sources, read_topic_file

GOOD = """
models:
  - name: cities
    description: One row per city.
    config:
      contract: {enforced: true}
      meta:
        source:
          classes: [Q515]
          filters: [{property: P1082, min: 100000, unit: null}]
          properties: [P17, P1082]
          hops: {P17: [P30], P36: [P1082]}
        topic: {singular: city, plural: cities}
    columns: []
"""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "cities.yml").write_text(GOOD)
    (tmp_path / "topics" / "cities.sql").write_text("select 1")
    return tmp_path


def changed(models: Path, old: str, new: str) -> Path:
    path = models / "topics" / "cities.yml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return models


def test_a_source_is_read_with_all_it_says(models: Path) -> None:
    (source,) = load_topic_sources(models)
    assert (source.name, source.classes, source.properties) == ("cities", ("Q515",), ("P17", "P1082"))
    assert source.filters == (StatementFilter(property="P1082", min=Decimal(100000)),)
    assert source.hops == {"P17": ("P30",), "P36": ("P1082",)}
    assert source.own_properties == ("P17", "P31", "P36", "P1082"), "P31 and the hops' own properties come along"


def test_topics_are_chosen_by_name_and_come_sorted(models: Path) -> None:
    (models / "topics" / "bays.yml").write_text(GOOD.replace("name: cities", "name: bays"))
    assert [source.name for source in load_topic_sources(models)] == ["bays", "cities"]
    assert [source.name for source in load_topic_sources(models, ["cities", "cities"])] == ["cities"]
    assert load_topic_sources(models, []) == []


SOURCE = "key config.meta.source"
MISTAKES = {
    "no class": ("classes: [Q515]", "", f"{SOURCE}.classes of model cities is missing; add it, for example"),
    "empty classes": ("[Q515]", "[]", f"{SOURCE}.classes of model cities is empty; list at least one id"),
    "empty properties": ("[P17, P1082]", "[]", f"{SOURCE}.properties of model cities is empty; list at least one id"),
    "bad class": ("[Q515]", "[city]", f"{SOURCE}.classes[0] of model cities is wrong: 'city' is no"),
    "bad property": ("[P17, P1082]", "[P17, Q1082]", f"{SOURCE}.properties[1] of model cities is wrong: 'Q1082' is no"),
    "number for a property": ("[P17, P1082]", "[17]", f"{SOURCE}.properties[0] of model cities holds 17, which"),
    "bad hop": ("{P17: [P30]", "{country: [P30]", f"{SOURCE}.hops.country of model cities is wrong: 'country' is no"),
    "bad hop's property": ("[P30]", "[area]", f"{SOURCE}.hops.P17[0] of model cities is wrong: 'area' is no"),
    "hops as list": ("{P17: [P30], P36: [P1082]}", "[P17]", f"{SOURCE}.hops of model cities holds ['P17'], which"),
    "unknown key": ("hops:", "hop:", "source.hop of model cities is not known; use classes, excluded_classes, filters"),
    "name in source": ("classes:", "name: x\n          classes:", f"{SOURCE}.name of model cities is not known; leave"),
    "unknown key of a filter": (
        "unit: null", "units: Q5", f"{SOURCE}.filters[0].units of model cities is not known; use property, min",
    ),
    "filter without bounds": ("min: 100000, ", "", "is wrong: a filter needs either min and/or max, or values"),
    "filter with both": ("unit: null", "values: [Q142]", "is wrong: a filter needs either min and/or max, or values"),
    "unit beside values": (
        "min: 100000, unit: null",
        "values: [Q142], unit: Q5",
        "is wrong: unit goes with min and max, and with present;",
    ),
    "present and absent": ("min: 100000", "present: true, absent: true", "or present or absent; give one of them"),
    "unit beside absent": ("min: 100000, unit: null", "absent: true, unit: Q5", "leave it out beside values and a"),
    "sitelinks below none": (
        "classes:", "least_sitelinks: -1\n          classes:", "least_sitelinks of model cities holds -1, which",
    ),
    "bound that is no number": ("100000", "many", f"{SOURCE}.filters[0].min of model cities holds 'many', which"),
    "bound without end": ("100000", ".inf", "filters[0].min of model cities"),
    "unit by name": ("unit: null", "unit: km", "filters[0].unit of model cities is wrong: 'km' is no"),
    "no source": ("source:", "sources:", f"{SOURCE} of model cities is missing; add config.meta.source, for example"),
    "no meta": ("meta:", "metadata:", "key config.meta of model cities is missing; add config.meta.source"),
    "no config": ("config:", "configs:", "key config of model cities is missing; add config.meta.source"),
    "source as text": (
        "source:\n          classes: [Q515]\n", "source: Q515\n        old:\n",
        f"{SOURCE} of model cities must hold keys, not 'Q515'",
    ),
    "no name": ("name: cities", "title: cities", "key models[].name is missing; give every model"),
    "no models": ("models:", "model:", "key models: is no list; start the file with 'models:'"),
    "bad yaml": ("[Q515]", "[Q515", "is no valid YAML at line 10, column "),
    "tab": ("      meta:", "\tmeta:", "is no valid YAML at line 7, column 1: found character"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence_with_file_key_and_remedy(name: str, models: Path) -> None:
    old, new, told = MISTAKES[name]
    with pytest.raises(TopicSourceError) as raised:
        load_topic_sources(changed(models, old, new))
    message = str(raised.value)
    assert message.startswith(f"{models / 'topics' / 'cities.yml'}")
    assert told in message
    assert message.endswith(".")
    assert "\n" not in message


def test_other_mistakes(models: Path, tmp_path: Path) -> None:
    with pytest.raises(
        TopicSourceError, match=r"describes no topic 'lakes'; add its yml with meta.source, or name one of: c"
    ):
        load_topic_sources(models, ["lakes"])
    with pytest.raises(
        TopicSourceError, match=r"There is no folder .*nowhere/topics; point the ingest at dbt's models"
    ):
        load_topic_sources(tmp_path / "nowhere")
    (models / "topics" / "more.yml").write_text(GOOD)
    with pytest.raises(TopicSourceError, match=r"more\.yml: a topic 'cities' is described twice; keep one of them"):
        load_topic_sources(models)
    (models / "topics" / "more.yml").write_bytes(b"models: \xff")
    with pytest.raises(TopicSourceError, match=r"more\.yml cannot be read .*; make it a readable UTF-8 file"):
        load_topic_sources(models)
    (models / "topics" / "more.yml").write_text("")
    with pytest.raises(TopicSourceError, match="key models: is no list"):
        load_topic_sources(models)


def test_the_projects_own_topics_are_all_good() -> None:
    project = Path(__file__).resolve().parent.parent.parent / "models"
    sources = load_topic_sources(project)
    assert len(sources) >= 12
    assert all(read_topic_file(project / "topics" / f"{source.name}.yml") == [source] for source in sources)
