"""Every cause by which a result is not valid, over items of the test's making; and that constraints count."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dagster_defs.steps.propose.adjust import adjustments
from dagster_defs.steps.propose.measure import Bar, Measured
from ingest.concepts.declaration import Declaration
from ingest.topics import StatementFilter
from ingest.wikidata.constraints import Constraints, Types
from ingest.wikidata.endpoint import EmbeddedEndpoint
from tests.propose import world
from tests.propose.world import Dirt

DAM = "typed:class/dam"
RIVER = "typed:class/river"
DAMS: dict[str, Any] = {
    "classes": {DAM: "dam"},
    "required": ["height_m"],
    "attributes": [
        {"name": "height_m", "path": "P2048", "label": "height", "kind": "number", "unit": "Q11573",
         "unit_name": "metres", "phrase": "height"},
        {"name": "turbines", "path": "P1114", "label": "quantity", "kind": "number", "phrase": "number of turbines"},
        {"name": "river", "path": "P177", "label": "crosses", "kind": "category", "phrase": "river"},
        {"name": "opening_year", "path": "P571", "label": "inception", "kind": "year", "phrase": "year"},
    ],
}  # fmt: skip


def dams(**more: Any) -> Declaration:
    return world.concept(**{**DAMS, **more})


def measured(dirt: Dirt, constraints: dict[str, Constraints] | None = None, **more: Any) -> Measured:
    endpoint = EmbeddedEndpoint([("dirt", dirt.text())], "dirt")
    return world.probe(endpoint, constraints).measure(dams(**more))


def a_dam(dirt: Dirt, name: str, height: float | None = 50, unit: str = "Q11573") -> str:
    dam = dirt.item(name, f"Dam {name}", DAM)
    if height is not None:
        dirt.amount(dam, "P2048", height, unit)
    return dam


def causes(found: Measured) -> dict[str, tuple[str, ...]]:
    return {one.entity_id.removeprefix("typed:"): one.causes for one in found.checked}


def test_units_have_to_be_of_the_attributes_dimension() -> None:
    dirt = Dirt()
    a_dam(dirt, "metres")
    a_dam(dirt, "feet", 160, "Q3710")
    a_dam(dirt, "kilograms", 160, "Q11570")
    a_dam(dirt, "none", 160, "Q199")
    a_dam(dirt, "odd", 160, "Q424242")
    pure, kilograms = a_dam(dirt, "pure"), a_dam(dirt, "weighed")
    dirt.amount(pure, "P1114", 4, "Q199")
    dirt.amount(kilograms, "P1114", 4, "Q11570")
    found = causes(measured(dirt))
    wrong = ("unit: height_m",)
    assert found == {
        "feet": (), "kilograms": wrong, "metres": (), "none": wrong, "odd": wrong,
        "pure": (), "weighed": ("unit: turbines",),
    }  # fmt: skip
    allowed = measured(dirt, {"P2048": Constraints(units=("Q11573",))})
    assert causes(allowed)["feet"] == wrong, "a unit that Wikidata does not allow"


def test_numbers_stay_in_their_range() -> None:
    dirt = Dirt()
    for height in (1, 300, 301):
        a_dam(dirt, str(height), height)
    known = {"P2048": Constraints(least=Decimal(2), most=Decimal(300))}
    found = measured(dirt, known)
    assert causes(found) == {"1": ("range: height_m",), "300": (), "301": ("range: height_m",)}
    told = [one.told for one in adjustments(found, Bar(members=1), known, {})]
    assert told == ["keep height (P2048) in its range"]
    kept = adjustments(found, Bar(members=1), known, {})[0].declaration.filters
    assert kept == (StatementFilter(property="P2048", min=Decimal(2), max=Decimal(300)),)


@pytest.mark.parametrize("path", ["instance", "either"])
def test_values_have_to_be_of_the_class_that_is_expected(path: str) -> None:
    dirt = Dirt()
    river, brook = dirt.item("nile", "Nile", RIVER), dirt.item("brook", "brook", "typed:class/brook")
    dirt.state(world.named("typed:class/brook"), "P279", world.named(RIVER))
    road = dirt.item("road", "road", "typed:class/road")
    for name, value in (("a", river), ("b", brook), ("c", road)):
        dirt.state(a_dam(dirt, name), "P177", value)
    found = measured(dirt, {"P177": Constraints(value=Types((RIVER,), path))})
    assert causes(found) == {"a": (), "b": (), "c": ("value type: river",)}
    assert measured(dirt).n_valid == 3, "nothing is expected where no constraint is known"


def test_one_value_where_one_is_insisted_on_unless_they_are_of_different_times() -> None:
    dirt = Dirt()
    two, dated = a_dam(dirt, "two"), a_dam(dirt, "dated")
    dirt.amount(two, "P2048", 60, "Q11573")
    when = '; pq:P585 "2020-01-01T00:00:00Z"^^xsd:dateTime '
    dirt.state(dated, "P2048", '"61"^^xsd:decimal', node='wikibase:quantityAmount "61"^^xsd:decimal ; '
               "wikibase:quantityUnit wd:Q11573", more=when)  # fmt: skip
    single = {"P2048": Constraints(is_single=True)}
    assert causes(measured(dirt, single)) == {"dated": (), "two": ("several: height_m",)}
    assert causes(measured(dirt))["two"] == ()


def test_values_have_to_be_of_the_kind() -> None:
    dirt = Dirt()
    dam, dated = a_dam(dirt, "text"), a_dam(dirt, "dated")
    dirt.state(dam, "P571", '"long ago"')
    dirt.time(dated, "P571", "1936-03-01")
    found = measured(dirt)
    assert causes(found) == {"dated": (), "text": ("kind: opening_year",)}
    assert {one.entity_id for one in found.checked if "opening_year" in one.known} == {"typed:dated"}


def test_what_is_required_has_to_be_there_in_a_form_that_can_be_used() -> None:
    dirt = Dirt()
    a_dam(dirt, "without", None)
    year = a_dam(dirt, "year")
    value = '"1936-01-01T00:00:00Z"^^xsd:dateTime'
    dirt.state(year, "P571", value, node=f"wikibase:timeValue {value} ; wikibase:timePrecision 8 ; "
               "wikibase:timeCalendarModel wd:Q1985727")  # fmt: skip
    found = causes(measured(dirt, required=["height_m", "opening_year"]))
    assert found == {
        "without": ("missing: height_m", "missing: opening_year"),
        "year": ("missing: opening_year",),  # a decade is no year
    }


def test_what_has_ended_is_not_current() -> None:
    dirt = Dirt()
    gone, future, open_end = a_dam(dirt, "gone"), a_dam(dirt, "future"), a_dam(dirt, "open")
    dirt.time(gone, "P576", "1990-01-01")
    dirt.time(future, "P576", "2100-01-01")
    past, now = '"1950-01-01T00:00:00Z"^^xsd:dateTime', "; a <http://www.wikidata.org/prop/novalue/P582> "
    node = "pqv:P582 v:ended "
    dirt.lines.insert(1, "@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .")
    dirt.lines.append(f"v:ended wikibase:timeValue {past} ; wikibase:timePrecision 11 ; "
                      "wikibase:timeCalendarModel wd:Q1985727 .")  # fmt: skip
    club = dirt.item("club", "club")
    for name, more in (("left", f"; pq:P582 {past} ; {node}"), ("stays", now), ("plain", "")):
        dirt.state(a_dam(dirt, name), "P463", club, more=more)
    dirt.state(open_end, "P463", club)
    wanted = [{"property": "P463", "values": ["typed:club"]}]
    assert causes(measured(dirt, is_current=True))["gone"] == ("ended",)
    assert causes(measured(dirt, is_current=True))["future"] == ()
    assert causes(measured(dirt))["gone"] == ()
    current = measured(dirt, is_current=True, filters=wanted)
    assert causes(current) == {"left": ("ended",), "open": (), "plain": (), "stays": ()}
    told = [one.told for one in adjustments(measured(dirt, is_current=True), Bar(members=1), {}, {})]
    assert told == ["leave out what is stated to have dissolved", "leave out what is stated to have ended"]


def test_classes_of_which_most_fail_are_offered_for_exclusion_and_better_ones_to_narrow_down_to() -> None:
    dirt = Dirt()
    for name in ("good", "bad"):
        dirt.state(dirt.item(f"class/{name}", name), "P279", world.named(DAM))
    for number in range(6):
        dam = dirt.item(f"g{number}", f"g{number}", "typed:class/good")
        dirt.amount(dam, "P2048", 10 + number, "Q11573")
        dirt.item(f"b{number}", f"b{number}", "typed:class/bad")
    found = measured(dirt)
    assert found.classes == {"typed:class/bad": (6, 0), "typed:class/good": (6, 6)}
    told = [one.told for one in adjustments(found, Bar(members=1), {}, {})]
    assert told == [
        "ask for height (P2048)",
        "leave out bad (typed:class/bad)",
        "narrow the class down to good (typed:class/good)",
    ]
