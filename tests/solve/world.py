"""A small published database: four topics, 34 questions of every type, and the gold of each."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import duckdb

PROJECT = Path(__file__).resolve().parents[2]
SNAPSHOT = "snapshot-1"
AS_OF = dt.date(2026, 11, 2)
EXTRA_STARS = 60

COUNTRIES = {
    # label: population, area, continent, languages, founded
    "India": (1_400_000_000, 3287263.0, "Asia", ("Hindi", "English"), dt.date(1947, 8, 15)),
    "Indonesia": (273_800_000, 1904569.0, "Asia", ("Indonesian",), dt.date(1945, 8, 17)),
    "Nigeria": (213_400_000, 923768.0, "Africa", ("English",), dt.date(1960, 10, 1)),
    "Ghana": (32_830_000, 238533.0, "Africa", ("English",), dt.date(1957, 3, 6)),
    "Kenya": (53_010_000, 580367.0, "Africa", ("Swahili", "English"), dt.date(1963, 12, 12)),
    "Jordan": (11_150_000, 89342.0, "Asia", ("Arabic",), dt.date(1946, 5, 25)),
    "Peru": (33_720_000, 1285216.0, "South America", ("Spanish", "Quechua"), dt.date(1821, 7, 28)),
    "Bolivia": (12_080_000, 1098581.0, "South America", ("Spanish", "Quechua"), dt.date(1825, 8, 6)),
    "Iceland": (372_520, 102775.0, "Europe", ("Icelandic",), dt.date(1944, 6, 17)),
}
ALIASES = {"India": ["Republic of India", "Bharat"], "Nigeria": ["Federal Republic of Nigeria"], "Nile": ["River Nile"],
           "Colorado#Texas": ["Red River of Texas"], "Colorado#Utah": ["Grand River"]}  # fmt: skip
RIVERS = {
    # label: length, continent, is navigable
    "Nile": (6650.0, "Africa", True),
    "Niger": (4180.0, "Africa", True),
    "Ganges": (2525.5, "Asia", True),
    "Mekong": (4350.0, "Asia", False),
    "Marañón": (1737.0, "South America", False),
    "Þjórsá": (230.0, "Europe", False),
    # Two rivers of one name: what stands behind the sign is no part of the label.
    "Colorado#Texas": (1387.0, "North America", False),
    "Colorado#Utah": (2330.0, "North America", True),
}
ELEMENTS = {f"element {number:02}": (number, number / 4, "metal" if number % 3 else "gas") for number in range(1, 25)}
CATALOG = (
    ("countries", "population", "number", "population", "people"),
    ("countries", "area_km2", "number", "total area", "square kilometres"),
    ("countries", "continent", "category", "continent", None),
    ("countries", "languages", "category", "official language", None),
    ("countries", "founded", "date", "date of foundation", None),
    ("rivers", "length_km", "number", "length", "kilometres"),
    ("rivers", "continent", "category", "continent", None),
    ("rivers", "is_navigable", "boolean", "navigability", None),
    ("elements", "atomic_number", "number", "atomic number", None),
    ("elements", "electronegativity", "number", "electronegativity", "Pauling scale"),
    ("elements", "series", "category", "series", None),
    ("stars", "magnitude", "number", "apparent magnitude", "magnitudes"),
    ("stars", "constellation", "category", "constellation in which the star stands as seen from Earth", None),
)


@dataclass(frozen=True)
class Gold:
    """One question and its gold, in the columns of questions.questions that this world fills."""

    type: str
    topic: str
    operation: str
    question: str
    attributes: tuple[str, ...]
    kind: str
    answer: str
    value: float | None = None
    unit: str | None = None
    tolerance: float = 0.0
    names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    method: str | None = None
    aliases: tuple[str, ...] = ()
    split: str = "test"
    family: str = "multi_entity"
    slots: tuple[tuple[str, Any], ...] = ()
    question_id: str = ""

    @property
    def category(self) -> str:
        """Of this world: deep research is about one domain a topic, all else is statistics."""
        domains = {"countries": "geophysical", "rivers": "security"}
        return domains[self.topic] if self.family == "deep_research" else "statistics"

    @property
    def evidence_sql(self) -> str:
        """As the questions room writes it, less its wide tables."""
        listed = ", ".join(f"'{name}'" for name in self.attributes)
        named = f" and label in ({', '.join(_text(name) for name in self.names)})" if self.names else ""
        return (
            "select entity_id, label as entity, attribute,"
            " coalesce(value_text, cast(value_num as varchar), cast(value_date as varchar)) as value, null as via\n"
            f"from topics.entity_attributes\nwhere topic = '{self.topic}' and attribute in ({listed}){named}"
        )

    @property
    def entity_count(self) -> int:
        """Consulted entities: every one of this world has a value of each attribute."""
        return len(self.names) or len({row[1] for row in attribute_rows() if row[0] == self.topic})


def _number(operation: str, topic: str, attribute: str, value: float, unit: str | None, **more: Any) -> Gold:
    """An aggregation."""
    text = f"What is the {operation} of {attribute} over all {topic}, question {operation}?"
    tolerance = 0.01 if unit else 0.0
    return Gold(
        "aggregation", topic, operation, text, (attribute,), "number", f"{value:.12g}", value, unit, tolerance, **more
    )


def _tested(type_: str, topic: str, columns: tuple[str, ...], method: str, answer: str) -> Gold:
    text = f"At the 5% level, what of {' and '.join(columns)} of {topic} by {type_}?"
    return Gold(type_, topic, "test", text, columns, "boolean", answer, columns=columns, method=method)


def _between(operation: str, topic: str, attribute: str, names: tuple[str, ...], answer: str, **more: Any) -> Gold:
    text = f"Which has the {operation} {attribute} of {topic}: {' or '.join(names)}?"
    return Gold("intercomparison", topic, operation, text, (attribute,), "entity", answer, names=names, **more)


def _questions() -> list[Gold]:
    people, lengths = ([row[0] for row in rows.values()] for rows in (COUNTRIES, RIVERS))
    continents = Counter(row[2] for row in COUNTRIES.values())
    spread = json.dumps(dict(sorted(continents.items())))
    up, down = "superlative", "hypothetical_scenarios"
    listed = [
        _number("sum", "countries", "population", float(sum(people)), "people"),
        _number("median", "countries", "population", float(median(people)), "people"),
        _number("max_population", "countries", "population", 1.4e9, "people"),
        _number("mean", "rivers", "length_km", mean(lengths), "kilometres"),
        _number("range", "rivers", "length_km", max(lengths) - min(lengths), "kilometres"),
        _number("distinct", "rivers", "continent", 5.0, None),
        _number("share", "rivers", "is_navigable", 0.5, "fraction"),
        _number("count", "countries", "languages", 4.0, None, split="train"),
        Gold("aggregation", "countries", "distribution", "How many countries are on each continent?", ("continent",),
             "distribution", spread),
        _between("max", "countries", "population", ("India", "Jordan"), "India", aliases=tuple(ALIASES["India"])),
        _between("min", "countries", "area_km2", ("Ghana", "Peru"), "Ghana"),
        _between("max", "rivers", "length_km", ("Nile", "Niger"), "Nile", aliases=("River Nile",)),
        _between("min", "rivers", "length_km", ("Þjórsá", "Marañón"), "Þjórsá"),
        _between("max", "elements", "atomic_number", ("element 03", "element 04"), "element 04"),
        Gold(up, "countries", "max", "Which country has the largest population?", ("population",), "entity", "India",
             aliases=tuple(ALIASES["India"])),
        Gold(up, "rivers", "max", "Which river is the longest?", ("length_km",), "entity", "Nile"),
        Gold(up, "countries", "most_members", "Which continent has most Asian or other countries?", ("continent",),
             "category", "Africa"),
        Gold(up, "stars", "max", "Which star is the faintest?", ("magnitude",), "entity", "star 059"),
        Gold(up, "rivers", "min", "Which river is the shortest?", ("length_km",), "entity", "Þjórsá", split="train"),
        _tested("distribution_compliance", "elements", ("electronegativity",), "jarque_bera", "yes"),
        _tested("distribution_compliance", "stars", ("magnitude",), "jarque_bera", "no"),
        _tested("distribution_compliance", "elements", ("series",), "chisquare", "no"),
        _tested("correlation_analysis", "elements", ("atomic_number", "electronegativity"), "pearsonr", "yes"),
        _tested("correlation_analysis", "countries", ("population", "area_km2"), "spearmanr", "no"),
        _tested("variance_analysis", "elements", ("atomic_number", "series"), "levene", "no"),
        _tested("variance_analysis", "stars", ("magnitude", "constellation"), "levene", "yes"),
        _tested("descriptive_relationship", "rivers", ("is_navigable", "continent"), "chi2_contingency", "no"),
        _tested("descriptive_relationship", "elements", ("atomic_number", "series"), "f_oneway", "yes"),
        Gold("descriptive_relationship", "countries", "shared_value", "Do Peru and Bolivia share a language?",
             ("languages",), "boolean", "yes", names=("Peru", "Bolivia")),
        Gold("descriptive_relationship", "countries", "shared_value", "Do Ghana and Jordan share a language?",
             ("languages",), "boolean", "no", names=("Ghana", "Jordan")),
        Gold(down, "rivers", "would_exceed", "Would the Mekong exceed 4,400 kilometres if it grew by 100 kilometres?",
             ("length_km",), "boolean", "yes", names=("Mekong",), slots=(("change", {"add": 100}),)),
        Gold(down, "countries", "would_overtake", "Would Asia outnumber Africa with one country less?",
             ("continent",), "boolean", "no"),
        Gold("chain", "countries", "formula", "Which country founded in 1947 has the most people?", ("founded",),
             "entity", "India", family="deep_research"),
        Gold(up, "countries", "max", "Which country was founded last?", ("founded",), "entity", "Kenya", split="train"),
    ]  # fmt: skip
    return [replace(gold, question_id=f"q{number:03}") for number, gold in enumerate(listed + _hidden())]


QUESTIONS: list[Gold] = []


def _hidden() -> list[Gold]:
    """What hides its entities, by what links them to others."""
    return [
        Gold("quantitative_modelling", "countries", "formula",
             "Find the country that borders Bolivia and lies where Quechua is spoken. How many people live there on a"
             " square kilometre? Give the answer in people per square kilometre.", ("population", "area_km2"), "number",
             "26.2368", 33_720_000 / 1285216.0, "people per square kilometre", 0.02, names=("Peru",),
             family="deep_research", slots=(("entity_ids", ["typed:countries/Peru"]),)),
        Gold("comparative_ranking", "rivers", "formula",
             "Find two rivers. The first drains Nigeria; the second drains India. What is the length of the first in"
             " percent of that of the second?", ("length_km",), "number", "165.512", 4180 / 2525.5 * 100, "percent",
             0.02, names=("Niger", "Ganges"), family="deep_research", split="train",
             slots=(("entity_ids", ["typed:rivers/Niger", "typed:rivers/Ganges"]),)),
    ]  # fmt: skip


def questions() -> list[Gold]:
    """All of them; `gold_of_text` finds one by what a model is asked."""
    if not QUESTIONS:
        QUESTIONS.extend(_questions())
    return QUESTIONS


def density(gold: Gold) -> str:
    """The tier by consulted entities."""
    return "low" if gold.entity_count <= 10 else "medium" if gold.entity_count <= 100 else "high"


# Subject, property, value: what joins entities.
LINKS = (
    ("countries", "Peru", "P47", "countries", "Bolivia"),
    ("countries", "Bolivia", "P47", "countries", "Peru"),
    ("rivers", "Niger", "P205", "countries", "Nigeria"),
    ("rivers", "Ganges", "P205", "countries", "India"),
    ("seas", "Pacific Ocean", "P205", "countries", "Peru"),
)
PROPERTIES = {"P47": "shares border with", "P205": "basin country"}


def attribute_rows() -> list[tuple[Any, ...]]:
    """(topic, name, attribute, kind, number, text, date) of every fact."""
    rows: list[tuple[Any, ...]] = []

    def add(topic: str, label: str, attribute: str, value: Any) -> None:
        kind = next(kind for t, a, kind, _, _ in CATALOG if (t, a) == (topic, attribute))
        number = float(value) if kind == "number" else None
        text = str(value).lower() if kind == "boolean" else value if kind == "category" else None
        rows.append((topic, label, attribute, kind, number, text, value if kind == "date" else None))

    for label, (people, area, continent, languages, founded) in COUNTRIES.items():
        given = (("population", people), ("area_km2", area), ("continent", continent), ("founded", founded))
        for attribute, value in (*given, *(("languages", language) for language in languages)):
            add("countries", label, attribute, value)
    for label, row in RIVERS.items():
        for attribute, value in zip(("length_km", "continent", "is_navigable"), row, strict=True):
            add("rivers", label, attribute, value)
    for label, row in ELEMENTS.items():
        for attribute, value in zip(("atomic_number", "electronegativity", "series"), row, strict=True):
            add("elements", label, attribute, value)
    for number in range(EXTRA_STARS):
        add("stars", f"star {number:03}", "magnitude", number / 10)
        add("stars", f"star {number:03}", "constellation", f"constellation {number % 7}")
    return rows


def write(database: Path, *, backwards: bool = False) -> Path:
    """The database; ``backwards`` gives every table its rows in the other order."""
    with duckdb.connect(str(database)) as connection:
        for schema in ("facts", "topics", "questions", "provenance"):
            connection.execute(f"create schema {schema}")
        _write_facts(connection, backwards)
        _write_questions(connection, backwards)
        connection.execute(
            "create table provenance.snapshots as select * from (values (?, ?::date), (?, ?::date))"
            " as made(snapshot_id, as_of)",
            [SNAPSHOT, AS_OF, "older", dt.date(2020, 1, 1)],
        )
    return database


def _write_facts(connection: duckdb.DuckDBPyConnection, backwards: bool) -> None:
    rows = attribute_rows()
    names = sorted({(row[0], row[1]) for row in rows})
    _table(connection, "topics.entity_attributes", "topic varchar, entity_id varchar, label varchar, attribute varchar,"
           " kind varchar, value_num double, value_text varchar, value_date date",
           [(topic, f"typed:{topic}/{name}", _label(name), *rest) for topic, name, *rest in rows],
           backwards)  # fmt: skip
    _table(connection, "facts.entities", "entity_id varchar, label varchar, aliases varchar[]",
           [(f"typed:{topic}/{name}", _label(name), ALIASES.get(name))
            for topic, name in [*names, ("seas", "Pacific Ocean")]],
           backwards)  # fmt: skip
    _table(connection, "facts.best_values", "subject_id varchar, property_id varchar, value_entity varchar",
           [(f"typed:{topic}/{name}", property_id, f"typed:{other}/{value}")
            for topic, name, property_id, other, value in LINKS],
           backwards)  # fmt: skip
    _table(
        connection,
        "facts.vocabulary",
        "id varchar, kind varchar, label varchar",
        [(property_id, "property", label) for property_id, label in PROPERTIES.items()],
        backwards,
    )
    catalog = [(topic, name, kind, phrase, unit) for topic, name, kind, phrase, unit in CATALOG]
    _table(connection, "topics.catalog", "topic varchar, attribute varchar, kind varchar, phrase varchar, unit varchar",
           catalog, backwards)  # fmt: skip
    with (PROJECT / "seeds/units.csv").open(newline="") as file:
        header, *units = csv.reader(file)
    _table(connection, "facts.units", ", ".join(f"{name} varchar" for name in header), units, backwards)


def _write_questions(connection: duckdb.DuckDBPyConnection, backwards: bool) -> None:
    columns = (
        "question_id varchar, family varchar, category varchar, type varchar, topic varchar, question varchar,"
        " attributes varchar[], operation varchar, slots json, entity_count integer, density varchar,"
        " evidence_sql varchar, gold_kind varchar, gold_value double, gold_answer varchar, gold_aliases varchar[],"
        " gold_unit varchar, tolerance double, gold_columns varchar[], gold_method varchar, split varchar,"
        " snapshot_id varchar"
    )
    rows = [
        (
            gold.question_id, gold.family, gold.category, gold.type, gold.topic, gold.question,
            [f"{gold.topic}.{name}" for name in gold.attributes], gold.operation,
            json.dumps({"attribute": gold.attributes[0], **({"names": gold.names} if gold.names else {}),
                        **dict(gold.slots)}),
            gold.entity_count, density(gold), gold.evidence_sql, gold.kind, gold.value, gold.answer,
            list(gold.aliases) or None, gold.unit, gold.tolerance, list(gold.columns) or None, gold.method, gold.split,
            SNAPSHOT,
        )
        for gold in questions()
    ]  # fmt: skip
    _table(connection, "questions.questions", columns, rows, backwards)
    with (PROJECT / "seeds/method_names.csv").open(newline="") as file:
        _, *names = csv.reader(file)
    _table(connection, "questions.method_names", "gold_method varchar, name varchar", names, backwards)


def _table(connection: duckdb.DuckDBPyConnection, name: str, columns: str, rows: list[Any], backwards: bool) -> None:
    connection.execute(f"create table {name} ({columns})")
    marks = f"({', '.join('?' for _ in rows[0])})"
    values = [value for row in (reversed(rows) if backwards else rows) for value in row]
    # One statement: a statement a row takes seconds.
    connection.execute(f"insert into {name} values {', '.join([marks] * len(rows))}", values)


def _label(name: str) -> str:
    return name.partition("#")[0]


def _text(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
